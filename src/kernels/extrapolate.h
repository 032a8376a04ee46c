/* extrapolate.h -- how far EXTRAPOLATE carries the velocity of the liquid (cpu/extrapolate.c). */
#ifndef SPATE_KERNELS_EXTRAPOLATE_H
#define SPATE_KERNELS_EXTRAPOLATE_H

#include "grid.h"

#include <math.h>

#define MAX_LAYERS (TILE - 1)

/* Layers of faces around the liquid that a particle may come to in a step: it goes at most
 * `fastest` (m/s) along each axis, and reads two more. */
SP_KERNEL int X(layers_to_extend)(const X(grid) *g, double fastest, double dt)
{
    double cells = fastest * sqrt((double)DIM) * dt / g->dx;
    return cells < MAX_LAYERS - 2 ? (int)ceil(cells) + 2 : MAX_LAYERS;
}

#endif
