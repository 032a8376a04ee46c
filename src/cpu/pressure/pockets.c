/* pockets.c -- components of the liquid that touch no air.
 *
 * A pocket has no pressure of its own: its system is singular, and solvable only if its fluxes sum
 * to zero, so the mean is taken out of its right side.
 *
 * Inside a tile components are found by filling: a row is a number with a bit for each cell, and
 * goes on to the next row as a whole. What touches air is filled first, from all such cells at
 * once, and most tiles at the surface are done with that. Mostly all unknowns of a tile belong
 * together; then one node stands for the tile, and only in other tiles cells have nodes of their
 * own.
 *
 * Nodes are joined across the faces of tiles by union and find, in parallel, the larger index
 * always under the smaller one, so that the root of a component does not depend on the order of
 * the threads. Air is node 0, a place in the border that is no unknown; a pocket is what has
 * another root in the end. Sums are taken tile by tile and added in order of the tiles. */
#include "pressure.h"

#include <stdatomic.h>
#include <string.h>

#define AIR 0                 /* node of a tile: all its unknowns are connected with air */
#define MANY UINT32_MAX       /* of a tile: see its cells */
#define NONE (UINT32_MAX - 1) /* of X(tile_sum): no cell of the tile is in a pocket */

static uint32_t parent_of(const X(system) *sys, uint32_t cell)
{
    return atomic_load_explicit(&sys->component[cell], memory_order_relaxed);
}

static void set_parent(X(system) *sys, uint32_t cell, uint32_t parent)
{
    atomic_store_explicit(&sys->component[cell], parent, memory_order_relaxed);
}

static uint32_t find(const X(system) *sys, uint32_t cell)
{
    for (uint32_t parent; (parent = parent_of(sys, cell)) != cell;)
        cell = parent;
    return cell;
}

static void join(X(system) *sys, uint32_t a, uint32_t b)
{
    while ((a = find(sys, a)) != (b = find(sys, b))) {
        uint32_t high = a > b ? a : b, low = a > b ? b : a, expected = high;
        if (atomic_compare_exchange_strong_explicit(&sys->component[high], &expected, low,
                                                    memory_order_relaxed, memory_order_relaxed))
            return;
    }
}

/* The node of an unknown. */
static uint32_t node_of(const X(system) *sys, int tile, size_t cell)
{
    uint32_t node = sys->node[tile];
    return node == MANY ? parent_of(sys, (uint32_t)cell) : node;
}

/* The unknowns of a tile, in order. */
#define FOR_UNKNOWNS(sys, tile, c)                                                             \
    for (size_t base_ = X(tile_index)(&(sys)->grid, tile), row_ = 0; row_ < TILE_ROWS; row_++) \
        for (size_t first_ = base_ + X(row_offset)(&(sys)->grid, (int)row_), c = first_;       \
             c < first_ + TILE; c++)                                                           \
            if ((sys)->diagonal[c] > 0.0f)

/* ---- inside a tile */

/* Along a row: link bit i joins cells i - 1 and i. Twice the reach in each turn. */
static uint32_t fill_row(uint32_t cells, uint32_t link)
{
    uint32_t up = link, down = link >> 1;
    for (int reach = 1; reach < TILE; reach *= 2) {
        cells |= (cells << reach & up) | (cells >> reach & down);
        up &= up << reach;
        down &= down >> reach;
    }
    return cells;
}

/* All that is connected with `cells` inside the tile: forth and back until nothing changes, or all
 * unknowns are reached, which mostly takes one way. */
static void fill(const X(pieces) *p, uint32_t cells[TILE_ROWS])
{
    for (uint32_t change = 1, rest = 1, way = 0; change && rest; way++) {
        change = rest = 0;
        for (int k = 0; k < TILE_ROWS; k++) {
            int r = way % 2 == 0 ? k : TILE_ROWS - 1 - k;
            uint32_t row = cells[r];
            if (!p->unknown[r])
                continue;
            for (int d = 1; d < DIM; d++) {
                int step = d == 1 ? 1 : TILE;
                row |= r >= step ? cells[r - step] & p->link[d][r] : 0;
                row |= r + step < TILE_ROWS ? cells[r + step] & p->link[d][r + step] : 0;
            }
            row = fill_row(row, p->link[0][r]);
            change |= row ^ cells[r];
            rest |= p->unknown[r] & ~row;
            cells[r] = row;
        }
    }
}

static uint32_t cell_at(const X(grid) *g, size_t base, int r, uint32_t bits)
{
    return (uint32_t)(base + X(row_offset)(g, r) + (size_t)__builtin_ctz(bits));
}

/* All cells of a part have `node`. */
static void set_nodes(X(system) *sys, size_t base, const uint32_t cells[TILE_ROWS], uint32_t node)
{
    for (int r = 0; r < TILE_ROWS; r++)
        for (uint32_t bits = cells[r]; bits; bits &= bits - 1)
            set_parent(sys, cell_at(&sys->grid, base, r, bits), node);
}

void X(label_pieces)(X(system) *sys, int tile, const X(pieces) *pieces)
{
    uint32_t part[TILE_ROWS], rest[TILE_ROWS], reached = 0, left = 0;
    size_t base = X(tile_index)(&sys->grid, tile);
    memcpy(part, pieces->air, sizeof part);
    fill(pieces, part);
    for (int r = 0; r < TILE_ROWS; r++) {
        rest[r] = pieces->unknown[r] & ~part[r];
        reached |= part[r];
        left |= rest[r];
    }
    sys->node[tile] = left ? MANY : AIR;
    if (!left)
        return;
    set_nodes(sys, base, part, AIR);
    for (int r = 0; r < TILE_ROWS;) {
        if (!rest[r]) {
            r++;
            continue;
        }
        uint32_t node = cell_at(&sys->grid, base, r, rest[r]), more = 0;
        memset(part, 0, sizeof part);
        part[r] = rest[r] & -rest[r];
        fill(pieces, part);
        for (int k = 0; k < TILE_ROWS; k++) {
            rest[k] &= ~part[k];
            more |= rest[k];
        }
        if (!reached && !more) {
            sys->node[tile] = node;
            set_parent(sys, node, node);
            return;
        }
        reached = 1;
        set_nodes(sys, base, part, node);
    }
}

void X(label_whole)(X(system) *sys, int tile, size_t base)
{
    sys->node[tile] = (uint32_t)base;
    set_parent(sys, (uint32_t)base, (uint32_t)base);
}

/* ---- across the faces of tiles */

/* Joins a tile with the one across its low side d, which a periodic side may put elsewhere. */
static void join_side(X(system) *sys, int tile, int d)
{
    const X(grid) *g = &sys->grid;
    int t[DIM];
    X(tile_coordinates)(g, tile, t);
    bool wraps = g->periodic[d] && t[d] == 1;
    size_t base = X(tile_index)(g, tile), along = g->stride[d == 0 ? 1 : 0],
           across = g->stride[d == 2 ? 1 : 2],
           back = wraps ? (size_t)(g->n[d] - 1) * g->stride[d] : -g->stride[d];
    t[d] = wraps ? (g->n[d] - 1) / TILE + 1 : t[d] - 1;
    int other = X(tile_number)(g, t);
    uint32_t last[2] = {AIR, AIR};
    if (sys->unknown[other] == UNKNOWN_NONE || (sys->node[tile] == AIR && sys->node[other] == AIR))
        return;
    bool whole = sys->node[tile] != MANY && sys->node[other] != MANY;
    for (size_t k = 0; k < TILE_ROWS; k++) {
        size_t c = base + k % TILE * along + k / TILE * across;
        if (!(sys->a[d][c] > 0.0f))
            continue;
        uint32_t a = node_of(sys, tile, c), b = node_of(sys, other, c + back);
        if (a != b && (a != last[0] || b != last[1]))
            join(sys, a, b);
        if (whole)
            return;
        last[0] = a; /* mostly the same again */
        last[1] = b;
    }
}

static void join_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(system) *sys = user;
    for (size_t k = begin; k < end; k++)
        for (int d = 0; d < DIM; d++)
            join_side(sys, sys->levels[0].tiles[k], d);
}

typedef struct mark_args {
    X(system) *sys;
    _Atomic bool found; /* a pocket */
} mark_args;

/* Marks the cells of pockets. */
static void mark_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    mark_args *args = user;
    X(system) *sys = args->sys;
    for (size_t k = begin; k < end; k++) {
        int tile = sys->levels[0].tiles[k];
        bool pockets = false;
        if (sys->node[tile] != MANY)
            pockets = find(sys, sys->node[tile]) != AIR;
        else
            FOR_UNKNOWNS(sys, tile, c)
                pockets = pockets || find(sys, (uint32_t)c) != AIR;
        if (pockets || sys->pocketed[tile])
            FOR_UNKNOWNS(sys, tile, c)
                sys->pocket[c] = find(sys, node_of(sys, tile, c)) != AIR;
        sys->pocketed[tile] = pockets;
        if (pockets)
            atomic_store_explicit(&args->found, true, memory_order_relaxed);
    }
}

void X(find_pockets)(X(system) *sys)
{
    mark_args args = {.sys = sys};
    size_t tiles = (size_t)sys->levels[0].tile_count;
    set_parent(sys, AIR, AIR);
    sp_parallel_for(sys->domain->pool, tiles, 8, join_range, sys);
    sp_parallel_for(sys->domain->pool, tiles, 8, mark_range, &args);
    sys->has_pockets = args.found;
}

/* ---- right sides */

/* What can be added up inside a tile. */
static void sum_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(system) *sys = user;
    for (size_t k = begin; k < end; k++) {
        int tile = sys->levels[0].tiles[k];
        X(tile_sum) sum = {.root = NONE};
        if (sys->pocketed[tile])
            FOR_UNKNOWNS(sys, tile, c) {
                uint32_t root = find(sys, node_of(sys, tile, c));
                if (root == AIR)
                    continue;
                if (root == c)
                    sys->pockets[c] = (X(pocket)){0, 0};
                sum.root = sum.root == NONE || sum.root == root ? root : MANY;
                sum.sum += sys->b[c];
                sum.count++;
            }
        sys->tile_sums[k] = sum;
    }
}

/* Sums of pockets, in order of the tiles. */
static void add_up(X(system) *sys)
{
    const X(tile_sum) *sums = sys->tile_sums;
    for (int k = 0; k < sys->levels[0].tile_count; k++) {
        int tile = sys->levels[0].tiles[k];
        if (sums[k].root < NONE) {
            sys->pockets[sums[k].root].sum += sums[k].sum;
            sys->pockets[sums[k].root].count += sums[k].count;
        }
        if (sums[k].root != MANY)
            continue;
        FOR_UNKNOWNS(sys, tile, c)
            if (sys->pocket[c]) {
                X(pocket) *pocket = &sys->pockets[find(sys, node_of(sys, tile, c))];
                pocket->sum += sys->b[c];
                pocket->count++;
            }
    }
}

static void subtract_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(system) *sys = user;
    for (size_t k = begin; k < end; k++) {
        int tile = sys->levels[0].tiles[k];
        if (sys->pocketed[tile])
            FOR_UNKNOWNS(sys, tile, c)
                if (sys->pocket[c]) {
                    const X(pocket) *pocket = &sys->pockets[find(sys, node_of(sys, tile, c))];
                    sys->b[c] = (float)(sys->b[c] - pocket->sum / pocket->count);
                }
    }
}

void X(remove_pocket_means)(X(system) *sys)
{
    sp_pool *pool = sys->domain->pool;
    size_t tiles = (size_t)sys->levels[0].tile_count;
    if (!sys->has_pockets)
        return;
    sp_parallel_for(pool, tiles, 4, sum_range, sys);
    add_up(sys);
    sp_parallel_for(pool, tiles, 4, subtract_range, sys);
}
