/* progress.c -- drawing the progress of a run on stderr. */
#include "progress.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/timer.h"
#include "tool.h"

#define REDRAW_SECONDS 0.1

static struct {
    enum { SILENT, LINES, BAR } mode;
    double begun;   /* sp_seconds */
    double from;    /* frames that were done then */
    double drawn;   /* sp_seconds of the last bar */
    bool on_screen; /* the bar stands in the last line of the terminal */
} state;

/* Frames done, with the share of the one under way. */
static double frames_done(const spate_sim *sim)
{
    return spate_sim_time(sim) * spate_sim_scene(sim)->fps;
}

static const char *remaining(const spate_sim *sim, char text[TOOL_NUMBER])
{
    double done = frames_done(sim), left = spate_sim_scene(sim)->frames - done;
    if (!(done > state.from))
        return "?";
    double seconds = left > 0 ? left * (sp_seconds() - state.begun) / (done - state.from) : 0;
    return tool_clock_text(text, seconds);
}

static void wipe(void)
{
    if (!state.on_screen)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    state.on_screen = false;
}

static int terminal_width(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
        return size.ws_col;
    return 80;
}

static void draw_bar(const spate_sim *sim)
{
    char text[128], count[TOOL_NUMBER], clock[TOOL_NUMBER], bar[64];
    int frames = spate_sim_scene(sim)->frames;
    double share = frames > 0 ? frames_done(sim) / frames : 1;
    snprintf(text, sizeof text, " %3.0f %%  frame %d/%d  %s particles  ETA %s", 100 * share,
             spate_sim_frame(sim), frames,
             tool_count_text(count, spate_sim_particles_count(sim, "fluid")),
             remaining(sim, clock));
    int width = terminal_width() - 1, room = width - (int)strlen(text) - 2;
    room = room > 40 ? 40 : room;
    int full = (int)(share * room);
    fputs("\r", stderr);
    if (room >= 8) {
        memset(bar, '-', sizeof bar);
        memset(bar, '#', (size_t)(full > room ? room : full < 0 ? 0 : full));
        fprintf(stderr, "[%.*s]", room, bar);
    }
    fprintf(stderr, "%.*s\033[K", width, text);
    fflush(stderr);
    state.on_screen = true;
    state.drawn = sp_seconds();
}

void progress_begin(const spate_sim *sim, bool quiet, bool json)
{
    bool bar = isatty(STDERR_FILENO) && !(json && isatty(STDOUT_FILENO));
    state.mode = quiet ? SILENT : bar ? BAR : LINES;
    state.begun = sp_seconds();
    state.from = frames_done(sim);
    state.drawn = 0;
    tool_before_message = wipe;
}

void progress_step(const spate_sim *sim)
{
    if (state.mode == BAR && sp_seconds() - state.drawn >= REDRAW_SECONDS)
        draw_bar(sim);
}

void progress_frame(const spate_sim *sim, const spate_stats *stats, double seconds)
{
    if (state.mode == BAR)
        draw_bar(sim);
    if (state.mode != LINES)
        return;
    char count[TOOL_NUMBER], clock[TOOL_NUMBER];
    fprintf(stderr, "frame %d/%d: %s particles", stats->frame, spate_sim_scene(sim)->frames,
            tool_count_text(count, stats->particles));
    if (stats->substeps > 0)
        fprintf(stderr, ", %d step%s, %d iterations, %.2f s, ETA %s", stats->substeps,
                stats->substeps == 1 ? "" : "s", stats->solver_iterations, seconds,
                remaining(sim, clock));
    fputc('\n', stderr);
}

void progress_end(void)
{
    wipe();
    state.mode = SILENT;
}
