/* course.c -- see course.h. */
#include "course.h"

#include "io/course.h"

#include <math.h>
#include <string.h>

static void log_course(void *user, spate_log_level level, const char *where, const char *message)
{
    if (level == SPATE_LOG_WARNING) {
        tool_log(user, level, where, message);
        return;
    }
    if (tool_before_message)
        tool_before_message();
    fprintf(stderr, "spate: note: %s: %s%s%s\n", (const char *)user, where, where[0] ? ": " : "",
            message);
}

spate_scene *tool_scene_read(const char *file, bool *of_course, int *code)
{
    spate_error error = {0};
    bool theirs = sp_course_is_file(file);
    spate_scene *scene = theirs ? sp_course_read(file, log_course, (void *)file, &error)
                                : spate_scene_read(file, &error);
    if (of_course)
        *of_course = theirs;
    *code = scene ? EXIT_DONE : tool_fail(&error, file);
    return scene;
}

int course_frames(const spate_scene *scene, int steps)
{
    double per_frame = floor(1 / (scene->fps * scene->time.dt) + 0.5);
    if (!(scene->time.dt > 0) || !(per_frame >= 1))
        return steps; /* every frame has a step at least */
    return (int)ceil(steps / per_frame);
}

void course_say_end(const tool_run *run)
{
    spate_error error = {0};
    sp_stats_table table = {0};
    char path[SP_PATH_SIZE];
    sp_run_folder_path(&run->folder, "stats.csv", path);
    if (sp_stats_read(path, &table, &error) == SPATE_OK && table.rows > 1) {
        int last = table.rows - 1;
        double cell = run->forecast.sim.cell_size, volume = cell * cell * cell;
        double first = sp_course_volume(run->scene, 0);
        double poured = sp_course_volume(run->scene, sp_stats_value(&table, last, "time"));
        double begin = volume * sp_stats_value(&table, 0, "liquid_cells");
        double end = volume * sp_stats_value(&table, last, "liquid_cells");
        double residual = sp_stats_value(&table, last, "solver_residual");
        fprintf(
            stderr,
            "\nThe course's settings: what counts as liquid are cells with a particle, and they "
            "change.\n"
            "  at the start  %.4g m^3 in boxes, %.4g m^3 in cells (%+.0f %%)\n"
            "  at the end    %.4g m^3 in boxes, %.4g m^3 in cells (%+.0f %%)\n"
            "  up to %.2g of a cell's volume is lost in a step: the pressure after %d sweeps\n",
            first, begin, first > 0 ? 100 * (begin / first - 1) : 0, poured, end,
            poured > 0 ? 100 * (end / poured - 1) : 0, residual,
            run->scene->pressure.max_iterations);
        fprintf(
            stderr,
            "spate's own settings do better: pressure.solver multigrid (converged), volume.method "
            "density\n(keeps the volume), pressure.surface ghost and pressure.solids cut (within "
            "cells), time.advection\nrk3 and time.cfl (steps as long as the flow allows), "
            "fill sampling \"cells\" (8 particles per cell).\n"
            "  spate import %s --own > own.json && spate run own.json\n",
            run->given.file);
    }
    sp_stats_clear(&table);
}
