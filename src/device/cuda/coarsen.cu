/* coarsen.cu -- the multigrid's coarse levels on the device: their coefficients, and which tiles
 * need to read them. The maths stands in sim/pressure/multigrid.c. */
#include "device/cuda/solver.h"

typedef struct coarsen_args {
    X(gpu_level) level, fine;
    const uint8_t *deep; /* of the finer level's tiles; or NULL */
} coarsen_args;

/* Off-diagonal d, low, of a cell of the finer level, and its diagonal. */
GPU_FN float fine_face(const X(gpu_level) *f, int slot, int at, int d)
{
    size_t c = (size_t)slot * TILE_CELLS + (size_t)at;
    if (f->a[d])
        return f->a[d][c];
    int step = block_step(d), across = at / step % TILE;
    size_t low = across > 0 ? c - (size_t)step
                            : (size_t)f->near[2 * DIM * slot + 2 * d] * TILE_CELLS +
                                  (size_t)(at + (TILE - 1) * step);
    return f->d[c] > 0.0f && f->d[low] > 0.0f ? f->even : 0.0f;
}

/* Where a coarse cell (c) of the part that a tile of the finer level makes lies. */
GPU_FN size_t coarse_place(int parent, const int c[3])
{
    int to = 0;
    FOR_DIM(axis)
        to += (c[axis] + (parent % FAMILY >> axis & 1) * (TILE / 2)) * block_step(axis);
    return (size_t)(parent / FAMILY) * TILE_CELLS + (size_t)to;
}

/* Cells of a tile of the finer level make one part of their coarse tile. The order of sums is that
 * of the CPU: rows first, then along x. */
MAP(coarsen_cells, coarsen_args)
{
    const int coarse_cells = TILE_CELLS / FAMILY;
    const float share = 0.5f / (float)FAMILY; /* 1/2: the over-correction */
    int slot = (int)(i / (size_t)coarse_cells) + 1, e = (int)(i % (size_t)coarse_cells);
    int c[3] = {e % (TILE / 2), e / (TILE / 2) % (TILE / 2), e / (TILE * TILE / 4)};
    int tile = a->fine.tile_of[slot], first[DIM];
    size_t to = coarse_place(a->fine.parent[slot], c);
    if (a->deep && a->deep[tile]) { /* what the sums below would give */
        a->level.d[to] = 2 * DIM * a->level.even;
        FOR_DIM(axis)
            a->level.a[axis][to] = a->level.even;
        return;
    }
    float d[2] = {0.0f, 0.0f}, across[DIM][2], within[DIM][2];
    memset(across, 0, sizeof across);
    memset(within, 0, sizeof within);
    X(tile_cell)(&a->fine.grid, tile, first);
    for (int child = 0; child < FAMILY / 2; child++)
        for (int x = 0; x < 2; x++) {
            int upper[3] = {0, child & 1, child >> 1}, cell[DIM];
            int at = ((2 * c[2] + upper[2]) * TILE + 2 * c[1] + upper[1]) * TILE + 2 * c[0] + x;
            cell[0] = first[0] + 2 * c[0] + x;
            cell[1] = first[1] + 2 * c[1] + upper[1];
            if (DIM == 3)
                cell[DIM - 1] = first[DIM - 1] + 2 * c[2] + upper[2];
            if (!X(inside)(&a->fine.grid, cell))
                continue;
            d[x] += a->fine.d[(size_t)slot * TILE_CELLS + (size_t)at];
            FOR_DIM(axis) {
                float face = fine_face(&a->fine, slot, at, axis);
                if (upper[axis])
                    within[axis][x] += face;
                else
                    across[axis][x] += face;
            }
        }
    for (int axis = 1; axis < DIM; axis++)
        for (int x = 0; x < 2; x++)
            d[x] -= 2.0f * within[axis][x];
    float diagonal = share * (d[0] + d[1] - 2.0f * across[0][1]);
    a->level.a[0][to] = share * across[0][0];
    for (int axis = 1; axis < DIM; axis++)
        a->level.a[axis][to] = share * (across[axis][0] + across[axis][1]);
    /* rounding may leave a trace of a component that fits into one cell and touches no air */
    a->level.d[to] = diagonal > 1e-6f * share ? diagonal : 0.0f;
}

typedef struct kind_shared {
    uint32_t kind[PAIRS];
} kind_shared;

/* A neighbour across an axis, in its block or in the next one. */
GPU_FN size_t next_place(const X(gpu_level) *l, int slot, int at, int d, int side)
{
    int step = block_step(d), across = at / step % TILE;
    size_t own = (size_t)slot * TILE_CELLS;
    if (side ? across < TILE - 1 : across > 0)
        return own + (size_t)(side ? at + step : at - step);
    size_t other = (size_t)l->near[2 * DIM * slot + 2 * d + side] * TILE_CELLS;
    return other + (size_t)(side ? at - (TILE - 1) * step : at + (TILE - 1) * step);
}

/* As kind_of in sim/pressure/multigrid.c; but faces towards no unknown are of no account. */
BLOCKS(find_kinds, coarsen_args, kind_shared, PAIRS)
{
    const X(gpu_level) *l = &a->level;
    const X(grid) *g = &l->grid;
    int slot = (int)block + 1, tile[DIM];
    bool seam = false;
    X(tile_coordinates)(g, l->tile_of[slot], tile);
    FOR_DIM(d)
        seam = seam || (g->periodic[d] && (tile[d] == 1 || tile[d] >= g->tiles[d] - 2));
    FOR_THREADS(t, PAIRS) {
        bool uneven = seam, ragged = false;
        for (int e = 0; e < 2; e++) {
            int at = t + e * PAIRS;
            size_t c = (size_t)slot * TILE_CELLS + (size_t)at;
            ragged = ragged || l->d[c] != 2 * DIM * l->even;
            FOR_DIM(d) {
                size_t low = next_place(l, slot, at, d, 0), high = next_place(l, slot, at, d, 1);
                bool odd_low = l->a[d][c] != l->even && l->d[low] > 0.0f;
                bool odd_high = l->a[d][high] != l->even && l->d[high] > 0.0f;
                uneven = uneven || (l->d[c] > 0.0f && (odd_low || odd_high));
            }
        }
        shared->kind[t] = uneven ? GENERAL : ragged ? PLAIN : UNIFORM;
    }
    find_largest(shared->kind, PAIRS);
    FOR_THREADS(t, 1)
        l->kind[slot] = (uint8_t)shared->kind[0];
}

void X(gpu_multigrid_build)(X(gpu) *g)
{
    X(gpu_solver) *y = X(gpu_solver_of)(g);
    for (int k = 1; k < y->level_count; k++) {
        coarsen_args args;
        memset(&args, 0, sizeof args);
        args.level = y->levels[k];
        args.fine = y->levels[k - 1];
        args.deep = k == 1 ? y->deep : NULL;
        coarsen_cells(g, args, (size_t)args.fine.tile_count * (TILE_CELLS / FAMILY));
        FOR_DIM(d)
            X(gpu_wrap)(g, &y->levels[k], y->levels[k].a[d]);
        find_kinds(g, args, (size_t)args.level.tile_count);
    }
}
