/* run_film.h -- preview.mp4: the film of a run, drawn in the background while the run goes on.
 *
 * A film is a gift, not the result: whatever goes wrong with it is a warning, and the run goes on.
 */
#ifndef SPATE_TOOL_RUN_FILM_H
#define SPATE_TOOL_RUN_FILM_H

#include "run.h"

/* Begins the film of a run that is at its first frame, or at the one where it is resumed: the
 * frames before that come from the files of the run. NULL: there will be no film. */
run_film *run_film_begin(const tool_run *run);
/* The particles at the end of a frame, or of a gas its fields, which are copied. NULL is fine here
 * and below. sets: beside the fluid */
void run_film_frame(run_film *film, const sp_particles *particles, const sp_particle_sets *sets,
                    const sp_field_set *fields);
/* Completes it; true if there is a film. `quietly`: no warning if there is none. */
bool run_film_end(run_film *film, bool quietly);

#endif
