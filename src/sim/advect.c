/* advect.c -- moves the particles through the extrapolated field, past solids and walls
 * (settle.c); those that have left, or have no place left, are marked dead.
 *
 * With the linear kernel and RK3 eight particles go at a time, with the same bits; those of them
 * that come near a side or a solid are settled one by one. */
#include "state.h"

#include "device/cpu/lanes.h"
#include "kernels/rk.h"

#include <math.h>
#include <stdatomic.h>

typedef struct advect_args {
    X(sim) *s;
    X(mover) mover;
    double dt;
    X(lanes_field) field;
    _Atomic uint64_t broken;
} advect_args;

/* Moves particle k from x to `to`. */
static void move_one(advect_args *args, uint32_t k, const float x[DIM], float to[DIM])
{
    X(particles) *p = &args->s->particles;
    float v[DIM];
    bool finite = true;
    FOR_DIM(d) {
        v[d] = p->v[d][k];
        finite = finite && __builtin_fabsf(to[d]) < 1e9f && __builtin_fabsf(v[d]) < 1e30f;
    }
    if (!finite) {
        atomic_fetch_add_explicit(&args->broken, 1, memory_order_relaxed);
        return;
    }
    bool stays = X(settle)(&args->mover, x, to, v);
    FOR_DIM(d) {
        p->x[d][k] = to[d];
        p->v[d][k] = v[d];
    }
    if (!stays)
        p->x[0][k] = DEAD;
}

static void advect_tile(advect_args *args, int order, int tile)
{
    X(sim) *s = args->s;
    float h = (float)(args->dt / s->grid.dx);
    for (uint32_t k = s->tiles.start[tile]; k < s->tiles.start[tile + 1]; k++) {
        float x[DIM], to[DIM], mean[DIM];
        FOR_DIM(d)
            x[d] = s->particles.x[d][k];
        X(mean_velocity)(&s->grid, s->degree, order, s->u, x, h, s->reach, mean);
        FOR_DIM(d)
            to[d] = x[d] + h * mean[d];
        move_one(args, k, x, to);
    }
}

/* ---- eight at a time */

/* bring_in of kernels/rk.h */
LANE_FN void bring_lanes_in(const X(grid) *g, floats x[DIM])
{
    FOR_DIM(d) {
        floats n = lanes_of((float)g->n[d]);
        if (g->periodic[d]) {
            ints inside = (x[d] >= 0.0f) & (x[d] < n);
            if (!lanes_all(inside)) {
                floats turns = __builtin_convertvector(lanes_floor(x[d] / n), floats);
                x[d] = lanes_select(inside, x[d], x[d] - n * turns);
            }
            x[d] = lanes_select(x[d] < n, x[d], lanes_of(0.0f));
        } else {
            x[d] = lanes_select(x[d] > 0.0f, x[d], lanes_of(0.0f));
            x[d] = lanes_select(x[d] < n, x[d], n);
        }
    }
}

/* u at x + step k */
LANE_FN void stage_of_lanes(const advect_args *args, const floats x[DIM], const floats k[DIM],
                            floats step, floats v[DIM])
{
    X(lanes_at) at;
    floats place[DIM];
    FOR_DIM(d)
        place[d] = x[d] + step * k[d];
    bring_lanes_in(&args->s->grid, place);
    X(lanes_locate)(&args->s->grid, place, &at);
    X(lanes_velocity)(&args->field, &at, v);
}

/* mean_velocity of kernels/rk.h for RK3 */
LANE_FN void mean_of_lanes(const advect_args *args, const floats x[DIM], float h, floats v[DIM])
{
    const X(sim) *s = args->s;
    X(lanes_at) at;
    floats k1[DIM], k2[DIM], k3[DIM], square = {0};
    X(lanes_locate)(&s->grid, x, &at);
    X(lanes_velocity)(&args->field, &at, k1);
    FOR_DIM(d)
        square += k1[d] * k1[d];
    /* a lane that is too fast stays where it is in the stages, and its mean is not used */
    ints fast = square * h * h > s->reach * s->reach;
    floats step = lanes_select(fast, lanes_of(0.0f), lanes_of(h));
    stage_of_lanes(args, x, k1, 0.5f * step, k2);
    stage_of_lanes(args, x, k2, 0.75f * step, k3);
    FOR_DIM(d)
        v[d] =
            lanes_select(fast, k1[d], (2.0f * k1[d] + 3.0f * k2[d] + 4.0f * k3[d]) * (1.0f / 9.0f));
}

/* The way (cells) within which no particle of a tile could meet a solid (settle.c); negative: there
 * is none. */
static float free_way(const X(sim) *s, int tile)
{
    if (s->solids.live == 0)
        return 1e9f;
    size_t base = X(tile_index)(&s->grid, tile);
    float nearest = 1e30f;
    for (int m = 0; m < LAST(TILE + 1); m++)
        for (int j = 0; j <= TILE; j++) {
            const float *row =
                s->phi_solid + base + (size_t)j * s->grid.stride[1] + (size_t)m * s->grid.stride[2];
            for (int i = 0; i <= TILE; i++)
                nearest = row[i] < nearest ? row[i] : nearest;
        }
    double way = (nearest - s->solids.travel) / s->grid.dx - 2.0;
    if (s->movers)
        way = way < SOLID_BAND - 2.0 ? way : SOLID_BAND - 2.0;
    way = way < 1e9 ? way : 1e9;
    return (float)(way - 1e-4 * fabs(way) - 1e-4); /* rounding is on the careful side */
}

/* Lanes that go from x to `to` without meeting anything. */
LANE_FN ints are_undisturbed(const X(sim) *s, uint32_t k, uint32_t n, const floats x[DIM],
                             const floats to[DIM], float way)
{
    ints plain = (ints){0} == 0;
    floats square = {0};
    FOR_DIM(d) {
        floats v = lanes_load(s->particles.v[d] + k, n), move = to[d] - x[d];
        square += move * move;
        plain &= (to[d] >= 2.0f * CLEARANCE) & (lanes_abs(v) < 1e30f) &
                 (to[d] <= (float)s->grid.n[d] - 2.0f * CLEARANCE);
    }
    return way > 0.0f ? plain & (square < way * way) : (ints){0};
}

static void advect_tile_by_lanes(advect_args *args, int tile)
{
    X(sim) *s = args->s;
    X(particles) *p = &s->particles;
    float h = (float)(args->dt / s->grid.dx), way = free_way(s, tile);
    uint32_t end = s->tiles.start[tile + 1], n;
    for (uint32_t k = s->tiles.start[tile]; k < end; k += n) {
        floats x[DIM], to[DIM], mean[DIM];
        n = end - k < LANES ? end - k : LANES;
        FOR_DIM(d)
            x[d] = lanes_load(p->x[d] + k, n);
        mean_of_lanes(args, x, h, mean);
        FOR_DIM(d)
            to[d] = x[d] + h * mean[d];
        ints plain = are_undisturbed(s, k, n, x, to, way);
        if (lanes_all(plain)) {
            FOR_DIM(d)
                lanes_store(p->x[d] + k, to[d], n);
            continue;
        }
        for (uint32_t lane = 0; lane < n; lane++) {
            float from[DIM], goal[DIM];
            FOR_DIM(d) {
                from[d] = x[d][lane];
                goal[d] = to[d][lane];
                if (plain[lane])
                    p->x[d][k + lane] = goal[d];
            }
            if (!plain[lane])
                move_one(args, k + lane, from, goal);
        }
    }
}

static void advect_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    advect_args *args = user;
    X(sim) *s = args->s;
    int order = 1 + (int)s->common->scene->time.advection;
    bool by_lanes = s->degree == KERNEL_LINEAR && order == 3 && s->grid.size <= INT32_MAX;
    for (size_t k = begin; k < end; k++) {
        if (by_lanes)
            advect_tile_by_lanes(args, s->tiles.liquid[k]);
        else
            advect_tile(args, order, s->tiles.liquid[k]);
    }
}

spate_status X(advect_particles)(X(sim) *s, double dt, spate_error *error)
{
    sp_common *common = s->common;
    advect_args args = {.s = s,
                        .dt = dt,
                        .mover = X(mover_begin)(s, dt),
                        .field = X(lanes_field_of)(&s->grid, s->u)};
    sp_parallel_for(common->pool, (size_t)s->tiles.liquid_count, 1, advect_range, &args);
    X(mover_end)(&args.mover);
    if (args.broken > 0)
        return sp_fail(
            error, SPATE_ERROR_SIMULATION, "advect",
            "%llu particles have no finite velocity in frame %d; the last checkpoint is good",
            (unsigned long long)args.broken, common->frame + 1);
    return SPATE_OK;
}
