/* transfer.h -- one particle against the grid: values at its place, and its momentum handed to the
 * nodes.
 *
 * Position of the node i of component d along axis a: i if a = d (faces), i + 1/2 otherwise.
 * `degree` is a constant wherever these are called, so that the loops unroll. */
#ifndef SPATE_KERNELS_TRANSFER_H
#define SPATE_KERNELS_TRANSFER_H

#include "weights.h"

typedef struct X(stencil) {
    int first[DIM];
    float w[DIM][KERNEL_NODES];
} X(stencil);

/* The stencil of component d (d = -1: cell values, DIM: nodes) at a position in cells. */
SP_KERNEL X(stencil) X(stencil_at)(int degree, const float x[DIM], int d)
{
    X(stencil) s;
    FOR_DIM(a)
        s.first[a] = X(weights)(degree, x[a] - (a == d || d == DIM ? 0.0f : 0.5f), s.w[a]);
    return s;
}

/* The linear kernel as a chain of a + share (b - a), the last axis first: a constant comes out as
 * it is, to the last bit. */
SP_KERNEL float X(gather_linear)(const X(grid) *g, const X(stencil) *s, const float *corner)
{
    float column[2]; /* along x */
    for (int i = 0; i < 2; i++) {
        float row[2];
        for (int j = 0; j < 2; j++) {
            const float *low = corner + i + (size_t)j * g->stride[1];
            row[j] = DIM == 2 ? *low : *low + s->w[DIM - 1][1] * (low[g->stride[2]] - *low);
        }
        column[i] = row[0] + s->w[1][1] * (row[1] - row[0]);
    }
    return column[0] + s->w[0][1] * (column[1] - column[0]);
}

SP_KERNEL float X(gather)(const X(grid) *g, const X(stencil) *s, int degree, const float *field)
{
    const float *corner = field + X(index)(g, s->first);
    float sum = 0.0f;
    if (degree == KERNEL_LINEAR)
        return X(gather_linear)(g, s, corner);
    for (int k = 0; k < LAST(degree + 1); k++)
        for (int j = 0; j <= degree; j++) {
            const float *row = corner + (size_t)j * g->stride[1] + (size_t)k * g->stride[2];
            float line = 0.0f;
            for (int i = 0; i <= degree; i++)
                line += s->w[0][i] * row[i];
            sum += line * s->w[1][j] * (DIM == 3 ? s->w[DIM - 1][k] : 1.0f);
        }
    return sum;
}

/* The velocity field u at a position. */
SP_KERNEL void X(velocity_at)(const X(grid) *g, int degree, float *const u[DIM], const float x[DIM],
                              float v[DIM])
{
    FOR_DIM(d) {
        X(stencil) s = X(stencil_at)(degree, x, d);
        v[d] = X(gather)(g, &s, degree, u[d]);
    }
}

/* Gradient per cell of the linear kernel: the differences along the chain of gather_linear. */
SP_KERNEL void X(gather_differences)(const X(grid) *g, const X(stencil) *s, const float *field,
                                     float c[DIM])
{
    const float *corner = field + X(index)(g, s->first);
    float column[2], along_y[2], along_z[2]; /* at the two places along x */
    for (int i = 0; i < 2; i++) {
        float row[2], step[2];
        for (int j = 0; j < 2; j++) {
            const float *low = corner + i + (size_t)j * g->stride[1];
            step[j] = DIM == 2 ? 0.0f : low[g->stride[2]] - *low;
            row[j] = DIM == 2 ? *low : *low + s->w[DIM - 1][1] * step[j];
        }
        along_y[i] = row[1] - row[0];
        along_z[i] = step[0] + s->w[1][1] * (step[1] - step[0]);
        column[i] = row[0] + s->w[1][1] * along_y[i];
    }
    c[0] = column[1] - column[0];
    c[1] = along_y[0] + s->w[0][1] * (along_y[1] - along_y[0]);
    if (DIM == 3)
        c[DIM - 1] = along_z[0] + s->w[0][1] * (along_z[1] - along_z[0]);
}

/* Gradient of component d, per cell, at the particle, for any kernel. */
SP_KERNEL void X(gather_affine)(const X(grid) *g, const X(stencil) *s, int degree,
                                const float x[DIM], int d, const float *field, float c[DIM])
{
    const float *corner = field + X(index)(g, s->first);
    FOR_DIM(a)
        c[a] = 0.0f;
    for (int k = 0; k < LAST(degree + 1); k++)
        for (int j = 0; j <= degree; j++)
            for (int i = 0; i <= degree; i++) {
                int node[3] = {i, j, k};
                float value =
                    corner[(size_t)i + (size_t)j * g->stride[1] + (size_t)k * g->stride[2]];
                FOR_DIM(a) {
                    float factor = value;
                    FOR_DIM(b) {
                        if (a != b || degree != KERNEL_LINEAR)
                            factor *= s->w[b][node[b]];
                    }
                    float place = (float)(s->first[a] + node[a]) + (a == d ? 0.0f : 0.5f);
                    if (degree == KERNEL_LINEAR)
                        c[a] += node[a] ? factor : -factor;
                    else
                        c[a] += factor * (place - x[a]) * X(affine_factor)(degree);
                }
            }
}

#endif
