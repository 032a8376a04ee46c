/* deposit.cu -- sums what the particles give to the centres of the cells around them, with linear
 * weights. The sums are gathered: each cell adds up the particles of the 3^DIM cells around it, in
 * the order of cells and particles. The layer of cells around the domain gets sums too, which
 * fold_border then adds to the cells inside. */
#include "exec.h"

#include "kernels/channels.h"

/* ---- the density, for SURFACE */

typedef struct density_args {
    X(fields) f;
    float *sums; /* density, or phi where nothing else needs it */
} density_args;

/* A block sums a tile, plane by plane along the last axis; each of its threads has a column of
 * cells of the tile or beside it. A thread sums once what the particles of its cell give to the
 * 3^DIM cells around it, and keeps that in shared memory, by the plane that gets it, until all
 * three planes that give to that one are done. */
#define SIDE (TILE + 2)
#define COLUMNS (SIDE * LAST(SIDE))
#define OUTPUTS (TILE * LAST(TILE))
#define OFFSETS (3 * LAST(3))
#define DENSITY_THREADS 128

typedef struct density_shared {
    float sum[3][OFFSETS][COLUMNS];
} density_shared;

/* The weights of a particle at the centres of the cells before, at and after its own. */
GPU_FN void shares_of(float inside, float share[3])
{
    float off = inside - 0.5f;
    share[0] = off < 0.0f ? -off : 0.0f;
    share[1] = 1.0f - GPU_ABS(off);
    share[2] = off > 0.0f ? off : 0.0f;
}

/* Sums what the particles of a cell give to the cells around it, in the planes before, at and after
 * its own. */
GPU_FN void give_density(const X(fields) *f, const int cell[DIM], float given[3][OFFSETS])
{
    size_t c = X(index)(&f->grid, cell);
    uint32_t first = f->first[c], end = first + f->count[c];
    for (uint32_t k = first; k < end; k++) {
        float share[3][3];
        FOR_DIM(d)
            shares_of(f->particles.x[d][k] - (float)cell[d], share[d]);
        for (int plane = 0; plane < 3; plane++)
            for (int j = 0; j < LAST(3); j++) {
                float line = share[DIM - 1][plane] * (DIM == 3 ? share[1][j] : 1.0f);
                for (int i = 0; i < 3; i++)
                    given[plane][3 * j + i] += line * share[0][i];
            }
    }
}

GPU_FN void give_plane(const density_args *a, const int corner[DIM], int plane, int column,
                       density_shared *shared)
{
    int cell[DIM];
    float given[3][OFFSETS] = {{0.0f}};
    cell[0] = corner[0] + column % SIDE - 1;
    if (DIM == 3)
        cell[1] = corner[1] + column / SIDE - 1;
    cell[DIM - 1] = corner[DIM - 1] + plane;
    if (X(inside)(&a->f.grid, cell))
        give_density(&a->f, cell, given);
    for (int k = 0; k < OFFSETS; k++) {
        shared->sum[(plane + 2) % 3][k][column] += given[0][k];
        shared->sum[(plane + 3) % 3][k][column] += given[1][k];
        shared->sum[(plane + 4) % 3][k][column] = given[2][k];
    }
}

BLOCKS(gather_density, density_args, density_shared, DENSITY_THREADS)
{
    const X(fields) *f = &a->f;
    bool border = (int)block >= f->tiles.active_count;
    int tile =
            border ? f->tiles.border[(int)block - f->tiles.active_count] : f->tiles.active[block],
        corner[DIM];
    X(tile_cell)(&f->grid, tile, corner);
    size_t base = X(index)(&f->grid, corner);
    if (!border && !f->density && !(f->tiles.near[tile] & NEAR_SURFACE))
        return;
    FOR_THREADS(t, COLUMNS)
        for (int k = 0; k < OFFSETS; k++)
            shared->sum[1][k][t] = shared->sum[2][k][t] = 0.0f;
    BARRIER();
    for (int plane = -1; plane <= TILE; plane++) {
        FOR_THREADS(t, COLUMNS)
            give_plane(a, corner, plane, t, shared);
        BARRIER();
        FOR_THREADS(t, plane > 0 ? OUTPUTS : 0) {
            int i = t % TILE, j = t / TILE; /* j = 0 in 2D */
            float sum = 0.0f;
            for (int k = 0; k < OFFSETS; k++) {
                int from = i + 2 - k % 3 + (DIM == 3 ? SIDE * (j + 2 - k / 3) : 0);
                sum += shared->sum[(plane + 2) % 3][k][from];
            }
            size_t c = base + (size_t)i + (size_t)(plane - 1) * f->grid.stride[DIM - 1];
            c += DIM == 3 ? (size_t)j * f->grid.stride[1] : 0;
            a->sums[c] = sum;
        }
        BARRIER();
    }
}

void DEV(sum_density)(X(exec) *e, float *sums)
{
    density_args args = {e->f, sums};
    gather_density(e, args, (size_t)(e->f.tiles.active_count + e->f.tiles.border_count));
}

/* ---- the channels that the grid holds */

/* What the cells around one give to its centre. */
typedef struct taken {
    float weight, sum[GRID_COLUMNS];
} taken;

/* Adds what the particles of cell `from` give to the centre of cell `to`. */
GPU_FN void take_cell(const X(fields) *f, const int from[DIM], const int to[DIM], taken *all)
{
    size_t c = X(index)(&f->grid, from);
    for (uint32_t k = f->first[c]; k < f->first[c] + f->count[c]; k++) {
        float x[DIM], w = 1.0f;
        X(place_of)(f, k, x);
        X(stencil) stencil = X(stencil_at)(KERNEL_LINEAR, x, -1);
        FOR_DIM(d) {
            int offset = to[d] - stencil.first[d];
            w *= offset == 0 ? stencil.w[d][0] : offset == 1 ? stencil.w[d][1] : 0.0f;
        }
        all->weight += w;
        for (int j = 0; j < f->on_grid; j++)
            all->sum[j] += w * f->particles.own[f->column_of[j]][k];
    }
}

CELLS(gather_channels, sp_nothing)
{
    FOR_EACH_CELL(c, cell) {
        int near[DIM];
        taken all = {0.0f, {0.0f}};
        for (int k = 0; k < (DIM == 3 ? 27 : 9); k++) {
            int offset[3] = {k % 3 - 1, k / 3 % 3 - 1, DIM == 3 ? k / 9 - 1 : 0};
            FOR_DIM(d)
                near[d] = cell[d] + offset[d];
            if (X(inside)(&f->grid, near))
                take_cell(f, near, cell, &all);
        }
        f->channel_weight[c] = all.weight;
        for (int j = 0; j < f->on_grid; j++)
            f->channel[j][c] = all.sum[j];
    }
}

void DEV(deposit)(X(exec) *e)
{
    gather_channels(e, &NOTHING, active_and_border_tiles(&e->f));
}
