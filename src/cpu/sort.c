/* sort.c -- particles by tile, by cell inside the tile, by id inside the cell.
 *
 * The order is canonical: it depends on where the particles are and on nothing else, neither on the
 * order before nor on the number of threads. Four passes:
 *   1. each thread finds the keys (tile and cell) of its share and counts them by tile;
 *   2. prefix sums give every (tile, thread) its place, and each thread lays its particles' numbers
 *      there: particles that have not left their tile come in runs;
 *   3. each tile sorts its numbers by cell (counting) and each cell by id (a particle's rank is how
 *      many ids are smaller: no branch, eight at a time), in scratch that stays in the cache;
 *   4. every column is gathered through the result, into the spare column, which then takes its
 *      place.
 * Between the last two, particles in free flight are taken out of the tiles and put behind them
 * (flight.c).
 * The tables that come with it say where the particles of a tile and of a cell are. If nothing has
 * moved since the last time, there is nothing to do. */
#include "cpu.h"
#include "kernels/heap.h"
#include "simd.h"

#include <string.h>

#define TILE_MOST 16384           /* particles of a tile that is sorted the fast way */
#define CACHES ((size_t)16 << 20) /* bytes: columns that are larger are not looked for in them */

typedef struct sort_args {
    const X(particles) *p;
    const X(cell_list) *list;
    X(word) *key;        /* per particle: tile * TILE_CELLS + cell in tile */
    uint32_t *histogram; /* [share][tile] */
    char *scratch;       /* pass 3, one part per worker */
    int shares;
    const X(word) *from; /* pass 4 */
    X(word) *to;
    bool past_caches; /* the columns are larger than they are */
} sort_args;

/* The keys of particles k .. k + n - 1. What lies outside of the domain counts for its last cell.
 */
SIMD_FN u8 keys_of(const X(grid) *g, const X(particles) *p, size_t k, size_t n)
{
    u8 tile = {0}, cell = {0};
    for (int d = DIM - 1; d >= 0; d--) {
        f8 x = load_n(p->x[d] + k, n);
        i8 c = convert(x, i8);
        c &= x > 0.0f;
        c += (g->n[d] - 1 - c) & (c >= g->n[d]);
        tile = tile * (uint32_t)g->tiles[d] + ((u8)c >> TILE_SHIFT) + 1;
        cell = cell * TILE + ((u8)c & (TILE - 1));
    }
    return tile * TILE_CELLS + cell;
}

static void share_bounds(const sort_args *args, size_t share, size_t *begin, size_t *end)
{
    size_t count = args->p->count, shares = (size_t)args->shares;
    *begin = count * share / shares;
    *end = count * (share + 1) / shares;
}

static void count_range(void *user, size_t first, size_t last, int worker)
{
    (void)worker;
    sort_args *args = user;
    const X(grid) *g = args->list->grid;
    const X(particles) *p = args->p;
    for (size_t share = first; share < last; share++) {
        uint32_t *histogram = args->histogram + share * (size_t)g->tile_count;
        size_t begin, end;
        share_bounds(args, share, &begin, &end);
        memset(histogram, 0, (size_t)g->tile_count * sizeof *histogram);
        for (size_t k = begin; k < end; k += LANES) {
            size_t n = end - k < LANES ? end - k : LANES;
            uint32_t key[LANES];
            u8 keys = keys_of(g, p, k, n);
            memcpy(key, &keys, sizeof key);
            memcpy(args->key + k, key, n * sizeof *key);
            if (n == LANES && all((i8)(keys / TILE_CELLS == key[0] / TILE_CELLS))) {
                histogram[key[0] / TILE_CELLS] += LANES;
                continue;
            }
            for (size_t lane = 0; lane < n; lane++)
                histogram[key[lane] / TILE_CELLS]++;
        }
    }
}

static void lay_range(void *user, size_t first, size_t last, int worker)
{
    (void)worker;
    sort_args *args = user;
    uint32_t *order = args->p->order;
    const X(word) *key = args->key;
    for (size_t share = first; share < last; share++) {
        uint32_t *next = args->histogram + share * (size_t)args->list->grid->tile_count;
        size_t begin, end;
        share_bounds(args, share, &begin, &end);
        for (size_t k = begin; k < end;) {
            uint32_t tile = key[k] / TILE_CELLS, place = next[tile];
            for (; k < end && key[k] / TILE_CELLS == tile; k++)
                order[place++] = (uint32_t)k;
            next[tile] = place;
        }
    }
}

/* From counts to first places: tiles in order, shares in order inside a tile. */
static void prefix_sums(sort_args *args)
{
    size_t tiles = (size_t)args->list->grid->tile_count;
    uint32_t sum = 0, *start = args->list->tiles->start;
    for (size_t tile = 0; tile < tiles; tile++) {
        start[tile] = sum;
        for (int share = 0; share < args->shares; share++) {
            uint32_t *slot = &args->histogram[(size_t)share * tiles + tile];
            uint32_t count = *slot;
            *slot = sum;
            sum += count;
        }
    }
    start[tiles] = sum;
}

/* Ids as signed numbers in the same order. */
SIMD_FN int32_t signed_id(uint32_t id)
{
    return (int32_t)(id ^ 0x80000000u);
}

/* Eight of them; after the n-th, the largest there is. */
SIMD_FN i8 load_ids(const int32_t *id, uint32_t n)
{
    const u8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
    i8 ids, missing = (i8)(lane >= n);
    memcpy(&ids, id, sizeof ids);
    return (ids & ~missing) | (missing & INT32_MAX);
}

/* How many of `others` are smaller than each of `some`. */
SIMD_FN i8 smaller_ids(i8 some, i8 others)
{
    i8 count = {0};
    for (int lane = 0; lane < LANES; lane++)
        count -= some > others[lane];
    return count; /* a comparison that holds is -1 */
}

SIMD_FN void lay_by_rank(const uint32_t *list, i8 rank, uint32_t *to)
{
    int32_t place[LANES];
    memcpy(place, &rank, sizeof place);
    for (int lane = 0; lane < LANES; lane++)
        to[place[lane]] = list[lane];
}

/* The numbers of the particles of one cell, n of them, in order of their ids to `to`. Up to 2 LANES
 * without a loop; eight or sixteen are read from the lists, and something is written behind the
 * last of them, to[n], too. */
static void sort_few_by_id(const uint32_t *list, const int32_t *id, uint32_t n, uint32_t *to)
{
    i8 first = load_ids(id, n);
    if (n <= LANES) {
        lay_by_rank(list, smaller_ids(first, first), to);
        return;
    }
    i8 second = load_ids(id + LANES, n - LANES);
    lay_by_rank(list + LANES, smaller_ids(second, first) + smaller_ids(second, second), to);
    lay_by_rank(list, smaller_ids(first, first) + smaller_ids(first, second), to);
}

/* The same for any number, and nothing else is written. */
static void sort_by_id(const uint32_t *list, const int32_t *id, uint32_t n, uint32_t *to)
{
    for (uint32_t k = 0; k < n; k += LANES) {
        uint32_t rank[LANES], count = n - k < LANES ? n - k : LANES;
        i8 some = load_ids(id + k, count), smaller = {0};
        for (uint32_t other = 0; other < n; other++)
            smaller -= some > id[other];
        memcpy(rank, &smaller, sizeof rank);
        for (uint32_t lane = 0; lane < count; lane++)
            to[rank[lane]] = list[k + lane];
    }
}

/* Counters of a tile's cells, one for each of four parts of its particles: neighbours fall into the
 * same cell, and four counters wait less for each other than one for itself. */
#define PARTS 4
typedef uint32_t counters[PARTS][TILE_CELLS];

/* What a worker needs for a tile. */
typedef struct tile_scratch {
    uint32_t place[TILE_MOST + 2 * LANES]; /* numbers by cell */
    int32_t id[TILE_MOST + 2 * LANES];     /* their ids */
    uint16_t cell[TILE_MOST];              /* in the order of `order` */
    counters next;
} tile_scratch;

/* The sum of all lanes before each. */
SIMD_FN u8 sums_before(u8 v)
{
    const u8 none = {0};
    u8 sum = shuffle(v, none, 8, 0, 1, 2, 3, 4, 5, 6);
    sum += shuffle(sum, none, 8, 0, 1, 2, 3, 4, 5, 6);
    sum += shuffle(sum, none, 8, 8, 0, 1, 2, 3, 4, 5);
    sum += shuffle(sum, none, 8, 8, 8, 8, 0, 1, 2, 3);
    return sum;
}

/* From the counters of a tile's cells: first particle and number of each; the counters then say
 * where the next particle of a cell goes in the tile. */
static void place_cells(const X(cell_list) *list, int tile, counters next)
{
    const X(grid) *g = list->grid;
    uint32_t begin = list->tiles->start[tile], sum = 0;
    size_t base = X(tile_index)(g, tile);
    for (size_t cell = 0; cell < TILE_CELLS; cell += LANES) {
        size_t at = base + X(row_offset)(g, (int)(cell / TILE)) + cell % TILE;
        u8 count[PARTS], total = {0};
        for (int part = 0; part < PARTS; part++) {
            count[part] = u8_load(next[part] + cell);
            total += count[part];
        }
        u8 first = sum + sums_before(total);
        sum = first[LANES - 1] + total[LANES - 1];
        u8_store(list->first + at, begin + first);
        u8_store(list->count + at, total);
        for (int part = 0; part < PARTS; part++) {
            u8_store(next[part] + cell, first);
            first += count[part];
        }
    }
}

/* A tile that is too full for the scratch memory: a heap in place. */
static void sort_crowd(const sort_args *args, int tile, counters next)
{
    const uint32_t *start = args->list->tiles->start;
    uint32_t begin = start[tile], n = start[tile + 1] - begin, *order = args->p->order + begin;
    for (uint32_t k = 0; k < n; k++)
        next[0][args->key[order[k]] % TILE_CELLS]++;
    place_cells(args->list, tile, next);
    sp_heap_sort(order, n, args->key, args->p->id[0]);
}

/* Particle k of a tile, in one of its parts, to the next place of its cell. */
SIMD_FN void place_one(tile_scratch *t, uint32_t part, uint32_t k, const uint32_t *order,
                       const uint32_t *id)
{
    uint32_t place = t->next[part][t->cell[k]]++;
    t->place[place] = order[k];
    t->id[place] = signed_id(id[order[k]]);
}

/* The numbers of a tile's particles, and their ids, to the places of their cells. */
static void sort_by_cell(const sort_args *args, int tile, tile_scratch *t)
{
    const X(word) *key = args->key;
    const uint32_t *start = args->list->tiles->start;
    const uint32_t *order = args->p->order + start[tile], *id = args->p->id[0];
    uint32_t n = start[tile + 1] - start[tile], part_size = n / PARTS;
    for (uint32_t k = 0; k < n; k++)
        t->cell[k] = (uint16_t)(key[order[k]] % TILE_CELLS);
    for (uint32_t k = 0; k < part_size; k++)
        for (uint32_t part = 0; part < PARTS; part++)
            t->next[part][t->cell[part * part_size + k]]++;
    for (uint32_t k = PARTS * part_size; k < n; k++)
        t->next[PARTS - 1][t->cell[k]]++;
    place_cells(args->list, tile, t->next);
    for (uint32_t k = 0; k < part_size; k++)
        for (uint32_t part = 0; part < PARTS; part++)
            place_one(t, part, part * part_size + k, order, id);
    for (uint32_t k = PARTS * part_size; k < n; k++)
        place_one(t, PARTS - 1, k, order, id);
}

static void sort_tile(const sort_args *args, int tile, tile_scratch *t)
{
    const uint32_t *end = t->next[PARTS - 1], *start = args->list->tiles->start;
    uint32_t begin = start[tile], n = start[tile + 1] - begin, *order = args->p->order + begin;
    memset(t->next, 0, sizeof t->next);
    if (n > TILE_MOST) {
        sort_crowd(args, tile, t->next);
        return;
    }
    sort_by_cell(args, tile, t);
    for (uint32_t k = n; k < n + 2 * LANES; k++) {
        t->place[k] = 0; /* some particle, for who reads on */
        t->id[k] = 0;
    }
    for (uint32_t c = 0, first = 0; c < TILE_CELLS && first < n; first = end[c++]) {
        uint32_t count = end[c] - first;
        if (count > 0 && count <= 2 * LANES && first + count < n)
            sort_few_by_id(t->place + first, t->id + first, count, order + first);
        else if (count > 0)
            sort_by_id(t->place + first, t->id + first, count, order + first);
    }
}

static void sort_range(void *user, size_t begin, size_t end, int worker)
{
    const sort_args *args = user;
    char *scratch = args->scratch + (size_t)worker * DEV(tile_scratch)();
    for (size_t k = begin; k < end; k++)
        sort_tile(args, args->list->tiles->active[k], (tile_scratch *)scratch);
}

static void gather_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const sort_args *args = user;
    const uint32_t *order = args->p->order;
    const X(word) *from = args->from;
    X(word) *to = args->to; /* not through args: a word may be anything, also part of it */
    size_t k = begin;
    for (; k + LANES <= end && args->past_caches; k += LANES) {
        const uint32_t *at = order + k;
        u8 v = {from[at[0]], from[at[1]], from[at[2]], from[at[3]],
                from[at[4]], from[at[5]], from[at[6]], from[at[7]]};
        u8_stream((uint32_t *)to + k, v);
    }
    for (; k < end; k++)
        to[k] = from[order[k]];
    u8_stream_end();
}

void DEV(rows_with_particles)(const X(sim) *s, int tile, int low[3], int high[3])
{
    size_t base = X(tile_index)(&s->grid, tile);
    for (int d = 0; d < 3; d++) {
        low[d] = TILE;
        high[d] = 0;
    }
    for (int r = 0; r < TILE_ROWS; r++) {
        size_t row = base + X(row_offset)(&s->grid, r);
        int at[3] = {0, r & (TILE - 1), r >> TILE_SHIFT};
        if (s->first[row] == s->first[row + TILE - 1] + s->count[row + TILE - 1])
            continue;
        for (int d = 1; d < DIM; d++) {
            low[d] = at[d] < low[d] ? at[d] : low[d];
            high[d] = at[d] > high[d] ? at[d] : high[d];
        }
    }
}

size_t DEV(sort_scratch)(void)
{
    return sizeof(tile_scratch);
}

/* Through `order`, each column into the spare one. */
static void gather_columns(X(particles) *p, sort_args *args, sp_pool *pool)
{
    void **columns[MAX_COLUMNS];
    int count = X(list_columns)(p, false, columns);
    args->past_caches = (size_t)count * p->count * sizeof(X(word)) > CACHES;
    for (int c = 0; c < count; c++) {
        args->from = *columns[c];
        args->to = (X(word) *)p->spare;
        sp_parallel_pass(pool, p->count, 16384, gather_range, args);
        p->spare = *columns[c];
        *columns[c] = (void *)args->to;
    }
}

bool DEV(sort_particles)(X(particles) *p, const X(cell_list) *list, const X(flight) *flight,
                         sp_pool *pool, sp_arena arena)
{
    if (p->sorted)
        return false;
    p->sorted = p->at_home = true;
    sort_args args = {.p = p, .list = list, .key = (X(word) *)p->spare};
    args.shares = sp_pool_threads(pool);
    args.histogram = sp_arena_take(&arena, (size_t)list->grid->tile_count * (size_t)args.shares,
                                   sizeof(uint32_t));
    args.scratch = sp_arena_take(&arena, (size_t)args.shares, DEV(tile_scratch)());
    sp_parallel_pass(pool, (size_t)args.shares, 1, count_range, &args);
    prefix_sums(&args);
    sp_parallel_for(pool, (size_t)args.shares, 1, lay_range, &args);
    X(update_tiles)(list, pool, arena);
    sp_parallel_pass(pool, (size_t)list->tiles->active_count, 1, sort_range, &args);
    list->tiles->first_flying = p->count;
    if (flight)
        DEV(set_flying_apart)(p, list, flight, args.histogram, pool, arena);
    gather_columns(p, &args, pool);
    return true;
}
