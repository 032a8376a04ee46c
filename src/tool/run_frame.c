/* run_frame.c -- the output of a frame: surface, files, the row of stats.csv, the picture of the
 * film, in this order.
 *
 * Where the simulation has a snapshot (state/particle_set.h: on a GPU), or where no particles are
 * written, a task does all of it beside the next steps, from that and a copy of the grid's fields;
 * elsewhere it is done at once. One frame at a time: its output is there before that of the next
 * one or a checkpoint begins. */
#include "run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/background.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/timer.h"
#include "io/stats.h"
#include "run_film.h"
#include "scene/medium.h"

struct run_frame {
    sp_background *thread;
    bool busy;
    tool_run *run;
    run_frame_numbers numbers;
    sp_particles now;
    bool beside; /* `now` is a snapshot or empty; otherwise the simulation's own particles */
    sp_field_set fields; /* copied from the grid, if has_fields */
    bool has_fields;
    sp_particle_sets sets; /* beside the fluid: likewise copies, or the simulation's */
    spate_status status;
    spate_error error;
};

static int print_json(const spate_sim *sim, const run_frame_numbers *numbers)
{
    sp_stats_cell cells[SP_STATS_MOST];
    int count = sp_stats_cells(&numbers->row, cells);
    putchar('{');
    for (int k = 0; k < count; k++) {
        bool number = isfinite(strtod(cells[k].text, NULL));
        printf("\"%s\": %s, ", cells[k].name, number ? cells[k].text : "null");
    }
    for (int k = SET_FLUID + 1; k < spate_sim_particle_set_count(sim); k++)
        printf("\"%s_hash\": \"%016" PRIx64 "\", ", spate_sim_particle_set_name(sim, k),
               numbers->hashes[k]);
    printf("\"hash\": \"%016" PRIx64 "\"}\n", numbers->hashes[SET_FLUID]);
    return fflush(stdout);
}

static bool is_due(const tool_run *run, int frame)
{
    return frame % run->scene->output.every == 0;
}

static void stop_clock(run_frame_numbers *numbers)
{
    double now = sp_seconds();
    numbers->row.seconds = numbers->carried + now - numbers->since;
    numbers->since = now;
}

static spate_status write_frame(run_frame *f)
{
    tool_run *run = f->run;
    spate_error *error = &f->error;
    char path[SP_PATH_SIZE];
    bool due = is_due(run, f->now.frame);
    if (f->beside && f->now.kind && !sp_snapshot_wait(run->sim))
        return sp_fail(error, SPATE_ERROR_DEVICE, "device",
                       "the particles of frame %d could not be copied to the host", f->now.frame);
    if (due && run->scene->output.mesh == SPATE_OUTPUT_MESH_PLY)
        TRY(run_mesh_start(run, &f->now, error));
    const sp_field_set *fields = f->has_fields ? &f->fields : NULL;
    if (due)
        TRY(run_output_frame(run, &f->now, fields, error));
    if (due)
        TRY(run_output_sets(run, &f->sets, error));
    if (!f->beside)
        stop_clock(&f->numbers);
    TRY(sp_stats_append(sp_run_folder_path(&run->folder, "stats.csv", path), &f->numbers.row,
                        error));
    if (run->json && print_json(run->sim, &f->numbers) != 0)
        return sp_fail(error, SPATE_ERROR_FILE, NULL, "standard output: cannot write");
    run_film_frame(f->numbers.film, &f->now, &f->sets, fields);
    return SPATE_OK;
}

static void write_in_background(void *args)
{
    run_frame *f = args;
    f->status = write_frame(f);
}

/* Whether output reads the particles of this frame. Volumes and films of a gas do not. */
static bool reads_particles(const tool_run *run, const run_film *film, int frame)
{
    const spate_scene *scene = run->scene;
    bool has_surface = sp_medium_of(scene)->has_surface;
    bool files = scene->output.particles != SPATE_OUTPUT_PARTICLES_NONE ||
                 (run->volume_out && has_surface) || run->usd || run->course_usd ||
                 scene->output.mesh == SPATE_OUTPUT_MESH_PLY;
    return (film && has_surface) || (files && is_due(run, frame));
}

/* Whether it reads fields of the grid. */
static bool reads_fields(const tool_run *run, const run_film *film, int frame)
{
    bool file = run->scene->output.volume == SPATE_OUTPUT_VOLUME_VTK && is_due(run, frame);
    return file || (film && !sp_medium_of(run->scene)->has_surface);
}

/* Whether a task may do it: from copies, and not with what steps write too. */
static bool can_go_on(run_frame *f, bool particles)
{
    tool_run *run = f->run;
    bool fits = !sp_particle_table_needs_grid(run->scene) && !(run->usd && run->steps >= 0);
    if (!fits || !(particles || f->has_fields))
        return false;
    if (!f->thread)
        f->thread = sp_background_create();
    return f->thread && (!particles || sp_snapshot_begin(run->sim, &f->now));
}

/* Steps that go on change them: they are copied for a task. */
static spate_status take_sets(run_frame *f, spate_error *error)
{
    sp_particle_sets now;
    sp_sim_particle_sets(f->run->sim, &now);
    if (f->beside)
        return sp_particle_sets_copy(&f->sets, &now, error);
    sp_particle_sets_clear(&f->sets);
    f->sets = now;
    return SPATE_OK;
}

int run_frame_finish(tool_run *run)
{
    run_frame *f = run->frame;
    if (f && f->busy) {
        sp_background_wait(f->thread);
        f->busy = false;
        if (f->status != SPATE_OK)
            return tool_fail(&f->error, NULL);
    }
    return run_mesh_finish(run);
}

int run_frame_write(tool_run *run, run_frame_numbers *numbers)
{
    int code = run_frame_finish(run);
    if (code != EXIT_DONE)
        return code;
    run_frame *f = run->frame = run->frame ? run->frame : sp_alloc(1, sizeof *run->frame);
    if (!f)
        return tool_say_error(EXIT_MEMORY, "out of memory: the output of a frame");
    f->run = run;
    f->now = (sp_particles){.frame = spate_sim_frame(run->sim), .time = spate_sim_time(run->sim)};
    spate_error error = {0};
    bool particles = reads_particles(run, numbers->film, f->now.frame);
    f->has_fields = reads_fields(run, numbers->film, f->now.frame);
    if (f->has_fields && sp_field_set_take(&f->fields, run->sim, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    f->beside = can_go_on(f, particles);
    if (take_sets(f, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    if (f->beside) {
        stop_clock(numbers);
        f->numbers = *numbers;
        f->busy = true;
        sp_background_start(f->thread, write_in_background, f);
        return EXIT_DONE;
    }
    if (particles)
        sp_sim_particles(run->sim, SP_FLUID, &f->now);
    f->numbers = *numbers;
    f->status = write_frame(f);
    *numbers = f->numbers;
    return f->status == SPATE_OK ? EXIT_DONE : tool_fail(&f->error, NULL);
}

void run_frame_end(tool_run *run)
{
    if (run->frame)
        sp_background_destroy(run->frame->thread);
    if (run->frame) {
        sp_particle_sets_clear(&run->frame->sets);
        sp_field_set_clear(&run->frame->fields);
    }
    sp_free(run->frame);
    run->frame = NULL;
    run_mesh_end(run);
}
