/* forces.cu -- FORCES on the device: gravity on the faces and the drag of walls (walls.cu), then
 * the velocities that walls, solids and inflows prescribe. What becomes of a face stands in
 * kernels/forces.h. */
#include "kernels/forces.h"
#include "launch.h"

typedef struct force_args {
    X(fields) f;
    X(forces) how;
} force_args;

MAP(add_gravity, force_args)
{
    const X(fields) *f = &a->f;
    int cell[DIM], tile = f->tiles.faces[i / TILE_CELLS], k = (int)(i % TILE_CELLS);
    if (X(place_has_faces)(&f->grid, tile, k))
        X(add_gravity)(f, X(tile_place)(&f->grid, tile, k, cell), &a->how);
}

MAP(hold_faces, force_args)
{
    int cell[DIM];
    size_t c = X(active_place)(&a->f, i, cell);
    X(hold_faces)(&a->f, c, cell, a->how.dt);
}

MAP(prescribe_faces, X(fields))
{
    int cell[DIM];
    size_t c = X(active_place)(a, i, cell);
    X(prescribe_faces)(a, c, cell);
}

void DEV(gpu_prescribe_inflow)(X(gpu) *g)
{
    if (g->f.inflow_velocity)
        prescribe_faces(g, g->f, (size_t)g->f.tiles.active_count * TILE_CELLS);
}

void DEV(gpu_add_forces)(X(gpu) *g, const X(forces) *how)
{
    force_args args = {g->f, *how};
    size_t active = (size_t)g->f.tiles.active_count * TILE_CELLS;
    add_gravity(g, args, (size_t)g->f.tiles.face_count * TILE_CELLS);
    if (how->walls.any)
        DEV(gpu_drag_at_walls)(g, &how->walls);
    if (g->f.has_solids && !g->f.cut)
        hold_faces(g, args, active);
    DEV(gpu_close_walls)(g);
    DEV(gpu_prescribe_inflow)(g);
}
