/* rk.h -- one step of a particle through a velocity field, by Euler and Runge-Kutta.
 *
 *   euler   k1
 *   rk2     midpoint:  k2 = u(x + dt/2 k1)
 *   rk3     Ralston's: k2 = u(x + dt/2 k1), k3 = u(x + 3/4 dt k2), (2 k1 + 3 k2 + 4 k3) / 9
 *   rk4     the classical one
 *
 * Positions are in cells and velocities in m/s; h = dt/dx. */
#ifndef SPATE_KERNELS_RK_H
#define SPATE_KERNELS_RK_H

#include "transfer.h"

/* Where the field is looked up for a place that may have left the domain. */
SP_KERNEL void X(bring_in)(const X(grid) *g, float x[DIM])
{
    FOR_DIM(d) {
        float n = (float)g->n[d];
        if (g->periodic[d]) {
            if (x[d] < 0.0f || x[d] >= n)
                x[d] -= n * (float)X(floor)(x[d] / n);
            x[d] = x[d] < n ? x[d] : 0.0f; /* the subtraction may round up to n */
        } else {
            x[d] = x[d] > 0.0f ? x[d] : 0.0f;
            x[d] = x[d] < n ? x[d] : n;
        }
    }
}

/* u at x + share * h * k */
SP_KERNEL void X(stage)(const X(grid) *g, int degree, float *const u[DIM], const float x[DIM],
                        const float k[DIM], float step, float v[DIM])
{
    float place[DIM];
    FOR_DIM(d)
        place[d] = x[d] + step * k[d];
    X(bring_in)(g, place);
    X(velocity_at)(g, degree, u, place, v);
}

/* The mean velocity over the step. order: 1 .. 4. A stage farther than `reach` cells away would
 * leave the known field; a particle that fast takes an Euler step. */
SP_KERNEL void X(mean_velocity)(const X(grid) *g, int degree, int order, float *const u[DIM],
                                const float x[DIM], float h, float reach, float v[DIM])
{
    float k1[DIM], k2[DIM], k3[DIM], k4[DIM], square = 0.0f;
    X(velocity_at)(g, degree, u, x, k1);
    FOR_DIM(d) {
        v[d] = k1[d];
        square += k1[d] * k1[d];
    }
    if (order == 1 || square * h * h > reach * reach)
        return;
    X(stage)(g, degree, u, x, k1, 0.5f * h, k2);
    if (order == 2) {
        FOR_DIM(d)
            v[d] = k2[d];
        return;
    }
    if (order == 3) {
        X(stage)(g, degree, u, x, k2, 0.75f * h, k3);
        FOR_DIM(d)
            v[d] = (2.0f * k1[d] + 3.0f * k2[d] + 4.0f * k3[d]) * (1.0f / 9.0f);
        return;
    }
    X(stage)(g, degree, u, x, k2, 0.5f * h, k3);
    X(stage)(g, degree, u, x, k3, h, k4);
    FOR_DIM(d)
        v[d] = (k1[d] + 2.0f * (k2[d] + k3[d]) + k4[d]) * (1.0f / 6.0f);
}

#endif
