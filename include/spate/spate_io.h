/* spate_io.h -- files of spate (libspate_io: libspate, Jansson, libpng): scenes, meshes and point
 * sets in, particles, surfaces, volumes, pictures and checkpoints out.
 *
 * A file that is written is complete under its name or not there at all. */
#ifndef SPATE_IO_H
#define SPATE_IO_H

#include <spate/spate.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a scene, with the meshes and point sets it names (relative to its folder). */
SPATE_API spate_scene *spate_scene_read(const char *path, spate_error *error);
/* The same from text; `folder` is where relative file names start. */
SPATE_API spate_scene *spate_scene_parse(const char *text, size_t length, const char *folder,
                                         spate_error *error);
/* Sets one setting from "path=value", the value written as JSON or as a bare word. */
SPATE_API spate_status spate_scene_assign(spate_scene *scene, const char *assignment,
                                          spate_error *error);
/* The whole scene as JSON text, every setting written out; spate_free it. NULL without memory. */
SPATE_API char *spate_scene_text(const spate_scene *scene);

/* Triangle meshes: OBJ, STL (binary and ASCII) and PLY, told apart by their content. */
SPATE_API spate_mesh *spate_mesh_read(const char *path, spate_error *error);
/* A PLY file with vertex properties x y z and, if there, vx vy vz. */
SPATE_API spate_points *spate_points_read(const char *path, spate_error *error);
/* Binary PLY: x y z and what output.attributes of the scene asks for (vx vy vz id, channels).
 * Complete under its name or not there at all. */
SPATE_API spate_status spate_sim_particles_write_ply(spate_sim *sim, const char *path,
                                                     spate_error *error);
/* Files that other programs open. The ending of the name says which format: particles .ply, .vtp
 * (VTK), .usda, .usdc (USD); surfaces .ply, .vtp, .usda, .usdc, .bobj.gz (Blender's fluid cache);
 * the level set `surface` (m, negative inside) and the velocity `vel` (m/s) on the cells .vdb
 * (OpenVDB, 3D only) and .vti (VTK). docs/formats.md says what is in each. */
SPATE_API spate_status spate_sim_particles_write(spate_sim *sim, const char *path,
                                                 spate_error *error);
SPATE_API spate_status spate_surface_write(const spate_surface *surface, const char *path,
                                           spate_error *error);
SPATE_API spate_status spate_sim_volume_write(spate_sim *sim, const char *path, spate_error *error);
/* A picture of the particles and solids. width and height in pixels. */
SPATE_API spate_status spate_sim_preview_write_png(spate_sim *sim, const char *path, int width,
                                                   int height, spate_error *error);
/* Checkpoint files, written under a temporary name and renamed when complete. */
SPATE_API spate_status spate_sim_checkpoint_write(spate_sim *sim, const char *path,
                                                  spate_error *error);
SPATE_API spate_status spate_sim_checkpoint_read(spate_sim *sim, const char *path,
                                                 spate_error *error);

#ifdef __cplusplus
}
#endif
#endif
