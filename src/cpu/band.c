/* band.c -- the distance band around the surface, for WHITEWATER: a few passes over the tiles near
 * it. The maths, eight cells at a time, stand in kernels/band.h. */
#include "cpu.h"
#include "simd.h"

#include "kernels/band.h" /* over the lanes of simd.h */

typedef struct band_args {
    X(sim) *s;
    const float *from;
    float *to;
    uint32_t *seeds; /* tiles: whether they have some */
    float width;
    bool first; /* of the passes */
} band_args;

/* Whether a tile may have seeds. With a voxel surface nobody has looked which are near. */
static bool is_near(const X(sim) *s, int tile)
{
    return !(s->surface == SURFACE_GHOST || s->density) ||
           (s->tiles.near[tile] & (NEAR_EMPTY | NEAR_SURFACE));
}

/* Whether the band may reach into a tile: seeds are as near as one tile, or two if it is wider than
 * one. Across periodic sides nothing is looked up. */
static bool is_reached(const band_args *args, int tile)
{
    const X(sim) *s = args->s;
    const X(grid) *g = &s->grid;
    int at[DIM], near[DIM], reach = args->width > (float)TILE ? 2 : 1, side = 2 * reach + 1;
    X(tile_coordinates)(g, tile, at);
    if (X(has_seam)(g, tile))
        return true;
    for (int n = 0; n < side * side * LAST(side); n++) {
        int offset[3] = {n % side - reach, n / side % side - reach, n / (side * side) - reach};
        bool inside = true;
        FOR_DIM(d) {
            near[d] = at[d] + offset[d];
            inside = inside && near[d] >= 0 && near[d] < g->tiles[d];
        }
        int other = inside ? X(tile_number)(g, near) : tile;
        if ((s->tiles.state[other] & TILE_ACTIVE) && args->seeds[other])
            return true;
    }
    return false;
}

static void fill_tile(const X(grid) *g, int tile, float *field, float value)
{
    size_t base = X(tile_index)(g, tile);
    FOR_TILE_EIGHTS(r, i)
        store(field + base + X(row_offset)(g, r) + (size_t)i, f8_of(value));
}

static void seed_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const band_args *args = user;
    const X(fields) f = X(fields_of)(args->s);
    for (size_t k = begin; k < end; k++) {
        int tile = f.tiles.active[k];
        size_t base = X(tile_index)(&f.grid, tile);
        i8 seeds = {0};
        if (!is_near(args->s, tile))
            fill_tile(&f.grid, tile, args->to, BAND_FAR);
        else
            FOR_TILE_EIGHTS(r, i)
                seeds |= X(band_seed)(&f, base + X(row_offset)(&f.grid, r) + (size_t)i, args->to);
        args->seeds[tile] = any(seeds);
    }
}

static void pass_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const band_args *args = user;
    const X(fields) f = X(fields_of)(args->s);
    for (size_t k = begin; k < end; k++) {
        int tile = f.tiles.active[k];
        size_t base = X(tile_index)(&f.grid, tile);
        if (!is_reached(args, tile) && args->first)
            fill_tile(&f.grid, tile, args->to, BAND_FAR);
        if (is_reached(args, tile))
            FOR_TILE_EIGHTS(r, i)
                X(band_pass)(&f, base + X(row_offset)(&f.grid, r) + (size_t)i, args->from,
                             args->to);
    }
}

static void sign_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const band_args *args = user;
    const X(fields) f = X(fields_of)(args->s);
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&f.grid, f.tiles.active[k]);
        FOR_TILE_EIGHTS(r, i)
            X(band_sign)(&f, base + X(row_offset)(&f.grid, r) + (size_t)i, args->from, args->to,
                         args->width);
    }
}

static void close_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const band_args *args = user;
    const X(fields) f = X(fields_of)(args->s);
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&f.grid, f.tiles.active[k]);
        FOR_TILE_EIGHTS(r, i)
            X(band_close)(&f, base + X(row_offset)(&f.grid, r) + (size_t)i, args->from, args->to);
    }
}

void DEV(make_band)(X(sim) *s, uint32_t *seeds, float width)
{
    sp_pool *pool = s->common->pool;
    size_t tiles = (size_t)s->tiles.active_count;
    int passes = X(band_passes)(width);
    passes += passes & 1; /* an even number of them ends where it began */
    float *from = s->band, *to = s->band_next;
    sp_parallel_for(pool, tiles, 4, seed_range, &(band_args){s, NULL, from, seeds, width, false});
    X(fill_border)(s, from, -1);
    for (int pass = 0; pass < passes; pass++) {
        sp_parallel_for(pool, tiles, 4, pass_range,
                        &(band_args){s, from, to, seeds, width, pass == 0});
        X(fill_border)(s, to, -1);
        float *swap = from;
        from = to;
        to = swap;
    }
    bool closed = s->has_solids;
    sp_parallel_for(pool, tiles, 4, sign_range,
                    &(band_args){s, from, closed ? to : from, seeds, width, false});
    X(fill_border)(s, closed ? to : from, -1);
    if (!closed)
        return;
    sp_parallel_for(pool, tiles, 4, close_range, &(band_args){s, to, from, seeds, width, false});
    X(fill_border)(s, from, -1);
}
