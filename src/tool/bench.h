/* bench.h -- what `spate bench` measures, and how one run is measured (bench_run.c). */
#ifndef SPATE_TOOL_BENCH_H
#define SPATE_TOOL_BENCH_H

#include "state/stage.h"
#include "tool.h"

typedef struct bench_run {
    double seconds;               /* wall time of all frames, without making the simulation */
    double processor;             /* s, of all threads in that time: steadier on a busy machine */
    double simulated;             /* s */
    double stage[SP_STAGE_COUNT]; /* s */
    uint64_t particles;           /* at the end */
    uint64_t steps;
    double particle_steps;
    double iterations; /* of the pressure solve, per step */
    double peak;       /* bytes: the most memory that the process, or the device, held */
} bench_run;

/* What is run: frames, or as many steps if that is not 0. */
typedef struct bench_plan {
    const char *device; /* NULL: cpu */
    int frames, steps;
} bench_plan;

/* The scene of a case: `2d-CELLS` and `3d-CELLS` are dam breaks, the same after
 * `plume-` are plumes of gas, everything else is a scene file.
 * Prints what is wrong; *code gets the exit code, and the result is NULL. */
spate_scene *bench_scene(const char *name, int *code);

/* Runs a plan in a process of its own, without output. Returns an exit code. */
int bench_measure(const spate_scene *scene, const char *name, const bench_plan *plan, int threads,
                  bench_run *run);

/* Memory bandwidth: bytes per second of a = b + s c over arrays that fit in no cache, the best of
 * several passes; write-allocation is not counted. Returns an exit code. */
int bench_triad(int threads, double *bandwidth);

#endif
