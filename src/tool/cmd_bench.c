/* cmd_bench.c -- `spate bench`: how fast this machine is with this build. */
#include "bench.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: spate bench [CASE...] [options]\n"
    "\n"
    "Measures the speed of whole steps, without output. A CASE is a scene file, or the dam break\n"
    "with so many cells along the box: 2d-400, 2d-1250 and 2d-2500 have 0.1, 1 and 4 million\n"
    "particles, 3d-64, 3d-128 and 3d-256 have 0.17, 1.3 and 10.5 million. plume-2d-256 and\n"
    "plume-3d-86 are smoke that rises in a box of gas, with 0.3 and 1.3 million particles.\n"
    "Without CASE: 2d-400 2d-1250 3d-64 3d-128.\n"
    "\n"
    "  --frames N      frames of a run (default: 30)\n"
    "  --steps N       as many steps instead\n"
    "  --device NAME   cpu (default) or cuda; bytes per particle are then those of the GPU\n"
    "  --repeats N     runs of each case (default: 3); the median counts, with the spread\n"
    "  --warmup N      frames of a run before, which does not count (default: 2)\n"
    "  --threads LIST  such as 1,2,4, or 'all' for 1, 2, 4, ... (default: one per core)\n"
    "  --json          one JSON object per case and number of threads\n"
    "  --help          this text\n"
    "\n"
    "Machines are noisy: to compare two builds, let bench/compare run them by turns.\n"
    "Exit codes: 0 done, 1 a simulation failed, 2 usage, 3 bad scene, 4 file error, 5 no memory.\n";

#define MAX_CASES 32
#define MAX_REPEATS 99
#define MAX_COUNTS 16

typedef struct bench {
    bench_plan plan;
    int repeats, warmup;
    int threads[MAX_COUNTS], counts;
    bool json;
} bench;

static double rate_of(const bench_run *run)
{
    return run->seconds > 0 ? run->particle_steps / run->seconds : 0;
}

static int by_rate(const void *a, const void *b)
{
    double x = rate_of(a), y = rate_of(b);
    return (x > y) - (x < y);
}

static double nanoseconds(const bench_run *run, double seconds)
{
    return run->particle_steps > 0 ? 1e9 * seconds / run->particle_steps : 0;
}

static double other_seconds(const bench_run *run)
{
    double rest = run->seconds;
    for (int k = 0; k < SP_STAGE_COUNT; k++)
        rest -= run->stage[k];
    return rest > 0 ? rest : 0;
}

static double bytes_per_particle(const bench_run *run)
{
    return run->particles ? run->peak / (double)run->particles : 0;
}

/* What it would take of the bandwidth to pass over all memory once in each step. */
static double bandwidth_share(const bench_run *run, double triad)
{
    return run->seconds > 0 && triad > 0 ? run->peak * (double)run->steps / run->seconds / triad
                                         : 0;
}

/* ---- printing; runs are sorted by rate */

static void print_text(const bench *b, const char *name, int threads, const bench_run *runs,
                       double triad)
{
    const bench_run *run = &runs[b->repeats / 2];
    char count[TOOL_NUMBER];
    printf("%s: %s particles, %.3g simulated seconds, %llu steps, %d thread%s, %s\n", name,
           tool_count_text(count, run->particles), run->simulated, (unsigned long long)run->steps,
           threads, threads == 1 ? "" : "s",
           b->plan.device ? b->plan.device : spate_instruction_set());
    printf("  %.3f ms per step\n", 1e3 * run->seconds / (double)run->steps);
    printf("  %.2f million particle-steps per second (%.2f .. %.2f of %d)\n", rate_of(run) / 1e6,
           rate_of(&runs[0]) / 1e6, rate_of(&runs[b->repeats - 1]) / 1e6, b->repeats);
    printf("  %.2f s (%.2f s of processor time), %.1f s per simulated second, %.1f iterations per "
           "step\n",
           run->seconds, run->processor, run->seconds / run->simulated, run->iterations);
    printf(
        "  %.0f bytes per particle at the peak; once through them in each step is %.0f %% of the "
        "triad's %.1f GB/s\n",
        bytes_per_particle(run), 100 * bandwidth_share(run, triad), triad / 1e9);
    for (int k = 0; k <= SP_STAGE_COUNT; k++) {
        double seconds = k < SP_STAGE_COUNT ? run->stage[k] : other_seconds(run);
        printf("  %-12s %5.1f %%  %7.1f ns per particle and step\n",
               k < SP_STAGE_COUNT ? spate_stage_name(k) : "other",
               run->seconds > 0 ? 100 * seconds / run->seconds : 0, nanoseconds(run, seconds));
    }
}

static void print_json(const bench *b, const char *name, int threads, const bench_run *runs,
                       double triad)
{
    const bench_run *run = &runs[b->repeats / 2];
    printf("{\"case\": ");
    tool_json_string(stdout, name);
    printf(", \"version\": ");
    tool_json_string(stdout, spate_version());
    printf(", \"device\": ");
    tool_json_string(stdout, b->plan.device ? b->plan.device : "cpu");
    printf(", \"instructions\": ");
    tool_json_string(stdout, spate_instruction_set());
    printf(
        ", \"threads\": %d, \"particles\": %llu, \"simulated\": %.6g, \"steps\": %llu, \"repeats\": %d",
        threads, (unsigned long long)run->particles, run->simulated, (unsigned long long)run->steps,
        b->repeats);
    printf(", \"rate\": %.6g, \"rate_low\": %.6g, \"rate_high\": %.6g", rate_of(run),
           rate_of(&runs[0]), rate_of(&runs[b->repeats - 1]));
    printf(", \"seconds\": %.6g, \"processor_seconds\": %.6g", run->seconds, run->processor);
    printf(", \"seconds_per_simulated_second\": %.6g, \"iterations\": %.6g",
           run->seconds / run->simulated, run->iterations);
    printf(", \"bytes_per_particle\": %.6g, \"triad\": %.6g, \"bandwidth_share\": %.6g",
           bytes_per_particle(run), triad, bandwidth_share(run, triad));
    printf(", \"ns\": {");
    for (int k = 0; k < SP_STAGE_COUNT; k++)
        printf("\"%s\": %.6g, ", spate_stage_name(k), nanoseconds(run, run->stage[k]));
    printf("\"other\": %.6g}}\n", nanoseconds(run, other_seconds(run)));
}

/* ---- measuring */

static int measure_threads(const bench *b, const spate_scene *scene, const char *name, int threads)
{
    bench_run runs[MAX_REPEATS];
    double triad;
    int code = bench_triad(threads, &triad);
    bench_plan warmup = {b->plan.device, b->warmup, 0};
    if (code == EXIT_DONE && b->warmup > 0)
        code = bench_measure(scene, name, &warmup, threads, &runs[0]);
    for (int k = 0; k < b->repeats && code == EXIT_DONE; k++)
        code = bench_measure(scene, name, &b->plan, threads, &runs[k]);
    if (code != EXIT_DONE)
        return code;
    qsort(runs, (size_t)b->repeats, sizeof *runs, by_rate);
    (b->json ? print_json : print_text)(b, name, threads, runs, triad);
    return fflush(stdout) == 0 ? EXIT_DONE
                               : tool_say_error(EXIT_FILE, "standard output: cannot write");
}

static int measure_case(const bench *b, const char *name)
{
    int code;
    spate_scene *scene = bench_scene(name, &code);
    if (!scene)
        return code;
    tool_forecast forecast;
    spate_options options;
    spate_options_default(&options);
    options.log = tool_log;
    options.log_user = (void *)name;
    /* a device that this process has woken could not be used by the processes of the runs, and most
     * of the host's memory is not touched when one is used: they will say what is missing */
    if (!b->plan.device || strcmp(b->plan.device, "cpu") == 0)
        code = tool_scene_examine(scene, name, &options, &forecast);
    for (int k = 0; k < b->counts && code == EXIT_DONE; k++)
        code = measure_threads(b, scene, name, b->threads[k]);
    spate_scene_destroy(scene);
    return code;
}

/* ---- options */

static int read_threads(bench *b, const char *text)
{
    int cores = sp_core_count();
    if (!text || strcmp(text, "all") == 0) {
        for (int n = 1; text && n < cores && b->counts < MAX_COUNTS - 1; n *= 2)
            b->threads[b->counts++] = n;
        b->threads[b->counts++] = cores;
        return EXIT_DONE;
    }
    for (const char *at = text; b->counts < MAX_COUNTS; at++) {
        char *end;
        errno = 0;
        long number = strtol(at, &end, 10);
        if (end == at || errno || number < 1 || number > 256 || (*end && *end != ','))
            break;
        b->threads[b->counts++] = (int)number;
        if (!*end)
            return EXIT_DONE;
        at = end;
    }
    return tool_say_error(
        EXIT_USAGE,
        "--threads: must be 'all' or up to %d numbers from 1 to 256 such as 1,2,4 "
        "(got '%.40s')",
        MAX_COUNTS, text);
}

int cmd_bench(int argc, char **argv)
{
    static const char *const defaults[] = {"2d-400", "2d-1250", "3d-64", "3d-128", NULL};
    static const char *const operand_names[] = {"CASE"};
    const char *cases[MAX_CASES + 1] = {NULL}, *threads = NULL;
    bench b = {.plan.frames = 30, .repeats = 3, .warmup = 2};
    const tool_option options[] = {
        {"--frames", 0, TOOL_COUNT, &b.plan.frames, 1},
        {"--steps", 0, TOOL_COUNT, &b.plan.steps, 1},
        {"--device", 0, TOOL_TEXT, &b.plan.device, 0},
        {"--repeats", 0, TOOL_COUNT, &b.repeats, 1},
        {"--warmup", 0, TOOL_COUNT, &b.warmup, 0},
        {"--threads", 0, TOOL_TEXT, &threads, 0},
        {"--json", 0, TOOL_FLAG, &b.json, 0},
    };
    int code = tool_parse(usage, options, 7, operand_names, MAX_CASES, 0, cases, argc, argv);
    if (code != TOOL_PARSED)
        return code;
    if (b.repeats > MAX_REPEATS)
        return tool_say_error(EXIT_USAGE, "--repeats: must be at most %d (got %d)", MAX_REPEATS,
                              b.repeats);
    code = read_threads(&b, threads);
    const char *const *names = cases[0] ? cases : defaults;
    for (; *names && code == EXIT_DONE; names++)
        code = measure_case(&b, *names);
    return code;
}
