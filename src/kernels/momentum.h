/* momentum.h -- one particle of the sums over particles (cpu/momentum.c, stages/stats.c).
 * X(add_...) returns the sum so far with it. */
#ifndef SPATE_KERNELS_MOMENTUM_H
#define SPATE_KERNELS_MOMENTUM_H

#include "fields.h"
#include "transfer.h"

/* What G2P is to give to component d of a velocity at x: carried(x) - (1 - r) u_old(x); rest:
 * 1 - r. */
SP_KERNEL float X(kick_at)(const X(fields) *f, const float x[DIM], int d, float rest)
{
    X(stencil) s = X(stencil_at)(f->degree, x, d);
    return X(gather)(&f->grid, &s, f->degree, f->carried[d]) -
           rest * X(gather)(&f->grid, &s, f->degree, f->u_old[d]);
}

/* v^2, m^2/s^2. */
SP_KERNEL double X(add_square)(const X(fields) *f, size_t k, double sum)
{
    FOR_DIM(d)
        sum += (double)f->particles.v[d][k] * (double)f->particles.v[d][k];
    return sum;
}

/* - gravity times place, m^2/s^2. */
SP_KERNEL double X(add_height)(const X(fields) *f, const double gravity[DIM], size_t k, double sum)
{
    FOR_DIM(d)
        sum -= (double)f->particles.x[d][k] * f->grid.dx * gravity[d];
    return sum;
}

#endif
