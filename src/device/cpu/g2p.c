/* g2p.c -- grid to particles.
 *
 *   PIC    v <- u_new(x)
 *   FLIP   v <- u_new(x) + ratio (v - u_old(x))
 *   APIC   v <- u_new(x), c <- grad u_new(x)
 *
 * Old and new velocity are taken with the same kernel at the same place, and the ratio is the same
 * for every component and everywhere: where nothing happens on the grid, v loses (1 - ratio) of
 * what the grid cannot hold, nothing more. u_new is the projected velocity with its change taken
 * half way along the particles' paths (kick.c). */
#include "device/device.h"

static inline void update_tile(X(sim) *s, int degree, bool apic, float ratio, int tile)
{
    X(particles) *p = &s->particles;
    const X(grid) *g = &s->grid;
    for (uint32_t k = s->tiles.start[tile]; k < s->tiles.start[tile + 1]; k++) {
        float x[DIM];
        FOR_DIM(d)
            x[d] = p->x[d][k];
        FOR_DIM(d) {
            X(stencil) stencil = X(stencil_at)(degree, x, d);
            float now = X(gather)(g, &stencil, degree, s->u_carried[d]);
            if (ratio > 0.0f)
                now += ratio * (p->v[d][k] - X(gather)(g, &stencil, degree, s->u_old[d]));
            p->v[d][k] = now;
            if (apic) {
                float c[DIM];
                X(gather_affine)(g, &stencil, degree, x, d, s->u_carried[d], c);
                FOR_DIM(a)
                    p->c[d * DIM + a][k] = c[a];
            }
        }
    }
}

static void g2p_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = user;
    const spate_scene *scene = s->common->scene;
    float ratio =
        scene->liquid.transfer == SPATE_TRANSFER_FLIP ? (float)scene->liquid.flip_ratio : 0.0f;
    for (size_t k = begin; k < end; k++) {
        int tile = s->tiles.liquid[k];
        if (s->degree == KERNEL_LINEAR && !s->apic)
            update_tile(s, KERNEL_LINEAR, false, ratio, tile);
        else
            update_tile(s, s->degree, s->apic, ratio, tile);
    }
}

void X(grid_to_particles)(X(sim) *s, double dt)
{
    sp_parallel_for(s->common->pool, (size_t)s->tiles.liquid_count, 1, g2p_range, s);
    X(channels_step)(s, dt);
}
