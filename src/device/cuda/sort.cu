/* sort.cu -- SORT on the device: particles by tile, cell and id, and the lists of tiles.
 *
 * Keys (tile and cell) are radix-sorted with the particles' numbers; inside a cell the numbers are
 * then put in order of their ids; every column is gathered through the result. The order is that of
 * device/cpu/sort.c, and so are the lists, but for the order of liquid tiles, which are not grouped
 * by colour. */
#include "device/cuda/launch.h"

enum { LIQUID = 1, ACTIVE = 2, BORDER = 4, ACROSS = 8 }; /* TILE_... of sim/state.h */

/* ---- keys */

typedef struct key_args {
    X(fields) f;
    uint32_t *key, *order;
} key_args;

MAP(find_keys, key_args)
{
    const X(grid) *g = &a->f.grid;
    uint32_t tile = 0, cell = 0;
    for (int d = DIM - 1; d >= 0; d--) {
        float x = a->f.x[d][i];
        int c = x > 0.0f ? (int)x : 0;
        c = c < g->n[d] ? c : g->n[d] - 1;
        tile = tile * (uint32_t)g->tiles[d] + ((uint32_t)c >> TILE_SHIFT) + 1;
        cell = cell * TILE + ((uint32_t)c & (TILE - 1));
    }
    a->key[i] = tile * TILE_CELLS + cell;
    a->order[i] = (uint32_t)i;
}

/* The first particle of each tile, by bisection of the sorted keys. */
MAP(find_starts, key_args)
{
    uint32_t low = 0, high = a->f.particle_count, wanted = (uint32_t)i * TILE_CELLS;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (a->key[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    a->f.tile_start[i] = low;
}

/* ---- lists of tiles */

typedef struct tile_args {
    X(fields) f;
    uint32_t *flags;
    const uint32_t *places;
    int *list;
    int axis;
    int which; /* the list being made */
} tile_args;
enum { LIST_ACTIVE, LIST_BORDER, LIST_FACES, LIST_LIQUID, LIST_LEFT, LISTS };

GPU_FN bool in_domain(const X(grid) *g, const int t[DIM])
{
    bool inside = true;
    FOR_DIM(d)
        inside = inside && t[d] >= 1 && t[d] <= g->tiles[d] - 2;
    return inside;
}

GPU_FN bool has_particles(const X(fields) *f, int tile)
{
    return f->tile_start[tile + 1] > f->tile_start[tile];
}

/* Whether a tile around t (itself included) is liquid, or has one of `bits`. */
GPU_FN bool is_beside(const X(fields) *f, const int t[DIM], uint8_t bits)
{
    bool found = false;
    for (int c = 0; c < (DIM == 3 ? 27 : 9); c++) {
        int offset[3] = {c % 3 - 1, c / 3 % 3 - 1, c / 9 - 1}, near[DIM];
        bool there = true;
        FOR_DIM(d) {
            near[d] = t[d] + offset[d];
            there = there && near[d] >= 0 && near[d] < f->grid.tiles[d];
        }
        if (!there)
            continue;
        int tile = X(tile_number)(&f->grid, near);
        found = found || (bits ? (f->tile_state[tile] & bits) != 0 : has_particles(f, tile));
    }
    return found;
}

MAP(mark_active, tile_args)
{
    int t[DIM];
    uint8_t state = (uint8_t)((a->f.tile_state[i] & 0xf) << 4);
    X(tile_coordinates)(&a->f.grid, (int)i, t);
    if (has_particles(&a->f, (int)i))
        state |= LIQUID;
    if (in_domain(&a->f.grid, t) && is_beside(&a->f, t, 0))
        state |= ACTIVE;
    a->f.tile_state[i] = state;
}

/* Across a periodic side, as in sim/tiles.c. */
MAP(mark_across, tile_args)
{
    const X(grid) *g = &a->f.grid;
    int t[DIM], last = g->tiles[a->axis] - 2, axis = a->axis;
    X(tile_coordinates)(g, (int)i, t);
    int place = t[axis];
    bool found = false;
    for (int source = 1; source <= last; source++) {
        bool low = source <= 2, high = source >= last - 1;
        bool wanted = (low && place >= last - 1 && place <= last) ||
                      (!low && high && place >= 1 && place <= 2);
        if (!wanted)
            continue;
        t[axis] = source;
        found = found || (a->f.tile_state[X(tile_number)(g, t)] & ACTIVE);
    }
    a->flags[i] = found && place >= 1;
}

MAP(take_across, tile_args)
{
    if (a->flags[i])
        a->f.tile_state[i] |= ACTIVE;
}

MAP(mark_border, tile_args)
{
    int t[DIM];
    X(tile_coordinates)(&a->f.grid, (int)i, t);
    /* reads ACTIVE and writes BORDER of tiles that are never active */
    if (!in_domain(&a->f.grid, t))
        a->flags[i] = is_beside(&a->f, t, ACTIVE);
    else
        a->flags[i] = 0;
}

MAP(take_border, tile_args)
{
    if (a->flags[i])
        a->f.tile_state[i] |= BORDER;
}

GPU_FN bool ends_domain(const X(grid) *g, int tile)
{
    int t[DIM], outside = 0;
    bool ends = true;
    X(tile_coordinates)(g, tile, t);
    FOR_DIM(d) {
        if (t[d] >= 1 && t[d] <= g->tiles[d] - 2)
            continue;
        outside++;
        ends = ends && t[d] == g->tiles[d] - 1 && g->n[d] % TILE == 0 && !g->periodic[d];
    }
    return ends && outside == 1;
}

GPU_FN bool is_listed(const tile_args *a, int tile)
{
    uint8_t state = a->f.tile_state[tile];
    bool active = state & ACTIVE, border = state & BORDER;
    switch (a->which) {
    case LIST_ACTIVE: return active;
    case LIST_BORDER: return border;
    case LIST_FACES: return active || (border && ends_domain(&a->f.grid, tile));
    case LIST_LIQUID: return active && (state & LIQUID);
    default: return (state >> 4 & (ACTIVE | BORDER)) && !active && !border;
    }
}

MAP(flag_listed, tile_args)
{
    a->flags[i] = i < (size_t)a->f.grid.tile_count && is_listed(a, (int)i);
}

MAP(list_tiles, tile_args)
{
    if (a->flags[i])
        a->list[a->places[i]] = (int)i;
}

static void make_lists(X(gpu) *g)
{
    size_t tiles = (size_t)g->f.grid.tile_count;
    int *lists[LISTS] = {g->f.active, g->f.border, g->f.faces, g->f.liquid, g->left};
    uint32_t totals[LISTS];
    tile_args args;
    memset(&args, 0, sizeof args);
    args.f = g->f;
    for (int k = 0; k < LISTS; k++) {
        uint32_t *places = g->tile_flags + (size_t)(k + 1) * (tiles + 1);
        args.which = k;
        args.flags = g->tile_flags;
        args.places = places;
        args.list = lists[k];
        flag_listed(g, args, tiles + 1);
        X(gpu_scan)(g, args.flags, places, tiles + 1);
        list_tiles(g, args, tiles);
        X(gpu_copy)(g, g->list_totals + k, places + tiles, sizeof *places);
    }
    X(gpu_download)(g, totals, g->list_totals, sizeof totals);
    g->f.active_count = (int)totals[LIST_ACTIVE];
    g->f.border_count = (int)totals[LIST_BORDER];
    g->f.face_count = (int)totals[LIST_FACES];
    g->f.liquid_count = (int)totals[LIST_LIQUID];
    g->left_count = (int)totals[LIST_LEFT];
}

/* What leaves the active tiles is cleared. */
typedef struct clear_args {
    X(fields) f;
    const int *left;
} clear_args;

MAP(clear_left, clear_args)
{
    int cell[DIM];
    const X(fields) *f = &a->f;
    size_t c = X(tile_place)(&f->grid, a->left[i / TILE_CELLS], (int)(i % TILE_CELLS), cell);
    FOR_DIM(d) {
        f->u[d][c] = f->u_old[d][c] = f->weight[d][c] = 0.0f;
        f->known[d][c] = f->known_next[d][c] = 0;
    }
    f->phi[c] = f->p[c] = 0.0f;
    if (f->density)
        f->density[c] = 0.0f;
    f->type[c] = 0;
    f->first[c] = f->count[c] = 0;
}

static void update_tiles(X(gpu) *g)
{
    size_t tiles = (size_t)g->f.grid.tile_count;
    tile_args args;
    memset(&args, 0, sizeof args);
    args.f = g->f;
    args.flags = g->tile_flags;
    mark_active(g, args, tiles);
    for (args.axis = 0; args.axis < DIM; args.axis++)
        if (g->f.grid.periodic[args.axis]) {
            mark_across(g, args, tiles);
            take_across(g, args, tiles);
        }
    mark_border(g, args, tiles);
    take_border(g, args, tiles);
    make_lists(g);
    clear_args clear = {g->f, g->left};
    clear_left(g, clear, (size_t)g->left_count * TILE_CELLS);
}

/* ---- cells */

typedef struct cell_args {
    X(fields) f;
    const uint32_t *key;
    uint32_t *order;
} cell_args;

MAP(empty_cells, cell_args)
{
    int cell[DIM], tile = a->f.active[i / TILE_CELLS];
    size_t c = X(tile_place)(&a->f.grid, tile, (int)(i % TILE_CELLS), cell);
    a->f.first[c] = a->f.tile_start[tile];
    a->f.count[c] = 0;
}

GPU_FN size_t cell_of_key(const X(grid) *g, uint32_t key)
{
    int cell[DIM];
    return X(tile_place)(g, (int)(key / TILE_CELLS), (int)(key % TILE_CELLS), cell);
}

MAP(begin_cells, cell_args)
{
    if (i == 0 || a->key[i - 1] != a->key[i])
        a->f.first[cell_of_key(&a->f.grid, a->key[i])] = (uint32_t)i;
}

MAP(end_cells, cell_args)
{
    if (i + 1 == a->f.particle_count || a->key[i + 1] != a->key[i]) {
        size_t c = cell_of_key(&a->f.grid, a->key[i]);
        a->f.count[c] = (uint32_t)i + 1 - a->f.first[c];
    }
}

GPU_FN void insert_by_id(uint32_t *list, uint32_t n, const uint32_t *id)
{
    for (uint32_t k = 1; k < n; k++) {
        uint32_t item = list[k], key = id[item], at = k;
        for (; at > 0 && id[list[at - 1]] > key; at--)
            list[at] = list[at - 1];
        list[at] = item;
    }
}

/* For a crowded cell: a heap in place. */
GPU_FN void heap_by_id(uint32_t *list, uint32_t n, const uint32_t *id)
{
    for (uint32_t end = n, start = n / 2; end > 1;) {
        uint32_t root, item;
        if (start > 0) {
            root = --start;
            item = list[root];
        } else {
            root = 0;
            item = list[--end];
            list[end] = list[0];
        }
        for (uint32_t child; (child = 2 * root + 1) < end; root = child) {
            if (child + 1 < end && id[list[child]] < id[list[child + 1]])
                child++;
            if (id[item] >= id[list[child]])
                break;
            list[root] = list[child];
        }
        list[root] = item;
    }
}

MAP(order_cells, cell_args)
{
    int cell[DIM];
    size_t c = X(tile_place)(&a->f.grid, a->f.liquid[i / TILE_CELLS], (int)(i % TILE_CELLS), cell);
    uint32_t n = a->f.count[c], *list = a->order + a->f.first[c];
    if (n > 64)
        heap_by_id(list, n, a->f.id);
    else if (n > 1)
        insert_by_id(list, n, a->f.id);
}

/* ---- columns */

typedef struct gather_args {
    const uint32_t *order, *from;
    uint32_t *to;
} gather_args;

MAP(gather_column, gather_args)
{
    a->to[i] = a->from[a->order[i]];
}

static void gather(X(gpu) *g, void **column)
{
    gather_args args = {g->order, (const uint32_t *)*column, (uint32_t *)g->spare};
    gather_column(g, args, g->f.particle_count);
    g->spare = (float *)*column;
    *column = args.to;
}

static int bits_of(uint32_t largest)
{
    int bits = 1;
    while (bits < 32 && largest >> bits)
        bits++;
    return bits;
}

void X(gpu_sort_particles)(X(gpu) *g)
{
    uint32_t count = g->f.particle_count;
    key_args keys = {g->f, g->key, g->order};
    find_keys(g, keys, count);
    X(gpu_sort)(g, &g->key, &g->key_other, &g->order, &g->order_other, count,
                bits_of((uint32_t)g->f.grid.tile_count * TILE_CELLS));
    keys.key = g->key;
    find_starts(g, keys, (size_t)g->f.grid.tile_count + 1);
    update_tiles(g);
    cell_args cells = {g->f, g->key, g->order};
    empty_cells(g, cells, (size_t)g->f.active_count * TILE_CELLS);
    begin_cells(g, cells, count);
    end_cells(g, cells, count);
    order_cells(g, cells, (size_t)g->f.liquid_count * TILE_CELLS);
    FOR_DIM(d) {
        gather(g, (void **)&g->f.x[d]);
        gather(g, (void **)&g->f.v[d]);
    }
    gather(g, (void **)&g->f.id);
    for (int e = 0; e < DIM * DIM && g->f.apic; e++)
        gather(g, (void **)&g->f.c[e]);
    for (int e = 0; e < g->f.channel_columns; e++)
        gather(g, (void **)&g->f.channel[e]);
}
