/* forces.cu -- gravity and friction on the faces, then the velocities that walls, solids and
 * inflows prescribe (cpu/forces.c, cpu/solids.c, cpu/emit.c). */
#include "kernels/faces.h"
#include "launch.h"

typedef struct force_args {
    X(fields) f;
    DEV(gpu_forces) how;
} force_args;

MAP(add_gravity, force_args)
{
    const X(fields) *f = &a->f;
    int cell[DIM], tile = f->tiles.faces[i / TILE_CELLS], k = (int)(i % TILE_CELLS);
    if (!X(place_has_faces)(&f->grid, tile, k))
        return;
    size_t c = X(tile_place)(&f->grid, tile, k, cell);
    bool here = f->type[c] == SPATE_CELL_LIQUID;
    FOR_DIM(d) {
        float mean;
        bool wet = here || f->type[c - f->grid.stride[d]] == SPATE_CELL_LIQUID;
        bool reached = f->weight[d][c] > 0.0f;
        if (wet && !reached && X(mean_around)(&f->grid, f->weight[d], f->u_old[d], c, &mean))
            f->u[d][c] = f->u_old[d][c] = mean;
        if (wet || reached)
            f->u[d][c] += a->how.dv[d];
    }
}

MAP(rub_faces, force_args)
{
    const X(fields) *f = &a->f;
    int cell[DIM];
    size_t c =
        X(tile_place)(&f->grid, f->tiles.active[i / TILE_CELLS], (int)(i % TILE_CELLS), cell);
    bool here = f->type[c] == SPATE_CELL_LIQUID;
    if (!X(inside)(&f->grid, cell))
        return;
    X(rubbing) how = {a->how.friction, a->how.dt};
    for (int d = 0; d < DIM; d++)
        if (here || f->type[c - f->grid.stride[d]] == SPATE_CELL_LIQUID)
            f->u[d][c] = X(rubbed)(&f->grid, &f->solids, f->type, cell, d, &how, f->u[d][c]);
}

/* Voxel solids: faces between a solid and another cell have the solid's velocity. */
MAP(hold_faces, force_args)
{
    const X(fields) *f = &a->f;
    const X(grid) *g = &f->grid;
    int cell[DIM], before[DIM];
    float v[DIM];
    size_t c = X(tile_place)(g, f->tiles.active[i / TILE_CELLS], (int)(i % TILE_CELLS), cell);
    bool here = f->type[c] == SPATE_CELL_SOLID;
    for (int d = 0; d < DIM; d++) {
        if (here == (f->type[c - g->stride[d]] == SPATE_CELL_SOLID))
            continue;
        FOR_DIM(axis)
            before[axis] = cell[axis] - (axis == d);
        bool wall = !X(inside)(g, here ? cell : before) && !g->periodic[d];
        X(solid_velocity)(g, &f->solids, cell, d, a->how.dt, v);
        f->u[d][c] = wall ? 0.0f : v[d];
    }
}

typedef struct inflow_args {
    X(fields) f;
} inflow_args;

MAP(prescribe, inflow_args)
{
    const X(fields) *f = &a->f;
    int cell[DIM];
    X(tile_place)(&f->grid, f->tiles.active[i / TILE_CELLS], (int)(i % TILE_CELLS), cell);
    if (X(inside)(&f->grid, cell))
        X(prescribe_cell)(&f->grid, f->type, f->mark_of, f->inflow_velocity, f->u, cell);
}

void DEV(gpu_prescribe_inflow)(X(gpu) *g)
{
    inflow_args args = {g->f};
    if (g->f.inflow_velocity)
        prescribe(g, args, (size_t)g->f.tiles.active_count * TILE_CELLS);
}

void DEV(gpu_add_forces)(X(gpu) *g, const DEV(gpu_forces) * how)
{
    force_args args;
    args.f = g->f;
    args.how = *how;
    size_t active = (size_t)g->f.tiles.active_count * TILE_CELLS;
    add_gravity(g, args, (size_t)g->f.tiles.face_count * TILE_CELLS);
    if (how->friction > 0 || g->f.solids.any_friction)
        rub_faces(g, args, active);
    if (g->f.has_solids && !g->f.cut)
        hold_faces(g, args, active);
    DEV(gpu_close_walls)(g);
    DEV(gpu_prescribe_inflow)(g);
}
