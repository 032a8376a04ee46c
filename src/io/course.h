/* course.h -- scenes of the PIC-FLIP course: one flat JSON object, recognised by its key n_grid. */
#ifndef SPATE_IO_COURSE_H
#define SPATE_IO_COURSE_H

#include <spate/spate.h>

struct json_t; /* of Jansson, whose header only the files of src/io need */

bool sp_course_is(const struct json_t *root);
/* The scene that says the same in spate's settings; NULL on failure. Unknown keys, and what spate
 * does in another way, go to the log (may be NULL) as warnings and as information. */
spate_scene *sp_course_scene(struct json_t *root, spate_log_fn *log, void *user,
                             spate_error *error);
/* Whether a file is one; false also if it cannot be read. */
bool sp_course_is_file(const char *path);
spate_scene *sp_course_read(const char *path, spate_log_fn *log, void *user, spate_error *error);

/* The settings of such a scene that are the course's, back to spate's own: solver, solids, surface,
 * kernels, advection, time step, volume, sampling. What is in the scene stays where it is. */
spate_status sp_course_use_own(spate_scene *scene, spate_error *error);
/* m^3 of the boxes of liquid that have appeared by `time` (s), whatever they overlap with. */
double sp_course_volume(const spate_scene *scene, double time);

#endif
