/* surface.c -- the stage SURFACE: finds where the liquid is: the level set phi and the type of each
 * cell. kernels/surface.h has the maths of a cell and of a tile. Each device sums the density of
 * the particles in its own way (sum_density). */
#include "exec.h"

#include "kernels/step_info.h"
#include "kernels/surface.h" /* over the lanes of exec.h */

/* ---- tiles near the surface */

EACH_TILE(begin_marks, sp_nothing)
{
    f->tiles.near[tile] = X(counts_as_empty)(f, tile) ? NEAR_EMPTY : 0;
}

CELLS(find_empty, sp_nothing)
{
    i8 empty = i8_of(0);
    FOR_EACH_LANES(c, cell)
        empty = empty | is_equal(load_numbers(f->count + c), 0);
    if (any(empty))
        f->tiles.near[tile] = NEAR_EMPTY;
}

EACH_TILE(spread_marks, X(near_pass))
{
    X(spread_marks)(f, a, tile);
}

static void find_near_tiles(X(exec) *e)
{
    X(tile_list) active = active_tiles(&e->f);
    uint8_t *other = take_tile_bytes(e);
    begin_marks(e, &NOTHING, active);
    find_empty(e, &NOTHING, active);
    for (int k = 0; k < NEAR_PASSES; k++) {
        X(near_pass) pass = X(near_pass_at)(k, e->f.tiles.near, other);
        spread_marks(e, &pass, active);
    }
}

/* ---- the level set */

typedef struct sums_args {
    float *sums; /* density, or phi where nothing else needs the density */
} sums_args;

/* Beside thin solids the sums must not count particles behind the solid. */
CELLS(see_density, sums_args)
{
    if (X(has_thin)(f, tile))
        FOR_EACH_CELL(c, cell)
            X(see_density)(f, c, cell, a->sums);
}

CELLS(find_distance, sums_args)
{
    bool near = f->tiles.near[tile] & NEAR_SURFACE;
    FOR_EACH_LANES(c, cell)
        X(find_distance)(f, c, a->sums, near);
}

typedef struct band_args {
    float high, low; /* cells whose free share is between these are extended */
} band_args;

CELLS(extend_cells, band_args)
{
    FOR_EACH_CELL(c, cell)
        X(extend_cell)(f, c, cell, a->high, a->low);
}

static void extend_into_solids(X(exec) *e)
{
    static const float bands[] = ROOM_BANDS;
    for (int k = 0; k < ROOM_BAND_COUNT && e->f.has_solids; k++) {
        band_args band = {bands[k], bands[k + 1]};
        extend_cells(e, &band, active_tiles(&e->f));
        fill_border(e, e->f.phi, -1);
    }
}

void DEV(update_level_set)(X(exec) *e)
{
    X(tile_list) active = active_tiles(&e->f);
    sums_args args = {e->f.density ? e->f.density : e->f.phi};
    if (e->f.surface == SURFACE_NONE)
        begin_marks(e, &NOTHING, active); /* no tile is near a surface */
    else
        find_near_tiles(e);
    DEV(sum_density)(e, args.sums);
    fold_border(e, args.sums, NULL, -1);
    if (e->f.has_solids)
        see_density(e, &args, active);
    find_distance(e, &args, active);
    fill_border(e, e->f.phi, -1);
    if (e->f.surface != SURFACE_NONE)
        extend_into_solids(e);
    else if (e->f.density) /* kernels/shift.h looks across periodic sides */
        fill_border_periodic(e, e->f.density, -1);
}

/* ---- no level set, and the types of cells */

CELLS(mark_cells, sp_nothing)
{
    FOR_EACH_CELL(c, cell)
        X(mark_cell)(f, c);
}

CELLS(find_types, sp_nothing)
{
    bool solids = X(may_have_solids)(f, tile);
    FOR_EACH_LANES(c, cell)
        X(find_types)(f, c, solids);
}

void DEV(surface)(X(exec) *e, const X(step_info) *step)
{
    (void)step;
    if (e->f.surface == SURFACE_GHOST || e->f.density)
        DEV(update_level_set)(e);
    if (e->f.surface != SURFACE_GHOST) {
        mark_cells(e, &NOTHING, active_tiles(&e->f));
        fill_border(e, e->f.phi, -1);
        if (e->f.surface == SURFACE_VOXEL && e->f.cut)
            extend_into_solids(e);
    }
    find_types(e, &NOTHING, active_tiles(&e->f));
    fill_border_type(e);
}
