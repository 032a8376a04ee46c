/* system.h -- a system of equations on the cells of a grid, A q = b, and the grids of the multigrid
 * that solves it. A simulation has the pressure system of a step, in units in which dt / (rho dx) =
 * 1 (see cpu/pressure/system.c); solvers know nothing of it but what stands here. */
#ifndef SPATE_STATE_SYSTEM_H
#define SPATE_STATE_SYSTEM_H

#include "base/parallel.h"
#include "base/status.h"
#include "kernels/tiles.h"

/* What arrays on a grid share: where they are, and who works on them. */
typedef struct X(domain) {
    const X(grid) *grid;
    const spate_side (*sides)[2]; /* of each axis */
    const X(tiles) *tiles;        /* in use: `active`, and `border` */
    sp_pool *pool;
} X(domain);

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

/* The same of the cells of one tile, if they are all in one pocket. */
typedef struct X(tile_sum) {
    uint32_t root; /* of it; or MANY, NONE: pockets.c */
    uint32_t count;
    double sum;
} X(tile_sum);

/* What a tile has: no unknown; some, and all faces between them open; only such, and around it too;
 * some, and solids near. STALE: what the arrays hold is not known. */
enum { UNKNOWN_NONE, UNKNOWN_PLAIN, UNKNOWN_DEEP, UNKNOWN_CUT, UNKNOWN_STALE };

typedef struct X(system) {
#define SYSTEM(name, shape, type, ...) type SHAPE_##shape(name);
#define SYSTEM_ALIAS(name, shape, type, ...) type SHAPE_##shape(name);
#include "kernels/grid.def"
    const X(domain) *domain;
    X(grid) grid; /* the domain's: loops read its strides here */
    spate_solver solver;
    int wave_count;
    bool has_pockets; /* there is one */
    /* multigrid */
    int sweeps;     /* of the smoother, before and after; even */
    bool hierarchy; /* the levels are those of this system */
    int level_count;
    X(level) levels[MAX_LEVELS];
} X(system);

/* arrays.c. The arrays of a system that is all zero, but for aliases: `q` is the caller's. needs:
 * WHEN_... bits (fields.h) beside those of the solver. Level 0 is there for any solver; what else
 * the multigrid needs it makes by itself (pressure.h). The caller then gives the matrix, `a` (also
 * across periodic sides) and `diagonal`, and says where it has rows: `rows`, `unknown`, the tiles
 * of level 0. Solvers read all coefficients of a tile only if it is UNKNOWN_CUT. */
spate_status X(system_create)(X(system) *sys, const X(domain) *domain, spate_solver solver,
                              unsigned needs, spate_error *error);
void X(system_destroy)(X(system) *sys);

#endif
