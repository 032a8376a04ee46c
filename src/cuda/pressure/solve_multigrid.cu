/* solve_multigrid.cu -- the multigrid's conjugate gradients on the device, with the V-cycle of
 * cycle.cu.
 *
 * As in cpu/pressure/solve_multigrid.c vectors are fp32 and the solution is kept to more digits: as
 * the sum of two floats. What an iteration needs from the last one (step lengths, whether it is
 * done) stays on the device, in DEV(gpu_state), and so do both loops: the host queues a solve as a
 * whole and looks at what came of it. */
#include "cuda/vectors.h"

#include "state/cg_policy.h"

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
    DEV(gpu_state) * state;
} gather_args;

typedef struct gather_shared {
    double part[GATHER_THREADS];
} gather_shared;

GPU_FN double combine(double one, double two, phase what)
{
    bool sum = what != PHASE_RESIDUAL && what != PHASE_TRUE && what != PHASE_LARGEST;
    return sum ? one + two : two > one || two != two ? two : one;
}

/* After a true residual: whether another correction is to be found, and how good it is to be. */
GPU_FN void conclude_correction(DEV(gpu_state) * s, double value)
{
    double limit = s->start ? START_SHARE * s->tolerance : s->tolerance;
    bool better = s->start || value < BETTER * s->residual;
    bool close = DROP_THERE * value < 3 * s->tolerance;
    s->open = value > limit && better && s->iterations < s->most;
    s->target = close ? NEAR * s->tolerance : DROP_THERE * value;
    s->residual = value;
    s->start = 0;
    s->empty = 1;
    s->more = s->open;
}

GPU_FN void conclude(const gather_args *a, double value)
{
    DEV(gpu_state) *s = a->state;
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
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    gather_args args;
    memset(&args, 0, sizeof args);
    args.from = g->partials;
    args.to = solver->partials;
    args.count = (size_t)solver->levels[0].tile_count;
    args.what = what;
    args.state = solver->state;
    if (args.count > 4 * GATHER) {
        size_t blocks = (args.count + GATHER - 1) / GATHER;
        gather_partials(g, args, blocks);
        args.from = solver->partials;
        args.count = blocks;
    }
    args.last = true;
    gather_partials(g, args, 1);
}

void DEV(gpu_gather_largest)(X(gpu) *g)
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
    const DEV(gpu_state) *state = a->state;
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
    const DEV(gpu_level) *l = &a->level;
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
    const DEV(gpu_level) *l = &a->level;
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
    size_t start = (size_t)o->slot * TILE_CELLS;
    if (o->kind != GENERAL) {
        row product = product_of(a, s, p, o);
        row other = v ? load_row(v + start + (size_t)(p->number * TILE), p->odd) : o->x;
        return row_product(&other, &product);
    }
    KEEP_LOOP
    for (int e = 0; e < TILE; e++) {
        int c = e & 1, n = e / 2;
        float other = v ? v[start + (size_t)place_in_row(p, c, n)] : s->v[c][p->at][n];
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
static void queue_cycle(X(gpu) *g, const DEV(gpu_recipe) * how)
{
    DEV(gpu_cycle)(g, how->sweeps, how->quick);
    gather(g, PHASE_RHO);
}

/* The rest of an iteration: the next direction, and a step along it. */
static void queue_step(X(gpu) *g)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    size_t groups = groups_of(solver->levels[0].tile_count);
    vector_args args = args_of(g);
    DEV(gpu_wrap)(g, &solver->levels[0], solver->levels[0].x);
    find_direction(g, args, groups);
    gather(g, PHASE_CURVATURE);
    DEV(gpu_wrap_direction)(g);
    update_vectors(g, args, groups);
    gather(g, PHASE_RESIDUAL);
}

static void queue_iteration(X(gpu) *g, void *user)
{
    queue_cycle(g, (const DEV(gpu_recipe) *)user);
    queue_step(g);
}

/* beta after a new residual, to which the last direction is not orthogonal: next_direction of
 * solve_multigrid.c. */
static void queue_beta(X(gpu) *g)
{
    size_t groups = groups_of(DEV(gpu_solver_of)(g)->levels[0].tile_count);
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
    queue_cycle(g, (const DEV(gpu_recipe) *)user);
    queue_beta(g);
    queue_step(g);
    DEV(gpu_while)(g, &DEV(gpu_solver_of)(g)->state->more, queue_iteration, user);
    add_step(g, args_of(g), cells_of(g));
    DEV(gpu_queue_residual)(g);
    gather(g, PHASE_TRUE);
}

typedef struct begin_args {
    DEV(gpu_state) * state;
    double tolerance;
    int most;
} begin_args;

MAP(begin_state, begin_args)
{
    DEV(gpu_state) *s = a->state;
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
    args.state = DEV(gpu_solver_of)(g)->state;
    args.tolerance = tolerance;
    args.most = most;
    begin_state(g, args, 1);
}

/* All of a solve, from the solution so far on. */
static void queue_solve(X(gpu) *g, void *user)
{
    DEV(gpu_multigrid_build)(g);
    DEV(gpu_queue_residual)(g);
    gather(g, PHASE_TRUE);
    DEV(gpu_while)(g, &DEV(gpu_solver_of)(g)->state->open, queue_correction, user);
}

void DEV(gpu_prepare_multigrid)(X(gpu) *g, int sweeps)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    solver->recipe.sweeps = sweeps;
    solver->recipe.quick = true;
    DEV(gpu_record)(g, queue_solve, &solver->recipe);
    solver->prepared = true;
}

double DEV(gpu_solve_multigrid)(X(gpu) *g, int sweeps, double tolerance, int most, int *iterations)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    DEV(gpu_state) state;
    memset(&state, 0, sizeof state);
    *iterations = 0;
    if (solver->levels[0].tile_count == 0)
        return 0;
    if (!solver->prepared || sweeps != solver->recipe.sweeps)
        DEV(gpu_prepare_multigrid)(g, sweeps);
    begin(g, tolerance, most);
    DEV(gpu_play)(g);
    DEV(gpu_download)(g, &state, solver->state, sizeof state);
    *iterations = state.iterations;
    return state.residual;
}

void DEV(gpu_multigrid_once)(X(gpu) *g, int sweeps)
{
    DEV(gpu_recipe) how = {sweeps, false};
    DEV(gpu_solve_begin)(g, GPU_DENSITY);
    begin(g, 0.0, 1);
    DEV(gpu_queue_residual)(g);
    if (cells_of(g) > 0)
        queue_iteration(g, &how);
    add_step(g, args_of(g), cells_of(g));
    DEV(gpu_solve_end)(g, GPU_DENSITY);
}
