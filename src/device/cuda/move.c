/* move.c -- the host's part of moving particles that live on the device: it says how, and books
 * what was counted. */
#include "device/cuda/stages.h"

#include <string.h>

spate_status X(gpu_advect)(X(sim) *s, double dt, spate_error *error)
{
    X(gpu_counters) counted;
    X(mover) mover = X(mover_begin)(s, dt);
    X(gpu_move) how = {.order = 1 + (int)s->common->scene->time.advection,
                       .h = (float)(dt / s->grid.dx),
                       .reach = s->reach,
                       .displaced = s->displaced,
                       .movers = s->movers,
                       .room = mover.obstacles.room,
                       .dt = dt};
    memset(&counted, 0, sizeof counted);
    FOR_DIM(d)
        how.gravity[d] = s->common->gravity[d] * s->grid.dx;
    X(book_separation)(s, X(gpu_move_particles)(s->gpu, &how, &counted));
    X(gpu_keep_speed)(s->gpu, &counted);
    mover.open += counted.open;
    mover.collisions += counted.collisions;
    mover.far += counted.far;
    mover.crushed += counted.crushed;
    X(mover_end)(&mover);
    s->displaced = s->at_home = false;
    if (counted.broken > 0)
        return sp_fail(
            error, SPATE_ERROR_SIMULATION, "advect",
            "%llu particles have no finite velocity in frame %d; the last checkpoint is good",
            (unsigned long long)counted.broken, s->common->frame + 1);
    return SPATE_OK;
}
