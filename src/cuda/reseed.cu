/* reseed.cu -- reseeding on the device, the last part of EMIT (cpu/reseed.c). New particles are
 * counted cell by cell; sums of the counts number them in the order of the cells, which is that of
 * the host. */
#include "kernels/reseed.h"
#include "kernels/transfer.h"
#include "launch.h"

typedef struct reseed_args {
    X(fields) f;
    X(reseeding) how; /* its pointers are the host's */
    DEV(gpu_places) places;
    DEV(gpu_newcomers) what;
    DEV(gpu_counters) * counters;
} reseed_args;

GPU_FN X(reseeding) reseeding_of(const reseed_args *a)
{
    X(reseeding) r = a->how;
    r.grid = &a->f.grid;
    r.sides = a->f.sides;
    r.solids = &a->f.solids;
    r.phi_solid = a->f.phi_solid;
    r.type = a->f.type;
    r.marks = a->f.marks;
    r.first = a->f.first;
    r.count = a->f.count;
    FOR_DIM(d)
        r.x[d] = a->f.particles.x[d];
    return r;
}

MAP(count_new, reseed_args)
{
    X(reseeding) r = reseeding_of(a);
    int c[DIM];
    float x[DIM];
    uint32_t number = 0;
    if (i < a->places.count) {
        size_t cells = TILE_CELLS;
        size_t index = X(tile_place)(r.grid, a->f.tiles.liquid[i / cells], (int)(i % cells), c);
        if (r.count[index] < r.least) {
            X(filling) filling = X(fill_begin)(&r, c);
            while (X(fill_next)(&r, c, &filling, x))
                number++;
        }
    }
    a->places.flags[i] = number;
}

/* Particle k, new at x. */
GPU_FN void put(const reseed_args *a, const X(reseeding) *r, const int c[DIM], const float x[DIM],
                size_t k)
{
    const X(fields) *f = &a->f;
    float v[DIM];
    uint32_t model = X(nearest_model)(r, c, x);
    X(velocity_at)(&f->grid, f->degree, f->u, x, v);
    FOR_DIM(d) {
        f->particles.x[d][k] = x[d];
        f->particles.v[d][k] = v[d];
    }
    for (int e = 0; e < f->particles.channel_columns; e++)
        f->particles.channel[e][k] =
            model == UINT32_MAX ? a->what.initial[e] : f->particles.channel[e][model];
    for (int d = 0; d < DIM && f->apic; d++) {
        float gradient[DIM];
        X(stencil) stencil = X(stencil_at)(f->degree, x, d);
        X(gather_affine)(&f->grid, &stencil, f->degree, x, d, f->u[d], gradient);
        FOR_DIM(axis)
            f->particles.c[d * DIM + axis][k] = gradient[axis];
    }
}

MAP(put_new, reseed_args)
{
    if (a->places.flags[i] == 0)
        return;
    X(reseeding) r = reseeding_of(a);
    int c[DIM];
    float x[DIM];
    size_t cells = TILE_CELLS;
    uint32_t number = a->places.before[i];
    X(tile_place)(r.grid, a->f.tiles.liquid[i / cells], (int)(i % cells), c);
    X(filling) filling = X(fill_begin)(&r, c);
    for (; X(fill_next)(&r, c, &filling, x); number++) {
        size_t k = (size_t)a->f.particles.count + number;
        put(a, &r, c, x, k);
        a->f.particles.id[0][k] = a->what.next_id + number;
    }
}

MAP(thin, reseed_args)
{
    int c[DIM];
    size_t cells = TILE_CELLS;
    size_t index = X(tile_place)(&a->f.grid, a->f.tiles.liquid[i / cells], (int)(i % cells), c);
    uint32_t first = a->f.first[index], count = a->f.count[index];
    if (count <= a->how.most)
        return;
    for (uint32_t left = count; left > a->how.most; left--)
        X(thin_cell)(a->f.particles.x, first, first + count);
    GPU_ADD32(&a->counters->waiting, count - a->how.most);
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
