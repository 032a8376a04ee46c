/* weights.h -- the interpolation kernels: B-splines of degree 1, 2 and 3.
 *
 * A kernel of degree m touches m + 1 nodes along each axis. All of them are partitions of unity
 * that reproduce linear functions. */
#ifndef SPATE_KERNELS_WEIGHTS_H
#define SPATE_KERNELS_WEIGHTS_H

#include "grid.h"

enum { KERNEL_LINEAR = 1, KERNEL_QUADRATIC = 2, KERNEL_CUBIC = 3 }; /* the degree */
#define KERNEL_NODES 4                                              /* the most along one axis */

/* Weights w[0 .. degree] of the nodes first, first + 1, ... at x (in units of the node distance);
 * returns first. */
SP_KERNEL int X(weights)(int degree, float x, float w[KERNEL_NODES])
{
    if (degree == KERNEL_LINEAR) {
        int first = X(floor)(x);
        float f = x - (float)first;
        w[0] = 1.0f - f;
        w[1] = f;
        return first;
    }
    if (degree == KERNEL_QUADRATIC) {
        int middle = X(floor)(x + 0.5f);
        float f = x - (float)middle; /* -1/2 .. 1/2 */
        w[0] = 0.5f * (0.5f - f) * (0.5f - f);
        w[1] = 0.75f - f * f;
        w[2] = 0.5f * (0.5f + f) * (0.5f + f);
        return middle - 1;
    }
    int left = X(floor)(x);
    float f = x - (float)left, e = 1.0f - f;
    w[0] = e * e * e * (1.0f / 6.0f);
    w[1] = (4.0f + f * f * (3.0f * f - 6.0f)) * (1.0f / 6.0f);
    w[2] = (4.0f + e * e * (3.0f * e - 6.0f)) * (1.0f / 6.0f);
    w[3] = f * f * f * (1.0f / 6.0f);
    return left - 1;
}

/* For APIC: the factor that turns sum of w u (x_node - x_p) into the velocity gradient, per square
 * cell: the inverse of the kernel's second moment (Jiang et al. 2015). The linear kernel has no
 * constant one and uses its own gradient. */
SP_KERNEL float X(affine_factor)(int degree)
{
    return degree == KERNEL_QUADRATIC ? 4.0f : 3.0f;
}

#endif
