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
        float *x = args->packed + k * GPU_PACKED, *to = x + DIM, v[DIM];
        FOR_DIM(d)
            v[d] = x[2 * DIM + d];
        bool stays = X(settle)(args->mover, x, to, v);
        for (int d = 0; d < DIM && args->mover->dt > 0; d++) /* corrections leave velocities */
            x[2 * DIM + d] = v[d];
        if (!stays)
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

/* Returns the work of the displacements. */
static double move(X(sim) *s, X(gpu_move) *how, double dt, uint64_t *broken)
{
    X(gpu_counters) counted;
    X(mover) mover = X(mover_begin)(s, dt);
    memset(&counted, 0, sizeof counted);
    how->movers = s->movers;
    how->travel = mover.travel;
    how->places_only = dt == 0;
    FOR_DIM(d)
        how->gravity[d] = s->common->gravity[d] * s->grid.dx;
    double work = X(gpu_move_particles)(s->gpu, how, &counted);
    settle_waiting(s, &mover, &counted);
    if (dt > 0)
        X(gpu_keep_speed)(s->gpu, &counted);
    mover.open += counted.open;
    X(mover_end)(&mover);
    *broken = counted.broken;
    return work;
}

spate_status X(gpu_advect)(X(sim) *s, double dt, spate_error *error)
{
    uint64_t broken;
    X(gpu_move) how = {.order = 1 + (int)s->common->scene->time.advection,
                       .h = (float)(dt / s->grid.dx),
                       .reach = s->reach,
                       .displaced = s->displaced};
    X(book_separation)(s, move(s, &how, dt, &broken));
    s->displaced = false;
    if (broken > 0)
        return sp_fail(
            error, SPATE_ERROR_SIMULATION, "advect",
            "%llu particles have no finite velocity in frame %d; the last checkpoint is good",
            (unsigned long long)broken, s->common->frame + 1);
    return SPATE_OK;
}
