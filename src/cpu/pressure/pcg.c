/* pcg.c -- preconditioned conjugate gradients with MIC(0), fp32 inside fp64.
 *
 * The vectors are fp32 and the dot products fp64 in fixed order. The residual that fp32 CG carries
 * along drifts away from the true one, so the iteration only ever solves for a correction: when its
 * residual has fallen by MIC_DROP, the correction is added to the solution in fp64, the residual b
 * - A q is taken anew in fp64, and CG starts again from it. */
#include "pressure.h"

#include "cpu/cpu.h"

#include <math.h>

#define MIC_DROP 1e-3

typedef struct pcg_args {
    X(system) *sys;
    float factor; /* alpha or beta */
} pcg_args;

/* Over the rows of the liquid tiles [begin, end): `c` is the first cell of a row. */
#define FOR_ROWS(sys, begin, end, c)                                                              \
    for (size_t tile_ = (begin); tile_ < (end); tile_++)                                          \
        for (size_t base_ = X(tile_index)(&(sys)->grid, (sys)->levels[0].tiles[tile_]), row_ = 0, \
                    c = base_;                                                                    \
             row_ < TILE_ROWS; row_++, c = base_ + X(row_offset)(&(sys)->grid, (int)row_))

static double lane_sum(const double lane[TILE])
{
    double sum = 0;
    for (int i = 0; i < TILE; i++)
        sum += lane[i];
    return sum;
}

/* z = A s; the partial of s . z */
static double apply_partial(void *user, size_t begin, size_t end)
{
    const X(system) *sys = ((pcg_args *)user)->sys;
    double lane[TILE] = {0};
    FOR_ROWS(sys, begin, end, c) {
        float product[TILE];
        for (int i = 0; i < TILE; i++)
            product[i] = sys->diagonal[c + (size_t)i] * sys->s[c + (size_t)i];
        FOR_DIM(d) {
            const float *low = sys->s + c - sys->grid.stride[d],
                        *high = sys->s + c + sys->grid.stride[d];
            const float *a = sys->a[d] + c, *b = sys->a[d] + c + sys->grid.stride[d];
            for (int i = 0; i < TILE; i++)
                product[i] -= a[i] * low[i] + b[i] * high[i];
        }
        for (int i = 0; i < TILE; i++) {
            /* across a periodic side a face of the last cell is also one of its image, which is no
             * unknown */
            product[i] = sys->diagonal[c + (size_t)i] > 0.0f ? product[i] : 0.0f;
            sys->z[c + (size_t)i] = product[i];
            lane[i] += (double)product[i] * sys->s[c + (size_t)i];
        }
    }
    return lane_sum(lane);
}

/* q += alpha s, r -= alpha z; the partial of max |r| */
static double update_partial(void *user, size_t begin, size_t end)
{
    const pcg_args *args = user;
    const X(system) *sys = args->sys;
    float most[TILE] = {0};
    FOR_ROWS(sys, begin, end, c)
        for (int i = 0; i < TILE; i++) {
            size_t k = c + (size_t)i;
            sys->q[k] += args->factor * sys->s[k];
            float r = sys->r[k] - args->factor * sys->z[k];
            sys->r[k] = r;
            r = __builtin_fabsf(r);
            most[i] = r > most[i] || r != r ? r : most[i];
        }
    double largest = 0;
    for (int i = 0; i < TILE; i++)
        largest = most[i] > largest || most[i] != most[i] ? most[i] : largest;
    return largest;
}

static double dot_partial(void *user, size_t begin, size_t end)
{
    const X(system) *sys = ((pcg_args *)user)->sys;
    double lane[TILE] = {0};
    FOR_ROWS(sys, begin, end, c)
        for (int i = 0; i < TILE; i++)
            lane[i] += (double)sys->r[c + (size_t)i] * sys->z[c + (size_t)i];
    return lane_sum(lane);
}

/* s = z + beta s */
static void direction_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const pcg_args *args = user;
    const X(system) *sys = args->sys;
    FOR_ROWS(sys, begin, end, c)
        for (int i = 0; i < TILE; i++)
            sys->s[c + (size_t)i] = sys->z[c + (size_t)i] + args->factor * sys->s[c + (size_t)i];
}

/* q_sum += q, or q_sum = q; then q = 0, or q = q_sum at the end */
typedef enum gather { GATHER_START, GATHER_ADD, GATHER_END } gather;
typedef struct gather_args {
    X(system) *sys;
    gather what;
} gather_args;

static void gather_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const gather_args *args = user;
    const X(system) *sys = args->sys;
    FOR_ROWS(sys, begin, end, c)
        for (int i = 0; i < TILE; i++) {
            size_t k = c + (size_t)i;
            sys->q_sum[k] = (args->what == GATHER_START ? 0 : sys->q_sum[k]) + sys->q[k];
            sys->q[k] = args->what == GATHER_END ? (float)sys->q_sum[k] : 0.0f;
        }
}

static void collect(X(system) *sys, gather what)
{
    gather_args args = {sys, what};
    sp_parallel_for(sys->domain->pool, (size_t)sys->levels[0].tile_count, 1, gather_range, &args);
}

/* CG for A q = r, from q = 0, until max |r| <= target or the iterations are used up. */
static void iterate(X(system) *sys, X(solve) *solve, double target)
{
    size_t tiles = (size_t)sys->levels[0].tile_count;
    pcg_args args = {sys, 0.0f};
    double residual = HUGE_VAL, rho = 0;
    while (residual > target && solve->iterations < solve->max_iterations) {
        X(mic_apply)(sys);
        double rho_new = X(system_sum)(sys, 1, dot_partial, &args);
        args.factor = rho > 0 ? (float)(rho_new / rho) : 0.0f;
        rho = rho_new;
        sp_parallel_for(sys->domain->pool, tiles, 1, direction_range, &args);
        X(fill_border_periodic)(sys->domain, sys->s, -1);
        double curvature = X(system_sum)(sys, 1, apply_partial, &args);
        if (!(curvature > 0) || !(rho > 0))
            return; /* nothing left to gain, or not a number */
        args.factor = (float)(rho / curvature);
        residual = X(system_maximum)(sys, 1, update_partial, &args);
        solve->iterations++;
    }
}

static double true_residual(X(system) *sys, X(true_residual) *residual)
{
    if (sys->grid.periodic[0] || sys->grid.periodic[1] || sys->grid.periodic[2])
        X(fill_border_wide)(sys->domain, sys->q_sum);
    return residual(sys, NULL, sys->q_sum);
}

void X(solve_pcg)(X(system) *sys, X(solve) *solve, X(true_residual) *residual)
{
    collect(sys, GATHER_START);
    solve->iterations = 0;
    solve->residual = true_residual(sys, residual);
    bool more = solve->residual > START_SHARE * solve->tolerance;
    if (more)
        X(mic_build)(sys);
    while (more && solve->iterations < solve->max_iterations) {
        double before = solve->residual;
        iterate(sys, solve, fmax(0.5 * solve->tolerance, MIC_DROP * before));
        collect(sys, GATHER_ADD);
        solve->residual = true_residual(sys, residual);
        more = solve->residual > solve->tolerance && solve->residual < BETTER * before;
        /* else it is done, or fp32 cannot do better */
    }
    collect(sys, GATHER_END);
    solve->converged = solve->residual <= solve->tolerance;
}
