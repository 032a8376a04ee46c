/* usd_course.h -- particles as USD in the layout of the PIC-FLIP course: /World/Particles, ten
 * units to a metre, velocities in these units per second. */
#ifndef SPATE_IO_USD_COURSE_H
#define SPATE_IO_USD_COURSE_H

#include "state/particle_set.h"

typedef struct sp_usd_course sp_usd_course;

/* NULL on failure. fps: time codes per second, one for each output. */
sp_usd_course *sp_usd_course_create(const char *path, double fps, spate_error *error);
/* A sample; radius: m, of a particle. Failures are remembered for sp_usd_course_close. */
void sp_usd_course_particles(sp_usd_course *file, const sp_particles *now, double radius,
                             double time);
spate_status sp_usd_course_close(sp_usd_course *file, spate_error *error);
void sp_usd_course_abandon(sp_usd_course *file); /* NULL is fine */

#endif
