/* spacing.c -- how far particles are from each other.
 *
 * The smallest distance is looked for tile by tile: pairs inside cells first, then only those
 * neighbouring cells that are closer to a particle than the best so far, which are few. Overlaps,
 * pairs closer than half the separation distance, need a real search; as a share of all particles
 * they are known well enough from some tiles. Pairs across periodic sides are not looked for. */
#include "device/device.h"

#include <math.h>

#define SAMPLE 64 /* tiles, at least, in which overlaps are counted */

typedef struct spacing_args {
    X(sim) *s;
    int every;   /* overlaps: which liquid tiles */
    float limit; /* overlaps: square of the distance, cells */
    _Atomic uint64_t seen, found;
} spacing_args;

static inline float square_distance(const X(particles) *p, uint32_t a, uint32_t b)
{
    float sum = 0.0f;
    FOR_DIM(d)
        sum += (p->x[d][a] - p->x[d][b]) * (p->x[d][a] - p->x[d][b]);
    return sum;
}

/* The smallest squared distance from particle a to those of the cells around c that come after its
 * own, or `best`. */
static float nearest_around(const X(sim) *s, uint32_t a, const int c[DIM], size_t index, float best)
{
    const X(particles) *p = &s->particles;
    for (int k = (DIM == 3 ? 14 : 5); k < (DIM == 3 ? 27 : 9); k++) {
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

/* Returns 1 - the smallest distance, so that the largest partial is the smallest distance; nothing
 * beyond one cell. */
static double nearest_partial(void *user, size_t begin, size_t end)
{
    const X(sim) *s = ((spacing_args *)user)->s;
    const X(particles) *p = &s->particles;
    float best = 1.0f;
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
                        best = nearest_around(s, a, c, index, best);
            }
        }
    return 1.0 - sqrt((double)best);
}

/* ---- overlaps */

static bool overlaps(const X(sim) *s, uint32_t a, const int c[DIM], size_t index, float limit)
{
    const X(particles) *p = &s->particles;
    for (int k = 0; k < (DIM == 3 ? 27 : 9); k++) {
        int offset[3] = {k % 3 - 1, k / 3 % 3 - 1, DIM == 3 ? k / 9 - 1 : 0};
        ptrdiff_t near = (ptrdiff_t)index;
        float gap = 0.0f;
        FOR_DIM(d) {
            float f = p->x[d][a] - (float)c[d];
            float way = offset[d] < 0 ? f : offset[d] > 0 ? 1.0f - f : 0.0f;
            gap += way * way;
            near += offset[d] * (ptrdiff_t)s->grid.stride[d];
        }
        for (uint32_t b = s->first[near]; gap < limit && b < s->first[near] + s->count[near]; b++)
            if (b != a && square_distance(p, a, b) < limit)
                return true;
    }
    return false;
}

static void overlap_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    spacing_args *args = user;
    const X(sim) *s = args->s;
    uint64_t seen = 0, found = 0;
    for (size_t t = begin; t < end; t++) {
        int first[DIM], c[DIM];
        X(tile_cell)(&s->grid, s->tiles.liquid[t * (size_t)args->every], first);
        size_t base = X(index)(&s->grid, first);
        for (int cell = 0; cell < TILE_CELLS; cell++) {
            size_t index = base + X(row_offset)(&s->grid, cell / TILE) + (size_t)(cell % TILE);
            X(row_cell)(first, cell / TILE, c);
            c[0] += cell % TILE;
            for (uint32_t a = s->first[index]; a < s->first[index] + s->count[index]; a++)
                found += overlaps(s, a, c, index, args->limit);
            seen += s->count[index];
        }
    }
    atomic_fetch_add_explicit(&args->seen, seen, memory_order_relaxed);
    atomic_fetch_add_explicit(&args->found, found, memory_order_relaxed);
}

X(spacing) X(measure_spacing)(X(sim) *s)
{
    const spate_scene *scene = s->common->scene;
    double half = 0.5 * scene->volume.separation / scene->liquid.particles_per_axis;
    size_t tiles = (size_t)s->tiles.liquid_count;
    spacing_args args = {.s = s, .limit = (float)(half * half)};
    args.every = tiles / SAMPLE > 1 ? (int)(tiles / SAMPLE) : 1;
    X(spacing) spacing = {1, 0};
    if (tiles == 0)
        return spacing;
    spacing.nearest = 1 - X(maximum)(s, tiles, 1, nearest_partial, &args);
    sp_parallel_for(s->common->pool, (tiles + (size_t)args.every - 1) / (size_t)args.every, 1,
                    overlap_range, &args);
    spacing.overlaps = args.seen > 0 ? (double)args.found / (double)args.seen : 0;
    return spacing;
}
