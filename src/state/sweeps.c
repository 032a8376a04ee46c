/* sweeps.c -- the loop of the solvers that only sweep, Jacobi and Gauss-Seidel, on any device. */
#include "device.h"

#define CHECK_EVERY 8 /* sweeps of Gauss-Seidel between looks at the residual */

/* Across a periodic side with an odd number of cells the colours of Gauss-Seidel do not alternate:
 * there a sweep takes the border copy of the last one, as in Jacobi's method, which does not bear
 * over-relaxation. */
static float weight_of(const X(grid) *g, const X(solve) *solve, bool jacobi)
{
    float weight = (float)(solve->relaxation > 0 ? solve->relaxation : jacobi ? 0.8 : 1.7);
    FOR_DIM(d) {
        if (!jacobi && g->periodic[d] && g->n[d] % 2 && weight > 1.0f)
            weight = 1.0f;
    }
    return weight;
}

void X(solve_by_sweeps)(const X(system) *sys, X(solve) *solve, X(residual_fn) *residual,
                        X(sweep_fn) *sweep, void *args)
{
    bool jacobi = sys->solver == SPATE_SOLVER_JACOBI;
    float weight = weight_of(&sys->grid, solve, jacobi);
    for (solve->iterations = 0;; solve->iterations++) {
        bool last = solve->iterations >= solve->max_iterations;
        if (last || jacobi || (!solve->all && solve->iterations % CHECK_EVERY == 0)) {
            solve->residual = residual(args); /* Jacobi's sweep needs it */
            solve->converged = solve->residual <= solve->tolerance;
            if ((solve->converged && !solve->all) || last)
                return;
        }
        sweep(args, weight);
    }
}
