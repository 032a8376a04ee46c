/* g2p.cu -- grid to particles on the device: the field `carried` of cpu/g2p_field.c on the faces,
 * then the velocities of the particles as in cpu/g2p.c. */
#include "kernels/g2p.h"
#include "kernels/sides.h"
#include "kernels/transfer.h"
#include "launch.h"

/* ---- the field: a block takes a tile and HALO cells around it, one component after the other */

typedef struct kick_args {
    X(fields) f;
    float half; /* dt / (2 dx): from m/s to cells of the way back */
    float kept; /* of u_old */
} kick_args;

/* A kick and where it is known; smoothing goes from one array to the other. */
typedef struct kick_block {
    float kick[2][BLOCK], known[2][BLOCK];
    uint32_t partly; /* there are unknown places */
} kick_block;

/* Place c of the block of the tile whose first cell is `first`. */
GPU_FN void block_place(const int first[DIM], int c, int place[DIM])
{
    place[0] = first[0] + c % SPAN - HALO;
    place[1] = first[1] + c / SPAN % SPAN - HALO;
    if (DIM == 3)
        place[DIM - 1] = first[DIM - 1] + c / (SPAN * SPAN) - HALO;
}

/* In border tiles that end the domain one layer counts, and beyond it the array may end. */
GPU_FN float load_kick(const X(fields) *f, const int place[DIM], int d)
{
    const X(grid) *g = &f->grid;
    bool there = true;
    FOR_DIM(a)
        there = there && place[a] <= (g->tiles[a] - 2) * TILE + HALO;
    if (!there)
        return 0.0f;
    size_t c = X(index)(g, place);
    return f->u[d][c] - f->u_old[d][c];
}

/* Outside as at the image inside. */
GPU_FN bool load_known(const X(fields) *f, const int place[DIM], int d)
{
    const X(grid) *g = &f->grid;
    int inside[DIM];
    FOR_DIM(a) {
        bool outside = place[a] < 0 || place[a] >= g->n[a] + (a == d);
        inside[a] = outside ? X(image_of)(g, f->sides, a, place[a], a == d).place : place[a];
    }
    uint8_t mark = f->known[d][X(index)(g, inside)];
    return mark != FACE_UNKNOWN && mark != FACE_FIXED;
}

/* (1/4, 1/2, 1/4) along the axis with the given step; at the ends of the block any value will do.
 */
GPU_FN float smoothed(const float *from, int c, int step)
{
    if (c < step || c >= BLOCK - step)
        return from[c];
    return 0.5f * from[c] + 0.25f * (from[c - step] + from[c + step]);
}

GPU_FN void smooth(kick_block *b, int c, int step, int from)
{
    b->kick[1 - from][c] = smoothed(b->kick[from], c, step);
    if (b->partly)
        b->known[1 - from][c] = smoothed(b->known[from], c, step);
}

/* The way back of a face of component d, in cells, at most one long. */
GPU_FN void way_back(const kick_args *a, size_t face, int d, float way[DIM])
{
    float square = 0.0f;
    FOR_DIM(e) {
        size_t up = a->f.grid.stride[e], low = a->f.grid.stride[d];
        const float *u = a->f.u[e] + face;
        float here = e == d ? *u : 0.25f * (u[0] + u[up] + *(u - low) + *(u - low + up));
        way[e] = a->half * here;
        square += way[e] * way[e];
    }
    float scale = square > 1.0f ? 1.0f / GPU_SQRT(square) : 1.0f;
    FOR_DIM(e)
        way[e] *= scale;
}

GPU_FN void correct(const kick_args *a, int tile, int t, int d, const float *kick,
                    const float *known, bool partly)
{
    const int step[3] = {1, SPAN, SPAN * SPAN};
    int cell[DIM], mid = t % TILE + HALO + SPAN * (t / TILE % TILE + HALO);
    mid += DIM == 3 ? SPAN * SPAN * (t / (TILE * TILE) + HALO) : 0;
    if (!X(place_has_faces)(&a->f.grid, tile, t))
        return;
    size_t c = X(tile_place)(&a->f.grid, tile, t, cell);
    float way[DIM], change = 0.0f;
    way_back(a, c, d, way);
    FOR_DIM(e) {
        int up = mid + step[e], low = mid - step[e];
        bool both = !partly || (known[up] > 0.0f && known[low] > 0.0f);
        change += both ? way[e] * (kick[up] - kick[low]) : 0.0f;
    }
    float now = a->f.u[d][c] - 0.5f * change;
    a->f.carried[d][c] = now - a->kept * a->f.u_old[d][c];
}

BLOCKS(carry_tile, kick_args, kick_block, TILE_CELLS)
{
    const int last = DIM == 3; /* where the smoothed values are */
    int tile = a->f.tiles.faces[block], first[DIM];
    X(tile_cell)(&a->f.grid, tile, first);
    FOR_DIM(d) {
        FOR_THREADS(t, 1)
            shared->partly = 0;
        BARRIER();
        FOR_THREADS(c, BLOCK) {
            int place[DIM];
            block_place(first, c, place);
            bool known = load_known(&a->f, place, d);
            shared->kick[0][c] = known ? load_kick(&a->f, place, d) : 0.0f;
            shared->known[0][c] = known ? 1.0f : 0.0f;
            if (!known)
                GPU_ADD32(&shared->partly, 1u);
        }
        BARRIER();
        FOR_THREADS(c, BLOCK)
            smooth(shared, c, 1, 0);
        BARRIER();
        FOR_THREADS(c, BLOCK)
            smooth(shared, c, SPAN, 1);
        BARRIER();
        if (DIM == 3) {
            FOR_THREADS(c, BLOCK)
                smooth(shared, c, SPAN * SPAN, 0);
            BARRIER();
        }
        if (shared->partly) { /* over what is known: a kick that is the same everywhere stays so */
            FOR_THREADS(c, BLOCK) {
                float share = shared->known[last][c];
                shared->kick[last][c] = share > 0.0f ? shared->kick[last][c] / share : 0.0f;
            }
            BARRIER();
        }
        FOR_THREADS(t, TILE_CELLS)
            correct(a, tile, t, d, shared->kick[last], shared->known[last], shared->partly);
        BARRIER();
    }
}

void DEV(gpu_carry_kick)(X(gpu) *g, float half, float kept)
{
    kick_args args = {g->f, half, kept};
    carry_tile(g, args, (size_t)g->f.tiles.face_count);
    DEV(gpu_fill_faces)(g, g->f.carried);
}

/* ---- the particles */

typedef struct g2p_args {
    X(fields) f;
    float ratio; /* 0: PIC, APIC */
} g2p_args;

GPU_FN void update_particle(const g2p_args *a, int degree, size_t k)
{
    float x[DIM];
    FOR_DIM(d)
        x[d] = a->f.particles.x[d][k];
    FOR_DIM(d) {
        X(stencil) s = X(stencil_at)(degree, x, d);
        float field = X(gather)(&a->f.grid, &s, degree, a->f.carried[d]);
        a->f.particles.v[d][k] = field + a->ratio * a->f.particles.v[d][k];
        if (a->f.apic) {
            float c[DIM];
            X(gather_affine)(&a->f.grid, &s, degree, x, d, a->f.carried[d], c);
            FOR_DIM(e)
                a->f.particles.c[d * DIM + e][k] = c[e];
        }
    }
}

/* Apart, so that the linear kernel, the default, does not need the registers of the others. */
MAP(update_linear, g2p_args)
{
    float x[DIM];
    FOR_DIM(d)
        x[d] = a->f.particles.x[d][i];
    FOR_DIM(d) {
        X(stencil) s = X(stencil_at)(KERNEL_LINEAR, x, d);
        float field = X(gather)(&a->f.grid, &s, KERNEL_LINEAR, a->f.carried[d]);
        a->f.particles.v[d][i] = field + a->ratio * a->f.particles.v[d][i];
    }
}

MAP(update_general, g2p_args)
{
    if (a->f.degree == KERNEL_LINEAR)
        update_particle(a, KERNEL_LINEAR, i);
    else if (a->f.degree == KERNEL_QUADRATIC)
        update_particle(a, KERNEL_QUADRATIC, i);
    else
        update_particle(a, KERNEL_CUBIC, i);
}

void DEV(gpu_grid_to_particles)(X(gpu) *g, float kept)
{
    g2p_args args = {g->f, kept};
    g->speed_known = false;
    if (g->f.degree == KERNEL_LINEAR && !g->f.apic)
        update_linear(g, args, g->f.tiles.first_flying);
    else
        update_general(g, args, g->f.tiles.first_flying);
}
