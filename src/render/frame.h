/* frame.h -- one moment of a run, apart from the simulation that made it: particles and solids,
 * copied from a simulation or read from the files of a run. So that pictures are drawn while the
 * simulation goes on, and long after it. */
#ifndef SPATE_RENDER_FRAME_H
#define SPATE_RENDER_FRAME_H

#include "gas.h"
#include "preview.h"
#include "scene/solids.h"

typedef struct sp_frame {
    const spate_scene *scene;
    struct {
        int cells[3];
        double domain[3]; /* m */
        double cell_size; /* m */
    } domain;
    sp_solids solids;       /* where they are at the time of the particles */
    sp_solid_rays rays;     /* the same, to be seen */
    sp_particles particles; /* with memory of its own; positions in cells */
    sp_particle_sets sets;  /* likewise, those beside the fluid */
    sp_field_set fields;    /* of a file of a gas */
    sp_gas_plane gas;       /* what is drawn of it */
} sp_frame;

/* Without particles, at time 0. The scene must outlive it. */
spate_status sp_frame_create(sp_frame *frame, const spate_scene *scene, spate_error *error);
void sp_frame_destroy(sp_frame *frame);

/* What pictures show of these particles, which are those of the scene: positions and velocities. */
spate_status sp_frame_copy(sp_frame *frame, const sp_particles *particles, spate_error *error);
/* The sets beside the fluid. */
spate_status sp_frame_copy_sets(sp_frame *frame, const sp_particle_sets *sets, spate_error *error);
/* Of a gas instead: what `look` shows of these fields. */
spate_status sp_frame_copy_fields(sp_frame *frame, const sp_field_set *fields, const sp_look *look,
                                  spate_error *error);
/* The same of a volume file, that of frame `number`. */
spate_status sp_frame_read_fields(sp_frame *frame, int number, const char *path,
                                  const sp_look *look, spate_error *error);
/* Whether pictures of it show fields, not particles. */
bool sp_frame_is_gas(const sp_frame *frame);
/* The particles of a particle file, that of frame `number`, and of the files NAME.NNNN.ply of other
 * sets that are beside it. */
spate_status sp_frame_read(sp_frame *frame, int number, const char *path, spate_error *error);

spate_status sp_frame_paint(const sp_frame *frame, const sp_look *look, sp_pool *pool,
                            sp_image *image, spate_error *error);

#endif
