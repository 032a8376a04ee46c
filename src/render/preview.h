/* preview.h -- pictures of a simulation, drawn in memory.
 *
 * sp_preview_draw chooses between the flat picture of a 2D simulation and the perspective one of a
 * 3D simulation; both get what they need as a sp_preview. Drawing is serial and depends on nothing
 * but the simulation and the size of the picture: the same state gives the same picture. */
#ifndef SPATE_RENDER_PREVIEW_H
#define SPATE_RENDER_PREVIEW_H

#include "image.h"

typedef struct sp_preview {
    const spate_sim *sim;
    const spate_scene *scene;
    spate_particles_view_data particles;
    double low[3], size[3]; /* m, the domain in whole cells; size[2] = 0 in 2D */
    double dx;              /* m */
    int per_axis;           /* particles per axis of a cell */
    double speed;           /* m/s, drawn as fast; more than 0 */
    bool solids;            /* whether there is any */
} sp_preview;

/* Draws over the whole of `image`, which the caller has created. */
spate_status sp_preview_draw(spate_sim *sim, sp_image *image, spate_error *error);

spate_status sp_preview_draw_2d(const sp_preview *preview, sp_image *image, spate_error *error);
spate_status sp_preview_draw_3d(const sp_preview *preview, sp_image *image, spate_error *error);

/* Whether a solid (as spate_sim_solid_distance numbers them) is inverted: all but its inside. */
bool sp_preview_is_vessel(const sp_preview *preview, int solid);

/* m/s of particle k. */
float sp_preview_speed(const sp_preview *preview, size_t k);

#endif
