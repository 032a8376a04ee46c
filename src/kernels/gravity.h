/* gravity.h -- the right side of the pressure that gravity alone makes: the system of a step
 * (cpu/pressure/system.c) with u = dv on every face that FORCES gives gravity to, those between
 * cells that are neither solid nor inflow. */
#ifndef SPATE_KERNELS_GRAVITY_H
#define SPATE_KERNELS_GRAVITY_H

#include "fields.h"

/* Of a cell with an unknown, m/s. dv: of gravity in the step. */
SP_KERNEL float X(gravity_right)(const X(fields) *f, size_t c, const float dv[DIM])
{
    double sum = 0;
    FOR_DIM(d) {
        size_t low = c - f->grid.stride[d], high = c + f->grid.stride[d];
        double in = f->has_solids ? (double)f->w[d][c] : 1.0;
        double out = f->has_solids ? (double)f->w[d][high] : 1.0;
        in = f->type[low] < SPATE_CELL_SOLID ? in : 0.0;
        out = f->type[high] < SPATE_CELL_SOLID ? out : 0.0;
        sum += (double)dv[d] * (in - out);
    }
    return (float)sum;
}

#endif
