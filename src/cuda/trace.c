/* trace.c -- the stage TRACERS on the device, the host's part (state/tracers.c has the order).
 * The tracers are in no order there: a thread reads the grid for each. */
#include "residency.h"
#include "stages.h"
#include "stages/stages.h"

#include "state/tracers.h"

#include <string.h>

/* The sources, which never change, are copied the first time. */
static spate_status copy_sources(X(sim) *s, spate_error *error)
{
    X(gpu) *g = s->gpu;
    int count = s->common->scene->tracers.count;
    size_t bytes = (size_t)count * sizeof *g->tracer_sources;
    if (g->tracer_sources)
        return SPATE_OK;
    X(tracer_source) *copies = sp_alloc((size_t)count, sizeof *copies);
    if (!copies)
        return sp_fail_memory(error, "tracers", bytes);
    memcpy(copies, X(tracer_sources)(s), bytes);
    for (int k = 0; k < count; k++)
        copies[k].form.mesh = DEV(gpu_mesh_there)(g, copies[k].form.mesh);
    g->tracer_sources = DEV(gpu_alloc)(g, bytes, "tracers");
    g->tracer_source_count = count;
    if (g->tracer_sources)
        DEV(gpu_upload)(g, g->tracer_sources, copies, bytes);
    sp_free(copies);
    return SPATE_OK;
}

void DEV(gpu_free_traces)(X(gpu) *g)
{
    DEV(gpu_free)(g, g->tracer_sources, (size_t)g->tracer_source_count * sizeof *g->tracer_sources);
}

static X(tracing) there(const X(gpu) *g, const X(tracing) *how)
{
    X(tracing) copy = *how;
    copy.sources = g->tracer_sources;
    copy.outflows = g->outflows;
    return copy;
}

static X(lost_tracers) move(X(sim) *s, X(set) *set, const X(tracing) *how)
{
    X(gpu) *g = s->gpu;
    X(particles) *p = &g->sets[SET_TRACERS].p;
    X(tracing) copy = there(g, how);
    DEV(gpu_move)
    way = {.order = 1 + (int)s->common->scene->time.advection,
           .h = how->h,
           .reach = s->reach,
           .displaced = s->displaced,
           .movers = s->movers,
           .room = how->room,
           .dt = how->dt};
    DEV(remember_tracers)(g, p, &copy);
    DEV(gpu_carry_set)(g, p, &way);
    set->particles->sorted = false;
    return DEV(note_tracers)(g, p, &copy);
}

static void remove_dead(X(sim) *s, X(set) *set, uint32_t dead)
{
    X(particles) *p = &s->gpu->sets[SET_TRACERS].p;
    DEV(gpu_remove_dead)(s->gpu, p, dead);
    set->particles->count = p->count;
}

static uint32_t count(X(sim) *s, const X(tracing) *how, const X(new_tracers) *new)
{
    X(tracing) copy = there(s->gpu, how);
    uint32_t number = DEV(count_tracers)(s->gpu, &copy, new);
    return s->gpu->failure[0] ? 0 : number;
}

static void put(X(sim) *s, X(set) *set, const X(tracing) *how, const X(new_tracers) *new)
{
    X(particles) *p = &s->gpu->sets[SET_TRACERS].p;
    X(tracing) copy = there(s->gpu, how);
    DEV(gpu_reserve_set)(s, SET_TRACERS, true);
    DEV(put_tracers)(s->gpu, p, &copy, new);
    p->count = set->particles->count;
}

spate_status DEV(gpu_trace)(X(sim) *s, double dt, spate_error *error)
{
    static const X(trace_parts) parts = {
        .move = move, .remove_dead = remove_dead, .count = count, .put = put};
    TRY(copy_sources(s, error));
    return X(trace_in_order)(s, dt, &parts, error);
}
