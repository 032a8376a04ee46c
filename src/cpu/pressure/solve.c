/* solve.c -- one whole solve, by the solver that the scene names. */
#include "pressure.h"

#include <string.h>

static void zero_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = user;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&s->grid, s->system.levels[0].tiles[k]);
        for (int r = 0; r < TILE_ROWS; r++)
            memset(s->system.q + base + X(row_offset)(&s->grid, r), 0, TILE * sizeof(float));
    }
}

void DEV(clear_pressure)(X(sim) *s)
{
    sp_parallel_for(s->common->pool, (size_t)s->system.levels[0].tile_count, 8, zero_range, s);
}

void DEV(solve_system)(X(sim) *s, X(solve) *solve)
{
    switch (s->common->scene->pressure.solver) {
    case SPATE_SOLVER_JACOBI: DEV(solve_jacobi)(s, solve); break;
    case SPATE_SOLVER_GAUSS_SEIDEL: DEV(solve_gauss_seidel)(s, solve); break;
    case SPATE_SOLVER_PCG: DEV(solve_pcg)(s, solve); break;
    case SPATE_SOLVER_MULTIGRID: DEV(solve_multigrid)(s, solve); break;
    }
}
