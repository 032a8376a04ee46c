/* blender.h -- the cache of a fluid domain of Blender (2.82 and later), which shows particles and
 * surface as its own.
 *
 *     config/config_0001.uni   data/pp_0001.uni  pVel_0001.uni   mesh/fluid_mesh_0001.bobj.gz
 *     mesh/lVelMesh_0001.uni   solids.json   open.py, which makes a scene of it: blender --python
 *     open.py
 *
 * Blender counts frames from 1: our frame 0 is its frame 1. Its z is up: our (x, y, z) is its
 * (x, -z, y). */
#ifndef SPATE_IO_BLENDER_H
#define SPATE_IO_BLENDER_H

#include "particle_table.h"
#include "scene/solid_mesh.h"

/* Removes the cache that an earlier export has left, and makes the folders. */
spate_status sp_blender_begin(const char *folder, spate_error *error);
/* Removes a whole cache, open.py too. */
void sp_blender_remove(const char *folder);
/* The name of a file in the folder that sp_blender_begin would remove, if there is one. */
void sp_blender_find(const char *folder, char *found, size_t size);
/* The particles of a frame. */
spate_status sp_blender_particles(const char *folder, const sp_particle_table *table,
                                  spate_error *error);
/* Its surface; the table (which may be empty) says what the domain is. 3D only. A cache may have
 * either or both. */
spate_status sp_blender_surface(const char *folder, const sp_particle_table *domain,
                                const spate_surface *mesh, int frame, spate_error *error);
/* A surface by itself, as one .bobj.gz around the middle of its own box. */
spate_status sp_blender_mesh_file(const spate_surface *mesh, const char *path, spate_error *error);
/* solids.json: their meshes, and where they are in these frames. */
spate_status sp_blender_solids(const char *folder, const sp_solid_meshes *solids, const int *frames,
                               int count, double fps, spate_error *error);

/* What a cache holds. */
typedef struct sp_blender_scene {
    const sp_particle_table *domain; /* any table of the scene */
    int first, last;                 /* frames */
    bool particles, surface, solids;
} sp_blender_scene;
/* open.py, which makes a scene of the cache. */
spate_status sp_blender_end(const char *folder, const sp_blender_scene *scene, spate_error *error);
/* open_vdb.py beside volume.NNNN.vdb. */
spate_status sp_blender_volumes(const char *folder, double cell_size, double fps, const int *frames,
                                int count, spate_error *error);

/* Of blender.c, for blender_scripts.c: the domain as a box of Blender's. */
typedef struct sp_blender_domain {
    int cells; /* along the longest side */
    double size[3], center[3];
} sp_blender_domain;
spate_status sp_blender_write_script(const char *folder, const sp_blender_scene *scene,
                                     const sp_blender_domain *domain, spate_error *error);

#endif
