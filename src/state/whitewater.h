/* whitewater.h -- what WHITEWATER keeps beside its particles; kernels/whitewater.h has the maths.
 */
#ifndef SPATE_STATE_WHITEWATER_H
#define SPATE_STATE_WHITEWATER_H

#include "state.h"
#include "white_kept.h"

#define WHITE_SORT_EVERY 8 /* steps: the order is for the caches, and nothing depends on it */

/* The state of the set. */
typedef struct X(white_state) {
    sp_white kept;         /* first: checkpoints hold it */
    uint32_t *tile_births; /* tiles: how many come from each, then the first of them */
    sp_shape *kill;        /* shapes, at rest */
    float *kill_bounds;    /* as in X(outflows) */
    int kill_count;
    struct X(whitewater) *how; /* of the step: kernels/whitewater.h */
    double tabled_for;         /* m/s^2: the gravity of its tables */
} X(white_state);

static inline X(white_state) *X(white_state_of)(X(sim) *s)
{
    return (X(white_state) *)X(set_of)(s, SET_WHITEWATER)->state;
}

/* Fills `how` for the step of dt that begins at the time of the clock, from the scene. */
void X(whitewater_prepare)(X(sim) *s, double dt);

#endif
