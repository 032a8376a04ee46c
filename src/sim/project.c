/* project.c -- the stage PRESSURE: makes the velocity of the liquid free of divergence.
 *
 * Stops when max |r| dt/dx, the share of a cell's volume that is lost in the step, is at most
 *
 *     min(tolerance, 0.01 |g| dt^2 / dx),
 *
 * so that water at rest stays at rest in small steps; but not below what fp32 velocities can hold.
 * The solve starts from the pressure of the last step. A pcg or multigrid solve that does not
 * converge is never accepted: it is done again from zero, then with a stronger cycle; if that fails
 * the step is taken in two halves (api.c), and in the end the run stops. jacobi and gauss_seidel
 * have max_iterations as a budget and go on with a warning. */
#include "cpu/pressure/pressure.h"

#include <math.h>
#include <string.h>

#define FLOAT_FLOOR 5e-7 /* of the largest right side */

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

void X(forget_pressure)(X(sim) *s)
{
    ON_DEVICE(s, X(gpu_scale_pressure)(s->gpu, 0.0f); return );
    sp_parallel_for(s->common->pool, (size_t)s->system.levels[0].tile_count, 8, zero_range, s);
}

/* A device solves in memory of its own. */
static void begin_solve(X(sim) *s)
{
    ON_DEVICE(s, X(gpu_solve_begin)(s->gpu, s->system.q != s->p));
    (void)s;
}

static void end_solve(X(sim) *s)
{
    ON_DEVICE(s, X(gpu_solve_end)(s->gpu, s->system.q != s->p));
    (void)s;
}

void X(solve_system)(X(sim) *s, X(solve) *solve)
{
    begin_solve(s);
    switch (s->common->scene->pressure.solver) {
    case SPATE_SOLVER_JACOBI: X(solve_jacobi)(s, solve); break;
    case SPATE_SOLVER_GAUSS_SEIDEL: X(solve_gauss_seidel)(s, solve); break;
    case SPATE_SOLVER_PCG: X(solve_pcg)(s, solve); break;
    case SPATE_SOLVER_MULTIGRID: X(solve_multigrid)(s, solve); break;
    }
    end_solve(s);
}

static bool is_budget(const spate_scene *scene)
{
    return scene->pressure.solver == SPATE_SOLVER_JACOBI ||
           scene->pressure.solver == SPATE_SOLVER_GAUSS_SEIDEL;
}

static spate_status not_converged(X(sim) *s, const X(solve) *solve, double share,
                                  spate_error *error)
{
    sp_common *common = s->common;
    const spate_scene *scene = common->scene;
    common->solver_failures++;
    bool budget = is_budget(scene) && scene->pressure.on_failure == SPATE_ON_FAILURE_WARN;
    common->unconverged = !is_budget(scene);
    if (!budget)
        return sp_fail(
            error, SPATE_ERROR_SIMULATION, "pressure",
            "no convergence in frame %d after %d iterations: residual %.3g, wanted %.3g; raise "
            "pressure.max_iterations or pressure.tolerance, or lower time.cfl",
            common->frame + 1, solve->iterations, solve->residual * share,
            solve->tolerance * share);
    if (!common->warned_solver)
        sp_log(
            common->log, common->log_user, SPATE_LOG_WARNING, "pressure",
            "stopped at max_iterations = %d in frame %d with residual %.3g (wanted %.3g); such solves are counted in "
            "solver_failures of stats.csv",
            scene->pressure.max_iterations, common->frame + 1, solve->residual * share,
            solve->tolerance * share);
    common->warned_solver = true;
    return SPATE_OK;
}

spate_status X(project)(X(sim) *s, double dt, spate_error *error)
{
    sp_common *common = s->common;
    const spate_scene *scene = common->scene;
    if (!(dt > 0))
        return SPATE_OK;
    double dx = s->grid.dx, share = dt / dx, to_pressure = scene->fluid.density * dx / dt,
           gravity = 0;
    for (int d = 0; d < DIM; d++)
        gravity += common->gravity[d] * common->gravity[d];
    gravity = sqrt(gravity);
    double largest = X(system_assemble)(s, dt, 1 / to_pressure), before = largest * share;
    if (s->system.has_pockets)
        largest = X(system_largest_b)(s);
    double limit = scene->pressure.tolerance;
    if (gravity > 0)
        limit = fmin(limit, 0.01 * gravity * dt * share);
    if (!(largest < 1e30))
        return sp_fail(error, SPATE_ERROR_SIMULATION, "pressure",
                       "the velocity is not finite in frame %d; the last checkpoint is good",
                       common->frame + 1);
    X(solve)
    solve = {.tolerance = fmax(limit / share, FLOAT_FLOOR * largest),
             .max_iterations = scene->pressure.max_iterations,
             .relaxation = scene->pressure.relaxation};
    X(solve_system)(s, &solve);
    common->solver_iterations += solve.iterations;
    for (int again = 0; again < 2 && !solve.converged && !is_budget(scene); again++) {
        s->system.sweeps = again == 0 ? SWEEPS : STRONG_SWEEPS;
        X(forget_pressure)(s);
        X(solve_system)(s, &solve);
        common->solver_iterations += solve.iterations;
    }
    s->system.sweeps = SWEEPS;
    if (!solve.converged && !is_budget(scene))
        X(forget_pressure)(s); /* what comes next is not to start from a failure */
    if (!solve.converged)
        TRY(not_converged(s, &solve, share, error));
    X(system_gradient)(s, s->u, false);
    double after = X(system_divergence)(s, dt, to_pressure) * share;
    common->divergence_before = fmax(common->divergence_before, before);
    common->divergence_after = fmax(common->divergence_after, after);
    common->solver_residual = fmax(common->solver_residual, solve.residual * share);
    return SPATE_OK;
}
