/* stats.c -- what a frame looks like in numbers. All sums are fp64, in fixed order. */
#include "cpu.h"

#include "kernels/census.h"
#include "kernels/momentum.h"

#include <math.h>
#include <stdatomic.h>

typedef struct stats_args {
    X(sim) *s;
    int axis;
    uint32_t full; /* particles of a cell at rest */
    _Atomic uint64_t count, most;
    _Atomic uint64_t kinds[SPATE_INTERIOR_COUNT], held, interior_most; /* of interior cells */
} stats_args;

static double momentum_partial(void *user, size_t begin, size_t end)
{
    const stats_args *args = user;
    const float *v = args->s->particles.v[args->axis];
    double sum = 0;
    for (size_t k = begin; k < end; k++)
        sum += v[k];
    return sum;
}

static double square_partial(void *user, size_t begin, size_t end)
{
    X(fields) f = X(fields_of)(((const stats_args *)user)->s);
    double sum = 0;
    for (size_t k = begin; k < end; k++)
        sum = X(add_square)(&f, k, sum);
    return sum;
}

static double height_partial(void *user, size_t begin, size_t end)
{
    const X(sim) *s = ((const stats_args *)user)->s;
    X(fields) f = X(fields_of)(s);
    double sum = 0;
    for (size_t k = begin; k < end; k++)
        sum = X(add_height)(&f, s->common->gravity, k, sum);
    return sum;
}

/* Particles inside a solid, by the exact shapes; tolerance 1e-4 dx. */
static void in_solid_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    stats_args *args = user;
    const X(sim) *s = args->s;
    for (size_t k = begin; k < end; k++) {
        int c[DIM];
        double x[3] = {0, 0, 0};
        FOR_DIM(d) {
            c[d] = (int)s->particles.x[d][k];
            x[d] = (double)s->particles.x[d][k] * s->grid.dx;
        }
        if (s->phi_solid[X(index)(&s->grid, c)] > 2.0f * s->grid.dx && !s->solids_changed)
            continue;
        if (sp_solids_distance(&s->solids, x, NULL, NULL) < -1e-4 * s->grid.dx)
            atomic_fetch_add_explicit(&args->count, 1, memory_order_relaxed);
    }
}

/* Whether the cells of row r of a tile are interior: all cells around them hold particles, and none
 * of those is outside of the domain or at a solid. */
static void find_interior(const X(sim) *s, const int first[DIM], int r, bool interior[TILE])
{
    const X(grid) *g = &s->grid;
    int c[DIM];
    X(row_cell)(first, r, c);
    size_t row = X(index)(g, c);
    bool inside = true;
    for (int d = 1; d < DIM; d++)
        inside = inside && c[d] >= 1 && c[d] < g->n[d] - 1;
    for (int i = 0; i < TILE; i++)
        interior[i] = inside && c[0] + i >= 1 && c[0] + i < g->n[0] - 1;
    for (int k = 0; k < (DIM == 3 ? 27 : 9) && inside; k++) {
        ptrdiff_t offset = k % 3 - 1 + (k / 3 % 3 - 1) * (ptrdiff_t)g->stride[1] +
                           (DIM == 3 ? k / 9 - 1 : 0) * (ptrdiff_t)g->stride[2];
        for (int i = 0; i < TILE && offset != 0; i++)
            interior[i] = interior[i] & (s->count[(ptrdiff_t)row + offset + i] > 0);
    }
    for (int i = 0; i < TILE && s->solids.live > 0; i++)
        interior[i] = interior[i] && s->phi_solid[row + (size_t)i] > 2.0f * (float)g->dx;
}

static void raise_to(_Atomic uint64_t *most, uint64_t value)
{
    uint64_t seen = atomic_load_explicit(most, memory_order_relaxed);
    while (value > seen && !atomic_compare_exchange_weak(most, &seen, value)) {}
}

static void cells_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    stats_args *args = user;
    const X(sim) *s = args->s;
    uint64_t count = 0, most = 0, held = 0, interior_most = 0, kinds[SPATE_INTERIOR_COUNT] = {0};
    for (size_t t = begin; t < end; t++) {
        int first[DIM];
        bool interior[TILE];
        X(tile_cell)(&s->grid, s->tiles.liquid[t], first);
        size_t base = X(index)(&s->grid, first);
        for (int r = 0; r < TILE_ROWS; r++) {
            find_interior(s, first, r, interior);
            for (int i = 0; i < TILE; i++) {
                uint32_t n = s->count[base + X(row_offset)(&s->grid, r) + (size_t)i];
                count += n > 0;
                most = n > most ? n : most;
                if (!interior[i])
                    continue;
                kinds[X(fullness)(n, args->full)]++;
                held += n;
                interior_most = n > interior_most ? n : interior_most;
            }
        }
    }
    atomic_fetch_add_explicit(&args->count, count, memory_order_relaxed);
    atomic_fetch_add_explicit(&args->held, held, memory_order_relaxed);
    for (int k = 0; k < SPATE_INTERIOR_COUNT; k++)
        atomic_fetch_add_explicit(&args->kinds[k], kinds[k], memory_order_relaxed);
    raise_to(&args->most, most);
    raise_to(&args->interior_most, interior_most);
}

/* Volume inside the level set, in cells. */
static double volume_partial(void *user, size_t begin, size_t end)
{
    const X(sim) *s = ((stats_args *)user)->s;
    const float *phi_solid = s->solids.live > 0 ? s->phi_solid : NULL;
    double sum = 0;
    for (size_t t = begin; t < end; t++) {
        int first[DIM], c[DIM];
        X(tile_cell)(&s->grid, s->tiles.active[t], first);
        size_t base = X(index)(&s->grid, first);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                size_t index = base + X(row_offset)(&s->grid, r) + (size_t)i;
                X(row_cell)(first, r, c);
                c[0] += i;
                if (X(inside)(&s->grid, c))
                    sum += X(liquid_share)(&s->grid, s->phi, phi_solid, index);
            }
    }
    return sum;
}

static void count_cells(X(sim) *s, stats_args *args, spate_stats *stats)
{
    args->full = 1;
    FOR_DIM(d)
        args->full *= (uint32_t)s->common->scene->fluid.particles_per_axis;
    sp_parallel_for(s->common->pool, (size_t)s->tiles.liquid_count, 4, cells_range, args);
    stats->liquid_cells = args->count;
    stats->ppc_mean = args->count ? (double)s->particles.count / (double)args->count : 0;
    stats->ppc_max = args->most;
    uint64_t interior = 0;
    for (int k = 0; k < SPATE_INTERIOR_COUNT; k++)
        interior += stats->interior[k] = args->kinds[k];
    stats->interior_mean = interior ? (double)args->held / (double)interior : 0;
    stats->interior_max = args->interior_most;
}

void X(stats)(X(sim) *s, spate_stats *stats)
{
    sp_common *common = s->common;
    sp_pool *pool = common->pool;
    const spate_scene *scene = common->scene;
    size_t count = s->particles.count;
    double cell = pow(s->grid.dx, DIM), volume = cell / pow(scene->fluid.particles_per_axis, DIM);
    double mass = volume * scene->fluid.density;
    stats_args args = {.s = s};
    const X(device) *cpu = s->host;
    cpu->plan(s, false)->stage[SPATE_STAGE_SORT](s, 0, NULL);
    stats->particles = count;
    count_cells(s, &args, stats);
    stats->volume = (double)args.count * cell;
    if (X(has_level_set)(s)) {
        if (s->solids_changed)
            X(lay_solids)(s);
        cpu->update_level_set(s);
        stats->volume = X(sum)(s, (size_t)s->tiles.active_count, 1, volume_partial, &args) * cell;
    }
    stats->volume_particles = (double)count * volume;
    stats->max_speed = cpu->max_speed(s);
    for (args.axis = 0; args.axis < DIM; args.axis++)
        stats->momentum[args.axis] = mass * X(sum)(s, count, 4096, momentum_partial, &args);
    stats->kinetic_energy = 0.5 * mass * X(sum)(s, count, 4096, square_partial, &args);
    stats->potential_energy = mass * X(sum)(s, count, 4096, height_partial, &args);
    X(spacing) spacing = X(measure_spacing)(s);
    stats->min_distance = spacing.nearest * s->grid.dx;
    stats->overlaps = spacing.overlaps;
    atomic_store(&args.count, 0);
    if (s->solids.live > 0)
        sp_parallel_for(pool, count, 4096, in_solid_range, &args);
    stats->in_solid = args.count;
}
