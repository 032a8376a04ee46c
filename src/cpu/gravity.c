/* gravity.c -- the pressure that gravity and buoyancy alone make: the system of the step once more,
 * with the right side of kernels/gravity.h. sim/pressure.c says who needs it. */
#include "cpu/pressure/pressure.h"

#include "kernels/forces.h"
#include "kernels/gravity.h"

typedef struct gravity_args {
    X(sim) *s;
    X(fields) f;
    X(forces) forces;
    float start, scale; /* of q */
} gravity_args;

/* Of active tiles: cells without an unknown have none. */
static void zero_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const X(sim) *s = ((const gravity_args *)user)->s;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&s->grid, s->tiles.active[k]);
        for (int r = 0; r < TILE_ROWS; r++)
            memset(s->p_gravity + base + X(row_offset)(&s->grid, r), 0, TILE * sizeof(float));
    }
}

/* The right side, and p as the start. */
static void begin_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const gravity_args *args = user;
    X(system) *sys = &args->s->system;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&sys->grid, sys->levels[0].tiles[k]);
        for (int r = 0; r < TILE_ROWS; r++)
            for (size_t i = 0; i < TILE; i++) {
                size_t c = base + X(row_offset)(&sys->grid, r) + i;
                bool unknown = sys->diagonal[c] > 0.0f;
                sys->b[c] = unknown ? X(gravity_right)(&args->f, c, &args->forces) : 0.0f;
                sys->q[c] = unknown ? args->start * args->f.p[c] : 0.0f;
            }
    }
}

static void scale_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const gravity_args *args = user;
    const X(system) *sys = &args->s->system;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&sys->grid, sys->levels[0].tiles[k]);
        for (int r = 0; r < TILE_ROWS; r++)
            for (size_t i = 0; i < TILE; i++)
                sys->q[base + X(row_offset)(&sys->grid, r) + i] *= args->scale;
    }
}

void DEV(solve_gravity)(X(sim) *s, double dt, double to_pressure, X(solve) *solve)
{
    X(system) *sys = &s->system;
    gravity_args args = {.s = s, .f = X(fields_of)(s), .forces = X(forces_of)(s, dt)};
    size_t tiles = (size_t)sys->levels[0].tile_count;
    float *q = sys->q;
    args.scale = (float)to_pressure;
    args.start = solve->tolerance > 0 ? 1.0f / args.scale : 0.0f;
    sys->q = s->p_gravity;
    sp_parallel_for(s->common->pool, (size_t)s->tiles.active_count, 8, zero_range, &args);
    sp_parallel_for(s->common->pool, tiles, 4, begin_range, &args);
    X(remove_pocket_means)(sys);
    DEV(solve_system)(sys, solve);
    sp_parallel_for(s->common->pool, tiles, 4, scale_range, &args);
    X(fill_border_periodic)(&s->domain, s->p_gravity, -1);
    sys->q = q;
}
