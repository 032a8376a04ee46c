/* solve.cu -- the iterations of the pressure solvers on the device: conjugate gradients with the
 * V-cycle of cycle.cu, relaxed Jacobi and red-black Gauss-Seidel; and the true residual.
 *
 * As in sim/pressure/solve_multigrid.c vectors are fp32 and the solution is kept to more digits: as
 * the sum of two floats. What an iteration needs from the last one (step lengths, whether it is
 * done) stays on the device: all kernels return at once when X(gpu_state) says so, and the host
 * queues a few iterations at a time. */
#include "device/cuda/solver.h"

#define BATCH 2 /* iterations between looks of the host */

typedef struct vector_args {
    X(gpu_level) level; /* 0 */
    X(grid) grid;
    float *right, *high, *low, *step, *old, *direction, *image, *q;
    double *partials;
    X(gpu_state) *state;
    float weight;
    int colour;
    bool first;
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
    args.old = y->direction[0];
    args.direction = y->direction[1];
    args.image = y->image;
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

GPU_FN size_t grid_place(const vector_args *a, size_t i)
{
    int cell[DIM], tile = a->level.tile_of[i / TILE_CELLS + 1];
    return X(tile_place)(&a->grid, tile, (int)(i % TILE_CELLS), cell);
}

MAP(take_solution, vector_args)
{
    size_t c = i + TILE_CELLS;
    a->high[c] = a->level.d[c] > 0.0f ? a->q[grid_place(a, i)] : 0.0f;
    a->low[c] = 0.0f;
}

MAP(give_solution, vector_args)
{
    size_t c = i + TILE_CELLS;
    if (a->level.d[c] > 0.0f)
        a->q[grid_place(a, i)] = a->high[c];
}

void X(gpu_solve_begin)(X(gpu) *g, bool density)
{
    X(gpu_solver) *y = X(gpu_solver_of)(g);
    vector_args args = args_of(g);
    args.q = density ? y->q_density : g->f.p;
    if (cells_of(g) == 0)
        return;
    /* pockets were counted in this memory */
    X(gpu_set)(g, y->high, 0, TILE_CELLS * sizeof(float));
    X(gpu_set)(g, y->low, 0, TILE_CELLS * sizeof(float));
    take_solution(g, args, cells_of(g));
}

void X(gpu_solve_end)(X(gpu) *g, bool density)
{
    vector_args args = args_of(g);
    args.q = density ? X(gpu_solver_of)(g)->q_density : g->f.p;
    give_solution(g, args, cells_of(g));
}

/* ---- the true residual */

typedef struct residual_shared {
    double x[PAD_SIZE];
    uint32_t most[PAIRS];
} residual_shared;

GPU_FN double exact(const vector_args *a, size_t c)
{
    return (double)a->high[c] + (double)a->low[c];
}

GPU_FN double exact_sum(const vector_args *a, const double *x, int slot, int at, int pad, int kind)
{
    float f[2 * DIM] = {0};
    double sum = 0;
    if (kind == GENERAL)
        faces_of(&a->level, slot, at, f);
    FOR_DIM(d) {
        double one = x[pad - pad_step(d)], two = x[pad + pad_step(d)];
        if (kind == GENERAL) {
            one *= (double)f[2 * d];
            two *= (double)f[2 * d + 1];
        }
        sum += one + two;
    }
    return sum;
}

BLOCKS(find_residual, vector_args, residual_shared, PAIRS)
{
    int slot = (int)block + 1, kind = a->level.kind[slot];
    size_t own = (size_t)slot * TILE_CELLS;
    FOR_THREADS(t, PAIRS) {
        two p = two_of(t);
        float high[2], low[2];
        load_two(a->high + own, &p, high);
        load_two(a->low + own, &p, low);
        for (int e = 0; e < 2; e++)
            shared->x[p.pad[e]] = (double)high[e] + (double)low[e];
    }
    FOR_THREADS(n, 2 * DIM * FACE_CELLS) {
        outer o = outer_of(n);
        size_t other = (size_t)a->level.near[2 * DIM * slot + o.face] * TILE_CELLS;
        shared->x[o.pad] = exact(a, other + (size_t)o.at);
    }
    BARRIER();
    FOR_THREADS(t, PAIRS) {
        two p = two_of(t);
        uint32_t most = 0;
        float right[2], d[2] = {2 * DIM, 2 * DIM}, r[2] = {0.0f, 0.0f};
        load_two(a->right + own, &p, right);
        if (kind != UNIFORM)
            load_two(a->level.d + own, &p, d);
        for (int e = 0; e < 2; e++) {
            if (d[e] > 0.0f)
                r[e] = (float)((double)right[e] - (double)d[e] * shared->x[p.pad[e]] +
                               exact_sum(a, shared->x, slot, p.at[e], p.pad[e], kind));
            uint32_t bits = magnitude_bits(r[e]);
            most = bits > most ? bits : most;
        }
        store_two(a->level.b + own, &p, r);
        shared->most[t] = most;
    }
    find_largest(shared->most, PAIRS);
    FOR_THREADS(t, 1)
        a->partials[block] = bits_magnitude(shared->most[0]);
}

/* Into b of level 0, that of the iterations. */
double X(gpu_residual)(X(gpu) *g)
{
    X(gpu_solver) *y = X(gpu_solver_of)(g);
    X(gpu_wrap)(g, &y->levels[0], y->high);
    X(gpu_wrap)(g, &y->levels[0], y->low);
    find_residual(g, args_of(g), (size_t)y->levels[0].tile_count);
    return X(gpu_maximum)(g, (size_t)y->levels[0].tile_count);
}

/* ---- sums of the iterations */

#define GATHER 1024 /* partials to one, in the first stage */
#define GATHER_THREADS 256

typedef enum phase { PHASE_RHO, PHASE_CURVATURE, PHASE_RESIDUAL } phase;

typedef struct gather_args {
    const double *from;
    double *to;
    size_t count;
    phase what;
    bool first, last;
    X(gpu_state) *state;
} gather_args;

typedef struct gather_shared {
    double part[GATHER_THREADS];
} gather_shared;

GPU_FN double combine(double one, double two, phase what)
{
    return what != PHASE_RESIDUAL ? one + two : two > one || two != two ? two : one;
}

GPU_FN void conclude(const gather_args *a, double value)
{
    X(gpu_state) *s = a->state;
    switch (a->what) {
    case PHASE_RHO:
        s->beta = a->first ? 0.0f : (float)(value / s->rho);
        s->rho = value;
        break;
    case PHASE_CURVATURE:
        if (!(value > 0) || !(s->rho > 0)) {
            s->done = 1; /* nothing left to gain, or not a number */
            break;
        }
        s->alpha = (float)(s->rho / value);
        break;
    case PHASE_RESIDUAL:
        s->residual = value;
        s->iterations++;
        s->done = !(value > s->target) || s->iterations >= s->most;
        break;
    }
}

BLOCKS(gather_partials, gather_args, gather_shared, GATHER_THREADS)
{
    if (a->state->done)
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
static void gather(X(gpu) *g, phase what, bool first)
{
    X(gpu_solver) *y = X(gpu_solver_of)(g);
    gather_args args;
    memset(&args, 0, sizeof args);
    args.from = g->partials;
    args.to = y->partials;
    args.count = (size_t)y->levels[0].tile_count;
    args.what = what;
    args.first = first;
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

/* ---- conjugate gradients */

typedef struct apply_shared {
    float x[PAD_SIZE];
    double sum[PAIRS];
} apply_shared;

GPU_FN float direction_at(const vector_args *a, size_t c, float beta)
{
    return a->first ? a->level.x[c] : a->level.x[c] + beta * a->old[c];
}

GPU_FN float product_at(const vector_args *a, const float *x, int slot, int at, int pad, int kind,
                        float d)
{
    float f[2 * DIM];
    if (!(d > 0.0f))
        return 0.0f;
    if (kind != GENERAL)
        return d * x[pad] - sum_around(x, pad);
    faces_of(&a->level, slot, at, f);
    return d * x[pad] - sum_faces(x, pad, f);
}

/* s = z + beta s, A s, and the partial of s . A s */
BLOCKS(apply_matrix, vector_args, apply_shared, PAIRS)
{
    if (a->state->done)
        return;
    int slot = (int)block + 1, kind = a->level.kind[slot];
    size_t own = (size_t)slot * TILE_CELLS;
    float beta = a->state->beta;
    FOR_THREADS(t, PAIRS) {
        two p = two_of(t);
        float z[2], old[2] = {0.0f, 0.0f};
        load_two(a->level.x + own, &p, z);
        if (!a->first)
            load_two(a->old + own, &p, old);
        for (int e = 0; e < 2; e++) {
            z[e] = a->first ? z[e] : z[e] + beta * old[e];
            shared->x[p.pad[e]] = z[e];
        }
        store_two(a->direction + own, &p, z);
    }
    FOR_THREADS(n, 2 * DIM * FACE_CELLS) {
        outer o = outer_of(n);
        size_t other = (size_t)a->level.near[2 * DIM * slot + o.face] * TILE_CELLS;
        shared->x[o.pad] = direction_at(a, other + (size_t)o.at, beta);
    }
    BARRIER();
    FOR_THREADS(t, PAIRS) {
        two p = two_of(t);
        float d[2] = {2 * DIM, 2 * DIM}, product[2];
        double sum = 0;
        if (kind != UNIFORM)
            load_two(a->level.d + own, &p, d);
        for (int e = 0; e < 2; e++) {
            product[e] = product_at(a, shared->x, slot, p.at[e], p.pad[e], kind, d[e]);
            sum += (double)shared->x[p.pad[e]] * (double)product[e];
        }
        store_two(a->image + own, &p, product);
        shared->sum[t] = sum;
    }
    find_sum(shared->sum, PAIRS);
    FOR_THREADS(t, 1)
        a->partials[block] = shared->sum[0];
}

typedef struct update_shared {
    uint32_t most[PAIRS];
} update_shared;

/* q += alpha s, r -= alpha A s; the partial of max |r| */
BLOCKS(update_vectors, vector_args, update_shared, PAIRS)
{
    if (a->state->done)
        return;
    size_t own = (block + 1) * TILE_CELLS;
    float alpha = a->state->alpha;
    FOR_THREADS(t, PAIRS) {
        two p = two_of(t);
        float s[2], image[2], r[2], step[2] = {0.0f, 0.0f};
        uint32_t most = 0;
        load_two(a->direction + own, &p, s);
        load_two(a->image + own, &p, image);
        load_two(a->level.b + own, &p, r);
        if (!a->first)
            load_two(a->step + own, &p, step);
        for (int e = 0; e < 2; e++) {
            step[e] += alpha * s[e];
            r[e] -= alpha * image[e];
            uint32_t bits = magnitude_bits(r[e]);
            most = bits > most ? bits : most;
        }
        store_two(a->step + own, &p, step);
        store_two(a->level.b + own, &p, r);
        shared->most[t] = most;
    }
    find_largest(shared->most, PAIRS);
    FOR_THREADS(t, 1)
        a->partials[block] = bits_magnitude(shared->most[0]);
}

static void queue_iteration(X(gpu) *g, int sweeps, bool quick, bool first)
{
    X(gpu_solver) *y = X(gpu_solver_of)(g);
    size_t tiles = (size_t)y->levels[0].tile_count;
    X(gpu_cycle)(g, sweeps, quick);
    gather(g, PHASE_RHO, first);
    X(gpu_wrap)(g, &y->levels[0], y->levels[0].x);
    if (!first)
        X(gpu_wrap)(g, &y->levels[0], y->direction[0]);
    vector_args args = args_of(g);
    args.first = first;
    apply_matrix(g, args, tiles);
    gather(g, PHASE_CURVATURE, first);
    update_vectors(g, args, tiles);
    gather(g, PHASE_RESIDUAL, first);
    float *swap = y->direction[0];
    y->direction[0] = y->direction[1];
    y->direction[1] = swap;
}

bool X(gpu_iterate)(X(gpu) *g, int sweeps, double target, int *iterations, int most)
{
    X(gpu_solver) *y = X(gpu_solver_of)(g);
    X(gpu_state) state;
    if (y->levels[0].tile_count == 0)
        return false;
    memset(&state, 0, sizeof state);
    state.target = target;
    state.iterations = *iterations;
    state.most = most;
    X(gpu_upload)(g, y->state, &state, sizeof state);
    for (int k = 0; !state.done && !g->failure[0] && *iterations + k < most; k++) {
        queue_iteration(g, sweeps, most > 1, k == 0);
        if (k % BATCH == BATCH - 1 || *iterations + k + 1 >= most)
            X(gpu_download)(g, &state, y->state, sizeof state);
    }
    bool some = state.iterations > *iterations;
    *iterations = state.iterations;
    X(gpu_set)(g, &y->state->done, 0, sizeof state.done);
    return some && !g->failure[0];
}

MAP(add_step, vector_args)
{
    size_t c = i + TILE_CELLS;
    double sum = exact(a, c) + (double)a->step[c];
    float high = (float)sum;
    a->high[c] = high;
    a->low[c] = (float)(sum - (double)high);
}

void X(gpu_add_correction)(X(gpu) *g)
{
    add_step(g, args_of(g), cells_of(g));
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
    int slot = (int)(i / PAIRS) + 1, at = two_of((int)(i % PAIRS)).at[a->colour];
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
    int iterations = 0;
    X(gpu_solve_begin)(g, true);
    X(gpu_residual)(g);
    if (X(gpu_iterate)(g, sweeps, 0.0, &iterations, 1))
        X(gpu_add_correction)(g);
    X(gpu_solve_end)(g, true);
}
