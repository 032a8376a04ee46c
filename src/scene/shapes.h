/* shapes.h -- exact signed distances to the shapes of a scene, and where they are at a time.
 *
 * A prepared shape lives in its own frame: its centre (the pivot of its rotation) at the origin,
 * its rotation undone, lengths in metres. A pose takes that frame to the world. Distances are
 * negative inside; `invert` is applied. In 2D the third coordinate is ignored. */
#ifndef SPATE_SCENE_SHAPES_H
#define SPATE_SCENE_SHAPES_H

#include "kernels/solid.h"

/* The shape must have passed spate_scene_check. Borrows mesh and motion of `shape`. Not for
 * SPATE_SHAPE_PARTICLES. */
void sp_shape_prepare(sp_shape *prepared, const spate_shape *shape, int dim);

/* Signed distance at a local point (m). `normal` (may be NULL) receives the unit outward gradient,
 * in the local frame. */
double sp_shape_distance(const sp_shape *shape, const double local[3], double normal[3]);

/* Bounds of the inside, local frame; -HUGE_VAL .. HUGE_VAL for a plane or an inverted shape. */
void sp_shape_bounds(const sp_shape *shape, double low[3], double high[3]);

/* Whether the shape ever moves (motion or velocity), and where it is at `time`: rest pose, drift by
 * velocity, keyframes. Positions and angles are linear between keys, so that 0 to 720 degrees is
 * two turns at a constant rate. Same bits on every platform: no libm trigonometry. */
bool sp_shape_moves(const sp_shape *shape);
sp_pose sp_shape_pose(const sp_shape *shape, double time);
/* The pose displaced by `position` (m) and turned by `rotation` (degrees) from rest, as a keyframe
 * would. */
sp_pose sp_shape_pose_at(const sp_shape *shape, const double position[3], const double rotation[3]);

/* Bounds in the world of a shape at a pose; infinite on all sides for a plane or an inverted shape.
 */
void sp_shape_bounds_at(const sp_shape *shape, const sp_pose *pose, double low[3], double high[3]);
/* Whether a point of the world is inside a shape at a pose, its surface included. */
bool sp_shape_holds(const sp_shape *shape, const sp_pose *pose, const double world[3]);

void sp_pose_to_world(const sp_pose *pose, const double local[3], double world[3]);
void sp_pose_to_local(const sp_pose *pose, const double world[3], double local[3]);
void sp_pose_rotate_to_world(const sp_pose *pose, const double local[3],
                             double world[3]); /* directions */

/* sin and cos of an angle in degrees, exact at multiples of 90, the same bits everywhere. */
void sp_sincos_degrees(double degrees, double *sine, double *cosine);

#endif
