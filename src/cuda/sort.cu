/* sort.cu -- SORT on the device: particles by tile, cell and id, and the lists of tiles.
 *
 * A counting sort. Each particle counts itself in its cell; sums over the cells of tiles and over
 * tiles give each cell its places; the ids of a cell's particles are laid there, in any order, and
 * each particle finds its own place by counting the smaller ids among them. Every column is then
 * gathered. The order is that of cpu/sort.c, and so are the lists.
 *
 * Particles move a cell or two in a step, so what is near in the old order is near in the new one,
 * and all these accesses find their neighbours in the cache. */
#include "kernels/flight.h"
#include "kernels/heap.h"
#include "launch.h"

#define CROWD 1024 /* a cell with more particles is sorted by one thread, on a heap */

typedef struct sort_args {
    X(fields) f;
    uint32_t *key;    /* per particle: index of its cell */
    uint32_t *rank;   /* and its number in the cell, as it came */
    uint32_t *ids;    /* of each cell's particles, by rank */
    uint32_t *order;  /* the particles in their final order */
    uint32_t *sorted; /* and their ids */
    uint32_t *totals; /* particles per tile */
} sort_args;

/* ---- counts */

MAP(count_in_cells, sort_args)
{
    const X(grid) *g = &a->f.grid;
    int cell[DIM];
    FOR_DIM(d) {
        float x = a->f.particles.x[d][i];
        cell[d] = x > 0.0f ? (int)x : 0;
        cell[d] = cell[d] < g->n[d] ? cell[d] : g->n[d] - 1;
    }
    uint32_t c = (uint32_t)X(index)(g, cell);
    a->key[i] = c;
    a->rank[i] = GPU_ADD32(&a->f.count[c], 1u);
}

typedef struct row_sums {
    uint32_t sum[TILE_ROWS + 1];
} row_sums;

GPU_FN uint32_t sum_row(const X(fields) *f, int tile, int row)
{
    const uint32_t *count = f->count + X(tile_index)(&f->grid, tile) + X(row_offset)(&f->grid, row);
    uint32_t sum = 0;
    for (int k = 0; k < TILE; k++)
        sum += count[k];
    return sum;
}

BLOCKS(count_in_tiles, sort_args, row_sums, TILE_ROWS)
{
    FOR_THREADS(r, TILE_ROWS)
        shared->sum[r] = sum_row(&a->f, (int)block, r);
    BARRIER();
    FOR_THREADS(t, 1) {
        uint32_t sum = 0;
        for (int r = 0; r < TILE_ROWS; r++)
            sum += shared->sum[r];
        a->totals[block] = sum;
    }
}

/* ---- lists of tiles */

enum { LIST_ACTIVE, LIST_BORDER, LIST_FACES, LIST_LEFT, LIST_LIQUID, LISTS = GPU_LISTS };

typedef struct tile_args {
    X(fields) f;
    uint32_t *flags;        /* all lists in one array: tile_count + 1 values each */
    const uint32_t *places; /* sums of the flags */
    uint32_t *totals;
    int *list[LIST_LIQUID + 1]; /* liquid tiles are one list, of as many parts as colours */
    int axis;
} tile_args;

GPU_FN bool has_particles(const X(fields) *f, int tile)
{
    return f->tiles.start[tile + 1] > f->tiles.start[tile];
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
        found = found || (bits ? (f->tiles.state[tile] & bits) != 0 : has_particles(f, tile));
    }
    return found;
}

MAP(mark_active, tile_args)
{
    int t[DIM];
    uint8_t state = (uint8_t)((a->f.tiles.state[i] & 0xf) << 4);
    X(tile_coordinates)(&a->f.grid, (int)i, t);
    if (has_particles(&a->f, (int)i))
        state |= TILE_LIQUID;
    if (X(in_domain)(&a->f.grid, t) && (a->f.tiles.everywhere || is_beside(&a->f, t, 0)))
        state |= TILE_ACTIVE;
    a->f.tiles.state[i] = state;
}

/* Across a periodic side, as in cpu/tiles.c. */
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
        found = found || (a->f.tiles.state[X(tile_number)(g, t)] & TILE_ACTIVE);
    }
    a->flags[i] = found && place >= 1;
}

MAP(take_across, tile_args)
{
    if (a->flags[i])
        a->f.tiles.state[i] |= TILE_ACTIVE;
}

MAP(mark_border, tile_args)
{
    int t[DIM];
    X(tile_coordinates)(&a->f.grid, (int)i, t);
    /* reads TILE_ACTIVE and writes TILE_BORDER of tiles that are never active */
    if (!X(in_domain)(&a->f.grid, t))
        a->flags[i] = is_beside(&a->f, t, TILE_ACTIVE);
    else
        a->flags[i] = 0;
}

MAP(take_border, tile_args)
{
    if (a->flags[i])
        a->f.tiles.state[i] |= TILE_BORDER;
}

GPU_FN bool is_listed(const tile_args *a, int tile, int which)
{
    uint8_t state = a->f.tiles.state[tile];
    bool active = state & TILE_ACTIVE, border = state & TILE_BORDER;
    switch (which) {
    case LIST_ACTIVE: return active;
    case LIST_BORDER: return border;
    case LIST_FACES: return active || (border && X(ends_domain)(&a->f.grid, tile));
    case LIST_LEFT: return (state >> 4 & (TILE_ACTIVE | TILE_BORDER)) && !active && !border;
    default:
        return active && (state & TILE_LIQUID) &&
               X(tile_colour)(&a->f.grid, tile) == which - LIST_LIQUID;
    }
}

MAP(flag_listed, tile_args)
{
    size_t each = (size_t)a->f.grid.tile_count + 1;
    int tile = (int)(i % each);
    a->flags[i] = tile < a->f.grid.tile_count && is_listed(a, tile, (int)(i / each));
}

MAP(list_tiles, tile_args)
{
    size_t each = (size_t)a->f.grid.tile_count + 1, which = i / each;
    size_t list = which < LIST_LIQUID ? which : LIST_LIQUID;
    if (a->flags[i])
        a->list[list][a->places[i] - a->places[list * each]] = (int)(i % each);
    if (i % each == each - 1)
        a->totals[which] = a->places[i] - a->places[which * each];
}

static void make_lists(X(gpu) *g, tile_args args)
{
    size_t all = LISTS * ((size_t)g->f.grid.tile_count + 1);
    int *lists[] = {g->f.tiles.active, g->f.tiles.border, g->f.tiles.faces, g->left,
                    g->f.tiles.liquid};
    uint32_t totals[LISTS];
    memcpy(args.list, lists, sizeof lists);
    flag_listed(g, args, all);
    DEV(gpu_scan)(g, g->tile_flags, g->tile_flags + all, all);
    args.places = g->tile_flags + all;
    args.totals = g->list_totals;
    list_tiles(g, args, all);
    memset(totals, 0, sizeof totals);
    DEV(gpu_download)(g, totals, g->list_totals, sizeof totals);
    g->f.tiles.active_count = (int)totals[LIST_ACTIVE];
    g->f.tiles.border_count = (int)totals[LIST_BORDER];
    g->f.tiles.face_count = (int)totals[LIST_FACES];
    g->left_count = (int)totals[LIST_LEFT];
    g->f.tiles.colour_start[0] = 0;
    for (int c = 0; c < COLOURS; c++)
        g->f.tiles.colour_start[c + 1] = g->f.tiles.colour_start[c] + (int)totals[LIST_LIQUID + c];
    g->f.tiles.liquid_count = g->f.tiles.colour_start[COLOURS];
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
#define CLEAR_ONE(name) \
    if (f->name)        \
        f->name[c] = 0;
#define CLEAR_AXES(name)                        \
    for (int d = 0; d < DIM && f->name[0]; d++) \
        f->name[d][c] = 0;
#define CLEAR_COLUMNS(name)              \
    for (int j = 0; j < f->on_grid; j++) \
        f->name[j][c] = 0;
#define FIELDS(name, shape, type, extent, outside, group, host, used, device, ...) \
    if (OUTSIDE_##outside != 0 && WHEN_##device != 0) {                            \
        CLEAR_##shape(name)                                                        \
    }
#include "kernels/grid.def"
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
    make_lists(g, args);
    clear_args clear = {g->f, g->left};
    clear_left(g, clear, (size_t)g->left_count * TILE_CELLS);
}

/* ---- places */

/* The first place of each cell of an active tile. */
BLOCKS(place_cells, sort_args, row_sums, TILE_ROWS)
{
    int tile = a->f.tiles.active[block];
    FOR_THREADS(r, TILE_ROWS)
        shared->sum[r] = sum_row(&a->f, tile, r);
    BARRIER();
    FOR_THREADS(t, 1) {
        uint32_t place = a->f.tiles.start[tile];
        for (int r = 0; r < TILE_ROWS; r++) {
            uint32_t sum = shared->sum[r];
            shared->sum[r] = place;
            place += sum;
        }
    }
    BARRIER();
    FOR_THREADS(r, TILE_ROWS) {
        size_t c = X(tile_index)(&a->f.grid, tile) + X(row_offset)(&a->f.grid, r);
        uint32_t place = shared->sum[r];
        for (int k = 0; k < TILE; k++) {
            a->f.first[c + (size_t)k] = place;
            place += a->f.count[c + (size_t)k];
        }
    }
}

MAP(lay_ids, sort_args)
{
    a->ids[a->f.first[a->key[i]] + a->rank[i]] = a->f.particles.id[0][i];
}

/* Ids are never used twice: the number of smaller ones is the place. */
MAP(find_places, sort_args)
{
    uint32_t c = a->key[i], first = a->f.first[c], n = a->f.count[c], id = a->f.particles.id[0][i];
    uint32_t place = n > CROWD ? a->rank[i] : 0;
    if (n <= CROWD)
        for (uint32_t k = first; k < first + n; k++)
            place += a->ids[k] < id;
    a->order[first + place] = (uint32_t)i;
    a->sorted[first + place] = id;
}

MAP(order_crowds, sort_args)
{
    int cell[DIM];
    size_t c =
        X(tile_place)(&a->f.grid, a->f.tiles.liquid[i / TILE_CELLS], (int)(i % TILE_CELLS), cell);
    uint32_t n = a->f.count[c], first = a->f.first[c];
    if (n <= CROWD)
        return;
    sp_heap_sort(a->order + first, n, a->key, a->f.particles.id[0]);
    for (uint32_t k = first; k < first + n; k++)
        a->sorted[k] = a->f.particles.id[0][a->order[k]];
}

/* ---- free flight: cpu/flight.c */

typedef struct flight_args {
    X(fields) f;
    const uint32_t *key, *order; /* as in sort_args */
    uint8_t *kinds;              /* by place in the order, like what follows */
    uint32_t *flags;             /* it flies */
    const uint32_t *before;      /* how many before it do */
    uint32_t *to;                /* the order with those behind the others */
    uint32_t *sorted;            /* ids in that order */
} flight_args;

GPU_FN X(flight) flight_of(const flight_args *a)
{
    X(flight) f;
    f.grid = &a->f.grid;
    f.sides = a->f.sides;
    f.solids = &a->f.solids;
    f.first = a->f.first;
    f.count = a->f.count;
    f.order = a->order;
    FOR_DIM(d)
        f.x[d] = a->f.particles.x[d];
    f.marks = a->f.marks;
    f.rest = a->f.rest;
    return f;
}

/* Over the cells of liquid tiles: in water the counts of the cells around say enough. */
MAP(find_kinds, flight_args)
{
    int c[DIM], tile = a->f.tiles.liquid[i / TILE_CELLS];
    size_t cell = X(tile_place)(&a->f.grid, tile, (int)(i % TILE_CELLS), c);
    X(flight) f = flight_of(a);
    uint32_t k = f.first[cell], end = k + f.count[cell];
    if (k == end || X(count_around)(&f, c) > X(sparse_limit)(f.grid, c, f.rest))
        return;
    for (; k < end; k++)
        if (X(is_loose)(&f, c, cell, k))
            a->kinds[k] = PARTICLE_LOOSE;
}

MAP(find_flying, flight_args)
{
    int c[DIM], tile = a->f.tiles.liquid[i / TILE_CELLS];
    size_t cell = X(tile_place)(&a->f.grid, tile, (int)(i % TILE_CELLS), c);
    X(flight) f = flight_of(a);
    for (uint32_t k = f.first[cell], end = k + f.count[cell]; k < end; k++)
        if (a->kinds[k] == PARTICLE_LOOSE && !X(is_filled)(&f, c, k, a->kinds, TOUCH))
            a->flags[k] = 1;
}

MAP(count_out, flight_args)
{
    if (a->flags[i])
        GPU_ADD32(&a->f.count[a->key[a->order[i]]], ~0u); /* one less */
}

MAP(take_out, flight_args)
{
    uint32_t before = a->before[i];
    a->to[a->flags[i] ? a->f.tiles.first_flying + before : (uint32_t)i - before] = a->order[i];
}

MAP(read_ids, flight_args)
{
    a->sorted[i] = a->f.particles.id[0][a->order[i]];
}

MAP(list_again, tile_args)
{
    uint8_t state = a->f.tiles.state[i]; /* as in X(update_tiles_again) */
    a->f.tiles.state[i] = (uint8_t)(state >> 4 | (state & (TILE_ACTIVE | TILE_BORDER)));
}

/* The tables without the particles that have been taken out. */
static void place_again(X(gpu) *g, sort_args args)
{
    size_t tiles = (size_t)g->f.grid.tile_count;
    tile_args states;
    memset(&states, 0, sizeof states);
    states.f = g->f;
    args.f = g->f;
    DEV(gpu_set)(g, args.totals + tiles, 0, sizeof *args.totals);
    count_in_tiles(g, args, tiles);
    DEV(gpu_scan)(g, args.totals, g->f.tiles.start, tiles + 1);
    list_again(g, states, tiles);
    update_tiles(g);
    args.f = g->f;
    place_cells(g, args, (size_t)g->f.tiles.active_count);
}

static void set_flying_apart(X(gpu) *g, const sort_args *sort)
{
    uint32_t count = g->f.particles.count, last[2] = {0, 0};
    /* the columns of ids and ranks are free, in the end also that of cells */
    flight_args args = {
        g->f,         g->key, g->order,      (uint8_t *)g->key_other, (uint32_t *)g->spare,
        g->key_other, g->key, g->order_other};
    size_t cells = (size_t)g->f.tiles.liquid_count * TILE_CELLS;
    DEV(gpu_set)(g, args.kinds, PARTICLE_DENSE, count);
    DEV(gpu_set)(g, args.flags, 0, count * sizeof *args.flags);
    find_kinds(g, args, cells);
    find_flying(g, args, cells);
    DEV(gpu_scan)(g, args.flags, g->key_other, count);
    DEV(gpu_download)(g, &last[0], args.flags + count - 1, sizeof last[0]);
    DEV(gpu_download)(g, &last[1], args.before + count - 1, sizeof last[1]);
    uint32_t flying = last[0] + last[1];
    if (flying == 0 || g->failure[0])
        return;
    g->f.tiles.first_flying = count - flying;
    args.f = g->f;
    count_out(g, args, count);
    take_out(g, args, count);
    g->key = g->order;
    g->order = args.to;
    args.order = g->order;
    read_ids(g, args, count);
    place_again(g, *sort);
}

/* ---- columns: as many at a time as there are spare ones */

#define SPARES 4

typedef struct gather_args {
    const uint32_t *order, *from[SPARES];
    uint32_t *to[SPARES];
    int columns;
} gather_args;

MAP(gather_columns, gather_args)
{
    uint32_t k = a->order[i];
    SP_UNROLL_ALL
    for (int e = 0; e < SPARES; e++)
        if (e < a->columns)
            a->to[e][i] = a->from[e][k];
}

static void gather(X(gpu) *g, void **columns[], int count)
{
    void **spare[SPARES] = {(void **)&g->spare, (void **)&g->key, (void **)&g->key_other,
                            (void **)&g->order_other};
    for (int first = 0; first < count; first += SPARES) {
        gather_args args;
        memset(&args, 0, sizeof args);
        args.order = g->order;
        args.columns = count - first < SPARES ? count - first : SPARES;
        for (int e = 0; e < args.columns; e++) {
            args.from[e] = (const uint32_t *)*columns[first + e];
            args.to[e] = (uint32_t *)*spare[e];
            *spare[e] = *columns[first + e];
            *columns[first + e] = args.to[e];
        }
        gather_columns(g, args, g->f.particles.count);
    }
}

static void gather_all(X(gpu) *g)
{
    void **columns[MAX_COLUMNS], **id = (void **)&g->f.particles.id[0];
    int all = X(list_columns)(&g->f.particles, false, columns), count = 0;
    for (int k = 0; k < all; k++)
        if (columns[k] != id)
            columns[count++] = columns[k];
    uint32_t *old = g->f.particles.id[0];
    g->f.particles.id[0] = g->order_other; /* find_places has made it */
    g->order_other = old;
    gather(g, columns, count);
}

void DEV(gpu_sort_particles)(X(gpu) *g)
{
    uint32_t count = g->f.particles.count;
    size_t tiles = (size_t)g->f.grid.tile_count;
    sort_args args = {g->f,     g->key,         g->key_other, (uint32_t *)g->spare,
                      g->order, g->order_other, g->tile_flags};
    DEV(gpu_set)(g, g->f.count, 0, g->f.grid.size * sizeof *g->f.count);
    count_in_cells(g, args, count);
    DEV(gpu_set)(g, args.totals + tiles, 0, sizeof *args.totals);
    count_in_tiles(g, args, tiles);
    DEV(gpu_scan)(g, args.totals, g->f.tiles.start, tiles + 1);
    update_tiles(g);
    args.f = g->f;
    place_cells(g, args, (size_t)g->f.tiles.active_count);
    lay_ids(g, args, count);
    find_places(g, args, count);
    order_crowds(g, args, (size_t)g->f.tiles.liquid_count * TILE_CELLS);
    g->f.tiles.first_flying = count;
    if (count > 0 && g->f.free_flight && X(may_fly)(g->f.rest))
        set_flying_apart(g, &args);
    gather_all(g);
}
