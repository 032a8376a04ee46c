/* g2p.c -- grid to particles.
 *
 *   PIC    v <- u_new(x)
 *   FLIP   v <- u_new(x) + ratio (v - u_old(x))
 *   APIC   v <- u_new(x), c <- grad u_new(x)
 *   AFLIP  v as with FLIP, c <- ratio grad u(x), 0 beside air (kernels/gradient.h)
 *
 * Old and new velocity are taken with the same kernel at the same place, and the ratio is the same
 * for every component and everywhere: where nothing happens on the grid, v loses (1 - ratio) of
 * what the grid cannot hold, nothing more. So one field is read, `carried` = u_new - ratio u_old;
 * u_new is the projected velocity with its change taken half way along the particles' paths
 * (g2p_field.c). Water that moves as a whole keeps its velocity to the last bit: for a ratio of 1/2
 * and more u - ratio u is exact. */
#include "cpu.h"
#include "kernels/gradient.h"
#include "patch.h"

#include <stdatomic.h>

typedef struct g2p_args {
    X(sim) *s;
    X(fields) f; /* of it */
    X(grid_field) field, flow;
    char *scratch; /* per worker: patches */
    float ratio;   /* 0: PIC, APIC */
    _Atomic uint64_t unsound;
} g2p_args;

uint64_t DEV(count_unsound)(const X(sim) *s, int tile)
{
    const X(particles) *p = &s->particles;
    uint64_t count = 0;
    for (uint32_t k = s->tiles.start[tile]; k < s->tiles.start[tile + 1]; k++) {
        bool sound = true;
        FOR_DIM(d)
            sound = sound && __builtin_fabsf(p->v[d][k]) < MOST_SPEED;
        count += !sound;
    }
    return count;
}

static void add_unsound(g2p_args *args, int tile)
{
    atomic_fetch_add_explicit(&args->unsound, DEV(count_unsound)(args->s, tile),
                              memory_order_relaxed);
}

static void update_tile(g2p_args *args, int degree, int tile)
{
    X(sim) *s = args->s;
    X(particles) *p = &s->particles;
    const X(grid) *g = &s->grid;
    for (uint32_t k = s->tiles.start[tile]; k < s->tiles.start[tile + 1]; k++) {
        float x[DIM];
        FOR_DIM(d)
            x[d] = p->x[d][k];
        float share = X(gradient_share)(&args->f, x, args->ratio);
        FOR_DIM(d) {
            X(stencil) stencil = X(stencil_at)(degree, x, d);
            float field = X(gather)(g, &stencil, degree, s->carried[d]);
            p->v[d][k] = field + args->ratio * p->v[d][k];
            if (s->affine)
                X(take_gradient)(&args->f, degree, &stencil, x, d, share, k);
        }
    }
    add_unsound(args, tile);
}

/* Eight particles at a time, for the linear kernel and no gradient or AFLIP's. Reads the patches of
 * the tile if there are any, else the grid. */
SIMD_FN void update_lanes(g2p_args *args, int tile, bool gradient, const X(patches) *patches)
{
    X(sim) *s = args->s;
    X(particles) *p = &s->particles;
    uint32_t end = s->tiles.start[tile + 1], n;
    i8 sound = ~(i8){0};
    for (uint32_t k = s->tiles.start[tile]; k < end; k += n) {
        n = end - k < LANES ? end - k : LANES;
        X(located) at;
        f8 x[DIM];
        FOR_DIM(d)
            x[d] = load_n(p->x[d] + k, n);
        if (patches)
            DEV(patch_locate)(&patches->carried, x, &at);
        else
            X(grid_locate)(&s->grid, x, &at);
        f8 share = {0}, slope[DIM];
        if (gradient)
            share = X(gradient_shares)(patches ? &patches->air : NULL, &args->f, x, args->ratio);
        FOR_DIM(d) {
            f8 field = patches ? X(patch_component)(&patches->carried, &at, d)
                               : X(grid_component)(&args->field, &at, d);
            f8 v = field + args->ratio * load_n(p->v[d] + k, n);
            sound &= f8_abs(v) < MOST_SPEED;
            store_n(p->v[d] + k, v, n);
            if (!gradient)
                continue;
            if (patches)
                X(patch_value)(&patches->flow, &at, d, slope);
            else
                X(grid_value)(&args->flow, &at, d, slope);
            X(store_gradient)(p, k, n, d, share, slope);
        }
    }
    if (!all(sound))
        add_unsound(args, tile);
}

SIMD_FN void update_tile_by_lanes(g2p_args *args, int tile, bool gradient, X(patches) *p)
{
    X(sim) *s = args->s;
    if (!s->particles.at_home || s->tiles.start[tile + 1] - s->tiles.start[tile] < PATCH_LEAST) {
        update_lanes(args, tile, gradient, NULL);
        return;
    }
    int corner[DIM];
    float unused[DIM];
    X(tile_cell)(&s->grid, tile, corner);
    X(patch_fill)(&p->carried, &s->grid, corner, 1, (X(patch_source)){.u = s->carried}, unused);
    if (gradient) {
        X(patch_fill)(&p->flow, &s->grid, corner, 1, (X(patch_source)){.u = s->u}, unused);
        X(air_find)(&p->air, &args->f, corner);
    }
    update_lanes(args, tile, gradient, p);
}

static void g2p_range(void *user, size_t begin, size_t end, int worker)
{
    g2p_args *args = user;
    X(sim) *s = args->s;
    X(patches) *p = (X(patches) *)(args->scratch + (size_t)worker * DEV(patch_scratch)());
    bool by_lanes = s->degree == KERNEL_LINEAR && s->grid.size <= INT32_MAX;
    for (size_t k = begin; k < end; k++) {
        int tile = s->tiles.active[k];
        if (s->tiles.start[tile] == s->tiles.start[tile + 1])
            continue;
        if (by_lanes && s->affine == AFFINE_NONE)
            update_tile_by_lanes(args, tile, false, p);
        else if (by_lanes && s->affine == AFFINE_AFLIP)
            update_tile_by_lanes(args, tile, true, p);
        else
            update_tile(args, s->degree, tile);
    }
}

void DEV(grid_to_particles)(X(sim) *s, double dt)
{
    sp_pool *pool = s->common->pool;
    sp_arena arena = X(arena)(s);
    g2p_args args = {.s = s,
                     .f = X(fields_of)(s),
                     .field = X(grid_field_of)(&s->grid, s->carried),
                     .flow = X(grid_field_of)(&s->grid, s->u),
                     .ratio = X(kept_share)(s, dt)};
    args.scratch = sp_arena_take(&arena, (size_t)sp_pool_threads(pool), DEV(patch_scratch)());
    /* not by colour: in the order of their places, tiles find the field of the last one near */
    sp_parallel_pass(pool, (size_t)s->tiles.active_count, 2, g2p_range, &args);
    s->unsound = args.unsound;
    s->particles.fastest = -1.0f;
}
