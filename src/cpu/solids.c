/* solids.c -- the stage SOLIDS: their signed distance at the nodes; and their velocity at the
 * faces. The maths stand in kernels/lay_solids.h and faces.h.
 *
 * Solids at rest are written once; moving ones are laid over them in each step, in the tiles that
 * they touch. */
#include "cpu.h"
#include "kernels/faces.h"
#include "kernels/fractions.h"
#include "kernels/lay_solids.h"

#include <string.h>

/* ---- open fractions of faces and room of cells (kernels/fractions.h) */

typedef struct fraction_args {
    X(sim) *s;
    const int *tiles;
} fraction_args;

static void fraction_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const fraction_args *args = user;
    const X(fields) f = X(fields_of)(args->s);
    int cell[DIM];
    for (size_t k = begin; k < end; k++) {
        int tile = args->tiles ? args->tiles[k] : (int)k;
        bool far = X(is_far_from_solids)(&f, tile);
        unsigned cut = 0;
        FOR_CELLS(&f.grid, tile, c, cell)
            cut |= X(cut_cell)(&f, c, cell, far);
        f.tiles.cut[tile] = (uint8_t)cut;
    }
}

/* tiles = NULL: all */
static void update_fractions(X(sim) *s, const int *tiles, int count)
{
    fraction_args args = {s, tiles};
    sp_parallel_for(s->common->pool, (size_t)count, 4, fraction_range, &args);
}

/* ---- distances */

typedef struct solid_args {
    X(sim) *s;
    const int *tiles; /* NULL: all */
    bool resting;
} solid_args;

static void distance_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const solid_args args = *(const solid_args *)user;
    const X(fields) f = X(fields_of)(args.s);
    int first[DIM], cell[DIM];
    for (size_t k = begin; k < end; k++) {
        int tile = args.tiles ? args.tiles[k] : (int)k;
        X(tile_cell)(&f.grid, tile, first);
        X(far_bound) bound = X(bound_of_tile)(&f.grid, &f.solids, first, args.resting);
        FOR_CELLS(&f.grid, tile, c, cell)
            X(lay_node)(&f, c, cell, args.resting, bound);
    }
}

static void copy_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = user;
    for (size_t k = begin; k < end; k++)
        for (int r = 0; r < TILE_ROWS; r++) {
            size_t row = X(tile_index)(&s->grid, s->solid_tiles[k]) + X(row_offset)(&s->grid, r);
            memcpy(s->phi_solid + row, s->phi_static + row, TILE * sizeof(float));
        }
}

static void list_moving_tiles(X(sim) *s)
{
    s->solid_tile_count = 0;
    for (int tile = 0; tile < s->grid.tile_count; tile++)
        if (X(is_near_movers)(&s->grid, &s->solids, tile))
            s->solid_tiles[s->solid_tile_count++] = tile;
}

void X(lay_solids)(X(sim) *s)
{
    sp_pool *pool = s->common->pool;
    bool movers = false;
    X(fetch)(s, s->solids_changed ? 0 : GROUP_SOLIDS);
    for (int k = 0; k < s->solids.count; k++)
        movers = movers || (s->solids.items[k].live && !sp_body_rests(&s->solids.items[k]));
    s->movers = movers;
    s->has_solids = s->solids.live > 0;
    s->cut = X(has_cut_cells)(s);
    if (s->solids_changed || movers)
        X(dirty)(s, GROUP_SOLIDS);
    if (s->solids_changed) {
        solid_args args = {.s = s, .resting = true};
        sp_parallel_for(pool, (size_t)s->grid.tile_count, 4, distance_range, &args);
        if (movers)
            memcpy(s->phi_static, s->phi_solid, s->grid.size * sizeof(float));
        s->solid_tile_count = 0;
        s->solids_changed = false;
        if (s->solids.live > 0)
            update_fractions(s, NULL, s->grid.tile_count);
    }
    if (!movers)
        return;
    /* where the movers were, and where they are now */
    sp_parallel_for(pool, (size_t)s->solid_tile_count, 4, copy_range, s);
    update_fractions(s, s->solid_tiles, s->solid_tile_count);
    list_moving_tiles(s);
    solid_args args = {.s = s, .tiles = s->solid_tiles};
    sp_parallel_for(pool, (size_t)s->solid_tile_count, 4, distance_range, &args);
    update_fractions(s, s->solid_tiles, s->solid_tile_count);
}

void X(update_solids)(X(sim) *s, double dt)
{
    double time = s->common->frame / s->common->scene->fps + s->common->inside;
    sp_solids_advance(&s->solids, time, dt);
    X(lay_solids)(s);
}

float X(face_velocity)(const X(sim) *s, const int cell[DIM], int d, double dt)
{
    float v[DIM];
    X(solid_velocity)(&s->grid, &s->solids, cell, d, dt, v);
    return v[d];
}
