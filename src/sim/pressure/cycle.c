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
 * On the coarsest grid symmetric passes do the rest. */
#include "block.h"

#include "device/device.h"

#define COARSE_PASSES 20 /* each way; of SWEEPS sweeps */

typedef struct cycle_args {
    X(sim) *s;
    X(level) *l, *fine; /* fine: the next finer one */
    const int *slots;   /* to be done */
    bool reverse;
    int sweeps;       /* of a tile before the next has its turn */
    bool fresh;       /* x is zero so far */
    bool alone;       /* and so are the tiles around */
    bool dot;         /* leave the partials of b . x */
    X(level) *coarse; /* of a last pass: where the residual goes; NULL: nowhere */
} cycle_args;

/* ---- residuals for the next coarser grid */

/* A tile's part of its coarse tile: the block of that, and where in it. */
typedef struct part {
    int slot, at[3];
} part;

static part part_of(const X(level) *l, const X(level) *fine, int slot)
{
    part p = {0, {0, 0, 0}};
    int t[DIM];
    X(tile_coordinates)(&fine->grid, fine->tile_of[slot], t);
    FOR_DIM(d) {
        p.at[d] = ((t[d] - 1) & 1) * (TILE / 2);
        t[d] = (t[d] - 1) / 2 + 1;
    }
    p.slot = l->slot[X(tile_number)(&l->grid, t)];
    return p;
}

/* b - A x of vector (k, m, h), 0 where there is no unknown. */
SP_INLINE lanes residual_of(const padded *p, const X(level) *l, int slot, int k, int m, int h,
                            bool uniform, bool uneven)
{
    size_t at = (size_t)slot * TILE_CELLS + in_block(k, m, h);
    const float *x = p->v + in_padded(k, m, h), *b = l->b + at;
    if (uniform)
        return load(b) + l->even * (around(x, k, m, h, NULL) - (float)(2 * DIM) * load(x));
    lanes sum = uneven ? around(x, k, m, h, l->faces + (size_t)slot * FACES_SIZE)
                       : l->even * around(x, k, m, h, NULL);
    lanes d = load(l->d + at);
    return where_positive(d, load(b) + (sum - d * load(x)));
}

/* Both colours of a pair of rows; or one, where the other has just been swept: its residual is
 * zero. */
SP_INLINE lanes residual_pair(const padded *p, const X(level) *l, int slot, uint32_t n, int colour,
                              bool uniform, bool uneven)
{
    int k = (int)n / PAIRS, m = (int)n % PAIRS;
    lanes sum = {0};
    if (colour != 1 - (k & 1))
        sum += residual_of(p, l, slot, k, m, 0, uniform, uneven);
    if (colour != (k & 1))
        sum += residual_of(p, l, slot, k, m, 1, uniform, uneven);
    return sum;
}

/* A tile's residual, summed over the two rows of a pair: PLANES * PAIRS vectors. colour: BOTH, or
 * the one that is not zero. */
#define BOTH 2
SP_INLINE void residual_pairs(const padded *p, const X(level) *l, int slot, int colour,
                              float sums[TILE_CELLS / 2])
{
    if (l->kind[slot] == KIND_UNIFORM) {
        for (uint32_t n = 0; n < PLANES * PAIRS; n++)
            store(sums + n * TILE, residual_pair(p, l, slot, n, colour, true, false));
        return;
    }
    memset(sums, 0, TILE_CELLS / 2 * sizeof *sums);
    FOR_PAIRS(l->some[slot] & ~l->uneven[slot], n)
        store(sums + n * TILE, residual_pair(p, l, slot, n, colour, false, false));
    FOR_PAIRS(l->uneven[slot], n)
        store(sums + n * TILE, residual_pair(p, l, slot, n, colour, false, true));
}

/* Means over 2^DIM cells of a tile's residual, into its part of the coarse right side. */
SP_INLINE void restrict_tile(const padded *p, const X(level) *fine, int slot, X(level) *l,
                             int colour)
{
    float sums[TILE_CELLS / 2] __attribute__((aligned(64)));
    part to = part_of(l, fine, slot);
    float *coarse = block(l->b, to.slot);
    const int *at = to.at;
    residual_pairs(p, fine, slot, colour, sums);
    for (int k = 0; k < PLANES; k += 2)
        for (int m = 0; m < PAIRS; m++) {
            lanes sum = load(sums + (k * PAIRS + m) * TILE);
            if (DIM == 3)
                sum += load(sums + ((k + 1) * PAIRS + m) * TILE);
            for (int i = 0; i < TILE / 2; i++)
                coarse[place(at[0] + i, at[1] + m, at[2] + k / 2)] =
                    (sum[2 * i] + sum[2 * i + 1]) * (1.0f / (float)(1 << DIM));
        }
}

/* ---- smoothing */

/* One colour of a pair of rows: vector (k, m, h). */
SP_INLINE void sweep_pair(padded *p, const float *b, const X(level) *l, int slot, int k, int m,
                          int h, int kind, bool uneven)
{
    size_t at = in_block(k, m, h), own = (size_t)slot * TILE_CELLS + at;
    float *x = p->v + in_padded(k, m, h);
    if (kind == KIND_UNIFORM) {
        const float one = 1.0f / (2 * DIM * l->even);
        store(x, (load(b + at) + l->even * around(x, k, m, h, NULL)) * one);
        return;
    }
    lanes sum = uneven ? around(x, k, m, h, l->faces + (size_t)slot * FACES_SIZE)
                       : l->even * around(x, k, m, h, NULL);
    if (kind == KIND_SEAM) /* leaves places without an unknown, images among them, as they are */
        store(x,
              load(x) + load(l->inverse + own) * (load(b + at) + sum - load(l->d + own) * load(x)));
    else
        store(x, (load(b + at) + sum) * load(l->inverse + own));
}

/* Vectors h of the pairs in `set`. */
SP_INLINE void sweep_pairs(padded *p, const float *b, const X(level) *l, int slot, uint32_t set,
                           int h, int kind, bool uneven)
{
    FOR_PAIRS(set, n)
        sweep_pair(p, b, l, slot, (int)n / PAIRS, (int)n % PAIRS, h, kind, uneven);
}

SP_INLINE void sweep_general(padded *p, const X(level) *l, int slot, bool reverse, int kind)
{
    const float *b = l->b + (size_t)slot * TILE_CELLS;
    uint32_t uneven = l->uneven[slot], plain = l->some[slot] & ~uneven;
    for (int half = 0; half < 2; half++)
        for (int odd = 0; odd < LAST(2); odd++) {
            uint32_t planes = odd ? ~EVEN_PLANES : EVEN_PLANES;
            if ((half + reverse + odd) & 1) {
                sweep_pairs(p, b, l, slot, plain & planes, 1, kind, false);
                sweep_pairs(p, b, l, slot, uneven & planes, 1, kind, true);
            } else {
                sweep_pairs(p, b, l, slot, plain & planes, 0, kind, false);
                sweep_pairs(p, b, l, slot, uneven & planes, 0, kind, true);
            }
        }
}

SP_INLINE void sweep_uniform(padded *p, const X(level) *l, int slot, bool reverse)
{
    const float *b = l->b + (size_t)slot * TILE_CELLS;
    for (int half = 0; half < 2; half++)
        for (int k = 0; k < PLANES; k++)
            for (int m = 0; m < PAIRS; m++) {
                if ((half + reverse + k) & 1)
                    sweep_pair(p, b, l, slot, k, m, 1, KIND_UNIFORM, false);
                else
                    sweep_pair(p, b, l, slot, k, m, 0, KIND_UNIFORM, false);
            }
}

/* Copies the tile back; returns b . x. */
SP_INLINE double store_tile(const padded *p, const X(level) *l, int slot, bool dot)
{
    const float *b = l->b + (size_t)slot * TILE_CELLS;
    float *out = block(l->x, slot);
    wide lane = {0};
    double sum = 0;
    for (int k = 0; k < PLANES; k++)
        for (int m = 0; m < PAIRS; m++)
            for (int h = 0; h < 2; h++) {
                size_t at = in_block(k, m, h);
                lanes x = load(p->v + in_padded(k, m, h));
                store(out + at, x);
                if (dot)
                    lane += widen(load(b + at)) * widen(x);
            }
    for (int i = 0; i < TILE && dot; i++)
        sum += lane[i];
    return sum;
}

SP_INLINE void clear_own(padded *p)
{
    for (int k = 0; k < PLANES; k++)
        for (int m = 0; m < PAIRS; m++)
            for (int h = 0; h < 2; h++)
                store(p->v + in_padded(k, m, h), (lanes){0});
}

SP_INLINE void prefetch_tile(const X(level) *l, int slot, bool x)
{
    prefetch(l->b, slot);
    if (x)
        prefetch(l->x, slot);
    if (l->kind[slot] != KIND_UNIFORM)
        prefetch(l->inverse, slot);
}

static void smooth_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const cycle_args *args = user;
    X(level) *l = args->l;
    source x = {.x = l->x};
    padded p;
    if (args->alone)
        memset(&p, 0, sizeof p);
    for (size_t k = begin; k < end; k++) {
        int slot = args->slots[k];
        if (k + 1 < end)
            prefetch_tile(l, args->slots[k + 1], !args->fresh);
        if (args->fresh)
            clear_own(&p);
        else
            fetch_own(&p, x, slot);
        if (!args->alone)
            fetch_around(&p, x, l->near[slot]);
        for (int sweep = 0; sweep < args->sweeps; sweep++)
            switch (l->kind[slot]) {
            case KIND_UNIFORM: sweep_uniform(&p, l, slot, args->reverse); break;
            case KIND_GENERAL: sweep_general(&p, l, slot, args->reverse, KIND_GENERAL); break;
            default: sweep_general(&p, l, slot, args->reverse, KIND_SEAM); break;
            }
        if (args->coarse)
            restrict_tile(&p, l, slot, args->coarse, args->reverse);
        if (args->dot)
            args->s->system.partial[slot - 1] = store_tile(&p, l, slot, true);
        else
            store_tile(&p, l, slot, false);
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

void X(wrap_blocks)(X(sim) *s, X(level) *l, float *field)
{
    for (int axis = 0; axis < DIM; axis++) {
        wrap_args args = {l, field, axis};
        if (l->grid.periodic[axis])
            sp_parallel_for(s->common->pool, (size_t)l->tile_count, 8, wrap_range, &args);
    }
}

/* ---- transfers */

static void restrict_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const cycle_args *args = user;
    const X(level) *fine = args->fine;
    source x = {.x = fine->x};
    padded p;
    for (size_t k = begin; k < end; k++) {
        int slot = args->slots[k];
        fetch_own(&p, x, slot);
        fetch_around(&p, x, fine->near[slot]);
        restrict_tile(&p, fine, slot, args->l, BOTH);
    }
}

/* x += x of the parent. inverse: NULL in a tile full of unknowns */
SP_INLINE void prolong_tile(float *x, const float *inverse, const float *coarse, const int at[3])
{
    for (int k = 0; k < PLANES; k++)
        for (int m = 0; m < PAIRS; m++) {
            int j = at[1] + m;
            const float *pair = coarse + in_block(at[2] + k / 2, j / 2, 0);
            lanes e = load(pair), f = load(pair + TILE), row = j & 1 ? weave(f, e) : weave(e, f);
            row = at[0] ? __builtin_shufflevector(row, row, SP_LANES_TWICE_HIGH)
                        : __builtin_shufflevector(row, row, SP_LANES_TWICE_LOW);
            for (int h = 0; h < 2; h++) {
                size_t n = in_block(k, m, h);
                lanes change = inverse ? where_positive(load(inverse + n), row) : row;
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
        int slot = (int)n + 1;
        part from = part_of(args->l, fine, slot);
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
    sp_parallel_for(args->s->common->pool, count, grain, range, (void *)args);
}

static bool is_periodic(const X(grid) *g)
{
    return g->periodic[0] || g->periodic[1] || g->periodic[2];
}

/* A smoothing step. Even tiles have one sweep, odd ones two, even ones two, and so on, in the end
 * even ones one: each tile has all its sweeps, but is read and written about half as often.
 * coarse: the residual of the even tiles goes there, of which the last pass has all it needs. */
static void smooth(X(sim) *s, X(level) *l, X(level) *coarse, bool reverse, bool fresh, bool dot)
{
    int passes = s->system.sweeps + 1;
    if (fresh && is_periodic(&l->grid)) {
        /* a tile may meet its own parity, or itself, across such a side */
        memset(l->x, 0, (size_t)(l->block_count + 1) * TILE_CELLS * sizeof(float));
        fresh = false;
    }
    cycle_args args = {.s = s, .l = l, .reverse = reverse, .dot = dot};
    for (int pass = 0; pass < passes; pass++) {
        bool odd = pass % 2;
        args.sweeps = pass == 0 || pass == passes - 1 ? 1 : 2;
        args.alone = fresh && pass == 0;
        args.fresh = fresh && pass < 2;
        args.slots = l->order + (odd ? l->even_count : 0);
        args.coarse = pass == passes - 1 ? coarse : NULL;
        if (!args.alone)
            X(wrap_blocks)(s, l, l->x);
        run(&args, (size_t)(odd ? l->tile_count - l->even_count : l->even_count), smooth_range);
    }
}

/* Smoothing from zero, and the residual of all tiles to the next coarser grid. */
static void descend(X(sim) *s, X(level) *fine, X(level) *coarse)
{
    cycle_args args = {.s = s, .l = coarse, .fine = fine, .slots = fine->order};
    int count = fine->tile_count;
    bool periodic = is_periodic(&fine->grid);
    smooth(s, fine, periodic ? NULL : coarse, false, true, false);
    X(wrap_blocks)(s, fine, fine->x);
    if (!periodic) {
        args.slots += fine->even_count;
        count -= fine->even_count;
    }
    run(&args, (size_t)count, restrict_range);
}

double X(multigrid_apply)(X(sim) *s)
{
    X(system) *y = &s->system;
    int coarsest = y->level_count - 1;
    for (int k = 0; k < coarsest; k++)
        descend(s, &y->levels[k], &y->levels[k + 1]);
    for (int pass = 0; pass < 2 * COARSE_PASSES; pass++)
        smooth(s, &y->levels[coarsest], NULL, pass >= COARSE_PASSES, pass == 0,
               coarsest == 0 && pass == 2 * COARSE_PASSES - 1);
    for (int k = coarsest - 1; k >= 0; k--) {
        cycle_args args = {.s = s, .l = &y->levels[k + 1], .fine = &y->levels[k]};
        run(&args, (size_t)args.fine->tile_count, prolong_range);
        smooth(s, args.fine, NULL, true, false, k == 0);
    }
    double sum = 0;
    for (int k = 0; k < y->levels[0].tile_count; k++)
        sum += y->partial[k];
    return sum;
}
