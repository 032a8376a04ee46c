/* cycle.c -- one symmetric V-cycle, z = M^-1 r, on the grids of multigrid.c.
 *
 * The smoother is red-black Gauss-Seidel in tiles: a sweep goes over a padded copy of a tile, red
 * cells, then black ones, while the cells around it stay as they are. A tile's neighbours across
 * its faces are of the other parity (of the sum of their coordinates), so the order inside a parity
 * does not matter. Even tiles have a sweep, odd ones two, even ones another: each sees new values
 * of the other, and half of the tiles are passed three times instead of four. After the coarse
 * grids the same is done with black cells first, which is the reverse order, so that the cycle is a
 * symmetric operator and plain CG is valid.
 *
 * Errors that are slow to go sit at the surface and at solids (McAdams, Sifakis, Teran 2010 sweep
 * there more often): in a solve tiles of the finest grid that are not uniform have one sweep more
 * whenever it is their turn, but for the very first and the very last one of a cycle. That is
 * cheap, the tile is in the cache, and saves about one iteration in eight.
 *
 * On the coarsest grid symmetric passes do the rest. */
#include "sweep.h"

#include "cpu/cpu.h"

typedef struct cycle_args {
    X(system) *sys;
    X(level) *l, *fine; /* fine: the next finer one */
    const int *slots;   /* to be done */
    bool reverse;
    int sweeps;       /* of a tile before the next has its turn */
    int extra;        /* more of them, in tiles that are not uniform */
    bool fresh;       /* x is zero so far */
    bool alone;       /* and so are the tiles around, or they do not matter */
    bool dot;         /* leave the partials of b . x */
    X(level) *coarse; /* of a last pass: where the residual goes; NULL: nowhere */
} cycle_args;

/* ---- residuals for the next coarser grid */

/* A tile's part of its coarse tile: the block of that, and where in it. */
typedef struct tile_part {
    int slot, at[3];
} tile_part;

static tile_part part_of(const X(level) *l, const X(level) *fine, int slot)
{
    tile_part p = {0, {0, 0, 0}};
    int t[DIM];
    X(tile_coordinates)(&fine->grid, fine->tile_of[slot], t);
    FOR_DIM(d) {
        p.at[d] = ((t[d] - 1) & 1) * (TILE / 2);
        t[d] = (t[d] - 1) / 2 + 1;
    }
    p.slot = l->slot[X(tile_number)(&l->grid, t)];
    return p;
}

/* Means over 2^DIM cells of a tile's residual, into its part of the coarse right side. Vectors of
 * the coarse tile are woven from the means of two pairs of rows. SCALE: see multigrid.c. */
SIMD_FN void restrict_tile(const padded *p, const view *v, tile_part to, X(level) *l, int colour)
{
    float sums[TILE_CELLS / 2] __attribute__((aligned(64)));
    residual_pairs(p, v, colour, sums);
    for (int k = 0; k < PLANES; k += 2)
        for (int m = 0; m < PAIRS; m += 2)
            FOR_EIGHTS(i) {
                const float *from = sums + (k * PAIRS + m) * TILE + i;
                float *out = block(l->b, to.slot) + to.at[0] + i / 2 +
                             in_block(to.at[2] + k / 2, (to.at[1] + m) / 2, 0);
                f4 mean[2];
                for (int row = 0; row < 2; row++, from += TILE) {
                    f8 sum = load(from);
                    if (DIM == 3)
                        sum += load(from + PAIRS * TILE);
                    mean[row] = (shuffle(sum, sum, 0, 2, 4, 6) + shuffle(sum, sum, 1, 3, 5, 7)) *
                                (SCALE / (float)(1 << DIM));
                }
                f4_store(out, f4_weave(mean[0], mean[1]));
                f4_store(out + TILE, f4_weave(mean[1], mean[0]));
            }
}

/* ---- smoothing */

/* Copies the tile back. */
SIMD_FN void store_tile(const padded *p, float *out)
{
    for (int k = 0; k < PLANES; k++)
        FOR_VECTORS(m, h)
            FOR_EIGHTS(i)
                store(out + in_block(k, m, h) + i, load(p->v + in_padded(k, m, h) + i));
}

/* b . x: products and the sums over a plane in fp32, the rest in fp64. */
SIMD_FN double dot_tile(const padded *p, const float *b)
{
    d4 sum = {0};
    for (int k = 0; k < PLANES; k++) {
        f8 plane = {0};
        FOR_VECTORS(m, h)
            FOR_EIGHTS(i)
                plane += load(b + in_block(k, m, h) + i) * load(p->v + in_padded(k, m, h) + i);
        sum += widen_sum(plane);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

SIMD_FN void clear_own(padded *p)
{
    for (int k = 0; k < PLANES; k++)
        FOR_VECTORS(m, h)
            FOR_EIGHTS(i)
                store(p->v + in_padded(k, m, h) + i, (f8){0});
}

SIMD_FN void prefetch_tile(const X(level) *l, int slot, bool x)
{
    prefetch(l->b, slot);
    if (x)
        prefetch(l->x, slot);
    if (l->kind[slot] != KIND_UNIFORM)
        prefetch(l->inverse, slot);
}

static void sweep(padded *p, const view *v, bool reverse)
{
    switch (v->kind) {
    case KIND_UNIFORM: sweep_tile(p, v, reverse, KIND_UNIFORM); break;
    case KIND_GENERAL: sweep_tile(p, v, reverse, KIND_GENERAL); break;
    default: sweep_tile(p, v, reverse, KIND_SEAM); break;
    }
}

/* A sweep from zero, red cells first, with zero all around; writes all of the tile. */
static void sweep_alone(padded *p, view v)
{
    v.some = ~0u;
    start_colour(p, &v, 0, v.kind == KIND_UNIFORM);
    if (v.kind == KIND_UNIFORM)
        sweep_colour(p, &v, 1, KIND_UNIFORM);
    else
        sweep_colour(p, &v, 1, KIND_GENERAL);
}

static void smooth_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const cycle_args *args = user;
    X(level) *l = args->l;
    padded p;
    if (args->alone)
        memset(&p, 0, sizeof p);
    for (size_t k = begin; k < end; k++) {
        int slot = args->slots[k];
        view v = view_of(l, slot);
        if (k + 1 < end)
            prefetch_tile(l, args->slots[k + 1], !args->fresh);
        if (args->alone) {
            sweep_alone(&p, v);
        } else {
            if (args->fresh)
                clear_own(&p);
            else
                fetch_own(&p, l->x, slot);
            fetch_around(&p, l->x, l->near[slot]);
            int sweeps = args->sweeps + (v.kind == KIND_GENERAL ? args->extra : 0);
            for (int turn = 0; turn < sweeps; turn++)
                sweep(&p, &v, args->reverse);
        }
        if (args->coarse)
            restrict_tile(&p, &v, part_of(args->coarse, l, slot), args->coarse, args->reverse);
        if (args->dot)
            args->sys->partial[slot - 1] = dot_tile(&p, v.b);
        store_tile(&p, block(l->x, slot));
    }
}

/* ---- periodic sides */

typedef struct wrap_args {
    X(level) *l;
    float *field;
    int axis;
} wrap_args;

/* One layer of a block, TILE x TILE (2D: TILE) cells, into one of another. */
static void copy_layer(float *field, int axis, int from, int layer, int to, int image)
{
    for (int b = 0; b < LAST(TILE); b++)
        for (int a = 0; a < TILE; a++) {
            int c[3] = {a, axis == 2 ? b : a, b}, o[3] = {a, axis == 2 ? b : a, b};
            c[axis] = layer;
            o[axis] = image;
            block(field, to)[place(o[0], o[1], o[2])] = block(field, from)[place(c[0], c[1], c[2])];
        }
}

static void wrap_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const wrap_args *args = user;
    X(level) *l = args->l;
    const X(grid) *g = &l->grid;
    int axis = args->axis, n = g->n[axis];
    for (size_t k = begin; k < end; k++) {
        int t[DIM];
        X(tile_coordinates)(g, l->tiles[k], t);
        bool low = t[axis] == 1, high = t[axis] == (n - 1) / TILE + 1;
        if (low) { /* cell 0 is also cell n */
            t[axis] = n / TILE + 1;
            int to = l->slot[X(tile_number)(g, t)];
            if (to)
                copy_layer(args->field, axis, (int)k + 1, 0, to, n % TILE);
        }
        if (high) { /* cell n - 1 is also cell -1 */
            t[axis] = 0;
            int to = l->slot[X(tile_number)(g, t)];
            if (to)
                copy_layer(args->field, axis, (int)k + 1, (n - 1) % TILE, to, TILE - 1);
        }
    }
}

void DEV(wrap_blocks)(X(system) *sys, X(level) *l, float *field)
{
    for (int axis = 0; axis < DIM; axis++) {
        wrap_args args = {l, field, axis};
        if (l->grid.periodic[axis])
            sp_parallel_for(sys->domain->pool, (size_t)l->tile_count, 8, wrap_range, &args);
    }
}

/* ---- transfers */

static void restrict_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const cycle_args *args = user;
    const X(level) *fine = args->fine;
    padded p;
    for (size_t k = begin; k < end; k++) {
        int slot = args->slots[k];
        fetch_own(&p, fine->x, slot);
        fetch_around(&p, fine->x, fine->near[slot]);
        view v = view_of(fine, slot);
        restrict_tile(&p, &v, part_of(args->l, fine, slot), args->l, BOTH);
    }
}

/* x += x of the parent. inverse: NULL in a tile full of unknowns */
SIMD_FN void prolong_tile(float *x, const float *inverse, const float *coarse, const int at[3])
{
    for (int k = 0; k < PLANES; k++)
        for (int m = 0; m < PAIRS; m++)
            FOR_EIGHTS(i) {
                int j = at[1] + m;
                const float *pair = coarse + in_block(at[2] + k / 2, j / 2, 0) + at[0] + i / 2;
                f4 e = f4_load(pair), f = f4_load(pair + TILE);
                f4 row = j & 1 ? f4_weave(f, e) : f4_weave(e, f);
                f8 twice = shuffle(row, row, 0, 0, 1, 1, 2, 2, 3, 3);
                for (int h = 0; h < 2; h++) {
                    size_t n = in_block(k, m, h) + (size_t)i;
                    f8 change = inverse ? where_positive(load(inverse + n), twice) : twice;
                    store(x + n, load(x + n) + change);
                }
            }
}

static void prolong_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const cycle_args *args = user;
    const X(level) *fine = args->fine;
    for (size_t n = begin; n < end; n++) {
        int slot = args->slots[n];
        tile_part from = part_of(args->l, fine, slot);
        const float *coarse = block(args->l->x, from.slot);
        if (fine->kind[slot] == KIND_UNIFORM)
            prolong_tile(block(fine->x, slot), NULL, coarse, from.at);
        else
            prolong_tile(block(fine->x, slot), block(fine->inverse, slot), coarse, from.at);
    }
}

/* ---- the cycle */

static void run(const cycle_args *args, size_t count, sp_range_fn *range)
{
    /* tiles of coarse grids are few: not worth waking anybody */
    size_t grain = count > 512 ? 16 : count > 16 ? 4 : 16;
    sp_parallel_for(args->sys->domain->pool, count, grain, range, (void *)args);
}

static bool is_periodic(const X(grid) *g)
{
    return g->periodic[0] || g->periodic[1] || g->periodic[2];
}

/* What is done to the tiles of a level, or to those of a parity, one after another. */
typedef struct job {
    cycle_args args;
    sp_range_fn *range;
    int parity; /* or BOTH */
} job;

#define MOST_JOBS (STRONG_SWEEPS + 2)

static void run_part(job *j, const X(level) *l, int parity, int part)
{
    const int *start = l->part[parity];
    j->args.slots = l->order + start[part];
    run(&j->args, (size_t)(start[part + 1] - start[part]), j->range);
}

/* Each job is a part of the grid behind the one before it, so that a tile is still in a cache when
 * its next turn comes, and all tiles around it have had theirs: no bit depends on the parts. */
static void run_jobs(X(system) *sys, X(level) *l, job *jobs, int count)
{
    for (int step = 0; step < l->part_count + count - 1; step++)
        for (int k = 0; k < count && k <= step; k++) {
            if (step - k >= l->part_count)
                continue;
            if (!jobs[k].args.alone)
                DEV(wrap_blocks)(sys, l, l->x);
            for (int parity = 0; parity < 2; parity++)
                if (jobs[k].parity == BOTH || jobs[k].parity == parity)
                    run_part(&jobs[k], l, parity, step - k);
        }
}

/* The jobs of a smoothing step; returns how many. Even tiles have one sweep, odd ones two, even
 * ones two, and so on, in the end even ones one: each tile has all its sweeps, but is read and
 * written about half as often. coarse: the residual of the even tiles goes there, of which the last
 * pass has all it needs. */
static int smoothing(job *jobs, X(system) *sys, X(level) *l, X(level) *coarse, bool reverse,
                     bool fresh, bool dot, int extra)
{
    int passes = sys->sweeps + 1;
    if (fresh && is_periodic(&l->grid)) {
        /* a tile may meet its own parity, or itself, across such a side */
        memset(l->x, 0, (size_t)(l->block_count + 1) * TILE_CELLS * sizeof(float));
        fresh = false;
    }
    for (int pass = 0; pass < passes; pass++) {
        bool last = pass == passes - 1;
        jobs[pass] =
            (job){.args = {.sys = sys,
                           .l = l,
                           .reverse = reverse,
                           .sweeps = pass == 0 || last ? 1 : 2,
                           .extra = (reverse ? last : pass == 0) ? 0 : extra,
                           .alone = fresh && pass == 0,
                           .fresh = fresh && pass < 2,
                           .coarse = last ? coarse : NULL,
                           .dot = dot && pass >= passes - 2 /* the last of either parity */},
                  .range = smooth_range,
                  .parity = pass % 2};
    }
    return passes;
}

/* Smoothing from zero, and the residual of all tiles to the next coarser grid. */
static void descend(X(system) *sys, X(level) *fine, X(level) *coarse, int extra)
{
    job jobs[MOST_JOBS];
    bool periodic = is_periodic(&fine->grid);
    int count = smoothing(jobs, sys, fine, periodic ? NULL : coarse, false, true, false, extra);
    jobs[count++] = (job){.args = {.sys = sys, .l = coarse, .fine = fine},
                          .range = restrict_range,
                          .parity = periodic ? BOTH : 1};
    run_jobs(sys, fine, jobs, count);
}

/* The correction from the coarser grid, and smoothing. */
static void ascend(X(system) *sys, X(level) *fine, X(level) *coarse, bool dot, int extra)
{
    job jobs[MOST_JOBS] = {{.args = {.sys = sys, .l = coarse, .fine = fine, .alone = true},
                            .range = prolong_range,
                            .parity = BOTH}};
    int count = 1 + smoothing(jobs + 1, sys, fine, NULL, true, false, dot, extra);
    run_jobs(sys, fine, jobs, count);
}

/* The coarsest grid, from zero. */
static void solve_coarsest(X(system) *sys, X(level) *l, bool dot)
{
    job jobs[MOST_JOBS];
    for (int pass = 0; pass < 2 * COARSE_PASSES; pass++) {
        bool last = pass == 2 * COARSE_PASSES - 1;
        int count = smoothing(jobs, sys, l, NULL, pass >= COARSE_PASSES, pass == 0, dot && last, 0);
        run_jobs(sys, l, jobs, count);
    }
}

double DEV(multigrid_apply)(X(system) *sys, int extra)
{
    int coarsest = sys->level_count - 1;
    for (int k = 0; k < coarsest; k++)
        descend(sys, &sys->levels[k], &sys->levels[k + 1], k == 0 ? extra : 0);
    solve_coarsest(sys, &sys->levels[coarsest], coarsest == 0);
    for (int k = coarsest - 1; k >= 0; k--)
        ascend(sys, &sys->levels[k], &sys->levels[k + 1], k == 0, k == 0 ? extra : 0);
    double sum = 0;
    for (int k = 0; k < sys->levels[0].tile_count; k++)
        sum += sys->partial[k];
    return sum;
}
