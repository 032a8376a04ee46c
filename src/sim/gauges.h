/* gauges.h -- reading the instruments of a scene, and what the grid says at a point (gauges.c). */
#ifndef SPATE_SIM_GAUGES_H
#define SPATE_SIM_GAUGES_H

#include "sim.h"

/* Fills common->gauges, where the grid is: after a step on the device. build: there is no step on
 * the grid yet; particles and solids are laid on that of the host first. */
void X(read_gauges)(X(sim) *s, bool build);
/* Solids where they are now, the particles' velocity and the surface on the grid. The next step
 * makes all of it anew. */
void X(build_grid)(X(sim) *s);
/* Force (N; 2D: N/m) of the liquid's pressure on solid number `solid`, and its torque about a point
 * (m). force and torque may be NULL. */
void X(solid_force)(X(sim) *s, int solid, const double about[3], double force[3], double torque[3]);
/* What the grid says at `count` points (m), as spate_sim_sample; any of the three may be NULL. */
void X(sample)(const X(sim) *s, const double *points, size_t count, double *velocity,
               double *pressure, double *phi);

#endif
