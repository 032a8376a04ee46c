/* advect.h -- what the two ways of ADVECT share: advect.c (the stage, any kernel and any order of
 * Runge-Kutta, one particle at a time) and advect_lanes.c (the default, eight at a time). */
#ifndef SPATE_CPU_ADVECT_H
#define SPATE_CPU_ADVECT_H

#include "cpu.h"

#include "kernels/density.h"
#include "kernels/slip.h"
#include "patch.h"

#include <stdatomic.h>

/* What a tile's particles leave. */
typedef struct X(advected) {
    double work;   /* sum of gravity times displacement, m^2/s^2 */
    float fastest; /* the largest v^2, m^2/s^2; only if `transfer` */
} X(advected);

/* Of the particles that a worker moves, in a step that is measured. */
typedef struct X(slips) {
    uint64_t bins[SLIP_BINS];
    uint32_t most;
} X(slips);

static inline void X(note_slip)(X(slips) *slips, const float v[DIM], const float move[DIM], float h)
{
    uint32_t bits = X(slip_bits)(v, move, h);
    slips->bins[X(slip_bin)(bits)]++;
    slips->most = bits > slips->most ? bits : slips->most;
}

typedef struct X(advect_lanes) X(advect_lanes);

typedef struct X(advection) {
    X(sim) *s;
    X(fields) f;       /* of it */
    X(particles) *p;   /* that move: the fluid's, or those of a set that it carries */
    const X(tiles) *t; /* they are sorted by */
    bool set;          /* of a set */
    X(mover) mover;
    float h;                     /* dt / dx: from m/s to cells */
    bool transfer;               /* particles get their velocities here, not in G2P */
    bool rides;                  /* their velocities go with the displacement */
    bool gradient;               /* and AFLIP's gradients */
    bool midway;                 /* `flow` is not u: kernels/midway.h */
    float kept;                  /* FLIP's share of a particle's own velocity */
    X(grid_field) flow, now;     /* what moves particles; u */
    X(grid_field) carried, away; /* what G2P reads; the displacement (cells) */
    const X(advect_lanes) *lanes;
    char *scratch;     /* per worker: patches */
    X(slips) *slips;   /* per worker, or NULL */
    X(advected) *tile; /* per tile */
    _Atomic uint64_t broken, unsound;
} X(advection);

/* Moves particle k from x to `to`. */
void X(advect_one)(X(advection) *args, uint32_t k, const float x[DIM], float to[DIM]);
/* Those in free flight; returns the largest v^2 of them, m^2/s^2 (flight.c). */
float X(advect_flying)(X(advection) *args, double dt);
/* The particles of a tile, with the linear kernel and RK3: advect_lanes.c. */
struct X(advect_lanes) {
    void (*tile)(X(advection) *args, int tile, void *scratch, X(slips) *slips);
    size_t scratch; /* bytes that a worker needs */
};
/* The stage; transfer: with the particles' part of G2P. */
spate_status X(advect)(X(sim) *s, double dt, bool transfer, const X(advect_lanes) *lanes,
                       spate_error *error);
/* Moves the sorted particles of a set as the fluid at their places; their velocities stay. */
void X(advect_set)(X(sim) *s, X(set) *set, double dt, const X(advect_lanes) *lanes);

#endif
