/* vtk.h -- VTK's XML files: particles and surfaces as .vtp, grids as .vti, and the .pvd that makes
 * frames of them. */
#ifndef SPATE_IO_VTK_H
#define SPATE_IO_VTK_H

#include "field_set.h"
#include "particle_table.h"
#include "volume.h"

spate_status sp_vtk_write_particles(const sp_particle_table *table, const char *path,
                                    spate_error *error);
/* time in s */
spate_status sp_vtk_write_mesh(const spate_surface *mesh, double time, const char *path,
                               spate_error *error);
/* A level set and a velocity (NULL: neither, of a gas), and fields of the grid beside them (NULL:
 * none). */
spate_status sp_vtk_write_volume(const sp_volume *volume, const sp_field_set *fields, double time,
                                 const char *path, spate_error *error);
/* Numbers at the points of a box, x fastest; written as Float32. */
enum { SP_VTK_ARRAYS = 3 + SP_GRID_COLUMNS };
typedef struct sp_vtk_array {
    const char *name;
    int components;
    const double *values;
} sp_vtk_array;
typedef struct sp_vtk_image {
    double time; /* s */
    int count[3];
    double origin[3], spacing[3]; /* m */
    sp_vtk_array arrays[SP_VTK_ARRAYS];
    int array_count;
} sp_vtk_image;
spate_status sp_vtk_write_image(const sp_vtk_image *image, const char *path, spate_error *error);
/* A collection: files NAME.FRAME.ENDING beside it, at the times FRAME / fps. */
spate_status sp_vtk_write_collection(const char *path, const char *name, const char *ending,
                                     const int *frames, int count, double fps, spate_error *error);

#endif
