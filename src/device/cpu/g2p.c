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
#include "device/cpu/lanes.h"
#include "device/device.h"

typedef struct g2p_args {
    X(sim) *s;
    X(lanes_field) now, old;
    float ratio; /* 0: PIC */
} g2p_args;

static void update_tile(X(sim) *s, int degree, bool apic, float ratio, int tile)
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

/* The same for the linear kernel without an affine part, eight particles at a time. */
static void update_tile_by_lanes(const g2p_args *args, int tile)
{
    X(sim) *s = args->s;
    X(particles) *p = &s->particles;
    uint32_t end = s->tiles.start[tile + 1], n;
    for (uint32_t k = s->tiles.start[tile]; k < end; k += n) {
        n = end - k < LANES ? end - k : LANES;
        X(lanes_at) at;
        floats x[DIM];
        FOR_DIM(d)
            x[d] = lanes_load(p->x[d] + k, n);
        X(lanes_locate)(&s->grid, x, &at);
        FOR_DIM(d) {
            floats v = X(lanes_component)(&args->now, &at, d);
            if (args->ratio > 0.0f)
                v += args->ratio *
                     (lanes_load(p->v[d] + k, n) - X(lanes_component)(&args->old, &at, d));
            lanes_store(p->v[d] + k, v, n);
        }
    }
}

static void g2p_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const g2p_args *args = user;
    X(sim) *s = args->s;
    for (size_t k = begin; k < end; k++) {
        if (s->degree == KERNEL_LINEAR && !s->apic && s->grid.size <= INT32_MAX)
            update_tile_by_lanes(args, s->tiles.liquid[k]);
        else
            update_tile(s, s->degree, s->apic, args->ratio, s->tiles.liquid[k]);
    }
}

void X(grid_to_particles)(X(sim) *s, double dt)
{
    const spate_scene *scene = s->common->scene;
    g2p_args args = {.s = s,
                     .now = X(lanes_field_of)(&s->grid, s->u_carried),
                     .old = X(lanes_field_of)(&s->grid, s->u_old)};
    if (scene->liquid.transfer == SPATE_TRANSFER_FLIP)
        args.ratio = (float)scene->liquid.flip_ratio;
    sp_parallel_for(s->common->pool, (size_t)s->tiles.liquid_count, 1, g2p_range, &args);
    X(channels_step)(s, dt);
}
