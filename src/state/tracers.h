/* tracers.h -- the order of the stage TRACERS, which is the same on all devices, and what a device
 * does for it. The loops stand in stages/tracers.c, the maths of a point in kernels/tracers.h. */
#ifndef SPATE_STATE_TRACERS_H
#define SPATE_STATE_TRACERS_H

#include "kernels/tracers.h"
#include "state.h"

/* What a device does. `how` has the host's pointers. */
typedef struct X(trace_parts) {
    /* Moves all by a step, and marks those DEAD that are gone. */
    X(lost_tracers) (*move)(X(sim) *s, X(set) *set, const X(tracing) *how);
    void (*remove_dead)(X(sim) *s, X(set) *set, uint32_t dead);
    /* How many come from a source; then writes them, once the host has room for them. */
    uint32_t (*count)(X(sim) *s, const X(tracing) *how, const X(new_tracers) *new);
    void (*put)(X(sim) *s, X(set) *set, const X(tracing) *how, const X(new_tracers) *new);
} X(trace_parts);

spate_status X(trace_in_order)(X(sim) *s, double dt, const X(trace_parts) *parts,
                               spate_error *error);
/* The sources: one for each of the scene's tracers. */
const X(tracer_source) *X(tracer_sources)(X(sim) *s);

#endif
