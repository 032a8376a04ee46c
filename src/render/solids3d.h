/* solids3d.h -- the solids of a 3D simulation, found by following rays. */
#ifndef SPATE_RENDER_SOLIDS3D_H
#define SPATE_RENDER_SOLIDS3D_H

#include "studio.h"

/* Draws over `image`. Per pixel: `depth` (m) of the solid that its centre sees, 0 if there is none;
 * `cover`, the share of the pixel that solids take; where that is not 0 or 1, `edge` is the depth
 * of the nearest of them. The three must be 0 before. */
spate_status sp_solids_draw(const sp_studio *studio, const sp_camera *camera,
                            const sp_preview *preview, sp_image *image, float *depth, float *edge,
                            float *cover, spate_error *error);

/* The first solid on a ray (m from the centre of the domain), and its colour there. */
bool sp_solids_meet(const sp_studio *studio, const sp_preview *preview, sp_vec from, sp_vec along,
                    float begin, float end, sp_solid_hit *hit);
sp_color sp_solids_color(const sp_studio *studio, const sp_preview *preview, sp_vec from,
                         sp_vec along, const sp_solid_hit *hit);

#endif
