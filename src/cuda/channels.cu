/* channels.cu -- channels that are averaged over the grid (cpu/channels.c): each cell gathers from
 * the particles around it, with the linear kernel at its middle, and particles take the mean of the
 * cells around them. */
#include "kernels/transfer.h"
#include "launch.h"

typedef struct channel_args {
    X(fields) f;
    float *column, *sum, *weight;
} channel_args;

/* Adds what the particles of a cell give to the middle of cell `to`. */
GPU_FN void take_cell(const channel_args *a, const int from[DIM], const int to[DIM], float *sum,
                      float *weight)
{
    const X(fields) *f = &a->f;
    size_t c = X(index)(&f->grid, from);
    for (uint32_t k = f->first[c]; k < f->first[c] + f->count[c]; k++) {
        float x[DIM], w = 1.0f;
        FOR_DIM(d)
            x[d] = f->particles.x[d][k];
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
    a->sum[c] = sum;
    a->weight[c] = weight;
}

MAP(take_means, channel_args)
{
    int cell[DIM];
    size_t c =
        X(tile_place)(&a->f.grid, a->f.tiles.active[i / TILE_CELLS], (int)(i % TILE_CELLS), cell);
    a->sum[c] = a->weight[c] > 0.0f ? a->sum[c] / a->weight[c] : 0.0f;
}

MAP(take_from_cells, channel_args)
{
    float x[DIM];
    FOR_DIM(d)
        x[d] = a->f.particles.x[d][i];
    X(stencil) stencil = X(stencil_at)(KERNEL_LINEAR, x, -1);
    a->column[i] = X(gather)(&a->f.grid, &stencil, KERNEL_LINEAR, a->sum);
}

void DEV(gpu_average)(X(gpu) *g, float *column)
{
    channel_args args = {g->f, column, g->f.channel_sum, g->f.channel_weight};
    size_t active = (size_t)g->f.tiles.active_count, border = (size_t)g->f.tiles.border_count;
    give_to_cells(g, args, (active + border) * TILE_CELLS);
    DEV(gpu_fold_border)(g, args.sum, args.weight, -1);
    take_means(g, args, active * TILE_CELLS);
    DEV(gpu_fill_border)(g, args.sum, -1);
    take_from_cells(g, args, g->f.particles.count);
}
