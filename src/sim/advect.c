/* advect.c -- moves the particles through the extrapolated field and by the displacement that
 * SEPARATE found where they are,
 *
 *     x <- x + h u_mean + d(x),      u_mean: by Runge-Kutta from x (kernels/rk.h), h = dt / dx,
 *
 * past solids and walls (settle.c); those that have left, or have no place left, are marked dead.
 *
 * With the linear kernel and RK3 eight particles go at a time, with the same bits; those of them
 * that come near a side or a solid are settled one by one. They read the field from the patch of
 * their tile (device/cpu/patch.h) if none can leave it on the way. */
#include "state.h"

#include "device/cpu/patch.h"
#include "device/device.h"
#include "kernels/rk.h"

#include <math.h>
#include <stdatomic.h>

#define MOST_WAY 0.5f /* cells along an axis that SEPARATE moves a particle in a step */

typedef struct advect_args {
    X(sim) *s;
    X(mover) mover;
    float h;                   /* dt / dx: from m/s to cells */
    X(lanes_field) flow, away; /* u, and the displacement of SEPARATE (cells) */
    char *scratch;             /* per worker: patches */
    double *work;              /* per tile: sum of gravity times displacement, m^2/s^2 */
    _Atomic uint64_t broken;
} advect_args;

/* Of both fields, in the scratch of a worker. */
typedef struct patches {
    X(patch) flow, away;
} patches;

size_t X(patch_scratch)(void)
{
    return (sizeof(patches) + 63) / 64 * 64;
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
    bool stays = X(settle)(&args->mover, x, to, v);
    FOR_DIM(d) {
        p->x[d][k] = to[d];
        p->v[d][k] = v[d];
    }
    if (!stays)
        p->x[0][k] = DEAD;
}

static float limited(float way)
{
    way = way < MOST_WAY ? way : MOST_WAY;
    return way > -MOST_WAY ? way : -MOST_WAY;
}

static double advect_tile(advect_args *args, int order, int tile)
{
    X(sim) *s = args->s;
    float h = args->h;
    double work = 0;
    for (uint32_t k = s->tiles.start[tile]; k < s->tiles.start[tile + 1]; k++) {
        float x[DIM], to[DIM], mean[DIM], way[DIM] = {0};
        FOR_DIM(d)
            x[d] = s->particles.x[d][k];
        X(mean_velocity)(&s->grid, s->degree, order, s->u, x, h, s->reach, mean);
        if (s->displaced)
            X(velocity_at)(&s->grid, KERNEL_LINEAR, s->weight, x, way);
        FOR_DIM(d) {
            way[d] = limited(way[d]);
            to[d] = x[d] + h * mean[d] + way[d];
            work += s->common->gravity[d] * s->grid.dx * (double)way[d];
        }
        move_one(args, k, x, to);
    }
    return work;
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

/* What the particles of a tile read: patches, or the grid if these are NULL. clear: none of them
 * comes near a side of the domain or a solid. */
typedef struct tile_view {
    const X(patch) *flow, *away;
    bool clear;
} tile_view;

LANE_FN void locate(const advect_args *args, tile_view view, const floats x[DIM], X(lanes_at) *at)
{
    if (view.flow)
        X(patch_locate)(view.flow, x, at); /* both patches are laid out alike */
    else
        X(lanes_locate)(&args->s->grid, x, at);
}

LANE_FN void flow_at(const advect_args *args, tile_view view, const X(lanes_at) *at, floats v[DIM])
{
    if (view.flow)
        X(patch_velocity)(view.flow, at, v);
    else
        X(lanes_velocity)(&args->flow, at, v);
}

/* u at x + step k */
LANE_FN void stage_of_lanes(const advect_args *args, tile_view view, const floats x[DIM],
                            const floats k[DIM], floats step, floats v[DIM])
{
    X(lanes_at) at;
    floats place[DIM];
    FOR_DIM(d)
        place[d] = x[d] + step * k[d];
    if (!view.clear)
        bring_lanes_in(&args->s->grid, place);
    locate(args, view, place, &at);
    flow_at(args, view, &at, v);
}

/* The displacement there. */
LANE_FN void ways_of_lanes(const advect_args *args, tile_view view, const X(lanes_at) *at,
                           floats way[DIM])
{
    if (view.flow)
        X(patch_velocity)(view.away, at, way);
    else
        X(lanes_velocity)(&args->away, at, way);
    FOR_DIM(d) {
        way[d] = lanes_select(way[d] < MOST_WAY, way[d], lanes_of(MOST_WAY));
        way[d] = lanes_select(way[d] > -MOST_WAY, way[d], lanes_of(-MOST_WAY));
    }
}

/* Fills the patches of a tile and tells whether its particles may use them: no stage of theirs
 * leaves the patch or is too far for RK3. most: of |u| there. */
static bool fill_patches(const advect_args *args, const int corner[DIM], patches *p,
                         float most[DIM])
{
    const X(sim) *s = args->s;
    float unused[DIM], square = 0.0f;
    FOR_DIM(d)
        if (s->grid.periodic[d] &&
            (corner[d] < PATCH_HALO || corner[d] + TILE + PATCH_HALO > s->grid.n[d]))
            return false;
    X(patch_fill)(&p->flow, &s->grid, corner, PATCH_HALO, (X(patch_source)){.u = s->u}, most);
    FOR_DIM(d) {
        square += most[d] * most[d];
        if (!(0.75f * args->h * most[d] <= PATCH_REACH - 0.01f))
            return false;
    }
    if (!(square * args->h * args->h <= 0.99f * s->reach * s->reach))
        return false;
    if (s->displaced)
        X(patch_fill)(&p->away, &s->grid, corner, 1, (X(patch_source)){.u = s->weight}, unused);
    return true;
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

/* Whether particles of a tile that go through a field no faster than `most` meet nothing. */
static bool is_clear(const advect_args *args, int tile, const int corner[DIM],
                     const float most[DIM])
{
    const X(sim) *s = args->s;
    float square = 0.0f, clear = free_way(s, tile);
    for (int d = 0; d < DIM; d++) {
        float way = 1.001f * args->h * most[d] + MOST_WAY;
        square += way * way;
        if (corner[d] < PATCH_HALO || corner[d] + TILE + PATCH_HALO > s->grid.n[d] ||
            way > (float)PATCH_HALO - 0.01f)
            return false;
    }
    return clear > 0.0f && square < clear * clear;
}

/* Lanes that go from x to `to` without meeting anything. */
LANE_FN ints are_undisturbed(const X(sim) *s, const floats x[DIM], const floats to[DIM], float way)
{
    ints plain = (ints){0} == 0;
    floats square = {0};
    FOR_DIM(d) {
        floats move = to[d] - x[d];
        square += move * move;
        plain &= (to[d] >= 2.0f * CLEARANCE) & (to[d] <= (float)s->grid.n[d] - 2.0f * CLEARANCE);
    }
    return way > 0.0f ? plain & (square < way * way) : (ints){0};
}

/* Moves those of n lanes that meet nothing, and settles the others. */
LANE_FN void move_lanes(advect_args *args, tile_view view, uint32_t k, uint32_t n,
                        const floats x[DIM], const floats to[DIM], float way)
{
    X(particles) *p = &args->s->particles;
    ints plain = {0};
    if (!view.clear)
        plain = are_undisturbed(args->s, x, to, way);
    if (view.clear || lanes_all(plain)) {
        FOR_DIM(d)
            lanes_store(p->x[d] + k, to[d], n);
        return;
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

/* Runge-Kutta's stages wait for each other. Two groups of eight particles go through them by turns,
 * and while one waits the other computes; without vectors of eight, one, which is enough to do. */
#if defined(__x86_64__) && !defined(__AVX__)
#define GROUPS 1
#else
#define GROUPS 2
#endif

typedef struct group {
    uint32_t n; /* lanes that count */
    floats x[DIM], k1[DIM], k2[DIM], k3[DIM], way[DIM], step;
    ints fast;
} group;

/* The first stage, mean_velocity of kernels/rk.h for RK3, and the displacement. */
LANE_FN void begin_group(const advect_args *args, tile_view view, uint32_t k, group *g)
{
    const X(sim) *s = args->s;
    float h = args->h, reach = s->reach;
    floats square = {0};
    X(lanes_at) at;
    FOR_DIM(d)
        g->x[d] = lanes_load(s->particles.x[d] + k, g->n);
    locate(args, view, g->x, &at);
    flow_at(args, view, &at, g->k1);
    FOR_DIM(d)
        g->way[d] = lanes_of(0.0f);
    if (s->displaced)
        ways_of_lanes(args, view, &at, g->way);
    FOR_DIM(d)
        square += g->k1[d] * g->k1[d];
    /* a lane that is too fast stays where it is in the stages, and its mean is not used; a patch
     * has none */
    g->step = lanes_of(h);
    g->fast = square * h * h > reach * reach;
    if (!view.flow)
        g->step = lanes_select(g->fast, lanes_of(0.0f), g->step);
}

LANE_FN void end_group(advect_args *args, tile_view view, uint32_t k, float way_free, group *g)
{
    floats to[DIM];
    FOR_DIM(d) {
        floats v = (2.0f * g->k1[d] + 3.0f * g->k2[d] + 4.0f * g->k3[d]) * (1.0f / 9.0f);
        if (!view.flow)
            v = lanes_select(g->fast, g->k1[d], v);
        to[d] = g->x[d] + args->h * v + g->way[d];
    }
    move_lanes(args, view, k, g->n, g->x, to, way_free);
}

/* `count` particles from k on, in `groups` groups; adds their displacements to `ways`. */
LANE_FN void advect_groups(advect_args *args, tile_view view, uint32_t k, uint32_t count,
                           uint32_t groups, float way_free, floats ways[DIM])
{
    const ints number = {0, 1, 2, 3, 4, 5, 6, 7};
    group g[GROUPS];
    for (uint32_t m = 0; m < groups; m++) {
        g[m].n = count - m * LANES < LANES ? count - m * LANES : LANES;
        begin_group(args, view, k + m * LANES, &g[m]);
    }
    for (uint32_t m = 0; m < groups; m++)
        stage_of_lanes(args, view, g[m].x, g[m].k1, 0.5f * g[m].step, g[m].k2);
    for (uint32_t m = 0; m < groups; m++)
        stage_of_lanes(args, view, g[m].x, g[m].k2, 0.75f * g[m].step, g[m].k3);
    for (uint32_t m = 0; m < groups; m++) {
        FOR_DIM(d)
            ways[d] += lanes_select(number < (int32_t)g[m].n, g[m].way[d], lanes_of(0.0f));
        end_group(args, view, k + m * LANES, way_free, &g[m]);
    }
}

/* Returns the work of the displacements. */
LANE_FN double advect_lanes(advect_args *args, int tile, tile_view view)
{
    X(sim) *s = args->s;
    float way_free = view.clear ? 0.0f : free_way(s, tile);
    floats ways[DIM];
    uint32_t k = s->tiles.start[tile], end = s->tiles.start[tile + 1];
    FOR_DIM(d)
        ways[d] = lanes_of(0.0f);
    for (; GROUPS > 1 && k + GROUPS * LANES <= end; k += GROUPS * LANES)
        advect_groups(args, view, k, GROUPS * LANES, GROUPS, way_free, ways);
    for (; k < end; k += LANES)
        advect_groups(args, view, k, end - k, 1, way_free, ways);
    double work = 0;
    FOR_DIM(d)
        for (int lane = 0; lane < LANES; lane++)
            work += s->common->gravity[d] * s->grid.dx * (double)ways[d][lane];
    return work;
}

static double advect_tile_by_lanes(advect_args *args, int tile, patches *p)
{
    const X(sim) *s = args->s;
    int corner[DIM];
    float most[DIM];
    X(tile_cell)(&s->grid, tile, corner);
    if (!s->at_home || s->tiles.start[tile + 1] - s->tiles.start[tile] < PATCH_LEAST ||
        !fill_patches(args, corner, p, most))
        return advect_lanes(args, tile, (tile_view){NULL, NULL, false});
    if (is_clear(args, tile, corner, most))
        return advect_lanes(args, tile, (tile_view){&p->flow, &p->away, true});
    return advect_lanes(args, tile, (tile_view){&p->flow, &p->away, false});
}

static void advect_range(void *user, size_t begin, size_t end, int worker)
{
    advect_args *args = user;
    X(sim) *s = args->s;
    patches *p = (patches *)(args->scratch + (size_t)worker * X(patch_scratch)());
    int order = 1 + (int)s->common->scene->time.advection;
    bool by_lanes = s->degree == KERNEL_LINEAR && order == 3 && s->grid.size <= INT32_MAX;
    for (size_t k = begin; k < end; k++) {
        int tile = s->tiles.active[k];
        if (s->tiles.start[tile] < s->tiles.start[tile + 1])
            args->work[tile] =
                by_lanes ? advect_tile_by_lanes(args, tile, p) : advect_tile(args, order, tile);
    }
}

static spate_status fail_unsound(const X(sim) *s, uint64_t count, spate_error *error)
{
    return sp_fail(
        error, SPATE_ERROR_SIMULATION, "advect",
        "%llu particles have no finite velocity in frame %d; the last checkpoint is good",
        (unsigned long long)count, s->common->frame + 1);
}

spate_status X(advect_particles)(X(sim) *s, double dt, spate_error *error)
{
    sp_common *common = s->common;
    if (s->unsound > 0)
        return fail_unsound(s, s->unsound, error);
    advect_args args = {.s = s,
                        .h = (float)(dt / s->grid.dx),
                        .mover = X(mover_begin)(s, dt),
                        .flow = X(lanes_field_of)(&s->grid, s->u),
                        .away = X(lanes_field_of)(&s->grid, s->weight)};
    sp_arena arena = X(arena)(s);
    size_t threads = (size_t)sp_pool_threads(common->pool);
    args.scratch = sp_arena_take(&arena, threads, X(patch_scratch)());
    args.work = sp_arena_take(&arena, (size_t)s->grid.tile_count, sizeof *args.work);
    /* not by colour: in the order of their places, tiles find the fields of the last one near */
    sp_parallel_for(common->pool, (size_t)s->tiles.active_count, 2, advect_range, &args);
    X(mover_end)(&args.mover);
    double work = 0;
    for (int k = 0; k < s->tiles.liquid_count; k++)
        work += args.work[s->tiles.liquid[k]];
    X(book_separation)(s, work);
    s->displaced = s->at_home = false;
    return args.broken > 0 ? fail_unsound(s, args.broken, error) : SPATE_OK;
}
