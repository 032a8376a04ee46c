/* sampling.h -- fills that are a number of particles in a box, placed without regard to the grid.
 */
#ifndef SPATE_SCENE_SAMPLING_H
#define SPATE_SCENE_SAMPLING_H

#include <spate/spate.h>

/* Whether a fill is placed this way. */
bool sp_is_sampled(const spate_shape *fill);
/* How many particles a lattice of at least `count` has, and along one axis. */
uint64_t sp_lattice_count(int count, int dim, int *along);
/* The places (m), 3 numbers each, *positions to be freed by sp_free; the same on every machine. */
spate_status sp_sample_points(const spate_shape *fill, int dim, float **positions, size_t *count,
                              spate_error *error);

#endif
