/* fractions.c -- how much of each face and cell is free of solids, tile by tile; the maths stands
 * in kernels/fractions.h. */
#include "kernels/fractions.h"
#include "cpu.h"

float X(cell_share)(const X(sim) *s, size_t index)
{
    return X(free_share)(&s->grid, s->phi_solid, index);
}

typedef struct fraction_args {
    X(sim) *s;
    X(cut_view) view;
    const int *tiles;
} fraction_args;

/* Cells 0 .. n along each axis: the last layer holds the faces that end the domain. */
static void fraction_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const fraction_args *args = user;
    X(sim) *s = args->s;
    const X(grid) *g = &s->grid;
    for (size_t k = begin; k < end; k++) {
        int tile = args->tiles ? args->tiles[k] : (int)k, first[DIM], cell[DIM];
        X(tile_cell)(g, tile, first);
        size_t base = X(index)(g, first);
        bool far =
            s->phi_solid[base] > 3.0f * TILE * g->dx; /* of all the tile, and of its neighbours */
        bool cut = false;
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                size_t index = base + X(row_offset)(g, r) + (size_t)i;
                bool inside = true;
                X(row_cell)(first, r, cell);
                cell[0] += i;
                FOR_DIM(d)
                    inside = inside && cell[d] >= 0 && cell[d] <= g->n[d];
                if (!inside)
                    continue;
                X(wrapped)(g, cell);
                size_t source = X(index)(g, cell);
                FOR_DIM(d) {
                    s->w[d][index] = far ? 1.0f : X(cut_face)(&args->view, source, cell, d);
                    cut = cut || s->w[d][index] != 1.0f;
                }
                s->room[index] = far ? 1.0f : X(kernel_share)(&args->view, source);
            }
        s->tiles.cut[tile] = cut;
    }
}

void X(update_fractions)(X(sim) *s, const int *tiles, int count)
{
    bool voxel = s->common->scene->pressure.solids == SPATE_SOLID_MODEL_VOXEL;
    fraction_args args = {s, {s->grid, s->phi_solid, s->solids, voxel}, tiles};
    sp_parallel_for(s->common->pool, (size_t)count, 4, fraction_range, &args);
}
