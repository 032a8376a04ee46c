/* advect.c -- moves the particles through the extrapolated field, past solids and walls.
 *
 * Near solids the way of a particle is swept against the exact shapes (scene/solids.c). At a wall a
 * particle stops at CLEARANCE and loses its velocity into the wall; across a periodic side it comes
 * in on the other side; beyond an open side it is marked dead, as is a particle for which closing
 * solids leave no place.
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
    double dt;
    sp_room room;
    X(lanes_field) field;
    _Atomic uint64_t collisions, open, crushed, broken;
} advect_args;

/* Whether a particle that goes `way` cells from x could meet a solid. */
static bool near_solid(const X(sim) *s, const float x[DIM], float way)
{
    int c[DIM];
    if (s->movers && way + 2.0f > (float)SOLID_BAND)
        return true;
    FOR_DIM(d) {
        c[d] = X(floor)(x[d] + 0.5f);
        c[d] = c[d] < 0 ? 0 : c[d] > s->grid.n[d] ? s->grid.n[d] : c[d];
    }
    double travel = s->solids.travel;
    return s->phi_solid[X(index)(&s->grid, c)] < (way + 2.0f) * s->grid.dx + travel;
}

/* false: there is no place for it */
static bool pass_solids(advect_args *args, const float from[DIM], float to[DIM], float v[DIM])
{
    const X(sim) *s = args->s;
    double dx = s->grid.dx, x0[3] = {0, 0, 0}, x1[3] = {0, 0, 0}, velocity[3] = {0, 0, 0};
    FOR_DIM(d) {
        x0[d] = (double)from[d] * dx;
        x1[d] = (double)to[d] * dx;
        velocity[d] = v[d];
    }
    sp_contact contact = sp_solids_sweep(&s->solids, &args->room, x0, x1, velocity, args->dt);
    if (contact == SP_CONTACT_NONE)
        return true;
    atomic_fetch_add_explicit(&args->collisions, 1, memory_order_relaxed);
    FOR_DIM(d) {
        to[d] = (float)(x1[d] / dx);
        v[d] = (float)velocity[d];
    }
    return contact != SP_CONTACT_CRUSHED;
}

/* Walls and periodic sides; false: it left through an open side. `shift` is how far a periodic side
 * took it (cells). */
static bool pass_sides(const X(sim) *s, float x[DIM], float v[DIM], float shift[DIM], bool *wrapped)
{
    for (int d = 0; d < DIM; d++) {
        shift[d] = 0.0f;
        const spate_side *sides = s->common->scene->domain.sides[d];
        float n = (float)s->grid.n[d], low = CLEARANCE, high = n - CLEARANCE;
        if (sides[0] == SPATE_SIDE_PERIODIC) {
            if (x[d] < 0.0f || x[d] >= n) {
                shift[d] = -n * (float)X(floor)(x[d] / n);
                x[d] += shift[d];
                x[d] = x[d] < n ? x[d] : 0.0f;
                *wrapped = true;
            }
            continue;
        }
        if ((sides[0] == SPATE_SIDE_OPEN && x[d] < 0.0f) ||
            (sides[1] == SPATE_SIDE_OPEN && x[d] >= n))
            return false;
        /* what solids have clipped to the room stands at the wall but for rounding */
        if (sides[0] == SPATE_SIDE_WALL && x[d] < 1.1f * low) {
            x[d] = x[d] > low ? x[d] : low;
            v[d] = v[d] > 0.0f ? v[d] : 0.0f;
        }
        if (sides[1] == SPATE_SIDE_WALL && x[d] > high - 0.1f * CLEARANCE) {
            x[d] = x[d] < high ? x[d] : high;
            v[d] = v[d] < 0.0f ? v[d] : 0.0f;
        }
    }
    return true;
}

/* Takes a particle from x to `to`; false if it is to be removed (counted in args). */
static bool settle(advect_args *args, const float x[DIM], float to[DIM], float v[DIM])
{
    const X(sim) *s = args->s;
    float way = 0.0f, shift[DIM], start[DIM];
    bool wrapped = false, solids = s->solids.live > 0;
    FOR_DIM(d)
        way += (to[d] - x[d]) * (to[d] - x[d]);
    way = __builtin_sqrtf(way);
    if (solids && near_solid(s, x, way) && !pass_solids(args, x, to, v)) {
        atomic_fetch_add_explicit(&args->crushed, 1, memory_order_relaxed);
        return false;
    }
    if (!pass_sides(s, to, v, shift, &wrapped)) {
        atomic_fetch_add_explicit(&args->open, 1, memory_order_relaxed);
        return false;
    }
    /* the solids behind a periodic side are met on the way that leads there */
    FOR_DIM(d)
        start[d] = x[d] + shift[d];
    if (solids && wrapped && near_solid(s, to, way) && !pass_solids(args, start, to, v)) {
        atomic_fetch_add_explicit(&args->crushed, 1, memory_order_relaxed);
        return false;
    }
    return true;
}

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
    bool stays = settle(args, x, to, v);
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

/* The way (cells) within which near_solid is false for every particle of a tile; negative: there is
 * none. */
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
    advect_args args = {
        .s = s, .dt = dt, .room = X(room)(s), .field = X(lanes_field_of)(&s->grid, s->u)};
    sp_parallel_for(common->pool, (size_t)s->tiles.liquid_count, 1, advect_range, &args);
    common->collisions += args.collisions;
    common->removed_open += args.open;
    common->removed_crushed += args.crushed;
    s->dead += args.open + args.crushed;
    if (args.broken > 0)
        return sp_fail(
            error, SPATE_ERROR_SIMULATION, "advect",
            "%llu particles have no finite velocity in frame %d; the last checkpoint is good",
            (unsigned long long)args.broken, common->frame + 1);
    return SPATE_OK;
}
