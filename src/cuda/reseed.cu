/* reseed.cu -- reseeding on the device, the last part of EMIT (cpu/reseed.c; one cell is in
 * kernels/reseed.h). New particles are
 * counted cell by cell; sums of the counts number them in the order of the cells, which is that of
 * the host. */
#include "kernels/reseed.h"
#include "launch.h"

typedef struct reseed_args {
    X(fields) f;
    X(reseeding) how;
    DEV(gpu_places) places;
    DEV(gpu_newcomers) what;
    DEV(gpu_counters) * counters;
} reseed_args;

/* Cell i of the liquid tiles. */
GPU_FN size_t liquid_cell(const X(fields) *f, size_t i, int c[DIM])
{
    return X(tile_place)(&f->grid, f->tiles.liquid[i / TILE_CELLS], (int)(i % TILE_CELLS), c);
}

MAP(count_new, reseed_args)
{
    int c[DIM];
    float x[DIM];
    uint32_t number = 0;
    if (i < a->places.count && a->f.count[liquid_cell(&a->f, i, c)] < a->how.least) {
        X(filling) filling = X(fill_begin)(&a->f, &a->how, c);
        while (X(fill_next)(&a->f, &a->how, c, &filling, x))
            number++;
    }
    a->places.flags[i] = number;
}

MAP(put_new, reseed_args)
{
    if (a->places.flags[i] == 0)
        return;
    const X(fields) *f = &a->f;
    int c[DIM];
    float x[DIM];
    size_t k = (size_t)f->particles.count + a->places.before[i];
    uint32_t id = a->what.next_id + a->places.before[i];
    liquid_cell(f, i, c);
    X(filling) filling = X(fill_begin)(f, &a->how, c);
    while (X(fill_next)(f, &a->how, c, &filling, x))
        X(put_reseeded)(f, k++, id++, c, x, a->what.initial);
}

MAP(thin, reseed_args)
{
    int c[DIM];
    uint32_t removed = X(thin_cell)(&a->f, &a->how, liquid_cell(&a->f, i, c));
    if (removed > 0)
        GPU_ADD32(&a->counters->waiting, removed);
}

static reseed_args args_of(X(gpu) *g, const X(reseeding) *how)
{
    reseed_args args;
    memset(&args, 0, sizeof args);
    args.f = g->f;
    args.how = *how;
    args.places = g->places;
    args.counters = g->counters;
    return args;
}

uint32_t DEV(gpu_count_reseeded)(X(gpu) *g, const X(reseeding) *how)
{
    uint32_t count = 0;
    count_new(g, args_of(g, how), g->places.count + 1);
    DEV(gpu_scan)(g, g->places.flags, g->places.before, g->places.count + 1);
    DEV(gpu_download)(g, &count, g->places.before + g->places.count, sizeof count);
    return count;
}

void DEV(gpu_put_reseeded)(X(gpu) *g, const X(reseeding) *how, const DEV(gpu_newcomers) * what)
{
    reseed_args args = args_of(g, how);
    args.what = *what;
    put_new(g, args, g->places.count);
    g->f.particles.count += what->count;
    g->speed_known = false;
}

uint32_t DEV(gpu_thin)(X(gpu) *g, const X(reseeding) *how)
{
    uint32_t removed = 0;
    DEV(gpu_set)(g, &g->counters->waiting, 0, sizeof removed);
    thin(g, args_of(g, how), (size_t)g->f.tiles.liquid_count * TILE_CELLS);
    DEV(gpu_download)(g, &removed, &g->counters->waiting, sizeof removed);
    return removed;
}
