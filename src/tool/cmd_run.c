/* cmd_run.c -- `spate run SCENE`: from the command line to a simulation and a folder that are ready
 * to go.
 *
 * Everything that can be refused is refused before anything is changed: the scene, its memory, the
 * folder, the difference between a run and what is to be resumed. Only then are files of an older
 * run removed. */
#include "run.h"

#include <spate/spate_io.h>

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"
#include "course.h"
#include "progress.h"

static const char usage[] =
    "usage: spate run SCENE [options]\n"
    "       spate run --resume -o DIR [options]\n"
    "\n"
    "Simulates a scene and writes a folder: run.json, stats.csv, gauges.csv (if the scene has gauges),\n"
    "particles.NNNN.ply, preview.mp4 (if the program ffmpeg is there), preview.png of the last frame, and\n"
    "checkpoints; output.particles and output.volume of the scene choose other formats. Ctrl-C stops it so\n"
    "that --resume goes on from there, to the same bits.\n"
    "\n"
    "  -o, --output DIR  the folder; default: out/ and the name of the scene file\n"
    "  --overwrite       replace the run that is in the folder (removes only files of a run)\n"
    "  --resume          go on with the run that is in the folder, from its last checkpoint\n"
    "  --frames N        as many frames\n"
    "  --steps N         as many time steps, instead of frames\n"
    "  --set PATH=VALUE  change a setting, e.g. --set fluid.flip_ratio=0.95 (may be repeated);\n"
    "                    'spate help scene' lists them\n"
    "  --usd FILE        also write one USD file (.usd or .usdc; .usda: text) with all frames; with\n"
    "                    --steps, with all steps\n"
    "  --usd_output FILE, --num_steps N   as the PIC-FLIP course's solver has them: one USD file with\n"
    "                    a sample per output, ten units to a metre; as many time steps. Its scenes\n"
    "                    (see 'spate import') are taken like any other\n"
    "  --threads N       threads; default: one per core. The result does not depend on it\n"
    "  --device NAME     cpu (default), cuda (an NVIDIA GPU), or auto: a GPU if there is one\n"
    "  --json            print one JSON object per frame on stdout, with the hash of the state\n"
    "  --quiet           no progress and no summary\n"
    "  --help            this text\n"
    "\n"
    "SPATE_CHECKPOINT_SECONDS in the environment is the longest time between checkpoints (60).\n"
    "\n"
    "Exit codes: 0 done, 1 the simulation failed, 2 usage, 3 bad scene, 4 file error, 5 out of memory,\n"
    "6 no such device, 75 interrupted and resumable.\n";

/* ------------------------------------------------------------------ the scene */

/* out/ and the name of the scene file without its folder and ending */
static const char *default_folder(tool_run *run)
{
    const char *slash = strrchr(run->given.file, '/'), *name = slash ? slash + 1 : run->given.file;
    const char *dot = strrchr(name, '.');
    int length = (int)(dot && dot > name ? (size_t)(dot - name) : strlen(name));
    snprintf(run->default_folder, sizeof run->default_folder, "out/%.*s", length, name);
    return run->default_folder;
}

static int read_scene(tool_run *run)
{
    spate_error error = {0};
    char path[SP_PATH_SIZE];
    int code = EXIT_DONE;
    if (run->given.file)
        run->scene = tool_scene_read(run->given.file, &run->of_course, &code);
    else
        run->scene = spate_scene_parse(run->info.scene, strlen(run->info.scene), ".", &error);
    if (code != EXIT_DONE)
        return code;
    if (!run->scene)
        return tool_fail(&error, sp_run_folder_path(&run->folder, "run.json", path));
    code = tool_scene_adjust(run->scene, &run->given);
    if (run->num_steps >= 0) {
        run->steps = run->num_steps;
        if (run->given.frames < 0)
            run->scene->frames = course_frames(run->scene, run->num_steps);
    }
    /* every frame has a step at least, so that many frames are enough */
    if (run->given.frames < 0 && run->num_steps < 0 && run->steps > run->scene->frames)
        run->scene->frames = run->steps;
    return code;
}

/* The scene as it is now, against the one that the folder was made from. */
static int compare_scenes(const tool_run *run)
{
    char *text = spate_scene_text(run->scene);
    if (!text)
        return tool_say_error(EXIT_MEMORY, "out of memory");
    bool differ = false;
    sp_difference difference;
    spate_error error = {0};
    spate_status status = sp_scene_difference(run->info.scene, text, &differ, &difference, &error);
    spate_free(text);
    if (status != SPATE_OK)
        return tool_fail(&error, run->folder.path);
    if (!differ)
        return EXIT_DONE;
    return tool_say_error(
        EXIT_SCENE,
        "%s: %s: was %s in the run in %s and is %s now: to resume, only frames, output, threads "
        "and device may change",
        run->given.file ? run->given.file : "--set", difference.where, difference.first,
        run->folder.path, difference.second);
}

/* The scene from its file, or from the folder to be resumed; with --resume the folder is open
 * afterwards. */
static int prepare_scene(tool_run *run)
{
    int code = EXIT_DONE;
    if (run->given.file) /* a scene that cannot be read is the first thing to know */
        code = read_scene(run);
    if (!run->resume || code != EXIT_DONE)
        return code;
    code = run_open_for_resume(run);
    if (code == EXIT_DONE && !run->given.file)
        code = read_scene(run);
    return code == EXIT_DONE ? compare_scenes(run) : code;
}

/* ------------------------------------------------------------------ all of it */

static int run_scene(tool_run *run)
{
    int code = prepare_scene(run);
    if (code != EXIT_DONE)
        return code;
    spate_options_default(&run->options);
    run->options.threads = run->threads;
    if (run->device)
        run->options.device = run->device;
    run->options.log = tool_log;
    run->options.log_user = (void *)(run->given.file ? run->given.file : run->info.scene_file);
    code = tool_scene_examine(run->scene, run->options.log_user, &run->options, &run->forecast);
    if (code == EXIT_DONE && !run->resume)
        code = run_open_for_new(run);
    if (code == EXIT_DONE)
        code = run_create_sim(run);
    if (code != EXIT_DONE)
        return code;
    run_catch_signals(run->quiet);
    code = run_start(run);
    code = code == EXIT_DONE ? run_frames(run) : code;
    if (code == EXIT_DONE && run->of_course && !run->quiet)
        course_say_end(run);
    return code;
}

static int check_arguments(const tool_run *run)
{
    if (run->overwrite && run->resume)
        return tool_say_error(EXIT_USAGE, "--overwrite and --resume exclude each other");
    if (run->usd_path && !sp_usd_is_name(run->usd_path))
        return tool_say_error(EXIT_USAGE,
                              "--usd: the name must end in .usd, .usda or .usdc (got '%s')",
                              run->usd_path);
    if (run->usd_path && run->resume)
        return tool_say_error(EXIT_USAGE,
                              "--usd: cannot begin in the middle of a run; with --resume, export "
                              "afterwards: spate export DIR --to usd -o %s",
                              run->usd_path);
    if (run->course_usd_path && !sp_usd_is_name(run->course_usd_path))
        return tool_say_error(EXIT_USAGE,
                              "--usd_output: the name must end in .usd, .usda or .usdc (got '%s')",
                              run->course_usd_path);
    if (run->course_usd_path && run->resume)
        return tool_say_error(EXIT_USAGE, "--usd_output: cannot begin in the middle of a run");
    if (run->num_steps >= 0 && run->steps >= 0)
        return tool_say_error(EXIT_USAGE, "--steps and --num_steps say the same: give one of them");
    if (!run->given.file && !(run->resume && run->folder_name))
        return tool_say_error(EXIT_USAGE, "SCENE: is missing (see 'spate run --help')");
    return EXIT_DONE;
}

int cmd_run(int argc, char **argv)
{
    tool_run run = {.given = {NULL, -1, sp_alloc((size_t)argc + 1, sizeof *run.given.sets)},
                    .begun = sp_seconds(),
                    .steps = -1,
                    .num_steps = -1};
    run.folder.descriptor = -1;
    if (!run.given.sets)
        return tool_say_error(EXIT_MEMORY, "out of memory");
    const tool_option options[] = {
        {"--output", 'o', TOOL_TEXT, &run.folder_name, 0},
        {"--overwrite", 0, TOOL_FLAG, &run.overwrite, 0},
        {"--resume", 0, TOOL_FLAG, &run.resume, 0},
        {"--frames", 0, TOOL_COUNT, &run.given.frames, 0},
        {"--steps", 0, TOOL_COUNT, &run.steps, 0},
        {"--usd", 0, TOOL_TEXT, &run.usd_path, 0},
        {"--usd_output", 0, TOOL_TEXT, &run.course_usd_path, 0},
        {"--num_steps", 0, TOOL_COUNT, &run.num_steps, 0},
        {"--set", 0, TOOL_LIST, &run.given.sets, 0},
        {"--threads", 0, TOOL_COUNT, &run.threads, 1},
        {"--device", 0, TOOL_TEXT, &run.device, 0},
        {"--json", 0, TOOL_FLAG, &run.json, 0},
        {"--quiet", 0, TOOL_FLAG, &run.quiet, 0},
    };
    static const char *const names[] = {"SCENE"};
    const char *operands[2];
    int code = tool_parse(usage, options, (int)(sizeof options / sizeof *options), names, 1, 0,
                          operands, argc, argv);
    if (code == TOOL_PARSED) {
        run.given.file = operands[0];
        code = check_arguments(&run);
        if (code == EXIT_DONE) {
            if (!run.folder_name)
                run.folder_name = default_folder(&run);
            code = run_scene(&run);
        }
    }
    progress_end();
    run_frame_end(&run);
    run_output_clear(&run);
    sp_gauges_close(run.gauges);
    spate_sim_destroy(run.sim);
    sp_run_folder_close(&run.folder);
    spate_scene_destroy(run.scene);
    sp_free(run.info.scene);
    sp_free(run.given.sets);
    return code;
}
