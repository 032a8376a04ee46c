/* separate.c -- the stage SEPARATE: keeps the particles at their distance, and with it the volume.
 *
 * The projection makes velocities free of divergence, not places: errors of advection and of
 * transfer add up, particles gather in some cells and leave others. SEPARATE stands between G2P and
 * ADVECT, where particles are still sorted and the grid still holds their density and the pressure
 * system, and is about places alone; velocities stay. push_apart.c works on pairs of particles and
 * moves them; density.c works on cells and leaves a displacement on the faces, by which ADVECT
 * moves the particles as it takes each of them in hand. What the moves do to the potential energy
 * is booked. A gas has a displacement of its own, which needs no solve (kernels/shift.h). */
#include "sim.h"

#include <math.h>

/* The largest speed is that of the grid in this step. */
static float share_of_shift(const X(sim) *s, double dt)
{
    double cfl = s->common->flow_speed * dt / s->grid.dx;
    return (float)fmin(1, 0.5 * cfl);
}

static void shift(X(sim) *s, double dt)
{
    float share = share_of_shift(s, dt);
    if (!(share > 0.0f)) /* at rest */
        return;
    s->device->shift(s, share);
    s->displaced = true;
}

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
    if (method == SPATE_VOLUME_SHIFT)
        shift(s, dt);
    return SPATE_OK;
}
