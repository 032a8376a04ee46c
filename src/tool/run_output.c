/* run_output.c -- what a run writes of its fluid: particles, volumes, and one USD file of it all.
 *
 * particles.NNNN.ply stand in the run folder itself; other formats in a folder of their own below
 * it (vtk, usd, vdb), with the file that takes their frames together, which is written anew with
 * every frame: a run that is killed leaves folders that open. */
#include "run.h"

#include "base/memory.h"
#include "base/status.h"
#include "io/export.h"
#include "io/ply_write.h"
#include "io/usd_file.h"
#include "scene/medium.h"

/* The solids at all frames to come: their motion is known. */
static int write_solids(tool_run *run, sp_export *out)
{
    spate_error error = {0};
    int every = run->scene->output.every, count = run->scene->frames / every + 1;
    int *frames = sp_alloc((size_t)count, sizeof *frames);
    if (!frames)
        return tool_say_error(EXIT_MEMORY, "out of memory: the list of frames");
    for (int k = 0; k < count; k++)
        frames[k] = k * every;
    spate_status status = sp_export_solids(out, &run->solids, frames, count, &error);
    sp_free(frames);
    return status == SPATE_OK ? EXIT_DONE : tool_fail(&error, NULL);
}

static int open_export(tool_run *run, sp_format format, int keep, sp_export **out)
{
    spate_error error = {0};
    char path[SP_PATH_SIZE];
    sp_run_folder_path(&run->folder, sp_format_name(format), path);
    *out = sp_export_create_for_run(path, format, run->scene->fps, keep, &error);
    if (!*out)
        return tool_fail(&error, NULL);
    return write_solids(run, *out);
}

int run_output_open(tool_run *run, int keep)
{
    static const sp_format of_particles[] = {
        [SPATE_OUTPUT_PARTICLES_VTK] = SP_FORMAT_VTK, [SPATE_OUTPUT_PARTICLES_USD] = SP_FORMAT_USD};
    spate_output_particles particles = run->scene->output.particles;
    spate_output_volume volume = run->scene->output.volume;
    int code = EXIT_DONE;
    spate_error error = {0};
    bool folders = particles == SPATE_OUTPUT_PARTICLES_VTK ||
                   particles == SPATE_OUTPUT_PARTICLES_USD || volume == SPATE_OUTPUT_VOLUME_VTK;
    if ((folders || run->usd_path) &&
        sp_solid_meshes_create(&run->solids, run->scene, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    if (particles == SPATE_OUTPUT_PARTICLES_VTK || particles == SPATE_OUTPUT_PARTICLES_USD)
        code = open_export(run, of_particles[particles], keep, &run->particles_out);
    if (code == EXIT_DONE && volume == SPATE_OUTPUT_VOLUME_VTK &&
        particles == SPATE_OUTPUT_PARTICLES_VTK)
        run->volume_out = run->particles_out;
    else if (code == EXIT_DONE && volume != SPATE_OUTPUT_VOLUME_NONE)
        code = open_export(run, volume == SPATE_OUTPUT_VOLUME_VTK ? SP_FORMAT_VTK : SP_FORMAT_VDB,
                           keep, &run->volume_out);
    if (code == EXIT_DONE && run->course_usd_path) {
        run->course_usd = sp_usd_course_create(run->course_usd_path, run->scene->fps, &error);
        code = run->course_usd ? EXIT_DONE : tool_fail(&error, NULL);
    }
    if (code != EXIT_DONE || !run->usd_path)
        return code;
    run->usd = sp_usd_file_create(run->usd_path, run->scene->fps, &error);
    if (!run->usd)
        return tool_fail(&error, NULL);
    sp_usd_file_solids(run->usd, &run->solids);
    return EXIT_DONE;
}

static spate_status write_volume(tool_run *run, const sp_particle_table *table,
                                 const sp_field_set *fields, spate_error *error)
{
    if (sp_medium_of(run->scene)->has_surface)
        return sp_export_volume(run->volume_out, table, fields, error);
    return sp_export_fields(run->volume_out, fields, error);
}

static spate_status write_files(tool_run *run, const sp_particle_table *table,
                                const sp_field_set *fields, spate_error *error)
{
    char path[SP_PATH_SIZE];
    spate_status status = SPATE_OK;
    if (run->scene->output.particles == SPATE_OUTPUT_PARTICLES_PLY)
        status = sp_ply_write(
            table, sp_run_folder_particles(&run->folder, table->particles->frame, path), error);
    if (status == SPATE_OK && run->particles_out)
        status = sp_export_particles(run->particles_out, table, error);
    if (status == SPATE_OK && run->volume_out)
        status = write_volume(run, table, fields, error);
    if (status == SPATE_OK && run->particles_out)
        status = sp_export_collect(run->particles_out, error);
    if (status == SPATE_OK && run->volume_out && run->volume_out != run->particles_out)
        status = sp_export_collect(run->volume_out, error);
    return status;
}

spate_status run_output_frame(tool_run *run, const sp_particles *now, const sp_field_set *fields,
                              spate_error *error)
{
    sp_particle_table table;
    /* with --steps it has every step, the last of a frame included; the start is no step */
    bool usd = run->usd && (run->steps < 0 || spate_sim_steps(run->sim) == 0);
    bool files = run->scene->output.particles == SPATE_OUTPUT_PARTICLES_PLY || run->particles_out ||
                 run->volume_out;
    if (!usd && !files && !run->course_usd)
        return SPATE_OK;
    TRY(sp_particle_table_of_particles(&table, run->scene, now, error));
    sp_particle_table_use_grid(&table, run->sim);
    TRY(write_files(run, &table, fields, error));
    if (run->course_usd)
        sp_usd_course_particles(run->course_usd, now, table.radius, now->time * table.fps);
    if (usd)
        sp_usd_file_particles(run->usd, &table, now->time * table.fps);
    return SPATE_OK;
}

spate_status run_output_sets(tool_run *run, const sp_particle_sets *now, spate_error *error)
{
    bool ply = run->scene->output.particles == SPATE_OUTPUT_PARTICLES_PLY, some = false;
    for (int k = SET_FLUID + 1; k < SET_COUNT; k++) {
        const sp_particles *set = &now->of[k];
        sp_particle_table table;
        char path[SP_PATH_SIZE];
        if (!set->kind)
            continue;
        some = true;
        sp_particle_table_of_set(&table, run->scene, set);
        if (ply)
            TRY(sp_ply_write(
                &table, sp_run_folder_set(&run->folder, set->kind->name, set->frame, path), error));
        else if (run->particles_out)
            TRY(sp_export_set(run->particles_out, k, &table, error));
    }
    return some && run->particles_out ? sp_export_collect(run->particles_out, error) : SPATE_OK;
}

int run_output_step(tool_run *run)
{
    sp_particles now;
    sp_particle_table table;
    spate_error error = {0};
    if (!run->usd || run->steps < 0)
        return EXIT_DONE;
    if (sp_particle_table_of_sim(&table, &now, run->sim, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    sp_usd_file_particles(run->usd, &table, now.time * table.fps);
    return EXIT_DONE;
}

int run_output_close(tool_run *run)
{
    spate_error error = {0};
    sp_usd_file *file = run->usd;
    sp_usd_course *course = run->course_usd;
    run->usd = NULL;
    run->course_usd = NULL;
    if (course && sp_usd_course_close(course, &error) != SPATE_OK) {
        sp_usd_file_abandon(file);
        return tool_fail(&error, NULL);
    }
    if (file && sp_usd_file_close(file, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    return EXIT_DONE;
}

void run_output_clear(tool_run *run)
{
    sp_usd_file_abandon(run->usd);
    sp_usd_course_abandon(run->course_usd);
    if (run->volume_out != run->particles_out)
        sp_export_destroy(run->volume_out);
    sp_export_destroy(run->particles_out);
    sp_solid_meshes_clear(&run->solids);
}
