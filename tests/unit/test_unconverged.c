/* test_unconverged.c -- a pressure solve that does not converge is never accepted in silence.
 *
 * pcg and multigrid: the solve is done again from zero and with a stronger cycle, then the step is
 * taken in halves, which may converge, and in the end the run stops with an error that names frame
 * and residual. Each failure is counted. jacobi and gauss_seidel have max_iterations as a budget:
 * they go on, counted too. */
#include "sample.h"

/* Water that falls into a pool: not to be projected in one iteration. */
static spate_scene *splash(int dim, spate_solver solver, int max_iterations)
{
    spate_scene *scene = sample_scene(dim, 0.8, 0.8, 0.4, dim == 2 ? 48 : 24);
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.8, 0.3, 0.4);
    sample_velocity(sample_box(scene, SPATE_LIST_FILL, 0.3, 0.3, 0.1, 0.5, 0.5, 0.3), 0, -4, 0);
    sample_sphere(scene, SPATE_LIST_SOLIDS, 0.2, 0.1, 0.2, 0.08);
    scene->pressure.solver = solver;
    scene->pressure.max_iterations = max_iterations;
    scene->pressure.tolerance = 1e-6;
    return scene;
}

static void check_error(int dim, spate_solver solver)
{
    spate_sim *sim = sample_sim(splash(dim, solver, 1), 2);
    spate_error error = {0};
    if (!sim)
        return;
    CHECK(spate_sim_step_frame(sim, &error) == SPATE_ERROR_SIMULATION);
    CHECK(error.status == SPATE_ERROR_SIMULATION);
    CHECK_TEXT(error.where, "pressure");
    CHECK(strstr(error.message, "frame 1") != NULL);
    CHECK(strstr(error.message, "residual") != NULL);
    CHECK(strstr(error.message, "max_iterations") != NULL); /* what to do */
    CHECK(strchr(error.message, '\n') == NULL);
    /* the whole step, and at least one half of it, and a half of that, ... */
    CHECK(sample_stats(sim).solver_failures > 1);
    CHECK(spate_sim_frame(sim) == 0 && spate_sim_steps(sim) == 0);
    sample_ledger(sim);
    if (test_failures)
        printf("  %dD, solver %d: %s\n", dim, solver, error.message);
    spate_sim_destroy(sim);
}

static void one_iteration_is_an_error(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        check_error(dim, SPATE_SOLVER_MULTIGRID);
        check_error(dim, SPATE_SOLVER_PCG);
    }
}

/* The same water with enough iterations runs, and nothing is counted: the error above is not the
 * scene's. */
static void enough_iterations_are_none(void)
{
    for (int dim = 2; dim <= 3; dim++)
        for (int solver = SPATE_SOLVER_MULTIGRID; solver <= SPATE_SOLVER_PCG; solver++) {
            spate_sim *sim = sample_sim(splash(dim, (spate_solver)solver, 1000), 2);
            spate_error error = {0};
            if (!sim)
                return;
            CHECK(spate_sim_step_frame(sim, &error) == SPATE_OK);
            CHECK(sample_stats(sim).solver_failures == 0);
            CHECK(sample_stats(sim).solver_residual <= 1e-6);
            spate_sim_destroy(sim);
        }
}

#define LONG_STEP 0.02 /* s */

/* The ball moves, and must go back when a step is taken in halves. Which cells part from a wall is
 * a guess that the next try starts with, so contact is off. */
static spate_sim *few_iterations(int dim, spate_solver solver, double tolerance)
{
    spate_scene *scene = splash(dim, solver, solver == SPATE_SOLVER_PCG ? (dim == 3 ? 16 : 24) : 3);
    scene->pressure.tolerance = tolerance;
    scene->pressure.contact = false;
    sample_velocity(&scene->solids.items[0], 0.3, 0.3, 0);
    return sample_sim(scene, 2);
}

/* After one long step, with a tolerance just so small that the pressure of the step fails, and not
 * that of its halves, where less is to be solved. */
static spate_sim *step_that_fails_once(int dim, spate_solver solver, double *tolerance)
{
    double low = 1e-6, high = 0.01; /* more than one failure, and none: halve between them */
    for (int k = 0; k < 16; k++) {
        *tolerance = sqrt(low * high);
        spate_sim *sim = few_iterations(dim, solver, *tolerance);
        spate_error error = {0};
        bool done = sim && spate_sim_step(sim, LONG_STEP, &error) == SPATE_OK;
        int failures = sim ? sample_stats(sim).solver_failures : 0;
        if (done && failures == 1)
            return sim;
        spate_sim_destroy(sim);
        *(done && failures == 0 ? &high : &low) = *tolerance;
    }
    return NULL;
}

/* A step whose solve fails, and whose halves converge, is those halves: nothing of the failed try
 * is left, and for the caller it is one step. */
static void halves_that_converge_are_a_step(void)
{
    for (int dim = 2; dim <= 3; dim++)
        for (int solver = SPATE_SOLVER_MULTIGRID; solver <= SPATE_SOLVER_PCG; solver++) {
            double tolerance;
            spate_error error = {0};
            spate_sim *sim = step_that_fails_once(dim, (spate_solver)solver, &tolerance);
            CHECK(sim != NULL);
            if (!sim)
                continue;
            spate_stats stats = sample_stats(sim);
            CHECK(spate_sim_steps(sim) == 1 && stats.substeps == 1);
            CHECK_NEAR(spate_sim_time(sim), LONG_STEP, 1e-12);
            CHECK(stats.solver_residual <= tolerance);
            sample_ledger(sim);
            spate_sim *halves = few_iterations(dim, (spate_solver)solver, tolerance);
            for (int k = 0; k < 2 && halves; k++)
                CHECK(spate_sim_step(halves, 0.5 * LONG_STEP, &error) == SPATE_OK);
            CHECK(halves && sample_stats(halves).solver_failures == 0);
            CHECK(halves && spate_sim_hash(sim) == spate_sim_hash(halves));
            if (test_failures)
                printf("  %dD, solver %d, tolerance %g\n", dim, solver, tolerance);
            spate_sim_destroy(halves);
            spate_sim_destroy(sim);
        }
}

static int warnings;
static void count_warnings(void *user, spate_log_level level, const char *where,
                           const char *message)
{
    (void)user;
    warnings += level == SPATE_LOG_WARNING && strcmp(where, "pressure") == 0 &&
                strstr(message, "max_iterations");
}

/* A budget goes on: one warning, every failure counted, and with on_failure = error it stops at
 * once. */
static void a_budget_goes_on(void)
{
    for (int solver = SPATE_SOLVER_GAUSS_SEIDEL; solver <= SPATE_SOLVER_JACOBI; solver++) {
        spate_scene *scene = splash(2, (spate_solver)solver, 1);
        spate_options options = sample_options();
        spate_error error = {0};
        options.log = count_warnings;
        warnings = 0;
        spate_sim *sim = spate_sim_create(scene, &options, &error);
        CHECK(sim && spate_sim_step_frame(sim, &error) == SPATE_OK);
        CHECK(sim && (uint64_t)sample_stats(sim).solver_failures == spate_sim_steps(sim));
        CHECK(sim && sample_stats(sim).solver_residual > 1e-6);
        CHECK(warnings == 1);
        spate_sim_destroy(sim);
        scene->pressure.on_failure = SPATE_ON_FAILURE_ERROR;
        sim = spate_sim_create(scene, &options, &error);
        CHECK(sim && spate_sim_step_frame(sim, &error) == SPATE_ERROR_SIMULATION);
        CHECK(sim && sample_stats(sim).solver_failures == 1);
        spate_sim_destroy(sim);
        spate_scene_destroy(scene);
    }
}

TESTS(unconverged)
{
    TEST(one_iteration_is_an_error);
    TEST(enough_iterations_are_none);
    TEST(halves_that_converge_are_a_step);
    TEST(a_budget_goes_on);
}
