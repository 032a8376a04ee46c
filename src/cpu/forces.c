/* forces.c -- the stage FORCES: gravity on the faces and the drag of walls (walls.c), then the
 * velocities that solids, walls and inflows prescribe. What becomes of a face stands in
 * kernels/forces.h. */
#include "cpu.h"
#include "simd.h"

#include "kernels/forces.h" /* over the lanes of simd.h */

typedef struct force_args {
    X(fields) f;
    X(forces) how;
} force_args;

static void gravity_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const force_args args = *(const force_args *)user;
    const X(grid) *g = &args.f.grid;
    for (size_t k = begin; k < end; k++) {
        int t[DIM], tile = args.f.tiles.faces[k];
        X(tile_coordinates)(g, tile, t);
        size_t base = X(tile_index)(g, tile);
        for (int r = 0; r < TILE_ROWS; r++)
            for (size_t i = 0; i < TILE && X(row_has_faces)(g, t, r); i += LANES)
                X(add_gravity)(&args.f, base + X(row_offset)(g, r) + i, &args.how);
    }
}

static void hold_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const force_args args = *(const force_args *)user;
    int cell[DIM];
    for (size_t k = begin; k < end; k++)
        FOR_CELLS(&args.f.grid, args.f.tiles.active[k], c, cell)
            X(hold_faces)(&args.f, c, cell, args.how.dt);
}

static void prescribe_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const X(fields) f = X(fields_of)(user);
    int cell[DIM];
    for (size_t k = begin; k < end; k++)
        FOR_CELLS(&f.grid, f.tiles.active[k], c, cell)
            X(prescribe_faces)(&f, c, cell);
}

void DEV(prescribe_inflow)(X(sim) *s)
{
    if (s->emitter_count > 0)
        sp_parallel_for(s->common->pool, (size_t)s->tiles.active_count, 4, prescribe_range, s);
}

void DEV(add_forces)(X(sim) *s, double dt)
{
    sp_pool *pool = s->common->pool;
    size_t active = (size_t)s->tiles.active_count;
    force_args args = {X(fields_of)(s), X(forces_of)(s, dt)};
    sp_parallel_for(pool, (size_t)s->tiles.face_count, 8, gravity_range, &args);
    if (args.how.walls.any)
        X(drag_at_walls)(s, &args.how.walls);
    if (s->has_solids && !s->cut)
        sp_parallel_for(pool, active, 4, hold_range, &args);
    X(close_walls)(s);
    DEV(prescribe_inflow)(s);
}
