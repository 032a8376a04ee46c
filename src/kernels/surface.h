/* surface.h -- the level set of one cell from the density of particles around it (cpu/surface.c).
 */
#ifndef SPATE_KERNELS_SURFACE_H
#define SPATE_KERNELS_SURFACE_H

#include "kernel.h"

/* Below this share of free room the density means little and phi comes from the neighbours. */
#define LEAST_ROOM 0.5f

/* The root comes from the caller: its name differs between C and CUDA. */
#define SP_SURFACE_DISTANCE(density, root)                       \
    ((density) <= 0.5f  ? 1.0f - root(2.0f * (density))          \
     : (density) < 1.0f ? root(2.0f * (1.0f - (density))) - 1.0f \
                        : -1.0f)

/* Cells with little room take their value from those with more, in these bands. */
#define ROOM_BANDS                             \
    {                                          \
        LEAST_ROOM, 0.2f, 0.05f, 0.005f, -1.0f \
    }
#define ROOM_BAND_COUNT 4

#endif
