/* particle.h -- a particle that is new. */
#ifndef SPATE_KERNELS_PARTICLE_H
#define SPATE_KERNELS_PARTICLE_H

#include "particles.h"

/* Writes particle k; initial: of each column of the channels. */
SP_KERNEL void X(put_particle)(const X(particles) *p, size_t k, uint32_t id, const float x[DIM],
                               const float v[DIM], const float *initial)
{
    FOR_DIM(d) {
        p->x[d][k] = x[d];
        p->v[d][k] = v[d];
    }
    p->id[0][k] = id;
    for (int e = 0; e < DIM * DIM && p->c[0]; e++)
        p->c[e][k] = 0.0f;
    for (int e = 0; e < p->channel_columns; e++)
        p->channel[e][k] = initial[e];
}

#endif
