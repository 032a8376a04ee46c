/* preview.h -- pictures of a simulation, drawn in memory.
 *
 * sp_preview_paint chooses between the flat picture of a 2D simulation, the perspective one of a
 * 3D simulation, and that of a gas; all get what they need as a sp_preview: particles, solids and
 * scene of one frame, from a simulation or from the files that a run has left. What is drawn
 * depends on these and the size of the picture alone, not on the number of threads. */
#ifndef SPATE_RENDER_PREVIEW_H
#define SPATE_RENDER_PREVIEW_H

#include "base/parallel.h"
#include "image.h"
#include "scene/solid_rays.h"
#include "state/particle_set.h"

/* How to look at it. All zero: from the front, the whole domain in view. */
typedef struct sp_look {
    bool eye_given, target_given;
    double eye[3], target[3]; /* m, in the coordinates of the scene; 3D only */
    double fov;               /* degrees, of the picture's longer side; 0: 29.5, or to fit */
    bool stamp;               /* the time in a corner */
    /* of a gas */
    const char *field; /* what is drawn of it; NULL: the field that tells most */
    bool slice_given, range_given;
    double slice;    /* m, 3D: z of the plane; default: the middle */
    double range[2]; /* ends of the colours; default: those of the frames so far */
} sp_look;

typedef struct sp_gas_plane sp_gas_plane;

/* Signed distance (m) to the nearest solid, negative inside. */
typedef double sp_distance_fn(const void *user, const double point[3]);

typedef struct sp_preview {
    const spate_scene *scene;
    const sp_particles *particles;
    const sp_particle_sets *sets; /* beside the fluid; NULL: none */
    const sp_gas_plane *gas;      /* what is drawn of a gas; NULL: it is a liquid */
    double low[3], size[3];       /* m, the domain; size[2] = 0 in 2D */
    double dx;                    /* m */
    int per_axis;                 /* particles per axis of a cell */
    double speed;                 /* m/s, drawn as fast; more than 0 */
    sp_distance_fn *distance;     /* NULL: there are no solids */
    const void *distance_user;
    const sp_solid_rays *rays; /* 3D: what of them is seen; NULL: nothing */
    sp_pool *pool;
    sp_look look;
} sp_preview;

/* Fills what follows from scene and particles: speed and per_axis. */
void sp_preview_complete(sp_preview *preview);

/* Draws over the whole of `image`, which the caller has created. */
spate_status sp_preview_paint(const sp_preview *preview, sp_image *image, spate_error *error);
spate_status sp_preview_draw_2d(const sp_preview *preview, sp_image *image, spate_error *error);
void sp_preview_draw_gas(const sp_preview *preview, sp_image *image);
spate_status sp_preview_draw_3d(const sp_preview *preview, sp_image *image, spate_error *error);
/* A picture of a simulation as it is. */
spate_status sp_preview_draw(spate_sim *sim, sp_image *image, spate_error *error);

/* The solids of the picture; what it is given must outlive it. */
void sp_preview_set_solids(sp_preview *preview, const sp_solid_rays *rays);

/* m/s of particle k. */
float sp_preview_speed(const sp_preview *preview, size_t k);

#endif
