/* run_loop.c -- the frames of a run, and what is written of each.
 *
 * The order of a frame's output is what makes resuming safe: particles and surface, then the row of
 * stats.csv, then (now and then) a checkpoint; and the rows of gauges.csv, one per step, are on the
 * disk before a checkpoint is. So the rows and the file of every frame up to a checkpoint's are
 * there, and what a killed run has written after it is cut away and made again. */
#include "run.h"

#include <spate/spate_io.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/timer.h"
#include "io/slices.h"
#include "io/stats.h"
#include "progress.h"
#include "report.h"
#include "run_film.h"

#define PREVIEW_WIDTH 1280
#define PREVIEW_HEIGHT 720
#define CHECKPOINT_SECONDS 60
/* However large the state: at most this share of the time goes into checkpoints by time. */
#define CHECKPOINT_SHARE 0.05

static volatile sig_atomic_t stop_signal;
static volatile sig_atomic_t say_stop;

static void on_signal(int number)
{
    static const char text[] =
        "\nspate: finishing this step, then saving (once more to stop at once)\n";
    if (stop_signal) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    stop_signal = number;
    if (say_stop && write(STDERR_FILENO, text, sizeof text - 1) < 0)
        say_stop = 0;
}

void run_catch_signals(bool quiet)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, hangup;
    say_stop = !quiet && isatty(STDERR_FILENO);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &hangup) == 0 &&
        hangup.sa_handler != SIG_IGN) /* nohup stays nohup */
        sigaction(SIGHUP, &action, NULL);
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
}

typedef struct loop {
    tool_run *run;
    run_film *film;       /* NULL: none */
    double row_clock;     /* sp_seconds at the last row; its output counts to the row */
    double carried;       /* s, of the frame under way before this process */
    double saved;         /* sp_seconds of the last checkpoint */
    double interval;      /* s between checkpoints by time */
    uint64_t saved_steps; /* spate_sim_steps of the last checkpoint */
    uint64_t first_step;
    double particle_steps;
} loop;

/* ------------------------------------------------------------------ output of a frame */

static int write_frame(loop *l)
{
    tool_run *run = l->run;
    spate_error error = {0};
    run_frame_numbers numbers = {.film = l->film, .since = l->row_clock, .carried = l->carried};
    for (int k = 0; k < spate_sim_particle_set_count(run->sim) && run->json; k++)
        numbers.hashes[k] =
            spate_sim_particles_hash(run->sim, spate_sim_particle_set_name(run->sim, k));
    /* first: statistics sort the particles, and the grid is then no longer that of the step */
    if (spate_sim_frame(run->sim) % run->scene->output.every == 0 &&
        sp_slices_write(&run->folder, run->sim, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    sp_stats_take(run->sim, &numbers.row);
    if (sp_gauges_sync(run->gauges, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    int code = run_frame_write(run, &numbers);
    l->row_clock = numbers.since;
    l->carried = 0;
    if (code == EXIT_DONE)
        progress_frame(run->sim, &numbers.row.stats, numbers.row.seconds);
    return code;
}

static double checkpoint_seconds(void)
{
    const char *text = getenv("SPATE_CHECKPOINT_SECONDS");
    double seconds = text ? strtod(text, NULL) : 0;
    return seconds > 0 ? seconds : CHECKPOINT_SECONDS;
}

static int save(loop *l)
{
    if (l->saved_steps == spate_sim_steps(l->run->sim))
        return EXIT_DONE;
    spate_error error = {0};
    int made = run_frame_finish(l->run);
    if (made != EXIT_DONE)
        return made;
    double begun = sp_seconds();
    if (sp_gauges_sync(l->run->gauges, &error) != SPATE_OK ||
        sp_run_folder_save(&l->run->folder, l->run->sim, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    l->saved = sp_seconds();
    l->saved_steps = spate_sim_steps(l->run->sim);
    double least = (l->saved - begun) / CHECKPOINT_SHARE, wanted = checkpoint_seconds();
    l->interval = wanted > least ? wanted : least;
    return EXIT_DONE;
}

/* ------------------------------------------------------------------ stepping */

static int step_failed(const loop *l, const spate_error *error)
{
    char frame[32];
    snprintf(frame, sizeof frame, "frame %d", spate_sim_frame(l->run->sim) + 1);
    int code = tool_fail(error, frame);
    return tool_say_error(code, "the last good checkpoint is kept in %s", l->run->folder.path);
}

static int interrupted(loop *l)
{
    int code = save(l);
    if (code != EXIT_DONE)
        return code;
    return tool_say_error(EXIT_INTERRUPTED,
                          "stopped at frame %d of %d; go on with: spate run --resume -o %s",
                          spate_sim_frame(l->run->sim), l->run->scene->frames, l->run->folder.path);
}

/* Whether --steps have been taken. */
static bool steps_done(const tool_run *run)
{
    return run->steps >= 0 && spate_sim_steps(run->sim) >= (uint64_t)run->steps;
}

/* Steps until the frame is complete and written, or --steps are taken. */
static int next_frame(loop *l)
{
    spate_sim *sim = l->run->sim;
    spate_error error = {0};
    do {
        if (stop_signal)
            return interrupted(l);
        if (spate_sim_step(sim, 0, &error) != SPATE_OK)
            return step_failed(l, &error);
        if (sp_gauges_append(l->run->gauges, sim, &error) != SPATE_OK)
            return tool_fail(&error, NULL);
        int code = run_output_step(l->run);
        if (code != EXIT_DONE)
            return code;
        l->particle_steps += (double)spate_sim_particles_count(sim, "fluid");
        progress_step(sim);
        if (!spate_sim_at_frame(sim) && sp_seconds() - l->saved >= l->interval) {
            code = save(l);
            if (code != EXIT_DONE)
                return code;
        }
    } while (!spate_sim_at_frame(sim) && !steps_done(l->run));
    if (!spate_sim_at_frame(sim))
        return save(l);

    int code = write_frame(l);
    if (code != EXIT_DONE)
        return code;
    int frame = spate_sim_frame(sim), every = l->run->scene->output.checkpoint_every;
    bool due = (every > 0 && frame % every == 0) || sp_seconds() - l->saved >= l->interval;
    return due || frame >= l->run->scene->frames ? save(l) : EXIT_DONE;
}

/* ------------------------------------------------------------------ begin and end */

static int write_preview(const tool_run *run)
{
    spate_error error = {0};
    char path[SP_PATH_SIZE];
    if (!run->scene->output.preview)
        return EXIT_DONE;
    sp_run_folder_path(&run->folder, "preview.png", path);
    if (spate_sim_preview_write_png(run->sim, path, PREVIEW_WIDTH, PREVIEW_HEIGHT, &error) !=
        SPATE_OK)
        return tool_fail(&error, NULL);
    return EXIT_DONE;
}

/* The page of the run. Like the film a gift: without it the run is complete. */
static void write_report(const tool_run *run)
{
    if (run->scene->output.preview)
        page_make(run->folder.path);
}

/* What came of a set beside the fluid, and how many of each class there are. */
static void print_set(spate_sim *sim, int set)
{
    char name[SPATE_STAT_NAME], came[64];
    const char *of = spate_sim_particle_set_name(sim, set);
    sp_particles now;
    uint64_t value;
    sp_sim_particles(sim, of, &now);
    snprintf(came, sizeof came, "%s_emitted", of);
    for (int k = 0; spate_sim_particles_stat(sim, of, k, name, sizeof name, &value); k++)
        if (strcmp(name, came) == 0)
            fprintf(stderr, "%s: %llu came;", of, (unsigned long long)value);
    for (int k = 0; k < now.kind->class_count; k++)
        if (spate_sim_particles_stat(sim, of, k, name, sizeof name, &value))
            fprintf(stderr, "%s %llu %s", k > 0 ? "," : "", (unsigned long long)value, name);
    fprintf(stderr, " now\n");
}

static void print_summary(const loop *l, bool film)
{
    const tool_run *run = l->run;
    char particles[TOOL_NUMBER], steps[TOOL_NUMBER], rate[TOOL_NUMBER];
    double seconds = sp_seconds() - run->begun;
    fprintf(stderr, "%s particles, %s steps in %.1f s: %s particle-steps per second\n",
            tool_count_text(particles, spate_sim_particles_count(run->sim, "fluid")),
            tool_count_text(steps, spate_sim_steps(run->sim) - l->first_step), seconds,
            tool_rate_text(rate, seconds > 0 ? l->particle_steps / seconds : 0));
    for (int k = SET_FLUID + 1; k < spate_sim_particle_set_count(run->sim); k++)
        print_set(run->sim, k);
    tool_print_limits(run->sim);
    fprintf(stderr, "everything is in %s", run->folder.path);
    if (run->scene->output.preview)
        fprintf(stderr, "; %s/preview.%s", run->folder.path,
                film ? "mp4 is the film" : "png shows the last frame");
    fputc('\n', stderr);
}

int run_write_start(tool_run *run)
{
    loop l = {.run = run, .row_clock = run->begun, .saved_steps = UINT64_MAX};
    spate_error error = {0};
    char path[SP_PATH_SIZE];
    sp_stats_row names = {.channel_count = 0};
    sp_stats_name(run->sim, &names);
    if (sp_stats_create(sp_run_folder_path(&run->folder, "stats.csv", path), &names, &error) !=
            SPATE_OK ||
        sp_gauges_create(sp_run_folder_path(&run->folder, "gauges.csv", path), run->sim,
                         &run->gauges, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    int code = write_frame(&l);
    return code == EXIT_DONE ? save(&l) : code;
}

int run_frames(tool_run *run)
{
    double now = sp_seconds();
    spate_sim *sim = run->sim;
    loop l = {.run = run, .row_clock = now, .saved = now, .interval = checkpoint_seconds()};
    l.first_step = l.saved_steps = spate_sim_steps(sim);
    for (int k = 0; k < spate_stage_count() && !spate_sim_at_frame(sim); k++)
        l.carried += spate_sim_stage_seconds(sim, k);
    int code = EXIT_DONE;
    l.film = run_film_begin(run);
    while (code == EXIT_DONE && spate_sim_frame(sim) < run->scene->frames && !steps_done(run))
        code = next_frame(&l);
    int written = run_frame_finish(run);
    code = code == EXIT_DONE ? written : code;
    progress_end();
    if (code == EXIT_DONE || code == EXIT_INTERRUPTED) {
        int closed = run_output_close(run);
        code = closed == EXIT_DONE ? code : closed;
    }
    bool failed = code != EXIT_DONE && code != EXIT_INTERRUPTED;
    bool film = run_film_end(l.film, failed) || sp_run_folder_has(&run->folder, "preview.mp4");
    if (failed)
        return code;
    int drawn = write_preview(run);
    if (drawn != EXIT_DONE)
        return drawn;
    write_report(run);
    if (!run->quiet)
        print_summary(&l, film);
    return code;
}
