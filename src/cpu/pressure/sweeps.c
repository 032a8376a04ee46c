/* sweeps.c -- the two solvers that only sweep. The loop around them is state/sweeps.c.
 *
 *     Jacobi, relaxed                 q <- q + weight (b - A q) / diagonal
 *     Gauss-Seidel, over-relaxed      the same, cell after cell, with the newest neighbours
 *
 * Gauss-Seidel goes by colours: cells whose coordinates have an even sum depend only on those with
 * an odd sum and the other way round, so each half sweep may go in any order and gives the same
 * bits. */
#include "pressure.h"

/* ---- Jacobi */

typedef struct jacobi_args {
    X(system) *sys;
    float weight;
} jacobi_args;

static void relax_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const jacobi_args *args = user;
    const X(system) *sys = args->sys;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&sys->grid, sys->levels[0].tiles[k]);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                size_t c = base + X(row_offset)(&sys->grid, r) + (size_t)i;
                if (sys->diagonal[c] > 0.0f)
                    sys->q[c] += args->weight * sys->r[c] / sys->diagonal[c];
            }
    }
}

void X(relax)(void *system, float weight)
{
    X(system) *sys = system;
    jacobi_args args = {sys, weight};
    sp_parallel_for(sys->domain->pool, (size_t)sys->levels[0].tile_count, 1, relax_range, &args);
}

/* ---- Gauss-Seidel */

typedef struct sweep_args {
    X(system) *sys;
    float weight;
    int colour;
} sweep_args;

static void sweep_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const sweep_args *args = user;
    const X(system) *sys = args->sys;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&sys->grid, sys->levels[0].tiles[k]);
        for (int r = 0; r < TILE_ROWS; r++) {
            /* tiles have an even edge, so the colour of a cell is that of its place in the tile */
            int parity = ((r & (TILE - 1)) + (r >> TILE_SHIFT) + args->colour) & 1;
            for (int i = parity; i < TILE; i += 2) {
                size_t c = base + X(row_offset)(&sys->grid, r) + (size_t)i;
                if (!(sys->diagonal[c] > 0.0f))
                    continue;
                float sum = sys->b[c];
                FOR_DIM(d) {
                    size_t step = sys->grid.stride[d];
                    sum += sys->a[d][c] * sys->q[c - step] + sys->a[d][c + step] * sys->q[c + step];
                }
                sys->q[c] += args->weight * (sum / sys->diagonal[c] - sys->q[c]);
            }
        }
    }
}

void X(sweep)(void *system, float weight)
{
    X(system) *sys = system;
    for (int colour = 0; colour < 2; colour++) {
        sweep_args args = {sys, weight, colour};
        X(fill_border_periodic)(sys->domain, sys->q, -1);
        sp_parallel_for(sys->domain->pool, (size_t)sys->levels[0].tile_count, 1, sweep_range,
                        &args);
    }
}
