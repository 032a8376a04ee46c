/* channels.cu -- channels that the grid averages (kernels/channels.h). Particles do not give: each
 * cell gathers from those of the cells around it, in order of cells and particles. */
#include "kernels/channels.h"
#include "launch.h"

typedef struct channel_args {
    X(fields) f;
    float *column;
} channel_args;

/* Adds what the particles of a cell give to the middle of cell `to`. */
GPU_FN void take_cell(const channel_args *a, const int from[DIM], const int to[DIM], float *sum,
                      float *weight)
{
    const X(fields) *f = &a->f;
    size_t c = X(index)(&f->grid, from);
    for (uint32_t k = f->first[c]; k < f->first[c] + f->count[c]; k++) {
        float x[DIM], w = 1.0f;
        X(place_of)(f, k, x);
        X(stencil) stencil = X(stencil_at)(KERNEL_LINEAR, x, -1);
        FOR_DIM(d) {
            int offset = to[d] - stencil.first[d];
            w *= offset == 0 ? stencil.w[d][0] : offset == 1 ? stencil.w[d][1] : 0.0f;
        }
        *sum += w * a->column[k];
        *weight += w;
    }
}

MAP(give_to_cells, channel_args)
{
    const X(fields) *f = &a->f;
    int cell[DIM], near[DIM], number = (int)(i / TILE_CELLS);
    bool border = number >= f->tiles.active_count;
    int tile = border ? f->tiles.border[number - f->tiles.active_count] : f->tiles.active[number];
    size_t c = X(tile_place)(&f->grid, tile, (int)(i % TILE_CELLS), cell);
    float sum = 0.0f, weight = 0.0f;
    for (int k = 0; k < (DIM == 3 ? 27 : 9); k++) {
        int offset[3] = {k % 3 - 1, k / 3 % 3 - 1, DIM == 3 ? k / 9 - 1 : 0};
        FOR_DIM(d)
            near[d] = cell[d] + offset[d];
        if (X(inside)(&f->grid, near))
            take_cell(a, near, cell, &sum, &weight);
    }
    f->channel_sum[c] = sum;
    f->channel_weight[c] = weight;
}

MAP(take_means, channel_args)
{
    int cell[DIM];
    X(take_mean)(&a->f, X(active_place)(&a->f, i, cell));
}

MAP(take_from_cells, channel_args)
{
    a->column[i] = X(take_from_cells)(&a->f, i);
}

void DEV(gpu_average)(X(gpu) *g, float *column)
{
    channel_args args = {g->f, column};
    size_t active = (size_t)g->f.tiles.active_count, border = (size_t)g->f.tiles.border_count;
    give_to_cells(g, args, (active + border) * TILE_CELLS);
    DEV(gpu_fold_border)(g, g->f.channel_sum, g->f.channel_weight, -1);
    take_means(g, args, active * TILE_CELLS);
    DEV(gpu_fill_border)(g, g->f.channel_sum, -1);
    take_from_cells(g, args, g->f.tiles.first_flying);
}
