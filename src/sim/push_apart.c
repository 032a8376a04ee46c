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
 * The particles of a cell share one list of candidates: those of the 3 x 3 (x 3) cells around that
 * are not farther than D from the box around the particles of the cell. Places rounded to bytes
 * tell so, up to 32 at a time, and cells along x are neighbours in memory. Then each candidate
 * meets all particles of the cell at once, one per lane. The sum of a particle runs over its
 * candidates in order, so neither the number of lanes nor the choice of candidates shows in it. */
#include "state.h"

#include "kernels/random.h"

#include <string.h>

#define PASSES 2
#define SLOWING 0.6f     /* a particle follows up to 1 / SLOWING pairs in full */
#define TOUCH 0.1f       /* of D: closer to a wall or solid than this, a particle touches it */
#define SAME_PLACE 1e-3f /* of D: closer pairs have no direction of their own */
#define SETTLED                                                                       \
    0.999f /* of D: pairs that a pass has brought to D, but for rounding, slow nobody \
            */

#define BLOCK 64    /* particles of a cell that are moved together */
#define RUN 32      /* candidates that are looked at together */
#define LIST 1024   /* candidates that a block meets at a time */
#define STEPS 64.0f /* of rounded places, per cell: bytes repeat every 4 cells */

#if defined(__AVX2__)
#define LANES 8
#define BYTES 32
#else
#define LANES 4
#define BYTES 16
#endif
typedef float floats __attribute__((vector_size(4 * LANES)));
typedef int32_t ints __attribute__((vector_size(4 * LANES)));
typedef uint8_t bytes __attribute__((vector_size(BYTES)));

typedef struct push_args {
    X(sim) *s;
    X(mover) mover;
    const float *from[DIM]; /* places before the pass */
    float *to[DIM];         /* after it; the last pass writes those of the particles */
    bool last;
    float distance;                        /* D, cells */
    uint8_t *rounded[DIM];                 /* places before the pass, in steps, modulo 256 */
    uint8_t *touches;                      /* 1: the particle touches a wall or solid */
    double *work;                          /* per liquid tile: sum of gravity times way, m^2/s^2 */
    double gravity[DIM];                   /* m^2/s^2 per cell of way */
    bool periodic;                         /* some side is */
    bool wrap[DIM];                        /* this one is, and wide enough that neighbours differ */
    float low[DIM], high[DIM];             /* where particles may be; far away if periodic */
    float touch_low[DIM], touch_high[DIM]; /* beyond these they touch a wall */
} push_args;

/* Some particles of one cell, and candidates for them. */
typedef struct block {
    const push_args *args;
    uint32_t first; /* the particles of the block follow it */
    int size;
    int lanes;                        /* the size, rounded up to whole LANES */
    float x[DIM][BLOCK], held[BLOCK]; /* their places; 1 where they touch something */
    float sum[DIM][BLOCK];            /* of the ways that the pairs ask for; then where they go */
    float pairs[BLOCK];               /* that ask for one */
    int32_t slot[BLOCK];              /* 0, 1, 2, ... */
    int count;                        /* of candidates */
    uint32_t other[LIST];             /* which particles they are */
    float shift[DIM];                 /* of their places, across a periodic side */
} block;

/* ---- pairs */

/* The bits of the lanes that are true. */
static inline uint32_t lane_bits(ints lanes)
{
#if defined(__AVX2__)
    return (uint32_t)__builtin_ia32_movmskps256((floats)lanes);
#elif defined(__SSE2__)
    return (uint32_t)__builtin_ia32_movmskps((floats)lanes);
#else
    uint32_t bits = 0;
    for (int k = 0; k < LANES; k++)
        bits |= (uint32_t)(lanes[k] & 1) << k;
    return bits;
#endif
}

static inline uint32_t byte_bits(bytes lanes)
{
#if defined(__AVX2__)
    typedef char chars __attribute__((vector_size(32)));
    return (uint32_t)__builtin_ia32_pmovmskb256((chars)lanes);
#elif defined(__SSE2__)
    typedef char chars __attribute__((vector_size(16)));
    return (uint32_t)__builtin_ia32_pmovmskb128((chars)lanes);
#else
    uint32_t bits = 0;
    for (int k = 0; k < BYTES; k++)
        bits |= (uint32_t)(lanes[k] & 1) << k;
    return bits;
#endif
}

/* 1 / sqrt(x), to 5e-6 of it: a guess from the bits of x, and two steps of Newton. Cheaper than a
 * root and a quotient, and the same everywhere, which the instruction for it is not. */
static inline floats inverse_root(floats x)
{
    floats half = 0.5f * x, y = (floats)(0x5f3759df - ((ints)x >> 1));
    y *= 1.5f - half * y * y;
    y *= 1.5f - half * y * y;
    return y;
}

/* Half the way of particle a from b where both are at one place: the opposite of that of b. */
static void part(const push_args *args, uint32_t a, uint32_t b, float way[DIM])
{
    const uint32_t *id = args->s->particles.id[0];
    uint64_t key = id[a] < id[b] ? sp_hash2(id[a], id[b]) : sp_hash2(id[b], id[a]);
    float square = 0.0f, length = id[a] < id[b] ? args->distance : -args->distance;
    FOR_DIM(d) {
        way[d] = 2.0f * sp_uniform(sp_hash2(key, (uint64_t)d)) - 1.0f;
        square += way[d] * way[d];
    }
    if (square < 1e-4f) { /* too short to be a direction */
        way[0] = 1.0f;
        square = 1.0f;
    }
    FOR_DIM(d)
        way[d] *= length / __builtin_sqrtf(square);
}

/* LANES particles of the block from `first` on meet all candidates. */
static void meet_all(block *b, int first)
{
    const push_args *args = b->args;
    float most = args->distance * args->distance, least = SAME_PLACE * SAME_PLACE * most,
          settled = SETTLED * SETTLED * most;
    floats x[DIM], sum[DIM], pairs, held;
    ints slot;
    FOR_DIM(d) {
        memcpy(&x[d], b->x[d] + first, sizeof x[d]);
        memcpy(&sum[d], b->sum[d] + first, sizeof sum[d]);
        x[d] -= b->shift[d];
    }
    memcpy(&pairs, b->pairs + first, sizeof pairs);
    memcpy(&held, b->held + first, sizeof held);
    memcpy(&slot, b->slot + first, sizeof slot);
    for (int k = 0; k < b->count; k++) {
        uint32_t other = b->other[k];
        floats way[DIM], square = {0};
        FOR_DIM(d) {
            way[d] = x[d] - args->from[d][other];
            square += way[d] * way[d];
        }
        ints near = square < most;
        if (!lane_bits(near))
            continue;
        near &= slot != (int32_t)(other - b->first); /* not itself */
        floats share = 0.5f + 0.3f * ((float)args->touches[other] - held);
        floats push = args->distance * inverse_root(square) - 1.0f;
        push = (floats)((ints)push & (push > 0.0f) & near & (square >= least)) * share;
        pairs -= __builtin_convertvector(near & (square < settled), floats);
        FOR_DIM(d)
            sum[d] += push * way[d];
        uint32_t same = lane_bits(near & (square < least));
        for (; same; same &= same - 1) {
            int lane = __builtin_ctz(same);
            float apart[DIM];
            part(args, b->first + (uint32_t)(first + lane), other, apart);
            FOR_DIM(d)
                sum[d][lane] += share[lane] * apart[d];
        }
    }
    FOR_DIM(d)
        memcpy(b->sum[d] + first, &sum[d], sizeof sum[d]);
    memcpy(b->pairs + first, &pairs, sizeof pairs);
}

/* ---- candidates */

static void work_off(block *b)
{
    for (int first = 0; first < b->size; first += LANES)
        meet_all(b, first);
    b->count = 0;
}

/* The box around the block and D beyond, in steps: `low`, and how far it goes from there. */
typedef struct box {
    bytes low[DIM], width[DIM];
    bool known; /* false: do not look at it */
} box;

static box box_of(const block *b)
{
    box box = {.known = true};
    FOR_DIM(d) {
        float low = b->x[d][0], high = low;
        for (int k = 1; k < b->size; k++) {
            low = b->x[d][k] < low ? b->x[d][k] : low;
            high = b->x[d][k] > high ? b->x[d][k] : high;
        }
        /* 4 more: places are rounded down, here and in the bytes */
        int first = (int)((low - b->args->distance) * STEPS + 256.0f) - 2;
        int width = (int)((high - low + 2.0f * b->args->distance) * STEPS) + 4;
        box.low[d] = (bytes){0} + (uint8_t)first;
        box.width[d] = (bytes){0} + (uint8_t)width;
        box.known = box.known && width < 256;
    }
    return box;
}

/* Which of the RUN particles from `begin` on are in the box, as bits. */
static inline uint32_t inside_bits(const push_args *args, const box *box, uint32_t begin)
{
    uint32_t bits = 0;
    for (uint32_t k = 0; k < RUN; k += BYTES) {
        bytes place, inside;
        memcpy(&place, args->rounded[0] + begin + k, sizeof place);
        inside = (bytes)(place - box->low[0] <= box->width[0]);
        for (int d = 1; d < DIM; d++) {
            memcpy(&place, args->rounded[d] + begin + k, sizeof place);
            inside &= (bytes)(place - box->low[d] <= box->width[d]);
        }
        bits |= byte_bits(inside) << k;
    }
    return bits;
}

/* Lists those of the particles [begin, end) that are in the box. */
static inline void list_run(block *b, const box *box, uint32_t begin, uint32_t end)
{
    uint32_t total = b->args->s->particles.count;
    for (; begin < end; begin += RUN) {
        uint32_t bits = end - begin < RUN ? (1u << (end - begin)) - 1 : ~0u;
        if (box->known && begin + RUN <= total)
            bits &= inside_bits(b->args, box, begin);
        if (b->count > LIST - RUN)
            work_off(b);
        int count = b->count;
        for (; bits; bits &= bits - 1)
            b->other[count++] = begin + (uint32_t)__builtin_ctz(bits);
        b->count = count;
    }
}

/* All cells around cell c, one by one, across periodic sides. */
static void list_around(block *b, const int c[DIM])
{
    const push_args *args = b->args;
    const X(grid) *g = &args->s->grid;
    const box all = {.known = false};
    for (int k = 0; k < (DIM == 3 ? 27 : 9); k++) {
        int near[DIM], offset[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        FOR_DIM(d) {
            int n = g->n[d], at = c[d] + offset[d];
            int turn = !args->wrap[d] ? 0 : at < 0 ? n : at >= n ? -n : 0;
            near[d] = at + turn;
            b->shift[d] = (float)-turn;
        }
        size_t index = X(index)(g, near);
        uint32_t first = args->s->first[index];
        list_run(b, &all, first, first + args->s->count[index]);
        work_off(b);
    }
    FOR_DIM(d)
        b->shift[d] = 0.0f;
}

/* The same, where all are in the domain: row by row, or in pieces where a row goes from one tile to
 * the next. */
static void list_rows(block *b, const int c[DIM], size_t cell)
{
    const X(sim) *s = b->args->s;
    box box = box_of(b);
    int i = c[0] & (TILE - 1);
    int middle = i == 0 ? -1 : i == TILE - 1 ? 0 : 1; /* the last cell of the first piece */
    for (int k = 0; k < (DIM == 3 ? 9 : 3); k++) {
        ptrdiff_t row =
            (k % 3 - 1) * (ptrdiff_t)s->grid.stride[1] + (k / 3 - 1) * (ptrdiff_t)s->grid.stride[2];
        const uint32_t *first = s->first + (ptrdiff_t)cell + row;
        const uint32_t *count = s->count + (ptrdiff_t)cell + row;
        list_run(b, &box, first[-1], first[middle] + count[middle]);
        if (middle < 1)
            list_run(b, &box, first[middle + 1], first[1] + count[1]);
    }
    work_off(b);
}

/* ---- moves */

/* Where the pairs ask the particles of the block to be, into `sum`: inside the domain, a way of at
 * most D / 2 from where they are. Plain loops, for the compiler's lanes. */
static void answer(block *b)
{
    const push_args *args = b->args;
    float most = 0.5f * args->distance, scale[BLOCK];
    for (int k = 0; k < b->lanes; k++) {
        float square = 0.0f, slow = b->pairs[k] * SLOWING;
        FOR_DIM(d)
            square += b->sum[d][k] * b->sum[d][k];
        float length = __builtin_sqrtf(square), longest = slow > 1.0f ? most * slow : most;
        scale[k] = length > longest ? most / length : slow > 1.0f ? 1.0f / slow : 1.0f;
    }
    FOR_DIM(d) {
        float low = args->low[d], high = args->high[d];
        for (int k = 0; k < b->lanes; k++) {
            float to = b->x[d][k] + scale[k] * b->sum[d][k];
            to = to > low ? to : low;
            b->sum[d][k] = to < high ? to : high;
        }
    }
}

/* Brings particle k to its final place; returns gravity times its way. */
static double finish(push_args *args, uint32_t k, float to[DIM])
{
    X(sim) *s = args->s;
    X(particles) *p = &s->particles;
    float x[DIM], v[DIM];
    double work = 0;
    FOR_DIM(d) {
        x[d] = p->x[d][k];
        v[d] = p->v[d][k]; /* settle takes from it; the particle keeps its own */
        work += ((double)to[d] - (double)x[d]) * args->gravity[d];
    }
    if (!X(settle)(&args->mover, x, to, v)) {
        /* no place among the solids there: it stays where it is */
        atomic_fetch_sub_explicit(&args->mover.crushed, 1, memory_order_relaxed);
        return 0;
    }
    FOR_DIM(d)
        p->x[d][k] = to[d];
    return work;
}

static double move_block(push_args *args, block *b, bool near_solids)
{
    X(sim) *s = args->s;
    double work = 0;
    answer(b);
    for (int k = 0; k < b->size && args->last; k++) {
        float to[DIM];
        FOR_DIM(d)
            to[d] = b->sum[d][k];
        if (near_solids || args->periodic) {
            work += finish(args, b->first + (uint32_t)k, to);
            continue;
        }
        FOR_DIM(d) {
            float *x = &s->particles.x[d][b->first + (uint32_t)k];
            work += ((double)to[d] - (double)*x) * args->gravity[d];
            *x = to[d];
        }
    }
    FOR_DIM(d)
        for (int k = 0; k < b->size && !args->last; k++)
            args->to[d][b->first + (uint32_t)k] = b->sum[d][k];
    return work;
}

static void open_block(block *b, uint32_t first, uint32_t end)
{
    const push_args *args = b->args;
    b->first = first;
    b->size = end - first < BLOCK ? (int)(end - first) : BLOCK;
    b->lanes = (b->size + LANES - 1) / LANES * LANES;
    uint32_t total = args->s->particles.count;
    int copied = first + (uint32_t)b->lanes <= total ? b->lanes : b->size;
    FOR_DIM(d) {
        for (int k = 0; k < copied; k++)
            b->x[d][k] = args->from[d][first + (uint32_t)k];
        for (int k = b->size; k < b->lanes; k++)
            b->x[d][k] = 1e9f; /* meets nobody */
        for (int k = 0; k < b->lanes; k++)
            b->sum[d][k] = 0.0f;
    }
    for (int k = 0; k < b->lanes; k++)
        b->pairs[k] = 0.0f;
    for (int k = 0; k < copied; k++)
        b->held[k] = (float)args->touches[first + (uint32_t)k];
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
    return least < 4.0f * (float)s->grid.dx + (float)args->mover.travel;
}

static void push_tile(push_args *args, size_t number)
{
    X(sim) *s = args->s;
    const X(grid) *g = &s->grid;
    int first[DIM], c[DIM];
    X(tile_cell)(g, s->tiles.liquid[number], first);
    size_t base = X(index)(g, first);
    bool near_solids = tile_near_solids(args, base);
    double work = 0;
    block b;
    b.args = args;
    b.count = 0;
    FOR_DIM(d)
        b.shift[d] = 0.0f;
    for (int k = 0; k < BLOCK; k++)
        b.slot[k] = k;
    for (int cell = 0; cell < TILE_CELLS; cell++) {
        size_t index = base + X(row_offset)(g, cell / TILE) + (size_t)(cell % TILE);
        uint32_t end = s->first[index] + s->count[index];
        bool across = false;
        X(row_cell)(first, cell / TILE, c);
        c[0] += cell % TILE;
        FOR_DIM(d)
            across = across || (args->wrap[d] && (c[d] == 0 || c[d] == g->n[d] - 1));
        for (uint32_t k = s->first[index]; k < end; k += BLOCK) {
            open_block(&b, k, end);
            if (across)
                list_around(&b, c);
            else
                list_rows(&b, c, index);
            work += move_block(args, &b, near_solids);
        }
    }
    args->work[number] = work;
}

static void push_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    for (size_t k = begin; k < end; k++)
        push_tile(user, k);
}

static bool touches_solid(const push_args *args, size_t k)
{
    const X(sim) *s = args->s;
    float x[DIM];
    FOR_DIM(d)
        x[d] = args->from[d][k];
    X(stencil) stencil = X(stencil_at)(KERNEL_LINEAR, x, DIM);
    return X(gather)(&s->grid, &stencil, KERNEL_LINEAR, s->phi_solid) <
           TOUCH * args->distance * (float)s->grid.dx;
}

/* Prepares a pass: rounded places, and who touches something. */
static void round_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const push_args *args = user;
    memset(args->touches + begin, 0, end - begin);
    FOR_DIM(d) {
        const float *x = args->from[d];
        float low = args->touch_low[d], high = args->touch_high[d];
        for (size_t k = begin; k < end; k++)
            args->rounded[d][k] = (uint8_t)(int)(x[k] * STEPS + 256.0f);
        for (size_t k = begin; k < end; k++)
            args->touches[k] |= (uint8_t)((x[k] < low) | (x[k] > high));
    }
    for (size_t k = begin; k < end && args->s->solids.live > 0; k++)
        args->touches[k] |= touches_solid(args, k);
}

/* What the sides of the domain mean, along axis d. */
static void look_at_sides(push_args *args, int d)
{
    const X(sim) *s = args->s;
    const spate_side *sides = s->common->scene->domain.sides[d];
    float n = (float)s->grid.n[d], reach = TOUCH * args->distance;
    bool periodic = s->grid.periodic[d];
    args->periodic = args->periodic || periodic;
    args->wrap[d] = periodic && s->grid.n[d] >= 3;
    args->low[d] = periodic ? -1e9f : CLEARANCE; /* nothing is pushed out through an open side */
    args->high[d] = periodic ? 1e9f : n - CLEARANCE;
    args->touch_low[d] = sides[0] == SPATE_SIDE_WALL ? reach : -1e9f;
    args->touch_high[d] = sides[1] == SPATE_SIDE_WALL ? n - reach : 1e9f;
    args->gravity[d] = s->common->gravity[d] * s->grid.dx;
}

bool X(pushes_apart)(const spate_scene *scene)
{
    return scene->volume.method == SPATE_VOLUME_PUSH || scene->volume.method == SPATE_VOLUME_BOTH;
}

double X(push_apart)(X(sim) *s)
{
    const spate_scene *scene = s->common->scene;
    X(particles) *p = &s->particles;
    sp_arena arena = X(arena)(s);
    push_args args = {.s = s, .mover = X(mover_begin)(s, 0)};
    args.distance = (float)(scene->volume.separation / scene->liquid.particles_per_axis);
    args.work = sp_arena_take(&arena, (size_t)s->grid.tile_count, sizeof *args.work);
    /* the scratch columns of SORT and one more hold the places between the passes */
    float *between[3] = {p->spare, (float *)p->order, p->between};
    FOR_DIM(d) {
        args.rounded[d] = p->rounded + (size_t)d * p->capacity;
        look_at_sides(&args, d);
    }
    args.touches = p->rounded + 3 * (size_t)p->capacity;
    for (int pass = 0; pass < PASSES; pass++) {
        args.last = pass == PASSES - 1;
        FOR_DIM(d) {
            args.from[d] = args.last ? between[d] : p->x[d];
            args.to[d] = between[d];
        }
        sp_parallel_for(s->common->pool, p->count, 16384, round_range, &args);
        sp_parallel_for(s->common->pool, (size_t)s->tiles.liquid_count, 1, push_range, &args);
    }
    X(mover_end)(&args.mover);
    double work = 0;
    for (int k = 0; k < s->tiles.liquid_count; k++)
        work += args.work[k];
    return work;
}
