/* push_apart.c -- moves pairs of particles apart that are closer than their distance.
 *
 * Two particles a and b at a distance r below the separation distance
 *
 *     D = volume.separation * dx / n      (n particles per axis of a cell; 0.9 dx / n)
 *
 * are to move away from each other along their line until r = D, half of the way each; if one of
 * them touches a wall or a solid, it takes a fifth and the other one the rest (Mueller 2022, Ten
 * Minute Physics 18). Particles at the same place part in a direction that their ids give. A liquid
 * whose pairs all keep their distance is not moved at all, and velocities are never touched.
 *
 * Two passes, each of the kind of Jacobi: every particle adds up its own share of all its pairs
 * from the places of the last pass, so nothing depends on the order of particles or threads. Where
 * many pairs pull at one particle the sum goes too far; it is divided by SLOWING times the number
 * of pairs, where that is more than 1. No particle goes farther than D / 2 in a pass.
 *
 * Candidates come from the sorted cells. Cells of a row are neighbours in memory, so a particle
 * meets 2 x 2 (x 2) cells as 2 (4) runs of particles, LANES at a time. What the first pass moved is
 * no longer exactly in its cell: in the second one cells count as larger by the longest way that a
 * particle of the tile or its neighbours has gone. (With n = 1 that would be more than the next
 * cell; a pair that is missed there waits for the next step.) */
#include "state.h"

#include "kernels/random.h"

#include <string.h>

#define PASSES 2
#define SLOWING 0.6f   /* pairs that a particle may follow in full: 1 / SLOWING */
#define TOUCH 0.1f     /* of D: closer to a wall or solid than this, a particle touches it */
#define SAME_PLACE 1e-3f /* of D: closer pairs have no direction of their own */

#define LANES 8
typedef float floats __attribute__((vector_size(4 * LANES)));
typedef int32_t ints __attribute__((vector_size(4 * LANES)));

typedef struct push_args {
    X(sim) *s;
    X(mover) mover;
    const float *from[DIM]; /* places before the pass */
    float *to[DIM];         /* after it; in the last pass those of the particles, see push_tile */
    bool last;
    float distance;  /* D, cells */
    float *moved;    /* per tile: the longest way of a particle along an axis so far, cells */
    double *work;    /* per liquid tile: sum of gravity times way, m^2/s^2 */
    bool wrap[DIM];  /* periodic, and wide enough that neighbours differ */
    bool wall[DIM][2];
} push_args;

/* A particle on its way through its candidates. */
typedef struct seeker {
    const push_args *args;
    uint32_t self;
    float x[DIM], sum[DIM];
    int pairs;
    bool held;       /* touches a wall or solid */
    bool near_walls; /* some particle of the tile may touch a wall */
    bool near_solids;
} seeker;

/* ---- one pair */

static bool touches(const seeker *w, const float x[DIM])
{
    const push_args *args = w->args;
    const X(sim) *s = args->s;
    float reach = TOUCH * args->distance;
    if (w->near_walls)
        for (int d = 0; d < DIM; d++)
            if ((args->wall[d][0] && x[d] < reach) ||
                (args->wall[d][1] && x[d] > (float)s->grid.n[d] - reach))
                return true;
    if (!w->near_solids)
        return false;
    X(stencil) stencil = X(stencil_at)(KERNEL_LINEAR, x, DIM);
    return X(gather)(&s->grid, &stencil, KERNEL_LINEAR, s->phi_solid) < reach * (float)s->grid.dx;
}

/* A direction for two particles at one place: that of a is the opposite of that of b. */
static void part(const push_args *args, uint32_t a, uint32_t b, float direction[DIM])
{
    const uint32_t *id = args->s->particles.id[0];
    uint64_t key = id[a] < id[b] ? sp_hash2(id[a], id[b]) : sp_hash2(id[b], id[a]);
    float square = 0.0f, sign = id[a] < id[b] ? 1.0f : -1.0f;
    FOR_DIM(d) {
        direction[d] = 2.0f * sp_uniform(sp_hash2(key, (uint64_t)d)) - 1.0f;
        square += direction[d] * direction[d];
    }
    if (square < 1e-4f) { /* too short to be a direction */
        direction[0] = 1.0f;
        square = 1.0f;
    }
    FOR_DIM(d)
        direction[d] *= sign / __builtin_sqrtf(square);
}

static void meet(seeker *w, uint32_t other)
{
    const push_args *args = w->args;
    float way[DIM], place[DIM], square = 0.0f, distance = args->distance;
    FOR_DIM(d) {
        place[d] = args->from[d][other];
        way[d] = w->x[d] - place[d];
        float n = (float)args->s->grid.n[d];
        if (args->wrap[d])
            way[d] -= way[d] > 0.5f * n ? n : way[d] < -0.5f * n ? -n : 0.0f;
        square += way[d] * way[d];
    }
    float gap = __builtin_sqrtf(square), push;
    if (gap > SAME_PLACE * distance)
        push = (distance - gap) / gap;
    else {
        part(args, w->self, other, way);
        push = distance;
    }
    float share = 0.5f;
    if (w->near_walls || w->near_solids) {
        bool held = touches(w, place);
        share = w->held == held ? 0.5f : held ? 0.8f : 0.2f;
    }
    FOR_DIM(d)
        w->sum[d] += share * push * way[d];
    w->pairs++;
}

/* ---- candidates */

/* The bits of the lanes that are true. */
static inline unsigned lane_bits(const ints *lanes)
{
#if defined(__AVX__)
    return (unsigned)__builtin_ia32_movmskps256((floats)*lanes);
#elif defined(__SSE__)
    typedef float half __attribute__((vector_size(16)));
    half low, high;
    memcpy(&low, lanes, sizeof low);
    memcpy(&high, (const char *)lanes + sizeof low, sizeof high);
    return (unsigned)__builtin_ia32_movmskps(low) | (unsigned)__builtin_ia32_movmskps(high) << 4;
#else
    unsigned bits = 0;
    for (int k = 0; k < LANES; k++)
        bits |= (unsigned)((*lanes)[k] & 1) << k;
    return bits;
#endif
}

/* Meets those of the particles [begin, end) that are near; `x` is the particle's place, seen from
 * there. Only the choice is made in lanes, so their number does not show in the result. */
static inline void meet_run(seeker *w, const float x[DIM], uint32_t begin, uint32_t end)
{
    const push_args *args = w->args;
    uint32_t count = args->s->particles.count;
    float most = args->distance * args->distance;
    for (uint32_t k = begin; k < end; k += LANES) {
        unsigned bits = 0;
        if (k + LANES <= count) {
            floats square = {0};
            FOR_DIM(d) {
                floats place;
                memcpy(&place, args->from[d] + k, sizeof place);
                place -= x[d];
                square += place * place;
            }
            ints near = square < most;
            bits = lane_bits(&near);
        } else {
            for (uint32_t lane = 0; k + lane < end; lane++) {
                float square = 0.0f;
                FOR_DIM(d) {
                    float way = args->from[d][k + lane] - x[d];
                    square += way * way;
                }
                bits |= (unsigned)(square < most) << lane;
            }
        }
        if (end - k < LANES)
            bits &= (1u << (end - k)) - 1u;
        if (w->self - k < LANES)
            bits &= ~(1u << (w->self - k));
        for (; bits; bits &= bits - 1)
            meet(w, k + (uint32_t)__builtin_ctz(bits));
    }
}

/* The cells from cell c + low to c + high, one by one, across periodic sides. */
static void meet_cells(seeker *w, const int c[DIM], const int low[3], const int high[3])
{
    const push_args *args = w->args;
    const X(grid) *g = &args->s->grid;
    int offset[3];
    for (offset[2] = low[2]; offset[2] <= high[2]; offset[2]++)
        for (offset[1] = low[1]; offset[1] <= high[1]; offset[1]++)
            for (offset[0] = low[0]; offset[0] <= high[0]; offset[0]++) {
                int near[DIM];
                float x[DIM];
                FOR_DIM(d) {
                    int n = g->n[d], at = c[d] + offset[d];
                    int turn = !args->wrap[d] ? 0 : at < 0 ? n : at >= n ? -n : 0;
                    near[d] = at + turn;
                    x[d] = w->x[d] + (float)turn;
                }
                size_t index = X(index)(g, near);
                uint32_t first = args->s->first[index];
                meet_run(w, x, first, first + args->s->count[index]);
            }
}

/* The same, where they are all in the domain and in one tile along x: row by row; rows that are
 * too far away are passed over. gap: from the particle to the cells before and after its own. */
static void meet_rows(seeker *w, size_t cell, const int low[3], const int high[3],
                      float gap[DIM][3])
{
    const X(sim) *s = w->args->s;
    float most = w->args->distance * w->args->distance;
    for (int k = low[2]; k <= high[2]; k++)
        for (int j = low[1]; j <= high[1]; j++) {
            float far = gap[1][j + 1] * gap[1][j + 1];
            if (DIM == 3)
                far += gap[DIM - 1][k + 1] * gap[DIM - 1][k + 1];
            if (far >= most)
                continue;
            size_t row = cell + (size_t)(j * (ptrdiff_t)s->grid.stride[1] +
                                         k * (ptrdiff_t)s->grid.stride[2]);
            size_t last = row + (size_t)high[0];
            meet_run(w, w->x, s->first[row + (size_t)low[0]], s->first[last] + s->count[last]);
        }
}

/* margin: how far a particle may be outside of its cell. */
static void seek(seeker *w, const int c[DIM], size_t cell, float margin)
{
    const push_args *args = w->args;
    int low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    float gap[DIM][3];
    bool plain = true;
    FOR_DIM(d) {
        float before = w->x[d] - (float)c[d] - margin, after = 1.0f - 2.0f * margin - before;
        gap[d][0] = before > 0.0f ? before : 0.0f;
        gap[d][1] = 0.0f;
        gap[d][2] = after > 0.0f ? after : 0.0f;
        low[d] = before < args->distance ? -1 : 0;
        high[d] = after < args->distance ? 1 : 0;
        plain = plain && !(args->wrap[d] && (c[d] + low[d] < 0 ||
                                             c[d] + high[d] >= args->s->grid.n[d]));
    }
    int inside = c[0] & (TILE - 1);
    if (plain && inside + low[0] >= 0 && inside + high[0] < TILE)
        meet_rows(w, cell, low, high, gap);
    else
        meet_cells(w, c, low, high);
}

/* ---- one particle */

/* The way that its pairs ask of it. */
static void answer(const seeker *w, float way[DIM])
{
    float scale = (float)w->pairs * SLOWING, square = 0.0f, most = 0.5f * w->args->distance;
    scale = scale > 1.0f ? 1.0f / scale : 1.0f;
    FOR_DIM(d) {
        way[d] = scale * w->sum[d];
        square += way[d] * way[d];
    }
    if (square > most * most)
        FOR_DIM(d)
            way[d] *= most / __builtin_sqrtf(square);
}

/* Stays clear of sides that are not periodic: nothing is pushed out of the domain. */
static void keep_inside(const push_args *args, float x[DIM])
{
    FOR_DIM(d) {
        float high = (float)args->s->grid.n[d] - CLEARANCE;
        if (args->s->grid.periodic[d])
            continue;
        x[d] = x[d] > CLEARANCE ? x[d] : CLEARANCE;
        x[d] = x[d] < high ? x[d] : high;
    }
}

/* Brings particle k to its final place; what it went is added to `work`. */
static void finish(push_args *args, uint32_t k, float to[DIM], double *work)
{
    X(sim) *s = args->s;
    X(particles) *p = &s->particles;
    float x[DIM], v[DIM];
    bool moved = false;
    FOR_DIM(d) {
        x[d] = p->x[d][k];
        v[d] = p->v[d][k]; /* settle takes from it; the particle keeps its own */
        moved = moved || to[d] != x[d];
    }
    if (!moved)
        return;
    FOR_DIM(d)
        *work += ((double)to[d] - (double)x[d]) * s->grid.dx * s->common->gravity[d];
    bool stays = X(settle)(&args->mover, x, to, v);
    FOR_DIM(d)
        p->x[d][k] = to[d];
    if (!stays)
        p->x[0][k] = DEAD;
}

/* ---- tiles */

/* The longest way in a tile and around it. */
static float margin_of(const push_args *args, int tile)
{
    const X(grid) *g = &args->s->grid;
    int t[DIM], near[DIM];
    float margin = 0.0f;
    X(tile_coordinates)(g, tile, t);
    for (int k = 0; k < (DIM == 3 ? 27 : 9); k++) {
        int offset[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        FOR_DIM(d) {
            near[d] = t[d] + offset[d];
            /* the last tile may be partly filled: the next one but one is then the neighbour too */
            if (args->wrap[d] && (near[d] < 2 || near[d] > g->tiles[d] - 3))
                return 0.5f * args->distance;
        }
        float moved = args->moved[X(tile_number)(g, near)];
        margin = moved > margin ? moved : margin;
    }
    return margin;
}

static bool tile_near_walls(const push_args *args, const int first[DIM])
{
    bool near = false;
    FOR_DIM(d)
        near = near || (args->wall[d][0] && first[d] == 0) ||
               (args->wall[d][1] && first[d] + TILE >= args->s->grid.n[d] - 1);
    return near;
}

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
    return least < 3.0f * (float)s->grid.dx;
}

static void push_tile(push_args *args, size_t number)
{
    X(sim) *s = args->s;
    int tile = s->tiles.liquid[number], first[DIM], c[DIM];
    X(tile_cell)(&s->grid, tile, first);
    size_t base = X(index)(&s->grid, first);
    float margin = args->last ? margin_of(args, tile) : 0.0f, longest = 0.0f;
    double work = 0;
    seeker w = {.args = args,
                .near_walls = tile_near_walls(args, first),
                .near_solids = tile_near_solids(args, base)};
    for (int cell = 0; cell < TILE_CELLS; cell++) {
        size_t index = base + X(row_offset)(&s->grid, cell / TILE) + (size_t)(cell % TILE);
        uint32_t end = s->first[index] + s->count[index];
        X(row_cell)(first, cell / TILE, c);
        c[0] += cell % TILE;
        for (w.self = s->first[index]; w.self < end; w.self++) {
            float to[DIM], way[DIM];
            FOR_DIM(d) {
                w.x[d] = args->from[d][w.self];
                w.sum[d] = 0.0f;
            }
            w.pairs = 0;
            w.held = (w.near_walls || w.near_solids) && touches(&w, w.x);
            seek(&w, c, index, margin);
            answer(&w, way);
            FOR_DIM(d)
                to[d] = w.x[d] + way[d];
            keep_inside(args, to);
            if (args->last) {
                finish(args, w.self, to, &work);
                continue;
            }
            FOR_DIM(d) {
                args->to[d][w.self] = to[d];
                float gone = __builtin_fabsf(to[d] - w.x[d]);
                longest = gone > longest ? gone : longest;
            }
        }
    }
    if (!args->last)
        args->moved[tile] = longest;
    args->work[number] = work;
}

static void push_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    for (size_t k = begin; k < end; k++)
        push_tile(user, k);
}

double X(push_apart)(X(sim) *s)
{
    const spate_scene *scene = s->common->scene;
    X(particles) *p = &s->particles;
    sp_arena arena = X(arena)(s);
    size_t tiles = (size_t)s->grid.tile_count;
    push_args args = {.s = s,
                      .mover = X(mover_begin)(s, 0),
                      .distance = (float)(scene->volume.separation /
                                          scene->liquid.particles_per_axis)};
    args.moved = sp_arena_take(&arena, tiles, sizeof *args.moved);
    args.work = sp_arena_take(&arena, tiles, sizeof *args.work);
    memset(args.moved, 0, tiles * sizeof *args.moved);
    /* the scratch columns of SORT hold the places between the passes */
    float *between[3] = {p->spare, (float *)p->order, (float *)p->place};
    FOR_DIM(d) {
        args.wrap[d] = s->grid.periodic[d] && s->grid.n[d] >= 3;
        args.wall[d][0] = scene->domain.sides[d][0] == SPATE_SIDE_WALL;
        args.wall[d][1] = scene->domain.sides[d][1] == SPATE_SIDE_WALL;
    }
    for (int pass = 0; pass < PASSES; pass++) {
        args.last = pass == PASSES - 1;
        FOR_DIM(d) {
            args.from[d] = args.last ? between[d] : p->x[d];
            args.to[d] = between[d];
        }
        sp_parallel_for(s->common->pool, (size_t)s->tiles.liquid_count, 1, push_range, &args);
    }
    X(mover_end)(&args.mover);
    double work = 0;
    for (int k = 0; k < s->tiles.liquid_count; k++)
        work += args.work[k];
    return work;
}
