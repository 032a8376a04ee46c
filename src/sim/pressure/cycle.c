/* cycle.c -- one symmetric V-cycle, z = M^-1 r, on the grids of multigrid.c.
 *
 * The smoother is red-black Gauss-Seidel in tiles: a sweep goes over a padded copy of a tile, red
 * cells, then black ones, while the cells around it stay as they are. Even tiles (by the sum of
 * their coordinates) are done first, then odd ones: a tile's neighbours across its faces are of the
 * other parity, so the order inside a parity does not matter, each tile is read and written once
 * per sweep, and odd tiles already see the new values of even ones. After the coarse grids
 * everything is done in the reverse order, odd tiles first, black cells first, so that the cycle is
 * a symmetric operator and plain CG is valid.
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
    bool fresh; /* x is zero so far */
    bool alone; /* and so are the tiles around */
    bool dot;   /* leave the partials of b . x */
} cycle_args;

/* ---- smoothing */

/* One colour of a plane. */
SP_INLINE void sweep_plane(padded *p, const float *b, const X(level) *l, int slot, int k, int h,
                           int kind)
{
    const float *faces = kind == KIND_GENERAL ? l->faces + (size_t)slot * FACES_SIZE : NULL;
    const float *inverse = l->inverse + (size_t)slot * TILE_CELLS;
    const float *d = l->d + (size_t)slot * TILE_CELLS;
    const float one = 1.0f / (2 * DIM * l->even);
    for (int m = 0; m < PAIRS; m++) {
        size_t at = in_block(k, m, h);
        float *x = p->v + in_padded(k, m, h);
        if (kind == KIND_GENERAL) {
            /* this form leaves places without an unknown, images among them, as they are */
            lanes r = load(b + at) + around(x, k, m, h, faces) - load(d + at) * load(x);
            store(x, load(x) + load(inverse + at) * r);
        } else {
            lanes sum = load(b + at) + l->even * around(x, k, m, h, NULL);
            store(x, sum * (kind == KIND_UNIFORM ? (lanes){0} + one : load(inverse + at)));
        }
    }
}

SP_INLINE void sweep_tile(padded *p, const X(level) *l, int slot, bool reverse, int kind)
{
    const float *b = l->b + (size_t)slot * TILE_CELLS;
    for (int half = 0; half < 2; half++) {
        int colour = (half + reverse) & 1;
        for (int k = 0; k < PLANES; k++) {
            if ((k + colour) & 1)
                sweep_plane(p, b, l, slot, k, 1, kind);
            else
                sweep_plane(p, b, l, slot, k, 0, kind);
        }
    }
}

/* Copies the tile back; returns b . x. */
SP_INLINE double store_tile(const padded *p, const X(level) *l, int slot, bool dot)
{
    const float *b = l->b + (size_t)slot * TILE_CELLS;
    float *out = block(l->x, slot);
    double lane[TILE] = {0}, sum = 0;
    for (int k = 0; k < PLANES; k++)
        for (int m = 0; m < PAIRS; m++)
            for (int h = 0; h < 2; h++) {
                size_t at = in_block(k, m, h);
                const float *x = p->v + in_padded(k, m, h);
                store(out + at, load(x));
                for (int i = 0; i < TILE && dot; i++)
                    lane[i] += (double)b[at + (size_t)i] * x[i];
            }
    for (int i = 0; i < TILE && dot; i++)
        sum += lane[i];
    return sum;
}

static void smooth_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const cycle_args *args = user;
    X(level) *l = args->l;
    source x = {.x = l->x};
    padded p;
    for (size_t k = begin; k < end; k++) {
        int slot = args->slots[k];
        if (args->fresh)
            memset(&p, 0, sizeof p);
        else
            fetch_own(&p, x, slot);
        if (!args->alone)
            fetch_around(&p, x, l->near[slot]);
        switch (l->kind[slot]) {
        case KIND_UNIFORM: sweep_tile(&p, l, slot, args->reverse, KIND_UNIFORM); break;
        case KIND_PLAIN: sweep_tile(&p, l, slot, args->reverse, KIND_PLAIN); break;
        default: sweep_tile(&p, l, slot, args->reverse, KIND_GENERAL); break;
        }
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
                            int kind)
{
    size_t at = (size_t)slot * TILE_CELLS + in_block(k, m, h);
    const float *x = p->v + in_padded(k, m, h), *b = l->b + at;
    if (kind == KIND_UNIFORM)
        return load(b) + l->even * (around(x, k, m, h, NULL) - (float)(2 * DIM) * load(x));
    lanes sum = kind == KIND_PLAIN ? l->even * around(x, k, m, h, NULL)
                                   : around(x, k, m, h, l->faces + (size_t)slot * FACES_SIZE);
    lanes d = load(l->d + at);
    return where_positive(d, load(b) + (sum - d * load(x)));
}

/* Means over 2^DIM cells of a tile's residual, into its part of the coarse right side. */
SP_INLINE void restrict_tile(const padded *p, const X(level) *fine, int slot, float *coarse,
                             const int at[3], int kind)
{
    for (int k = 0; k < PLANES; k += 2)
        for (int m = 0; m < PAIRS; m++) {
            lanes sum = residual_of(p, fine, slot, k, m, 0, kind) +
                        residual_of(p, fine, slot, k, m, 1, kind);
            if (DIM == 3)
                sum += residual_of(p, fine, slot, k + 1, m, 0, kind) +
                       residual_of(p, fine, slot, k + 1, m, 1, kind);
            for (int i = 0; i < TILE / 2; i++)
                coarse[place(at[0] + i, at[1] + m, at[2] + k / 2)] =
                    (sum[2 * i] + sum[2 * i + 1]) * (1.0f / (float)(1 << DIM));
        }
}

static void restrict_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const cycle_args *args = user;
    const X(level) *fine = args->fine;
    source x = {.x = fine->x};
    padded p;
    for (size_t k = begin; k < end; k++) {
        int slot = (int)k + 1;
        part to = part_of(args->l, fine, slot);
        float *b = block(args->l->b, to.slot);
        fetch_own(&p, x, slot);
        fetch_around(&p, x, fine->near[slot]);
        switch (fine->kind[slot]) {
        case KIND_UNIFORM: restrict_tile(&p, fine, slot, b, to.at, KIND_UNIFORM); break;
        case KIND_PLAIN: restrict_tile(&p, fine, slot, b, to.at, KIND_PLAIN); break;
        default: restrict_tile(&p, fine, slot, b, to.at, KIND_GENERAL); break;
        }
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
    size_t grain = count > 16 ? 4 : 16;
    sp_parallel_for(args->s->common->pool, count, grain, range, (void *)args);
}

/* A smoothing step: even tiles, odd tiles; in reverse, odd ones first. */
static void smooth(X(sim) *s, X(level) *l, bool reverse, bool fresh, bool dot)
{
    const bool *periodic = l->grid.periodic;
    if (fresh && (periodic[0] || periodic[1] || periodic[2])) {
        /* a tile may meet its own parity, or itself, across such a side */
        memset(l->x, 0, (size_t)(l->block_count + 1) * TILE_CELLS * sizeof(float));
        fresh = false;
    }
    cycle_args args = {.s = s, .l = l, .reverse = reverse, .dot = dot};
    for (int half = 0; half < 2 * s->system.sweeps; half++) {
        bool odd = (half % 2 == 1) != reverse;
        args.alone = fresh && half == 0;
        args.fresh = fresh && half < 2;
        args.slots = l->order + (odd ? l->even_count : 0);
        if (!args.alone)
            X(wrap_blocks)(s, l, l->x);
        run(&args, (size_t)(odd ? l->tile_count - l->even_count : l->even_count), smooth_range);
    }
}

double X(multigrid_apply)(X(sim) *s)
{
    X(system) *y = &s->system;
    int coarsest = y->level_count - 1;
    for (int k = 0; k < coarsest; k++) {
        cycle_args args = {.s = s, .l = &y->levels[k + 1], .fine = &y->levels[k]};
        smooth(s, args.fine, false, true, false);
        X(wrap_blocks)(s, args.fine, args.fine->x);
        run(&args, (size_t)args.fine->tile_count, restrict_range);
    }
    for (int pass = 0; pass < 2 * COARSE_PASSES; pass++)
        smooth(s, &y->levels[coarsest], pass >= COARSE_PASSES, pass == 0,
               coarsest == 0 && pass == 2 * COARSE_PASSES - 1);
    for (int k = coarsest - 1; k >= 0; k--) {
        cycle_args args = {.s = s, .l = &y->levels[k + 1], .fine = &y->levels[k]};
        run(&args, (size_t)args.fine->tile_count, prolong_range);
        smooth(s, args.fine, true, false, k == 0);
    }
    double sum = 0;
    for (int k = 0; k < y->levels[0].tile_count; k++)
        sum += y->partial[k];
    return sum;
}
