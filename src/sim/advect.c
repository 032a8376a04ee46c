/* advect.c -- moves the particles through the extrapolated field, past solids and walls
 * (settle.c); those that have left, or have no place left, are marked dead. */
#include "state.h"

#include "kernels/rk.h"

#include <stdatomic.h>

typedef struct advect_args {
    X(sim) *s;
    X(mover) mover;
    double dt;
    _Atomic uint64_t broken;
} advect_args;

static inline void advect_tile(advect_args *args, int degree, int order, int tile)
{
    X(sim) *s = args->s;
    X(particles) *p = &s->particles;
    float h = (float)(args->dt / s->grid.dx);
    for (uint32_t k = s->tiles.start[tile]; k < s->tiles.start[tile + 1]; k++) {
        float x[DIM], to[DIM], v[DIM], mean[DIM];
        if (p->x[0][k] == DEAD) /* since SEPARATE */
            continue;
        FOR_DIM(d)
            x[d] = p->x[d][k];
        X(mean_velocity)(&s->grid, degree, order, s->u, x, h, s->reach, mean);
        bool finite = true;
        FOR_DIM(d) {
            to[d] = x[d] + h * mean[d];
            v[d] = p->v[d][k];
            finite = finite && __builtin_fabsf(to[d]) < 1e9f && __builtin_fabsf(v[d]) < 1e30f;
        }
        if (!finite) {
            atomic_fetch_add_explicit(&args->broken, 1, memory_order_relaxed);
            continue;
        }
        bool stays = X(settle)(&args->mover, x, to, v);
        FOR_DIM(d) {
            p->x[d][k] = to[d];
            p->v[d][k] = v[d];
        }
        if (!stays)
            p->x[0][k] = DEAD;
    }
}

static void advect_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    advect_args *args = user;
    X(sim) *s = args->s;
    int order = 1 + (int)s->common->scene->time.advection;
    for (size_t k = begin; k < end; k++) {
        if (s->degree == KERNEL_LINEAR && order == 3)
            advect_tile(args, KERNEL_LINEAR, 3, s->tiles.liquid[k]);
        else
            advect_tile(args, s->degree, order, s->tiles.liquid[k]);
    }
}

spate_status X(advect_particles)(X(sim) *s, double dt, spate_error *error)
{
    sp_common *common = s->common;
    advect_args args = {.s = s, .dt = dt, .mover = X(mover_begin)(s, dt)};
    sp_parallel_for(common->pool, (size_t)s->tiles.liquid_count, 1, advect_range, &args);
    X(mover_end)(&args.mover);
    if (args.broken > 0)
        return sp_fail(
            error, SPATE_ERROR_SIMULATION, "advect",
            "%llu particles have no finite velocity in frame %d; the last checkpoint is good",
            (unsigned long long)args.broken, common->frame + 1);
    return SPATE_OK;
}
