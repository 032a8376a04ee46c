/* surface_read.h -- the surface files of a run (mesh.NNNN.ply) back into arrays. */
#ifndef SPATE_IO_SURFACE_READ_H
#define SPATE_IO_SURFACE_READ_H

#include <spate/spate.h>

/* Vertices x y z, maybe nx ny nz and vx vy vz; triangles as `face`, or segments as `edge`. */
spate_status sp_surface_file_read(spate_surface *mesh, const char *path, spate_error *error);
void sp_surface_file_clear(spate_surface *mesh);

#endif
