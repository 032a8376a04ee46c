/* surface.c -- the stage SURFACE: where the liquid is. The maths, a cell and a tile at a time,
 * stand in kernels/surface.h; the particles around the middles of cells are counted by P2G. */
#include "cpu.h"
#include "simd.h"

#include "kernels/surface.h" /* over the lanes of simd.h */

/* ---- density */

float *DEV(density_sums)(X(sim) *s)
{
    return s->density ? s->density : X(has_level_set)(s) ? s->phi : NULL;
}

typedef struct density_args {
    X(sim) *s;
    const int *tiles;
    char *scratch; /* one part per worker */
} density_args;

static void density_range(void *user, size_t begin, size_t end, int worker)
{
    const density_args *args = user;
    char *scratch = args->scratch + (size_t)worker * DEV(tile_scratch)();
    for (size_t k = begin; k < end; k++)
        if (args->s->density || (args->s->tiles.near[args->tiles[k]] & NEAR_GIVES))
            DEV(p2g_linear)(args->s, args->tiles[k], scratch, false, DEV(density_sums)(args->s));
}

static void zero_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = user;
    size_t active = (size_t)s->tiles.active_count;
    for (size_t k = begin; k < end; k++) {
        size_t base =
            X(tile_index)(&s->grid, k < active ? s->tiles.active[k] : s->tiles.border[k - active]);
        for (int r = 0; r < TILE_ROWS; r++)
            memset(DEV(density_sums)(s) + base + X(row_offset)(&s->grid, r), 0,
                   TILE * sizeof(float));
    }
}

/* P2G has done it, unless its kernel is another one or somebody else wants a surface. */
static void sum_density(X(sim) *s)
{
    sp_pool *pool = s->common->pool;
    const X(tiles) *t = &s->tiles;
    sp_arena arena = X(arena)(s);
    char *scratch = sp_arena_take(&arena, (size_t)sp_pool_threads(pool), DEV(tile_scratch)());
    sp_parallel_for(pool, (size_t)(t->active_count + t->border_count), 16, zero_range, s);
    sp_pool_work(pool)->passes++;
    for (int colour = 0; colour < COLOURS; colour++) {
        density_args args = {s, t->liquid + t->colour_start[colour], scratch};
        sp_parallel_for(pool, (size_t)(t->colour_start[colour + 1] - t->colour_start[colour]), 1,
                        density_range, &args);
    }
}

/* ---- tiles near the surface */

static void empty_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const X(fields) f = X(fields_of)(user);
    for (size_t k = begin; k < end; k++) {
        int tile = f.tiles.active[k];
        size_t base = X(tile_index)(&f.grid, tile);
        bool empty = X(counts_as_empty)(&f, tile);
        for (int r = 0; r < TILE_ROWS && !empty; r++)
            for (int i = 0; i < TILE; i++)
                empty = empty || f.count[base + X(row_offset)(&f.grid, r) + (size_t)i] == 0;
        f.tiles.near[tile] = empty ? NEAR_EMPTY : 0;
    }
}

typedef struct near_args {
    X(sim) *s;
    X(near_pass) pass;
} near_args;

static void near_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const near_args *args = user;
    const X(fields) f = X(fields_of)(args->s);
    for (size_t k = begin; k < end; k++)
        X(spread_marks)(&f, &args->pass, f.tiles.active[k]);
}

static void find_near_tiles(X(sim) *s)
{
    sp_arena arena = X(arena)(s);
    size_t tiles = (size_t)s->tiles.active_count;
    uint8_t *other = sp_arena_take(&arena, (size_t)s->grid.tile_count, 1);
    sp_parallel_for(s->common->pool, tiles, 8, empty_range, s);
    for (int pass = 0; pass < NEAR_PASSES; pass++) {
        near_args args = {s, X(near_pass_at)(pass, s->tiles.near, other)};
        sp_parallel_for(s->common->pool, tiles, 8, near_range, &args);
    }
}

/* ---- level set */

/* In place of the sums over both sides of thin solids. */
static void see_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const X(fields) f = X(fields_of)(user);
    int cell[DIM];
    for (size_t k = begin; k < end; k++)
        if (X(has_thin)(&f, f.tiles.active[k]))
            FOR_CELLS(&f.grid, f.tiles.active[k], c, cell)
                X(see_density)(&f, c, cell, DEV(density_sums)(user));
}

static void distance_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const X(fields) f = X(fields_of)(user);
    const float *sums = DEV(density_sums)(user);
    for (size_t k = begin; k < end; k++) {
        int tile = f.tiles.active[k];
        bool near = f.tiles.near[tile] & NEAR_SURFACE;
        size_t base = X(tile_index)(&f.grid, tile);
        FOR_TILE_EIGHTS(r, i)
            X(find_distance)(&f, base + X(row_offset)(&f.grid, r) + (size_t)i, sums, near);
    }
}

typedef struct extend_args {
    X(sim) *s;
    float high, low; /* room of the cells to do */
} extend_args;

static void extend_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const extend_args args = *(const extend_args *)user;
    const X(fields) f = X(fields_of)(args.s);
    for (size_t k = begin; k < end; k++)
        FOR_INDICES(&f.grid, f.tiles.active[k], c)
            X(extend_cell)(&f, c, args.high, args.low);
}

static void extend_into_solids(X(sim) *s)
{
    static const float bands[] = ROOM_BANDS;
    for (int band = 0; band < ROOM_BAND_COUNT && s->has_solids; band++) {
        extend_args args = {s, bands[band], bands[band + 1]};
        sp_parallel_for(s->common->pool, (size_t)s->tiles.active_count, 4, extend_range, &args);
        X(fill_border)(s, s->phi, -1);
    }
}

void DEV(update_level_set)(X(sim) *s)
{
    sp_pool *pool = s->common->pool;
    X(tiles) *t = &s->tiles;
    find_near_tiles(s);
    if (!s->density_summed)
        sum_density(s);
    s->density_summed = false;
    X(fold_border)(s, DEV(density_sums)(s), NULL, -1);
    sp_parallel_for(pool, s->has_solids ? (size_t)t->active_count : 0, 1, see_range, s);
    sp_parallel_for(pool, (size_t)t->active_count, 4, distance_range, s);
    X(fill_border)(s, s->phi, -1);
    extend_into_solids(s);
}

static void mark_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const X(fields) f = X(fields_of)(user);
    for (size_t k = begin; k < end; k++)
        FOR_INDICES(&f.grid, f.tiles.active[k], c)
            X(mark_cell)(&f, c);
}

static void mark_cells(X(sim) *s)
{
    sp_parallel_for(s->common->pool, (size_t)s->tiles.active_count, 8, mark_range, s);
    X(fill_border)(s, s->phi, -1);
    if (s->cut)
        extend_into_solids(s);
}

/* ---- types */

static void type_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const X(fields) f = X(fields_of)(user);
    for (size_t k = begin; k < end; k++) {
        int tile = f.tiles.active[k];
        size_t base = X(tile_index)(&f.grid, tile);
        bool solids = X(may_have_solids)(&f, tile);
        FOR_TILE_EIGHTS(r, i)
            X(find_types)(&f, base + X(row_offset)(&f.grid, r) + (size_t)i, solids);
    }
}

void DEV(build_surface)(X(sim) *s)
{
    if (X(has_level_set)(s) || s->density)
        DEV(update_level_set)(s);
    if (!X(has_level_set)(s))
        mark_cells(s);
    sp_parallel_for(s->common->pool, (size_t)s->tiles.active_count, 4, type_range, s);
    X(fill_border_type)(s);
}
