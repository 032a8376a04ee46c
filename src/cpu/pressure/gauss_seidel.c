/* gauss_seidel.c -- red-black Gauss-Seidel with over-relaxation (SOR).
 *
 * Cells whose coordinates have an even sum depend only on those with an odd sum and the other way
 * round, so each half sweep may go in any order and gives the same bits. Across a periodic side
 * with an odd number of cells the colours do not alternate: there the border copy of the last half
 * sweep is used, as in Jacobi's method, which does not bear over-relaxation. */
#include "pressure.h"

#define CHECK_EVERY 8 /* sweeps between looks at the residual */

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

static void sweep(X(sim) *s, float weight, int colour)
{
    ON_DEVICE(s, X(gpu_sweep)(s->gpu, weight, colour); return );
    sweep_args args = {s, weight, colour};
    X(fill_border_periodic)(s, s->system.q, -1);
    sp_parallel_for(s->common->pool, (size_t)s->system.levels[0].tile_count, 1, sweep_range, &args);
}

void X(solve_gauss_seidel)(X(sim) *s, X(solve) *solve)
{
    float weight = (float)(solve->relaxation > 0 ? solve->relaxation : 1.7);
    FOR_DIM(d) {
        if (s->grid.periodic[d] && s->grid.n[d] % 2 && weight > 1.0f)
            weight = 1.0f;
    }
    for (solve->iterations = 0;; solve->iterations++) {
        bool last = solve->iterations >= solve->max_iterations;
        if (last || solve->iterations % CHECK_EVERY == 0) {
            solve->residual = X(system_residual)(s, s->system.q, NULL);
            solve->converged = solve->residual <= solve->tolerance;
            if (solve->converged || last)
                return;
        }
        for (int colour = 0; colour < 2; colour++)
            sweep(s, weight, colour);
    }
}
