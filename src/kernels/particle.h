/* particle.h -- particles that are new. */
#ifndef SPATE_KERNELS_PARTICLE_H
#define SPATE_KERNELS_PARTICLE_H

#include "particles.h"

/* Particles that a stage appends. */
typedef struct X(newcomers) {
    uint32_t count, first, first_id; /* how many; the number and the id of the first one */
    float initial[CHANNEL_COLUMNS];  /* values of the channels */
} X(newcomers);

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
    for (int e = 0; e < p->own_columns; e++)
        p->own[e][k] = initial[e];
}

#endif
