/* advect_lanes.c -- ADVECT for the linear kernel and RK3, eight particles at a time.
 *
 * They read the grid's fields from patches of their tile (cpu/patch.h) if none can leave
 * these on the way; those of them that come near a side or a solid are settled one by one
 * (collide.c). If G2P left it to this stage, they get their velocities first, v <- r v + f(x)
 * (g2p.c), which reads the grid at the place where the first stage of Runge-Kutta and the
 * displacement read it too. In a gas the velocity rides along with the displacement
 * (kernels/shift.h): u is read once more, where that ends. */
#include "advect.h"

#include "cpu.h"

#include "kernels/midway.h"

#include <math.h>

size_t DEV(patch_scratch)(void)
{
    return (sizeof(X(patches)) + 63) / 64 * 64;
}

/* What the particles of a tile read and get; constants where eight go at a time. */
typedef struct tile_task {
    const X(patches) *p; /* NULL: they read the grid */
    bool transfer;       /* new velocities first */
    bool gradient;       /* and with these AFLIP's gradients */
    bool midway;         /* they move with another velocity than u */
    bool displaced;      /* SEPARATE has a displacement */
    bool rides;          /* the velocity goes with it */
    X(slips) *slips;     /* to be noted, or NULL */
} tile_task;

/* What they may meet. */
typedef struct tile_view {
    bool side[DIM]; /* along this axis some may come near a side of the domain */
    float n[DIM];   /* cells of the domain */
    bool solids;    /* some may come near a solid: those that go farther than `way` */
    float way;      /* cells; negative: all of them */
} tile_view;

/* ---- the fields */

SIMD_FN i8 floor_of(f8 x)
{
    i8 i = convert(x, i8);
    return i + (x < convert(i, f8));
}

/* bring_in of kernels/rk.h, along the axes where it may be needed */
SIMD_FN void bring_lanes_in(const X(grid) *g, const tile_view *view, f8 x[DIM])
{
    FOR_DIM(d) {
        if (!view->side[d])
            continue;
        f8 n = f8_of(view->n[d]);
        if (g->periodic[d]) {
            i8 inside = (x[d] >= 0.0f) & (x[d] < n);
            if (!all(inside)) {
                f8 turns = convert(floor_of(x[d] / n), f8);
                x[d] = choose(inside, x[d], x[d] - n * turns);
            }
            x[d] = choose(x[d] < n, x[d], f8_of(0.0f));
        } else {
            x[d] = f8_min(f8_max(x[d], f8_of(0.0f)), n);
        }
    }
}

SIMD_FN void locate(const X(advection) *args, tile_task task, const f8 x[DIM], X(located) *at)
{
    if (task.p)
        DEV(patch_locate)(&task.p->flow, x, at); /* all patches are laid out alike */
    else
        X(grid_locate)(&args->s->grid, x, at);
}

/* Component d of a field and, if `slope`, its gradient: of the patch, or of the grid if there is
 * none. */
SIMD_FN f8 value_of(const X(grid_field) *field, const X(patch) *patch, const X(located) *at, int d,
                    f8 *slope)
{
    return patch ? X(patch_value)(patch, at, d, slope) : X(grid_value)(field, at, d, slope);
}

SIMD_FN f8 component(const X(grid_field) *field, const X(patch) *patch, const X(located) *at, int d)
{
    return value_of(field, patch, at, d, NULL);
}

SIMD_FN f8 limited(f8 way)
{
    return f8_max(f8_min(way, f8_of(MOST_WAY)), f8_of(-MOST_WAY));
}

/* Lanes that are below MOST_SPEED. */
SIMD_FN i8 are_sound(f8 v)
{
    return ((i8)f8_abs(v) - (i8)f8_of(MOST_SPEED)) >> 31; /* ordered like their bits */
}

/* ---- moving */

/* Lanes that go from x to `to` without meeting anything. */
SIMD_FN i8 are_undisturbed(const tile_view *view, const f8 x[DIM], const f8 to[DIM])
{
    i8 plain = ~(i8){0};
    FOR_DIM(d)
        if (view->side[d])
            plain &= ~is_negative(to[d] - 2.0f * CLEARANCE) &
                     ~is_negative(view->n[d] - 2.0f * CLEARANCE - to[d]);
    if (view->solids) {
        f8 square = {0};
        FOR_DIM(d) {
            f8 move = to[d] - x[d];
            square += move * move;
        }
        plain &= view->way > 0.0f ? square < view->way * view->way : (i8){0}; /* NaN: not */
    }
    return plain;
}

/* Runge-Kutta's stages wait for each other. GROUPS groups of eight particles go through them by
 * turns, and while one waits the others compute. Without vectors of eight, one, which is enough to
 * do; what a task asks for is then tested and not a constant, or gcc takes minutes over it. */
#if SIMD_HALVES
#define GROUPS 1
#define TILE_FN static __attribute__((noinline))
#else
#define GROUPS 4
#define TILE_FN SIMD_FN
#endif

typedef struct group {
    f8 x[DIM], k1[DIM], k2[DIM], way[DIM], step;
    X(located) at; /* where the next stage reads */
    f8 square;     /* of v, if it is new */
    i8 fast;
} group;

/* Sums over a tile. */
typedef struct sums {
    f8 ways[DIM];
    i8 fastest; /* v^2, see larger */
    i8 sound;
} sums;

/* Particles some of which meet something, n of them: these are settled. */
static void collide_some(X(advection) *args, uint32_t k, uint32_t n, i8 plain, const f8 to[DIM],
                         group *g)
{
    X(particles) *p = args->p;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        float from[DIM], goal[DIM], square = 0.0f;
        if (lane >= n) {
            g->square[lane] = 0.0f;
            continue;
        }
        FOR_DIM(d) {
            from[d] = g->x[d][lane];
            goal[d] = to[d][lane];
            if (plain[lane])
                p->x[d][k + lane] = goal[d];
        }
        if (plain[lane])
            continue;
        X(advect_one)(args, k + lane, from, goal);
        FOR_DIM(d)
            square += p->v[d][k + lane] * p->v[d][k + lane];
        g->square[lane] = square;
    }
}

/* Where the next stage reads the field: at x + step k. */
SIMD_FN void go_on(const X(advection) *args, tile_task task, const tile_view *view, float share,
                   const f8 k[DIM], group *g)
{
    f8 place[DIM];
    FOR_DIM(d)
        place[d] = g->x[d] + share * g->step * k[d];
    bring_lanes_in(&args->s->grid, view, place);
    locate(args, task, place, &g->at);
}

SIMD_FN void read_flow(const X(advection) *args, tile_task task, const group *g, f8 k[DIM])
{
    FOR_DIM(d)
        k[d] = component(&args->flow, task.p ? &task.p->flow : NULL, &g->at, d);
}

/* The field u. */
SIMD_FN f8 read_now(const X(advection) *args, tile_task task, const X(located) *at, int d,
                    f8 *slope)
{
    const X(patch) *patch = !task.p ? NULL : task.midway ? &task.p->now : &task.p->flow;
    return value_of(&args->now, patch, at, d, slope);
}

/* X(ride), after the displacement. here: u where they are. */
SIMD_FN void ride(const X(advection) *args, tile_task task, const tile_view *view, uint32_t k,
                  uint32_t n, const f8 here[DIM], group *g, sums *sum)
{
    X(located) at;
    f8 place[DIM], square = {0};
    FOR_DIM(d)
        place[d] = g->x[d] + g->way[d];
    bring_lanes_in(&args->s->grid, view, place);
    locate(args, task, place, &at);
    FOR_DIM(d) {
        float *own = args->p->v[d] + k;
        f8 v = load_n(own, n) + (read_now(args, task, &at, d, NULL) - here[d]);
        sum->sound &= are_sound(v);
        square += v * v;
        store_n(own, v, n);
    }
    g->square = task.transfer ? square : g->square;
}

/* New velocities; the first stage, mean_velocity of kernels/rk.h for RK3; the displacement. */
SIMD_FN void begin_group(const X(advection) *args, tile_task task, const tile_view *view,
                         uint32_t k, uint32_t n, group *g, sums *sum)
{
    const X(sim) *s = args->s;
    f8 square = {0}, share = {0}, slope[DIM], here[DIM];
    g->square = f8_of(0.0f);
    if (task.gradient)
        share = X(gradient_shares)(task.p ? &task.p->air : NULL, &args->f, g->x, args->kept);
    FOR_DIM(d) {
        if (task.transfer) {
            float *own = args->p->v[d] + k;
            f8 v = component(&args->carried, task.p ? &task.p->carried : NULL, &g->at, d) +
                   args->kept * load_n(own, n);
            sum->sound &= are_sound(v);
            g->square += v * v;
            store_n(own, v, n);
        }
        here[d] = f8_of(0.0f);
        if (task.gradient) {
            here[d] = read_now(args, task, &g->at, d, slope);
            X(store_gradient)(args->p, k, n, d, share, slope);
        } else if (task.rides || !task.midway) {
            here[d] = read_now(args, task, &g->at, d, NULL);
        }
        g->k1[d] = here[d];
        if (task.midway)
            g->k1[d] = component(&args->flow, task.p ? &task.p->flow : NULL, &g->at, d);
        square += g->k1[d] * g->k1[d];
        g->way[d] = f8_of(0.0f);
        if (task.displaced)
            g->way[d] = limited(component(&args->away, task.p ? &task.p->away : NULL, &g->at, d));
    }
    if (task.rides)
        ride(args, task, view, k, n, here, g, sum);
    /* a lane that is too fast stays where it is in the stages, and its mean is not used; a patch
     * has none */
    g->step = f8_of(args->h);
    if (!task.p) {
        g->fast = square * args->h * args->h > s->reach * s->reach;
        g->step = choose(g->fast, f8_of(0.0f), g->step);
    }
    go_on(args, task, view, 0.5f, g->k1, g);
}

/* Of n particles from k on, whose velocities are those of the step; move: their ways, cells. */
static void note_slips(const X(advection) *args, uint32_t k, uint32_t n, const f8 move[DIM],
                       X(slips) *slips)
{
    for (uint32_t lane = 0; lane < n; lane++) {
        float v[DIM], way[DIM];
        FOR_DIM(d) {
            v[d] = args->p->v[d][k + lane];
            way[d] = move[d][lane];
        }
        X(note_slip)(slips, v, way, args->h);
    }
}

SIMD_FN void end_group(X(advection) *args, tile_task task, const tile_view *view, uint32_t k,
                       uint32_t n, group *g, sums *sum)
{
    const i8 number = {0, 1, 2, 3, 4, 5, 6, 7};
    f8 to[DIM], k3[DIM], move[DIM];
    read_flow(args, task, g, k3);
    FOR_DIM(d) {
        f8 v = (2.0f * g->k1[d] + 3.0f * g->k2[d] + 4.0f * k3[d]) * (1.0f / 9.0f);
        if (!task.p)
            v = choose(g->fast, g->k1[d], v);
        to[d] = g->x[d] + args->h * v + g->way[d];
        move[d] = args->h * v + g->way[d];
        sum->ways[d] +=
            n == LANES ? g->way[d] : choose(number < (int32_t)n, g->way[d], f8_of(0.0f));
    }
    if (task.slips)
        note_slips(args, k, n, move, task.slips);
    i8 plain = are_undisturbed(view, g->x, to);
    if (all(plain)) {
        FOR_DIM(d)
            store_n(args->p->x[d] + k, to[d], n);
    } else {
        collide_some(args, k, n, plain, to, g);
    }
    sum->fastest = larger(sum->fastest, g->square);
}

/* `groups` groups of n particles each, from k on. */
SIMD_FN void advect_groups(X(advection) *args, tile_task task, const tile_view *view, uint32_t k,
                           uint32_t n, uint32_t groups, sums *sum)
{
    group g[GROUPS];
    for (uint32_t m = 0; m < groups; m++) {
        FOR_DIM(d)
            g[m].x[d] = load_n(args->p->x[d] + k + m * LANES, n);
        locate(args, task, g[m].x, &g[m].at);
    }
    for (uint32_t m = 0; m < groups; m++)
        begin_group(args, task, view, k + m * LANES, n, &g[m], sum);
    for (uint32_t m = 0; m < groups; m++) {
        read_flow(args, task, &g[m], g[m].k2);
        go_on(args, task, view, 0.75f, g[m].k2, &g[m]);
    }
    for (uint32_t m = 0; m < groups; m++)
        end_group(args, task, view, k + m * LANES, n, &g[m], sum);
}

/* The particles of a tile. */
TILE_FN void advect_tile(X(advection) *args, int tile, tile_task task, const tile_view *view)
{
    const X(sim) *s = args->s;
    sums sum = {.sound = ~(i8){0}};
    uint32_t k = args->t->start[tile], end = args->t->start[tile + 1];
    for (; GROUPS > 1 && k + GROUPS * LANES <= end; k += GROUPS * LANES)
        advect_groups(args, task, view, k, LANES, GROUPS, &sum);
    for (; k < end; k += LANES)
        advect_groups(args, task, view, k, end - k < LANES ? end - k : LANES, 1, &sum);
    X(advected) *result = &args->tile[tile];
    float fastest[LANES];
    memcpy(fastest, &sum.fastest, sizeof fastest);
    *result = (X(advected)){0};
    for (int lane = 0; lane < LANES; lane++)
        if (!(fastest[lane] <= result->fastest))
            result->fastest = fastest[lane];
    FOR_DIM(d)
        for (int lane = 0; lane < LANES; lane++)
            result->work += s->common->gravity[d] * s->grid.dx * (double)sum.ways[d][lane];
    if (!all(sum.sound))
        atomic_fetch_add_explicit(&args->unsound, DEV(count_unsound)(s, tile),
                                  memory_order_relaxed);
}

/* ---- tiles */

/* Fills the patches of a tile and tells whether its particles may use them: no stage of theirs
 * leaves the patch or is too far for RK3. most: of |u| there. */
static bool fill_patches(const X(advection) *args, const int corner[DIM], X(patches) *p,
                         float most[DIM])
{
    const X(sim) *s = args->s;
    const X(grid) *g = &s->grid;
    float unused[DIM], square = 0.0f;
    FOR_DIM(d)
        if (g->periodic[d] && (corner[d] < PATCH_HALO || corner[d] + TILE + PATCH_HALO > g->n[d]))
            return false;
    X(patch_fill)(&p->flow, g, corner, PATCH_HALO, (X(patch_source)){.u = X(flow_of)(&args->f)},
                  most);
    FOR_DIM(d) {
        square += most[d] * most[d];
        if (!(0.75f * args->h * most[d] <= PATCH_REACH - 0.01f))
            return false;
    }
    if (!(square * args->h * args->h <= 0.99f * s->reach * s->reach))
        return false;
    if (args->midway && (args->gradient || args->rides))
        X(patch_fill)(&p->now, g, corner, 1, (X(patch_source)){.u = s->u}, unused);
    if (args->gradient)
        X(air_find)(&p->air, &args->f, corner);
    if (args->transfer)
        X(patch_fill)(&p->carried, g, corner, 1, (X(patch_source)){.u = s->carried}, unused);
    if (s->displaced)
        X(patch_fill)(&p->away, g, corner, 1, (X(patch_source)){.u = s->away}, unused);
    return true;
}

/* The way (cells) within which no particle of a tile could meet a solid (collide.c); negative:
 * there is none. */
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

/* What particles of a tile may meet that go through a field no faster than `most`. */
static void look_around(const X(advection) *args, const int corner[DIM], const float most[DIM],
                        tile_view *view)
{
    const X(sim) *s = args->s;
    float square = 0.0f;
    FOR_DIM(d) {
        float way = 1.001f * args->h * most[d] + MOST_WAY;
        square += way * way;
        view->side[d] = corner[d] < PATCH_HALO || corner[d] + TILE + PATCH_HALO > s->grid.n[d] ||
                        way > (float)PATCH_HALO - 0.01f;
    }
    view->solids = !(view->way > 0.0f && square < view->way * view->way);
}

static void advect_lanes(X(advection) *args, int tile, void *scratch, X(slips) *slips)
{
    const X(sim) *s = args->s;
    int corner[DIM];
    float most[DIM];
    X(patches) *p = scratch;
    tile_view view = {.solids = true, .way = free_way(s, tile)};
    FOR_DIM(d) {
        view.side[d] = true;
        view.n[d] = (float)s->grid.n[d];
    }
    X(tile_cell)(&s->grid, tile, corner);
    tile_task task = {NULL,         args->transfer, args->gradient, args->midway,
                      s->displaced, args->rides,    slips};
    if (!args->p->at_home || args->t->start[tile + 1] - args->t->start[tile] < PATCH_LEAST ||
        !fill_patches(args, corner, p, most)) {
        advect_tile(args, tile, task, &view);
        return;
    }
    look_around(args, corner, most, &view);
    task.p = p;
    if (args->transfer && !args->gradient && !args->midway && s->displaced && !args->rides &&
        !slips)
        advect_tile(args, tile, (tile_task){p, true, false, false, true, false, NULL},
                    &view); /* usual */
    else if (args->gradient && s->displaced && !slips)
        advect_tile(args, tile, (tile_task){p, true, true, args->midway, true, args->rides, NULL},
                    &view);
    else
        advect_tile(args, tile, task, &view);
}

void DEV(advect_set)(X(sim) *s, X(set) *set, double dt)
{
    X(advect_lanes) lanes = {advect_lanes, DEV(patch_scratch)()};
    X(advect_set)(s, set, dt, &lanes);
}

spate_status DEV(advect_particles)(X(sim) *s, double dt, bool transfer, spate_error *error)
{
    X(advect_lanes) lanes = {advect_lanes, DEV(patch_scratch)()};
    return X(advect)(s, dt, transfer, &lanes, error);
}
