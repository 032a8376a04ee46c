/* stages.h -- stages of the device in which the host has a part: advect.c, g2p.c, flows.c. */
#ifndef SPATE_CUDA_STAGES_H
#define SPATE_CUDA_STAGES_H

#include "gpu.h"
#include "state/device.h"

/* G2P, with the channels. */
void DEV(gpu_transfer_back)(X(sim) *s, double dt);
/* ADVECT, by the flow and by the displacement (cells) in `weight` on the device, if there is one.
 */
spate_status DEV(gpu_advect)(X(sim) *s, double dt, spate_error *error);
double DEV(gpu_push_pairs)(X(sim) *s); /* SEPARATE by pairs */
void DEV(gpu_sort)(X(sim) *s);         /* SORT, with what it needs and leaves (device.c) */
/* EMIT; at the start: the shapes of inflows and outflows. */
spate_status DEV(gpu_emit_and_drain)(X(sim) *s, double dt, spate_error *error);
spate_status DEV(gpu_copy_flows)(X(sim) *s, spate_error *error);
void DEV(gpu_flows_changed)(X(sim) *s);
void DEV(gpu_free_flows)(X(gpu) *g);

/* trace.c: TRACERS */
spate_status DEV(gpu_trace)(X(sim) *s, double dt, spate_error *error);
void DEV(gpu_free_traces)(X(gpu) *g);

/* device_stats.c */
void DEV(gpu_stats)(X(sim) *s, spate_stats *stats);

/* residency.c: as in X(device) */
void DEV(gpu_fetch)(X(sim) *s, unsigned groups);
void DEV(gpu_dirty)(X(sim) *s, unsigned groups);
void DEV(gpu_discard)(X(sim) *s, unsigned groups);

/* snapshot.c: as in X(device), and the host's memory that it takes */
bool DEV(snapshot)(X(sim) *s, sp_particles *out);
bool DEV(snapshot_wait)(X(sim) *s);
double DEV(snapshot_bytes)(const spate_scene *scene, double particles);

#endif
