/* density.h -- the density projection for one cell and one face (cpu/density.c says what it does).
 * The CPU takes eight of both at a time; tests/unit/dim/test_density.c holds its results against
 * X(excess) and X(extended). */
#ifndef SPATE_KERNELS_DENSITY_H
#define SPATE_KERNELS_DENSITY_H

#include "fields.h"

#include <spate/spate.h>

#define MOST_ERROR 0.5f /* of the density, in a step */
#define MOST_WAY 0.5f   /* cells along an axis that a particle goes by it in a step */
#define REACH 2         /* layers of faces around the liquid that get a displacement */

/* What the density of a cell differs from 1, as far as it counts in a step. surface: air is around
 * it, where too little is no error. */
SP_KERNEL float X(density_error)(float density, bool surface)
{
    float error = density - 1.0f, least = surface ? 0.0f : -MOST_ERROR;
    error = error < MOST_ERROR ? error : MOST_ERROR;
    return error > least ? error : least;
}

/* Whether one of the 3^DIM cells of the box around a cell is air. */
SP_KERNEL bool X(has_air_around)(const X(fields) *f, size_t c)
{
    bool found = false;
    for (int k = 0; k < (DIM == 3 ? 9 : 3); k++) {
        const uint8_t *row = f->type + c - f->grid.stride[1] - f->grid.stride[2] +
                             (size_t)(k % 3) * f->grid.stride[1] +
                             (size_t)(k / 3) * f->grid.stride[2];
        found = found || row[-1] == SPATE_CELL_AIR || row[0] == SPATE_CELL_AIR ||
                row[1] == SPATE_CELL_AIR;
    }
    return found;
}

/* Beside a thin solid, where air behind that does not count: through open faces. */
SP_KERNEL bool X(has_air_beside)(const X(fields) *f, size_t c)
{
    bool found = false;
    FOR_DIM(d) {
        size_t step = f->grid.stride[d];
        found = found || (f->type[c - step] == SPATE_CELL_AIR && f->w[d][c] > 0.0f) ||
                (f->type[c + step] == SPATE_CELL_AIR && f->w[d][c + step] > 0.0f);
    }
    return found;
}

/* The right side of an unknown: what its cell holds too much of its room. */
SP_KERNEL float X(excess)(const X(fields) *f, size_t c)
{
    bool surface = f->has_solids && f->thin[c] ? X(has_air_beside)(f, c) : X(has_air_around)(f, c);
    float error = X(density_error)(f->density[c], surface);
    return f->has_solids ? error * f->room[c] : error;
}

/* The displacement of a face d of a layer around the liquid (`known` of faces is their layer): the
 * mean of its neighbours in the layers before. */
SP_KERNEL float X(extended)(const X(fields) *f, int d, size_t face, int layer)
{
    float sum = 0.0f, count = 0.0f;
    FOR_DIM(axis)
        for (int side = 0; side < 2; side++) {
            size_t near = side ? face + f->grid.stride[axis] : face - f->grid.stride[axis];
            uint8_t mark = f->known[d][near];
            bool known = mark != FACE_UNKNOWN && mark < layer;
            sum += known ? f->away[d][near] : 0.0f;
            count += known ? 1.0f : 0.0f;
        }
    return count > 0.0f ? sum / count : 0.0f;
}

/* The way of a particle along an axis, of a displacement. */
SP_KERNEL float X(limited_way)(float way)
{
    way = way < MOST_WAY ? way : MOST_WAY;
    return way > -MOST_WAY ? way : -MOST_WAY;
}

#endif
