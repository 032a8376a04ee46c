/* run_film.c -- see run_film.h. */
#include "run_film.h"

#include <unistd.h>

#include "base/background.h"
#include "base/memory.h"
#include "base/status.h"
#include "render/film.h"
#include "render/frame.h"

static const sp_look look = {.stamp = false};

struct run_film {
    sp_background *background;
    sp_pool *pool;
    sp_film *film; /* NULL after a failure */
    sp_frame frame;
    sp_image image;
    int threads, pictures;
    spate_error error; /* what went wrong, in the background */
};

/* In the background: the moment as a picture, and the picture into the film. */
static void draw(void *args)
{
    run_film *f = args;
    if (f->error.status != SPATE_OK)
        return;
    if (!f->pool)
        f->pool = sp_pool_create(f->threads, NULL, NULL);
    if (!f->pool) {
        f->error = (spate_error){.status = SPATE_ERROR_MEMORY, .message = "out of memory"};
        return;
    }
    if (sp_frame_paint(&f->frame, &look, f->pool, &f->image, &f->error) == SPATE_OK &&
        sp_film_add(f->film, &f->image, &f->error) == SPATE_OK)
        f->pictures++;
}

/* What a resumed run has drawn before. A frame without a file shows the one before it again. */
static void draw_again(run_film *f, const tool_run *run, int last)
{
    char path[SP_PATH_SIZE];
    bool any = false;
    for (int frame = 0; frame <= last && f->error.status == SPATE_OK; frame++) {
        bool gas = sp_frame_is_gas(&f->frame);
        if (gas)
            sp_run_folder_volume(&run->folder, frame, path);
        else
            sp_run_folder_particles(&run->folder, frame, path);
        if (access(path, R_OK) == 0) {
            if ((gas ? sp_frame_read_fields(&f->frame, frame, path, &look, &f->error)
                     : sp_frame_read(&f->frame, frame, path, &f->error)) != SPATE_OK)
                return;
            any = true;
        }
        if (any)
            draw(f);
    }
}

static void destroy(run_film *f)
{
    sp_background_destroy(f->background);
    sp_film_abandon(f->film);
    sp_pool_destroy(f->pool);
    sp_frame_destroy(&f->frame);
    sp_image_destroy(&f->image);
    sp_free(f);
}

static spate_status prepare(run_film *f, const tool_run *run, spate_error *error)
{
    char path[SP_PATH_SIZE];
    int height = run->scene->output.preview_height, width = (height * 16 / 9 + 1) / 2 * 2;
    spate_status status = sp_frame_create(&f->frame, run->scene, error);
    if (status == SPATE_OK)
        status = sp_image_create(&f->image, width, height, error);
    if (status != SPATE_OK)
        return status;
    sp_run_folder_path(&run->folder, "preview.mp4", path);
    f->film = sp_film_create(path, width, height, run->scene->fps, error);
    return f->film ? SPATE_OK : error->status;
}

static void draw_start(run_film *f, spate_sim *sim)
{
    sp_particles now;
    sp_particle_sets sets;
    sp_field_set fields = {.memory = NULL};
    sp_sim_particles(sim, SP_FLUID, &now);
    sp_sim_particle_sets(sim, &sets);
    if (sp_frame_is_gas(&f->frame) && sp_field_set_take(&fields, sim, &f->error) != SPATE_OK)
        return;
    run_film_frame(f, &now, &sets, &fields);
    sp_field_set_clear(&fields);
}

run_film *run_film_begin(const tool_run *run)
{
    int frame = spate_sim_frame(run->sim);
    if (!run->scene->output.preview || run->scene->output.preview_height == 0)
        return NULL;
    if (frame >= run->scene->frames && sp_run_folder_has(&run->folder, "preview.mp4"))
        return NULL;
    run_film *f = sp_alloc(1, sizeof *f);
    if (!f)
        return NULL;
    spate_error error = {0};
    f->threads = spate_sim_threads(run->sim);
    f->background = sp_background_create();
    if (!f->background || prepare(f, run, &error) != SPATE_OK) {
        if (error.status != SPATE_ERROR_DEVICE) /* no ffmpeg: the end of the run says so */
            tool_warn("no film: %s%s%s", error.where, error.where[0] ? ": " : "", error.message);
        destroy(f);
        return NULL;
    }
    if (frame > 0)
        draw_again(f, run, frame);
    else if (spate_sim_at_frame(run->sim))
        draw_start(f, run->sim);
    return f;
}

static spate_status copy(run_film *f, const sp_particles *particles, const sp_particle_sets *sets,
                         const sp_field_set *fields)
{
    if (sp_frame_is_gas(&f->frame))
        return sp_frame_copy_fields(&f->frame, fields, &look, &f->error);
    TRY(sp_frame_copy(&f->frame, particles, &f->error));
    return sp_frame_copy_sets(&f->frame, sets, &f->error);
}

void run_film_frame(run_film *f, const sp_particles *particles, const sp_particle_sets *sets,
                    const sp_field_set *fields)
{
    if (!f)
        return;
    sp_background_wait(f->background);
    if (f->error.status == SPATE_OK && copy(f, particles, sets, fields) == SPATE_OK)
        sp_background_start(f->background, draw, f);
}

bool run_film_end(run_film *f, bool quietly)
{
    if (!f)
        return false;
    sp_background_wait(f->background);
    bool done = f->error.status == SPATE_OK && f->pictures > 0;
    if (done) {
        done = sp_film_close(f->film, &f->error) == SPATE_OK;
        f->film = NULL;
    }
    if (f->error.status != SPATE_OK && !quietly)
        tool_warn("no film: %s%s%s", f->error.where, f->error.where[0] ? ": " : "",
                  f->error.message);
    destroy(f);
    return done;
}
