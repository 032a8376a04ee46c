/* jacobi.c -- relaxed Jacobi: q <- q + weight (b - A q) / diagonal. Simple, parallel, slow. */
#include "pressure.h"

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

static void relax(X(sim) *s, float weight)
{
    ON_DEVICE(s, X(gpu_relax)(s->gpu, weight); return );
    jacobi_args args = {s, weight};
    sp_parallel_for(s->common->pool, (size_t)s->system.levels[0].tile_count, 1, relax_range, &args);
}

void X(solve_jacobi)(X(sim) *s, X(solve) *solve)
{
    float weight = (float)(solve->relaxation > 0 ? solve->relaxation : 0.8);
    for (solve->iterations = 0;; solve->iterations++) {
        solve->residual = X(system_residual)(s, s->system.q, NULL);
        solve->converged = solve->residual <= solve->tolerance;
        if (solve->converged || solve->iterations >= solve->max_iterations)
            return;
        relax(s, weight);
    }
}
