/* pockets.cu -- components of the liquid that touch no air, on the device (cpu/pressure/pockets.c).
 *
 * Inside a tile labels spread from cell to cell until each piece has that of its first cell, or
 * AIR; then pieces are joined across the faces of tiles by union and find, the larger label under
 * the smaller one, so that the root of a component does not depend on the order of the threads. A
 * uniform tile is one piece: its first cell stands for all of it, and has its label and its mark.
 * Sums of right sides are taken in whole numbers, 2^-32 of the largest one, and so do not depend on
 * it either. */
#include "smoother_rows.h"

#define AIR 0u /* a place of block 0, which holds no unknown */
#define NONE UINT32_MAX

typedef struct pocket_args {
    DEV(gpu_level) level;
    const int *shallow; /* blocks whose tiles are not deep */
    const uint8_t *deep;
    uint8_t *pocket;
    float *right;
    uint32_t *label; /* per cell: another one of its component; in the memory of a direction */
    int64_t *sum;    /* per root; in that of the solution */
    uint32_t *count; /* in that of `step` */
    DEV(gpu_state) * state;
    double unit; /* of `sum` */
} pocket_args;

GPU_FN bool is_unknown(const pocket_args *a, size_t c)
{
    return a->level.d[c] > 0.0f;
}

/* The cell that has the label and the mark of a cell's piece. */
GPU_FN size_t seat_of(const pocket_args *a, size_t c)
{
    return a->level.kind[c / TILE_CELLS] == UNIFORM ? c / TILE_CELLS * TILE_CELLS : c;
}

/* Whether face d, the low one, of a cell in a block is open towards a neighbour with an unknown. */
GPU_FN bool is_open(const pocket_args *a, size_t c, int d)
{
    return !a->level.a[d] || a->level.a[d][c] > 0.0f;
}

/* ---- inside a tile */

typedef struct label_shared {
    uint32_t label[TILE_CELLS];
    uint8_t open[TILE_CELLS]; /* bit d: to the cell before, inside the tile */
    uint32_t gaps, air, changed;
} label_shared;

GPU_FN void spread(label_shared *shared, int t)
{
    uint32_t least = shared->label[t];
    if (least == NONE)
        return;
    FOR_DIM(d) {
        int step = block_step(d), across = t / step % TILE;
        if (shared->open[t] >> d & 1)
            least = shared->label[t - step] < least ? shared->label[t - step] : least;
        if (across < TILE - 1 && (shared->open[t + step] >> d & 1))
            least = shared->label[t + step] < least ? shared->label[t + step] : least;
    }
    if (least == shared->label[t])
        return;
    shared->label[t] = least;
    GPU_MAX32(&shared->changed, 1u);
}

MAP(label_deep, pocket_args)
{
    uint32_t own = (uint32_t)(i + 1) * TILE_CELLS;
    if (a->deep[a->level.tile_of[i + 1]])
        a->label[own] = a->pocket[own] ? own : AIR;
}

BLOCKS(label_shallow, pocket_args, label_shared, PAIRS)
{
    size_t own = (size_t)a->shallow[block] * TILE_CELLS;
    FOR_THREADS(t, 1)
        shared->gaps = shared->air = 0;
    BARRIER();
    FOR_THREADS(t, TILE_CELLS) {
        size_t c = own + (size_t)t;
        bool unknown = is_unknown(a, c), gap = !unknown;
        uint8_t open = 0;
        FOR_DIM(d) {
            int step = block_step(d);
            if (t / step % TILE == 0)
                continue;
            if (unknown && is_open(a, c, d) && is_unknown(a, c - (size_t)step))
                open = (uint8_t)(open | 1 << d);
            else
                gap = true;
        }
        bool air = unknown && !a->pocket[c]; /* in a uniform tile: or it was so the last time */
        shared->open[t] = open;
        shared->label[t] = !unknown ? NONE : air ? AIR : (uint32_t)c;
        if (gap)
            GPU_MAX32(&shared->gaps, 1u);
        if (air)
            GPU_MAX32(&shared->air, 1u);
    }
    BARRIER();
    bool whole = shared->gaps == 0;
    if (whole) { /* one piece: most tiles */
        uint32_t label = shared->air ? AIR : (uint32_t)own;
        FOR_THREADS(t, TILE_CELLS)
            a->label[own + (size_t)t] = label;
        return;
    }
    for (bool more = true; more;) {
        BARRIER();
        FOR_THREADS(t, 1)
            shared->changed = 0;
        BARRIER();
        for (int colour = 0; colour < 2; colour++) {
            FOR_THREADS(t, PAIRS)
                spread(shared, cell_of_pair(t, colour));
            BARRIER();
        }
        more = shared->changed != 0;
    }
    FOR_THREADS(t, TILE_CELLS)
        a->label[own + (size_t)t] = shared->label[t];
}

/* ---- between tiles */

GPU_FN uint32_t find_root(uint32_t *label, uint32_t cell)
{
    uint32_t parent = GPU_LOAD32(label + cell);
    while (parent != cell) {
        uint32_t next = GPU_LOAD32(label + parent);
        if (next != parent)
            GPU_STORE32(label + cell, next); /* shorter for the next one */
        cell = parent;
        parent = next;
    }
    return cell;
}

GPU_FN void join(uint32_t *label, uint32_t one, uint32_t two)
{
    while ((one = find_root(label, one)) != (two = find_root(label, two))) {
        uint32_t high = one > two ? one : two, low = one > two ? two : one;
        if (GPU_SWAP32(label + high, high, low))
            return;
    }
}

/* The block across face d of a tile, on the other side of the domain if the side is periodic, 0:
 * none; and the layer of its cells that is met there. */
GPU_FN int tile_across(const DEV(gpu_level) * l, int slot, int d, int side, int *layer)
{
    const X(grid) *g = &l->grid;
    int t[DIM], last = (g->n[d] - 1) / TILE + 1;
    X(tile_coordinates)(g, l->tile_of[slot], t);
    *layer = side ? 0 : TILE - 1;
    t[d] += side ? 1 : -1;
    if (g->periodic[d] && t[d] == 0) {
        t[d] = last;
        *layer = (g->n[d] - 1) % TILE;
    } else if (g->periodic[d] && t[d] > last) {
        t[d] = 1;
    }
    return l->slot[X(tile_number)(g, t)];
}

/* The last layer of a tile's cells in the domain. */
GPU_FN int last_layer(const DEV(gpu_level) * l, int slot, int d)
{
    const X(grid) *g = &l->grid;
    int t[DIM];
    X(tile_coordinates)(g, l->tile_of[slot], t);
    return t[d] * TILE > g->n[d] ? (g->n[d] - 1) % TILE : TILE - 1;
}

/* What is to be joined across a face: the labels of both sides; false: nothing. `high` is the cell
 * whose low face it is. */
GPU_FN bool labels_across(const pocket_args *a, size_t high, size_t low, int d, uint32_t label[2])
{
    if (!is_unknown(a, high) || !is_unknown(a, low) || !is_open(a, high, d))
        return false;
    label[0] = GPU_LOAD32(a->label + seat_of(a, high));
    label[1] = GPU_LOAD32(a->label + seat_of(a, low));
    return true;
}

/* Uniform tiles with each other: a low face of a tile each. */
MAP(join_uniform, pocket_args)
{
    const DEV(gpu_level) *l = &a->level;
    int slot = (int)(i / DIM) + 1, d = (int)(i % DIM), layer;
    if (l->kind[slot] != UNIFORM)
        return;
    int other = tile_across(l, slot, d, 0, &layer);
    if (other && l->kind[other] == UNIFORM)
        join(a->label, (uint32_t)slot * TILE_CELLS, (uint32_t)other * TILE_CELLS);
}

/* Tiles that are not deep with those around them, but for uniform ones with each other: a face of a
 * cell each, on both sides; high ones where the tile there does not come by itself. Where the one
 * before has the same two labels it does the work: whatever is found there, labels that are the
 * same mean the same component. */
MAP(join_shallow, pocket_args)
{
    const DEV(gpu_level) *l = &a->level;
    int slot = a->shallow[i / (2 * DIM * FACE_CELLS)], e = (int)(i % (2 * DIM * FACE_CELLS)), layer;
    int d = e / (2 * FACE_CELLS), side = e / FACE_CELLS % 2, k = e % FACE_CELLS;
    int first = d == 0 ? 1 : 0, second = d == 2 ? 1 : 2, u = k % TILE, v = k / TILE;
    int other = tile_across(l, slot, d, side, &layer);
    bool here_uniform = l->kind[slot] == UNIFORM;
    bool there_uniform = other && l->kind[other] == UNIFORM;
    if (!other || (here_uniform && there_uniform) || (side && !there_uniform))
        return;
    int at = u * block_step(first) + v * block_step(second);
    int own_layer = side ? last_layer(l, slot, d) : 0;
    size_t own = (size_t)slot * TILE_CELLS + (size_t)(at + own_layer * block_step(d));
    size_t across = (size_t)other * TILE_CELLS + (size_t)(at + layer * block_step(d));
    size_t high = side ? across : own, low = side ? own : across;
    uint32_t here[2], before[2];
    if (!labels_across(a, high, low, d, here) || here[0] == here[1])
        return;
    size_t back = (size_t)(u > 0 ? block_step(first) : v > 0 ? block_step(second) : 0);
    if (back && labels_across(a, high - back, low - back, d, before) && before[0] == here[0] &&
        before[1] == here[1])
        return;
    join(a->label, here[0], here[1]);
}

/* ---- sums */

/* A root, and whether it is that of a pocket. */
GPU_FN void begin_sum(const pocket_args *a, uint32_t root)
{
    if (root == AIR)
        return;
    a->sum[root] = 0;
    a->count[root] = 0;
    GPU_MAX32(&a->state->pockets, 1u);
}

GPU_FN void mark_seat(const pocket_args *a, size_t c)
{
    uint32_t root = find_root(a->label, (uint32_t)c);
    a->pocket[c] = root != AIR;
    if (root == c)
        begin_sum(a, root);
}

MAP(mark_uniform, pocket_args)
{
    if (a->level.kind[i + 1] == UNIFORM)
        mark_seat(a, (i + 1) * TILE_CELLS);
}

/* A row of cells each. */
MAP(mark_shallow, pocket_args)
{
    int slot = a->shallow[i / TILE_ROWS];
    size_t c = (size_t)slot * TILE_CELLS + i % TILE_ROWS * TILE;
    if (a->level.kind[slot] == UNIFORM)
        return;
    KEEP_LOOP
    for (int k = 0; k < TILE; k++, c++)
        if (is_unknown(a, c))
            mark_seat(a, c);
}

/* The root of the pocket that a cell is in; AIR: none. */
GPU_FN uint32_t pocket_of(const pocket_args *a, size_t c)
{
    size_t seat = seat_of(a, c);
    return is_unknown(a, c) && a->pocket[seat] ? find_root(a->label, (uint32_t)seat) : AIR;
}

typedef struct sum_shared {
    int64_t sum;
    uint32_t count, root;
} sum_shared;

/* Most tiles lie in one pocket: its sum is taken in shared memory. */
BLOCKS(add_up, pocket_args, sum_shared, PAIRS)
{
    size_t own = (block + 1) * TILE_CELLS;
    FOR_THREADS(t, 1) {
        shared->sum = 0;
        shared->count = 0;
        shared->root = 0;
    }
    BARRIER();
    FOR_THREADS(t, TILE_CELLS) {
        uint32_t root = pocket_of(a, own + (size_t)t);
        if (root != AIR)
            GPU_MAX32(&shared->root, root);
    }
    BARRIER();
    FOR_THREADS(t, TILE_CELLS) {
        size_t c = own + (size_t)t;
        uint32_t root = pocket_of(a, c);
        if (root == AIR)
            continue;
        int64_t value = (int64_t)((double)a->right[c] / a->unit);
        if (root == shared->root) {
            GPU_ADD64(&shared->sum, value);
            GPU_ADD32(&shared->count, 1u);
        } else {
            GPU_ADD64(&a->sum[root], value);
            GPU_ADD32(&a->count[root], 1u);
        }
    }
    BARRIER();
    FOR_THREADS(t, 1)
        if (shared->count > 0) {
            GPU_ADD64(&a->sum[shared->root], shared->sum);
            GPU_ADD32(&a->count[shared->root], shared->count);
        }
}

MAP(subtract_means, pocket_args)
{
    KEEP_LOOP
    for (size_t c = TILE_CELLS + i * TILE; c < TILE_CELLS + (i + 1) * TILE; c++) {
        uint32_t root = pocket_of(a, c);
        if (root == AIR)
            continue;
        double mean = (double)a->sum[root] * a->unit / (double)a->count[root];
        a->right[c] = (float)((double)a->right[c] - mean);
    }
}

static pocket_args args_of(X(gpu) *g)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    pocket_args args;
    memset(&args, 0, sizeof args);
    args.level = solver->levels[0];
    args.shallow = solver->shallow;
    args.deep = solver->deep;
    args.pocket = solver->pocket;
    args.right = solver->right;
    args.label = (uint32_t *)solver->direction[0];
    args.sum = (int64_t *)solver->high;
    args.count = (uint32_t *)solver->step;
    args.state = solver->state;
    return args;
}

void DEV(gpu_find_pockets)(X(gpu) *g)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    size_t tiles = (size_t)solver->levels[0].tile_count, shallow = (size_t)solver->shallow_count;
    pocket_args args = args_of(g);
    DEV(gpu_set)(g, &solver->state->pockets, 0, sizeof solver->state->pockets);
    label_deep(g, args, tiles);
    label_shallow(g, args, shallow);
    join_uniform(g, args, tiles * DIM);
    join_shallow(g, args, shallow * 2 * DIM * FACE_CELLS);
    mark_uniform(g, args, tiles);
    mark_shallow(g, args, shallow * TILE_ROWS);
}

void DEV(gpu_remove_pocket_means)(X(gpu) *g, double largest)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    size_t tiles = (size_t)solver->levels[0].tile_count;
    pocket_args args = args_of(g);
    if (!solver->pockets)
        return;
    args.unit = largest > 0 ? largest / 4294967296.0 : 1.0;
    add_up(g, args, tiles);
    subtract_means(g, args, tiles * TILE_ROWS);
}
