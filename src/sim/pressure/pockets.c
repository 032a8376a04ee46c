/* pockets.c -- components of the liquid that touch no air.
 *
 * A pocket has no pressure of its own: its system is singular, and solvable only if its fluxes sum
 * to zero, so the mean is taken out of its right side.
 *
 * Components by union and find, tiles in parallel. Each cell points at the first cell of its
 * component inside the tile; then these are joined across the faces of tiles, the larger index
 * always under the smaller one, so that the root of a component is its cell with the smallest
 * index, whatever the order of the threads. Air is node 0, a place in the border that is no
 * unknown: what touches it is joined with it, and a pocket is what has another root in the end.
 * Sums are taken tile by tile and added in order of the tiles. */
#include "pressure.h"

#include "sim/lanes.h"

#include <stdatomic.h>

#define AIR 0

typedef struct tile_sum {
    uint32_t root; /* of all cells of the tile that are in a pocket; MIXED, NONE */
    uint32_t count;
    double sum; /* of their right sides */
} tile_sum;
#define MIXED UINT32_MAX
#define NONE (UINT32_MAX - 1)

typedef struct pocket_args {
    X(sim) *s;
    tile_sum *sums; /* per tile of the list */
    _Atomic bool found;
} pocket_args;

static uint32_t parent_of(const X(sim) *s, uint32_t cell)
{
    return atomic_load_explicit(&s->system.component[cell], memory_order_relaxed);
}

static void set_parent(X(sim) *s, uint32_t cell, uint32_t parent)
{
    atomic_store_explicit(&s->system.component[cell], parent, memory_order_relaxed);
}

static uint32_t find(const X(sim) *s, uint32_t cell)
{
    for (uint32_t parent; (parent = parent_of(s, cell)) != cell;)
        cell = parent;
    return cell;
}

static void join(X(sim) *s, uint32_t a, uint32_t b)
{
    while ((a = find(s, a)) != (b = find(s, b))) {
        uint32_t high = a > b ? a : b, low = a > b ? b : a, expected = high;
        if (atomic_compare_exchange_strong_explicit(&s->system.component[high], &expected, low,
                                                    memory_order_relaxed, memory_order_relaxed))
            return;
    }
}

/* The unknowns of a tile, in order. */
#define FOR_UNKNOWNS(s, tile, c)                                                             \
    for (size_t base_ = X(tile_index)(&(s)->grid, tile), row_ = 0; row_ < TILE_ROWS; row_++) \
        for (size_t first_ = base_ + X(row_offset)(&(s)->grid, (int)row_), c = first_;       \
             c < first_ + TILE; c++)                                                         \
            if ((s)->system.diagonal[c] > 0.0f)

/* Whether every cell of a tile is an unknown and every face inside it is open; `air`: whether a
 * cell touches it. */
static bool is_one_piece(const X(sim) *s, size_t base, bool *air)
{
    const X(system) *y = &s->system;
    lane_mask gap = {0}, first = {0}, closed = {0};
    first[0] = -1;
    closed -= 1;
    for (int r = 0; r < TILE_ROWS; r++) {
        size_t c = base + X(row_offset)(&s->grid, r);
        gap |= ~(load(y->diagonal + c) > 0.0f);
        gap |= ~((load(y->a[0] + c) > 0.0f) | first);
        if (r & (TILE - 1))
            gap |= ~(load(y->a[1] + c) > 0.0f);
        if (DIM == 3 && r >> TILE_SHIFT)
            gap |= ~(load(y->a[DIM - 1] + c) > 0.0f);
        closed &= load_bytes(y->pocket + c) != 0;
    }
    *air = any(~closed);
    return !any(gap);
}

static void label_pieces(X(sim) *s, int tile)
{
    const X(system) *y = &s->system;
    const X(grid) *g = &s->grid;
    size_t base = X(tile_index)(g, tile);
    FOR_UNKNOWNS(s, tile, c)
        set_parent(s, (uint32_t)c, (uint32_t)c);
    for (int r = 0; r < TILE_ROWS; r++)
        for (int i = 0; i < TILE; i++) {
            size_t c = base + X(row_offset)(g, r) + (size_t)i;
            const bool within[3] = {i > 0, r & (TILE - 1), r >> TILE_SHIFT};
            FOR_DIM(d)
                if (within[d] && y->a[d][c] > 0.0f && y->diagonal[c] > 0.0f)
                    join(s, (uint32_t)c, (uint32_t)(c - g->stride[d]));
        }
    FOR_UNKNOWNS(s, tile, c) {
        set_parent(s, (uint32_t)c, find(s, (uint32_t)c));
        if (!y->pocket[c])
            join(s, (uint32_t)c, AIR);
    }
}

static void label_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = ((pocket_args *)user)->s;
    for (size_t k = begin; k < end; k++) {
        int tile = s->system.levels[0].tiles[k];
        size_t base = X(tile_index)(&s->grid, tile);
        bool air;
        if (!is_one_piece(s, base, &air)) {
            label_pieces(s, tile);
            continue;
        }
        FOR_UNKNOWNS(s, tile, c)
            set_parent(s, (uint32_t)c, (uint32_t)(air ? AIR : base));
    }
}

/* The cell across the low face of a cell, on the other side of the domain if the side is periodic.
 */
static size_t across(const X(grid) *g, size_t index, int d, const int t[DIM])
{
    size_t low = index - g->stride[d];
    return g->periodic[d] && t[d] == 1 ? low + (size_t)g->n[d] * g->stride[d] : low;
}

/* Joins what lies on both sides of face d of a cell; `last`: what was joined before, mostly the
 * same again. */
static void join_face(X(sim) *s, size_t c, size_t near, int d, uint32_t last[2])
{
    const X(system) *y = &s->system;
    if (!(y->a[d][c] > 0.0f) || !(y->diagonal[c] > 0.0f) || !(y->diagonal[near] > 0.0f))
        return;
    uint32_t a = parent_of(s, (uint32_t)c), b = parent_of(s, (uint32_t)near);
    if (a == b || (a == last[0] && b == last[1]))
        return;
    last[0] = a;
    last[1] = b;
    join(s, a, b);
}

static void join_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = ((pocket_args *)user)->s;
    for (size_t k = begin; k < end; k++) {
        int t[DIM];
        X(tile_coordinates)(&s->grid, s->system.levels[0].tiles[k], t);
        size_t base = X(tile_index)(&s->grid, s->system.levels[0].tiles[k]);
        uint32_t last[2] = {AIR, AIR};
        for (int r = 0; r < TILE_ROWS; r++) {
            size_t row = base + X(row_offset)(&s->grid, r);
            join_face(s, row, across(&s->grid, row, 0, t), 0, last);
            for (int d = 1; d < DIM; d++) {
                bool lowest = d == 1 ? (r & (TILE - 1)) == 0 : r >> TILE_SHIFT == 0;
                for (size_t c = row; c < row + TILE && lowest; c++)
                    join_face(s, c, across(&s->grid, c, d, t), d, last);
            }
        }
    }
}

/* Marks the cells of pockets and adds up what can be added up inside a tile. */
static void mark_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    pocket_args *args = user;
    X(sim) *s = args->s;
    X(system) *y = &s->system;
    for (size_t k = begin; k < end; k++) {
        tile_sum sum = {.root = NONE};
        uint32_t last = AIR, root = AIR;
        FOR_UNKNOWNS(s, y->levels[0].tiles[k], c) {
            uint32_t parent = parent_of(s, (uint32_t)c);
            root = parent == last ? root : find(s, parent);
            last = parent;
            y->pocket[c] = root != AIR;
            if (root == AIR)
                continue;
            if (root == c)
                y->pockets[c] = (X(pocket)){0, 0};
            sum.root = sum.root == NONE || sum.root == root ? root : MIXED;
            sum.sum += y->b[c];
            sum.count++;
        }
        args->sums[k] = sum;
        if (sum.root != NONE)
            atomic_store_explicit(&args->found, true, memory_order_relaxed);
    }
}

/* Sums of pockets, in order of the tiles. */
static void add_up(X(sim) *s, const tile_sum *sums)
{
    X(system) *y = &s->system;
    for (int k = 0; k < y->levels[0].tile_count; k++) {
        if (sums[k].root < NONE) {
            y->pockets[sums[k].root].sum += sums[k].sum;
            y->pockets[sums[k].root].count += sums[k].count;
        }
        if (sums[k].root != MIXED)
            continue;
        FOR_UNKNOWNS(s, y->levels[0].tiles[k], c)
            if (y->pocket[c]) {
                X(pocket) *pocket = &y->pockets[find(s, (uint32_t)c)];
                pocket->sum += y->b[c];
                pocket->count++;
            }
    }
}

static void subtract_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = ((pocket_args *)user)->s;
    X(system) *y = &s->system;
    for (size_t k = begin; k < end; k++)
        FOR_UNKNOWNS(s, y->levels[0].tiles[k], c)
            if (y->pocket[c]) {
                const X(pocket) *pocket = &y->pockets[find(s, (uint32_t)c)];
                y->b[c] = (float)(y->b[c] - pocket->sum / pocket->count);
            }
}

void X(settle_pockets)(X(sim) *s)
{
    sp_arena arena = X(arena)(s);
    sp_pool *pool = s->common->pool;
    size_t tiles = (size_t)s->system.levels[0].tile_count;
    pocket_args args = {.s = s, .sums = sp_arena_take(&arena, tiles, sizeof *args.sums)};
    set_parent(s, AIR, AIR);
    sp_parallel_for(pool, tiles, 4, label_range, &args);
    sp_parallel_for(pool, tiles, 4, join_range, &args);
    sp_parallel_for(pool, tiles, 4, mark_range, &args);
    if (!args.found)
        return;
    add_up(s, args.sums);
    sp_parallel_for(pool, tiles, 4, subtract_range, &args);
}
