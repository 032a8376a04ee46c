/* pressure.c -- the stage PRESSURE: makes the velocity of the liquid free of divergence.
 *
 * Stops when max |r| dt/dx, the share of a cell's volume that is lost in the step, is at most
 *
 *     min(tolerance, 0.01 |g| dt^2 / dx),
 *
 * so that water at rest stays at rest in small steps; but not below what fp32 velocities can hold.
 * The solve starts from the pressure of the last step. Which cells part from walls
 * (kernels/contact.h) is found from that pressure, and again from the new one; if others do, the
 * system is solved again, at most MOST_PARTINGS times, in short steps mostly not at all. A pcg or
 * multigrid solve that does not converge is never accepted: it is done again from zero, then with a
 * stronger cycle; if that fails the step is taken in two halves (clock.c), and in the end the run
 * stops. jacobi and gauss_seidel have max_iterations as a budget and go on with a warning. */
#include "sim.h"

#include "kernels/contact.h"
#include "scene/channels.h"
#include "state/cg_policy.h"

#include <math.h>

#define FLOAT_FLOOR 5e-7 /* of the largest right side */
#define MOST_PARTINGS 2  /* solves that follow because others part from walls */
#define MOST_CLOSINGS                                                          \
    8 /* further ones in which cells only come back: parted, they would shrink \
       */

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
    if (!common->warned_solver && !scene->pressure.fixed_iterations) /* else it was meant so */
        sp_log(
            common->log, common->log_user, SPATE_LOG_WARNING, "pressure",
            "stopped at max_iterations = %d in frame %d with residual %.3g (wanted %.3g); such solves are counted in "
            "solver_failures of stats.csv",
            scene->pressure.max_iterations, common->frame + 1, solve->residual * share,
            solve->tolerance * share);
    common->warned_solver = true;
    return SPATE_OK;
}

/* Pressure as it is to be shown. q is the impulse of two causes. Gravity acted for T, from the
 * middle of the last step to that of this one; but the divergence that P2G brought is that of the
 * particles' way in the last ADVECT, and so is what they met there, of the length of the step
 * before. With q_g that of gravity and buoyancy alone,
 *
 *     pressure = rho dx (q_g / T + (q - q_g) / dt_last) = stretch p + (1 - stretch) p_gravity,
 *     stretch = T / dt_last.
 *
 * While the step keeps its length that is p, and gauges do not need p_gravity. Its error counts 1 -
 * stretch times: what is left of that is GRAVITY_SHARE of what gravity does in the step. What rises
 * in a gas needs p_gravity in each step but the first one (kernels/midway.h), as exact as p. */
#define SAME_STEP 1e-3
#define GRAVITY_SHARE 1e-3

static void part_pressure(X(sim) *s, double dt, double to_pressure, double gravity,
                          double tolerance)
{
    const spate_scene *scene = s->common->scene;
    double seconds = X(kick_seconds)(s, dt), stretch = seconds / s->common->last_dt;
    bool stretches = s->needs & WHEN_LOADS && fabs(stretch - 1) >= SAME_STEP;
    bool lifts = s->needs & WHEN_LIFT;
    s->stretch = 1;
    s->lifted = false;
    if (!(s->common->last_dt > 0) || !(stretches || lifts))
        return;
    X(solve) solve = {.tolerance = tolerance};
    if (!lifts)
        solve.tolerance = GRAVITY_SHARE * gravity * seconds / fabs(stretch - 1);
    solve.max_iterations = scene->pressure.max_iterations;
    solve.relaxation = scene->pressure.relaxation;
    s->device->solve_gravity(s, dt, to_pressure, &solve);
    bool done = solve.converged || is_budget(scene);
    s->stretch = done && stretches ? stretch : 1;
    s->lifted = done && lifts;
}

/* The device's solve, counted. */
static void solve_once(X(sim) *s, X(solve) *solve)
{
    sp_work *work = sp_pool_work(s->common->pool);
    s->device->solve(s, solve);
    s->common->solver_iterations += solve->iterations;
    work->iterations += (uint64_t)solve->iterations;
    work->solves++;
}

static double assemble(X(sim) *s, double dt, double scale, double *largest)
{
    sp_pool_work(s->common->pool)->assemblies++;
    return s->device->assemble(s, dt, scale, largest);
}

spate_status X(pressure)(X(sim) *s, double dt, spate_error *error)
{
    sp_common *common = s->common;
    const spate_scene *scene = common->scene;
    const X(device) *device = s->device;
    s->path = common->last_dt;
    if (!(dt > 0))
        return SPATE_OK;
    double dx = s->grid.dx, share = dt / dx, seconds = X(kick_seconds)(s, dt), gravity = 0;
    double to_pressure = scene->fluid.density * dx / seconds;
    for (int d = 0; d < DIM; d++)
        gravity += common->gravity[d] * common->gravity[d];
    gravity = common->medium->falls ? sqrt(gravity) : sp_most_buoyancy(scene, sqrt(gravity));
    double limit = scene->pressure.tolerance;
    if (gravity > 0)
        limit = fmin(limit, 0.01 * gravity * seconds * share);
    X(contact) contact = {dt, 1 / to_pressure, limit / share, false};
    if (s->contact)
        device->part(s, &contact);
    double largest, before = assemble(s, dt, 1 / to_pressure, &largest) * share;
    if (!(largest < 1e30))
        return sp_fail(error, SPATE_ERROR_SIMULATION, "pressure",
                       "the velocity is not finite in frame %d; the last checkpoint is good",
                       common->frame + 1);
    X(solve) solve = {.tolerance = fmax(limit / share, FLOAT_FLOOR * largest)};
    solve.max_iterations = scene->pressure.max_iterations;
    solve.relaxation = scene->pressure.relaxation;
    solve.all = scene->pressure.fixed_iterations;
    if (!scene->pressure.warm_start)
        device->clear_pressure(s);
    solve_once(s, &solve);
    contact.scale = 1;
    contact.least = solve.tolerance;
    int most = s->contact ? MOST_PARTINGS + MOST_CLOSINGS : 0;
    for (int again = 0; again < most && solve.converged; again++) {
        contact.closing = again >= MOST_PARTINGS;
        if (!device->part(s, &contact))
            break;
        assemble(s, dt, 1, &largest);
        solve_once(s, &solve);
    }
    for (int again = 0; again < 2 && !solve.converged && !is_budget(scene); again++) {
        s->system.sweeps = again == 0 ? SWEEPS : STRONG_SWEEPS;
        device->clear_pressure(s);
        solve_once(s, &solve);
    }
    s->system.sweeps = SWEEPS;
    if (!solve.converged && !is_budget(scene))
        device->clear_pressure(s); /* what comes next is not to start from a failure */
    if (!solve.converged)
        TRY(not_converged(s, &solve, share, error));
    double after = device->apply_pressure(s, dt, to_pressure) * share;
    part_pressure(s, dt, to_pressure, gravity, solve.tolerance);
    common->divergence_before = fmax(common->divergence_before, before);
    common->divergence_after = fmax(common->divergence_after, after);
    common->solver_residual = fmax(common->solver_residual, solve.residual * share);
    return SPATE_OK;
}
