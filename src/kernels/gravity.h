/* gravity.h -- the right side of the pressure that gravity and buoyancy alone make: the system of a
 * step (cpu/pressure/system.c) with u = what FORCES gives by them to every face between cells that
 * are neither solid nor inflow. */
#ifndef SPATE_KERNELS_GRAVITY_H
#define SPATE_KERNELS_GRAVITY_H

#include "forces.h"

/* Of a cell with an unknown, m/s. */
SP_KERNEL float X(gravity_right)(const X(fields) *f, size_t c, const X(forces) *how)
{
    const X(buoyancy) *b = &how->buoyancy;
    double sum = 0;
    f8 own = X(lightness)(f, b, c);
    FOR_DIM(d) {
        size_t low = c - f->grid.stride[d], high = c + f->grid.stride[d];
        double in = f->has_solids ? (double)f->w[d][c] : 1.0;
        double out = f->has_solids ? (double)f->w[d][high] : 1.0;
        in = f->type[low] < SPATE_CELL_SOLID ? in : 0.0;
        out = f->type[high] < SPATE_CELL_SOLID ? out : 0.0;
        sum += (double)how->dv[d] * (in - out);
        if (b->count == 0)
            continue;
        f8 next = X(lightness)(f, b, high);
        sum -= in * (double)f8_first(X(lift)(f, c, d, own, b));
        sum += out * (double)f8_first(X(lift)(f, high, d, next, b));
    }
    return (float)sum;
}

#endif
