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
    X(sim) *s;
    float weight;
} jacobi_args;

static void relax_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const jacobi_args *args = user;
    X(sim) *s = args->s;
    const X(system) *sys = &s->system;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&s->grid, s->system.levels[0].tiles[k]);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                size_t c = base + X(row_offset)(&s->grid, r) + (size_t)i;
                if (sys->diagonal[c] > 0.0f)
                    sys->q[c] += args->weight * sys->r[c] / sys->diagonal[c];
            }
    }
}

void X(relax)(X(sim) *s, float weight)
{
    jacobi_args args = {s, weight};
    sp_parallel_for(s->common->pool, (size_t)s->system.levels[0].tile_count, 1, relax_range, &args);
}

/* ---- Gauss-Seidel */

typedef struct sweep_args {
    X(sim) *s;
    float weight;
    int colour;
} sweep_args;

static void sweep_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const sweep_args *args = user;
    X(sim) *s = args->s;
    const X(system) *sys = &s->system;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&s->grid, s->system.levels[0].tiles[k]);
        for (int r = 0; r < TILE_ROWS; r++) {
            /* tiles have an even edge, so the colour of a cell is that of its place in the tile */
            int parity = ((r & (TILE - 1)) + (r >> TILE_SHIFT) + args->colour) & 1;
            for (int i = parity; i < TILE; i += 2) {
                size_t c = base + X(row_offset)(&s->grid, r) + (size_t)i;
                if (!(sys->diagonal[c] > 0.0f))
                    continue;
                float sum = sys->b[c];
                FOR_DIM(d) {
                    size_t step = s->grid.stride[d];
                    sum += sys->a[d][c] * sys->q[c - step] + sys->a[d][c + step] * sys->q[c + step];
                }
                sys->q[c] += args->weight * (sum / sys->diagonal[c] - sys->q[c]);
            }
        }
    }
}

void X(sweep)(X(sim) *s, float weight)
{
    for (int colour = 0; colour < 2; colour++) {
        sweep_args args = {s, weight, colour};
        X(fill_border_periodic)(s, s->system.q, -1);
        sp_parallel_for(s->common->pool, (size_t)s->system.levels[0].tile_count, 1, sweep_range,
                        &args);
    }
}
