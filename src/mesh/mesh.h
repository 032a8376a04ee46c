/* mesh.h -- what api.c and the two instances of the surface code (2D, 3D) know of each other. */
#ifndef SPATE_MESH_MESH_H
#define SPATE_MESH_MESH_H

#include <spate/spate.h>

#include "base/parallel.h"
#include "scene/solids.h"

typedef struct sp_mesh_input {
    const float *positions, *velocities; /* 3 per particle, m, m/s; velocities may be NULL */
    size_t count;
    const spate_surface_options *options;
    sp_pool *pool;
    const sp_solids *solids; /* as they are; NULL: those of options->scene at options->time */
} sp_mesh_input;

/* Fills a mesh of zeros; the caller frees its arrays, also after a failure. */
spate_status sp2_mesh_make(const sp_mesh_input *input, spate_surface *mesh, spate_error *error);
spate_status sp3_mesh_make(const sp_mesh_input *input, spate_surface *mesh, spate_error *error);

/* spate_surface_create with the threads of a pool. */
spate_surface *sp_mesh_create(const sp_mesh_input *input, spate_error *error);

#endif
