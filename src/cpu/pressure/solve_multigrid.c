/* solve_multigrid.c -- conjugate gradients with the V-cycle of cycle.c, on blocks.
 *
 * As in pcg.c the vectors are fp32 and CG only ever solves for a correction: when its residual has
 * fallen far enough, the correction is added to the solution in fp64 and the residual b - A q is
 * taken anew in fp64. CG then goes on with the last direction (only the residual is replaced, as by
 * van der Vorst and Ye 2000), which saves the iteration or two that a new start would cost.
 *
 * That CG's residual stays true for long is worth an iteration or two as well. Two things make it
 * drift: the rounding of A s, for s is a hundred times as large as the differences that count, so
 * these are what is summed (block.h); and the rounding of the correction, which is added up in
 * fp64.
 *
 * An iteration goes over the vectors few times: the last smoothing step leaves r . z; the next
 * direction s = z + beta s and A s = A z + beta A s are made together, tile by tile, and every
 * other time the correction takes the last two steps there; r and max |r| change together. */
#include "sweep.h"

#include "cpu/cpu.h"

#include <math.h>

typedef struct cg_args {
    X(system) *sys;
    float factor;       /* alpha or beta */
    double rho;         /* r . z of the last iteration */
    double curvature;   /* s . A s of it */
    bool first;         /* there is no direction yet */
    bool anew;          /* the residual is a new one */
    bool empty;         /* nothing has been added up to a correction in `step` yet */
    int waiting;        /* steps not added to it yet: of the last direction, and the one before */
    double alpha[2];    /* their lengths */
    bool start;         /* the solution is still in q alone */
    const float *a, *b; /* blocks: of a dot product */
} cg_args;

/* A vector of the new direction and of A times it, from those of z and the last ones; their
 * products are added to `dot`. */
typedef struct update {
    const float *last; /* direction; NULL: there is none */
    float *direction, *image;
    float beta;
} update;

SIMD_FN f8 apply_pair(const padded *p, const view *v, int k, int m, bool uniform, bool uneven,
                      const update *to, f8 dot)
{
    WRITE_OUT for (int h = 0; h < 2; h++) FOR_EIGHTS(i)
    {
        size_t at = in_block(k, m, h) + (size_t)i;
        const float *place = p->v + in_padded(k, m, h) + i;
        f8 x = load(place), product = differences(place, k, m, h, i, uniform ? NULL : v->d,
                                                  uneven ? v->faces : NULL);
        if (!uniform)
            product = where_positive(load(v->d + at), product);
        if (to->last) {
            x += to->beta * load(to->last + at);
            product += to->beta * load(to->image + at);
        }
        store(to->direction + at, x);
        store(to->image + at, product);
        dot += x * product;
    }
    return dot;
}

/* A tile of them; returns their dot product, as dot_tile in cycle.c. */
SIMD_FN double apply_tile(const padded *p, const view *v, const update *to)
{
    d4 sum = {0};
    for (int k = 0; k < PLANES; k++) {
        uint32_t uneven = pairs_of(v->uneven, k);
        f8 plane = {0};
        if (v->kind == KIND_UNIFORM)
            FOR_PAIRS(m)
                plane = apply_pair(p, v, k, m, true, false, to, plane);
        else if (!uneven)
            FOR_PAIRS(m)
                plane = apply_pair(p, v, k, m, false, false, to, plane);
        else
            for (int m = 0; m < PAIRS; m++)
                plane = uneven >> m & 1 ? apply_pair(p, v, k, m, false, true, to, plane)
                                        : apply_pair(p, v, k, m, false, false, to, plane);
        sum += widen_sum(plane);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Four values of the correction: what has been added up, and the steps not yet in it. */
SIMD_FN d4 correction_at(const cg_args *args, size_t at)
{
    const X(system) *sys = args->sys;
    d4 sum = {0};
    if (!args->empty)
        sum = d4_load(sys->step + at);
    for (int k = 0; k < args->waiting; k++)
        sum += args->alpha[k] * d4_load_floats(sys->direction[k] + at);
    return sum;
}

/* s = z + beta s, A s = A z + beta A s, and the partial of s . A s. The two steps before are added
 * to the correction now: one of the directions is read anyway, the other is about to be
 * overwritten. */
static double apply_partial(void *user, size_t begin, size_t end)
{
    const cg_args *args = user;
    X(system) *sys = args->sys;
    const X(level) *l = &sys->levels[0];
    padded p;
    double sum = 0;
    for (size_t k = begin; k < end; k++) {
        int slot = (int)k + 1;
        size_t own = (size_t)slot * TILE_CELLS;
        fetch_own(&p, l->x, slot);
        fetch_around(&p, l->x, l->near[slot]);
        if (args->waiting == 2)
            for (size_t at = own; at < own + TILE_CELLS; at += 4) {
                double *step = sys->step + at;
                d4_store(step, correction_at(args, at));
            }
        view v = view_of(l, slot);
        update to = {.direction = sys->direction[1] + own,
                     .image = sys->image + own,
                     .last = args->first ? NULL : sys->direction[0] + own,
                     .beta = args->factor};
        sum += apply_tile(&p, &v, &to);
    }
    return sum;
}

/* r -= alpha A s; the partial of max |r| */
static double update_partial(void *user, size_t begin, size_t end)
{
    const cg_args *args = user;
    const X(system) *sys = args->sys;
    const float alpha = args->factor, *image = sys->image;
    float *residual = sys->levels[0].b;
    i8 most = {0};
    for (size_t k = (begin + 1) * TILE_CELLS; k < (end + 1) * TILE_CELLS; k += 8) {
        f8 r = load(residual + k) - alpha * load(image + k);
        store(residual + k, r);
        most = larger(most, r);
    }
    return largest(most);
}

static double dot_partial(void *user, size_t begin, size_t end)
{
    const cg_args *args = user;
    d4 sum = {0};
    for (size_t k = (begin + 1) * TILE_CELLS; k < (end + 1) * TILE_CELLS; k += 64) {
        f8 part = {0};
        WRITE_OUT for (size_t i = 0; i < 64; i += 8) part +=
            load(args->a + k + i) * load(args->b + k + i);
        sum += widen_sum(part);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static double dot(cg_args *args, const float *a, const float *b)
{
    args->a = a;
    args->b = b;
    return X(system_sum)(args->sys, 8, dot_partial, args);
}

/* beta. After a new residual the last direction s is not orthogonal to it, and what CG takes for
 * granted is taken from the vectors: z + beta s with beta = -(z . A s) / (s . A s) is conjugate to
 * s. `slope`: r . z, becomes r . (z + beta s). */
static double next_direction(cg_args *args, double *slope)
{
    const X(system) *sys = args->sys;
    if (args->first)
        return 0;
    if (!args->anew)
        return *slope / args->rho;
    double beta = -dot(args, sys->levels[0].x, sys->image) / args->curvature;
    *slope += beta * dot(args, sys->levels[0].b, sys->direction[0]);
    return beta;
}

/* CG for A q = r, from q = 0, until max |r| <= target or the iterations are used up. Returns
 * whether there is a correction. */
static bool iterate(cg_args *args, X(solve) *solve, double target)
{
    X(system) *sys = args->sys;
    double residual = HUGE_VAL;
    args->anew = args->empty = true;
    args->waiting = 0;
    while (residual > target && solve->iterations < solve->max_iterations) {
        double rho = DEV(multigrid_apply)(sys, EXTRA), slope = rho;
        args->factor = (float)next_direction(args, &slope);
        args->rho = rho;
        DEV(wrap_blocks)(sys, &sys->levels[0], sys->levels[0].x);
        args->curvature = X(system_sum)(sys, 4, apply_partial, args);
        if (args->waiting == 2) {
            args->waiting = 0;
            args->empty = false;
        }
        if (!(args->curvature > 0) || !(rho > 0))
            break; /* nothing left to gain, or not a number */
        args->factor = (float)(slope / args->curvature);
        residual = X(system_maximum)(sys, 8, update_partial, args);
        solve->iterations++;
        args->first = args->anew = false;
        args->alpha[1] = args->alpha[0];
        args->alpha[0] = args->factor;
        args->waiting++;
        float *swap = sys->direction[0];
        sys->direction[0] = sys->direction[1];
        sys->direction[1] = swap;
    }
    return !args->empty || args->waiting > 0;
}

/* Adds the correction to the solution, which is q at first and then q_sum, in fp64. */
static void add_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const cg_args *args = user;
    const X(system) *sys = args->sys;
    bool start = args->start;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&sys->grid, sys->levels[0].tiles[k]),
               own = (k + 1) * TILE_CELLS;
        for (int pair = 0; pair < PLANES * PAIRS; pair++)
            for (int i = 0; i < TILE; i += 4) {
                size_t at = own + (size_t)(2 * pair * TILE + i);
                d4 even = correction_at(args, at), odd = correction_at(args, at + TILE);
                for (int row = 0; row < 2; row++) {
                    size_t c = base + X(row_offset)(&sys->grid, 2 * pair + row) + (size_t)i;
                    d4 sum = start ? d4_load_floats(sys->q + c) : d4_load(sys->q_sum + c);
                    sum += row ? d4_weave(odd, even) : d4_weave(even, odd);
                    d4_store(sys->q_sum + c, sum);
                    f4_store(sys->q + c, convert(sum, f4));
                }
            }
    }
}

static void add_correction(cg_args *args)
{
    size_t tiles = (size_t)args->sys->levels[0].tile_count;
    sp_parallel_for(args->sys->domain->pool, tiles, 8, add_range, args);
}

static double true_residual(X(system) *sys)
{
    X(fill_border_wide)(sys->domain, sys->q_sum);
    return DEV(system_residual)(sys, NULL, sys->q_sum);
}

void DEV(solve_multigrid)(X(system) *sys, X(solve) *solve)
{
    cg_args args = {.sys = sys, .first = true, .start = true};
    solve->iterations = 0;
    solve->residual = DEV(system_residual)(sys, sys->q, NULL);
    bool more = solve->residual > START_SHARE * solve->tolerance;
    if (more && !sys->hierarchy)
        DEV(multigrid_build)(sys);
    while (more && solve->iterations < solve->max_iterations) {
        double before = solve->residual;
        /* a fall that is nearly enough is done in one go */
        bool close = DROP * before < 3 * solve->tolerance;
        if (!iterate(&args, solve, close ? NEAR * solve->tolerance : DROP * before))
            break;
        add_correction(&args);
        args.start = false;
        solve->residual = true_residual(sys);
        /* done, or fp32 cannot do better */
        more = solve->residual > solve->tolerance && solve->residual < BETTER * before;
    }
    solve->converged = solve->residual <= solve->tolerance;
}

/* ---- one step, for those who need no more */

static void right_side_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(system) *sys = ((cg_args *)user)->sys;
    float rows[TILE_CELLS];
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&sys->grid, sys->levels[0].tiles[k]);
        for (int r = 0; r < TILE_ROWS; r++)
            memcpy(rows + r * TILE, sys->b + base + X(row_offset)(&sys->grid, r),
                   TILE * sizeof *rows);
        weave_tile(block(sys->levels[0].b, (int)k + 1), rows);
    }
}

/* q = alpha times the direction */
static void result_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const cg_args *args = user;
    X(system) *sys = args->sys;
    float rows[TILE_CELLS];
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&sys->grid, sys->levels[0].tiles[k]);
        weave_tile(rows, block(sys->direction[1], (int)k + 1));
        FOR_TILE_EIGHTS(r, i)
            store(sys->q + base + X(row_offset)(&sys->grid, r) + i,
                  args->factor * load(rows + r * TILE + i));
    }
}

void DEV(multigrid_once)(X(system) *sys)
{
    size_t tiles = (size_t)sys->levels[0].tile_count;
    cg_args args = {.sys = sys, .first = true};
    if (!sys->hierarchy)
        DEV(multigrid_build)(sys);
    sp_parallel_for(sys->domain->pool, tiles, 8, right_side_range, &args);
    double rho = DEV(multigrid_apply)(sys, 0);
    DEV(wrap_blocks)(sys, &sys->levels[0], sys->levels[0].x);
    double curvature = X(system_sum)(sys, 4, apply_partial, &args);
    args.factor = rho > 0 && curvature > 0 ? (float)(rho / curvature) : 0.0f;
    sp_parallel_for(sys->domain->pool, tiles, 8, result_range, &args);
}
