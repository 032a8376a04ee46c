/* system.h -- the pressure system of a step, and the grids of the multigrid that solves it. Units
 * in which dt / (rho dx) = 1 (see cpu/pressure/system.c). */
#ifndef SPATE_STATE_SYSTEM_H
#define SPATE_STATE_SYSTEM_H

#include "kernels/tiles.h"

/* Values of the faces of a block, see cpu/pressure/block.h. */
#define BLOCK_FACES (2 * TILE_CELLS + (DIM - 1) * (TILE + 1) * TILE_ROWS)
typedef int X(block_near)[2 * DIM];

/* A grid of the multigrid hierarchy: level 0 is that of the system, each further one has half as
 * many cells per axis. Its vectors are blocks, see cpu/pressure/block.h. */
typedef struct X(level) {
    X(grid) grid;
#define LEVEL_ARRAY(name, shape, type, ...) type SHAPE_##shape(name);
#include "level.def"
    int tile_count;  /* of `tiles` */
    int block_count; /* with those of images across periodic sides; without block 0 */
    int part_count;  /* of a cycle; where the last one ends is the entry behind it */
} X(level);
enum { KIND_UNIFORM, KIND_GENERAL, KIND_SEAM }; /* of tiles, see pressure/multigrid.c */

/* Liquid that touches no air: the sum of its right sides, and of how many cells. */
typedef struct X(pocket) {
    double sum, count;
} X(pocket);

/* What a tile has: no unknown; some, and all faces between them open; only such, and around it too;
 * some, and solids near. STALE: what the arrays hold is not known. */
enum { UNKNOWN_NONE, UNKNOWN_PLAIN, UNKNOWN_DEEP, UNKNOWN_CUT, UNKNOWN_STALE };

typedef struct X(system) {
#define SYSTEM(name, shape, type, ...) type SHAPE_##shape(name);
#define SYSTEM_ALIAS(name, shape, type, ...) type SHAPE_##shape(name);
#include "kernels/grid.def"
    int wave_count;
    bool has_pockets;  /* there is one */
    /* multigrid */
    int sweeps;     /* of the smoother, before and after; even */
    bool hierarchy; /* the levels are those of this system */
    int level_count;
    X(level) levels[MAX_LEVELS];
} X(system);

#endif
