/* coarsest.cu -- the coarsest level of the multigrid on the device. It is small: one block holds it
 * in shared memory and does all sweeps there.
 *
 * The density projection is a single cycle, and one in another order would move the particles
 * elsewhere: there the sweeps are those of the CPU (cpu/pressure/cycle.c). In a solve they need
 * only be good. */
#include "solver.h"
#include "state/cg_policy.h"

/* ---- in the order of the CPU */

#define COARSE_THREADS 1024

typedef struct coarsest_args {
    DEV(gpu_level) level;
    double *partials;
    int partial_count;
    int sweeps;
    int along; /* quick: the axis of pairs */
} coarsest_args;

/* At most 64 KB, which every GPU has. */
typedef struct coarsest_shared {
    float x[MOST_COARSEST], b[MOST_COARSEST], inverse[MOST_COARSEST];
    float before[MOST_COARSEST]; /* x, for what lies across a periodic side: that may be of the same
                               colour */
    union {
        float a[MOST_COARSEST][DIM];
        double sum[COARSE_THREADS]; /* in the end */
    } u;
    uint16_t
        turn[MOST_COARSEST]; /* colour, and twice the parity of the tile; NO_TURN: no unknown */
} coarsest_shared;
#define NO_TURN 4
#define FIRST(d) (8 << 2 * (d)) /* bits of `turn`: the first cell along an axis, the last one */
#define FINAL(d) (16 << 2 * (d))

/* Where cell n of the level lies in its blocks; its coordinates. */
GPU_FN size_t coarsest_place(const DEV(gpu_level) * l, int n, int cell[3])
{
    const X(grid) *g = &l->grid;
    int t[DIM], at = 0;
    cell[0] = n % g->n[0];
    cell[1] = n / g->n[0] % g->n[1];
    cell[2] = n / (g->n[0] * g->n[1]);
    FOR_DIM(d) {
        t[d] = cell[d] / TILE + 1;
        at += cell[d] % TILE * block_step(d);
    }
    return (size_t)l->slot[X(tile_number)(g, t)] * TILE_CELLS + (size_t)at;
}

GPU_FN void take_coarsest(const DEV(gpu_level) * l, coarsest_shared *shared, int n)
{
    const X(grid) *g = &l->grid;
    int cell[3], colour = 0, parity = 0, edges = 0;
    size_t c = coarsest_place(l, n, cell);
    shared->x[n] = shared->before[n] = 0.0f;
    shared->b[n] = l->b[c];
    shared->inverse[n] = l->d[c] > 0.0f ? 1.0f / l->d[c] : 0.0f;
    FOR_DIM(d) {
        bool wall = cell[d] == 0 && !g->periodic[d];
        shared->u.a[n][d] = wall ? 0.0f : l->a[d] ? l->a[d][c] : l->even;
        edges |= cell[d] == 0 ? FIRST(d) : 0;
        edges |= cell[d] == g->n[d] - 1 ? FINAL(d) : 0;
        colour ^= cell[d] & 1;
        parity ^= (cell[d] / TILE + 1) & 1;
    }
    shared->turn[n] = (uint16_t)(edges | (l->d[c] > 0.0f ? colour + 2 * parity : NO_TURN));
}

GPU_FN void relax_coarsest(coarsest_shared *shared, const X(grid) *g, int n)
{
    float sum = shared->b[n];
    int step = 1, edges = shared->turn[n];
    FOR_DIM(d) {
        int round = g->periodic[d] ? (g->n[d] - 1) * step : 0;
        sum += shared->u.a[n][d] *
               (edges & FIRST(d) ? shared->before[n + round] : shared->x[n - step]);
        if (!(edges & FINAL(d)))
            sum += shared->u.a[n + step][d] * shared->x[n + step];
        else if (g->periodic[d])
            sum += shared->u.a[n - round][d] * shared->before[n - round];
        step *= g->n[d];
    }
    shared->x[n] = sum * shared->inverse[n];
}

BLOCKS(solve_coarsest, coarsest_args, coarsest_shared, COARSE_THREADS)
{
    const DEV(gpu_level) *l = &a->level;
    int count = l->grid.n[0] * l->grid.n[1] * LAST(l->grid.n[2]);
    int pass = 4 * a->sweeps, half = pass * COARSE_PASSES; /* colours, of even and odd tiles */
    bool periodic = false;
    (void)block;
    FOR_DIM(d)
        periodic = periodic || l->grid.periodic[d];
    FOR_THREADS(n, count)
        take_coarsest(l, shared, n);
    BARRIER();
    for (int k = 0; k < 2 * half; k++) {
        int sweep = k % pass / 2, turn = (sweep + 1) / 2; /* as plan_of has them */
        int phase = turn % 2 * 2 + (k % 2 != (k >= half));
        bool begins = k % 2 == 0 && (sweep == 0 || sweep % 2 == 1);
        if (periodic && begins) {
            FOR_THREADS(n, count)
                shared->before[n] = shared->x[n];
            BARRIER();
        }
        FOR_THREADS(n, count) {
            if ((shared->turn[n] & 7) == phase)
                relax_coarsest(shared, &l->grid, n);
        }
        BARRIER();
    }
    FOR_THREADS(t, COARSE_THREADS) {
        double sum = 0;
        for (int n = t; n < count; n += COARSE_THREADS) {
            int cell[3];
            size_t c = coarsest_place(l, n, cell);
            if (c >= TILE_CELLS)
                l->x[c] = shared->x[n];
            sum += (double)shared->b[n] * (double)shared->x[n];
        }
        shared->u.sum[t] = sum;
    }
    find_sum(shared->u.sum, COARSE_THREADS);
    FOR_THREADS(t, a->partial_count)
        a->partials[t] = t == 0 ? shared->u.sum[0] : 0.0;
}

/* ---- in a solve
 *
 * There any symmetric approximation of the inverse will do. A symmetric sweep, red, black and red
 * cells, has an iteration matrix with eigenvalues from 0 to nearly 1; Chebyshev's semi-iteration
 * makes the best of STEPS such sweeps for those up to 1 - LEAST, and damps the others too, so that
 * the operator stays positive definite. A thread holds the coefficients of a red cell and of the
 * black one beside it. */

#define STEPS 16
#define LEAST 0.01f
#define FEW_THREADS 256

typedef struct quick_shared {
    float x[1 + MOST_COARSEST]; /* the first one stands for cells that are not there */
} quick_shared;

typedef struct quick_cell {
    float a[2 * DIM], b, inverse, before; /* before: x two steps ago */
    int at;                               /* in quick_shared; 0: there is none */
} quick_cell;

typedef struct quick_pair {
    quick_cell cell[2]; /* red, black */
} quick_pair;

SP_KERNEL int pair_count(const X(grid) *g, int along)
{
    return g->n[0] * g->n[1] * LAST(g->n[2]) / g->n[along] * ((g->n[along] + 1) / 2);
}

GPU_FN void take_cell(const DEV(gpu_level) * l, const int cell[3], quick_cell *q)
{
    const X(grid) *g = &l->grid;
    int n = (DIM == 3 ? cell[2] * g->n[1] * g->n[0] : 0) + cell[1] * g->n[0] + cell[0], same[3];
    size_t c = coarsest_place(l, n, same);
    q->at = 1 + n;
    q->b = l->b[c];
    q->before = 0.0f;
    q->inverse = l->d[c] > 0.0f ? 1.0f / l->d[c] : 0.0f;
    FOR_DIM(d) {
        int step = d == 0 ? 1 : d == 1 ? g->n[0] : g->n[0] * g->n[1];
        bool last = cell[d] == g->n[d] - 1;
        q->a[2 * d] = cell[d] == 0 ? 0.0f : l->a[d][c];
        q->a[2 * d + 1] = last ? 0.0f : l->a[d][coarsest_place(l, n + step, same)];
    }
}

GPU_FN void take_pair(const coarsest_args *a, int t, quick_pair *q)
{
    const X(grid) *g = &a->level.grid;
    memset(q, 0, sizeof *q);
    if (t >= pair_count(g, a->along))
        return;
    int cell[3] = {0, 0, 0}, colour = 0;
    FOR_DIM(d) {
        int n = d == a->along ? (g->n[d] + 1) / 2 : g->n[d];
        cell[d] = (d == a->along ? 2 : 1) * (t % n);
        colour ^= cell[d] & 1;
        t /= n;
    }
    quick_cell one, two;
    memset(&two, 0, sizeof two);
    take_cell(&a->level, cell, &one);
    FOR_DIM(d)
        cell[d] += d == a->along;
    if (X(inside)(g, cell))
        take_cell(&a->level, cell, &two);
    q->cell[0] = colour ? two : one;
    q->cell[1] = colour ? one : two;
}

/* Only neighbours with an off-diagonal are read: beyond the end of a row is another one, whose
 * cells may be about to change. */
GPU_FN void relax_cell(quick_shared *shared, const X(grid) *g, const quick_cell *q)
{
    float sum = q->b;
    if (q->at == 0)
        return;
    FOR_DIM(d) {
        int step = d == 0 ? 1 : d == 1 ? g->n[0] : g->n[0] * g->n[1];
        float low = q->a[2 * d] != 0.0f ? q->a[2 * d] * shared->x[q->at - step] : 0.0f;
        float high = q->a[2 * d + 1] != 0.0f ? q->a[2 * d + 1] * shared->x[q->at + step] : 0.0f;
        sum += low + high;
    }
    shared->x[q->at] = sum * q->inverse;
}

/* x of the next step, from that of the last two and a sweep. */
GPU_FN void extrapolate(quick_shared *shared, quick_cell *q, float now, float rho)
{
    const float gamma = 2.0f / (1.0f + LEAST);
    if (q->at == 0)
        return;
    float swept = shared->x[q->at];
    shared->x[q->at] = rho * (gamma * (swept - now) + now - q->before) + q->before;
    q->before = now;
}

typedef struct two_values {
    float v[2];
} two_values;

GPU_FN void solve_quickly(const coarsest_args *a, quick_shared *shared, const int threads)
{
    const X(grid) *g = &a->level.grid;
    const float sigma = (1.0f - LEAST) / (1.0f + LEAST);
    float rho = 1.0f;
    KEEP(quick_pair, mine, COARSE_THREADS);
    KEEP(two_values, now, COARSE_THREADS);
    FOR_THREADS(n, 1 + MOST_COARSEST)
        shared->x[n] = 0.0f;
    ONE_EACH(t, threads)
        take_pair(a, t, &KEPT(mine, t));
    BARRIER();
    for (int k = 0; k < STEPS; k++) {
        ONE_EACH(t, threads) {
            KEPT(now, t).v[0] = shared->x[KEPT(mine, t).cell[0].at];
            KEPT(now, t).v[1] = shared->x[KEPT(mine, t).cell[1].at];
            relax_cell(shared, g, &KEPT(mine, t).cell[0]);
        }
        BARRIER();
        ONE_EACH(t, threads)
            relax_cell(shared, g, &KEPT(mine, t).cell[1]);
        BARRIER();
        ONE_EACH(t, threads)
            relax_cell(shared, g, &KEPT(mine, t).cell[0]);
        BARRIER();
        ONE_EACH(t, threads) {
            extrapolate(shared, &KEPT(mine, t).cell[0], KEPT(now, t).v[0], rho);
            extrapolate(shared, &KEPT(mine, t).cell[1], KEPT(now, t).v[1], rho);
        }
        BARRIER();
        rho = 1.0f / (1.0f - sigma * sigma * (k == 0 ? 0.5f : 0.25f * rho));
    }
    FOR_THREADS(n, g->n[0] * g->n[1] * LAST(g->n[2])) {
        int cell[3];
        size_t c = coarsest_place(&a->level, n, cell);
        if (c >= TILE_CELLS)
            a->level.x[c] = shared->x[1 + n];
    }
}

BLOCKS(solve_coarsest_quickly, coarsest_args, quick_shared, COARSE_THREADS)
{
    (void)block;
    solve_quickly(a, shared, COARSE_THREADS);
}

BLOCKS(solve_coarsest_by_few, coarsest_args, quick_shared, FEW_THREADS)
{
    (void)block;
    solve_quickly(a, shared, FEW_THREADS);
}

void DEV(gpu_solve_coarsest)(X(gpu) *g, int sweeps, bool quick)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    int last = solver->level_count - 1;
    coarsest_args args;
    memset(&args, 0, sizeof args);
    args.level = solver->levels[last];
    args.partials = g->partials;
    args.partial_count = last == 0 ? args.level.tile_count : 0;
    args.sweeps = sweeps;
    FOR_DIM(d)
        args.along = args.level.grid.n[d] > args.level.grid.n[args.along] ? d : args.along;
    int pairs = pair_count(&args.level.grid, args.along);
    if (!quick || solver->periodic || last == 0 || pairs > COARSE_THREADS)
        solve_coarsest(g, args, 1); /* across a side may be the same colour */
    else if (pairs > FEW_THREADS)
        solve_coarsest_quickly(g, args, 1);
    else
        solve_coarsest_by_few(g, args, 1);
}
