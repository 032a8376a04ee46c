/* solids3d.h -- the solids of a 3D simulation, found by following rays. */
#ifndef SPATE_RENDER_SOLIDS3D_H
#define SPATE_RENDER_SOLIDS3D_H

#include "studio.h"

/* Draws over `image`. Per pixel: `cover`, the share of the pixel that solids take, and `depth` (m)
 * of the solid that the pixel's centre sees; where only a part beside the centre does, its depth
 * with a minus sign; 0 where there is none. */
void sp_solids_draw(const sp_studio *studio, const sp_camera *camera, const sp_preview *preview,
                    sp_image *image, float *depth, float *cover);

#endif
