/* spacing.c -- how far particles are from each other.
 *
 * A close pair must not be missed: pairs closer than CLOSE of the spacing at rest are looked for
 * everywhere, first inside cells, then in those neighbouring cells that are closer to a particle
 * than the best so far, which are few. How far particles usually are from their nearest neighbour
 * is known well enough from some thousand of them: the share that overlaps, closer than half the
 * separation distance, and the smallest distance where there is no close pair. So the cost stays
 * small beside a step, however well the particles are spread. Pairs across periodic sides are not
 * looked for, nor those of particles in free flight. */
#include "cpu.h"
#include "kernels/census.h"

#include <math.h>

typedef struct spacing_args {
    X(fields) f;
    X(spacing_limits) limits;
    _Atomic uint64_t overlaps;
} spacing_args;

/* Returns 1 - the smallest distance, so that the largest partial is the smallest distance; at most
 * that of close pairs. */
static double close_partial(void *user, size_t begin, size_t end)
{
    const spacing_args *args = user;
    const X(fields) *f = &args->f;
    float best = args->limits.close;
    for (size_t t = begin; t < end; t++) {
        int cell[DIM], tile = f->tiles.liquid[t];
        FOR_INDICES(&f->grid, tile, c)
            for (uint32_t a = f->first[c], last = a + f->count[c]; a < last; a++)
                best = X(nearest_inside)(f, a, last, best);
        FOR_CELLS(&f->grid, tile, c, cell)
            for (uint32_t a = f->first[c], last = a + f->count[c]; a < last; a++)
                best = X(nearest_beyond)(f, a, cell, best);
    }
    return 1.0 - sqrt((double)best);
}

/* As close_partial, over every so many particles; counts those that overlap. */
static double sample_partial(void *user, size_t begin, size_t end)
{
    spacing_args *args = user;
    float best = 1.0f;
    uint64_t overlaps = 0;
    for (size_t k = begin; k < end; k++) {
        float square = X(nearest_to)(&args->f, (uint32_t)(k * args->limits.every));
        best = square < best ? square : best;
        overlaps += square < args->limits.half;
    }
    atomic_fetch_add_explicit(&args->overlaps, overlaps, memory_order_relaxed);
    return 1.0 - sqrt((double)best);
}

void X(measure_spacing)(X(sim) *s, X(census) *census)
{
    size_t tiles = (size_t)s->tiles.liquid_count;
    spacing_args args = {.f = X(fields_of)(s),
                         .limits = X(limits_of_spacing)(s->common->scene, s->tiles.first_flying)};
    census->close = 1 - X(maximum)(s, tiles, 1, close_partial, &args);
    census->usual = 1 - X(maximum)(s, args.limits.looked_at, 64, sample_partial, &args);
    census->overlaps = args.overlaps;
}
