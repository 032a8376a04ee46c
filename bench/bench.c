/* bench.c -- how fast a whole step is: the dam break of PEERS, in million particle-steps per
 * second.
 *
 *     spate_bench [CELLS [FRAMES [REPEATS]]]
 *
 * Runs without output, on all cores, several times, and prints the median with the spread, the
 * share of each stage, and nanoseconds per particle and step. Machines are noisy: compare runs of
 * two builds in turn, not seconds. */
#include <spate/spate.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MAX_REPEATS 32

typedef struct result {
    double seconds, rate; /* rate: particle-steps per second */
    double stage[SPATE_STAGE_COUNT];
    uint64_t particles, steps;
    double iterations; /* per step */
} result;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A closed box of 2 x 1 x 1 m, the column 40 % long, full width, 80 % high. */
static spate_scene *dam_break(int cells)
{
    spate_scene *scene = spate_scene_create();
    spate_shape *column = scene ? spate_scene_add(scene, SPATE_LIST_FILL) : NULL;
    if (!column)
        return NULL;
    scene->domain.size[0] = 2;
    scene->domain.size[1] = scene->domain.size[2] = 1;
    scene->domain.cells = cells;
    column->shape = SPATE_SHAPE_BOX;
    column->min[0] = column->min[1] = column->min[2] = 0;
    column->max[0] = column->max[1] = 0.8;
    column->max[2] = 1;
    return scene;
}

static int run(int cells, int frames, result *r)
{
    spate_error error;
    spate_scene *scene = dam_break(cells);
    spate_sim *sim = scene ? spate_sim_create(scene, NULL, &error) : NULL;
    spate_status status = sim ? SPATE_OK : SPATE_ERROR_MEMORY;
    *r = (result){0};
    for (int frame = 0; frame < frames && status == SPATE_OK; frame++) {
        double start = now();
        status = spate_sim_step_frame(sim, &error);
        r->seconds += now() - start;
        spate_stats stats = spate_sim_stats(sim);
        for (int k = 0; k < SPATE_STAGE_COUNT; k++)
            r->stage[k] += stats.seconds[k];
        r->iterations += stats.solver_iterations;
    }
    if (status != SPATE_OK)
        fprintf(stderr, "spate_bench: %s\n", sim ? error.message : "out of memory");
    if (sim) {
        r->particles = spate_particles_count(sim);
        r->steps = spate_sim_steps(sim);
        r->rate = (double)r->particles * (double)r->steps / r->seconds;
        r->iterations /= (double)r->steps;
    }
    spate_sim_destroy(sim);
    spate_scene_destroy(scene);
    return status == SPATE_OK ? 0 : 1;
}

static int by_rate(const void *a, const void *b)
{
    double x = ((const result *)a)->rate, y = ((const result *)b)->rate;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    int cells = argc > 1 ? atoi(argv[1]) : 64, frames = argc > 2 ? atoi(argv[2]) : 30;
    int repeats = argc > 3 ? atoi(argv[3]) : 3;
    result results[MAX_REPEATS];
    if (cells < 1 || frames < 1 || repeats < 1 || repeats > MAX_REPEATS) {
        fprintf(stderr, "usage: spate_bench [CELLS [FRAMES [REPEATS]]]\n");
        return 2;
    }
    for (int k = 0; k < repeats; k++)
        if (run(cells, frames, &results[k]) != 0)
            return 1;
    qsort(results, (size_t)repeats, sizeof *results, by_rate);
    const result *r = &results[repeats / 2];
    printf("dam break, %d cells, %llu particles, %llu steps in %d frames\n", cells,
           (unsigned long long)r->particles, (unsigned long long)r->steps, frames);
    printf(
        "%.2f million particle-steps per second (%.2f .. %.2f of %d), %.2f s, %.1f iterations per step\n",
        r->rate / 1e6, results[0].rate / 1e6, results[repeats - 1].rate / 1e6, repeats, r->seconds,
        r->iterations);
    for (int k = 0; k < SPATE_STAGE_COUNT; k++)
        printf("  %-12s %5.1f %%  %7.1f ns per particle\n", spate_stage_name((spate_stage)k),
               100 * r->stage[k] / r->seconds, 1e9 / r->rate * r->stage[k] / r->seconds);
    return 0;
}
