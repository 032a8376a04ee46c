/* particles_read.h -- reading the particle files of a run, columns at once.
 *
 * Rows of little-endian floats, as spate writes them, are taken as they are; any other PLY file
 * with x, y and so on goes through ply.h. */
#ifndef SPATE_IO_PARTICLES_READ_H
#define SPATE_IO_PARTICLES_READ_H

#include "ply.h"

typedef struct sp_particles_file {
    char *bytes;
    sp_ply ply;
    const sp_ply_element *element; /* the vertices */
    size_t count;
} sp_particles_file;

spate_status sp_particles_open(sp_particles_file *file, const char *path, spate_error *error);
void sp_particles_close(sp_particles_file *file);

/* Positions (m) and velocities (m/s; 0 where the file has none) of all particles into x[d] and
 * v[d], d < dim, of at least file->count numbers each. Once per open file. Error if one is not a
 * finite number. */
spate_status sp_particles_read_columns(sp_particles_file *file, int dim, float *const x[3],
                                       float *const v[3], spate_error *error);

#endif
