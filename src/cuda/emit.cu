/* emit.cu -- EMIT on the device: outflows take, inflows give (cpu/emit.c). Places of an inflow that
 * give a particle are flagged; sums of the flags number the new particles in the order of the
 * places, which is that of the host. */
#include "kernels/inflow.h"
#include "launch.h"

/* ---- outflows */

typedef struct drain_args {
    X(fields) f;
    DEV(gpu_counters) * counters;
    const sp_shape *drains;
    const float *bounds; /* cells: low and high of each */
    int drain_count;
} drain_args;

GPU_FN bool is_between(const float x[DIM], const float bounds[2 * DIM])
{
    bool between = true;
    FOR_DIM(d)
        between = between && x[d] >= bounds[d] && x[d] <= bounds[DIM + d];
    return between;
}

MAP(drain, drain_args)
{
    float x[DIM];
    double wide[DIM];
    FOR_DIM(d) {
        x[d] = a->f.particles.x[d][i];
        wide[d] = x[d];
    }
    if (x[0] == DEAD)
        return;
    for (int k = 0; k < a->drain_count; k++)
        if (is_between(x, a->bounds + k * 2 * DIM) &&
            X(shape_holds)(&a->f.grid, &a->drains[k], &a->drains[k].rest, wide)) {
            a->f.particles.x[0][i] = DEAD;
            GPU_ADD32(&a->counters->waiting, 1u);
            return;
        }
}

uint32_t DEV(gpu_drain)(X(gpu) *g)
{
    drain_args args = {g->f, g->counters, g->drains, g->drain_bounds, g->drain_count};
    uint32_t drained = 0;
    DEV(gpu_set)(g, &g->counters->waiting, 0, sizeof drained);
    drain(g, args, g->f.particles.count);
    DEV(gpu_download)(g, &drained, &g->counters->waiting, sizeof drained);
    return drained;
}

/* ---- inflows */

typedef struct inflow_args {
    X(fields) f;
    X(lattice) lattice; /* its pointers are the host's */
    const sp_shape *form;
    DEV(gpu_places) places;
    DEV(gpu_newcomers) what;
} inflow_args;

GPU_FN X(lattice) lattice_of(const inflow_args *a)
{
    X(lattice) l = a->lattice;
    l.grid = &a->f.grid;
    l.solids = &a->f.solids;
    l.form = a->form;
    return l;
}

MAP(occupy, inflow_args)
{
    X(lattice) l = lattice_of(a);
    float x[DIM];
    size_t place;
    FOR_DIM(d)
        x[d] = a->f.particles.x[d][i];
    if (X(lattice_place)(&l, x, &place))
        GPU_MAX32(&a->places.flags[place], 1u);
}

/* From whether a place is occupied to whether it gives. */
MAP(flag_places, inflow_args)
{
    X(lattice) l = lattice_of(a);
    double x[DIM];
    bool gives = false;
    if (i < a->places.count && !a->places.flags[i]) {
        X(lattice_point)(&l, i, x);
        gives = X(comes_in)(&l, x);
    }
    a->places.flags[i] = gives;
}

/* How many particles an inflow gives; which places do is kept for DEV(gpu_append). */
uint32_t DEV(gpu_find_newcomers)(X(gpu) *g, const X(lattice) *lattice, const sp_shape *form)
{
    inflow_args args;
    uint32_t count = 0;
    memset(&args, 0, sizeof args);
    args.f = g->f;
    args.lattice = *lattice;
    args.form = form;
    args.places = g->places;
    DEV(gpu_set)(g, g->places.flags, 0, g->places.count * sizeof(uint32_t));
    occupy(g, args, g->f.particles.count);
    flag_places(g, args, g->places.count + 1);
    DEV(gpu_scan)(g, g->places.flags, g->places.before, g->places.count + 1);
    DEV(gpu_download)(g, &count, g->places.before + g->places.count, sizeof count);
    return count;
}

MAP(append, inflow_args)
{
    const X(fields) *f = &a->f;
    X(lattice) l = lattice_of(a);
    if (!a->places.flags[i])
        return;
    uint32_t number = a->places.before[i];
    size_t k = (size_t)f->particles.count + number;
    double x[DIM];
    X(lattice_point)(&l, i, x);
    FOR_DIM(d) {
        f->particles.x[d][k] = (float)x[d];
        f->particles.v[d][k] = l.velocity[d];
    }
    f->particles.id[0][k] = a->what.next_id + number;
    for (int e = 0; e < DIM * DIM && f->apic; e++)
        f->particles.c[e][k] = 0.0f;
    for (int e = 0; e < f->particles.channel_columns; e++)
        f->particles.channel[e][k] = a->what.initial[e];
}

void DEV(gpu_append)(X(gpu) *g, const X(lattice) *lattice, const DEV(gpu_newcomers) * what)
{
    inflow_args args;
    memset(&args, 0, sizeof args);
    args.f = g->f;
    args.lattice = *lattice;
    args.places = g->places;
    args.what = *what;
    append(g, args, g->places.count);
    g->f.particles.count += what->count;
    g->speed_known = false;
}
