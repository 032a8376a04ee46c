/* advect.c -- moves the particles through the extrapolated field, past solids and walls.
 *
 * Near solids the way of a particle is swept against the exact shapes (scene/solids.c). At a wall a
 * particle stops at CLEARANCE and loses its velocity into the wall; across a periodic side it comes
 * in on the other side; beyond an open side it is marked dead, as is a particle for which closing
 * solids leave no place. */
#include "state.h"

#include "kernels/rk.h"

#include <math.h>
#include <stdatomic.h>

typedef struct advect_args {
    X(sim) *s;
    double dt;
    sp_room room;
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

static inline void advect_tile(advect_args *args, int degree, int order, int tile)
{
    X(sim) *s = args->s;
    X(particles) *p = &s->particles;
    float h = (float)(args->dt / s->grid.dx);
    for (uint32_t k = s->tiles.start[tile]; k < s->tiles.start[tile + 1]; k++) {
        float x[DIM], to[DIM], v[DIM], mean[DIM];
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
        bool stays = settle(args, x, to, v);
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
    advect_args args = {.s = s, .dt = dt, .room = X(room)(s)};
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
