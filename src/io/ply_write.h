/* ply_write.h -- PLY files of particles and surfaces. */
#ifndef SPATE_IO_PLY_WRITE_H
#define SPATE_IO_PLY_WRITE_H

#include "particle_table.h"

spate_status sp_ply_write(const sp_particle_table *table, const char *path, spate_error *error);
/* Vertices x y z nx ny nz vx vy vz (what there is of them) and faces, in 2D edges. */
spate_status sp_ply_write_mesh(const spate_surface *mesh, const char *path, spate_error *error);

#endif
