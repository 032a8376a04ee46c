/* spacing.c -- how far particles are from each other.
 *
 * A close pair must not be missed: pairs closer than CLOSE of the spacing at rest are looked for
 * everywhere, first inside cells, then in those neighbouring cells that are closer to a particle
 * than the best so far, which are few. How far particles usually are from their nearest neighbour
 * is known well enough from some thousand of them: the share that overlaps, closer than half the
 * separation distance, and the smallest distance where there is no close pair. So the cost stays
 * small beside a step, however well the particles are spread. Pairs across periodic sides are not
 * looked for. */
#include "cpu.h"
#include "kernels/census.h"

#include <math.h>

typedef struct spacing_args {
    X(sim) *s;
    X(crowd) crowd;
    float close; /* square of the distance of close pairs, cells */
    float half;  /* square of the distance of overlaps, cells */
    size_t every;
    _Atomic uint64_t overlaps;
} spacing_args;

static float nearest_inside(const X(crowd) *p, uint32_t first, uint32_t end, float best)
{
    for (uint32_t a = first; a < end; a++)
        for (uint32_t b = a + 1; b < end; b++) {
            float square = X(square_distance)(p, a, b);
            best = square < best ? square : best;
        }
    return best;
}

/* Returns 1 - the smallest distance, so that the largest partial is the smallest distance; at most
 * that of close pairs. */
static double close_partial(void *user, size_t begin, size_t end)
{
    const spacing_args *args = user;
    const X(sim) *s = args->s;
    const X(crowd) *p = &args->crowd;
    float best = args->close;
    for (size_t t = begin; t < end; t++)
        for (int pass = 0; pass < 2; pass++) {
            int first[DIM], c[DIM];
            X(tile_cell)(&s->grid, s->tiles.liquid[t], first);
            size_t base = X(index)(&s->grid, first);
            for (int cell = 0; cell < TILE_CELLS; cell++) {
                size_t index = base + X(row_offset)(&s->grid, cell / TILE) + (size_t)(cell % TILE);
                uint32_t from = s->first[index], to = from + s->count[index];
                if (pass == 0) {
                    best = nearest_inside(p, from, to, best);
                    continue;
                }
                X(row_cell)(first, cell / TILE, c);
                c[0] += cell % TILE;
                for (uint32_t a = from; a < to; a++)
                    if (X(is_near_face)(p, a, c, best))
                        best = X(nearest_around)(p, a, c, best, DIM == 3 ? 14 : 5,
                                                 DIM == 3 ? 27 : 9); /* each pair once */
            }
        }
    return 1.0 - sqrt((double)best);
}

/* ---- some particles */

/* As close_partial, over every so many particles; counts those that overlap. */
static double sample_partial(void *user, size_t begin, size_t end)
{
    spacing_args *args = user;
    float best = 1.0f;
    uint64_t overlaps = 0;
    for (size_t k = begin; k < end; k++) {
        float square = X(nearest_to)(&args->crowd, (uint32_t)(k * args->every));
        best = square < best ? square : best;
        overlaps += square < args->half;
    }
    atomic_fetch_add_explicit(&args->overlaps, overlaps, memory_order_relaxed);
    return 1.0 - sqrt((double)best);
}

X(spacing) X(measure_spacing)(X(sim) *s)
{
    const spate_scene *scene = s->common->scene;
    size_t count = s->particles.count;
    X(spacing_limits) limits = X(limits_of_spacing)(scene, count);
    spacing_args args = {.s = s,
                         .crowd = {.grid = &s->grid, .first = s->first, .count = s->count},
                         .close = limits.close,
                         .half = limits.half,
                         .every = limits.every};
    FOR_DIM(d)
        args.crowd.x[d] = s->particles.x[d];
    if (count == 0)
        return (X(spacing)){1, 0};
    double close = 1 - X(maximum)(s, (size_t)s->tiles.liquid_count, 1, close_partial, &args);
    double usual = 1 - X(maximum)(s, limits.looked_at, 64, sample_partial, &args);
    return X(spacing_of)(scene, &limits, close, usual, args.overlaps);
}
