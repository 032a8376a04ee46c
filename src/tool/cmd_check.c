/* cmd_check.c -- `spate check SCENE`: what a scene is and what it needs, before any work. */
#include "tool.h"

#include <spate/spate_io.h>

#include "base/memory.h"
#include "check_time.h"
#include "course.h"
#include "scene/medium.h"
#include "state/particle_set.h"

static const char usage[] =
    "usage: spate check SCENE [options]\n"
    "\n"
    "Checks a scene file and prints what a run of it takes: cells, particles (exact), memory, disk.\n"
    "Nothing is written, and nothing computed but with --time.\n"
    "\n"
    "  --set PATH=VALUE  change a setting, e.g. --set fluid.flip_ratio=0.95 (may be repeated)\n"
    "  --frames N        as many frames\n"
    "  --threads N       as many threads as the run will use (default: one per core)\n"
    "  --device NAME     cpu (default), cuda or auto, as the run will use\n"
    "  --time            also how long it will take, from a few steps at the start (some seconds, and\n"
    "                    the memory of the run)\n"
    "  --json            print one JSON object instead of text\n"
    "  --help            this text\n"
    "\n"
    "Exit codes: 0 fine, 2 usage, 3 bad scene, 4 file error, 5 does not fit into memory,\n"
    "6 no such device, or it does not fit into its memory.\n";

/* What a run leaves, by kinds: "1.2 GB: particles 900 MB, surfaces 250 MB, ...". */
static void print_disk(const spate_scene *scene, const tool_forecast *forecast)
{
    const spate_output_forecast *out = &forecast->output;
    int frames = tool_output_frames(scene);
    const struct {
        const char *name;
        double bytes;
    } kinds[] = {
        {"particles", (double)out->particles_bytes * frames},
        {"surfaces", (double)out->mesh_bytes * frames},
        {"volumes", (double)out->volume_bytes * frames},
        {"pictures", (double)out->film_bytes},
        {"checkpoints", (double)forecast->sim.checkpoint_bytes},
    };
    char number[TOOL_NUMBER];
    const char *between = ":";
    printf("  disk       %s", tool_bytes_text(number, tool_disk_bytes(scene, forecast)));
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (kinds[k].bytes > 0)
            printf("%s %s %s", between, kinds[k].name, tool_bytes_text(number, kinds[k].bytes));
        between = kinds[k].bytes > 0 ? "," : between;
    }
    printf(" (%d frame%s)\n", frames, frames == 1 ? "" : "s");
}

static void print_text(const spate_scene *scene, const tool_forecast *forecast)
{
    const spate_forecast *f = &forecast->sim;
    char number[TOOL_NUMBER], other[TOOL_NUMBER];
    double cells = (double)f->cells[0] * f->cells[1] * f->cells[2];
    printf("%s (%dD%s)\n", scene->name, scene->dim,
           sp_medium_of(scene)->has_surface ? "" : ", gas");
    if (scene->dim == 2) {
        printf("  domain     %g x %g m\n", f->domain[0], f->domain[1]);
        printf("  cells      %d x %d", f->cells[0], f->cells[1]);
    } else {
        printf("  domain     %g x %g x %g m\n", f->domain[0], f->domain[1], f->domain[2]);
        printf("  cells      %d x %d x %d", f->cells[0], f->cells[1], f->cells[2]);
    }
    printf(" = %s, %g m each\n", tool_count_text(number, (uint64_t)cells), f->cell_size);
    printf("  particles  %s\n", tool_count_text(number, f->particles));
    for (int k = SET_FLUID + 1; k < SET_COUNT; k++)
        if (sp_scene_has_set(scene, k))
            printf("  %-10s up to some %s particles\n", sp_set_name(k),
                   tool_count_text(number, sp_forecast_of_set(f, k)));
    printf("  frames     %d, %g per second: %g s\n", scene->frames, scene->fps,
           scene->frames / scene->fps);
    printf("  memory     %s", tool_bytes_text(number, tool_memory_bytes(forecast)));
    uint64_t available = tool_memory_available();
    if (available)
        printf(" of %s available", tool_bytes_text(other, (double)available));
    printf("\n");
    if (f->device_memory)
        printf("  on the GPU %s\n", tool_bytes_text(number, (double)f->device_memory));
    print_disk(scene, forecast);
}

static void print_time(const time_forecast *time)
{
    char total[TOOL_NUMBER];
    printf("  time       about %s: %.2g s a step (measured on %d at the start), some %.0f steps a "
           "frame;\n             files and pictures not counted\n",
           tool_clock_text(total, time->seconds), time->step_seconds, time->measured,
           time->frame_steps);
}

static void print_json(const spate_scene *scene, const tool_forecast *forecast,
                       const time_forecast *time)
{
    const spate_forecast *f = &forecast->sim;
    const spate_output_forecast *out = &forecast->output;
    printf("{\"name\": ");
    tool_json_string(stdout, scene->name);
    printf(", \"kind\": \"%s\"", sp_medium_of(scene)->name);
    printf(
        ", \"dim\": %d, \"size\": [%.17g, %.17g, %.17g], \"cells\": [%d, %d, %d], \"cell_size\": %.17g",
        scene->dim, f->domain[0], f->domain[1], f->domain[2], f->cells[0], f->cells[1], f->cells[2],
        f->cell_size);
    printf(", \"particles\": %llu, \"frames\": %d, \"fps\": %.17g",
           (unsigned long long)f->particles, scene->frames, scene->fps);
    for (int k = SET_FLUID + 1; k < SET_COUNT; k++)
        if (sp_scene_has_set(scene, k))
            printf(", \"%s\": %llu", sp_set_name(k), (unsigned long long)sp_forecast_of_set(f, k));
    printf(", \"memory\": %llu, \"memory_available\": %llu",
           (unsigned long long)tool_memory_bytes(forecast),
           (unsigned long long)tool_memory_available());
    printf(", \"device_memory\": %llu", (unsigned long long)f->device_memory);
    printf(", \"bytes_per_frame\": %llu, \"mesh_bytes\": %llu, \"volume_bytes\": %llu",
           (unsigned long long)out->particles_bytes, (unsigned long long)out->mesh_bytes,
           (unsigned long long)out->volume_bytes);
    printf(", \"film_bytes\": %llu, \"checkpoint_bytes\": %llu, \"bytes_total\": %.0f",
           (unsigned long long)out->film_bytes, (unsigned long long)f->checkpoint_bytes,
           tool_disk_bytes(scene, forecast));
    if (time)
        printf(", \"seconds\": %.3g, \"step_seconds\": %.3g, \"steps_per_frame\": %.0f, "
               "\"steps_measured\": %d",
               time->seconds, time->step_seconds, time->frame_steps, time->measured);
    printf("}\n");
}

static int check_scene(tool_scene_options *given, const char *device, int threads, bool json,
                       bool wants_time)
{
    spate_error error = {0};
    int code = EXIT_DONE;
    spate_scene *scene = tool_scene_read(given->file, NULL, &code);
    if (!scene)
        return code;
    spate_options options;
    spate_options_default(&options);
    options.threads = threads;
    options.device = device ? device : options.device;
    options.log = tool_log;
    options.log_user = (void *)given->file;
    tool_forecast forecast = {0};
    code = tool_scene_adjust(scene, given);
    if (code == EXIT_DONE)
        code = tool_scene_examine(scene, given->file, &options, &forecast);
    time_forecast time;
    if (code == EXIT_DONE && wants_time &&
        check_time(scene, &options, &forecast.sim, &time, &error) != SPATE_OK)
        code = tool_fail(&error, given->file);
    if (code == EXIT_DONE && json)
        print_json(scene, &forecast, wants_time ? &time : NULL);
    else if (code == EXIT_DONE)
        print_text(scene, &forecast);
    if (code == EXIT_DONE && !json && wants_time)
        print_time(&time);
    spate_scene_destroy(scene);
    return code;
}

int cmd_check(int argc, char **argv)
{
    tool_scene_options given = {NULL, -1, sp_alloc((size_t)argc + 1, sizeof *given.sets)};
    const char *device = NULL;
    int threads = 0;
    bool json = false, time = false;
    if (!given.sets)
        return tool_say_error(EXIT_MEMORY, "out of memory");
    const tool_option options[] = {
        {"--set", 0, TOOL_LIST, &given.sets, 0},   {"--frames", 0, TOOL_COUNT, &given.frames, 0},
        {"--threads", 0, TOOL_COUNT, &threads, 1}, {"--device", 0, TOOL_TEXT, &device, 0},
        {"--time", 0, TOOL_FLAG, &time, 0},        {"--json", 0, TOOL_FLAG, &json, 0},
    };
    static const char *const names[] = {"SCENE"};
    const char *operands[2];
    int code = tool_parse(usage, options, 6, names, 1, 1, operands, argc, argv);
    if (code == TOOL_PARSED) {
        given.file = operands[0];
        code = check_scene(&given, device, threads, json, time);
    }
    sp_free(given.sets);
    return code;
}
