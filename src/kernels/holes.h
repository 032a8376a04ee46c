/* holes.h -- cells and faces of a gas that no particle reaches.
 *
 * They take what is around them: a cell the mean of the channels, a face the mean of the velocity.
 * Where the mean is over those beside it there is nothing to see of the hole. Those farther in take
 * the mean of all in the smallest box around them that has some. Without, a hole would be gas at
 * rest and without heat, around which the flow goes, and so would be the particles that the net
 * gives there (reseed.h). A hole wider than twice WIDEST_HOLE keeps 0 in its middle.
 *
 * What a body writes no other one reads: sums are taken from where particles reach alone. */
#ifndef SPATE_KERNELS_HOLES_H
#define SPATE_KERNELS_HOLES_H

#include "fields.h"
#include "lane.h"

#include <spate/spate.h>

#define WIDEST_HOLE 8 /* cells from the middle to the rim */

/* The number k of the places in a box of 2 far + 1 along each axis, and where it is from cell c;
 * false: outside of the domain. */
SP_KERNEL bool X(place_in_box)(const X(grid) *g, const int c[DIM], int far, int k, size_t *place)
{
    int side = 2 * far + 1, near[DIM];
    const int offset[3] = {k % side - far, k / side % side - far,
                           DIM == 3 ? k / side / side - far : 0};
    if (!X(neighbour)(g, c, offset, near))
        return false;
    *place = X(index)(g, near);
    return true;
}

SP_KERNEL int X(places_in_box)(int far)
{
    int side = 2 * far + 1;
    return side * side * LAST(side);
}

/* ---- cells */

/* Adds cell `near` to the mean that cell c takes, if some particle reaches it. */
SP_KERNEL void X(add_to_mean)(const X(fields) *f, size_t c, size_t near, float *count)
{
    if (!(f->channel_weight[near] > 0.0f))
        return;
    *count += 1.0f;
    for (int j = 0; j < f->on_grid; j++) {
        float mean = f->channel[j][c] + (f->channel[j][near] - f->channel[j][c]) / *count;
        f->channel[j][c] = f->channel_old[j][c] = mean;
    }
}

SP_KERNEL void X(fill_empty_cell)(const X(fields) *f, size_t c, const int cell[DIM])
{
    float count = 0.0f;
    size_t near;
    if (f->channel_weight[c] > 0.0f)
        return;
    for (int k = 0; k < 2 * DIM; k++) {
        size_t step = f->grid.stride[k / 2];
        X(add_to_mean)(f, c, k % 2 ? c + step : c - step, &count);
    }
    for (int far = 1; far <= WIDEST_HOLE && count == 0.0f; far++)
        for (int k = 0; k < X(places_in_box)(far); k++)
            if (X(place_in_box)(&f->grid, cell, far, k, &near))
                X(add_to_mean)(f, c, near, &count);
}

/* ---- faces */

/* Faces d of LANES cells from c on that are open, between cells of the gas, and that no particle
 * reaches. */
SP_KERNEL i8 X(empty_faces)(const X(fields) *f, size_t c, int d)
{
    const uint8_t *before = f->type + c - f->grid.stride[d];
    i8 gas = is_equal(load_bytes(f->type + c), SPATE_CELL_LIQUID) &
             is_equal(load_bytes(before), SPATE_CELL_LIQUID);
    if (f->has_solids)
        gas &= is_positive(load(f->w[d] + c));
    return gas & ~is_positive(load(f->weight[d] + c));
}

SP_KERNEL void X(fill_empty_face)(const X(fields) *f, size_t c, const int cell[DIM], int d)
{
    float count = 0.0f, mean = 0.0f;
    size_t near;
    for (int far = 1; far <= WIDEST_HOLE && count == 0.0f; far++)
        for (int k = 0; k < X(places_in_box)(far); k++) {
            if (!X(place_in_box)(&f->grid, cell, far, k, &near) || !(f->weight[d][near] > 0.0f))
                continue;
            count += 1.0f;
            mean += (f->u[d][near] - mean) / count;
        }
    f->u[d][c] = f->u_old[d][c] = mean;
}

/* Faces d of LANES cells from c on. */
SP_KERNEL void X(fill_empty_faces)(const X(fields) *f, size_t c, const int cell[DIM], int d)
{
    i8 empty = X(empty_faces)(f, c, d);
    for (int k = 0; k < LANES && any(empty); k++) {
        int at[DIM];
        FOR_DIM(a)
            at[a] = cell[a] + (a == 0 ? k : 0);
        if (lane(empty, k) && X(inside)(&f->grid, at))
            X(fill_empty_face)(f, c + (size_t)k, at, d);
    }
}

#endif
