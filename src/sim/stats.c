/* stats.c -- what a frame looks like in numbers. All sums are fp64, in fixed order. */
#include "device/device.h"

#include "kernels/random.h"

#include <math.h>
#include <stdatomic.h>

typedef struct stats_args {
    X(sim) *s;
    int axis;
    _Atomic uint64_t count;
    _Atomic uint64_t most;
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
    const stats_args *args = user;
    double sum = 0;
    for (size_t k = begin; k < end; k++)
        FOR_DIM(d)
            sum += (double)args->s->particles.v[d][k] * args->s->particles.v[d][k];
    return sum;
}

static double height_partial(void *user, size_t begin, size_t end)
{
    const stats_args *args = user;
    const X(sim) *s = args->s;
    double sum = 0;
    for (size_t k = begin; k < end; k++)
        FOR_DIM(d)
            sum -= (double)s->particles.x[d][k] * s->grid.dx * s->common->gravity[d];
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

static void cells_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    stats_args *args = user;
    const X(sim) *s = args->s;
    uint64_t count = 0, most = 0;
    for (size_t t = begin; t < end; t++) {
        size_t base = X(tile_index)(&s->grid, s->tiles.liquid[t]);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                uint32_t n = s->count[base + X(row_offset)(&s->grid, r) + (size_t)i];
                count += n > 0;
                most = n > most ? n : most;
            }
    }
    atomic_fetch_add_explicit(&args->count, count, memory_order_relaxed);
    uint64_t seen = atomic_load_explicit(&args->most, memory_order_relaxed);
    while (most > seen && !atomic_compare_exchange_weak(&args->most, &seen, most)) {}
}

static float square_distance(const X(particles) *p, uint32_t a, uint32_t b)
{
    float sum = 0.0f;
    FOR_DIM(d)
        sum += (p->x[d][a] - p->x[d][b]) * (p->x[d][a] - p->x[d][b]);
    return sum;
}

/* Square of the distance from particle k to the cell that is `offset` cells away from cell c. */
static float gap_to_cell(const X(particles) *p, uint32_t k, const int c[DIM], const int offset[3])
{
    float sum = 0.0f;
    FOR_DIM(d) {
        float low = (float)(c[d] + offset[d]), x = p->x[d][k];
        float gap = x < low ? low - x : x > low + 1.0f ? x - low - 1.0f : 0.0f;
        sum += gap * gap;
    }
    return sum;
}

/* Smallest squared distance (cells) from the particles of a cell to each other and to those of the
 * cells after it; cells that are farther away than the smallest so far are passed over. */
static float cell_nearest(const X(sim) *s, size_t index, const int c[DIM], float best)
{
    const X(particles) *p = &s->particles;
    uint32_t first = s->first[index], last = first + s->count[index];
    for (uint32_t a = first; a < last; a++) {
        for (uint32_t b = a + 1; b < last; b++) {
            float distance = square_distance(p, a, b);
            best = distance < best ? distance : best;
        }
        for (int k = (DIM == 3 ? 14 : 5); k < (DIM == 3 ? 27 : 9); k++) {
            int offset[3] = {k % 3 - 1, k / 3 % 3 - 1, DIM == 3 ? k / 9 - 1 : 0};
            if (gap_to_cell(p, a, c, offset) >= best)
                continue;
            ptrdiff_t near = (ptrdiff_t)index;
            FOR_DIM(d)
                near += offset[d] * (ptrdiff_t)s->grid.stride[d];
            for (uint32_t b = s->first[near]; b < s->first[near] + s->count[near]; b++) {
                float distance = square_distance(p, a, b);
                best = distance < best ? distance : best;
            }
        }
    }
    return best;
}

/* Returns 1 - the smallest distance, so that the largest partial is the smallest distance; nothing
 * beyond one cell. */
static double nearest_partial(void *user, size_t begin, size_t end)
{
    const X(sim) *s = ((stats_args *)user)->s;
    float best = 1.0f;
    for (size_t t = begin; t < end; t++) {
        int first[DIM], c[DIM];
        X(tile_cell)(&s->grid, s->tiles.liquid[t], first);
        size_t base = X(index)(&s->grid, first);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                X(row_cell)(first, r, c);
                c[0] += i;
                best = cell_nearest(s, base + X(row_offset)(&s->grid, r) + (size_t)i, c, best);
            }
    }
    return 1.0 - sqrt((double)best);
}

/* Volume inside the level set, in cells: a cell is filled as far as a flat surface at phi would
 * fill it. */
static double volume_partial(void *user, size_t begin, size_t end)
{
    const X(sim) *s = ((stats_args *)user)->s;
    double sum = 0;
    for (size_t t = begin; t < end; t++) {
        int first[DIM], c[DIM];
        X(tile_cell)(&s->grid, s->tiles.active[t], first);
        size_t base = X(index)(&s->grid, first);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                size_t index = base + X(row_offset)(&s->grid, r) + (size_t)i;
                double fill = 0.5 - s->phi[index] / s->grid.dx;
                X(row_cell)(first, r, c);
                c[0] += i;
                if (fill <= 0 || !X(inside)(&s->grid, c))
                    continue;
                sum +=
                    (fill < 1 ? fill : 1) * (s->solids.live > 0 ? X(cell_share)(s, index) : 1.0f);
            }
    }
    return sum;
}

void X(stats)(X(sim) *s, spate_stats *stats)
{
    sp_common *common = s->common;
    sp_pool *pool = common->pool;
    const spate_scene *scene = common->scene;
    size_t count = s->particles.count;
    double cell = pow(s->grid.dx, DIM), volume = cell / pow(scene->liquid.particles_per_axis, DIM);
    double mass = volume * scene->liquid.density;
    stats_args args = {.s = s};
    X(sort_particles)(s);
    sp_parallel_for(pool, (size_t)s->tiles.liquid_count, 4, cells_range, &args);
    stats->particles = count;
    stats->liquid_cells = args.count;
    stats->ppc_mean = args.count ? (double)count / (double)args.count : 0;
    stats->ppc_max = args.most;
    stats->volume = (double)args.count * cell;
    if (X(has_level_set)(s)) {
        if (s->solids_changed)
            X(lay_solids)(s);
        X(update_level_set)(s);
        stats->volume = X(sum)(s, (size_t)s->tiles.active_count, 1, volume_partial, &args) * cell;
    }
    stats->volume_particles = (double)count * volume;
    stats->max_speed = X(max_speed)(s);
    for (args.axis = 0; args.axis < DIM; args.axis++)
        stats->momentum[args.axis] = mass * X(sum)(s, count, 4096, momentum_partial, &args);
    stats->kinetic_energy = 0.5 * mass * X(sum)(s, count, 4096, square_partial, &args);
    stats->potential_energy = mass * X(sum)(s, count, 4096, height_partial, &args);
    stats->min_distance =
        (1 - X(maximum)(s, (size_t)s->tiles.liquid_count, 1, nearest_partial, &args)) * s->grid.dx;
    atomic_store(&args.count, 0);
    if (s->solids.live > 0)
        sp_parallel_for(pool, count, 4096, in_solid_range, &args);
    stats->in_solid = args.count;
}

typedef struct hash_args {
    void **columns[MAX_COLUMNS];
    int column_count;
    _Atomic uint64_t sum;
} hash_args;

static void hash_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    hash_args *args = user;
    uint64_t sum = 0;
    for (size_t k = begin; k < end; k++) {
        uint64_t hash = 0;
        for (int c = 0; c < args->column_count; c++)
            hash = sp_hash2(hash, ((const X(word) *)*args->columns[c])[k]);
        sum += hash;
    }
    atomic_fetch_add_explicit(&args->sum, sum, memory_order_relaxed);
}

uint64_t X(hash)(X(sim) *s)
{
    hash_args args = {.sum = 0};
    args.column_count = X(particle_columns)(&s->particles, args.columns);
    sp_parallel_for(s->common->pool, s->particles.count, 4096, hash_range, &args);
    return args.sum;
}
