/* deposit.c -- sums what the particles give to the centres of the cells around them, with linear
 * weights. Tiles of one colour are never neighbours, so their particles give at the same time
 * without touching the same cell. */
#include "boxes.h"
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

/* ---- the channels that the grid holds: a few at once, and their weight, in the boxes of a tile */

#define TOGETHER 4
_Static_assert(TOGETHER <= 2 * DIM + 1, "the scratch of p2g_affine.c is large enough");

typedef struct channel_box {
    corners sum[TOGETHER];
} channel_box;

/* Sums that are taken together: of values of the particles, NULL for their weights alone. */
typedef struct sums {
    const float *value[TOGETHER];
    float *to[TOGETHER];
    int count;
} sums;

typedef struct deposit_args {
    const X(sim) *s;
    const X(fields) *f;
    const int *tiles;
    char *scratch; /* one part per worker */
} deposit_args;

/* Where eight particles are: their boxes, and the ways from the first corners. */
typedef struct places {
    float way[DIM][LANES];
    int32_t box[LANES];
} places;

SIMD_FN void find_boxes(const X(particles) *p, const int corner[DIM], uint32_t k, uint32_t n,
                        places *at)
{
    i8 box = {0};
    for (int a = DIM - 1; a >= 0; a--) {
        f8 y = load_n(p->x[a] + k, n) - (float)corner[a] + 0.5f;
        i8 j = convert(y, i8);
        j &= j > 0;
        j += (TILE - j) & (j > TILE); /* a particle at the very end of the domain */
        f8 way = y - convert(j, f8);
        memcpy(at->way[a], &way, sizeof way);
        box = box * SIDE + j;
    }
    memcpy(at->box, &box, sizeof box);
}

/* `count` is a constant wherever this is called. */
SIMD_FN void give_to_boxes(const X(fields) *f, int tile, const int corner[DIM], const sums *what,
                           int count, channel_box *boxes)
{
    const X(particles) *p = &f->particles;
    uint32_t end = f->tiles.start[tile + 1], n;
    places at;
    for (uint32_t k = f->tiles.start[tile]; k < end; k += n) {
        n = end - k < LANES ? end - k : LANES;
        find_boxes(p, corner, k, n, &at);
        for (uint32_t lane = 0; lane < n; lane++) {
            corners w = shares(at.way[0][lane], 0) * shares(at.way[1][lane], 1);
            if (DIM == 3)
                w *= shares(at.way[DIM - 1][lane], DIM - 1);
            channel_box *box = &boxes[at.box[lane]];
            for (int j = 0; j < count; j++)
                box->sum[j] += what->value[j] ? w * spread(what->value[j][k + lane]) : w;
        }
    }
}

static void deposit_tile(const deposit_args *args, int tile, const sums *what, channel_box *boxes)
{
    bounds rows;
    int corner[DIM];
    X(tile_cell)(&args->f->grid, tile, corner);
    DEV(rows_with_particles)(args->s, tile, rows.low, rows.high);
    clear_boxes(boxes, sizeof *boxes, &rows, DIM);
    switch (what->count) {
    case 1: give_to_boxes(args->f, tile, corner, what, 1, boxes); break;
    case 2: give_to_boxes(args->f, tile, corner, what, 2, boxes); break;
    case 3: give_to_boxes(args->f, tile, corner, what, 3, boxes); break;
    default: give_to_boxes(args->f, tile, corner, what, TOGETHER, boxes); break;
    }
    for (int j = 0; j < what->count; j++)
        give_rows(&args->f->grid, (const float *)&boxes->sum[j], TOGETHER * CORNERS, &rows, DIM,
                  corner, what->to[j]);
}

static void deposit_range(void *user, size_t begin, size_t end, int worker)
{
    const deposit_args *args = user;
    const X(fields) *f = args->f;
    channel_box *boxes = (void *)(args->scratch + (size_t)worker * DEV(tile_scratch)());
    for (size_t t = begin; t < end; t++)
        for (int j = -1; j < f->on_grid;) { /* -1: the weight */
            sums what = {.count = 0};
            for (; what.count < TOGETHER && j < f->on_grid; j++, what.count++) {
                what.value[what.count] = j < 0 ? NULL : f->particles.own[f->column_of[j]];
                what.to[what.count] = j < 0 ? f->channel_weight : f->channel[j];
            }
            deposit_tile(args, args->tiles[t], &what, boxes);
        }
}

void DEV(deposit)(X(exec) *e)
{
    X(sim) *s = e->s;
    sp_pool *pool = s->common->pool;
    const X(tiles) *t = &s->tiles;
    zero_args zero = {{e->f.channel_weight}, 1};
    for (int j = 0; j < e->f.on_grid; j++)
        zero.fields[zero.count++] = e->f.channel[j];
    zero_tile(e, &zero, active_and_border_tiles(&e->f));
    sp_arena arena = X(arena)(s);
    char *scratch = sp_arena_take(&arena, (size_t)sp_pool_threads(pool), DEV(tile_scratch)());
    sp_pool_work(pool)->passes++;
    for (int colour = 0; colour < COLOURS; colour++) {
        deposit_args args = {s, &e->f, t->liquid + t->colour_start[colour], scratch};
        sp_parallel_for(pool, (size_t)(t->colour_start[colour + 1] - t->colour_start[colour]), 1,
                        deposit_range, &args);
    }
}
