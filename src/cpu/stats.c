/* stats.c -- what a frame looks like in numbers. All sums are fp64, in fixed order. One cell and
 * one particle are in kernels/census.h and kernels/momentum.h; state/census.c makes numbers with
 * units of what is found. */
#include "cpu.h"

#include "kernels/census.h"
#include "kernels/momentum.h"

#include <stdatomic.h>

typedef struct stats_args {
    X(fields) f;
    const double *gravity; /* m/s^2 */
    int axis;
    bool laid; /* solids are on the grid as they are */
    _Atomic uint64_t cells, most, kinds[SP_INTERIOR_COUNT], held, interior_most, in_solid;
} stats_args;

/* ---- particles */

static double momentum_partial(void *user, size_t begin, size_t end)
{
    const stats_args *args = user;
    const float *v = args->f.particles.v[args->axis];
    double sum = 0;
    for (size_t k = begin; k < end; k++)
        sum += v[k];
    return sum;
}

static double square_partial(void *user, size_t begin, size_t end)
{
    const stats_args *args = user;
    double sum = 0;
    for (size_t k = begin; k < end; k++)
        sum = X(add_square)(&args->f, k, sum);
    return sum;
}

static double height_partial(void *user, size_t begin, size_t end)
{
    const stats_args *args = user;
    double sum = 0;
    for (size_t k = begin; k < end; k++)
        sum = X(add_height)(&args->f, args->gravity, k, sum);
    return sum;
}

static void in_solid_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    stats_args *args = user;
    uint64_t count = 0;
    for (size_t k = begin; k < end; k++)
        count += X(is_in_solid)(&args->f, k, args->laid);
    atomic_fetch_add_explicit(&args->in_solid, count, memory_order_relaxed);
}

/* ---- cells */

static void raise_to(_Atomic uint64_t *most, uint64_t value)
{
    uint64_t seen = atomic_load_explicit(most, memory_order_relaxed);
    while (value > seen && !atomic_compare_exchange_weak(most, &seen, value)) {}
}

static void cells_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    stats_args *args = user;
    const X(fields) *f = &args->f;
    uint64_t cells = 0, most = 0, held = 0, interior_most = 0, kinds[SP_INTERIOR_COUNT] = {0};
    for (size_t t = begin; t < end; t++) {
        int cell[DIM];
        FOR_CELLS(&f->grid, f->tiles.liquid[t], c, cell) {
            uint32_t n = f->count[c];
            cells += n > 0;
            most = n > most ? n : most;
            if (!X(is_interior)(f, cell, c))
                continue;
            kinds[X(fullness)(n, (uint32_t)f->rest)]++;
            held += n;
            interior_most = n > interior_most ? n : interior_most;
        }
    }
    atomic_fetch_add_explicit(&args->cells, cells, memory_order_relaxed);
    atomic_fetch_add_explicit(&args->held, held, memory_order_relaxed);
    for (int k = 0; k < SP_INTERIOR_COUNT; k++)
        atomic_fetch_add_explicit(&args->kinds[k], kinds[k], memory_order_relaxed);
    raise_to(&args->most, most);
    raise_to(&args->interior_most, interior_most);
}

static double volume_partial(void *user, size_t begin, size_t end)
{
    const X(fields) *f = &((const stats_args *)user)->f;
    double sum = 0;
    for (size_t t = begin; t < end; t++) {
        int cell[DIM];
        FOR_CELLS(&f->grid, f->tiles.active[t], c, cell)
            sum += X(liquid_share)(f, cell, c);
    }
    return sum;
}

static void count_cells(X(sim) *s, stats_args *args, X(census) *census)
{
    sp_parallel_for(s->common->pool, (size_t)s->tiles.liquid_count, 4, cells_range, args);
    census->cells = args->cells;
    census->most = args->most;
    for (int k = 0; k < SP_INTERIOR_COUNT; k++)
        census->kinds[k] = args->kinds[k];
    census->held = args->held;
    census->interior_most = args->interior_most;
}

void X(stats)(X(sim) *s, spate_stats *stats)
{
    size_t count = s->particles.count;
    const X(device) *cpu = s->host;
    X(census) census = {0};
    cpu->plan(s, false)->stage[SP_STAGE_SORT](s, 0, NULL);
    stats_args args = {.f = X(fields_of)(s), .gravity = s->common->gravity};
    count_cells(s, &args, &census);
    if (X(has_level_set)(s)) {
        if (s->solids_changed)
            X(lay_solids)(s);
        cpu->update_level_set(s);
        args.f = X(fields_of)(s);
        census.volume = X(sum)(s, (size_t)s->tiles.active_count, 1, volume_partial, &args);
    }
    census.max_speed = cpu->max_speed(s);
    for (args.axis = 0; args.axis < DIM; args.axis++)
        census.momentum[args.axis] = X(sum)(s, count, 4096, momentum_partial, &args);
    census.squares = X(sum)(s, count, 4096, square_partial, &args);
    census.heights = X(sum)(s, count, 4096, height_partial, &args);
    X(measure_spacing)(s, &census);
    args.laid = !s->solids_changed;
    if (s->solids.live > 0)
        sp_parallel_pass(s->common->pool, count, 4096, in_solid_range, &args);
    census.in_solid = args.in_solid;
    census.flying = count - s->tiles.first_flying;
    X(fill_stats)(s, &census, stats);
}
