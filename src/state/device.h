/* device.h -- the closed list of algorithms that are written once per device.
 *
 * Everything else is a loop over cells, faces or particles whose body stands in src/kernels. A
 * device provides, in src/device/<name>/, the functions declared here; src/sim/step.c calls them in
 * the same order for every device.
 *
 *   sort.c      binning of particles by tile, cell and id, and the gather of every column
 *   p2g.c       particles to grid: sums over particles (p2g_linear.c: the linear kernel)
 *   g2p.c       grid to particles: the loop over the particles of a tile
 *   reduce.c    sums and maxima */
#ifndef SPATE_STATE_DEVICE_H
#define SPATE_STATE_DEVICE_H

#include "state.h"

void X(sort_particles)(X(sim) *s);
void X(particles_to_grid)(X(sim) *s);
void X(grid_to_particles)(X(sim) *s, double dt);

/* Bytes that a worker needs for what it does with a tile, in the arena; a multiple of 64. */
size_t X(device_scratch)(void);
size_t X(sort_scratch)(void); /* SORT's part of it */
/* After SORT: the rows of cells of a tile that hold particles, low .. high along y and z. */
void X(rows_with_particles)(const X(sim) *s, int tile, int low[3], int high[3]);
/* Inside P2G and SURFACE: adds the sums of a tile's particles, linear kernel, to u and weight if
 * `faces`, and those of their number at the middles of cells to `density` if that is not NULL. The
 * scratch is that of one worker. */
void X(p2g_linear)(X(sim) *s, int tile, void *scratch, bool faces, float *density);

/* Sum over [0, n) of what `value` adds up for each range, in order of the ranges; maximum likewise.
 */
typedef double X(partial_fn)(void *args, size_t begin, size_t end);
double X(sum)(X(sim) *s, size_t n, size_t grain, X(partial_fn) *partial, void *args);
double X(maximum)(X(sim) *s, size_t n, size_t grain, X(partial_fn) *partial, void *args);

#endif
