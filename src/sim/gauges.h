/* gauges.h -- reading the instruments of a scene (gauges.c), and what the grid says at a point
 * (probe.c). */
#ifndef SPATE_SIM_GAUGES_H
#define SPATE_SIM_GAUGES_H

#include "sim.h"

/* Fills common->gauges. build: there is no step on the grid yet; particles and solids are laid on
 * it first. */
void X(read_gauges)(X(sim) *s, bool build);
/* Solids where they are now, the particles' velocity and the surface on the grid. The next step
 * makes all of it anew. */
void X(build_grid)(X(sim) *s);
/* Force (N; 2D: N/m) of the liquid's pressure on solid number `solid`, and its torque about a point
 * (m). force and torque may be NULL. */
void X(solid_force)(X(sim) *s, int solid, const double about[3], double force[3], double torque[3]);
/* What the grid says at a point (m), as spate_sim_sample; any of the three may be NULL. */
void X(sample)(const X(sim) *s, const double point[3], double velocity[3], double *pressure,
               double *phi);
unsigned X(gauge_groups)(const X(sim) *s); /* GROUP_... that it reads after a step */

/* ---- probe.c; positions in cells */

/* The axis against gravity, +y without gravity; *sign is 1 or -1. */
int X(up_axis)(const X(sim) *s, int *sign);
/* Level set (m), linear between the middles of cells; needs one (has_level_set). */
double X(probe_phi)(const X(sim) *s, const double x[DIM]);
/* Voxel surface: share of the cells around that is full of liquid, linear between their middles. */
double X(probe_fill)(const X(sim) *s, const double x[DIM]);
/* Distance to the nearest solid (m), exact within a cell of it and at least a cell elsewhere. */
double X(probe_solid)(const X(sim) *s, const double x[DIM]);
bool X(probe_liquid)(const X(sim) *s, const double x[DIM]);
/* Pressure (Pa) of a liquid cell carried to a point by its slopes. */
double X(cell_pressure_at)(const X(sim) *s, const int cell[DIM], const double x[DIM]);
/* Pressure (Pa) at a point; false where there is no liquid. */
bool X(probe_pressure)(const X(sim) *s, const double x[DIM], double *pressure);

#endif
