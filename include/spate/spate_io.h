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

/* What the output that a scene asks for adds to the forecast of its simulation. */
typedef struct spate_output_forecast {
    uint32_t size;            /* in the caller's header */
    uint64_t memory;          /* bytes, of pictures and surfaces while they are made */
    uint64_t particles_bytes; /* on disk per frame; 0 here and below: none is written */
    uint64_t mesh_bytes;      /* of a surface and of a volume per frame, estimates */
    uint64_t volume_bytes;
    uint64_t film_bytes; /* of the film and the picture at the end, estimate */
} spate_output_forecast;
SPATE_API spate_status spate_output_forecast_sized(const spate_scene *scene,
                                                   const spate_forecast *simulation,
                                                   spate_output_forecast *forecast, size_t size,
                                                   spate_error *error);
static inline spate_status spate_scene_output_forecast(const spate_scene *scene,
                                                       const spate_forecast *simulation,
                                                       spate_output_forecast *forecast,
                                                       spate_error *error)
{
    return spate_output_forecast_sized(scene, simulation, forecast, sizeof *forecast, error);
}

/* Triangle meshes: OBJ, STL (binary and ASCII) and PLY, told apart by their content. */
SPATE_API spate_mesh *spate_mesh_read(const char *path, spate_error *error);
/* A PLY file with vertex properties x y z and, if there, vx vy vz. */
SPATE_API spate_points *spate_points_read(const char *path, spate_error *error);
/* Binary PLY: x y z and what output.attributes of the scene asks for (vx vy vz id, channels).
 * Complete under its name or not there at all. */
SPATE_API spate_status spate_sim_particles_write_ply(spate_sim *sim, const char *path,
                                                     spate_error *error);
/* Files that other programs open. The ending of the name says which format: particles .ply, .vtp
 * (VTK), .usd, .usda, .usdc (USD); surfaces .ply, .vtp, .usd, .usda, .usdc, .bobj.gz (Blender's
 * fluid cache); the level set `surface` (m, negative inside) and the velocity `vel` (m/s) on the
 * cells .vdb (OpenVDB, 3D only) and .vti (VTK). docs/formats.md says what is in each. */
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
