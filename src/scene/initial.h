/* initial.h -- the velocity of a fill by a formula. */
#ifndef SPATE_SCENE_INITIAL_H
#define SPATE_SCENE_INITIAL_H

#include <spate/spate.h>

/* Velocity (m/s) of the liquid of a fill at x (m). gravity: its size, m/s^2. */
void sp_initial_velocity(const spate_shape *fill, double gravity, const double x[3], double v[3]);
/* Height (m) up to which the fill's liquid stands at x; HUGE_VAL: as far as the shape goes. */
double sp_initial_surface(const spate_shape *fill, const double x[3]);

#endif
