/* grains.h -- the sets of particles beside the fluid in pictures. */
#ifndef SPATE_RENDER_GRAINS_H
#define SPATE_RENDER_GRAINS_H

#include "canvas2d.h"
#include "water.h"

/* Over a perspective picture; solid and depth: of solids and liquid per pixel, 0 where there is
 * none. */
spate_status sp_grains_draw(const sp_water *water, const sp_camera *camera, const float *solid,
                            const float *depth, sp_image *image, spate_error *error);
/* Over a flat one. */
void sp_grains_draw_flat(const sp_canvas *page);

#endif
