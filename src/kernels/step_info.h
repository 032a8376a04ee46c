/* step_info.h -- what the stages of src/stages are told of a step. */
#ifndef SPATE_KERNELS_STEP_INFO_H
#define SPATE_KERNELS_STEP_INFO_H

#include "channels.h"
#include "forces.h"
#include "midway.h"

typedef struct X(step_info) {
    double dt; /* s */
    X(midway) midway;
    X(forces) forces;
    X(channel_step) channels;
} X(step_info);

#endif
