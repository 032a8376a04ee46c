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
 *      place. */
#include "device/cpu/lanes.h"
#include "device/device.h"

#include <string.h>

typedef struct sort_args {
    X(sim) *s;
    X(word) *key;        /* per particle: tile * TILE_CELLS + cell in tile */
    uint32_t *histogram; /* [share][tile] */
    char *scratch;       /* pass 3, one part per worker */
    int shares;
    const X(word) *from; /* pass 4 */
    X(word) *to;
} sort_args;

/* The keys of particles k .. k + n - 1. What lies outside of the domain counts for its last cell.
 */
LANE_FN words keys_of(const X(grid) *g, const X(particles) *p, size_t k, size_t n)
{
    words tile = {0}, cell = {0};
    for (int d = DIM - 1; d >= 0; d--) {
        floats x = lanes_load(p->x[d] + k, n);
        ints c = __builtin_convertvector(x, ints);
        c &= x > 0.0f;
        c += (g->n[d] - 1 - c) & (c >= g->n[d]);
        tile = tile * (uint32_t)g->tiles[d] + ((words)c >> TILE_SHIFT) + 1;
        cell = cell * TILE + ((words)c & (TILE - 1));
    }
    return tile * TILE_CELLS + cell;
}

static void share_bounds(const sort_args *args, size_t share, size_t *begin, size_t *end)
{
    size_t count = args->s->particles.count, shares = (size_t)args->shares;
    *begin = count * share / shares;
    *end = count * (share + 1) / shares;
}

static void count_range(void *user, size_t first, size_t last, int worker)
{
    (void)worker;
    sort_args *args = user;
    const X(grid) *g = &args->s->grid;
    for (size_t share = first; share < last; share++) {
        uint32_t *histogram = args->histogram + share * (size_t)g->tile_count;
        size_t begin, end;
        share_bounds(args, share, &begin, &end);
        memset(histogram, 0, (size_t)g->tile_count * sizeof *histogram);
        for (size_t k = begin; k < end; k += LANES) {
            size_t n = end - k < LANES ? end - k : LANES;
            uint32_t key[LANES];
            words keys = keys_of(g, &args->s->particles, k, n);
            memcpy(key, &keys, sizeof key);
            memcpy(args->key + k, key, n * sizeof *key);
            if (n == LANES && lanes_all((ints)(keys / TILE_CELLS == key[0] / TILE_CELLS))) {
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
    uint32_t *order = args->s->particles.order;
    const X(word) *key = args->key;
    for (size_t share = first; share < last; share++) {
        uint32_t *next = args->histogram + share * (size_t)args->s->grid.tile_count;
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
    size_t tiles = (size_t)args->s->grid.tile_count;
    uint32_t sum = 0, *start = args->s->tiles.start;
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

/* The numbers of the particles of one cell, n of them, in order of their ids to `to`. Up to LANES
 * without a branch: lanes beyond the last particle repeat it. */
static void sort_few_by_id(const uint32_t *list, uint32_t n, const uint32_t *id, uint32_t *to)
{
    uint32_t ids[LANES], number[LANES], rank[LANES];
    for (uint32_t lane = 0; lane < LANES; lane++) {
        number[lane] = list[lane < n ? lane : n - 1];
        ids[lane] = lane < n ? id[number[lane]] : UINT32_MAX;
    }
    words all, smaller = {0};
    memcpy(&all, ids, sizeof all);
    for (int other = 0; other < LANES; other++)
        smaller -= (words)(all > ids[other]); /* a comparison that holds is -1 */
    memcpy(rank, &smaller, sizeof rank);
    for (uint32_t lane = 0; lane < LANES; lane++)
        to[rank[lane < n ? lane : n - 1]] = number[lane];
}

static void sort_by_id(const uint32_t *list, uint32_t n, const uint32_t *id, uint32_t *to)
{
    for (uint32_t k = 0; k < n; k += LANES) {
        uint32_t ids[LANES], rank[LANES], count = n - k < LANES ? n - k : LANES;
        for (uint32_t lane = 0; lane < LANES; lane++)
            ids[lane] = id[list[k + (lane < count ? lane : 0)]];
        words some, smaller = {0};
        memcpy(&some, ids, sizeof some);
        for (uint32_t other = 0; other < n; other++)
            smaller -= (words)(some > id[list[other]]);
        memcpy(rank, &smaller, sizeof rank);
        for (uint32_t lane = 0; lane < count; lane++)
            to[rank[lane]] = list[k + lane];
    }
}

/* Counters of a tile's cells, for the first and the second half of its particles: neighbours fall
 * into the same cell, and two counters wait less for each other than one for itself. */
typedef struct counters {
    uint32_t first[TILE_CELLS], second[TILE_CELLS];
} counters;

/* From the keys of a tile's particles: first particle and number of each cell; the counters then
 * say where the next particle of a cell goes in the tile. */
static void count_cells(const sort_args *args, int tile, counters *next)
{
    X(sim) *s = args->s;
    const X(word) *key = args->key;
    const uint32_t *order = s->particles.order + s->tiles.start[tile];
    uint32_t begin = s->tiles.start[tile], n = s->tiles.start[tile + 1] - begin, half = n / 2;
    uint32_t sum = 0;
    memset(next, 0, sizeof *next);
    for (uint32_t k = 0; k < half; k++) {
        next->first[key[order[k]] % TILE_CELLS]++;
        next->second[key[order[half + k]] % TILE_CELLS]++;
    }
    if (n % 2)
        next->second[key[order[n - 1]] % TILE_CELLS]++;
    size_t base = X(tile_index)(&s->grid, tile);
    for (int r = 0; r < TILE_ROWS; r++) {
        size_t row = base + X(row_offset)(&s->grid, r);
        for (size_t i = 0; i < TILE; i++) {
            size_t c = (size_t)r * TILE + i;
            uint32_t first = next->first[c], second = next->second[c];
            s->first[row + i] = begin + sum;
            s->count[row + i] = first + second;
            next->first[c] = sum;
            next->second[c] = sum + first;
            sum += first + second;
        }
    }
}

/* Whether particle a comes before particle b of the same tile. */
static bool comes_before(const sort_args *args, uint32_t a, uint32_t b)
{
    const uint32_t *id = args->s->particles.id[0];
    return args->key[a] != args->key[b] ? args->key[a] < args->key[b] : id[a] < id[b];
}

/* A tile that is too full for the scratch memory: a heap in place. */
static void sort_crowd(const sort_args *args, uint32_t *list, uint32_t n)
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
            if (child + 1 < end && comes_before(args, list[child], list[child + 1]))
                child++;
            if (!comes_before(args, item, list[child]))
                break;
            list[root] = list[child];
        }
        list[root] = item;
    }
}

static void sort_tile(const sort_args *args, int tile, uint32_t *place)
{
    X(particles) *p = &args->s->particles;
    const X(word) *key = args->key;
    uint32_t begin = args->s->tiles.start[tile], n = args->s->tiles.start[tile + 1] - begin;
    uint32_t half = n / 2, *order = p->order + begin;
    counters next;
    count_cells(args, tile, &next);
    if (n == 0)
        return;
    if (n > X(device_scratch)() / sizeof *place) {
        sort_crowd(args, order, n);
        return;
    }
    for (uint32_t k = 0; k < half; k++) {
        place[next.first[key[order[k]] % TILE_CELLS]++] = order[k];
        place[next.second[key[order[half + k]] % TILE_CELLS]++] = order[half + k];
    }
    if (n % 2)
        place[next.second[key[order[n - 1]] % TILE_CELLS]++] = order[n - 1];
    for (uint32_t c = 0, first = 0; c < TILE_CELLS; first = next.second[c++]) {
        uint32_t count = next.second[c] - first;
        if (count > LANES)
            sort_by_id(place + first, count, p->id[0], order + first);
        else if (count > 0)
            sort_few_by_id(place + first, count, p->id[0], order + first);
    }
}

static void sort_range(void *user, size_t begin, size_t end, int worker)
{
    const sort_args *args = user;
    char *scratch = args->scratch + (size_t)worker * X(device_scratch)();
    for (size_t k = begin; k < end; k++)
        sort_tile(args, args->s->tiles.active[k], (uint32_t *)scratch);
}

static void gather_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const sort_args *args = user;
    const uint32_t *order = args->s->particles.order;
    const X(word) *from = args->from;
    X(word) *to = args->to; /* not through args: a word may be anything, also part of it */
    for (size_t k = begin; k < end; k++)
        to[k] = from[order[k]];
}

void X(sort_particles)(X(sim) *s)
{
    X(particles) *p = &s->particles;
    sp_pool *pool = s->common->pool;
    sp_arena arena = X(arena)(s);
    sort_args args = {.s = s, .key = (X(word) *)p->spare, .shares = sp_pool_threads(pool)};
    args.histogram =
        sp_arena_take(&arena, (size_t)s->grid.tile_count * (size_t)args.shares, sizeof(uint32_t));
    args.scratch = sp_arena_take(&arena, (size_t)args.shares, X(device_scratch)());
    s->density_summed = false;
    sp_parallel_for(pool, (size_t)args.shares, 1, count_range, &args);
    prefix_sums(&args);
    sp_parallel_for(pool, (size_t)args.shares, 1, lay_range, &args);
    X(tiles_update)(s);
    sp_parallel_for(pool, (size_t)s->tiles.active_count, 1, sort_range, &args);
    void **columns[MAX_COLUMNS];
    int count = X(particle_columns)(p, columns);
    for (int c = 0; c < count; c++) {
        args.from = *columns[c];
        args.to = (X(word) *)p->spare;
        sp_parallel_for(pool, p->count, 16384, gather_range, &args);
        p->spare = *columns[c];
        *columns[c] = (void *)args.to;
    }
}
