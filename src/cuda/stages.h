/* stages.h -- stages of the device in which the host has a part: move.c, hand_back.c, emit.c. */
#ifndef SPATE_CUDA_STAGES_H
#define SPATE_CUDA_STAGES_H

#include "gpu.h"
#include "state/state.h"

/* G2P, with the channels. */
void DEV(gpu_transfer_back)(X(sim) *s, double dt);
/* ADVECT, by the flow and by the displacement (cells) in `weight` on the device, if there is one.
 */
spate_status DEV(gpu_advect)(X(sim) *s, double dt, spate_error *error);
void DEV(gpu_push_pairs)(X(sim) *s); /* SEPARATE by pairs */
void DEV(gpu_sort)(X(sim) *s);       /* SORT, with what it needs and leaves (bridge.c) */
/* EMIT; at the start: the shapes of inflows and outflows. */
spate_status DEV(gpu_emit_and_drain)(X(sim) *s, double dt, spate_error *error);
spate_status DEV(gpu_copy_flows)(X(sim) *s, spate_error *error);
void DEV(gpu_free_flows)(X(gpu) *g);

#endif
