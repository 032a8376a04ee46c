/* trace.c -- the stage TRACERS on the CPU: ADVECT moves the sorted points of a tile. */
#include "state/tracers.h"

#include "exec.h"

static X(lost_tracers) move(X(sim) *s, X(set) *set, const X(tracing) *how)
{
    X(exec) e = X(exec_of)(s);
    X(particles) *p = set->particles;
    DEV(sort_particles)(p, &set->cells, NULL, s->common->pool, X(arena)(s));
    DEV(remember_tracers)(&e, p, how);
    DEV(advect_set)(s, set, how->dt);
    p->sorted = false;
    return DEV(note_tracers)(&e, p, how);
}

static void remove_dead(X(sim) *s, X(set) *set, uint32_t dead)
{
    (void)s, (void)dead;
    X(particles_remove_dead)(set->particles);
}

static uint32_t count(X(sim) *s, const X(tracing) *how, const X(new_tracers) *new)
{
    X(exec) e = X(exec_of)(s);
    return DEV(count_tracers)(&e, how, new);
}

static void put(X(sim) *s, X(set) *set, const X(tracing) *how, const X(new_tracers) *new)
{
    X(exec) e = X(exec_of)(s);
    DEV(put_tracers)(&e, set->particles, how, new);
}

spate_status DEV(trace)(X(sim) *s, double dt, spate_error *error)
{
    static const X(trace_parts) parts = {
        .move = move, .remove_dead = remove_dead, .count = count, .put = put};
    return X(trace_in_order)(s, dt, &parts, error);
}
