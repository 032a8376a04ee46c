/* separate.c -- the stage SEPARATE: keeps the particles at their distance, and with it the volume.
 *
 * The projection makes velocities free of divergence, not places: errors of advection and of
 * transfer add up, particles gather in some cells and leave others. SEPARATE stands between G2P and
 * ADVECT, where particles are still sorted and the grid still holds their density and the pressure
 * system, and is about places alone; velocities stay. push_apart.c works on pairs of particles and
 * moves them; density.c works on cells and leaves a displacement on the faces, by which ADVECT
 * moves the particles as it takes each of them in hand. What the moves do to the potential energy
 * is booked. */
#include "sim.h"

spate_status X(separate)(X(sim) *s, double dt, spate_error *error)
{
    (void)error;
    spate_volume_method method = s->common->scene->volume.method;
    if (!(dt > 0))
        return SPATE_OK;
    if (method == SPATE_VOLUME_PUSH || method == SPATE_VOLUME_BOTH) {
        X(book_separation)(s, s->device->push_apart(s));
        s->particles.at_home = false;
    }
    if (method == SPATE_VOLUME_DENSITY || method == SPATE_VOLUME_BOTH) {
        sp_work *work = sp_pool_work(s->common->pool);
        int iterations = s->device->project_density(s);
        s->displaced = iterations >= 0;
        s->common->density_iterations += iterations > 0 ? iterations : 0;
        work->iterations += (uint64_t)(iterations > 0 ? iterations : 0);
        work->solves++;
    }
    return SPATE_OK;
}
