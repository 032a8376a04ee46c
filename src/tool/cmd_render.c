/* cmd_render.c -- `spate render DIR`: pictures and a film from the particle files of a run. */
#include "tool.h"

#include <spate/spate_io.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/background.h"
#include "base/memory.h"
#include "base/timer.h"
#include "io/file.h"
#include "io/run_folder.h"
#include "render/film.h"
#include "render/frame.h"
#include "render/png.h"
#include "render/views.h"

static const char usage[] =
    "usage: spate render DIR [options]\n"
    "\n"
    "Draws the frames of a run, one picture each (frame.NNNN.png), and puts them together as a film\n"
    "(film.mp4; needs the program ffmpeg). Frames whose particles (of a gas: vtk/volume.NNNN.vti) are\n"
    "not there are left out.\n"
    "\n"
    "  -o, --output DIR  where pictures and film go; default: the folder of the run\n"
    "  --size WxH        pixels; default 1280x720\n"
    "  --first N         the first frame; --last N: the last one; --every N: every N-th\n"
    "  --no-png          only the film\n"
    "  --no-film         only the pictures\n"
    "  --fps N           pictures per second of the film; default: as in the scene\n"
    "  --eye X,Y,Z       3D: where the camera is, in metres; default: so that all is in view\n"
    "  --target X,Y,Z    3D: what it looks at; default: the middle of the domain\n"
    "  --fov DEGREES     3D: how wide the longer side of the picture is; default 29.5\n"
    "  --stamp           the time in the corner of every picture\n"
    "  --view NAME       what is drawn: liquid (default), cells, pressure, velocity, divergence, ppc\n"
    "                    (in 3D all but liquid on a plane through the middle, or --slice). Of a gas a\n"
    "                    channel (smoke, temperature, ...), velocity, vorticity or pressure; default:\n"
    "                    smoke, else temperature, else another channel, else vorticity\n"
    "  --slice Z         3D: the plane of a view, in metres\n"
    "  --range LOW,HIGH  the ends of the colours of a view; default: those of each frame, of a gas\n"
    "                    those of all frames\n"
    "  --threads N       threads; default: one per core\n"
    "  --quiet           no progress\n"
    "  --help            this text\n"
    "\n"
    "Exit codes: 0 done, 2 usage, 4 a file cannot be read or written, 5 out of memory, 6 there is no\n"
    "ffmpeg and only a film was asked for.\n";

typedef struct render_job {
    /* from the command line */
    const char *folder_name, *output;
    const char *size, *eye, *target, *fov, *fps_text, *view_name, *slice, *range;
    int first, last, every, threads;
    bool no_png, no_film, stamp, quiet;
    /* made on the way */
    int width, height;
    double fps;
    sp_look look;
    sp_views views;
    sp_run_folder folder;
    sp_run_folder out; /* of -o */
    sp_run_info info;
    spate_scene *scene;
    sp_frame frame;
    sp_pool *pool;
    sp_image images[2]; /* one is drawn while the other is written */
    sp_background *background;
    sp_film *film;
    int frames;  /* drawn */
    int written; /* frame number of the picture that is being written */
    spate_error write_error;
} render_job;

/* ------------------------------------------------------------------ arguments */

/* `count` numbers with commas between them. */
static bool parse_numbers(const char *text, double *numbers, int count)
{
    for (int k = 0; k < count; k++) {
        text = sp_text_number(text, &numbers[k]);
        if (!text || !isfinite(numbers[k]) || *text != (k + 1 < count ? ',' : 0))
            return false;
        text++;
    }
    return true;
}

static int bad_value(const char *option, const char *what, const char *got)
{
    return tool_say_error(EXIT_USAGE, "%s: must be %s (got '%.40s'; see 'spate render --help')",
                          option, what, got);
}

static int read_size(render_job *job)
{
    int used = 0;
    job->width = 1280;
    job->height = 720;
    if (!job->size)
        return EXIT_DONE;
    if (sscanf(job->size, "%5dx%5d%n", &job->width, &job->height, &used) != 2 ||
        job->size[used] != 0 || job->width < 16 || job->height < 16 ||
        job->width > SP_IMAGE_LIMIT || job->height > SP_IMAGE_LIMIT)
        return bad_value("--size", "width x height in pixels, 16 to 16384 each, e.g. 1920x1080",
                         job->size);
    return EXIT_DONE;
}

static int read_look(render_job *job)
{
    sp_look *look = &job->look;
    look->stamp = job->stamp;
    look->eye_given = job->eye != NULL;
    look->target_given = job->target != NULL;
    if (job->eye && !parse_numbers(job->eye, look->eye, 3))
        return bad_value("--eye", "three numbers, e.g. 1,0.5,3", job->eye);
    if (job->target && !parse_numbers(job->target, look->target, 3))
        return bad_value("--target", "three numbers, e.g. 1,0.5,0.5", job->target);
    if (job->fov && (!parse_numbers(job->fov, &look->fov, 1) || look->fov < 1 || look->fov > 150))
        return bad_value("--fov", "1 to 150 degrees", job->fov);
    if (job->fps_text &&
        (!parse_numbers(job->fps_text, &job->fps, 1) || job->fps < 0.01 || job->fps > 1000))
        return bad_value("--fps", "0.01 to 1000", job->fps_text);
    return EXIT_DONE;
}

/* A view of the grid made again; of a gas a field, whose name the first file says. */
static int choose_view(render_job *job)
{
    sp_views *views = &job->views;
    if (sp_frame_is_gas(&job->frame)) {
        job->look.field = job->view_name;
        job->look.slice_given = views->slice_given;
        job->look.range_given = views->range_given;
        job->look.slice = views->slice;
        memcpy(job->look.range, views->range, sizeof job->look.range);
        return EXIT_DONE;
    }
    if (job->view_name && !sp_view_find(job->view_name, &views->view)) {
        const char *guess = tool_suggest(job->view_name, sp_view_names, SP_VIEW_COUNT);
        return tool_say_error(EXIT_USAGE,
                              "--view: there is no view '%.40s'%s%s%s (see 'spate render "
                              "--help')",
                              job->view_name, guess ? "; did you mean '" : "", guess ? guess : "",
                              guess ? "'?" : "");
    }
    return EXIT_DONE;
}

static int read_view(render_job *job)
{
    sp_views *views = &job->views;
    views->slice_given = job->slice != NULL;
    views->range_given = job->range != NULL;
    if (job->slice && !parse_numbers(job->slice, &views->slice, 1))
        return bad_value("--slice", "a number", job->slice);
    if (job->range &&
        (!parse_numbers(job->range, views->range, 2) || !(views->range[0] < views->range[1])))
        return bad_value("--range", "two numbers, the smaller first, e.g. 0,5000", job->range);
    if (job->no_png && job->no_film)
        return tool_say_error(EXIT_USAGE, "--no-png and --no-film leave nothing to do");
    return EXIT_DONE;
}

static int check_look(const render_job *job)
{
    if (sp_frame_is_gas(&job->frame) && (job->eye || job->target || job->fov))
        return tool_say_error(
            EXIT_USAGE, "%s: pictures of a gas are flat: in 3D a plane, which --slice chooses",
            job->eye      ? "--eye"
            : job->target ? "--target"
                          : "--fov");
    if (job->scene->dim == 3) {
        double away = 0;
        for (int d = 0; d < 3 && job->look.eye_given; d++) {
            double target =
                job->look.target_given ? job->look.target[d] : job->frame.domain.domain[d] / 2;
            away = fmax(away, fabs(job->look.eye[d] - target) / job->frame.domain.domain[d]);
        }
        if (job->look.eye_given && away < 1e-6)
            return tool_say_error(EXIT_USAGE, "--eye: is where the camera looks at");
        return EXIT_DONE;
    }
    if (job->eye || job->target || job->fov || job->slice)
        return tool_say_error(EXIT_USAGE, "%s: only for 3D runs, and this one is 2D",
                              job->eye      ? "--eye"
                              : job->target ? "--target"
                              : job->fov    ? "--fov"
                                            : "--slice");
    return EXIT_DONE;
}

/* ------------------------------------------------------------------ opening */

static int open_run(render_job *job)
{
    spate_error error = {0};
    if (sp_run_folder_open_to_read(&job->folder, job->folder_name, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    if (!sp_run_folder_has(&job->folder, "run.json"))
        return tool_say_error(EXIT_FILE, "%s: holds no run (there is no run.json)",
                              job->folder_name);
    if (sp_run_info_read(&job->folder, &job->info, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    char path[SP_PATH_SIZE];
    job->scene = spate_scene_parse(job->info.scene, strlen(job->info.scene), ".", &error);
    if (!job->scene)
        return tool_fail(&error, sp_run_folder_path(&job->folder, "run.json", path));
    if (sp_frame_create(&job->frame, job->scene, &error) != SPATE_OK)
        return tool_fail(&error, sp_run_folder_path(&job->folder, "run.json", path));
    int code = choose_view(job);
    return code == EXIT_DONE ? check_look(job) : code;
}

/* The folder of -o. That of another run has pictures and a film of its own; this run's may be
 * written to while the run goes on, for which its lock is not needed. */
static int open_target(render_job *job)
{
    spate_error error = {0};
    if (!job->output)
        return EXIT_DONE;
    if (sp_run_folder_open_to_read(&job->out, job->output, &error) == SPATE_OK &&
        sp_run_folder_is_same(&job->out, &job->folder))
        return EXIT_DONE;
    sp_run_folder_close(&job->out);
    if (sp_run_folder_open(&job->out, job->output, true, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    if (sp_run_folder_holds_run(&job->out))
        return tool_say_error(EXIT_FILE,
                              "%s: holds another run: its pictures stay its own; choose another "
                              "folder with -o",
                              job->output);
    return EXIT_DONE;
}

/* The film, if it is wanted and there is an ffmpeg; without one the pictures are kept. */
static int open_film(render_job *job)
{
    if (job->no_film)
        return EXIT_DONE;
    spate_error error = {0};
    char path[SP_PATH_SIZE];
    int step = job->scene->output.every > job->every ? job->scene->output.every : job->every;
    double fps = job->fps > 0 ? job->fps : fmax(job->scene->fps / step, 1);
    snprintf(path, sizeof path, "%s/film.mp4", job->output ? job->output : job->folder.path);
    job->film = sp_film_create(path, job->width, job->height, fps, &error);
    if (job->film)
        return EXIT_DONE;
    if (error.status == SPATE_ERROR_DEVICE && !job->no_png) {
        tool_warn("%s: %s; the pictures are made", error.where, error.message);
        return EXIT_DONE;
    }
    return tool_fail(&error, NULL);
}

static int prepare(render_job *job)
{
    spate_error error = {0};
    int code = read_size(job);
    if (code == EXIT_DONE)
        code = read_look(job);
    if (code == EXIT_DONE)
        code = read_view(job);
    if (code == EXIT_DONE)
        code = open_run(job);
    if (code != EXIT_DONE)
        return code;
    code = open_target(job);
    if (code != EXIT_DONE)
        return code;
    job->pool = sp_pool_create(job->threads, NULL, NULL);
    if (!job->pool)
        return tool_say_error(EXIT_MEMORY, "out of memory");
    for (int k = 0; k < 2; k++)
        if (sp_image_create(&job->images[k], job->width, job->height, &error) != SPATE_OK)
            return tool_fail(&error, NULL);
    job->background = sp_background_create();
    return job->background ? EXIT_DONE : tool_say_error(EXIT_MEMORY, "out of memory");
}

/* ------------------------------------------------------------------ drawing */

/* In the background: the last picture drawn goes to the disk and into the film. */
static void write_picture(void *args)
{
    render_job *job = args;
    char path[SP_PATH_SIZE];
    const sp_image *image = &job->images[(job->frames - 1) % 2];
    snprintf(path, sizeof path, "%s/frame.%04d.png", job->output ? job->output : job->folder.path,
             job->written);
    if (!job->no_png && sp_png_write(image, path, &job->write_error) != SPATE_OK)
        return;
    if (job->film)
        sp_film_add(job->film, image, &job->write_error);
}

static int finish_writing(render_job *job)
{
    if (job->background)
        sp_background_wait(job->background);
    spate_error error = job->write_error;
    job->write_error = (spate_error){.status = SPATE_OK}; /* told once */
    return error.status == SPATE_OK ? EXIT_DONE : tool_fail(&error, NULL);
}

static spate_status read_frame(render_job *job, int frame, spate_error *error)
{
    char path[SP_PATH_SIZE];
    if (sp_frame_is_gas(&job->frame)) {
        sp_run_folder_volume(&job->folder, frame, path);
        return sp_frame_read_fields(&job->frame, frame, path, &job->look, error);
    }
    sp_run_folder_particles(&job->folder, frame, path);
    return sp_frame_read(&job->frame, frame, path, error);
}

/* Colours of a gas go from the least to the most of all frames: some of them say how far that is.
 */
static int look_ahead(render_job *job, const int *frames, int count)
{
    enum { LOOKS = 16 };
    spate_error error = {0};
    int looks = count < LOOKS ? count : LOOKS;
    if (!sp_frame_is_gas(&job->frame) || job->look.range_given)
        return EXIT_DONE;
    for (int k = 1; k <= looks; k++) {
        int at = (int)((int64_t)count * k / looks) - 1;
        if (read_frame(job, frames[at], &error) != SPATE_OK)
            return tool_fail(&error, NULL);
    }
    return EXIT_DONE;
}

static int draw_frame(render_job *job, int frame)
{
    spate_error error = {0};
    sp_image *image = &job->images[job->frames % 2];
    if (read_frame(job, frame, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    spate_status status =
        job->views.view == SP_VIEW_LIQUID
            ? sp_frame_paint(&job->frame, &job->look, job->pool, image, &error)
            : sp_views_paint(&job->views, &job->frame, job->threads, job->stamp, image, &error);
    if (status != SPATE_OK)
        return tool_fail(&error, NULL);
    int code = finish_writing(job);
    if (code != EXIT_DONE)
        return code;
    job->frames++;
    job->written = frame;
    sp_background_start(job->background, write_picture, job);
    return EXIT_DONE;
}

static int draw_frames(render_job *job)
{
    spate_error error = {0};
    int *frames, count, code = EXIT_DONE;
    bool gas = sp_frame_is_gas(&job->frame);
    if ((gas ? sp_run_folder_volumes(&job->folder, &frames, &count, &error)
             : sp_run_folder_frames(&job->folder, &frames, &count, &error)) != SPATE_OK)
        return tool_fail(&error, NULL);
    int last = count > 0 ? frames[count - 1] : -1, chosen = 0;
    last = job->last >= 0 && job->last < last ? job->last : last;
    for (int k = 0; k < count; k++)
        if (frames[k] >= job->first && frames[k] <= last &&
            (frames[k] - job->first) % job->every == 0)
            frames[chosen++] = frames[k];
    code = look_ahead(job, frames, chosen);
    double begun = sp_seconds();
    for (int k = 0; k < chosen && code == EXIT_DONE; k++) {
        int frame = frames[k];
        if (!job->film && job->frames == 0)
            code = open_film(job);
        if (code == EXIT_DONE)
            code = draw_frame(job, frame);
        if (code == EXIT_DONE && !job->quiet)
            fprintf(stderr, "frame %d of %d, %.2f frames per second\n", frame, last,
                    job->frames / (sp_seconds() - begun));
    }
    sp_free(frames);
    if (code == EXIT_DONE && job->frames == 0)
        return tool_say_error(EXIT_FILE, "%s: has no %s files of these frames to draw",
                              job->folder.path, gas ? "volume (vtk/volume.NNNN.vti)" : "particle");
    return code;
}

static int render(render_job *job)
{
    int code = prepare(job);
    if (code == EXIT_DONE)
        code = draw_frames(job);
    int written = finish_writing(job);
    code = code == EXIT_DONE ? written : code;
    spate_error error = {0};
    bool film = job->film != NULL;
    if (code != EXIT_DONE)
        sp_film_abandon(job->film);
    else if (sp_film_close(job->film, &error) != SPATE_OK)
        code = tool_fail(&error, NULL);
    job->film = NULL;
    if (code == EXIT_DONE && !job->quiet) {
        const char *folder = job->output ? job->output : job->folder.path;
        fprintf(stderr, "%d picture%s in %s%s\n", job->frames, job->frames == 1 ? "" : "s", folder,
                film ? "; the film is film.mp4" : "");
    }
    sp_background_destroy(job->background);
    sp_image_destroy(&job->images[0]);
    sp_image_destroy(&job->images[1]);
    sp_pool_destroy(job->pool);
    sp_frame_destroy(&job->frame);
    spate_scene_destroy(job->scene);
    sp_free(job->info.scene);
    sp_run_folder_close(&job->out);
    sp_run_folder_close(&job->folder);
    return code;
}

int cmd_render(int argc, char **argv)
{
    render_job job = {.last = -1, .every = 1};
    job.folder.descriptor = job.out.descriptor = -1;
    const tool_option options[] = {
        {"--output", 'o', TOOL_TEXT, &job.output, 0}, {"--size", 0, TOOL_TEXT, &job.size, 0},
        {"--first", 0, TOOL_COUNT, &job.first, 0},    {"--last", 0, TOOL_COUNT, &job.last, 0},
        {"--every", 0, TOOL_COUNT, &job.every, 1},    {"--no-png", 0, TOOL_FLAG, &job.no_png, 0},
        {"--no-film", 0, TOOL_FLAG, &job.no_film, 0}, {"--fps", 0, TOOL_TEXT, &job.fps_text, 0},
        {"--eye", 0, TOOL_TEXT, &job.eye, 0},         {"--target", 0, TOOL_TEXT, &job.target, 0},
        {"--fov", 0, TOOL_TEXT, &job.fov, 0},         {"--stamp", 0, TOOL_FLAG, &job.stamp, 0},
        {"--view", 0, TOOL_TEXT, &job.view_name, 0},  {"--slice", 0, TOOL_TEXT, &job.slice, 0},
        {"--range", 0, TOOL_TEXT, &job.range, 0},     {"--threads", 0, TOOL_COUNT, &job.threads, 1},
        {"--quiet", 0, TOOL_FLAG, &job.quiet, 0},
    };
    static const char *const names[] = {"DIR"};
    const char *operands[2];
    int code = tool_parse(usage, options, (int)(sizeof options / sizeof *options), names, 1, 1,
                          operands, argc, argv);
    if (code != TOOL_PARSED)
        return code;
    job.folder_name = operands[0];
    return render(&job);
}
