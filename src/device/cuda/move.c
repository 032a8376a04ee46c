/* move.c -- the host's part of moving particles that live on the device: it settles those that come
 * near a solid, with the exact shapes (sim/settle.c), and books what was counted. */
#include "device/cuda/stages.h"

#include <string.h>

typedef struct settle_args {
    X(mover) *mover;
    float *packed; /* as move.cu packs them */
} settle_args;

static void settle_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const settle_args *args = user;
    for (size_t k = begin; k < end; k++) {
        float *x = args->packed + k * GPU_PACKED, *to = x + DIM, *v = to + DIM;
        if (!X(settle)(args->mover, x, to, v))
            to[0] = DEAD;
    }
}

/* In parts that fit into one column of the particles; that of the host is free. */
static void settle_waiting(X(sim) *s, X(mover) *mover, X(gpu_counters) *counted)
{
    X(gpu) *g = s->gpu;
    size_t count = counted->waiting;
    size_t capacity = g->capacity < s->particles.capacity ? g->capacity : s->particles.capacity;
    settle_args args = {mover, s->particles.spare};
    for (size_t first = 0, n; first < count && !g->failure[0]; first += n) {
        n = count - first < capacity / GPU_PACKED ? count - first : capacity / GPU_PACKED;
        X(gpu_fetch_waiting)(g, first, n, args.packed);
        sp_parallel_for(s->common->pool, n, 256, settle_range, &args);
        X(gpu_return_waiting)(g, first, n, args.packed, counted);
    }
}

spate_status X(gpu_advect)(X(sim) *s, double dt, spate_error *error)
{
    X(gpu_counters) counted;
    X(mover) mover = X(mover_begin)(s, dt);
    X(gpu_move) how = {.order = 1 + (int)s->common->scene->time.advection,
                       .h = (float)(dt / s->grid.dx),
                       .reach = s->reach,
                       .displaced = s->displaced,
                       .movers = s->movers,
                       .travel = mover.travel};
    memset(&counted, 0, sizeof counted);
    FOR_DIM(d)
        how.gravity[d] = s->common->gravity[d] * s->grid.dx;
    X(book_separation)(s, X(gpu_move_particles)(s->gpu, &how, &counted));
    settle_waiting(s, &mover, &counted);
    X(gpu_keep_speed)(s->gpu, &counted);
    mover.open += counted.open;
    X(mover_end)(&mover);
    s->displaced = s->at_home = false;
    if (counted.broken > 0)
        return sp_fail(
            error, SPATE_ERROR_SIMULATION, "advect",
            "%llu particles have no finite velocity in frame %d; the last checkpoint is good",
            (unsigned long long)counted.broken, s->common->frame + 1);
    return SPATE_OK;
}
