/* poisson.c -- one Poisson solve over a cube full of liquid, to a true residual of 1e-6.
 *
 *     spate_bench_poisson [-d DEVICE] [-t THREADS] [CELLS...]        default cuda, 128 256 512
 *
 * All cells are unknowns, the top is open, and 27 eddies beside gravity give a right side. Gravity
 * changes its sign from turn to turn, so that the last pressure is no better a start than zero. The
 * solve stops when max |b - A p| in fp64 is at most 1e-6 max |b|; the time is that of the whole
 * stage PRESSURE (assembly, solve, gradient, check of the divergence), the fastest of some turns.
 */
#include <spate/spate.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TURNS 5
#define REDUCTION 1e-6 /* of max |b| */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static spate_sim *create(int cells, double tolerance, const char *device, int threads)
{
    spate_error error = {0};
    spate_options options;
    spate_options_default(&options);
    spate_scene *scene = spate_scene_create();
    options.device = device;
    options.threads = threads;
    scene->domain.size[0] = scene->domain.size[1] = scene->domain.size[2] = 1;
    scene->domain.cells = cells;
    scene->domain.sides[1][1] = SPATE_SIDE_OPEN;
    scene->fluid.particles_per_axis = 1;
    scene->fluid.jitter = 0;
    scene->volume.method = SPATE_VOLUME_NONE;
    scene->pressure.tolerance = tolerance;
    scene->pressure.contact = false; /* one solve a turn */
    spate_shape *fill = spate_scene_add_shape(scene, SPATE_LIST_FILL);
    for (int d = 0; d < 3 && fill; d++) {
        fill->min[d] = 0;
        fill->max[d] = 1;
    }
    spate_sim *sim = spate_sim_create(scene, &options, &error);
    if (!sim)
        fprintf(stderr, "spate_bench_poisson: %s: %s\n", error.where, error.message);
    spate_scene_destroy(scene);
    for (int k = 0; k < 27 && sim; k++) {
        double center[3] = {(k % 3 + 0.5) / 3, (k / 3 % 3 + 0.5) / 3, (k / 9 + 0.5) / 3};
        double velocity[3] = {k % 2 ? 1 : -1, k / 3 % 2 ? 0.7 : -1.2, k / 9 % 2 ? 0.4 : -0.9};
        spate_sim_add_impulse(sim, center, 0.2, velocity, &error);
    }
    return sim;
}

/* The stages up to PRESSURE; its seconds, its iterations, and what it left of max |b|. */
static spate_status project(spate_sim *sim, int turn, double dt, double *seconds,
                            spate_error *error)
{
    spate_status status = SPATE_OK;
    int pressure = spate_stage_find("pressure");
    spate_sim_set_gravity(sim, (double[3]){0, turn % 2 ? 9.81 : -9.81, 0}, error);
    for (int stage = 0; stage < pressure && status == SPATE_OK; stage++)
        status = spate_sim_run_stage(sim, stage, dt, error);
    double start = now();
    if (status == SPATE_OK)
        status = spate_sim_run_stage(sim, pressure, dt, error);
    *seconds = now() - start;
    return status;
}

static bool measure(int cells, const char *device, int threads)
{
    spate_error error = {0};
    double seconds, best = 1e30, dt = 0.5 / cells, tolerance = 1;
    spate_stats stats = {0};
    spate_status status = SPATE_OK;
    for (int round = 0; round < 2; round++) { /* the first solve tells max |b| */
        spate_sim *sim = create(cells, tolerance, device, threads);
        if (!sim)
            return false;
        for (int turn = 0; turn < (round ? TURNS : 1) && status == SPATE_OK; turn++) {
            status = project(sim, turn, dt, &seconds, &error);
            best = round && seconds < best ? seconds : best;
        }
        spate_sim_stats(sim, &stats);
        tolerance = REDUCTION * stats.divergence_before;
        spate_sim_destroy(sim);
    }
    if (status != SPATE_OK) {
        fprintf(stderr, "spate_bench_poisson: %s: %s\n", error.where, error.message);
        return false;
    }
    printf("%6d %12llu %10.1f %14.2g %10.2f %12.1f\n", cells,
           (unsigned long long)stats.liquid_cells, (double)stats.solver_iterations / TURNS,
           stats.solver_residual / stats.divergence_before, 1e3 * best,
           1e-6 * (double)stats.liquid_cells / best);
    fflush(stdout);
    return true;
}

int main(int argc, char **argv)
{
    const char *device = "cuda";
    int sizes[16] = {128, 256, 512}, count = 0, threads = 0;
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "-d") == 0 && k + 1 < argc)
            device = argv[++k];
        else if (strcmp(argv[k], "-t") == 0 && k + 1 < argc)
            threads = atoi(argv[++k]);
        else if (atoi(argv[k]) > 0 && count < 16)
            sizes[count++] = atoi(argv[k]);
        else {
            fprintf(stderr, "usage: spate_bench_poisson [-d DEVICE] [-t THREADS] [CELLS...]\n");
            return 2;
        }
    }
    printf("%6s %12s %10s %14s %10s %12s\n", "cells", "unknowns", "iterations", "residual / b",
           "ms", "M cells / s");
    for (int k = 0; k < (count ? count : 3); k++)
        if (!measure(sizes[k], device, threads))
            return 1;
    return 0;
}
