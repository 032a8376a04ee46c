/* spacing.cu -- distances between particles (cpu/spacing.c), for statistics. Counts and smallest
 * values are integers, which come out the same in any order. */
#include "kernels/census.h"
#include "launch.h"

typedef struct census_args {
    X(fields) f;
    DEV(gpu_census) * census;
    X(spacing_limits) limits;
} census_args;

/* The smallest value so far: bits of floats that are not negative order as these do. The counter
 * holds them reversed, so that 0 is more than any. */
GPU_FN void note_least(uint32_t *place, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = ~bits;
    GPU_RAISE32(place, bits);
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

static double distance_of(uint32_t reversed, float most)
{
    uint32_t bits = ~reversed;
    float square = most;
    if (reversed != 0)
        memcpy(&square, &bits, sizeof square);
    return __builtin_sqrt((double)square);
}

DEV(gpu_census) DEV(gpu_measure_spacing)(X(gpu) *g, const X(spacing_limits) *limits)
{
    census_args args;
    DEV(gpu_census) census;
    memset(&census, 0, sizeof census);
    memset(&args, 0, sizeof args);
    args.f = g->f;
    args.census = g->census;
    args.limits = *limits;
    DEV(gpu_set)(g, g->census, 0, sizeof *g->census);
    find_close(g, args, g->f.tiles.first_flying);
    sample_distances(g, args, limits->looked_at);
    DEV(gpu_download)(g, &census, g->census, sizeof census);
    census.nearest_close = distance_of(census.close, limits->close);
    census.nearest_usual = distance_of(census.usual, 1.0f);
    return census;
}
