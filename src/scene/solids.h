/* solids.h -- the solids of a simulation: where they are during a step, and what they do to a
 * moving point.
 *
 * During a step a solid goes from pose `from` (its start) to pose `to` (its end). Distances are
 * taken at `to` unless said otherwise. Everything is in metres, by the exact shapes. */
#ifndef SPATE_SCENE_SOLIDS_H
#define SPATE_SCENE_SOLIDS_H

#include "shapes.h"

/* At the first free index, which *index (may be NULL) receives. */
spate_status sp_solids_add(sp_solids *solids, const spate_shape *shape, double time, int *index,
                           spate_error *error);
void sp_solids_clear(sp_solids *solids);
/* NULL if there is none, or no longer. */
sp_solid *sp_solids_find(const sp_solids *solids, spate_solid_id id);
spate_solid_id sp_solids_id(const sp_solids *solids, int index); /* {0, 0} if there is none */

/* Bounds and totals from the poses as they are; nothing moves. */
void sp_solids_refresh(sp_solids *solids);
/* Starts a step from `time` to `time + dt`. */
void sp_solids_advance(sp_solids *solids, double time, double dt);

/* Takes back the last advance. */
void sp_solids_rewind(sp_solids *solids);

/* All solids rest where the step began, until they are released. */
void sp_solids_hold(sp_solids *solids);
void sp_solids_release(sp_solids *solids);

/* The highest speed (m/s) of a point of a solid between `time` and `time + dt`, of the straight
 * way. */
double sp_solids_speed(const sp_solids *solids, double time, double dt);

/* Signed distance to the nearest solid; index of it (-1: none, and the distance is HUGE_VAL);
 * normal may be NULL. */
double sp_solids_distance(const sp_solids *solids, const double x[3], double normal[3], int *index);
/* The same for one solid. */
double sp_solid_distance(const sp_solid *solid, const double x[3], double normal[3]);
/* Velocity (m/s) of the material point that is at x at the end of the step. */
void sp_solid_velocity(const sp_solid *solid, const double x[3], double dt, double v[3]);

/* Moves a point from x0 to x1 (m) past the solids: stops it where it meets one, lets it slide on,
 * and takes the approaching part out of its velocity v. At the end x1 is free of all solids and
 * inside the room, or the result is SP_CONTACT_CRUSHED. */
sp_contact sp_solids_sweep(const sp_solids *solids, const sp_clearance *room, const double x0[3],
                           double x1[3], double v[3], double dt);

#endif
