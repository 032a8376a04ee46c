/* density.cu -- the grid's part of the density projection on the device (cpu/density.c): its right
 * side, and the displacement of the faces around the liquid (kernels/density.h). */
#include "cuda/pressure/solver.h"
#include "kernels/density.h"

typedef struct density_args {
    X(fields) f;
    DEV(gpu_level) level; /* 0 */
    float *right, *q;
    int layer;
} density_args;

static density_args args_of(X(gpu) *g)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    density_args args;
    memset(&args, 0, sizeof args);
    args.f = g->f;
    args.level = solver->levels[0];
    args.right = solver->right;
    args.q = solver->q_density;
    return args;
}

MAP(clear_cells, density_args)
{
    int cell[DIM], number = (int)(i / TILE_CELLS), active = a->f.tiles.active_count;
    int tile = number < active ? a->f.tiles.active[number] : a->f.tiles.border[number - active];
    size_t c = X(tile_place)(&a->f.grid, tile, (int)(i % TILE_CELLS), cell);
    a->q[c] = 0.0f;
    FOR_DIM(d)
        a->f.away[d][c] = 0.0f;
}

MAP(find_excess, density_args)
{
    int cell[DIM], tile = a->level.tile_of[i / TILE_CELLS + 1];
    size_t at = i + TILE_CELLS, c = X(tile_place)(&a->f.grid, tile, (int)(i % TILE_CELLS), cell);
    a->right[at] = a->level.d[at] > 0.0f ? X(excess)(&a->f, c) : 0.0f;
}

void DEV(gpu_density_excess)(X(gpu) *g)
{
    size_t around = (size_t)(g->f.tiles.active_count + g->f.tiles.border_count);
    clear_cells(g, args_of(g), around * TILE_CELLS);
    find_excess(g, args_of(g), (size_t)DEV(gpu_solver_of)(g)->levels[0].tile_count * TILE_CELLS);
    DEV(gpu_solver_of)(g)->largest = -1;
    if (DEV(gpu_solver_of)(g)->pockets) {
        DEV(gpu_find_pockets)(g); /* their labels have not been kept */
        DEV(gpu_remove_pocket_means)(g, (double)MOST_ERROR);
    }
}

MAP(extend_faces, density_args)
{
    const X(fields) *f = &a->f;
    int cell[DIM], tile = f->tiles.faces[i / TILE_CELLS], k = (int)(i % TILE_CELLS);
    size_t c = X(tile_place)(&f->grid, tile, k, cell);
    if (!X(place_has_faces)(&f->grid, tile, k))
        return;
    FOR_DIM(d) {
        if (f->known[d][c] == a->layer)
            f->away[d][c] = X(extended)(f, d, c, a->layer);
    }
}

void DEV(gpu_density_extend)(X(gpu) *g)
{
    density_args args = args_of(g);
    for (args.layer = 2; args.layer < 2 + REACH; args.layer++) {
        extend_faces(g, args, (size_t)g->f.tiles.face_count * TILE_CELLS);
        FOR_DIM(d)
            DEV(gpu_fill_border)(g, g->f.away[d], d);
    }
}
