/* run_start.c -- opening the folder of a run, and bringing simulation and folder to the same frame:
 * the first of a new run, or that of the last good checkpoint. */
#include "run.h"

#include <spate/spate_io.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "io/stats.h"
#include "progress.h"
#include "scene/lists.h"

/* ------------------------------------------------------------------ the folder */

static int no_checkpoint(const tool_run *run, const char *remedy)
{
    return tool_say_error(EXIT_FILE, "no checkpoint in %s: start it %s", run->folder_name, remedy);
}

static bool has_checkpoint(const tool_run *run)
{
    return sp_run_folder_has(&run->folder, "checkpoint.spate") ||
           sp_run_folder_has(&run->folder, "checkpoint.prev.spate");
}

/* A run that was killed before its first checkpoint has nothing to lose: it begins anew. */
static bool has_only_begun(const tool_run *run, spate_error *error)
{
    int files, last_particles;
    if (sp_run_folder_count(&run->folder, &files, &last_particles, error) != SPATE_OK)
        return false;
    char path[SP_PATH_SIZE];
    sp_stats_table table = {0};
    sp_run_folder_path(&run->folder, "stats.csv", path);
    bool rows = sp_stats_read(path, &table, error) == SPATE_OK && table.rows > 1;
    sp_stats_clear(&table);
    return last_particles <= 0 && !rows;
}

int run_open_for_resume(tool_run *run)
{
    spate_error error = {0};
    if (access(run->folder_name, F_OK) != 0 && errno == ENOENT)
        return no_checkpoint(run, "without --resume");
    if (sp_run_folder_open(&run->folder, run->folder_name, false, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    int files, last_particles;
    if (sp_run_folder_count(&run->folder, &files, &last_particles, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    if (!sp_run_folder_holds_run(&run->folder))
        return no_checkpoint(run, "without --resume");
    if (!sp_run_folder_has(&run->folder, "run.json") ||
        (!has_checkpoint(run) && !has_only_begun(run, &error)))
        return no_checkpoint(run, "again with --overwrite");
    if (sp_run_info_read(&run->folder, &run->info, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    return EXIT_DONE;
}

static void warn_of_small_disk(const tool_run *run)
{
    struct statvfs disk;
    double needs = tool_disk_bytes(run->scene, &run->forecast);
    char wanted[TOOL_NUMBER], free_bytes[TOOL_NUMBER];
    if (statvfs(run->folder.path, &disk) != 0 || disk.f_blocks == 0)
        return;
    double available = (double)disk.f_bavail * (double)disk.f_frsize;
    if (needs > available)
        tool_warn("%s: the run will need about %s, the disk has %s left", run->folder.path,
                  tool_bytes_text(wanted, needs), tool_bytes_text(free_bytes, available));
}

int run_open_for_new(tool_run *run)
{
    spate_error error = {0};
    int files = 0, last_particles;
    if (sp_run_folder_open(&run->folder, run->folder_name, true, &error) != SPATE_OK ||
        sp_run_folder_count(&run->folder, &files, &last_particles, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    bool holds_run = sp_run_folder_holds_run(&run->folder);
    if (files == 0 || (run->overwrite && holds_run)) {
        warn_of_small_disk(run);
        return EXIT_DONE;
    }
    if (!holds_run)
        return tool_say_error(EXIT_FILE,
                              "%s: holds no run, but files that a run would replace (film.mp4, "
                              "particles.0000.ply and the like): move them away, or choose another "
                              "folder (-o DIR)",
                              run->folder.path);
    return tool_say_error(
        EXIT_FILE,
        "%s: holds another run: go on with it (--resume), replace it (--overwrite) or choose "
        "another folder (-o DIR)",
        run->folder.path);
}

/* ------------------------------------------------------------------ beginning, or going on */

int run_create_sim(tool_run *run)
{
    spate_error error = {0};
    run->sim = spate_sim_create(run->scene, &run->options, &error);
    if (run->sim)
        return EXIT_DONE;
    /* a setting that the device cannot do is the scene's too; "device" is that of the command */
    bool of_scene = error.status == SPATE_ERROR_SCENE ||
                    (error.status == SPATE_ERROR_DEVICE && strcmp(error.where, "device") != 0);
    return tool_fail(&error, of_scene ? run->options.log_user : NULL);
}

static int write_info(tool_run *run)
{
    spate_error error = {0};
    sp_run_info info = run->info;
    snprintf(info.version, sizeof info.version, "%s", spate_version());
    snprintf(info.device, sizeof info.device, "%s", spate_sim_device(run->sim));
    info.threads = spate_sim_threads(run->sim);
    if (run->given.file)
        snprintf(info.scene_file, sizeof info.scene_file, "%s", run->given.file);
    info.scene = spate_scene_text(run->scene);
    if (!info.scene)
        return tool_say_error(EXIT_MEMORY, "out of memory");
    spate_status status = sp_run_info_write(&run->folder, &info, &error);
    spate_free(info.scene);
    return status == SPATE_OK ? EXIT_DONE : tool_fail(&error, NULL);
}

static void say_what_begins(const tool_run *run)
{
    if (run->quiet)
        return;
    const spate_forecast *f = &run->forecast.sim;
    char count[TOOL_NUMBER], cells[64];
    if (run->scene->dim == 2)
        snprintf(cells, sizeof cells, "%d x %d", f->cells[0], f->cells[1]);
    else
        snprintf(cells, sizeof cells, "%d x %d x %d", f->cells[0], f->cells[1], f->cells[2]);
    int threads = spate_sim_threads(run->sim), frame = spate_sim_frame(run->sim);
    fprintf(stderr, "%s: %s cells, %s particles, %s with %d thread%s, into %s\n", run->scene->name,
            cells, tool_count_text(count, spate_sim_particles_count(run->sim, "fluid")),
            spate_sim_device(run->sim), threads, threads == 1 ? "" : "s", run->folder.path);
    if (run->resume && frame >= run->scene->frames)
        fprintf(stderr, "all %d frames are there already (--frames N for more)\n",
                run->scene->frames);
    else if (run->resume)
        fprintf(stderr, "resuming after frame %d of %d\n", frame, run->scene->frames);
}

static int start_new(tool_run *run)
{
    spate_error error = {0};
    run->info.particles = run->forecast.sim.particles;
    /* its exports go first: while the run is there, --overwrite can be called again */
    bool replaces = run->overwrite || run->resume;
    if ((replaces && sp_export_remove(run->folder.path, &error) != SPATE_OK) ||
        sp_run_folder_remove(&run->folder, -1, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    int code = run_output_open(run, -1);
    if (code == EXIT_DONE)
        code = write_info(run);
    if (code != EXIT_DONE)
        return code;
    say_what_begins(run);
    progress_begin(run->sim, run->quiet, run->json);
    return run_write_start(run);
}

/* The newest checkpoint; if that is missing or damaged, the one before it. */
static int load_checkpoint(tool_run *run)
{
    static const char *const names[] = {"checkpoint.spate", "checkpoint.prev.spate"};
    spate_error error = {0};
    char path[SP_PATH_SIZE];
    for (int k = 0; k < 2; k++) {
        if (!sp_run_folder_has(&run->folder, names[k]))
            continue;
        if (spate_sim_checkpoint_read(run->sim, sp_run_folder_path(&run->folder, names[k], path),
                                      &error) == SPATE_OK) {
            if (k == 1 && sp_run_folder_step_back(&run->folder, &error) != SPATE_OK)
                return tool_fail(&error, NULL);
            return EXIT_DONE;
        }
        bool last = k == 1 || !sp_run_folder_has(&run->folder, names[1]);
        if (last || error.status == SPATE_ERROR_MEMORY)
            break;
        tool_warn("%s: %s; using the checkpoint before it", error.where, error.message);
        spate_sim_destroy(run->sim);
        int code = run_create_sim(run);
        if (code != EXIT_DONE)
            return code;
    }
    tool_fail(&error, NULL);
    return tool_say_error(EXIT_FILE, "no usable checkpoint in %s: start it again with --overwrite",
                          run->folder.path);
}

static int resume_gauges(tool_run *run)
{
    spate_error error = {0};
    char path[SP_PATH_SIZE];
    uint64_t rows, wanted = spate_sim_steps(run->sim) + 1;
    sp_run_folder_path(&run->folder, "gauges.csv", path);
    if (sp_gauges_resume(path, run->sim, &run->gauges, &rows, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    if (run->gauges && rows != wanted)
        tool_warn("%s: has %llu of the %llu rows up to step %llu: it was changed since", path,
                  (unsigned long long)rows, (unsigned long long)wanted,
                  (unsigned long long)wanted - 1);
    return EXIT_DONE;
}

static int start_resumed(tool_run *run)
{
    int code = load_checkpoint(run);
    if (code != EXIT_DONE)
        return code;
    spate_error error = {0};
    char path[SP_PATH_SIZE];
    int frame = spate_sim_frame(run->sim), rows = 0;
    sp_run_folder_path(&run->folder, "stats.csv", path);
    sp_stats_row names = {.channel_count = 0};
    sp_stats_name(run->sim, &names);
    if (sp_stats_resume(path, &names, &error) != SPATE_OK ||
        sp_stats_cut(path, frame, &rows, &error) != SPATE_OK ||
        sp_run_folder_remove(&run->folder, frame, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    if (rows != frame + 1)
        tool_warn("%s: has %d of the %d rows up to frame %d: it was changed since", path, rows,
                  frame + 1, frame);
    code = resume_gauges(run);
    if (code == EXIT_DONE && frame < run->scene->frames) /* else the run is as it was */
        code = write_info(run);
    if (code == EXIT_DONE)
        code = run_output_open(run, frame);
    if (code != EXIT_DONE)
        return code;
    say_what_begins(run);
    progress_begin(run->sim, run->quiet, run->json);
    return EXIT_DONE;
}

/* The files of the folder that a run replaces must not be those that it reads. */
static int refuse_own_input(const tool_run *run)
{
    for (int l = 0; l < SP_SHAPE_LIST_COUNT; l++) {
        const spate_shape_list *list = sp_shape_list(run->scene, l);
        for (int k = 0; k < list->count; k++)
            if (list->items[k].file[0] && sp_run_folder_makes(&run->folder, list->items[k].file))
                return tool_say_error(
                    EXIT_FILE,
                    "%s: %s[%d].file: %s is one of the files in %s that this run would remove: "
                    "choose another folder (-o DIR), or copy it",
                    (const char *)run->options.log_user, sp_shape_list_name(l), k,
                    list->items[k].file, run->folder.path);
    }
    return EXIT_DONE;
}

int run_start(tool_run *run)
{
    int code = refuse_own_input(run);
    if (code != EXIT_DONE)
        return code;
    return run->resume && has_checkpoint(run) ? start_resumed(run) : start_new(run);
}
