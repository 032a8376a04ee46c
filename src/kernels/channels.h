/* channels.h -- a channel that the grid averages: particles give their values to the cell centres
 * with linear weights, each cell takes the mean, and the particles read it back from there. So the
 * channel spreads like dye. */
#ifndef SPATE_KERNELS_CHANNELS_H
#define SPATE_KERNELS_CHANNELS_H

#include "fields.h"
#include "transfer.h"

SP_KERNEL void X(place_of)(const X(fields) *f, size_t k, float x[DIM])
{
    FOR_DIM(d)
        x[d] = f->particles.x[d][k];
}

/* The weight of a particle with this stencil in the cell that is i, j, m cells after the first one.
 */
SP_KERNEL float X(centre_share)(const X(stencil) *s, int i, int j, int m)
{
    return s->w[0][i] * s->w[1][j] * (DIM == 3 ? s->w[DIM - 1][m] : 1.0f);
}

/* Adds the value of particle k, and its weight, at the centres of the cells around it. */
SP_KERNEL void X(give_to_cells)(const X(fields) *f, size_t k, float value, float *sum,
                                float *weight)
{
    float x[DIM];
    X(place_of)(f, k, x);
    X(stencil) s = X(stencil_at)(KERNEL_LINEAR, x, -1);
    size_t corner = X(index)(&f->grid, s.first);
    for (int m = 0; m < LAST(2); m++)
        for (int j = 0; j < 2; j++)
            for (int i = 0; i < 2; i++) {
                float w = X(centre_share)(&s, i, j, m);
                size_t c = corner + (size_t)i + (size_t)j * f->grid.stride[1] +
                           (size_t)m * f->grid.stride[2];
                sum[c] += w * value;
                weight[c] += w;
            }
}

SP_KERNEL void X(take_mean)(const X(fields) *f, size_t c)
{
    float weight = f->channel_weight[c];
    f->channel_sum[c] = weight > 0.0f ? f->channel_sum[c] / weight : 0.0f;
}

SP_KERNEL float X(take_from_cells)(const X(fields) *f, size_t k)
{
    float x[DIM], sum = 0.0f;
    X(place_of)(f, k, x);
    X(stencil) s = X(stencil_at)(KERNEL_LINEAR, x, -1);
    size_t corner = X(index)(&f->grid, s.first);
    for (int m = 0; m < LAST(2); m++)
        for (int j = 0; j < 2; j++)
            for (int i = 0; i < 2; i++) {
                size_t c = corner + (size_t)i + (size_t)j * f->grid.stride[1] +
                           (size_t)m * f->grid.stride[2];
                sum += X(centre_share)(&s, i, j, m) * f->channel_sum[c];
            }
    return sum;
}

#endif
