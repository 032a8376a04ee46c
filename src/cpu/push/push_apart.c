/* push_apart.c -- moves pairs of particles apart that are closer than their distance.
 *
 * Two particles a and b at a distance r below the separation distance
 *
 *     D = volume.separation * dx / n      (n particles per axis of a cell; 0.9 dx / n)
 *
 * are to move away from each other along their line until r = D, half of the way each; if one of
 * them touches a wall or a solid, it takes a fifth and the other one the rest (the way of Mueller,
 * Ten Minute Physics 18). Particles at the same place part in a direction that their ids give. A
 * liquid whose pairs all keep their distance is not moved at all, and velocities are never touched.
 *
 * Two passes, each of the kind of Jacobi: every particle adds up its own share of all its pairs
 * from the places of the last pass, so nothing depends on the order of particles or threads. Where
 * many pairs pull at one particle the sum goes too far; it is divided by SLOWING times the number
 * of pairs, where that is more than 1. No particle goes farther than D / 2 in a pass.
 *
 * Both passes go over one list of pairs: those that before the first were less than about WIDER D
 * apart, by places rounded to 1/64 of a cell (kernels/push.h). That is the same for both of a pair,
 * and the cells of the sorted particles tell who is near. What comes near from farther away meets
 * in the next step.
 *
 * A tile copies its particles and those of one cell around it into a store in the cache
 * (push_store.c), finds its pairs (push_find.c) and keeps them for the second pass, adds up what
 * they ask for (push_meet.c), and moves its own. A pair across the border of two tiles is listed by
 * both, any other one once. A tile with more pairs than there is memory for lets them meet piece by
 * piece and finds them again in the second pass; one with more particles than the store holds goes
 * cell by cell (push_crowd.c). */
#include "push.h"

#define CROWDED 3 /* times the particles at rest: a tile with more does not fit into the store */

static uint32_t store_capacity(const spate_scene *scene)
{
    uint32_t n = (uint32_t)scene->fluid.particles_per_axis;
    uint32_t entries = (uint32_t)(CROWDED * STORE_CELLS) * (DIM == 3 ? n * n * n : n * n);
    entries = entries < MOST_ENTRIES ? entries : MOST_ENTRIES;
    uint32_t least = 2 * (BLOCK + LANES); /* of push_crowd.c */
    return entries > least ? entries : least;
}

size_t DEV(push_scratch)(const spate_scene *scene)
{
    return DEV(push_store_bytes)(store_capacity(scene));
}

/* ---- moves */

/* Where the pairs ask eight particles from `first` on to be: inside the domain, a way of at most D
 * / 2 from where they are. */
SIMD_FN void answer(const push_args *args, uint32_t first, const f4 *sums, f8 to[DIM])
{
    float most = 0.5f * args->m.D;
    f8 sum[4], square = {0}, one = f8_of(1.0f);
    turn(sums, sum);
    FOR_DIM(d)
        square += sum[d] * sum[d];
    f8 length = f8_sqrt(square), slow = sum[3] * PUSH_SLOWING;
    slow = choose(is_less(one, slow), slow, one);
    f8 scale = choose(is_less(most * slow, length), most / length, one / slow);
    FOR_DIM(d) {
        to[d] = load(args->from[d] + first) + scale * sum[d];
        f8 low = f8_of(args->sides.low[d]), high = f8_of(args->sides.high[d]);
        to[d] = choose(is_less(low, to[d]), to[d], low);
        to[d] = choose(is_less(to[d], high), to[d], high);
    }
}

/* Brings particle k to its final place; returns gravity times its way. */
static double finish(push_args *args, uint32_t k, float to[DIM])
{
    X(particles) *p = &args->s->particles;
    float x[DIM], v[DIM], way[DIM];
    double work = 0;
    FOR_DIM(d) {
        x[d] = p->x[d][k];
        v[d] = p->v[d][k]; /* settle takes from it; the particle keeps its own */
    }
    FOR_DIM(d)
        way[d] = to[d] - x[d];
    X(collide)(&args->mover, x, to, v); /* where there is no place, it stays */
    FOR_DIM(d) {
        /* across a periodic side the way is the wanted one */
        way[d] = args->s->grid.periodic[d] ? way[d] : to[d] - x[d];
        work += (double)way[d] * args->gravity[d];
        p->x[d][k] = to[d];
    }
    return work;
}

/* Brings n of eight particles to their final places, one by one. */
static void finish_lanes(around *a, uint32_t first, const f8 to[DIM], uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        float place[DIM];
        FOR_DIM(d)
            place[d] = to[d][k];
        a->work += finish(a->args, first + k, place);
    }
}

void DEV(push_move)(around *a, uint32_t first, const f4 *sum, uint32_t count)
{
    push_args *args = a->args;
    const i8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
    bool one_by_one = args->last && (a->solids || a->crossed);
    f8 ways[DIM] = {{0}};
    for (uint32_t k = 0, n; k < count; k += n) {
        f8 to[DIM];
        n = count - k < LANES ? count - k : LANES;
        answer(args, first + k, sum + k, to);
        if (one_by_one) {
            finish_lanes(a, first + k, to, n);
            continue;
        }
        FOR_DIM(d) {
            float *column = (args->last ? args->s->particles.x[d] : args->to[d]) + first + k;
            if (args->last && args->gravity[d] != 0)
                ways[d] += where(lane < (int32_t)n, to[d] - load_n(column, n));
            store_n(column, to[d], n);
        }
    }
    for (int d = 0; d < DIM; d++)
        for (int k = 0; k < LANES; k++)
            a->work += args->gravity[d] * (double)ways[d][k];
}

/* ---- tiles */

static bool tile_near_solids(const push_args *args, size_t base)
{
    const X(sim) *s = args->s;
    if (s->solids.live == 0)
        return false;
    float least = 1e30f;
    for (int r = 0; r < TILE_ROWS; r++)
        for (int i = 0; i < TILE; i++) {
            float phi = s->phi_solid[base + X(row_offset)(&s->grid, r) + (size_t)i];
            least = phi < least ? phi : least;
        }
    return least < 4.0f * (float)s->grid.dx + (float)args->mover.obstacles.travel;
}

/* Where the pairs of a tile are listed: in its part of the memory, or, if that is small, with the
 * worker. Vectors of pairs go on behind the last. */
static void open_list(around *a, int tile)
{
    const X(sim) *s = a->args->s;
    size_t begin = s->tiles.start[tile], end = s->tiles.start[tile + 1];
    uint32_t *part = s->particles.pairs + PUSH_PAIRS * begin;
    size_t room = PUSH_PAIRS * (end - begin);
    a->list = room > LIST_LEAST + LANES ? (pair_list){part, 0, (uint32_t)room - LANES, true}
                                        : (pair_list){a->few, 0, LIST_LEAST, true};
}

/* Finds the pairs of a tile, and keeps the list for the next pass if there is room. */
static void list_pairs(around *a, int tile)
{
    const X(sim) *s = a->args->s;
    size_t begin = s->tiles.start[tile], end = s->tiles.start[tile + 1];
    DEV(push_find)(a);
    uint32_t count = a->list.count;
    bool kept = a->list.whole && count <= PUSH_PAIRS * (end - begin);
    a->args->listed[tile] = kept ? count : NOT_LISTED;
    if (kept && a->list.pair == a->few)
        memcpy(s->particles.pairs + PUSH_PAIRS * begin, a->few, count * sizeof *a->few);
}

/* Rows of the tile's own particles: their rounded places out of the store, for the next pass. */
static void keep_bytes(const around *a, uint32_t first, uint32_t entry, uint32_t count)
{
    FOR_DIM(d)
        memcpy(a->args->rounded[d] + first, a->store.rounded[d] + entry, count);
}

static void move_tile(around *a)
{
    const tile_store *s = &a->store;
    for (int row = 0; row < STORE_ROWS; row++) {
        int y = row % SIDE, z = row / SIDE, cell = row * SIDE + 1;
        bool own = y >= 1 && y <= a->own[1] && (DIM == 2 || (z >= 1 && z <= a->own[DIM - 1]));
        uint32_t begin = s->start[cell], count = s->start[cell + a->own[0]] - begin;
        if (!own || count == 0)
            continue;
        if (!a->args->last)
            keep_bytes(a, s->number[cell], begin, count);
        DEV(push_move)(a, s->number[cell], s->sum + begin, count);
    }
}

static void look_at_tile(around *a, int tile)
{
    const push_args *args = a->args;
    const X(grid) *g = &args->s->grid;
    X(tile_cell)(g, tile, a->corner);
    a->solids = tile_near_solids(args, X(index)(g, a->corner));
    a->walls = false;
    a->work = 0;
    a->crossed = false;
    a->ends[0] = args->sides.wrap[0] || a->corner[0] > 0;
    a->ends[1] = args->sides.wrap[0] || a->corner[0] + TILE < g->n[0];
    FOR_DIM(d) {
        int left = g->n[d] - a->corner[d];
        a->own[d] = left < TILE ? left : TILE;
        a->crossed = a->crossed || (g->periodic[d] && (a->corner[d] == 0 || left <= TILE));
        a->walls = a->walls || args->sides.touch_low[d] > (float)(a->corner[d] - 2) ||
                   args->sides.touch_high[d] < (float)(a->corner[d] + TILE + 2);
    }
}

static void push_tile(around *a, int tile)
{
    push_args *args = a->args;
    const X(particles) *p = &args->s->particles;
    bool listed = args->last && args->listed[tile] != NOT_LISTED;
    look_at_tile(a, tile);
    if (DEV(push_load)(a, !listed)) {
        memset(a->store.sum, 0, a->store.start[STORE_CELLS] * sizeof(f4));
        open_list(a, tile);
        if (listed) {
            size_t begin = PUSH_PAIRS * (size_t)args->s->tiles.start[tile];
            a->list.pair = p->pairs + begin;
            a->list.count = args->listed[tile];
        } else {
            list_pairs(a, tile);
        }
        DEV(push_meet)(a);
        move_tile(a);
    } else {
        args->listed[tile] = NOT_LISTED;
        DEV(push_crowd)(a);
    }
    args->work[tile] = a->work;
}

static void push_range(void *user, size_t begin, size_t end, int worker)
{
    push_args *args = user;
    around a;
    a.args = args;
    DEV(push_store_init)
    (&a.store, args->scratch + (size_t)worker * DEV(push_scratch)(args->s->common->scene),
     args->capacity);
    for (size_t k = begin; k < end; k++) {
        int tile = args->s->tiles.active[k];
        if (args->s->tiles.start[tile] < args->s->tiles.start[tile + 1])
            push_tile(&a, tile);
    }
}

static bool touches_solid(const push_args *args, size_t k)
{
    const X(sim) *s = args->s;
    float x[DIM];
    FOR_DIM(d)
        x[d] = args->from[d][k];
    X(stencil) stencil = X(stencil_at)(KERNEL_LINEAR, x, DIM);
    return X(gather)(&s->grid, &stencil, KERNEL_LINEAR, s->phi_solid) <
           PUSH_TOUCH * args->m.D * (float)s->grid.dx;
}

/* Which particles of some tiles touch a solid. */
static void touch_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const push_args *args = user;
    const X(sim) *s = args->s;
    for (size_t k = begin; k < end; k++) {
        int tile = s->tiles.active[k];
        size_t first = s->tiles.start[tile], last = s->tiles.start[tile + 1];
        bool near = first < last && tile_near_solids(args, X(tile_index)(&s->grid, tile));
        memset(args->touches + first, 0, last - first);
        for (size_t p = first; p < last && near; p++)
            args->touches[p] = touches_solid(args, p);
    }
}

double DEV(push_apart)(X(sim) *s)
{
    const spate_scene *scene = s->common->scene;
    X(particles) *p = &s->particles;
    sp_arena arena = X(arena)(s);
    push_args args = {.s = s, .mover = X(mover_begin)(s, 0), .capacity = store_capacity(scene)};
    float D = (float)(scene->volume.separation / scene->fluid.particles_per_axis);
    args.m = X(push_distances_of)(D);
    DEV(push_looks)(args.looks, args.m.halves);
    args.sides = X(push_sides_of)(&s->grid, scene->domain.sides, D);
    args.listed = sp_arena_take(&arena, (size_t)s->grid.tile_count, sizeof *args.listed);
    args.work = sp_arena_take(&arena, (size_t)s->grid.tile_count, sizeof *args.work);
    args.scratch =
        sp_arena_take(&arena, (size_t)sp_pool_threads(s->common->pool), DEV(push_scratch)(scene));
    args.touches = s->solids.live > 0 ? p->rounded + 3 * (size_t)p->capacity : NULL;
    FOR_DIM(d) {
        args.rounded[d] = p->rounded + (size_t)d * p->capacity;
        args.gravity[d] = s->common->gravity[d] * s->grid.dx;
    }
    /* the scratch columns of SORT and one more hold the places between the passes */
    float *between[3] = {p->spare, (float *)p->order, p->between};
    for (int pass = 0; pass < PUSH_PASSES; pass++) {
        args.last = pass == PUSH_PASSES - 1;
        FOR_DIM(d) {
            args.from[d] = args.last ? between[d] : p->x[d];
            args.to[d] = between[d];
        }
        if (args.touches)
            sp_parallel_for(s->common->pool, (size_t)s->tiles.active_count, 1, touch_range, &args);
        sp_parallel_for(s->common->pool, (size_t)s->tiles.active_count, 1, push_range, &args);
    }
    X(mover_end)(&args.mover);
    double work = 0;
    for (int k = 0; k < s->tiles.liquid_count; k++)
        work += args.work[s->tiles.liquid[k]];
    return work;
}
