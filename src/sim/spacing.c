/* spacing.c -- how far particles are from each other.
 *
 * A close pair must not be missed: pairs closer than CLOSE of the spacing at rest are looked for
 * everywhere, first inside cells, then in those neighbouring cells that are closer to a particle
 * than the best so far, which are few. How far particles usually are from their nearest neighbour
 * is known well enough from some thousand of them: the share that overlaps, closer than half the
 * separation distance, and the smallest distance where there is no close pair. So the cost stays
 * small beside a step, however well the particles are spread. Pairs across periodic sides are not
 * looked for. */
#include "device/device.h"

#include <math.h>

#define CLOSE 0.1
#define SAMPLE 4096 /* particles, at least, whose nearest neighbour is looked for */

typedef struct spacing_args {
    X(sim) *s;
    float close; /* square of the distance of close pairs, cells */
    float half;  /* square of the distance of overlaps, cells */
    size_t every;
    _Atomic uint64_t overlaps;
} spacing_args;

static inline float square_distance(const X(particles) *p, uint32_t a, uint32_t b)
{
    float sum = 0.0f;
    FOR_DIM(d)
        sum += (p->x[d][a] - p->x[d][b]) * (p->x[d][a] - p->x[d][b]);
    return sum;
}

/* The smallest squared distance from particle a to those of the cells number `from` to `to` of the
 * 3 x 3 (x 3) around c, or `best`. */
static float nearest_around(const X(sim) *s, uint32_t a, const int c[DIM], size_t index, float best,
                            int from, int to)
{
    const X(particles) *p = &s->particles;
    for (int k = from; k < to; k++) {
        int offset[3] = {k % 3 - 1, k / 3 % 3 - 1, DIM == 3 ? k / 9 - 1 : 0};
        ptrdiff_t near = (ptrdiff_t)index;
        float gap = 0.0f;
        FOR_DIM(d) {
            float f = p->x[d][a] - (float)c[d];
            float way = offset[d] < 0 ? f : offset[d] > 0 ? 1.0f - f : 0.0f;
            gap += way * way;
            near += offset[d] * (ptrdiff_t)s->grid.stride[d];
        }
        for (uint32_t b = s->first[near]; gap < best && b < s->first[near] + s->count[near]; b++) {
            float square = square_distance(p, a, b);
            best = square < best ? square : best;
        }
    }
    return best;
}

static float nearest_inside(const X(particles) *p, uint32_t first, uint32_t end, float best)
{
    for (uint32_t a = first; a < end; a++)
        for (uint32_t b = a + 1; b < end; b++) {
            float square = square_distance(p, a, b);
            best = square < best ? square : best;
        }
    return best;
}

/* Whether particle a is closer to a face of its cell than the root of `square`. */
static inline bool near_face(const X(particles) *p, uint32_t a, const int c[DIM], float square)
{
    float least = 1.0f;
    FOR_DIM(d) {
        float f = p->x[d][a] - (float)c[d], gap = f < 0.5f ? f : 1.0f - f;
        least = gap < least ? gap : least;
    }
    return least < 0.0f || least * least < square;
}

/* Returns 1 - the smallest distance, so that the largest partial is the smallest distance; at most
 * that of close pairs. */
static double close_partial(void *user, size_t begin, size_t end)
{
    const spacing_args *args = user;
    const X(sim) *s = args->s;
    const X(particles) *p = &s->particles;
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
                    if (near_face(p, a, c, best))
                        best = nearest_around(s, a, c, index, best, DIM == 3 ? 14 : 5,
                                              DIM == 3 ? 27 : 9); /* each pair once */
            }
        }
    return 1.0 - sqrt((double)best);
}

/* ---- some particles */

/* The square of the distance from particle a to its nearest neighbour, at most 1. */
static float nearest_to(const X(sim) *s, uint32_t a)
{
    const X(particles) *p = &s->particles;
    int c[DIM];
    float best = 1.0f;
    FOR_DIM(d) {
        c[d] = (int)p->x[d][a];
        c[d] = c[d] < s->grid.n[d] ? c[d] : s->grid.n[d] - 1;
    }
    size_t index = X(index)(&s->grid, c);
    for (uint32_t b = s->first[index]; b < s->first[index] + s->count[index]; b++) {
        float square = b == a ? 1.0f : square_distance(p, a, b);
        best = square < best ? square : best;
    }
    best = nearest_around(s, a, c, index, best, 0, DIM == 3 ? 13 : 4);
    return nearest_around(s, a, c, index, best, DIM == 3 ? 14 : 5, DIM == 3 ? 27 : 9);
}

/* As close_partial, over every so many particles; counts those that overlap. */
static double sample_partial(void *user, size_t begin, size_t end)
{
    spacing_args *args = user;
    float best = 1.0f;
    uint64_t overlaps = 0;
    for (size_t k = begin; k < end; k++) {
        float square = nearest_to(args->s, (uint32_t)(k * args->every));
        best = square < best ? square : best;
        overlaps += square < args->half;
    }
    atomic_fetch_add_explicit(&args->overlaps, overlaps, memory_order_relaxed);
    return 1.0 - sqrt((double)best);
}

X(spacing) X(measure_spacing)(X(sim) *s)
{
    const spate_scene *scene = s->common->scene;
    double n = scene->liquid.particles_per_axis, half = 0.5 * scene->volume.separation / n;
    size_t count = s->particles.count;
    spacing_args args = {.s = s,
                         .close = (float)(CLOSE * CLOSE / (n * n)),
                         .half = (float)(half * half),
                         .every = count / SAMPLE > 1 ? count / SAMPLE : 1};
    size_t looked_at = (count + args.every - 1) / args.every;
    X(spacing) spacing = {1, 0};
    if (count == 0)
        return spacing;
    double close = 1 - X(maximum)(s, (size_t)s->tiles.liquid_count, 1, close_partial, &args);
    double usual = 1 - X(maximum)(s, looked_at, 64, sample_partial, &args);
    bool found = close < 0.9999 * CLOSE / n; /* closer than where the search began */
    spacing.nearest = found && close < usual ? close : usual;
    spacing.overlaps = (double)args.overlaps / (double)looked_at;
    return spacing;
}
