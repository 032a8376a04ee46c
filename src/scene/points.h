/* points.h -- what is inside a spate_points: particles given as they are. */
#ifndef SPATE_SCENE_POINTS_H
#define SPATE_SCENE_POINTS_H

#include <spate/spate.h>

size_t sp_points_count(const spate_points *points);
const float *sp_points_positions(const spate_points *points);  /* 3 * count, m */
const float *sp_points_velocities(const spate_points *points); /* 3 * count, m/s; never NULL */

#endif
