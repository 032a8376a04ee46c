/* separate.c -- the stage SEPARATE: keeps the particles at their distance, and with it the volume.
 *
 * The projection makes velocities free of divergence, not places: errors of advection and of
 * transfer add up, particles gather in some cells and leave others. SEPARATE stands between G2P and
 * ADVECT, where particles are still sorted and the grid still holds their density and the pressure
 * system, and is about places alone; velocities stay. push_apart.c works on pairs of particles and
 * moves them; density.c works on cells and leaves a displacement on the faces, by which ADVECT
 * moves the particles as it takes each of them in hand. What the moves do to the potential energy
 * is booked. */
#include "state/state.h"

#include <math.h>

void X(book_separation)(X(sim) *s, double work)
{
    const spate_scene *scene = s->common->scene;
    double mass =
        scene->fluid.density * pow(s->grid.dx / scene->fluid.particles_per_axis, (double)DIM);
    s->common->separate_energy -= mass * work;
}

void X(separate_particles)(X(sim) *s, double dt)
{
    spate_volume_method method = s->common->scene->volume.method;
    if (method == SPATE_VOLUME_NONE || !(dt > 0))
        return;
    if (method == SPATE_VOLUME_PUSH || method == SPATE_VOLUME_BOTH) {
        X(book_separation)(s, X(push_apart)(s));
        s->at_home = false;
    }
    if (method == SPATE_VOLUME_DENSITY || method == SPATE_VOLUME_BOTH)
        X(project_density)(s);
}
