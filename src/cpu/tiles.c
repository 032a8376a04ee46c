/* tiles.c -- which tiles have work, by where the particles of a set are.
 *
 * Liquid tiles hold particles; active tiles are those and their neighbours, so that stencils,
 * extrapolation and particles that move less than a tile find a valid field. What leaves the active
 * tiles is cleared, so that outside of them every moving array is zero. A gas fills the domain, and
 * has work in all its tiles. */
#include "cpu.h"

#include "state/arrays.h"

#include <string.h>

/* Coordinates of the tile after t. */
static void next_tile(const X(grid) *g, int t[DIM])
{
    for (int d = 0; d < DIM && ++t[d] == g->tiles[d]; d++)
        t[d] = 0;
}

/* Sets `mark` in the neighbours of tile t: in those of the domain, or in those of the border. */
static void mark_neighbours(X(tiles) *tiles, const X(grid) *g, const int t[DIM], bool border,
                            uint8_t mark)
{
    int near[DIM], offset[3];
    bool inner = true; /* no neighbour is in the border */
    FOR_DIM(d)
        inner = inner && t[d] > 1 && t[d] < g->tiles[d] - 2;
    if (inner && border)
        return;
    for (offset[2] = DIM == 3 ? -1 : 0; offset[2] <= (DIM == 3 ? 1 : 0); offset[2]++)
        for (offset[1] = -1; offset[1] <= 1; offset[1]++)
            for (offset[0] = -1; offset[0] <= 1; offset[0]++) {
                bool outside = false;
                FOR_DIM(d) {
                    near[d] = t[d] + offset[d];
                    outside = outside || near[d] < 1 || near[d] > g->tiles[d] - 2;
                }
                if (outside == border)
                    tiles->state[X(tile_number)(g, near)] |= mark;
            }
}

/* Across a periodic side the neighbours are on the other side. The last tile may be partly filled,
 * so two tiles are marked for one. */
static void mark_across(X(tiles) *tiles, const X(grid) *g, int axis)
{
    int last = g->tiles[axis] - 2, count = g->tile_count;
    for (int k = 0; k < count; k++) {
        int t[DIM];
        X(tile_coordinates)(g, k, t);
        bool low = t[axis] == 1 || t[axis] == 2, high = t[axis] == last || t[axis] == last - 1;
        if (!(tiles->state[k] & TILE_ACTIVE) || (!low && !high))
            continue;
        for (int layer = 0; layer < 2; layer++) {
            t[axis] = low ? last - layer : 1 + layer;
            if (t[axis] >= 1 && t[axis] <= last)
                tiles->state[X(tile_number)(g, t)] |= TILE_ACROSS;
        }
    }
    for (int k = 0; k < count; k++)
        if (tiles->state[k] & TILE_ACROSS)
            tiles->state[k] = (uint8_t)((tiles->state[k] & ~TILE_ACROSS) | TILE_ACTIVE);
}

/* Tiles with particles, by colour and in ascending order. */
static void list_liquid(X(tiles) *t, const X(grid) *g)
{
    int next[COLOURS] = {0}, sum = 0;
    for (int k = 0; k < t->active_count; k++)
        if (t->state[t->active[k]] & TILE_LIQUID)
            next[X(tile_colour)(g, t->active[k])]++;
    for (int colour = 0; colour < COLOURS; colour++) {
        t->colour_start[colour] = sum;
        sum += next[colour];
        next[colour] = t->colour_start[colour];
    }
    t->colour_start[COLOURS] = t->liquid_count = sum;
    for (int k = 0; k < t->active_count; k++)
        if (t->state[t->active[k]] & TILE_LIQUID)
            t->liquid[next[X(tile_colour)(g, t->active[k])]++] = t->active[k];
}

void X(list_tiles)(X(tiles) *t, const X(grid) *g)
{
    int count = g->tile_count, at[DIM] = {0};
    /* bits of the last step move up; those that are not set again have left */
    for (int k = 0; k < count; k++)
        t->state[k] = (uint8_t)((t->state[k] & 0xf) << 4);
    for (int k = 0; k < count; k++, next_tile(g, at))
        if (t->start[k + 1] > t->start[k]) {
            t->state[k] |= TILE_LIQUID;
            mark_neighbours(t, g, at, false, TILE_ACTIVE);
        }
    for (int k = 0; k < count && t->everywhere; k++, next_tile(g, at)) /* from the first again */
        if (X(in_domain)(g, at))
            t->state[k] |= TILE_ACTIVE;
    for (int axis = 0; axis < DIM; axis++)
        if (g->periodic[axis])
            mark_across(t, g, axis);
    for (int k = 0; k < count; k++, next_tile(g, at)) /* from the first one again */
        if (t->state[k] & TILE_ACTIVE)
            mark_neighbours(t, g, at, true, TILE_BORDER);
    t->active_count = t->border_count = t->face_count = 0;
    for (int k = 0; k < count; k++) {
        bool active = t->state[k] & TILE_ACTIVE, border = t->state[k] & TILE_BORDER;
        if (active)
            t->active[t->active_count++] = k;
        if (border)
            t->border[t->border_count++] = k;
        if (active || (border && X(ends_domain)(g, k)))
            t->faces[t->face_count++] = k;
    }
    list_liquid(t, g);
}

int X(list_left)(const X(tiles) *t, const X(grid) *g, int *left)
{
    const uint8_t used = TILE_ACTIVE | TILE_BORDER;
    int count = 0;
    for (int k = 0; k < g->tile_count; k++)
        if (t->state[k] >> 4 & used && !(t->state[k] & used))
            left[count++] = k;
    return count;
}

/* In tiles that the particles have left, the cells hold none. */
typedef struct leave_args {
    const X(cell_list) *list;
    const int *tiles;
} leave_args;

static void leave_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const leave_args *args = user;
    const X(cell_list) *list = args->list;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(list->grid, args->tiles[k]);
        for (int r = 0; r < TILE_ROWS; r++) {
            size_t row = base + X(row_offset)(list->grid, r);
            memset(list->first + row, 0, TILE * sizeof *list->first);
            memset(list->count + row, 0, TILE * sizeof *list->count);
        }
    }
}

void X(update_tiles)(const X(cell_list) *list, sp_pool *pool, sp_arena arena)
{
    int *left = sp_arena_take(&arena, (size_t)list->grid->tile_count, sizeof *left);
    leave_args args = {list, left};
    X(list_tiles)(list->tiles, list->grid);
    size_t left_count = (size_t)X(list_left)(list->tiles, list->grid, left);
    sp_parallel_for(pool, left_count, 1, leave_range, &args);
}

/* What was listed first counts as active in the last step, so that it is cleared if it is not any
 * more. */
void X(update_tiles_again)(const X(cell_list) *list, sp_pool *pool, sp_arena arena)
{
    uint8_t *state = list->tiles->state;
    for (int k = 0; k < list->grid->tile_count; k++)
        state[k] = (uint8_t)(state[k] >> 4 | (state[k] & (TILE_ACTIVE | TILE_BORDER)));
    X(update_tiles)(list, pool, arena);
}

/* ---- the arrays of a simulation in tiles that the liquid has left */

/* The arrays that are zero outside the active tiles. */
typedef struct clear_args {
    X(sim) *s;
    const int *tiles;
    char *arrays[ARRAY_POINTERS];
    size_t items[ARRAY_POINTERS]; /* bytes of a value of each */
    int count;
} clear_args;

static void list_moving(clear_args *args)
{
    for (int k = 0; k < ARRAY_COUNT; k++) {
        void **blocks = X(array_of)(args->s, &X(arrays)[k]);
        for (int c = 0; c < X(arrays)[k].pointers; c++)
            if (X(arrays)[k].follows && blocks[c]) {
                args->items[args->count] = X(arrays)[k].item;
                args->arrays[args->count++] = blocks[c];
            }
    }
}

static void clear_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    clear_args *args = user;
    X(sim) *s = args->s;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&s->grid, args->tiles[k]);
        s->system.unknown[args->tiles[k]] = UNKNOWN_NONE;
        s->tiles.marked[args->tiles[k]] = MARKED_NONE;
        for (int a = 0; a < args->count; a++)
            for (int r = 0; r < TILE_ROWS; r++) {
                size_t row = base + X(row_offset)(&s->grid, r);
                memset(args->arrays[a] + row * args->items[a], 0, TILE * args->items[a]);
            }
    }
}

void X(clear_left)(X(sim) *s)
{
    sp_arena arena = X(arena)(s);
    int *left = sp_arena_take(&arena, (size_t)s->grid.tile_count, sizeof *left);
    clear_args args = {.s = s, .tiles = left};
    int count = X(list_left)(&s->tiles, &s->grid, left);
    list_moving(&args);
    sp_parallel_for(s->common->pool, (size_t)count, 1, clear_range, &args);
}
