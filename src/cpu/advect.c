/* advect.c -- moves the particles through the extrapolated field and by the displacement that
 * SEPARATE found where they are,
 *
 *     x <- x + h u_mean + d(x),      u_mean: by Runge-Kutta from x (kernels/rk.h), h = dt / dx,
 *
 * of u or, in a gas, of the velocity in the middle of the step (kernels/midway.h), past solids and
 * walls (collide.c); those that have left, or have no place left, are marked dead. Particles in
 * free flight go their own way (flight.c).
 *
 * With the linear kernel and RK3 eight particles go at a time, with the same bits
 * (advect_lanes.c). In a whole step these also get their velocities here (X(can_transfer_late)):
 * G2P, the first stage of Runge-Kutta and the displacement read the grid at the same place. */
#include "advect.h"

#include "cpu.h"
#include "kernels/midway.h"
#include "kernels/rk.h"
#include "kernels/shift.h"

/* A particle of a set that the fluid carries. The set books what is lost: x[1] of a dead one says
 * whether solids have crushed it. */
static void move_rider(X(advection) *args, uint32_t k, const float x[DIM], float to[DIM],
                       float v[DIM])
{
    X(fate) fate = {0};
    bool stays = X(collide_particle)(&args->mover.obstacles, x, to, v, &fate);
    FOR_DIM(d)
        args->p->x[d][k] = to[d];
    if (stays)
        return;
    args->p->x[0][k] = DEAD;
    args->p->x[1][k] = fate.crushed ? 1.0f : 0.0f;
}

void X(advect_one)(X(advection) *args, uint32_t k, const float x[DIM], float to[DIM])
{
    X(particles) *p = args->p;
    float v[DIM];
    bool finite = true;
    FOR_DIM(d) {
        v[d] = p->v[d][k];
        finite =
            finite && __builtin_fabsf(to[d]) < MOST_PLACE && __builtin_fabsf(v[d]) < MOST_SPEED;
    }
    if (!finite) {
        atomic_fetch_add_explicit(&args->broken, 1, memory_order_relaxed);
        return;
    }
    if (args->set) {
        move_rider(args, k, x, to, v);
        return;
    }
    bool stays = X(collide)(&args->mover, x, to, v);
    FOR_DIM(d) {
        p->x[d][k] = to[d];
        p->v[d][k] = v[d];
    }
    if (!stays)
        p->x[0][k] = DEAD;
}

static void ride(const X(advection) *args, uint32_t k, const float x[DIM], const float way[DIM])
{
    const X(sim) *s = args->s;
    float v[DIM];
    FOR_DIM(d)
        v[d] = args->p->v[d][k];
    X(ride)(&s->grid, s->degree, s->u, x, way, v);
    FOR_DIM(d)
        args->p->v[d][k] = v[d];
}

static double advect_tile(X(advection) *args, int order, int tile, X(slips) *slips)
{
    X(sim) *s = args->s;
    float h = args->h;
    double work = 0;
    for (uint32_t k = args->t->start[tile]; k < args->t->start[tile + 1]; k++) {
        float x[DIM], to[DIM], mean[DIM], way[DIM] = {0};
        FOR_DIM(d)
            x[d] = args->p->x[d][k];
        X(mean_velocity)(&s->grid, s->degree, order, X(flow_of)(&args->f), x, h, s->reach, mean);
        if (s->displaced)
            X(velocity_at)(&s->grid, KERNEL_LINEAR, s->away, x, way);
        FOR_DIM(d) {
            way[d] = X(limited_way)(way[d]);
            to[d] = x[d] + h * mean[d] + way[d];
            work += s->common->gravity[d] * s->grid.dx * (double)way[d];
        }
        if (args->rides)
            ride(args, k, x, way);
        if (slips) {
            float v[DIM], move[DIM];
            FOR_DIM(d) {
                v[d] = args->p->v[d][k];
                move[d] = h * mean[d] + way[d];
            }
            X(note_slip)(slips, v, move, h);
        }
        X(advect_one)(args, k, x, to);
    }
    return work;
}

static int order_of(const X(sim) *s)
{
    return 1 + (int)s->common->scene->time.advection;
}

static bool goes_by_lanes(const X(sim) *s)
{
    return s->degree == KERNEL_LINEAR && order_of(s) == 3 && s->grid.size <= INT32_MAX;
}

bool X(can_transfer_late)(const X(sim) *s)
{
    return goes_by_lanes(s) && s->affine != AFFINE_APIC && !X(pushes_apart)(s->common->scene);
}

static void advect_range(void *user, size_t begin, size_t end, int worker)
{
    X(advection) *args = user;
    X(sim) *s = args->s;
    bool by_lanes = goes_by_lanes(s);
    for (size_t k = begin; k < end; k++) {
        int tile = args->t->active[k];
        if (args->t->start[tile] == args->t->start[tile + 1])
            continue;
        X(slips) *slips = args->slips ? &args->slips[worker] : NULL;
        if (by_lanes)
            args->lanes->tile(args, tile, args->scratch + (size_t)worker * args->lanes->scratch,
                              slips);
        else
            args->tile[tile].work = advect_tile(args, order_of(s), tile, slips);
    }
}

static void gather_slips(X(advection) *args, size_t threads)
{
    X(slips) *all = args->slips;
    for (size_t worker = 1; worker < threads; worker++) {
        for (int bin = 0; bin < SLIP_BINS; bin++)
            all->bins[bin] += all[worker].bins[bin];
        all->most = all[worker].most > all->most ? all[worker].most : all->most;
    }
    X(book_slip)(args->s, all->bins, all->most);
}

static spate_status fail_unsound(const X(sim) *s, uint64_t count, spate_error *error)
{
    return sp_fail(
        error, SPATE_ERROR_SIMULATION, "advect",
        "%llu particles have no finite velocity in frame %d; the last checkpoint is good",
        (unsigned long long)count, s->common->frame + 1);
}

/* What the tiles' particles left, in order; fastest: v^2 of those in free flight. */
static void gather_results(const X(advection) *args, float fastest)
{
    X(sim) *s = args->s;
    double work = 0;
    for (int k = 0; k < s->tiles.liquid_count; k++) {
        const X(advected) *tile = &args->tile[s->tiles.liquid[k]];
        work += tile->work;
        if (args->transfer && !(tile->fastest <= fastest)) /* a NaN stays */
            fastest = tile->fastest;
    }
    X(book_separation)(s, work);
    s->particles.fastest = args->transfer ? fastest : -1.0f;
}

static void begin(X(advection) *args, double dt, const X(advect_lanes) *lanes)
{
    X(sim) *s = args->s;
    args->f = X(fields_of)(s);
    args->h = (float)(dt / s->grid.dx);
    args->lanes = lanes;
    args->mover = X(mover_begin)(s, dt);
    args->midway = X(flow_of)(&args->f) != args->f.u;
    args->flow = X(grid_field_of)(&s->grid, X(flow_of)(&args->f));
    args->now = X(grid_field_of)(&s->grid, s->u);
    args->carried = X(grid_field_of)(&s->grid, s->carried);
    args->away = X(grid_field_of)(&s->grid, s->away);
}

static void move_all(X(advection) *args, bool measured)
{
    X(sim) *s = args->s;
    sp_arena arena = X(arena)(s);
    size_t threads = (size_t)sp_pool_threads(s->common->pool);
    args->scratch = sp_arena_take(&arena, threads, args->lanes->scratch);
    args->tile = sp_arena_take(&arena, (size_t)s->grid.tile_count, sizeof *args->tile);
    if (measured) {
        args->slips = sp_arena_take(&arena, threads, sizeof *args->slips);
        memset(args->slips, 0, threads * sizeof *args->slips);
    }
    /* not by colour: in the order of their places, tiles find the fields of the last one near */
    sp_parallel_pass(s->common->pool, (size_t)args->t->active_count, 2, advect_range, args);
    if (args->slips)
        gather_slips(args, threads);
    args->p->at_home = false;
}

spate_status X(advect)(X(sim) *s, double dt, bool transfer, const X(advect_lanes) *lanes,
                       spate_error *error)
{
    if (transfer)
        s->unsound = 0;
    if (s->unsound > 0)
        return fail_unsound(s, s->unsound, error);
    X(advection) args = {.s = s, .p = &s->particles, .t = &s->tiles, .transfer = transfer};
    begin(&args, dt, lanes);
    args.rides = X(rides_along)(s);
    args.gradient = transfer && s->affine;
    args.kept = X(kept_share)(s, dt);
    float fastest = X(advect_flying)(&args, dt);
    move_all(&args, s->common->substeps == 0 && dt > 0); /* the first step of a frame */
    X(mover_end)(&args.mover);
    gather_results(&args, fastest);
    s->displaced = false;
    uint64_t failed = args.unsound > 0 ? args.unsound : args.broken;
    return failed > 0 ? fail_unsound(s, failed, error) : SPATE_OK;
}

void X(advect_set)(X(sim) *s, X(set) *set, double dt, const X(advect_lanes) *lanes)
{
    X(advection) args = {.s = s, .p = set->particles, .t = set->cells.tiles, .set = true};
    begin(&args, dt, lanes);
    move_all(&args, false);
}
