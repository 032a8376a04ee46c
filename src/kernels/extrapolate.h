/* extrapolate.h -- how far EXTRAPOLATE carries the velocity of the liquid (cpu/extrapolate.c). */
#ifndef SPATE_KERNELS_EXTRAPOLATE_H
#define SPATE_KERNELS_EXTRAPOLATE_H

#include "grid.h"
#include "lane.h"

#include <math.h>

#define MAX_LAYERS (TILE - 1)

/* Layers of faces around the liquid that a particle may come to in a step: it goes at most
 * `fastest` (m/s) along each axis, and reads two more. */
SP_KERNEL int X(layers_to_extend)(const X(grid) *g, double fastest, double dt)
{
    double cells = fastest * sqrt((double)DIM) * dt / g->dx;
    return cells < MAX_LAYERS - 2 ? (int)ceil(cells) + 2 : MAX_LAYERS;
}

/* Particles of a full cell that a face in the air must have for its own velocity to count in full.
 */
#define OWN_SHARE 0.2f

/* What a face in the air that particles reached adds to the velocities, old and new, that it takes
 * from the liquid: its share of what they brought there, `own`, against the old one. The kick is
 * the liquid's, but momentum is that of the particles. (Few of them are noise, which must not stir
 * a surface at rest.) weight: of P2G. */
SP_KERNEL f8 X(own_part)(f8 weight, f8 own, f8 old, float rest)
{
    f8 share = f8_min(weight * (1.0f / (OWN_SHARE * rest)), f8_of(1.0f));
    return share * (own - old);
}

#endif
