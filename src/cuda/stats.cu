/* stats.cu -- the numbers of a frame on the device (cpu/stats.c, cpu/spacing.c): cells and their
 * particles, volume, distances between particles, particles in solids. Counts and smallest values
 * are integers, which come out the same in any order; sums go tile by tile. */
#include "kernels/census.h"
#include "launch.h"

typedef struct census_args {
    X(fields) f;
    DEV(gpu_census) * census;
    double *partials;
    DEV(gpu_question) asked;
} census_args;

GPU_FN X(crowd) crowd_of(const X(fields) *f)
{
    X(crowd) p;
    p.grid = &f->grid;
    p.first = f->first;
    p.count = f->count;
    FOR_DIM(d)
        p.x[d] = f->particles.x[d];
    return p;
}

/* ---- cells */

/* Whether all cells around a cell hold particles, and none of those is outside of the domain or at
 * a solid. */
GPU_FN bool is_interior(const X(fields) *f, const int cell[DIM], size_t c)
{
    const X(grid) *g = &f->grid;
    bool inside = true;
    FOR_DIM(d)
        inside = inside && cell[d] >= 1 && cell[d] < g->n[d] - 1;
    if (!inside || (f->has_solids && !(f->phi_solid[c] > 2.0f * (float)g->dx)))
        return false;
    for (int k = 0; k < (DIM == 3 ? 27 : 9); k++) {
        ptrdiff_t offset = k % 3 - 1 + (k / 3 % 3 - 1) * (ptrdiff_t)g->stride[1] +
                           (DIM == 3 ? k / 9 - 1 : 0) * (ptrdiff_t)g->stride[2];
        if (offset != 0 && f->count[(size_t)((ptrdiff_t)c + offset)] == 0)
            return false;
    }
    return true;
}

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
        if (is_interior(&a->f, cell, c)) {
            GPU_ADD32(&shared->kinds[X(fullness)(n, a->asked.full)], 1u);
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
    const float *phi_solid = f->has_solids ? f->phi_solid : NULL;
    FOR_THREADS(t, CELL_THREADS) {
        double sum = 0;
        for (int k = t; k < TILE_CELLS; k += CELL_THREADS) {
            int cell[DIM];
            size_t c = X(tile_place)(&f->grid, f->tiles.active[block], k, cell);
            if (X(inside)(&f->grid, cell))
                sum += X(liquid_share)(&f->grid, f->phi, phi_solid, c);
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
    X(crowd) p = crowd_of(&a->f);
    uint32_t k = (uint32_t)i;
    int c[DIM];
    float best = a->asked.close;
    X(cell_of)(&p, k, c);
    size_t index = X(index)(&a->f.grid, c);
    for (uint32_t b = k + 1; b < a->f.first[index] + a->f.count[index]; b++) {
        float square = X(square_distance)(&p, k, b);
        best = square < best ? square : best;
    }
    if (X(is_near_face)(&p, k, c, best))
        best = X(nearest_around)(&p, k, c, best, DIM == 3 ? 14 : 5, DIM == 3 ? 27 : 9);
    if (best < a->asked.close)
        note_least(&a->census->close, best);
}

MAP(sample_distances, census_args)
{
    X(crowd) p = crowd_of(&a->f);
    float square = X(nearest_to)(&p, (uint32_t)(i * a->asked.every));
    note_least(&a->census->usual, square);
    if (square < a->asked.half)
        GPU_ADD64(&a->census->overlaps, 1);
}

/* By the exact shapes, as in cpu/stats.c. */
MAP(find_in_solid, census_args)
{
    const X(fields) *f = &a->f;
    int c[DIM];
    double x[3] = {0, 0, 0};
    FOR_DIM(d) {
        c[d] = (int)f->particles.x[d][i];
        x[d] = (double)f->particles.x[d][i] * f->grid.dx;
    }
    if (f->phi_solid[X(index)(&f->grid, c)] > 2.0f * f->grid.dx)
        return;
    if (sp_bodies_distance(&f->solids, x, NULL, NULL) < -1e-4 * f->grid.dx)
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

DEV(gpu_census) DEV(gpu_take_census)(X(gpu) *g, const DEV(gpu_question) * question)
{
    size_t count = g->f.particles.count;
    census_args args;
    DEV(gpu_census) census;
    memset(&census, 0, sizeof census);
    memset(&args, 0, sizeof args);
    args.f = g->f;
    args.census = g->census;
    args.partials = g->partials;
    args.asked = *question;
    DEV(gpu_set)(g, g->census, 0, sizeof *g->census);
    count_cells(g, args, (size_t)g->f.tiles.liquid_count);
    find_close(g, args, count);
    sample_distances(g, args, count > 0 ? question->looked_at : 0);
    if (g->f.has_solids)
        find_in_solid(g, args, count);
    DEV(gpu_download)(g, &census, g->census, sizeof census);
    census.nearest_close = distance_of(census.close, question->close);
    census.nearest_usual = distance_of(census.usual, 1.0f);
    if (g->f.ghost) {
        DEV(gpu_update_level_set)(g);
        sum_volume(g, args, (size_t)g->f.tiles.active_count);
        census.volume = DEV(gpu_sum)(g, (size_t)g->f.tiles.active_count);
    }
    return census;
}
