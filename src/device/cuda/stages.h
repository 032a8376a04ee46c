/* stages.h -- stages of the device in which the host has a part: move.c, hand_back.c. */
#ifndef SPATE_DEVICE_CUDA_STAGES_H
#define SPATE_DEVICE_CUDA_STAGES_H

#include "device/cuda/gpu.h"
#include "sim/state.h"

/* G2P, with all channels but the averaged ones. */
void X(gpu_hand_back)(X(sim) *s, double dt);
bool X(gpu_has_averages)(const X(sim) *s); /* there are such: X(channels_step) has to do them */
/* ADVECT, by the flow and by the displacement (cells) in `weight` on the device, if there is one.
 */
spate_status X(gpu_advect)(X(sim) *s, double dt, spate_error *error);

#endif
