/* frame.h -- one moment of a run, apart from the simulation that made it: particles, solids and
 * time, copied from a simulation or read from the files of a run. So that pictures are drawn while
 * the simulation goes on, and long after it. */
#ifndef SPATE_RENDER_FRAME_H
#define SPATE_RENDER_FRAME_H

#include "preview.h"
#include "scene/solids.h"

typedef struct sp_frame {
    const spate_scene *scene;
    spate_forecast domain; /* cells, cell size */
    sp_solids solids;      /* where they are at `time` */
    double time;           /* s */
    size_t count, capacity;
    float *x[3]; /* cells from the corner of the domain; x[2] = NULL in 2D */
    float *v[3]; /* m/s */
} sp_frame;

/* Without particles, at time 0. The scene must outlive it. */
spate_status sp_frame_create(sp_frame *frame, const spate_scene *scene, spate_error *error);
void sp_frame_destroy(sp_frame *frame);

/* The particles and the time of a simulation of the scene; the same from a view of them. */
spate_status sp_frame_take(sp_frame *frame, spate_sim *sim, spate_error *error);
spate_status sp_frame_copy(sp_frame *frame, const spate_particles_view *view, double time,
                           spate_error *error);
/* The particles of a particle file, the solids as they are at `time`. */
spate_status sp_frame_read(sp_frame *frame, const char *path, double time, spate_error *error);

spate_status sp_frame_paint(const sp_frame *frame, const sp_look *look, sp_pool *pool,
                            sp_image *image, spate_error *error);

#endif
