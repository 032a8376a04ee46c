/* bench_run.c -- one measured run: its scene, and its own process, so that the peak of memory is
 * that of the run alone and no run finds what another one left behind. */
#include "bench.h"

#include <spate/spate_io.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/timer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* A closed box, 1 m deep in 3D, with one shape in it; NULL without memory. */
static spate_scene *box_with(int dim, int cells, double width, double height, spate_list list,
                             spate_shape **shape)
{
    spate_scene *scene = spate_scene_create();
    *shape = scene ? spate_scene_add_shape(scene, list) : NULL;
    if (!*shape) {
        spate_scene_destroy(scene);
        return NULL;
    }
    scene->dim = dim;
    scene->domain.size[0] = width;
    scene->domain.size[1] = height;
    scene->domain.size[2] = dim == 3 ? 1 : 0;
    scene->domain.cells = cells;
    return scene;
}

/* A box of 2 x 1 (x 1) m, the column 40 % long, full width, 80 % high: the case of the numbers that
 * others are known by. */
static spate_scene *dam_break(int dim, int cells)
{
    spate_shape *column;
    spate_scene *scene = box_with(dim, cells, 2, 1, SPATE_LIST_FILL, &column);
    if (!scene)
        return NULL;
    column->shape = SPATE_SHAPE_BOX;
    for (int d = 0; d < 3; d++) {
        column->min[d] = 0;
        column->max[d] = d < 2 ? 0.8 : 1;
    }
    return scene;
}

/* A box of 1 x 2 (x 1) m of gas in which a warm source near the floor gives smoke. */
static spate_scene *plume(int dim, int cells)
{
    spate_shape *source;
    spate_scene *scene = box_with(dim, cells, 1, 2, SPATE_LIST_SOURCES, &source);
    if (!scene)
        return NULL;
    scene->fluid.kind = SPATE_FLUID_GAS;
    source->shape = SPATE_SHAPE_SPHERE;
    source->center[0] = 0.5;
    source->center[1] = 0.15;
    source->center[2] = dim == 3 ? 0.5 : 0;
    source->radius = 0.08;
    source->temperature = 330;
    source->smoke = 0.01;
    return scene;
}

/* `2d-400`: 2 and 400; `plume-3d-86`: a gas */
static bool read_case(const char *name, bool *gas, int *dim, int *cells)
{
    char *end;
    *gas = strncmp(name, "plume-", 6) == 0;
    name += *gas ? 6 : 0;
    if ((name[0] != '2' && name[0] != '3') || strncmp(name + 1, "d-", 2) != 0)
        return false;
    errno = 0;
    long number = strtol(name + 3, &end, 10);
    if (end == name + 3 || *end || errno || number < 4 || number > 16384)
        return false;
    *dim = name[0] - '0';
    *cells = (int)number;
    return true;
}

spate_scene *bench_scene(const char *name, int *code)
{
    bool gas;
    int dim, cells;
    spate_error error = {0};
    if (!read_case(name, &gas, &dim, &cells)) {
        spate_scene *scene = spate_scene_read(name, &error);
        *code = scene ? EXIT_DONE : tool_fail(&error, name);
        return scene;
    }
    spate_scene *scene = gas ? plume(dim, cells) : dam_break(dim, cells);
    *code = scene ? EXIT_DONE : tool_say_error(EXIT_MEMORY, "out of memory");
    return scene;
}

/* ---- in a process of its own */

typedef int job_fn(const void *args, void *result);

/* Calls `job` in a child and brings its result back. */
static int in_child(job_fn *job, const void *args, void *result, size_t size)
{
    int ends[2], status;
    if (pipe(ends) != 0)
        return tool_say_error(EXIT_FILE, "bench: no pipe: %s", strerror(errno));
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) {
        close(ends[0]);
        close(ends[1]);
        return tool_say_error(EXIT_MEMORY, "bench: no process: %s", strerror(errno));
    }
    if (child == 0) {
        close(ends[0]);
        int code = job(args, result);
        bool sent = write(ends[1], result, size) == (ssize_t)size;
        fflush(stderr);
        _exit(code == EXIT_DONE && !sent ? EXIT_FILE : code);
    }
    close(ends[1]);
    bool whole = read(ends[0], result, size) == (ssize_t)size; /* less than a pipe holds */
    close(ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (WIFSIGNALED(status))
        return tool_say_error(EXIT_SIMULATION, "bench: the run was ended by signal %d",
                              WTERMSIG(status));
    if (WEXITSTATUS(status) == EXIT_DONE && !whole)
        return tool_say_error(EXIT_SIMULATION, "bench: the run gave no result");
    return WEXITSTATUS(status);
}

typedef struct run_args {
    const spate_scene *scene;
    const char *name;
    const bench_plan *plan;
    int threads;
} run_args;

static double processor_seconds(void)
{
    struct rusage u;
    if (getrusage(RUSAGE_SELF, &u) != 0)
        return 0;
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* Adds the numbers of the frame under way to those of the frames before. */
static void book_frame(spate_sim *sim, bench_run *run)
{
    spate_stats stats;
    spate_sim_progress(sim, &stats);
    for (int k = 0; k < SP_STAGE_COUNT; k++)
        run->stage[k] += spate_sim_stage_seconds(sim, k);
    run->iterations += stats.solver_iterations;
}

static spate_status run_plan(spate_sim *sim, const bench_plan *plan, bench_run *run,
                             spate_error *error)
{
    for (uint64_t done = 0;
         plan->steps > 0 ? done < (uint64_t)plan->steps : spate_sim_frame(sim) < plan->frames;
         done++) {
        double start = sp_seconds(), worked = processor_seconds();
        int frame = spate_sim_frame(sim);
        spate_status status = spate_sim_step(sim, 0, error);
        if (status != SPATE_OK)
            return status;
        run->seconds += sp_seconds() - start;
        run->processor += processor_seconds() - worked;
        run->particle_steps += (double)spate_sim_particles_count(sim, "fluid");
        if (spate_sim_frame(sim) > frame || done + 1 == (uint64_t)plan->steps)
            book_frame(sim, run);
    }
    return SPATE_OK;
}

static int run_job(const void *user, void *result)
{
    const run_args *args = user;
    bench_run *run = result;
    spate_error error = {0};
    spate_options options;
    spate_options_default(&options);
    options.threads = args->threads;
    options.device = args->plan->device ? args->plan->device : options.device;
    spate_sim *sim = spate_sim_create(args->scene, &options, &error);
    if (!sim)
        return tool_fail(&error, args->name);
    spate_status status = run_plan(sim, args->plan, run, &error);
    run->particles = spate_sim_particles_count(sim, "fluid");
    run->steps = spate_sim_steps(sim);
    run->iterations /= run->steps > 0 ? (double)run->steps : 1;
    run->simulated = spate_sim_time(sim);
    run->peak = (double)spate_sim_device_bytes(sim);
    spate_sim_destroy(sim);
    struct rusage usage;
    if (run->peak == 0 && getrusage(RUSAGE_SELF, &usage) == 0)
        run->peak = (double)usage.ru_maxrss * 1024;
    return status == SPATE_OK ? EXIT_DONE : tool_fail(&error, args->name);
}

int bench_measure(const spate_scene *scene, const char *name, const bench_plan *plan, int threads,
                  bench_run *run)
{
    run_args args = {scene, name, plan, threads};
    memset(run, 0, sizeof *run);
    return in_child(run_job, &args, run, sizeof *run);
}

/* ---- the triad */

#define TRIAD_FLOATS ((size_t)1 << 25) /* of each array: 128 MB */
#define TRIAD_PASSES 5

typedef struct triad_args {
    float *a, *b, *c;
} triad_args;

static void triad_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const triad_args *args = user;
    float *restrict a = args->a;
    const float *restrict b = args->b, *restrict c = args->c;
    for (size_t k = begin; k < end; k++)
        a[k] = b[k] + 0.5f * c[k];
}

static int triad_job(const void *user, void *result)
{
    triad_args args = {sp_alloc(TRIAD_FLOATS, 4), sp_alloc(TRIAD_FLOATS, 4),
                       sp_alloc(TRIAD_FLOATS, 4)};
    sp_pool *pool = sp_pool_create(*(const int *)user, NULL, NULL);
    if (!args.a || !args.b || !args.c || !pool)
        return tool_say_error(EXIT_MEMORY, "out of memory");
    /* a page that was never written is the same zeros over and over: write them all first */
    for (size_t k = 0; k < TRIAD_FLOATS; k++)
        args.a[k] = args.b[k] = args.c[k] = 1.0f;
    double best = 0;
    for (int pass = 0; pass < TRIAD_PASSES; pass++) {
        double start = sp_seconds();
        sp_parallel_for(pool, TRIAD_FLOATS, 65536, triad_range, &args);
        double rate = 3.0 * 4.0 * (double)TRIAD_FLOATS / (sp_seconds() - start);
        best = rate > best ? rate : best;
    }
    *(double *)result = best;
    return EXIT_DONE; /* the process ends here: its memory goes with it */
}

int bench_triad(int threads, double *bandwidth)
{
    *bandwidth = 0;
    return in_child(triad_job, &threads, bandwidth, sizeof *bandwidth);
}
