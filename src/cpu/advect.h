/* advect.h -- what the two ways of ADVECT share: advect.c (the stage, any kernel and any order of
 * Runge-Kutta, one particle at a time) and advect_lanes.c (the default, eight at a time). */
#ifndef SPATE_CPU_ADVECT_H
#define SPATE_CPU_ADVECT_H

#include "state/state.h"

#include "patch.h"

#include <stdatomic.h>

#define MOST_WAY 0.5f /* cells along an axis that SEPARATE moves a particle in a step */

/* What a tile's particles leave. */
typedef struct X(advected) {
    double work;   /* sum of gravity times displacement, m^2/s^2 */
    float fastest; /* the largest v^2, m^2/s^2; only if `hands_back` */
} X(advected);

typedef struct X(advection) {
    X(sim) *s;
    X(mover) mover;
    float h;                           /* dt / dx: from m/s to cells */
    bool hands_back;                   /* G2P has left the particles' velocities to this stage */
    float kept;                        /* FLIP's share of a particle's own velocity */
    X(grid_field) flow, carried, away; /* u; what G2P reads; the displacement (cells) */
    char *scratch;                     /* per worker: patches */
    X(advected) *tile;                 /* per tile */
    _Atomic uint64_t broken, unsound;
} X(advection);

/* Moves particle k from x to `to`. */
void X(advect_one)(X(advection) *args, uint32_t k, const float x[DIM], float to[DIM]);
/* Linear kernel and RK3; scratch: of one worker. */
void X(advect_lanes)(X(advection) *args, int tile, void *scratch);

#endif
