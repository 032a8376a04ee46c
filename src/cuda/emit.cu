/* emit.cu -- EMIT on the device: outflows take, inflows give (cpu/emit.c; one particle and one
 * place are in kernels/emit.h). Places of an inflow that give a particle are flagged; sums of the
 * flags number the new particles in the order of the places, which is that of the host. */
#include "kernels/emit.h"
#include "kernels/particle.h"
#include "launch.h"

/* ---- outflows */

typedef struct drain_args {
    X(fields) f;
    DEV(gpu_counters) * counters;
    X(outflows) outflows;
} drain_args;

MAP(drain, drain_args)
{
    if (X(drain)(&a->f, &a->outflows, i))
        GPU_ADD32(&a->counters->waiting, 1u);
}

uint32_t DEV(gpu_drain)(X(gpu) *g)
{
    drain_args args = {g->f, g->counters, g->outflows};
    uint32_t drained = 0;
    DEV(gpu_set)(g, &g->counters->waiting, 0, sizeof drained);
    drain(g, args, g->f.particles.count);
    DEV(gpu_download)(g, &drained, &g->counters->waiting, sizeof drained);
    return drained;
}

/* ---- inflows */

typedef struct inflow_args {
    X(fields) f;
    X(lattice) lattice;
    DEV(gpu_places) places;
    DEV(gpu_newcomers) what;
} inflow_args;

MAP(occupy, inflow_args)
{
    size_t place;
    if (X(occupied_place)(&a->f, &a->lattice, i, &place))
        GPU_MAX32(&a->places.flags[place], 1u);
}

/* From whether a place is occupied to whether it gives. */
MAP(flag_places, inflow_args)
{
    bool vacant = i < a->places.count && !a->places.flags[i];
    a->places.flags[i] = vacant && X(place_gives)(&a->f, &a->lattice, i);
}

/* How many particles an inflow gives; which places do is kept for DEV(gpu_append). */
uint32_t DEV(gpu_find_newcomers)(X(gpu) *g, const X(lattice) *lattice)
{
    inflow_args args;
    uint32_t count = 0;
    memset(&args, 0, sizeof args);
    args.f = g->f;
    args.lattice = *lattice;
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
    if (!a->places.flags[i] || a->places.before[i] >= a->what.count)
        return;
    const X(particles) *p = &a->f.particles;
    uint32_t number = a->places.before[i], id = a->what.next_id + number;
    float x[DIM];
    X(place_point)(&a->lattice, i, x);
    X(put_particle)(p, (size_t)p->count + number, id, x, a->lattice.velocity, a->what.initial);
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
