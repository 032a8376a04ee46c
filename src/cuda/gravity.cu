/* gravity.cu -- the right side of the pressure that gravity and buoyancy alone make
 * (kernels/gravity.h). */
#include "cuda/pressure/solver.h"
#include "kernels/forces.h"
#include "kernels/gravity.h"

typedef struct gravity_args {
    X(fields) f;
    DEV(gpu_level) level; /* 0 */
    float *right;
    X(forces) how;
} gravity_args;

MAP(fill_right, gravity_args)
{
    int cell[DIM], tile = a->level.tile_of[i / TILE_CELLS + 1];
    size_t at = i + TILE_CELLS, c = X(tile_place)(&a->f.grid, tile, (int)(i % TILE_CELLS), cell);
    a->right[at] = a->level.d[at] > 0.0f ? X(gravity_right)(&a->f, c, &a->how) : 0.0f;
}

void DEV(gpu_gravity_right)(X(gpu) *g, const X(forces) *how, float start)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    gravity_args args;
    memset(&args, 0, sizeof args);
    args.f = g->f;
    args.level = solver->levels[0];
    args.right = solver->right;
    args.how = *how;
    DEV(gpu_scale_pressure)(g, g->f.p_gravity, 0.0f);
    fill_right(g, args, (size_t)args.level.tile_count * TILE_CELLS);
    solver->scale = start;
    solver->largest = -1;
    if (solver->pockets) {
        DEV(gpu_find_pockets)(g); /* their labels have not been kept */
        DEV(gpu_remove_pocket_means)(g, DEV(gpu_largest_b)(g));
    }
}
