/* rules.c -- what follows from the scene alone, for the stages of every device: which method is
 * meant, its limits, and how what it did is booked. */
#include "state.h"

#include "kernels/g2p.h"
#include "kernels/gradient.h"
#include "kernels/random.h"
#include "kernels/slip.h"
#include "kernels/step_info.h"

#include <math.h>

/* ---- solids and surface */

sp_clearance X(clearance)(const X(sim) *s)
{
    double dx = s->grid.dx;
    sp_clearance room = {.clearance = CLEARANCE * dx, .reach = 3 * dx};
    FOR_DIM(d) {
        const spate_side *sides = s->common->scene->domain.sides[d];
        room.low[d] = sides[0] == SPATE_SIDE_WALL ? CLEARANCE * dx : -HUGE_VAL;
        room.high[d] = sides[1] == SPATE_SIDE_WALL ? (s->grid.n[d] - CLEARANCE) * dx : HUGE_VAL;
    }
    return room;
}

bool X(has_cut_cells)(const X(sim) *s)
{
    return s->solids.live > 0 && s->common->scene->pressure.solids == SPATE_SOLID_MODEL_CUT;
}

int X(surface_of)(const spate_scene *scene)
{
    if (!sp_medium_of(scene)->has_surface)
        return SURFACE_NONE;
    return scene->pressure.surface == SPATE_SURFACE_MODEL_GHOST ? SURFACE_GHOST : SURFACE_VOXEL;
}

bool X(has_level_set)(const X(sim) *s)
{
    return s->surface == SURFACE_GHOST;
}

/* ---- forces */

static X(walls) walls_of(const X(sim) *s, double dt)
{
    const spate_scene *scene = s->common->scene;
    X(walls) walls = {.any = s->solids.any_drag, .dt = dt};
    for (int k = 0; k < 2 * DIM; k++) {
        int d = k / 2, end = k % 2;
        bool wall = scene->domain.sides[d][end] == SPATE_SIDE_WALL;
        wall = wall && !(end && s->grid.end[d] < s->grid.n[d]); /* else it is a solid */
        walls.side[d][end] = wall ? scene->domain.wall[d][end] : SPATE_WALL_SLIP;
        walls.roughness[d][end] = scene->domain.roughness[d][end];
        walls.any = walls.any || walls.side[d][end] != SPATE_WALL_SLIP;
        walls.sticks = walls.sticks || walls.side[d][end] == SPATE_WALL_NO_SLIP;
    }
    for (int k = 0; k < s->solids.count; k++)
        walls.sticks = walls.sticks || (s->solids.items[k].live &&
                                        s->solids.items[k].form.wall == SPATE_WALL_NO_SLIP);
    return walls;
}

/* Leapfrog: places at the ends of steps, velocities in the middle of them. A velocity gets what
 * gravity does from the middle of the last step to that of this one, so that what falls freely is
 * on its parabola whatever the steps are. Before the first one it is that of the beginning. */
double X(kick_seconds)(const X(sim) *s, double dt)
{
    return 0.5 * (s->common->last_dt + dt);
}

float X(gravity_kick)(const X(sim) *s, int d, double dt)
{
    if (!s->common->medium->falls)
        return 0.0f;
    return (float)(s->common->gravity[d] * X(kick_seconds)(s, dt));
}

X(forces) X(forces_of)(const X(sim) *s, double dt)
{
    X(forces) how = {.dt = dt, .walls = walls_of(s, dt)};
    FOR_DIM(d)
        how.dv[d] = X(gravity_kick)(s, d, dt);
    how.buoyancy = X(buoyancy_of)(s, dt);
    return how;
}

/* Without the part of buoyancy, particles move with u. */
static X(midway) X(midway_of)(const X(sim) *s, double dt)
{
    double last = s->common->last_dt;
    X(midway) how = {.share = last > 0 ? (float)fmin(1, 0.5 * dt / last) : 0.0f};
    if (!(s->needs & WHEN_LIFT))
        return how;
    how.lift = X(buoyancy_of)(s, dt);
    how.to_q = (float)(X(kick_seconds)(s, dt) / (s->common->scene->fluid.density * s->grid.dx));
    how.share = s->lifted ? how.share : 0.0f;
    return how;
}

X(step_info) X(step_info_of)(const X(sim) *s, double dt)
{
    return (X(step_info)){.dt = dt,
                          .midway = X(midway_of)(s, dt),
                          .forces = X(forces_of)(s, dt),
                          .channels = X(channels_of)(s, dt)};
}

/* ---- particles */

int X(affine_of)(const spate_scene *scene)
{
    return scene->fluid.transfer == SPATE_TRANSFER_APIC    ? AFFINE_APIC
           : scene->fluid.transfer == SPATE_TRANSFER_AFLIP ? AFFINE_AFLIP
                                                           : AFFINE_NONE;
}

/* A rate: with the PIC share 1 - r in a step of flip_step it is dt / (t + dt) in one of dt, t = r /
 * (1 - r) flip_step. */
float X(kept_share)(const X(sim) *s, double dt)
{
    const spate_scene *scene = s->common->scene;
    double ratio = scene->fluid.flip_ratio, step = scene->fluid.flip_step;
    if (scene->fluid.transfer == SPATE_TRANSFER_PIC || scene->fluid.transfer == SPATE_TRANSFER_APIC)
        return 0.0f;
    return (float)(step > 0 ? ratio * step / (ratio * step + (1 - ratio) * dt) : ratio);
}

sp_turn X(turn_of)(const X(sim) *s)
{
    float half = (float)(0.5 * s->common->last_dt / s->grid.dx);
    return (sp_turn){half, s->common->medium->most_turn};
}

bool X(pushes_apart)(const spate_scene *scene)
{
    return scene->volume.method == SPATE_VOLUME_PUSH || scene->volume.method == SPATE_VOLUME_BOTH;
}

bool X(rides_along)(const X(sim) *s)
{
    return s->displaced && s->common->scene->volume.method == SPATE_VOLUME_SHIFT;
}

void X(book_separation)(X(sim) *s, double work)
{
    const spate_scene *scene = s->common->scene;
    double mass =
        scene->fluid.density * pow(s->grid.dx / scene->fluid.particles_per_axis, (double)DIM);
    if (s->common->medium->falls)
        s->common->separate_energy -= mass * work;
}

void X(book_momentum)(X(sim) *s, double dt, const double expected[DIM], const double got[DIM],
                      double speeds)
{
    double square = 0;
    FOR_DIM(d)
        square += (expected[d] - got[d]) * (expected[d] - got[d]);
    s->common->momentum_lost = speeds > 0 && dt > 0 ? sqrt(square) / (speeds * dt) : 0;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void X(book_slip)(X(sim) *s, const uint64_t bins[], uint32_t most)
{
    uint64_t all = 0, below = 0;
    int bin = 0;
    for (int k = 0; k < SLIP_BINS; k++)
        all += bins[k];
    while (bin < SLIP_BINS - 1 && (below + bins[bin]) * 1000 < all * 999)
        below += bins[bin++];
    float end = float_of((uint32_t)(SLIP_FIRST + bin + 1) << 20);
    s->common->slip_max = (double)float_of(most);
    s->common->slip_p999 = fmin((double)end, s->common->slip_max);
}

X(reseeding) X(reseeding_of)(const X(sim) *s, double dt)
{
    const spate_scene *scene = s->common->scene;
    X(reseeding) r = {.full = 1,
                      .n = scene->fluid.particles_per_axis,
                      .jitter = (float)scene->fluid.jitter,
                      .gradient = 1.0f,
                      .key = sp_hash2(sp_mix(scene->fluid.seed), s->common->steps)};
    X(fields) f = X(fields_of)(s);
    if (s->affine == AFFINE_AFLIP)
        r.gradient = X(share_of_gradient)(&f, X(kept_share)(s, dt));
    FOR_DIM(d)
        r.full *= (uint32_t)r.n;
    uint32_t least = (3 * r.full + 7) / 8, most = 3 * r.full / 2;
    r.least = scene->fluid.reseed_min ? (uint32_t)scene->fluid.reseed_min : least;
    r.most = scene->fluid.reseed_max ? (uint32_t)scene->fluid.reseed_max : most;
    return r;
}
