/* stats.cu -- the numbers of a frame on the device (cpu/stats.c, cpu/spacing.c): cells and their
 * particles, volume, distances between particles, particles in solids. Counts and smallest values
 * are integers, which come out the same in any order; sums go tile by tile. One cell and one
 * particle are in kernels/census.h. */
#include "kernels/census.h"
#include "launch.h"

typedef struct census_args {
    X(fields) f;
    DEV(gpu_census) * census;
    double *partials;
    X(spacing_limits) limits;
} census_args;

/* ---- cells */

typedef struct cell_shared {
    uint32_t count, held, kinds[SP_INTERIOR_COUNT], most, interior_most;
} cell_shared;

#define CELL_THREADS 128

BLOCKS(count_cells, census_args, cell_shared, CELL_THREADS)
{
    FOR_THREADS(t, 1)
        memset(shared, 0, sizeof *shared);
    BARRIER();
    FOR_THREADS(t, TILE_CELLS) {
        int cell[DIM];
        size_t c = X(tile_place)(&a->f.grid, a->f.tiles.liquid[block], t, cell);
        uint32_t n = a->f.count[c];
        if (n > 0)
            GPU_ADD32(&shared->count, 1u);
        GPU_MAX32(&shared->most, n);
        if (X(is_interior)(&a->f, cell, c)) {
            GPU_ADD32(&shared->kinds[X(fullness)(n, (uint32_t)a->f.rest)], 1u);
            GPU_ADD32(&shared->held, n);
            GPU_MAX32(&shared->interior_most, n);
        }
    }
    BARRIER();
    FOR_THREADS(t, 1) {
        GPU_ADD64(&a->census->cells, shared->count);
        GPU_ADD64(&a->census->held, shared->held);
        for (int k = 0; k < SP_INTERIOR_COUNT; k++)
            GPU_ADD64(&a->census->kinds[k], shared->kinds[k]);
        GPU_MAX32(&a->census->most, shared->most);
        GPU_MAX32(&a->census->interior_most, shared->interior_most);
    }
}

typedef struct volume_shared {
    double part[CELL_THREADS];
} volume_shared;

BLOCKS(sum_volume, census_args, volume_shared, CELL_THREADS)
{
    const X(fields) *f = &a->f;
    FOR_THREADS(t, CELL_THREADS) {
        double sum = 0;
        for (int k = t; k < TILE_CELLS; k += CELL_THREADS) {
            int cell[DIM];
            size_t c = X(tile_place)(&f->grid, f->tiles.active[block], k, cell);
            sum += X(liquid_share)(f, cell, c);
        }
        shared->part[t] = sum;
    }
    X(sum_values)(shared->part, CELL_THREADS, &a->partials[block]);
}

/* ---- particles */

/* The smallest value so far: bits of floats that are not negative order as these do. The counter
 * holds them reversed, so that 0 is more than any. */
GPU_FN void note_least(uint32_t *place, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = ~bits;
    if (bits > *place)
        GPU_MAX32(place, bits);
}

/* Pairs that are closer than `close`, each once. */
MAP(find_close, census_args)
{
    const X(fields) *f = &a->f;
    uint32_t k = (uint32_t)i;
    int c[DIM];
    X(cell_of)(f, k, c);
    size_t index = X(index)(&f->grid, c);
    float best = X(nearest_inside)(f, k, f->first[index] + f->count[index], a->limits.close);
    best = X(nearest_beyond)(f, k, c, best);
    if (best < a->limits.close)
        note_least(&a->census->close, best);
}

MAP(sample_distances, census_args)
{
    float square = X(nearest_to)(&a->f, (uint32_t)(i * a->limits.every));
    note_least(&a->census->usual, square);
    if (square < a->limits.half)
        GPU_ADD64(&a->census->overlaps, 1);
}

MAP(find_in_solid, census_args)
{
    if (X(is_in_solid)(&a->f, i, true))
        GPU_ADD64(&a->census->in_solid, 1);
}

static double distance_of(uint32_t reversed, float most)
{
    uint32_t bits = ~reversed;
    float square = most;
    if (reversed != 0)
        memcpy(&square, &bits, sizeof square);
    return __builtin_sqrt((double)square);
}

DEV(gpu_census) DEV(gpu_take_census)(X(gpu) *g, const X(spacing_limits) *limits)
{
    size_t count = g->f.particles.count;
    census_args args;
    DEV(gpu_census) census;
    memset(&census, 0, sizeof census);
    memset(&args, 0, sizeof args);
    args.f = g->f;
    args.census = g->census;
    args.partials = g->partials;
    args.limits = *limits;
    DEV(gpu_set)(g, g->census, 0, sizeof *g->census);
    count_cells(g, args, (size_t)g->f.tiles.liquid_count);
    find_close(g, args, g->f.tiles.first_flying);
    sample_distances(g, args, limits->looked_at);
    if (g->f.has_solids)
        find_in_solid(g, args, count);
    DEV(gpu_download)(g, &census, g->census, sizeof census);
    census.nearest_close = distance_of(census.close, limits->close);
    census.nearest_usual = distance_of(census.usual, 1.0f);
    if (g->f.ghost) {
        DEV(gpu_update_level_set)(g);
        sum_volume(g, args, (size_t)g->f.tiles.active_count);
        census.volume = DEV(gpu_sum)(g, (size_t)g->f.tiles.active_count);
    }
    return census;
}
