/* write.c -- spate_sim_particles_write, spate_surface_write and spate_sim_volume_write: the writer
 * that the ending of a file name asks for. */
#include <string.h>

#include <spate/spate_io.h>

#include "base/status.h"
#include "blender.h"
#include "particle_table.h"
#include "ply_write.h"
#include "scene/medium.h"
#include "usd.h"
#include "usd_file.h"
#include "vdb.h"
#include "vtk.h"

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

static spate_status unknown_ending(const char *path, const char *known, spate_error *error)
{
    return sp_fail(error, SPATE_ERROR_USAGE, path, "the name must end in %s", known);
}

spate_status spate_sim_particles_write(spate_sim *sim, const char *path, spate_error *error)
{
    sp_particles particles;
    sp_particle_table table;
    spate_error local;
    error = error ? error : &local;
    TRY(sp_particle_table_of_sim(&table, &particles, sim, error));
    if (ends_with(path, ".ply"))
        return sp_ply_write(&table, path, error);
    if (ends_with(path, ".vtp"))
        return sp_vtk_write_particles(&table, path, error);
    if (sp_usd_is_name(path)) {
        sp_usd_file *file = sp_usd_file_create(path, table.fps, error);
        if (!file)
            return error->status;
        sp_usd_file_particles(file, &table, particles.time * table.fps);
        return sp_usd_file_close(file, error);
    }
    return unknown_ending(path, ".ply, .vtp, .usd, .usda or .usdc", error);
}

spate_status spate_surface_write(const spate_surface *mesh, const char *path, spate_error *error)
{
    spate_error local;
    error = error ? error : &local;
    if (ends_with(path, ".ply"))
        return sp_ply_write_mesh(mesh, path, error);
    if (ends_with(path, ".vtp"))
        return sp_vtk_write_mesh(mesh, 0, path, error);
    if (sp_usd_is_name(path)) {
        sp_usd_file *file = sp_usd_file_create(path, 24, error);
        if (!file)
            return error->status;
        sp_usd_file_mesh(file, mesh, 0);
        return sp_usd_file_close(file, error);
    }
    if (ends_with(path, ".bobj.gz"))
        return sp_blender_mesh_file(mesh, path, error);
    return unknown_ending(path, ".ply, .vtp, .usd, .usda, .usdc or .bobj.gz", error);
}

static spate_status write_volume(spate_sim *sim, const char *path, bool vdb, spate_error *error)
{
    sp_particles particles;
    sp_particle_table table;
    sp_volume volume;
    sp_field_set fields = {.memory = NULL};
    if (!vdb)
        TRY(sp_field_set_take(&fields, sim, error));
    spate_status status = sp_particle_table_of_sim(&table, &particles, sim, error);
    if (status == SPATE_OK)
        status = sp_volume_create(&volume, &table, error);
    if (status == SPATE_OK) {
        status = vdb ? sp_vdb_write(&volume, path, error)
                     : sp_vtk_write_volume(&volume, &fields, particles.time, path, error);
        sp_volume_clear(&volume);
    }
    sp_field_set_clear(&fields);
    return status;
}

static spate_status write_fields(spate_sim *sim, const char *path, bool vdb, spate_error *error)
{
    sp_field_set fields = {.memory = NULL};
    if (vdb)
        return sp_fail(
            error, SPATE_ERROR_USAGE, path,
            "an OpenVDB file has the level set of a liquid, and a gas has none: use .vti");
    TRY(sp_field_set_take(&fields, sim, error));
    spate_status status = sp_vtk_write_volume(NULL, &fields, fields.time, path, error);
    sp_field_set_clear(&fields);
    return status;
}

spate_status spate_sim_volume_write(spate_sim *sim, const char *path, spate_error *error)
{
    spate_error local;
    error = error ? error : &local;
    bool vdb = ends_with(path, ".vdb");
    if (!vdb && !ends_with(path, ".vti"))
        return unknown_ending(path, ".vdb or .vti", error);
    return sp_medium_of(spate_sim_scene(sim))->has_surface ? write_volume(sim, path, vdb, error)
                                                           : write_fields(sim, path, vdb, error);
}
