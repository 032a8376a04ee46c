/* solve.cu -- the iterations of the pressure solvers on the device: conjugate gradients with the
 * V-cycle of cycle.cu, relaxed Jacobi and red-black Gauss-Seidel; and the true residual.
 *
 * As in sim/pressure/solve_multigrid.c vectors are fp32 and the solution is kept to more digits: as
 * the sum of two floats. What an iteration needs from the last one (step lengths, whether it is
 * done) stays on the device, in X(gpu_state), and so do both loops: the host queues a solve as a
 * whole and looks at what came of it. */
#include "device/cuda/rows.h"

#include "sim/pressure/policy.h"

typedef struct vector_args {
    X(gpu_level) level; /* 0 */
    X(grid) grid;
    float *right, *high, *low, *step, *direction[2], *q;
    double *partials;
    X(gpu_state) *state;
    float weight;
    int colour;
} vector_args;

static vector_args args_of(X(gpu) *g)
{
    X(gpu_solver) *y = X(gpu_solver_of)(g);
    vector_args args;
    memset(&args, 0, sizeof args);
    args.level = y->levels[0];
    args.grid = g->f.grid;
    args.right = y->right;
    args.high = y->high;
    args.low = y->low;
    args.step = y->step;
    args.direction[0] = y->direction[0];
    args.direction[1] = y->direction[1];
    args.q = g->f.p;
    args.partials = g->partials;
    args.state = y->state;
    return args;
}

static size_t cells_of(X(gpu) *g)
{
    return (size_t)X(gpu_solver_of)(g)->levels[0].tile_count * TILE_CELLS;
}

/* ---- from and to the grid */

/* Chunk i of the blocks: where it begins there, and in the grid. */
typedef struct chunk {
    size_t block, grid;
    bool full; /* of unknowns */
} chunk;

GPU_FN chunk chunk_of(const vector_args *a, size_t i)
{
    int slot = slot_in_order(&a->level, (int)(i / TILE_CHUNKS)), e = (int)(i % TILE_CHUNKS);
    chunk p;
    p.block = (size_t)slot * TILE_CELLS + (size_t)(e * CHUNK);
    p.grid = chunk_place(&a->grid, a->level.tile_of[slot], e);
    p.full = a->level.kind[slot] == UNIFORM;
    return p;
}

MAP(take_solution, vector_args)
{
    chunk p = chunk_of(a, i);
    float q[CHUNK], d[CHUNK], zero[CHUNK] = {0.0f, 0.0f, 0.0f, 0.0f};
    load_floats(a->q + p.grid, q, CHUNK);
    SP_UNROLL_ALL
    for (int k = 0; k < CHUNK; k++)
        q[k] *= a->weight;
    if (!p.full) {
        load_floats(a->level.d + p.block, d, CHUNK);
        SP_UNROLL_ALL
        for (int k = 0; k < CHUNK; k++)
            q[k] = d[k] > 0.0f ? q[k] : 0.0f;
    }
    store_floats(a->high + p.block, q, CHUNK);
    store_floats(a->low + p.block, zero, CHUNK);
}

MAP(give_solution, vector_args)
{
    chunk p = chunk_of(a, i);
    float high[CHUNK];
    load_floats(a->high + p.block, high, CHUNK);
    if (p.full) {
        store_floats(a->q + p.grid, high, CHUNK);
        return;
    }
    SP_UNROLL_ALL
    for (int k = 0; k < CHUNK; k++)
        if (a->level.d[p.block + (size_t)k] > 0.0f)
            a->q[p.grid + (size_t)k] = high[k];
}

void X(gpu_solve_begin)(X(gpu) *g, bool density)
{
    X(gpu_solver) *y = X(gpu_solver_of)(g);
    vector_args args = args_of(g);
    args.q = density ? y->q_density : g->f.p;
    args.weight = density ? 1.0f : y->scale;
    if (!density)
        y->scale = 1.0f; /* a second start is from zero */
    if (cells_of(g) == 0)
        return;
    /* pockets were counted in this memory */
    X(gpu_set)(g, y->high, 0, TILE_CELLS * sizeof(float));
    X(gpu_set)(g, y->low, 0, TILE_CELLS * sizeof(float));
    take_solution(g, args, cells_of(g) / CHUNK);
}

void X(gpu_solve_end)(X(gpu) *g, bool density)
{
    vector_args args = args_of(g);
    args.q = density ? X(gpu_solver_of)(g)->q_density : g->f.p;
    give_solution(g, args, cells_of(g) / CHUNK);
}

/* ---- the true residual */

/* As in rows.h, in fp64: the rows of a tile and those around it. */
typedef struct wide_rows {
    double v[2][ROW_PLACES][HALF];
} wide_rows;

typedef struct residual_shared {
    wide_rows x[GROUP];
    uint32_t most[GROUP_ROWS];
} residual_shared;

typedef struct wide_ends {
    double v[2];
    int slot;
} wide_ends;

/* n values of the solution. */
GPU_FN void load_exact(const vector_args *a, size_t from, double *v, int n)
{
    float high[TILE], low[TILE];
    load_floats(a->high + from, high, n);
    load_floats(a->low + from, low, n);
    SP_UNROLL_ALL
    for (int k = 0; k < n; k++)
        v[k] = (double)high[k] + (double)low[k];
}

/* Puts n values from an even x on, whose red ones are the odd ones or not, into a row. */
GPU_FN void put_wide(wide_rows *s, int at, int first, bool odd, const double *v, int n)
{
    SP_UNROLL_ALL
    for (int k = 0; k < n / 2; k++) {
        s->v[0][at][first + k] = odd ? v[2 * k + 1] : v[2 * k];
        s->v[1][at][first + k] = odd ? v[2 * k] : v[2 * k + 1];
    }
}

GPU_FN void take_wide(const vector_args *a, residual_shared *shared, size_t block, int t,
                      wide_ends *o)
{
    const X(gpu_level) *l = &a->level;
    int group = t / TILE_ROWS, number = (int)block * GROUP + group;
    o->slot = number < l->tile_count ? slot_in_order(l, number) : 0;
    if (o->slot == 0)
        return;
    row_place p = row_place_of(t % TILE_ROWS);
    piece q = piece_of(t % TILE_ROWS);
    const int *near = l->near + 2 * DIM * o->slot;
    size_t line = (size_t)(p.number * TILE);
    double own[TILE], around[PIECE];
    load_exact(a, (size_t)o->slot * TILE_CELLS + line, own, TILE);
    load_exact(a, (size_t)near[0] * TILE_CELLS + line + TILE - 1, &o->v[0], 1);
    load_exact(a, (size_t)near[1] * TILE_CELLS + line, &o->v[1], 1);
    load_exact(a, (size_t)near[q.face] * TILE_CELLS + (size_t)q.from, around, PIECE);
    put_wide(&shared->x[group], p.at, 0, p.odd, own, TILE);
    put_wide(&shared->x[group], q.at, q.first, q.odd, around, PIECE);
}

/* Of value n of a colour: the sum over the neighbours; face: NULL, or the off-diagonals. */
GPU_FN double exact_sum(const wide_rows *s, const row_place *p, const double end[2], int colour,
                        int n, const float *face)
{
    const double *other = s->v[1 - colour][p->at];
    bool late = p->odd != (colour == 1);
    double before = n > 0 ? other[n > 0 ? n - 1 : 0] : end[0];
    double behind = n < HALF - 1 ? other[n < HALF - 1 ? n + 1 : n] : end[1];
    double sum = 0;
    FOR_DIM(d) {
        int step = d == 1 ? 1 : TILE + 2;
        double one = d > 0 ? s->v[1 - colour][p->at - step][n] : late ? other[n] : before;
        double two = d > 0 ? s->v[1 - colour][p->at + step][n] : late ? behind : other[n];
        sum += face ? one * (double)face[2 * d] + two * (double)face[2 * d + 1] : one + two;
    }
    return sum;
}

GPU_FN float exact_rest(double right, double d, double x, double sum)
{
    return d > 0 ? (float)(right - d * x + sum) : 0.0f;
}

/* b - A q in a row, into b of level 0; the largest, as bits. */
GPU_FN uint32_t residual_row(const vector_args *a, const wide_rows *s, const row_place *p,
                             const wide_ends *o)
{
    const X(gpu_level) *l = &a->level;
    int kind = l->kind[o->slot];
    size_t own = (size_t)o->slot * TILE_CELLS;
    uint32_t most = 0;
    if (kind == GENERAL) {
        KEEP_LOOP
        for (int e = 0; e < TILE; e++) {
            float f[2 * DIM];
            int at = place_in_row(p, e & 1, e / 2);
            size_t c = own + (size_t)at;
            faces_of(l, o->slot, at, f);
            l->b[c] = exact_rest((double)a->right[c], (double)l->d[c], s->v[e & 1][p->at][e / 2],
                                 exact_sum(s, p, o->v, e & 1, e / 2, f));
            most = magnitude_bits(l->b[c]) > most ? magnitude_bits(l->b[c]) : most;
        }
        return most;
    }
    row right = load_row(a->right + own + (size_t)(p->number * TILE), p->odd), r;
    row d = diagonal_of(l, o->slot, kind, p);
    SP_UNROLL_ALL
    for (int e = 0; e < TILE; e++) {
        int c = e / HALF, n = e % HALF;
        r.v[c][n] = exact_rest((double)right.v[c][n], (double)d.v[c][n], s->v[c][p->at][n],
                               exact_sum(s, p, o->v, c, n, NULL));
        most = magnitude_bits(r.v[c][n]) > most ? magnitude_bits(r.v[c][n]) : most;
    }
    store_row(l->b + own + (size_t)(p->number * TILE), &r, p->odd);
    return most;
}

BLOCKS_AT_ONCE(find_residual, vector_args, residual_shared, GROUP_ROWS, AT_ONCE)
{
    KEEP(wide_ends, mine, GROUP_ROWS);
    ONE_EACH(t, GROUP_ROWS)
        take_wide(a, shared, block, t, &KEPT(mine, t));
    BARRIER();
    ONE_EACH(t, GROUP_ROWS) {
        const wide_ends *o = &KEPT(mine, t);
        row_place p = row_place_of(t % TILE_ROWS);
        shared->most[t] = o->slot ? residual_row(a, &shared->x[t / TILE_ROWS], &p, o) : 0;
    }
    largest_of_groups(shared->most);
    ONE_EACH(t, GROUP_ROWS)
        if (t % TILE_ROWS == 0 && KEPT(mine, t).slot)
            a->partials[KEPT(mine, t).slot - 1] = bits_magnitude(shared->most[t]);
}

/* Into b of level 0, that of the iterations. */
static void queue_residual(X(gpu) *g)
{
    X(gpu_solver) *y = X(gpu_solver_of)(g);
    X(gpu_wrap)(g, &y->levels[0], y->high);
    X(gpu_wrap)(g, &y->levels[0], y->low);
    find_residual(g, args_of(g), groups_of(y->levels[0].tile_count));
}

double X(gpu_residual)(X(gpu) *g)
{
    queue_residual(g);
    return X(gpu_maximum)(g, (size_t)X(gpu_solver_of)(g)->levels[0].tile_count);
}

/* ---- sums of the iterations */

#define GATHER 1024 /* partials to one, in the first stage */
#define GATHER_THREADS 256

typedef enum phase {
    PHASE_TRUE,
    PHASE_RHO,
    PHASE_CROSS,
    PHASE_SLOPE,
    PHASE_CURVATURE,
    PHASE_RESIDUAL,
    PHASE_LARGEST
} phase;

typedef struct gather_args {
    const double *from;
    double *to;
    size_t count;
    phase what;
    bool last;
    X(gpu_state) *state;
} gather_args;

typedef struct gather_shared {
    double part[GATHER_THREADS];
} gather_shared;

GPU_FN double combine(double one, double two, phase what)
{
    bool sum = what != PHASE_RESIDUAL && what != PHASE_TRUE && what != PHASE_LARGEST;
    return sum ? one + two : two > one || two != two ? two : one;
}

/* Numbers of 16 bits in a cycle are those of x times a power of two, by which the largest |r|
 * becomes one between 1/128 and 1/64: then there is room for 4 million times as much, and 18 digits
 * below. */
GPU_FN void choose_scale(X(gpu_state) *s, double value)
{
    float largest = (float)value;
    uint32_t bits;
    memcpy(&bits, &largest, sizeof bits);
    uint32_t exponent = bits >> 23 & 0xffu; /* 2^(exponent - 127) <= largest */
    exponent = exponent < 20u ? 20u : exponent > 230u ? 230u : exponent;
    uint32_t unit = (exponent + 7u) << 23, scale = (247u - exponent) << 23;
    memcpy(&s->unit, &unit, sizeof unit);
    memcpy(&s->scale, &scale, sizeof scale);
}

/* After a true residual: whether another correction is to be found, and how good it is to be. */
GPU_FN void conclude_correction(X(gpu_state) *s, double value)
{
    double limit = s->start ? SETTLED * s->tolerance : s->tolerance;
    bool better = s->start || value < 0.9 * s->residual; /* or fp32 cannot do better */
    bool close = DROP_THERE * value < 3 * s->tolerance;
    s->open = value > limit && better && s->iterations < s->most;
    s->target = close ? NEAR * s->tolerance : DROP_THERE * value;
    s->residual = value;
    choose_scale(s, value);
    s->start = 0;
    s->empty = 1;
    s->more = s->open;
}

GPU_FN void conclude(const gather_args *a, double value)
{
    X(gpu_state) *s = a->state;
    switch (a->what) {
    case PHASE_LARGEST: s->largest = value; break;
    case PHASE_TRUE: conclude_correction(s, value); break;
    case PHASE_RHO:
        s->beta = s->first ? 0.0f : (float)(value / s->rho);
        s->rho = s->slope = value;
        break;
    case PHASE_CROSS: s->cross = value; break;
    case PHASE_SLOPE: { /* after a new residual */
        double beta = -s->cross / s->curvature;
        s->slope = s->rho + beta * value;
        s->beta = (float)beta;
        break;
    }
    case PHASE_CURVATURE:
        if (!(value > 0) || !(s->rho > 0)) {
            s->more = 0; /* nothing left to gain, or not a number */
            break;
        }
        s->curvature = value;
        s->alpha = (float)(s->slope / value);
        break;
    case PHASE_RESIDUAL:
        s->iterations++;
        choose_scale(s, value);
        s->more = value > s->target && s->iterations < s->most;
        s->last = 1 - s->last;
        s->first = s->empty = 0;
        break;
    }
}

/* Whether a phase has nothing to do: no step was taken; there is no last direction. */
GPU_FN bool is_idle(const gather_args *a)
{
    bool correction = a->what == PHASE_CROSS || a->what == PHASE_SLOPE;
    return a->what == PHASE_RESIDUAL ? !a->state->more : correction && a->state->first;
}

BLOCKS(gather_partials, gather_args, gather_shared, GATHER_THREADS)
{
    if (is_idle(a))
        return;
    size_t begin = a->last ? 0 : block * GATHER;
    size_t end = a->last || begin + GATHER > a->count ? a->count : begin + GATHER;
    FOR_THREADS(t, GATHER_THREADS) {
        double part = 0;
        for (size_t k = begin + (size_t)t; k < end; k += GATHER_THREADS)
            part = combine(part, a->from[k], a->what);
        shared->part[t] = part;
    }
    BARRIER();
    for (int half = GATHER_THREADS / 2; half > 0; half /= 2) {
        FOR_THREADS(t, half)
            shared->part[t] = combine(shared->part[t], shared->part[t + half], a->what);
        BARRIER();
    }
    FOR_THREADS(t, 1) {
        if (a->last)
            conclude(a, shared->part[0]);
        else
            a->to[block] = shared->part[0];
    }
}

/* Takes the sum, or the maximum, of the tiles' partials, and what follows from it. */
static void gather(X(gpu) *g, phase what)
{
    X(gpu_solver) *y = X(gpu_solver_of)(g);
    gather_args args;
    memset(&args, 0, sizeof args);
    args.from = g->partials;
    args.to = y->partials;
    args.count = (size_t)y->levels[0].tile_count;
    args.what = what;
    args.state = y->state;
    if (args.count > 4 * GATHER) {
        size_t blocks = (args.count + GATHER - 1) / GATHER;
        gather_partials(g, args, blocks);
        args.from = y->partials;
        args.count = blocks;
    }
    args.last = true;
    gather_partials(g, args, 1);
}

void X(gpu_gather_largest)(X(gpu) *g)
{
    gather(g, PHASE_LARGEST);
}

/* ---- conjugate gradients */

typedef struct vector_shared {
    rows x[GROUP];
    union {
        double sum[GROUP_ROWS];
        uint32_t most[GROUP_ROWS];
    } u;
} vector_shared;

/* A thread's row of the direction s, and its place; slot 0: nothing to be done. */
typedef struct own {
    row x;
    float end[2];
    int slot, kind;
} own;

/* Which direction a kernel works on: the next one, z + beta s, which it makes; the same when it is
 * there; the last one. */
typedef enum which { MAKE_NEXT, NEXT, LAST_ONE } which;

typedef struct source {
    const float *x, *old; /* old: NULL if there is none */
    float beta;
} source;

GPU_FN source source_of(const vector_args *a, const which what)
{
    const X(gpu_state) *state = a->state;
    source f;
    uint32_t last = state->last;
    f.x = what == MAKE_NEXT ? a->level.x : a->direction[what == NEXT ? 1 - last : last];
    f.old = what == MAKE_NEXT && !state->first ? a->direction[last] : NULL;
    f.beta = what == MAKE_NEXT ? state->beta : 0.0f;
    return f;
}

/* n values of it. */
GPU_FN void load_direction(const source *f, size_t from, float *v, int n)
{
    load_floats(f->x + from, v, n);
    if (!f->old)
        return;
    float old[TILE];
    load_floats(f->old + from, old, n);
    SP_UNROLL_ALL
    for (int e = 0; e < n; e++)
        v[e] += f->beta * old[e];
}

GPU_FN void take_rows(const vector_args *a, vector_shared *shared, size_t block, int t, own *o,
                      const which what)
{
    const X(gpu_level) *l = &a->level;
    int group = t / TILE_ROWS, number = (int)block * GROUP + group;
    o->slot = number < l->tile_count ? slot_in_order(l, number) : 0;
    if (o->slot == 0)
        return;
    row_place p = row_place_of(t % TILE_ROWS);
    piece q = piece_of(t % TILE_ROWS);
    source f = source_of(a, what);
    const int *near = l->near + 2 * DIM * o->slot;
    float around[PIECE], raw[TILE];
    size_t low = (size_t)near[0] * TILE_CELLS, high = (size_t)near[1] * TILE_CELLS;
    size_t across = (size_t)near[q.face] * TILE_CELLS, line = (size_t)(p.number * TILE);
    o->kind = l->kind[o->slot];
    load_direction(&f, (size_t)o->slot * TILE_CELLS + line, raw, TILE);
    load_direction(&f, low + line + TILE - 1, &o->end[0], 1);
    load_direction(&f, high + line, &o->end[1], 1);
    load_direction(&f, across + (size_t)q.from, around, PIECE);
    o->x = by_colour(raw, p.odd);
    put_row(&shared->x[group], &p, &o->x);
    put_piece(&shared->x[group], &q, around);
    if (what == MAKE_NEXT)
        store_floats(a->direction[1 - a->state->last] + (size_t)o->slot * TILE_CELLS + line, raw,
                     TILE);
}

/* A s in a row, 0 where there is no unknown. */
GPU_FN row product_of(const vector_args *a, const rows *s, const row_place *p, const own *o)
{
    row d = diagonal_of(&a->level, o->slot, o->kind, p), product;
    SP_UNROLL_ALL
    for (int c = 0; c < 2; c++) {
        float sum[HALF];
        sum_near(s, p, &o->x, o->end, c, NULL, sum);
        SP_UNROLL_ALL
        for (int n = 0; n < HALF; n++)
            product.v[c][n] = d.v[c][n] > 0.0f ? d.v[c][n] * o->x.v[c][n] - sum[n] : 0.0f;
    }
    return product;
}

/* The same for value n of a colour, in a general tile. */
GPU_FN float product_at(const vector_args *a, const rows *s, const row_place *p, const own *o,
                        int colour, int n)
{
    const X(gpu_level) *l = &a->level;
    float d = l->d[(size_t)o->slot * TILE_CELLS + (size_t)place_in_row(p, colour, n)];
    if (!(d > 0.0f))
        return 0.0f;
    return d * s->v[colour][p->at][n] - sum_faces(l, o->slot, s, p, o->end, colour, n);
}

/* The part of a row in s . A s; in v . A s, of another vector. */
GPU_FN double product_with(const vector_args *a, const rows *s, const row_place *p, const own *o,
                           const float *v)
{
    double sum = 0;
    size_t own = (size_t)o->slot * TILE_CELLS;
    if (o->kind != GENERAL) {
        row product = product_of(a, s, p, o);
        row other = v ? load_row(v + own + (size_t)(p->number * TILE), p->odd) : o->x;
        return row_product(&other, &product);
    }
    KEEP_LOOP
    for (int e = 0; e < TILE; e++) {
        int c = e & 1, n = e / 2;
        float other = v ? v[own + (size_t)place_in_row(p, c, n)] : s->v[c][p->at][n];
        sum += (double)other * (double)product_at(a, s, p, o, c, n);
    }
    return sum;
}

/* The part of a row in a phase's sum. */
GPU_FN double part_of_row(const vector_args *a, const rows *s, const row_place *p, const own *o,
                          const phase what)
{
    if (what != PHASE_SLOPE)
        return product_with(a, s, p, o, what == PHASE_CROSS ? a->level.x : NULL);
    size_t at = (size_t)o->slot * TILE_CELLS + (size_t)(p->number * TILE);
    row b = load_row(a->level.b + at, p->odd);
    return row_product(&b, &o->x);
}

/* The partials of a phase, each of a tile. */
GPU_FN void sum_tiles(const vector_args *a, size_t block, vector_shared *shared, const phase what)
{
    KEEP(own, mine, GROUP_ROWS);
    ONE_EACH(t, GROUP_ROWS)
        take_rows(a, shared, block, t, &KEPT(mine, t),
                  what == PHASE_CURVATURE ? MAKE_NEXT : LAST_ONE);
    BARRIER();
    ONE_EACH(t, GROUP_ROWS) {
        const own *o = &KEPT(mine, t);
        row_place p = row_place_of(t % TILE_ROWS);
        shared->u.sum[t] = o->slot ? part_of_row(a, &shared->x[t / TILE_ROWS], &p, o, what) : 0.0;
    }
    sum_groups(shared->u.sum);
    ONE_EACH(t, GROUP_ROWS)
        if (t % TILE_ROWS == 0 && KEPT(mine, t).slot)
            a->partials[KEPT(mine, t).slot - 1] = shared->u.sum[t];
}

/* s = z + beta s, and s . A s */
BLOCKS_AT_ONCE(find_direction, vector_args, vector_shared, GROUP_ROWS, AT_ONCE)
{
    sum_tiles(a, block, shared, PHASE_CURVATURE);
}

/* z . A s of the last direction */
BLOCKS_AT_ONCE(find_cross, vector_args, vector_shared, GROUP_ROWS, AT_ONCE)
{
    if (!a->state->first)
        sum_tiles(a, block, shared, PHASE_CROSS);
}

/* r . s of the last direction */
BLOCKS_AT_ONCE(find_slope, vector_args, vector_shared, GROUP_ROWS, AT_ONCE)
{
    if (!a->state->first)
        sum_tiles(a, block, shared, PHASE_SLOPE);
}

/* r -= alpha A s, in a row; the largest |r|, as bits. */
GPU_FN uint32_t reduce_residual(const vector_args *a, const rows *s, const row_place *p,
                                const own *o, float alpha)
{
    float *b = a->level.b + (size_t)o->slot * TILE_CELLS;
    uint32_t most = 0;
    if (o->kind != GENERAL) {
        row product = product_of(a, s, p, o), r = load_row(b + p->number * TILE, p->odd);
        SP_UNROLL_ALL
        for (int n = 0; n < HALF; n++)
            for (int c = 0; c < 2; c++) {
                r.v[c][n] -= alpha * product.v[c][n];
                uint32_t bits = magnitude_bits(r.v[c][n]);
                most = bits > most ? bits : most;
            }
        store_row(b + p->number * TILE, &r, p->odd);
        return most;
    }
    KEEP_LOOP
    for (int e = 0; e < TILE; e++) {
        float *r = b + place_in_row(p, e & 1, e / 2);
        *r -= alpha * product_at(a, s, p, o, e & 1, e / 2);
        uint32_t bits = magnitude_bits(*r);
        most = bits > most ? bits : most;
    }
    return most;
}

GPU_FN void add_step_to_row(const vector_args *a, const row_place *p, const own *o, float alpha)
{
    float *to = a->step + (size_t)o->slot * TILE_CELLS + (size_t)(p->number * TILE);
    row step = row_of(0.0f);
    if (!a->state->empty)
        step = load_row(to, p->odd);
    SP_UNROLL_ALL
    for (int n = 0; n < HALF; n++)
        for (int c = 0; c < 2; c++)
            step.v[c][n] += alpha * o->x.v[c][n];
    store_row(to, &step, p->odd);
}

/* q += alpha s, r -= alpha A s; the partial of max |r|. A s is taken once more: that is less than
 * to write and read it. */
BLOCKS_AT_ONCE(update_vectors, vector_args, vector_shared, GROUP_ROWS, AT_ONCE)
{
    bool stop = !a->state->more; /* known when it is needed, after other loads */
    KEEP(own, mine, GROUP_ROWS);
    ONE_EACH(t, GROUP_ROWS)
        take_rows(a, shared, block, t, &KEPT(mine, t), NEXT);
    BARRIER();
    if (stop)
        return;
    ONE_EACH(t, GROUP_ROWS) {
        const own *o = &KEPT(mine, t);
        row_place p = row_place_of(t % TILE_ROWS);
        float alpha = a->state->alpha;
        shared->u.most[t] = 0;
        if (o->slot) {
            add_step_to_row(a, &p, o, alpha);
            shared->u.most[t] = reduce_residual(a, &shared->x[t / TILE_ROWS], &p, o, alpha);
        }
    }
    largest_of_groups(shared->u.most);
    ONE_EACH(t, GROUP_ROWS)
        if (t % TILE_ROWS == 0 && KEPT(mine, t).slot)
            a->partials[KEPT(mine, t).slot - 1] = bits_magnitude(shared->u.most[t]);
}

/* z = M^-1 r. */
static void queue_cycle(X(gpu) *g, const X(gpu_recipe) *how)
{
    X(gpu_cycle)(g, how->sweeps, how->quick);
    gather(g, PHASE_RHO);
}

/* The rest of an iteration: the next direction, and a step along it. */
static void queue_step(X(gpu) *g)
{
    X(gpu_solver) *y = X(gpu_solver_of)(g);
    size_t groups = groups_of(y->levels[0].tile_count);
    vector_args args = args_of(g);
    X(gpu_wrap)(g, &y->levels[0], y->levels[0].x);
    find_direction(g, args, groups);
    gather(g, PHASE_CURVATURE);
    X(gpu_wrap_direction)(g);
    update_vectors(g, args, groups);
    gather(g, PHASE_RESIDUAL);
}

static void queue_iteration(X(gpu) *g, void *user)
{
    queue_cycle(g, (const X(gpu_recipe) *)user);
    queue_step(g);
}

/* beta after a new residual, to which the last direction is not orthogonal: next_direction of
 * solve_multigrid.c. */
static void queue_beta(X(gpu) *g)
{
    size_t groups = groups_of(X(gpu_solver_of)(g)->levels[0].tile_count);
    find_cross(g, args_of(g), groups);
    gather(g, PHASE_CROSS);
    find_slope(g, args_of(g), groups);
    gather(g, PHASE_SLOPE);
}

GPU_FN double exact(const vector_args *a, size_t c)
{
    return (double)a->high[c] + (double)a->low[c];
}

MAP(add_step, vector_args)
{
    size_t c = i + TILE_CELLS;
    if (a->state->empty)
        return;
    double sum = exact(a, c) + (double)a->step[c];
    float high = (float)sum;
    a->high[c] = high;
    a->low[c] = (float)(sum - (double)high);
}

/* Queues the search for a correction, and what it leaves of the residual. */
static void queue_correction(X(gpu) *g, void *user)
{
    queue_cycle(g, (const X(gpu_recipe) *)user);
    queue_beta(g);
    queue_step(g);
    X(gpu_while)(g, &X(gpu_solver_of)(g)->state->more, queue_iteration, user);
    add_step(g, args_of(g), cells_of(g));
    queue_residual(g);
    gather(g, PHASE_TRUE);
}

typedef struct begin_args {
    X(gpu_state) *state;
    double tolerance;
    int most;
} begin_args;

MAP(begin_state, begin_args)
{
    X(gpu_state) *s = a->state;
    (void)i;
    s->tolerance = a->tolerance;
    s->target = 0;
    s->most = a->most;
    s->iterations = 0;
    s->start = s->first = s->empty = s->more = 1;
    s->last = 0;
}

static void begin(X(gpu) *g, double tolerance, int most)
{
    begin_args args;
    memset(&args, 0, sizeof args);
    args.state = X(gpu_solver_of)(g)->state;
    args.tolerance = tolerance;
    args.most = most;
    begin_state(g, args, 1);
}

/* All of a solve, from the solution so far on. */
static void queue_solve(X(gpu) *g, void *user)
{
    X(gpu_multigrid_build)(g);
    queue_residual(g);
    gather(g, PHASE_TRUE);
    X(gpu_while)(g, &X(gpu_solver_of)(g)->state->open, queue_correction, user);
}

void X(gpu_prepare_multigrid)(X(gpu) *g, int sweeps)
{
    X(gpu_solver) *y = X(gpu_solver_of)(g);
    y->recipe.sweeps = sweeps;
    y->recipe.quick = true;
    X(gpu_record)(g, queue_solve, &y->recipe);
    y->prepared = true;
}

double X(gpu_solve_multigrid)(X(gpu) *g, int sweeps, double tolerance, int most, int *iterations)
{
    X(gpu_solver) *y = X(gpu_solver_of)(g);
    X(gpu_state) state;
    memset(&state, 0, sizeof state);
    *iterations = 0;
    if (y->levels[0].tile_count == 0)
        return 0;
    if (!y->prepared || sweeps != y->recipe.sweeps)
        X(gpu_prepare_multigrid)(g, sweeps);
    begin(g, tolerance, most);
    X(gpu_play)(g);
    X(gpu_download)(g, &state, y->state, sizeof state);
    *iterations = state.iterations;
    return state.residual;
}

/* ---- Jacobi and Gauss-Seidel, on the first part of the solution */

MAP(relax_cells, vector_args)
{
    size_t c = i + TILE_CELLS;
    float d = a->level.d[c];
    if (d > 0.0f)
        a->high[c] += a->weight * a->level.b[c] / d;
}

void X(gpu_relax)(X(gpu) *g, float weight)
{
    vector_args args = args_of(g);
    args.weight = weight;
    relax_cells(g, args, cells_of(g));
}

GPU_FN float value_across(const vector_args *a, int slot, int at, int d, int side)
{
    int step = block_step(d), across = at / step % TILE;
    if (side ? across < TILE - 1 : across > 0)
        return a->high[(size_t)slot * TILE_CELLS + (size_t)(side ? at + step : at - step)];
    size_t other = (size_t)a->level.near[2 * DIM * slot + 2 * d + side] * TILE_CELLS;
    return a->high[other + (size_t)(side ? at - (TILE - 1) * step : at + (TILE - 1) * step)];
}

MAP(sweep_cells, vector_args)
{
    int slot = (int)(i / PAIRS) + 1, at = cell_of_pair((int)(i % PAIRS), a->colour);
    size_t c = (size_t)slot * TILE_CELLS + (size_t)at;
    float d = a->level.d[c], sum = a->right[c], f[2 * DIM] = {0};
    if (!(d > 0.0f))
        return;
    bool general = a->level.kind[slot] == GENERAL;
    if (general)
        faces_of(&a->level, slot, at, f);
    FOR_DIM(axis) {
        float low = value_across(a, slot, at, axis, 0), high = value_across(a, slot, at, axis, 1);
        sum += general ? f[2 * axis] * low + f[2 * axis + 1] * high : low + high;
    }
    a->high[c] += a->weight * (sum / d - a->high[c]);
}

void X(gpu_sweep)(X(gpu) *g, float weight, int colour)
{
    X(gpu_solver) *y = X(gpu_solver_of)(g);
    vector_args args = args_of(g);
    args.weight = weight;
    args.colour = colour;
    X(gpu_wrap)(g, &y->levels[0], y->high);
    sweep_cells(g, args, cells_of(g) / 2);
}

void X(gpu_multigrid_once)(X(gpu) *g, int sweeps)
{
    X(gpu_recipe) how = {sweeps, false};
    X(gpu_solve_begin)(g, true);
    begin(g, 0.0, 1);
    queue_residual(g);
    if (cells_of(g) > 0)
        queue_iteration(g, &how);
    add_step(g, args_of(g), cells_of(g));
    X(gpu_solve_end)(g, true);
}
