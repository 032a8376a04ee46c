/* drops.h -- particles that fly alone: too few to make a surface, drawn as small balls of water. */
#ifndef SPATE_RENDER_DROPS_H
#define SPATE_RENDER_DROPS_H

#include "water.h"

/* Draws over `image` what is before the solids and the liquid (depths per pixel, 0: none). */
void sp_drops_draw(const sp_water *water, const sp_camera *camera, const float *solid,
                   const float *depth, sp_image *image);

#endif
