/* p2g.cu -- particles to grid on the device: u = sum w v / sum w at every face (cpu/p2g.c).
 *
 * The linear kernel without an affine part: the particles of a cell reach 2 x 3 (x 3) faces of a
 * component, two along its axis and three across. One thread takes a cell and adds up what its
 * particles give to each of these; then one thread takes a face and adds up what the cells around
 * it have for it. Tiles overlap in a rim one place wide, so they go colour by colour, as on the
 * CPU. Both sums are in fixed order.
 *
 * The other kernels, APIC, AFLIP, and devices with too little shared memory: one thread takes a
 * face and visits the particles of all cells that the kernel reaches. */
#include "kernels/transfer.h"
#include "launch.h"

typedef struct p2g_args {
    X(fields) f;
    const int *tiles; /* of the colour that is done */
} p2g_args;

MAP(clear_faces, p2g_args)
{
    int cell[DIM], number = (int)(i / TILE_CELLS);
    int tile = number < a->f.tiles.active_count
                   ? a->f.tiles.active[number]
                   : a->f.tiles.border[number - a->f.tiles.active_count];
    size_t c = X(tile_place)(&a->f.grid, tile, (int)(i % TILE_CELLS), cell);
    FOR_DIM(d)
        a->f.u[d][c] = a->f.weight[d][c] = 0.0f;
}

/* ---- the linear kernel */

#define SHARES (DIM == 3 ? 18 : 6)                         /* faces that a cell reaches */
#define REACHED ((TILE + 1) * (TILE + 2) * LAST(TILE + 2)) /* faces that a tile reaches */

typedef struct cell_sums {
    float sum[SHARES][TILE_CELLS], weight[SHARES][TILE_CELLS];
} cell_sums;

/* Axes across d. In 2D the second is not used. */
GPU_FN int first_across(int d)
{
    return d == 0 ? 1 : 0;
}

GPU_FN int second_across(int d)
{
    return DIM == 2 ? 0 : d == 2 ? 1 : 2;
}

/* Shares of the faces at the middle of the cell and of its neighbours, of a particle at x. */
GPU_FN void shares_across(float x, float w[3])
{
    float y = x - 0.5f;
    w[0] = y < 0.0f ? -y : 0.0f;
    w[1] = 1.0f - GPU_ABS(y);
    w[2] = y > 0.0f ? y : 0.0f;
}

/* What the particles of cell t of a tile give, into column t. */
GPU_FN void sum_cell(const X(fields) *f, int tile, int t, int d, cell_sums *to)
{
    int cell[DIM], e = first_across(d), b = second_across(d);
    size_t c = X(tile_place)(&f->grid, tile, t, cell);
    float sum[SHARES], weight[SHARES];
    SP_UNROLL_ALL
    for (int s = 0; s < SHARES; s++)
        sum[s] = weight[s] = 0.0f;
    uint32_t first = f->first[c], end = first + f->count[c];
    for (uint32_t k = first; k < end; k++) {
        float along[2], across[3], deep[3], v = f->particles.v[d][k];
        along[1] = f->particles.x[d][k] - (float)cell[d];
        along[0] = 1.0f - along[1];
        shares_across(f->particles.x[e][k] - (float)cell[e], across);
        if (DIM == 3)
            shares_across(f->particles.x[b][k] - (float)cell[b], deep);
        SP_UNROLL_ALL
        for (int s = 0; s < SHARES; s++) {
            float w = across[s / 2 % 3] * along[s % 2];
            w = DIM == 3 ? deep[s / 6] * w : w;
            weight[s] += w;
            sum[s] = GPU_MULTIPLY_ADD(w, v, sum[s]);
        }
    }
    SP_UNROLL_ALL
    for (int s = 0; s < SHARES; s++) {
        to->sum[s][t] = sum[s];
        to->weight[s][t] = weight[s];
    }
}

/* Adds to face number t of those that a tile reaches; `corner` is the tile's first cell. */
GPU_FN void give_face(const X(fields) *f, const int corner[DIM], int t, int d,
                      const cell_sums *from)
{
    int place[3] = {0, 0, 0}, face[DIM], rest = t;
    FOR_DIM(a) {
        int span = a == d ? TILE + 1 : TILE + 2;
        place[a] = rest % span - (a != d);
        rest /= span;
        face[a] = corner[a] + place[a];
    }
    int e = first_across(d), b = second_across(d);
    float sum = 0.0f, weight = 0.0f;
    SP_UNROLL_ALL
    for (int s = 0; s < SHARES; s++) {
        int cell[3] = {0, 0, 0};
        cell[d] = place[d] - s % 2;
        cell[e] = place[e] + 1 - s / 2 % 3;
        if (DIM == 3)
            cell[b] = place[b] + 1 - s / 6;
        bool own = true;
        FOR_DIM(a)
            own = own && cell[a] >= 0 && cell[a] < TILE;
        int column = cell[0] + TILE * (cell[1] + TILE * cell[2]);
        sum += own ? from->sum[s][column] : 0.0f;
        weight += own ? from->weight[s][column] : 0.0f;
    }
    size_t at = X(index)(&f->grid, face);
    f->u[d][at] += sum;
    f->weight[d][at] += weight;
}

GPU_FN void give_component(const X(fields) *f, int tile, int d, cell_sums *shared)
{
    int corner[DIM];
    X(tile_cell)(&f->grid, tile, corner);
    FOR_THREADS(t, TILE_CELLS)
        sum_cell(f, tile, t, d, shared);
    BARRIER();
    FOR_THREADS(t, REACHED)
        give_face(f, corner, t, d, shared);
}

/* A block per component: more and shorter ones keep the device busy to the end of each colour. */
BLOCKS_AT_ONCE(give_tile, p2g_args, cell_sums, TILE_CELLS, 2)
{
    int tile = a->tiles[block / DIM], d = (int)(block % DIM);
    if (d == 0)
        give_component(&a->f, tile, 0, shared);
    else if (d == 1)
        give_component(&a->f, tile, 1, shared);
    else
        give_component(&a->f, tile, DIM - 1, shared);
}

/* ---- any kernel */

/* Weight of the node `node` at x, both in units of the node distance. */
GPU_FN float node_weight(int degree, float x, int node)
{
    float w[KERNEL_NODES], mine = 0.0f;
    int which = node - X(weights)(degree, x, w);
    SP_UNROLL
    for (int m = 0; m < KERNEL_NODES; m++)
        mine = m == which && m <= degree ? w[m] : mine;
    return mine;
}

typedef struct face_sum {
    float sum, weight;
} face_sum;

/* Particle k at the face of component d. */
GPU_FN void visit_particle(const X(fields) *f, int degree, const int face[DIM], int d, uint32_t k,
                           face_sum *to)
{
    float w = 1.0f, v = f->particles.v[d][k];
    FOR_DIM(a) {
        float x = f->particles.x[a][k], shift = a == d ? 0.0f : 0.5f;
        w *= node_weight(degree, x - shift, face[a]);
        if (f->affine)
            v += f->particles.c[d * DIM + a][k] * ((float)face[a] + shift - x);
    }
    to->sum = GPU_MULTIPLY_ADD(w, v, to->sum);
    to->weight += w;
}

GPU_FN face_sum sum_face(const X(fields) *f, int degree, const int face[DIM], int d)
{
    int low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    face_sum total = {0.0f, 0.0f};
    FOR_DIM(a) {
        low[a] = face[a] - (degree == KERNEL_CUBIC || (a == d && degree != KERNEL_LINEAR) ? 2 : 1);
        high[a] = face[a] + (a == d ? degree != KERNEL_LINEAR : degree == KERNEL_CUBIC ? 2 : 1);
        low[a] = low[a] > 0 ? low[a] : 0;
        high[a] = high[a] < f->grid.n[a] ? high[a] : f->grid.n[a] - 1;
    }
    for (int m = low[2]; m <= high[2]; m++)
        for (int j = low[1]; j <= high[1]; j++)
            for (int i = low[0]; i <= high[0]; i++) {
                int cell[3] = {i, j, m};
                size_t c = X(index)(&f->grid, cell);
                for (uint32_t k = f->first[c], end = k + f->count[c]; k < end; k++)
                    visit_particle(f, degree, face, d, k, &total);
            }
    return total;
}

MAP(take_faces, p2g_args)
{
    const X(fields) *f = &a->f;
    int face[DIM], number = (int)(i / TILE_CELLS);
    int tile = number < f->tiles.active_count ? f->tiles.active[number]
                                              : f->tiles.border[number - f->tiles.active_count];
    size_t c = X(tile_place)(&f->grid, tile, (int)(i % TILE_CELLS), face);
    for (int d = 0; d < DIM; d++) {
        face_sum total = f->degree_to_grid == KERNEL_LINEAR ? sum_face(f, KERNEL_LINEAR, face, d)
                         : f->degree_to_grid == KERNEL_QUADRATIC
                             ? sum_face(f, KERNEL_QUADRATIC, face, d)
                             : sum_face(f, KERNEL_CUBIC, face, d);
        f->u[d][c] = total.sum;
        f->weight[d][c] = total.weight;
    }
}

/* ---- both */

MAP(normalise, p2g_args)
{
    int cell[DIM], tile = a->f.tiles.faces[i / TILE_CELLS], k = (int)(i % TILE_CELLS);
    if (!X(place_has_faces)(&a->f.grid, tile, k))
        return;
    size_t c = X(tile_place)(&a->f.grid, tile, k, cell);
    FOR_DIM(d) {
        float w = a->f.weight[d][c], value = w > 0.0f ? a->f.u[d][c] / w : 0.0f;
        a->f.u[d][c] = value;
        a->f.u_old[d][c] = value;
    }
}

void DEV(gpu_particles_to_grid)(X(gpu) *g)
{
    p2g_args args;
    memset(&args, 0, sizeof args);
    args.f = g->f;
    size_t places = (size_t)(g->f.tiles.active_count + g->f.tiles.border_count) * TILE_CELLS;
    if (g->f.degree_to_grid == KERNEL_LINEAR && !g->f.affine &&
        sizeof(cell_sums) <= g->shared_bytes) {
        clear_faces(g, args, places);
        for (int colour = 0; colour < COLOURS; colour++) {
            args.tiles = g->f.tiles.liquid + g->f.tiles.colour_start[colour];
            give_tile(
                g, args,
                (size_t)(g->f.tiles.colour_start[colour + 1] - g->f.tiles.colour_start[colour]) *
                    DIM);
        }
    } else {
        take_faces(g, args, places);
    }
    DEV(gpu_fold_faces)(g, g->f.u, g->f.weight);
    normalise(g, args, (size_t)g->f.tiles.face_count * TILE_CELLS);
}
