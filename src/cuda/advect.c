/* advect.c -- the host's part of moving particles that live on the device: it says how, and books
 * what was counted. */
#include "residency.h"
#include "stages.h"

#include <string.h>

/* What the device has counted goes to the mover, which books it. */
static void end(X(mover) *mover, const DEV(gpu_counters) * counted)
{
    mover->open += counted->open;
    mover->collisions += counted->collisions;
    mover->far += counted->far;
    mover->crushed += counted->crushed;
    X(mover_end)(mover);
}

static void book_slips(X(sim) *s, const DEV(gpu_counters) * counted)
{
    uint64_t bins[SLIP_BINS];
    for (int bin = 0; bin < SLIP_BINS; bin++)
        bins[bin] = counted->slips[bin];
    X(book_slip)(s, bins, counted->slip_most);
}

double DEV(gpu_push_pairs)(X(sim) *s)
{
    X(gpu) *g = s->gpu;
    const spate_scene *scene = s->common->scene;
    DEV(gpu_counters) counted;
    X(mover) mover = X(mover_begin)(s, 0);
    float D = (float)(scene->volume.separation / scene->fluid.particles_per_axis);
    DEV(gpu_push)
    how = {.D = D,
           .sides = X(push_sides_of)(&s->grid, scene->domain.sides, D),
           .movers = s->movers,
           .room = mover.obstacles.room,
           .travel = mover.obstacles.travel};
    memset(&counted, 0, sizeof counted);
    FOR_DIM(d)
        how.gravity[d] = s->common->gravity[d] * s->grid.dx;
    g->bodies_there = g->bodies_there && !s->movers; /* these are held now */
    DEV(gpu_use)(s, GROUP_PARTICLES | GROUP_TILES | GROUP_SOLIDS);
    double work = DEV(gpu_push_apart)(g, &how, &counted);
    DEV(gpu_wrote)(s, GROUP_PARTICLES);
    end(&mover, &counted);
    g->bodies_there = g->bodies_there && !s->movers;
    return work;
}

spate_status DEV(gpu_advect)(X(sim) *s, double dt, spate_error *error)
{
    DEV(gpu_counters) counted;
    X(mover) mover = X(mover_begin)(s, dt);
    DEV(gpu_move)
    how = {.order = 1 + (int)s->common->scene->time.advection,
           .h = (float)(dt / s->grid.dx),
           .reach = s->reach,
           .displaced = s->displaced,
           .rides = X(rides_along)(s),
           .movers = s->movers,
           .room = mover.obstacles.room,
           .dt = dt,
           .measured = s->common->substeps == 0 && dt > 0}; /* the first step of a frame */
    memset(&counted, 0, sizeof counted);
    FOR_DIM(d)
        how.gravity[d] = s->common->gravity[d] * s->grid.dx;
    FOR_DIM(d)
        how.dv[d] = X(gravity_kick)(s, d, dt);
    X(book_separation)(s, DEV(gpu_move_particles)(s->gpu, &how, &counted));
    DEV(gpu_keep_speed)(s->gpu, &counted);
    if (how.measured)
        book_slips(s, &counted);
    end(&mover, &counted);
    s->displaced = s->particles.at_home = false;
    if (counted.broken > 0)
        return sp_fail(
            error, SPATE_ERROR_SIMULATION, "advect",
            "%llu particles have no finite velocity in frame %d; the last checkpoint is good",
            (unsigned long long)counted.broken, s->common->frame + 1);
    return SPATE_OK;
}
