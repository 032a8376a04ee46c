/* drops.h -- particles that fly alone: too few to make a surface, drawn as small drops of water. */
#ifndef SPATE_RENDER_DROPS_H
#define SPATE_RENDER_DROPS_H

#include "water.h"

/* Draws over `image` what is before the solids and the liquid (depths per pixel, 0: none). */
spate_status sp_drops_draw(const sp_water *water, const sp_camera *camera, const float *solid,
                           const float *depth, sp_image *image, spate_error *error);

/* The drops that a particle of this id stands for: spray, of drops of many sizes. Their share of
 * its volume, the sum of which is 1, and their places about it, in parts of a cell; returns how
 * many. A particle keeps its drops for ever. */
#define SP_DROPS_MOST 4
typedef struct sp_droplet {
    float share, place[3];
} sp_droplet;
int sp_drops_split(uint32_t id, sp_droplet droplets[SP_DROPS_MOST]);

#endif
