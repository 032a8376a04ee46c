/* residency.h -- the arrays of a simulation in two memories (residency.c). */
#ifndef SPATE_CUDA_RESIDENCY_H
#define SPATE_CUDA_RESIDENCY_H

#include "gpu.h"
#include "state/arrays.h"

size_t DEV(gpu_array_bytes)(const X(array) *array, const X(grid) *g); /* of each pointer */
/* Room for as many particles as on the host; what the columns held is kept, or lost. */
void DEV(gpu_reserve)(X(sim) *s, bool keep);
/* Likewise of a set beside the fluid. */
void DEV(gpu_reserve_set)(X(sim) *s, int number, bool keep);
void DEV(gpu_free_sets)(X(sim) *s);
void DEV(gpu_reserve_scan)(X(gpu) *g, size_t count); /* scans of so many values */
/* Arrays of grid.def: those that are not there yet; all. */
void DEV(gpu_make_arrays)(X(sim) *s);
void DEV(gpu_free_arrays)(X(sim) *s);

/* solids_upload.c: the solids, if those of the device are not the host's; where the data of a mesh
 * are on the device (they are copied the first time; NULL has none). */
void DEV(gpu_copy_bodies)(X(sim) *s);
const spate_mesh *DEV(gpu_mesh_there)(X(gpu) *g, const spate_mesh *mesh);
void DEV(gpu_free_bodies)(X(gpu) *g);

void DEV(gpu_free_snapshot)(X(gpu) *g); /* snapshot.c */

void DEV(gpu_use)(X(sim) *s, unsigned groups);   /* before a stage on the device */
void DEV(gpu_wrote)(X(sim) *s, unsigned groups); /* after it */

#endif
