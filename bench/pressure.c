/* pressure.c -- the pressure solve on three hard systems.
 *
 *     spate_bench_pressure [-s] [-m] [-t THREADS] [CELLS or SYSTEM...]    default 64 128, one
 * thread, all
 *
 *   tank     half full, a sphere in the middle
 *   splash   a dam, droplets in the air, pillars
 *   porous   a box 95 % full around 25 spheres
 *
 * Iterations of multigrid beside MIC(0), from zero to max |r| <= 1e-4 max |b| (not with -s;
 * multigrid alone with -m); then the speed of the whole stage PRESSURE at the default tolerance,
 * far from the last pressure, in memory that has been used before, in million unknowns per second
 * of processor time: the fastest of some turns, because machines are shared. With more than one
 * thread it is wall time. */
#include <spate/spate.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static spate_shape *box(spate_scene *scene, spate_list list, double x0, double y0, double z0,
                        double x1, double y1, double z1)
{
    spate_shape *shape = spate_scene_add_shape(scene, list);
    double low[3] = {x0, y0, z0}, high[3] = {x1, y1, z1};
    for (int d = 0; d < 3 && shape; d++) {
        shape->min[d] = low[d];
        shape->max[d] = high[d];
    }
    return shape;
}

static spate_shape *ball(spate_scene *scene, spate_list list, double x, double y, double z,
                         double radius)
{
    spate_shape *shape = spate_scene_add_shape(scene, list);
    if (!shape)
        return NULL;
    shape->shape = SPATE_SHAPE_SPHERE;
    shape->center[0] = x;
    shape->center[1] = y;
    shape->center[2] = z;
    shape->radius = radius;
    return shape;
}

static void tank(spate_scene *scene)
{
    box(scene, SPATE_LIST_FILL, 0, 0, 0, 1, 0.5, 1);
    ball(scene, SPATE_LIST_SOLIDS, 0.5, 0.4, 0.5, 0.2);
}

/* Places from a fixed sequence, so that every size has the same scene. */
static double place(int k, int d)
{
    static const double steps[3] = {0.8191725134, 0.6710436067,
                                    0.5497004779}; /* of the R3 sequence (Roberts 2018) */
    double x = 0.5 + (k + 1) * steps[d];
    return x - (int)x;
}

static void splash(spate_scene *scene)
{
    box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.4, 0.7, 1);
    box(scene, SPATE_LIST_FILL, 0, 0, 0, 1, 0.1, 1);
    for (int k = 0; k < 60; k++)
        ball(scene, SPATE_LIST_FILL, 0.4 + 0.6 * place(k, 0), 0.2 + 0.7 * place(k, 1), place(k, 2),
             0.02 + 0.03 * place(k + 99, 0));
    for (int k = 0; k < 4; k++) {
        spate_shape *pillar = spate_scene_add_shape(scene, SPATE_LIST_SOLIDS);
        pillar->shape = SPATE_SHAPE_CYLINDER;
        pillar->from[0] = pillar->to[0] = 0.55 + 0.1 * k;
        pillar->from[1] = -0.1;
        pillar->to[1] = 0.8;
        pillar->from[2] = pillar->to[2] = 0.2 + 0.2 * k;
        pillar->radius = 0.05;
    }
}

static void porous(spate_scene *scene)
{
    box(scene, SPATE_LIST_FILL, 0, 0, 0, 1, 0.95, 1);
    for (int k = 0; k < 25; k++)
        ball(scene, SPATE_LIST_SOLIDS, place(k, 0), place(k, 1), place(k, 2),
             0.06 + 0.06 * place(k + 50, 1));
}

static spate_sim *create(void (*fill)(spate_scene *), int cells, spate_solver solver,
                         double tolerance, int threads)
{
    spate_error error = {0};
    spate_options options;
    spate_options_default(&options);
    spate_scene *scene = spate_scene_create();
    scene->domain.size[0] = scene->domain.size[1] = scene->domain.size[2] = 1;
    scene->domain.cells = cells;
    scene->pressure.solver = solver;
    if (tolerance > 0)
        scene->pressure.tolerance = tolerance;
    fill(scene);
    options.threads = threads;
    spate_sim *sim = spate_sim_create(scene, &options, &error);
    if (!sim)
        fprintf(stderr, "spate_bench_pressure: %s\n", error.message);
    spate_scene_destroy(scene);
    return sim;
}

/* One projection from rest: its iterations, and max |b| dt/dx. */
static bool solve_cold(void (*fill)(spate_scene *), int cells, spate_solver solver,
                       double tolerance, spate_stats *stats)
{
    spate_error error = {0};
    spate_sim *sim = create(fill, cells, solver, tolerance, 0);
    bool done = sim && spate_sim_step(sim, 1.0 / cells, &error) == SPATE_OK;
    if (done)
        spate_sim_stats(sim, stats);
    else if (sim)
        fprintf(stderr, "spate_bench_pressure: %s\n", error.message);
    spate_sim_destroy(sim);
    return done;
}

static bool print_iterations(void (*fill)(spate_scene *), int cells, bool with_mic)
{
    spate_stats first, multigrid, mic = {0};
    /* the first solve tells max |b| */
    if (!solve_cold(fill, cells, SPATE_SOLVER_MULTIGRID, 1, &first))
        return false;
    double tolerance = 1e-4 * first.divergence_before;
    if (!solve_cold(fill, cells, SPATE_SOLVER_MULTIGRID, tolerance, &multigrid) ||
        (with_mic && !solve_cold(fill, cells, SPATE_SOLVER_PCG, tolerance, &mic)))
        return false;
    printf(" %11d %8d", multigrid.solver_iterations, mic.solver_iterations);
    return true;
}

#define TURNS 6

static double now(int threads)
{
    struct timespec t;
    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of the stage PRESSURE of a first step. */
static spate_status time_stage(spate_sim *sim, int threads, double *seconds, spate_error *error)
{
    spate_status status = SPATE_OK;
    double dt = spate_sim_next_dt(sim), start = 0;
    int pressure = spate_stage_find("pressure");
    for (int stage = 0; stage <= pressure && status == SPATE_OK; stage++) {
        start = now(threads);
        status = spate_sim_run_stage(sim, stage, dt, error);
    }
    *seconds = now(threads) - start;
    return status;
}

/* The particles stay; gravity changes its sign from turn to turn, which makes the last pressure no
 * better a start than zero. */
static bool print_speed(void (*fill)(spate_scene *), int cells, int threads)
{
    spate_error error = {0};
    spate_sim *sim = create(fill, cells, SPATE_SOLVER_MULTIGRID, 0, threads);
    spate_status status = sim ? SPATE_OK : SPATE_ERROR_MEMORY;
    double best = 1e30, seconds;
    for (int turn = 0; turn < TURNS && status == SPATE_OK; turn++) {
        spate_sim_set_gravity(sim, (double[3]){0, turn % 2 ? 9.81 : -9.81, 0}, &error);
        status = time_stage(sim, threads, &seconds, &error);
        best = status == SPATE_OK && seconds < best ? seconds : best;
    }
    if (status == SPATE_OK) {
        spate_stats stats;
        spate_sim_stats(sim, &stats);
        printf(" %10llu %10.1f %9.2f\n", (unsigned long long)stats.liquid_cells,
               (double)stats.solver_iterations / TURNS, 1e-6 * (double)stats.liquid_cells / best);
    } else if (sim) {
        fprintf(stderr, "spate_bench_pressure: %s\n", error.message);
    }
    spate_sim_destroy(sim);
    return status == SPATE_OK;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*fill)(spate_scene *);
    } systems[] = {{"tank", tank}, {"splash", splash}, {"porous", porous}};
    int sizes[16] = {64, 128}, count = 0, threads = 1;
    bool speed_only = false, with_mic = true;
    const char *only = NULL;
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "-s") == 0)
            speed_only = true;
        else if (strcmp(argv[k], "-m") == 0)
            with_mic = false;
        else if (strcmp(argv[k], "-t") == 0 && k + 1 < argc)
            threads = atoi(argv[++k]);
        else if (atoi(argv[k]) <= 0)
            only = argv[k];
        else if (count < 16)
            sizes[count++] = atoi(argv[k]);
    }
    printf("system  cells%s   unknowns iterations million/s%s\n",
           speed_only ? "" : "   multigrid   MIC(0)", threads == 1 ? " of one core" : "");
    for (int k = 0; k < (count > 0 ? count : 2); k++)
        for (size_t s = 0; s < sizeof systems / sizeof *systems; s++) {
            if (only && strcmp(only, systems[s].name) != 0)
                continue;
            printf("%-7s %5d", systems[s].name, sizes[k]);
            if (!speed_only && !print_iterations(systems[s].fill, sizes[k], with_mic))
                return 1;
            if (!print_speed(systems[s].fill, sizes[k], threads))
                return 1;
            fflush(stdout);
        }
    return 0;
}
