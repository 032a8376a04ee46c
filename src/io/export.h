/* export.h -- a folder of frames in a format that other programs open.
 *
 *     ply      particles.0000.ply, solids.0000.ply, NAME.0000.ply ...
 *     vtk      particles.0000.vtp, volume.0000.vti, surface.0000.vtp, solids.0000.vtp,
 *              NAME.0000.vtp ...  and a .pvd for each
 *     usd      particles.0000.usdc, surface.0000.usdc ...  solids.usdc  liquid.usda
 *              liquid.manifest.usda  NAME.0000.usdc ..., each a layer by itself
 *     vdb      volume.0000.vdb ...  open_vdb.py for Blender
 *     blender  a cache of Blender's fluid domain (blender.h)
 *
 * where NAME is a set of particles beside the fluid.
 *
 * `spate run` adds frames as it goes, `spate export` those of a run folder. */
#ifndef SPATE_IO_EXPORT_H
#define SPATE_IO_EXPORT_H

#include "particle_table.h"
#include "scene/solid_mesh.h"
#include "vtk.h"

typedef enum sp_format {
    SP_FORMAT_PLY,
    SP_FORMAT_VTK,
    SP_FORMAT_USD,
    SP_FORMAT_VDB,
    SP_FORMAT_BLENDER,
    SP_FORMAT_COUNT
} sp_format;
const char *sp_format_name(sp_format format); /* "ply", ... */

typedef struct sp_export sp_export;

/* Opens and locks a folder for `spate export`, makes it if it is not there. What an earlier export
 * has left in it is removed: a mark (.spate-export-FORMAT) tells its folder from one in which files
 * of the same names are somebody else's. Such a folder is refused, and one that holds a run. NULL
 * on failure. */
sp_export *sp_export_create(const char *folder, sp_format format, double fps, spate_error *error);
/* The same for a run that writes frames as it goes. Frames up to `keep` stay and are part of this
 * one, later ones are removed; with -1 there must be none. */
sp_export *sp_export_create_for_run(const char *folder, sp_format format, double fps, int keep,
                                    spate_error *error);
/* Removes what a run and exports of it have left in the folders that are named after the formats
 * below `run_folder`, and those folders if they are empty then. Links, and folders that hold a run,
 * are left alone. */
spate_status sp_export_remove(const char *run_folder, spate_error *error);
/* Files of one frame. Frames come in order. */
spate_status sp_export_particles(sp_export *out, const sp_particle_table *table,
                                 spate_error *error);
/* Of a set beside the fluid, by number: ply, vtk, usd; nothing in other formats. */
spate_status sp_export_set(sp_export *out, int set, const sp_particle_table *table,
                           spate_error *error);
/* Level set and velocity of a liquid. fields: of the grid, for vtk; NULL: none */
spate_status sp_export_volume(sp_export *out, const sp_particle_table *table,
                              const sp_field_set *fields, spate_error *error);
/* Fields of the grid alone: the volume of a gas; vtk */
spate_status sp_export_fields(sp_export *out, const sp_field_set *fields, spate_error *error);
/* domain: any table of the scene, also without particles */
spate_status sp_export_surface(sp_export *out, const sp_particle_table *domain,
                               const spate_surface *mesh, int frame, spate_error *error);
/* The solids at these frames, once for all of them. vdb has none. */
spate_status sp_export_solids(sp_export *out, const sp_solid_meshes *solids, const int *frames,
                              int count, spate_error *error);
/* Writes what takes the frames so far together (.pvd, the root layer). */
spate_status sp_export_collect(sp_export *out, spate_error *error);
/* The file to open, or the first of them, in the folder; good until the next call. */
const char *sp_export_entry(const sp_export *out);
void sp_export_destroy(sp_export *out); /* NULL is fine */

#endif
