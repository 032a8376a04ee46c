/* usd_file.h -- particles and surfaces as USD: one layer with samples over time, or a layer per
 * frame that a root layer takes together by value clips.
 *
 *     /spate                Xform
 *     /spate/particles      Points: points, velocities, ids, widths, extent, primvars
 *     /spate/surface        Mesh, in 2D BasisCurves
 *     /spate/solids/NAME    the same, for each solid; its motion are samples of its transform */
#ifndef SPATE_IO_USD_FILE_H
#define SPATE_IO_USD_FILE_H

#include "particle_table.h"
#include "scene/solid_mesh.h"

typedef struct sp_usd_file sp_usd_file;

/* .usd, .usda or .usdc; NULL on failure. */
sp_usd_file *sp_usd_file_create(const char *path, double fps, spate_error *error);
/* A sample at time code `time` (frames). All clouds of a file have the same attributes. Failures
 * are remembered for sp_usd_file_close. */
void sp_usd_file_particles(sp_usd_file *file, const sp_particle_table *table, double time);
void sp_usd_file_mesh(sp_usd_file *file, const spate_surface *mesh, double time);
/* The solids, which must outlive the file: their shapes once, and where they are with every sample
 * that follows, of particles, surface, or by sp_usd_file_poses. Before the first sample. */
void sp_usd_file_solids(sp_usd_file *file, const sp_solid_meshes *solids);
void sp_usd_file_poses(sp_usd_file *file, double time);
spate_status sp_usd_file_close(sp_usd_file *file, spate_error *error);
void sp_usd_file_abandon(sp_usd_file *file); /* NULL is fine */

/* What the layers of a sequence hold, for the root layer that takes them together. */
typedef struct sp_usd_sequence {
    double fps;
    const int *frames; /* particles.FRAME.usdc, surface.FRAME.usdc */
    int frame_count;
    const sp_particle_table *table; /* any of them, for its attributes; NULL: no particles */
    const int *mesh_frames;
    int mesh_frame_count;
    const spate_surface *mesh; /* NULL: no surfaces */
    const char *solids;        /* the layer of the solids; NULL: none */
} sp_usd_sequence;
/* Writes both into `folder`. */
spate_status sp_usd_write_sequence(const char *folder, const char *root, const char *manifest,
                                   const sp_usd_sequence *sequence, spate_error *error);

#endif
