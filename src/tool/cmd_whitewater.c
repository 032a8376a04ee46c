/* cmd_whitewater.c -- `spate whitewater DIR`: whitewater for the particle files of a run that had
 * none, or other whitewater for one that had.
 *
 * The liquid of a frame is laid on the grid as in a step: surface, solids, and the velocity with
 * its forces and pressure, for that of particles alone is too rough. The stage WHITEWATER then goes
 * to the next frame in one step. */
#include "tool.h"

#include <spate/spate_io.h>

#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/particle_table.h"
#include "io/ply_write.h"
#include "io/run_folder.h"
#include "scene/medium.h"
#include "scene/points.h"
#include "scene/schema.h"

static const char usage[] =
    "usage: spate whitewater DIR [options]\n"
    "\n"
    "Makes foam, spray and bubbles from the particles.NNNN.ply of a run, and writes them as\n"
    "whitewater.NNNN.ply beside these: for a run that had none, or with other settings. It takes one\n"
    "step a frame, so the liquid should have been written 60 times a second or more\n"
    "(fps, output.every). 'spate render DIR' then shows it.\n"
    "\n"
    "  --set PATH=VALUE  a setting, such as whitewater.rate=20; as often as needed\n"
    "  --overwrite       replaces the whitewater that is there\n"
    "  --threads N       as many threads (default: one per core)\n"
    "  --quiet           say nothing but warnings and errors\n"
    "  --help            this text\n"
    "\n"
    "Exit codes: 0 done, 1 a step failed, 2 usage, 3 bad settings, 4 file error, 5 out of memory.\n";

typedef struct white_command {
    const char *path;
    tool_scene_options given;
    int threads;
    bool overwrite, quiet;
    sp_run_folder folder;
    spate_scene *scene;
    spate_sim *sim;
    int *frames, frame_count;
} white_command;

/* The scene of the run without its liquid, which comes from the files. */
static int read_scene(white_command *w)
{
    spate_error error = {0};
    sp_run_info info = {0};
    if (!sp_run_folder_has(&w->folder, "run.json"))
        return tool_say_error(EXIT_FILE, "%s: holds no run (there is no run.json)", w->path);
    if (sp_run_info_read(&w->folder, &info, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    w->scene = spate_scene_parse(info.scene, strlen(info.scene), ".", &error);
    sp_free(info.scene);
    if (!w->scene)
        return tool_fail(&error, w->path);
    if (!sp_medium_of(w->scene)->has_surface)
        return tool_say_error(
            EXIT_USAGE,
            "%s: is the run of a gas, which has no surface that whitewater could come from",
            w->path);
    sp_scene_clear_list(w->scene, "fill");
    sp_scene_clear_list(w->scene, "gauges");
    w->scene->whitewater.on = true;
    return tool_scene_adjust(w->scene, &w->given);
}

static int find_frames(white_command *w)
{
    spate_error error = {0};
    char path[SP_PATH_SIZE];
    if (sp_run_folder_frames(&w->folder, &w->frames, &w->frame_count, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    if (w->frame_count == 0 || w->frames[0] != 0)
        return tool_say_error(EXIT_FILE, "%s: has no particles.0000.ply to begin with", w->path);
    for (int k = 0; k < w->frame_count; k++)
        if (!w->overwrite &&
            access(sp_run_folder_set(&w->folder, SP_WHITEWATER, w->frames[k], path), F_OK) == 0)
            return tool_say_error(
                EXIT_FILE, "%s is there already: --overwrite replaces all whitewater of the run",
                path);
    return EXIT_DONE;
}

static int create_sim(white_command *w)
{
    spate_error error = {0};
    spate_options options;
    spate_options_default(&options);
    options.threads = w->threads;
    options.log = tool_log;
    options.log_user = (void *)w->path;
    w->sim = spate_sim_create(w->scene, &options, &error);
    return w->sim ? EXIT_DONE : tool_fail(&error, w->path);
}

/* The liquid of a frame in place of what the simulation holds. */
static int load_frame(white_command *w, int frame)
{
    spate_error error = {0};
    char path[SP_PATH_SIZE];
    spate_shape all;
    spate_shape_default(&all);
    for (int d = 0; d < 3; d++) {
        all.min[d] = -1e6;
        all.max[d] = 1e6;
    }
    spate_points *points =
        spate_points_read(sp_run_folder_particles(&w->folder, frame, path), &error);
    if (!points)
        return tool_fail(&error, NULL);
    spate_status status = spate_sim_remove_particles(w->sim, &all, NULL, &error);
    if (status == SPATE_OK)
        status = spate_sim_add_particles(w->sim, sp_points_positions(points),
                                         sp_points_velocities(points), sp_points_count(points),
                                         NULL, &error);
    spate_points_destroy(points);
    return status == SPATE_OK ? EXIT_DONE : tool_fail(&error, path);
}

static int step(white_command *w, double dt)
{
    static const char *const stages[] = {"sort",   "solids",   "p2g",         "surface",
                                         "forces", "pressure", "extrapolate", "whitewater"};
    spate_error error = {0};
    for (size_t k = 0; k < sizeof stages / sizeof *stages; k++)
        if (spate_sim_run_stage(w->sim, spate_stage_find(stages[k]), dt, &error) != SPATE_OK)
            return tool_fail(&error, NULL);
    return EXIT_DONE;
}

static int write_frame(white_command *w, int frame)
{
    spate_error error = {0};
    char path[SP_PATH_SIZE], count[TOOL_NUMBER];
    sp_particles now;
    sp_particle_table table;
    sp_sim_particles(w->sim, SP_WHITEWATER, &now);
    now.frame = frame;
    sp_particle_table_of_set(&table, w->scene, &now);
    sp_run_folder_set(&w->folder, SP_WHITEWATER, frame, path);
    if (sp_ply_write(&table, path, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    if (!w->quiet)
        fprintf(stderr, "%s: %s particles\n", path, tool_count_text(count, now.view.count));
    return EXIT_DONE;
}

void tool_print_limits(const spate_sim *sim)
{
    const spate_scene *scene = spate_sim_scene(sim);
    spate_whitewater_ledger w;
    if (!spate_sim_whitewater(sim, &w))
        return;
    fprintf(stderr,
            "  half, 90 %% and 99 %% of the cells near the surface are below\n"
            "    speed %.2g, %.2g, %.2g m/s (limits %g .. %g)\n"
            "    curvature x detail %.2g, %.2g, %.2g (%g .. %g)\n"
            "    strain %.2g, %.2g, %.2g 1/s (%g .. %g)\n",
            w.speed[0], w.speed[1], w.speed[2], scene->whitewater.speed_low,
            scene->whitewater.speed_high, w.curvature[0], w.curvature[1], w.curvature[2],
            scene->whitewater.curvature_low, scene->whitewater.curvature_high, w.strain[0],
            w.strain[1], w.strain[2], scene->whitewater.strain_low, scene->whitewater.strain_high);
}

static void print_summary(const white_command *w)
{
    char came[TOOL_NUMBER];
    spate_stats stats;
    spate_sim_progress(w->sim, &stats);
    fprintf(stderr, "%s came; %llu spray, %llu foam, %llu bubbles, %llu dust in the last frame\n",
            tool_count_text(came, stats.whitewater_emitted), (unsigned long long)stats.spray,
            (unsigned long long)stats.foam, (unsigned long long)stats.bubbles,
            (unsigned long long)stats.dust);
}

static int make_all(white_command *w)
{
    int code = read_scene(w);
    if (code == EXIT_DONE)
        code = find_frames(w);
    if (code == EXIT_DONE)
        code = create_sim(w);
    if (code == EXIT_DONE)
        code = write_frame(w, 0);
    for (int k = 1; k < w->frame_count && code == EXIT_DONE; k++) {
        code = load_frame(w, w->frames[k - 1]);
        if (code == EXIT_DONE)
            code = step(w, (w->frames[k] - w->frames[k - 1]) / w->scene->fps);
        if (code == EXIT_DONE)
            code = write_frame(w, w->frames[k]);
    }
    if (code == EXIT_DONE && !w->quiet)
        print_summary(w);
    return code;
}

int cmd_whitewater(int argc, char **argv)
{
    white_command w = {.given = {NULL, -1, sp_alloc((size_t)argc + 1, sizeof *w.given.sets)}};
    const tool_option options[] = {
        {"--set", 0, TOOL_LIST, &w.given.sets, 0},
        {"--overwrite", 0, TOOL_FLAG, &w.overwrite, 0},
        {"--threads", 0, TOOL_COUNT, &w.threads, 1},
        {"--quiet", 0, TOOL_FLAG, &w.quiet, 0},
    };
    static const char *const names[] = {"DIR"};
    const char *operands[2];
    if (!w.given.sets)
        return tool_say_error(EXIT_MEMORY, "out of memory");
    int code = tool_parse(usage, options, 4, names, 1, 1, operands, argc, argv);
    if (code == TOOL_PARSED) {
        spate_error error = {0};
        w.path = operands[0];
        if (sp_run_folder_open(&w.folder, w.path, false, &error) != SPATE_OK) {
            code = tool_fail(&error, NULL);
        } else {
            code = make_all(&w);
            spate_sim_destroy(w.sim);
            spate_scene_destroy(w.scene);
            sp_free(w.frames);
            sp_run_folder_close(&w.folder);
        }
    }
    sp_free(w.given.sets);
    return code;
}
