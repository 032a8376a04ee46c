/* sort.c -- particles by tile, by cell inside the tile, by id inside the cell.
 *
 * The order is canonical: it depends on where the particles are and on nothing else, neither on the
 * order before nor on the number of threads. Four passes:
 *   1. each thread counts the particles of its share by tile (key = tile and cell of each
 * particle);
 *   2. prefix sums give every (tile, thread) its place, and each thread lays its particles' numbers
 * there;
 *   3. each tile sorts its numbers by cell (counting) and each cell by id (insertion: a handful of
 * particles);
 *   4. every column is gathered through the result, into the spare column, which then takes its
 * place. */
#include "device/device.h"

#include <string.h>

typedef struct sort_args {
    X(sim) *s;
    X(word) *key;        /* per particle: tile * TILE_CELLS + cell in tile */
    uint32_t *histogram; /* [share][tile] */
    int shares;
    const X(word) *from; /* pass 4 */
    X(word) *to;
} sort_args;

static uint32_t key_of(const X(grid) *g, const X(particles) *p, size_t k)
{
    int t[DIM], cell = 0;
    for (int d = DIM - 1; d >= 0; d--) {
        float x = p->x[d][k];
        int c = x > 0.0f ? (int)x : 0;
        c = c >= g->n[d] ? g->n[d] - 1 : c;
        t[d] = (c >> TILE_SHIFT) + 1;
        cell = cell * TILE + (c & (TILE - 1));
    }
    return (uint32_t)X(tile_number)(g, t) * TILE_CELLS + (uint32_t)cell;
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
        for (size_t k = begin; k < end; k++) {
            uint32_t key = key_of(g, &args->s->particles, k);
            args->key[k] = key;
            histogram[key / TILE_CELLS]++;
        }
    }
}

static void lay_range(void *user, size_t first, size_t last, int worker)
{
    (void)worker;
    sort_args *args = user;
    uint32_t *order = args->s->particles.order;
    for (size_t share = first; share < last; share++) {
        uint32_t *next = args->histogram + share * (size_t)args->s->grid.tile_count;
        size_t begin, end;
        share_bounds(args, share, &begin, &end);
        for (size_t k = begin; k < end; k++)
            order[next[args->key[k] / TILE_CELLS]++] = (uint32_t)k;
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

static void sort_by_id(uint32_t *list, uint32_t n, const uint32_t *id)
{
    for (uint32_t i = 1; i < n; i++) {
        uint32_t item = list[i], key = id[item], j = i;
        for (; j > 0 && id[list[j - 1]] > key; j--)
            list[j] = list[j - 1];
        list[j] = item;
    }
}

static void sort_tile(const sort_args *args, int tile)
{
    X(sim) *s = args->s;
    X(particles) *p = &s->particles;
    uint32_t begin = s->tiles.start[tile], end = s->tiles.start[tile + 1];
    uint32_t next[TILE_CELLS] = {0};
    for (uint32_t k = begin; k < end; k++)
        next[args->key[p->order[k]] % TILE_CELLS]++;
    size_t base = X(tile_index)(&s->grid, tile);
    uint32_t sum = begin;
    for (int r = 0; r < TILE_ROWS; r++)
        for (int i = 0; i < TILE; i++) {
            size_t cell = base + X(row_offset)(&s->grid, r) + (size_t)i;
            uint32_t count = next[r * TILE + i];
            s->first[cell] = sum;
            s->count[cell] = count;
            next[r * TILE + i] = sum;
            sum += count;
        }
    for (uint32_t k = begin; k < end; k++)
        p->place[next[args->key[p->order[k]] % TILE_CELLS]++] = p->order[k];
    uint32_t first = begin;
    for (int c = 0; c < TILE_CELLS; c++) {
        sort_by_id(p->place + first, next[c] - first, p->id[0]);
        first = next[c];
    }
}

static void sort_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const sort_args *args = user;
    for (size_t k = begin; k < end; k++)
        sort_tile(args, args->s->tiles.active[k]);
}

static void gather_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const sort_args *args = user;
    const uint32_t *place = args->s->particles.place;
    for (size_t k = begin; k < end; k++)
        args->to[k] = args->from[place[k]];
}

void X(sort_particles)(X(sim) *s)
{
    X(particles) *p = &s->particles;
    sp_pool *pool = s->common->pool;
    sp_arena arena = X(arena)(s);
    sort_args args = {.s = s, .key = (X(word) *)p->spare, .shares = sp_pool_threads(pool)};
    args.histogram =
        sp_arena_take(&arena, (size_t)s->grid.tile_count * (size_t)args.shares, sizeof(uint32_t));
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
