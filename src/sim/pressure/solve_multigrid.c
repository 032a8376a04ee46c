/* solve_multigrid.c -- conjugate gradients with the V-cycle of cycle.c, on blocks.
 *
 * As in pcg.c the vectors are fp32 and CG only ever solves for a correction: when its residual has
 * fallen by DROP, the correction is added to the solution in fp64, the residual b - A q is taken
 * anew in fp64, and CG starts again from it.
 *
 * An iteration goes over the vectors few times: the last smoothing step leaves r . z; the next
 * direction s = z + beta s is made while A s is taken, from the old ones around the tile, into a
 * second array; q, r and max |r| change together. */
#include "block.h"

#include "device/device.h"

#include <math.h>

#define DROP 1e-5

typedef struct cg_args {
    X(sim) *s;
    float factor; /* alpha or beta */
    bool first;   /* iteration: there is no direction and no correction yet */
} cg_args;

/* A times the direction in p for vector (k, m, h); 0 where there is no unknown. */
SP_INLINE lanes product_of(const padded *p, const X(level) *l, int slot, int k, int m, int h,
                           int kind)
{
    size_t at = (size_t)slot * TILE_CELLS + in_block(k, m, h);
    const float *x = p->v + in_padded(k, m, h);
    if (kind == KIND_UNIFORM)
        return (float)(2 * DIM) * load(x) - around(x, k, m, h, NULL);
    lanes d = load(l->d + at);
    lanes sum = kind == KIND_PLAIN ? around(x, k, m, h, NULL)
                                   : around(x, k, m, h, l->faces + (size_t)slot * FACES_SIZE);
    return where_positive(d, d * load(x) - sum);
}

/* Stores direction and product of a tile; returns their dot product. */
SP_INLINE double apply_tile(const padded *p, const X(level) *l, int slot, float *direction,
                            float *image, int kind)
{
    double lane[TILE] = {0}, sum = 0;
    for (int k = 0; k < PLANES; k++)
        for (int m = 0; m < PAIRS; m++)
            for (int h = 0; h < 2; h++) {
                size_t at = in_block(k, m, h);
                lanes x = load(p->v + in_padded(k, m, h));
                lanes product = product_of(p, l, slot, k, m, h, kind);
                store(direction + at, x);
                store(image + at, product);
                for (int i = 0; i < TILE; i++)
                    lane[i] += (double)x[i] * product[i];
            }
    for (int i = 0; i < TILE; i++)
        sum += lane[i];
    return sum;
}

/* s = z + beta s, A s, and the partial of s . A s */
static double apply_partial(void *user, size_t begin, size_t end)
{
    const cg_args *args = user;
    X(system) *y = &args->s->system;
    const X(level) *l = &y->levels[0];
    padded p;
    double sum = 0;
    for (size_t k = begin; k < end; k++) {
        int slot = (int)k + 1;
        if (args->first) {
            source z = {.x = l->x};
            fetch_own(&p, z, slot);
            fetch_around(&p, z, l->near[slot]);
        } else {
            source z = {l->x, y->direction[0], args->factor};
            fetch_own(&p, z, slot);
            fetch_around(&p, z, l->near[slot]);
        }
        float *direction = block(y->direction[1], slot), *image = block(y->image, slot);
        switch (l->kind[slot]) {
        case KIND_UNIFORM: sum += apply_tile(&p, l, slot, direction, image, KIND_UNIFORM); break;
        case KIND_PLAIN: sum += apply_tile(&p, l, slot, direction, image, KIND_PLAIN); break;
        default: sum += apply_tile(&p, l, slot, direction, image, KIND_GENERAL); break;
        }
    }
    return sum;
}

/* q += alpha s, r -= alpha A s; the partial of max |r| */
static double update_partial(void *user, size_t begin, size_t end)
{
    const cg_args *args = user;
    const X(system) *y = &args->s->system;
    lane_mask most = {0};
    for (size_t k = (begin + 1) * TILE_CELLS; k < (end + 1) * TILE_CELLS; k += TILE) {
        lanes step = args->factor * load(y->direction[1] + k);
        lanes r = load(y->levels[0].b + k) - args->factor * load(y->image + k);
        store(y->step + k, args->first ? step : load(y->step + k) + step);
        store(y->levels[0].b + k, r);
        most = larger(most, r);
    }
    return largest(most);
}

/* CG for A q = r, from q = 0, until max |r| <= target or the iterations are used up. Returns
 * whether there is a correction. */
static bool iterate(X(sim) *s, X(solve) *solve, double target)
{
    X(system) *y = &s->system;
    ON_DEVICE(s, return X(gpu_iterate)(s->gpu, y->sweeps, target, &solve->iterations,
                                       solve->max_iterations));
    size_t tiles = (size_t)y->levels[0].tile_count;
    cg_args args = {.s = s, .first = true};
    double residual = HUGE_VAL, rho = 0;
    while (residual > target && solve->iterations < solve->max_iterations) {
        double rho_new = X(multigrid_apply)(s);
        args.factor = args.first ? 0.0f : (float)(rho_new / rho);
        rho = rho_new;
        X(wrap_blocks)(s, &y->levels[0], y->levels[0].x);
        if (!args.first)
            X(wrap_blocks)(s, &y->levels[0], y->direction[0]);
        double curvature = X(sum)(s, tiles, 4, apply_partial, &args);
        if (!(curvature > 0) || !(rho > 0))
            break; /* nothing left to gain, or not a number */
        args.factor = (float)(rho / curvature);
        residual = X(maximum)(s, tiles, 8, update_partial, &args);
        solve->iterations++;
        args.first = false;
        float *swap = y->direction[0];
        y->direction[0] = y->direction[1];
        y->direction[1] = swap;
    }
    return !args.first;
}

/* The solution so far in fp64: q at first, in all active tiles, because the residual looks across
 * the border of those with unknowns; then plus the correction. */
static void start_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = ((cg_args *)user)->s;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&s->grid, s->tiles.active[k]);
        for (int r = 0; r < TILE_ROWS; r++) {
            size_t row = base + X(row_offset)(&s->grid, r);
            store_wide(s->system.q_sum + row, widen(load(s->system.q + row)));
        }
    }
}

static void add_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const cg_args *args = user;
    X(sim) *s = args->s;
    for (size_t k = begin; k < end; k++) {
        float rows[TILE_CELLS];
        size_t base = X(tile_index)(&s->grid, s->system.levels[0].tiles[k]);
        weave_tile(rows, block(s->system.step, (int)k + 1));
        for (int r = 0; r < TILE_ROWS; r++) {
            size_t row = base + X(row_offset)(&s->grid, r);
            wide sum = load_wide(s->system.q_sum + row) + widen(load(rows + r * TILE));
            store_wide(s->system.q_sum + row, sum);
            store(s->system.q + row, __builtin_convertvector(sum, lanes));
        }
    }
}

static void start(X(sim) *s)
{
    ON_DEVICE(s, return ); /* has begun already */
    cg_args args = {.s = s};
    sp_parallel_for(s->common->pool, (size_t)s->tiles.active_count, 8, start_range, &args);
}

static void add_correction(X(sim) *s)
{
    ON_DEVICE(s, X(gpu_add_correction)(s->gpu); return );
    cg_args args = {.s = s};
    size_t tiles = (size_t)s->system.levels[0].tile_count;
    sp_parallel_for(s->common->pool, tiles, 8, add_range, &args);
}

static double true_residual(X(sim) *s)
{
    ON_DEVICE(s, return X(gpu_residual)(s->gpu));
    if (s->grid.periodic[0] || s->grid.periodic[1] || s->grid.periodic[2])
        X(fill_border_wide)(s, s->system.q_sum);
    return X(system_residual)(s, NULL, s->system.q_sum);
}

void X(solve_multigrid)(X(sim) *s, X(solve) *solve)
{
    X(system) *y = &s->system;
    start(s);
    solve->iterations = 0;
    solve->residual = true_residual(s);
    bool more = solve->residual > SETTLED * solve->tolerance;
    if (more && !y->hierarchy)
        X(multigrid_build)(s);
    while (more && solve->iterations < solve->max_iterations) {
        double before = solve->residual;
        if (!iterate(s, solve, fmax(0.8 * solve->tolerance, DROP * before)))
            break;
        add_correction(s);
        solve->residual = true_residual(s);
        /* done, or fp32 cannot do better */
        more = solve->residual > solve->tolerance && solve->residual < 0.9 * before;
    }
    solve->converged = solve->residual <= solve->tolerance;
}
