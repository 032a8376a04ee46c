/* vector.h -- arithmetic of three-component vectors in double precision. */
#ifndef SPATE_KERNELS_VECTOR_H
#define SPATE_KERNELS_VECTOR_H

#include "kernel.h"

#include <math.h>
#include <stdbool.h>

SP_KERNEL double sp_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

SP_KERNEL void sp_subtract(const double a[3], const double b[3], double difference[3])
{
    for (int d = 0; d < 3; d++)
        difference[d] = a[d] - b[d];
}

SP_KERNEL void sp_cross(const double a[3], const double b[3], double product[3])
{
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
}

/* To length 1; false, and nothing changed, if it has none. */
SP_KERNEL bool sp_normalize(double v[3])
{
    double length = sqrt(sp_dot(v, v));
    if (!(length > 0))
        return false;
    for (int d = 0; d < 3; d++)
        v[d] /= length;
    return true;
}

#endif
