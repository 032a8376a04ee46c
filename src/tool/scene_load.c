/* scene_load.c -- a scene on its way into a command: the settings of the command line, the checks,
 * the forecast. */
#include "tool.h"

#include <spate/spate_io.h>

#include <stdlib.h>
#include <string.h>

int tool_scene_adjust(spate_scene *scene, const tool_scene_options *options)
{
    spate_error error = {0};
    for (const char **set = options->sets; *set; set++)
        if (spate_scene_assign(scene, *set, &error) != SPATE_OK)
            return tool_fail(&error, "--set");
    if (options->frames >= 0) {
        char assignment[32];
        snprintf(assignment, sizeof assignment, "frames=%d", options->frames);
        if (spate_scene_assign(scene, assignment, &error) != SPATE_OK)
            return tool_say_error(EXIT_USAGE, "--frames: %s", error.message);
    }
    if (spate_scene_settle(scene, &error) != SPATE_OK)
        return tool_fail(&error, options->file);
    return EXIT_DONE;
}

/* The number behind `name` in a file of "name number" lines, or the only number of the file if name
 * is ""; 0 if it is not there. */
static double number_in(const char *path, const char *name)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    char line[256];
    double number = 0;
    size_t length = strlen(name);
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, name, length) == 0) {
            number = strtod(line + length, NULL);
            break;
        }
    }
    fclose(file);
    return number;
}

uint64_t tool_memory_available(void)
{
    double available = 1024 * number_in("/proc/meminfo", "MemAvailable:");
    /* a container may be allowed less than the machine has */
    double limit = number_in("/sys/fs/cgroup/memory.max", "");
    double used = number_in("/sys/fs/cgroup/memory.current", "");
    double cache = number_in("/sys/fs/cgroup/memory.stat", "inactive_file ");
    double allowed = limit - used + cache;
    if (limit > 0 && allowed < available)
        available = allowed > 1 ? allowed : 1;
    return (uint64_t)available;
}

static int check_fit(const char *file, double bytes, const char *at_least)
{
    double available = (double)tool_memory_available();
    if (available == 0 || bytes <= available)
        return EXIT_DONE;
    char needs[TOOL_NUMBER], has[TOOL_NUMBER];
    return tool_say_error(EXIT_MEMORY,
                          "%s: needs %s%s of memory, %s are available: use fewer cells, a smaller "
                          "domain or fewer particles per axis",
                          file, at_least, tool_bytes_text(needs, bytes),
                          tool_bytes_text(has, available));
}

static spate_status forecast_of(const spate_scene *scene, const spate_options *options,
                                tool_forecast *forecast, spate_error *error)
{
    spate_status status = spate_scene_forecast(scene, options, &forecast->sim, error);
    return status != SPATE_OK
               ? status
               : spate_scene_output_forecast(scene, &forecast->sim, &forecast->output, error);
}

double tool_memory_bytes(const tool_forecast *forecast)
{
    return (double)(forecast->sim.memory + forecast->output.memory);
}

int tool_scene_examine(const spate_scene *scene, const char *file, const spate_options *options,
                       tool_forecast *forecast)
{
    spate_error error = {0};
    if (spate_scene_check(scene, options->log, options->log_user, &error) != SPATE_OK)
        return tool_fail(&error, file);
    /* Counting the particles of a huge scene takes long, its grid alone may show that it is too
     * large. */
    spate_scene bare = *scene;
    bare.fill.count = 0;
    if (forecast_of(&bare, options, forecast, &error) != SPATE_OK)
        return tool_fail(&error, file);
    int code = check_fit(file, tool_memory_bytes(forecast), "at least ");
    if (code != EXIT_DONE)
        return code;
    if (forecast_of(scene, options, forecast, &error) != SPATE_OK)
        return tool_fail(&error, file);
    return check_fit(file, tool_memory_bytes(forecast), "");
}

int tool_output_frames(const spate_scene *scene)
{
    return scene->frames / scene->output.every + 1;
}

double tool_disk_bytes(const spate_scene *scene, const tool_forecast *f)
{
    const spate_output_forecast *out = &f->output;
    double frame = (double)(out->particles_bytes + out->mesh_bytes + out->volume_bytes);
    return frame * tool_output_frames(scene) + (double)(out->film_bytes + f->sim.checkpoint_bytes);
}
