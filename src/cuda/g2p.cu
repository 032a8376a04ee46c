/* g2p.cu -- grid to particles on the device: the field `carried` (kernels/g2p.h) on the faces, then
 * the velocities of the particles as in cpu/g2p.c. */
#include "kernels/g2p.h"
#include "kernels/gradient.h"
#include "launch.h"

/* ---- the field */

typedef struct kick_args {
    X(fields) f;
    sp_turn turn;
    float kept; /* of u_old */
} kick_args;

MAP(carry_places, kick_args)
{
    const X(fields) *f = &a->f;
    int cell[DIM], tile = f->tiles.faces[i / TILE_CELLS], k = (int)(i % TILE_CELLS);
    if (!X(place_has_faces)(&f->grid, tile, k))
        return;
    size_t c = X(tile_place)(&f->grid, tile, k, cell);
    for (int d = 0; d < DIM; d++)
        X(carry_faces)(f, c, d, a->turn, a->kept, false);
}

void DEV(gpu_carry_kick)(X(gpu) *g, const sp_turn *turn, float kept)
{
    kick_args args = {g->f, *turn, kept};
    FOR_DIM(d)
        DEV(gpu_fill_border_bytes)(g, g->f.known[d]);
    carry_places(g, args, (size_t)g->f.tiles.face_count * TILE_CELLS);
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
    float share = X(gradient_share)(&a->f, x, a->ratio);
    FOR_DIM(d) {
        X(stencil) s = X(stencil_at)(degree, x, d);
        float field = X(gather)(&a->f.grid, &s, degree, a->f.carried[d]);
        a->f.particles.v[d][k] = field + a->ratio * a->f.particles.v[d][k];
        if (a->f.affine)
            X(take_gradient)(&a->f, degree, &s, x, d, share, k);
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
    if (g->f.degree == KERNEL_LINEAR && !g->f.affine)
        update_linear(g, args, g->f.tiles.first_flying);
    else
        update_general(g, args, g->f.tiles.first_flying);
}
