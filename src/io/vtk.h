/* vtk.h -- VTK's XML files: particles and surfaces as .vtp, grids as .vti, and the .pvd that makes
 * frames of them. */
#ifndef SPATE_IO_VTK_H
#define SPATE_IO_VTK_H

#include "particle_table.h"
#include "volume.h"

spate_status sp_vtk_write_particles(const sp_particle_table *table, const char *path,
                                    spate_error *error);
/* time in s */
spate_status sp_vtk_write_mesh(const spate_surface *mesh, double time, const char *path,
                               spate_error *error);
spate_status sp_vtk_write_volume(const sp_volume *volume, double time, const char *path,
                                 spate_error *error);
/* A collection: files NAME.FRAME.ENDING beside it, at the times FRAME / fps. */
spate_status sp_vtk_write_collection(const char *path, const char *name, const char *ending,
                                     const int *frames, int count, double fps, spate_error *error);

#endif
