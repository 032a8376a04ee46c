/* stages.h -- stages of the device in which the host has a part: move.c, hand_back.c. */
#ifndef SPATE_DEVICE_CUDA_STAGES_H
#define SPATE_DEVICE_CUDA_STAGES_H

#include "device/cuda/gpu.h"
#include "sim/state.h"

/* G2P, with all channels but the averaged ones. */
void X(gpu_hand_back)(X(sim) *s, double dt);
bool X(gpu_has_averages)(const X(sim) *s); /* there are such: X(channels_step) has to do them */
/* ADVECT. */
spate_status X(gpu_advect)(X(sim) *s, double dt, spate_error *error);
/* Moves the particles by the displacement (cells) on the faces, in `weight` on the device; returns
 * the sum of gravity times it, m^2/s^2. */
double X(gpu_displace)(X(sim) *s);

#endif
