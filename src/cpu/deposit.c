/* deposit.c -- sums what the particles give to the centres of the cells around them, with linear
 * weights. Tiles of one colour are never neighbours, so their particles give at the same time
 * without touching the same cell. */
#include "exec.h"

#include "kernels/channels.h"

/* Clears some arrays in a tile. */
typedef struct zero_args {
    float *fields[1 + GRID_COLUMNS];
    int count;
} zero_args;

EACH_TILE(zero_tile, zero_args)
{
    size_t base = X(tile_index)(&f->grid, tile);
    for (int r = 0; r < TILE_ROWS; r++)
        for (int k = 0; k < a->count; k++)
            memset(a->fields[k] + base + X(row_offset)(&f->grid, r), 0, TILE * sizeof(float));
}

/* ---- the density, for SURFACE. P2G has already summed it, unless its kernel is not linear or
 * somebody else wants a surface. */

float *DEV(density_sums)(X(sim) *s)
{
    return s->density ? s->density : X(has_level_set)(s) ? s->phi : NULL;
}

typedef struct density_args {
    X(sim) *s;
    const int *tiles;
    char *scratch; /* one part per worker */
    float *sums;
} density_args;

static void density_range(void *user, size_t begin, size_t end, int worker)
{
    const density_args *args = user;
    char *scratch = args->scratch + (size_t)worker * DEV(tile_scratch)();
    for (size_t k = begin; k < end; k++)
        if (args->s->density || (args->s->tiles.near[args->tiles[k]] & NEAR_GIVES))
            DEV(p2g_linear)(args->s, args->tiles[k], scratch, false, args->sums);
}

void DEV(sum_density)(X(exec) *e, float *sums)
{
    X(sim) *s = e->s;
    bool summed = s->density_summed;
    s->density_summed = false;
    if (summed)
        return;
    sp_pool *pool = s->common->pool;
    const X(tiles) *t = &s->tiles;
    zero_args zero = {{sums}, 1};
    zero_tile(e, &zero, active_and_border_tiles(&e->f));
    sp_arena arena = X(arena)(s);
    char *scratch = sp_arena_take(&arena, (size_t)sp_pool_threads(pool), DEV(tile_scratch)());
    sp_pool_work(pool)->passes++;
    for (int colour = 0; colour < COLOURS; colour++) {
        density_args args = {s, t->liquid + t->colour_start[colour], scratch, sums};
        sp_parallel_for(pool, (size_t)(t->colour_start[colour + 1] - t->colour_start[colour]), 1,
                        density_range, &args);
    }
}

/* ---- the channels that the grid holds */

typedef struct deposit_args {
    const X(fields) *f;
    const int *tiles;
} deposit_args;

static void deposit_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const deposit_args args = *(const deposit_args *)user;
    const X(fields) f = *args.f;
    for (size_t t = begin; t < end; t++)
        for (uint32_t k = f.tiles.start[args.tiles[t]]; k < f.tiles.start[args.tiles[t] + 1]; k++)
            X(give_to_cells)(&f, k);
}

void DEV(deposit)(X(exec) *e)
{
    sp_pool *pool = e->s->common->pool;
    const X(tiles) *t = &e->s->tiles;
    zero_args zero = {{e->f.channel_weight}, 1};
    for (int j = 0; j < e->f.on_grid; j++)
        zero.fields[zero.count++] = e->f.channel[j];
    zero_tile(e, &zero, active_and_border_tiles(&e->f));
    sp_pool_work(pool)->passes++;
    for (int colour = 0; colour < COLOURS; colour++) {
        deposit_args args = {&e->f, t->liquid + t->colour_start[colour]};
        sp_parallel_for(pool, (size_t)(t->colour_start[colour + 1] - t->colour_start[colour]), 1,
                        deposit_range, &args);
    }
}
