/* advect.cu -- moves the particles on the device: ADVECT, with the displacement that SEPARATE found
 * (cpu/advect.c),
 *
 *     x <- x + h u_mean + d(x).
 *
 * Walls, periodic and open sides are settled at once. Whoever comes near a solid waits: it is
 * listed with its target, and settled past the exact shapes by a kernel of its own, so that few
 * threads wait for those that have much to do. The list is in no particular order; nothing depends
 * on it, for particles do not know of each other. Those in free flight have a kernel of their own
 * (kernels/flight.h). */
#include "kernels/density.h"
#include "kernels/flight.h"
#include "kernels/midway.h"
#include "kernels/obstacles.h"
#include "kernels/rk.h"
#include "kernels/shift.h"
#include "launch.h"

#define GROUP 1024 /* particles of a partial sum */
#define THREADS 256

typedef struct move_args {
    X(fields) f;
    DEV(gpu_move) how;
    DEV(gpu_counters) * counters;
    uint32_t *waiting;
    size_t waiting_count;
    float *target[DIM]; /* of those that wait */
    double *partials;
} move_args;

typedef struct move_shared {
    double work[GROUP];
} move_shared;

GPU_FN void wait(const move_args *a, size_t k, const float to[DIM])
{
    uint32_t place = GPU_ADD32(&a->counters->waiting, 1u);
    a->waiting[place] = (uint32_t)k;
    FOR_DIM(d)
        a->target[d][place] = to[d];
}

/* Takes particle k from x to `to`. */
GPU_FN void collide(const move_args *a, size_t k, const float x[DIM], const float to[DIM])
{
    float v[DIM], place[DIM], shift[DIM], way = 0.0f;
    bool wrapped = false, finite = true;
    FOR_DIM(d) {
        v[d] = a->f.particles.v[d][k];
        place[d] = to[d];
        way += (to[d] - x[d]) * (to[d] - x[d]);
        finite = finite && GPU_ABS(to[d]) < MOST_PLACE && GPU_ABS(v[d]) < MOST_SPEED;
    }
    if (!finite) {
        GPU_ADD64(&a->counters->broken, 1);
        return;
    }
    way = GPU_SQRT(way);
    X(obstacles) o =
        X(obstacles_of)(&a->f, a->how.movers, &a->how.room, a->how.dt, a->f.solids.travel);
    if (a->f.has_solids && X(is_near_solid)(&o, x, way)) {
        wait(a, k, to);
        return;
    }
    bool stays = X(pass_sides)(&a->f.grid, a->f.sides, place, v, shift, &wrapped);
    if (stays && a->f.has_solids && wrapped && X(is_near_solid)(&o, place, way)) {
        wait(a, k, to);
        return;
    }
    FOR_DIM(d) {
        a->f.particles.x[d][k] = place[d];
        if (v[d] == 0.0f) /* a wall takes all of it */
            a->f.particles.v[d][k] = v[d];
    }
    if (!stays) {
        GPU_ADD64(&a->counters->open, 1);
        a->f.particles.x[0][k] = DEAD;
    } else {
        X(note_speed)(a->counters, v);
    }
}

GPU_FN void note_slip(const move_args *a, size_t k, const float move[DIM])
{
    float v[DIM];
    FOR_DIM(d)
        v[d] = a->f.particles.v[d][k];
    uint32_t bits = X(slip_bits)(v, move, a->how.h);
    GPU_ADD32(&a->counters->slips[X(slip_bin)(bits)], 1u);
    GPU_RAISE32(&a->counters->slip_most, bits);
}

/* Returns gravity times displacement. */
GPU_FN double move_particle(const move_args *a, int degree, int order, size_t k)
{
    float x[DIM], to[DIM], mean[DIM], move[DIM];
    double work = 0;
    FOR_DIM(d)
        x[d] = a->f.particles.x[d][k];
    X(mean_velocity)(&a->f.grid, degree, order, X(flow_of)(&a->f), x, a->how.h, a->how.reach, mean);
    FOR_DIM(d) {
        move[d] = a->how.h * mean[d];
        to[d] = x[d] + move[d];
    }
    if (a->how.displaced) {
        X(velocity_at)(&a->f.grid, KERNEL_LINEAR, a->f.away, x, mean);
        FOR_DIM(d) {
            float way = X(limited_way)(mean[d]);
            to[d] += way;
            move[d] += way;
            work += a->how.gravity[d] * (double)way;
        }
    }
    if (a->how.measured)
        note_slip(a, k, move);
    collide(a, k, x, to);
    return work;
}

GPU_FN double move_any(const move_args *a, size_t k)
{
    int degree = a->f.degree, order = a->how.order;
    return degree == KERNEL_LINEAR      ? move_particle(a, KERNEL_LINEAR, order, k)
           : degree == KERNEL_QUADRATIC ? move_particle(a, KERNEL_QUADRATIC, order, k)
                                        : move_particle(a, KERNEL_CUBIC, order, k);
}

/* The default, and everything else: apart, so that the first needs fewer registers. */
BLOCKS_AT_ONCE(move_linear_rk3, move_args, move_shared, THREADS, 4)
{
    FOR_THREADS(t, GROUP) {
        size_t k = block * GROUP + (size_t)t;
        double work = k < a->f.tiles.first_flying ? move_particle(a, KERNEL_LINEAR, 3, k) : 0.0;
        if (a->how.displaced)
            shared->work[t] = work;
    }
    if (a->how.displaced)
        X(sum_values)(shared->work, GROUP, &a->partials[block]);
}

BLOCKS_AT_ONCE(move_general, move_args, move_shared, THREADS, 3)
{
    FOR_THREADS(t, GROUP) {
        size_t k = block * GROUP + (size_t)t;
        double work = k < a->f.tiles.first_flying ? move_any(a, k) : 0.0;
        if (a->how.displaced)
            shared->work[t] = work;
    }
    if (a->how.displaced)
        X(sum_values)(shared->work, GROUP, &a->partials[block]);
}

/* In a gas the velocity goes with the displacement: before the move, in a kernel of its own, so
 * that the kernels of the move need no registers for it. */
MAP(ride_along, move_args)
{
    float x[DIM], v[DIM], way[DIM];
    FOR_DIM(d) {
        x[d] = a->f.particles.x[d][i];
        v[d] = a->f.particles.v[d][i];
    }
    X(velocity_at)(&a->f.grid, KERNEL_LINEAR, a->f.away, x, way);
    FOR_DIM(d)
        way[d] = X(limited_way)(way[d]);
    X(ride)(&a->f.grid, a->f.degree, a->f.u, x, way, v);
    FOR_DIM(d)
        a->f.particles.v[d][i] = v[d];
}

MAP(fly, move_args)
{
    size_t k = a->f.tiles.first_flying + i;
    float x[DIM], to[DIM];
    X(fall)(&a->f, k, a->how.h, a->how.dv, x, to);
    collide(a, k, x, to);
}

/* A particle of a set, which says in x[1] whether solids have crushed it if it is lost (move_rider
 * of cpu/advect.c). */
MAP(carry, move_args)
{
    float x[DIM], v[DIM], to[DIM], mean[DIM];
    X(fate) fate = {0, 0, false, false};
    FOR_DIM(d) {
        x[d] = a->f.particles.x[d][i];
        v[d] = a->f.particles.v[d][i];
    }
    X(mean_velocity)(&a->f.grid, a->f.degree, a->how.order, X(flow_of)(&a->f), x, a->how.h,
                     a->how.reach, mean);
    FOR_DIM(d)
        to[d] = x[d] + a->how.h * mean[d];
    if (a->how.displaced) {
        X(velocity_at)(&a->f.grid, KERNEL_LINEAR, a->f.away, x, mean);
        FOR_DIM(d)
            to[d] += X(limited_way)(mean[d]);
    }
    X(obstacles) o =
        X(obstacles_of)(&a->f, a->how.movers, &a->how.room, a->how.dt, a->f.solids.travel);
    bool stays = X(collide_particle)(&o, x, to, v, &fate);
    FOR_DIM(d)
        a->f.particles.x[d][i] = to[d];
    if (stays)
        return;
    a->f.particles.x[0][i] = DEAD;
    a->f.particles.x[1][i] = fate.crushed ? 1.0f : 0.0f;
}

void DEV(gpu_carry_set)(X(gpu) *g, const X(particles) *p, const DEV(gpu_move) * how)
{
    move_args args;
    memset(&args, 0, sizeof args);
    args.f = g->f;
    args.f.particles = *p;
    args.how = *how;
    carry(g, args, p->count);
}

static move_args args_of(X(gpu) *g)
{
    /* those of SORT: free until the next one */
    uint32_t *columns[3] = {g->key, g->key_other, g->order_other};
    move_args args;
    memset(&args, 0, sizeof args);
    args.f = g->f;
    args.counters = g->counters;
    args.waiting = g->order;
    args.partials = g->partials;
    FOR_DIM(d)
        args.target[d] = (float *)columns[d];
    return args;
}

GPU_FN void settle_one(const move_args *a, size_t i)
{
    uint32_t k = a->waiting[i];
    float x[DIM], to[DIM], v[DIM];
    X(obstacles) o =
        X(obstacles_of)(&a->f, a->how.movers, &a->how.room, a->how.dt, a->f.solids.travel);
    X(fate) fate = {0, 0, false, false};
    FOR_DIM(d) {
        x[d] = a->f.particles.x[d][k];
        to[d] = a->target[d][i];
        v[d] = a->f.particles.v[d][k];
    }
    bool stays = X(collide_particle)(&o, x, to, v, &fate);
    FOR_DIM(d) {
        a->f.particles.x[d][k] = to[d];
        a->f.particles.v[d][k] = v[d];
    }
    if (stays)
        X(note_speed)(a->counters, v);
    else
        a->f.particles.x[0][k] = DEAD;
    if (fate.collisions > 0)
        GPU_ADD64(&a->counters->collisions, fate.collisions);
    if (fate.far > 0)
        GPU_ADD64(&a->counters->far, fate.far);
    if (fate.open)
        GPU_ADD64(&a->counters->open, 1);
    if (fate.crushed)
        GPU_ADD64(&a->counters->crushed, 1);
}

/* Those that wait. Small blocks: a sweep needs many registers. */
#define FEW 128

typedef struct no_shared {
    char nothing;
} no_shared;

BLOCKS(collide_waiting, move_args, no_shared, FEW)
{
    (void)shared;
    FOR_THREADS(t, FEW) {
        size_t i = block * FEW + (size_t)t;
        if (i < a->waiting_count)
            settle_one(a, i);
    }
}

double DEV(gpu_move_particles)(X(gpu) *g, const DEV(gpu_move) * how, DEV(gpu_counters) * counted)
{
    move_args args = args_of(g);
    size_t groups = ((size_t)g->f.tiles.first_flying + GROUP - 1) / GROUP;
    args.how = *how;
    DEV(gpu_set)(g, g->counters, 0, sizeof *g->counters);
    if (how->rides)
        ride_along(g, args, g->f.tiles.first_flying);
    if (g->f.degree == KERNEL_LINEAR && how->order == 3)
        move_linear_rk3(g, args, groups);
    else
        move_general(g, args, groups);
    fly(g, args, (size_t)(g->f.particles.count - g->f.tiles.first_flying));
    double work = how->displaced ? DEV(gpu_sum)(g, groups) : 0;
    DEV(gpu_download)(g, counted, g->counters, sizeof *counted);
    if (counted->waiting > 0) {
        args.waiting_count = counted->waiting;
        collide_waiting(g, args, (args.waiting_count + FEW - 1) / FEW);
        DEV(gpu_download)(g, counted, g->counters, sizeof *counted);
    }
    return work;
}

void DEV(gpu_keep_speed)(X(gpu) *g, const DEV(gpu_counters) * counted)
{
    g->speed = X(noted_speed)(counted);
    g->speed_known = true;
}
