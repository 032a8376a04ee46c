/* forces.cu -- gravity on the faces, then the velocities that walls and resting solids prescribe
 * (sim/forces.c, sim/solids.c). Friction, inflows and moving solids are left to the host. */
#include "device/cuda/launch.h"

typedef struct force_args {
    X(fields) f;
    float dv[DIM];
} force_args;

/* A face of the liquid that no particle reached takes the mean of its neighbours that have a
 * velocity. */
GPU_FN void fill_missing(const X(fields) *f, size_t face, int d)
{
    float sum = 0.0f, count = 0.0f;
    FOR_DIM(axis) {
        size_t near[2] = {face - f->grid.stride[axis], face + f->grid.stride[axis]};
        for (int side = 0; side < 2; side++)
            if (f->weight[d][near[side]] > 0.0f) {
                sum += f->u_old[d][near[side]];
                count += 1.0f;
            }
    }
    if (count > 0.0f)
        f->u[d][face] = f->u_old[d][face] = sum / count;
}

MAP(add_gravity, force_args)
{
    const X(fields) *f = &a->f;
    int cell[DIM], tile = f->faces[i / TILE_CELLS], k = (int)(i % TILE_CELLS);
    if (!X(place_has_faces)(&f->grid, tile, k))
        return;
    size_t c = X(tile_place)(&f->grid, tile, k, cell);
    bool here = f->type[c] == SPATE_CELL_LIQUID;
    FOR_DIM(d) {
        bool wet = here || f->type[c - f->grid.stride[d]] == SPATE_CELL_LIQUID;
        bool reached = f->weight[d][c] > 0.0f;
        if (wet && !reached)
            fill_missing(f, c, d);
        if (wet || reached)
            f->u[d][c] += a->dv[d];
    }
}

/* Voxel solids: faces between a solid and another cell rest. */
MAP(hold_faces, force_args)
{
    const X(fields) *f = &a->f;
    int cell[DIM];
    size_t c = X(tile_place)(&f->grid, f->active[i / TILE_CELLS], (int)(i % TILE_CELLS), cell);
    bool here = f->type[c] == SPATE_CELL_SOLID;
    FOR_DIM(d)
        if (here != (f->type[c - f->grid.stride[d]] == SPATE_CELL_SOLID))
            f->u[d][c] = 0.0f;
}

void X(gpu_add_forces)(X(gpu) *g, const float dv[DIM])
{
    force_args args;
    args.f = g->f;
    memcpy(args.dv, dv, sizeof args.dv);
    add_gravity(g, args, (size_t)g->f.face_count * TILE_CELLS);
    if (g->f.solids && !g->f.cut)
        hold_faces(g, args, (size_t)g->f.active_count * TILE_CELLS);
    X(gpu_close_walls)(g);
}
