/* pressure.h -- the pressure system and its solvers on the CPU. */
#ifndef SPATE_CPU_PRESSURE_PRESSURE_H
#define SPATE_CPU_PRESSURE_PRESSURE_H

#include "cpu/cpu.h"
#include "state/cg_policy.h"

/* Of a coarse grid's equations: see multigrid.c. */
#define SCALE 4.0f

/* The rows of a tile that have an unknown, in order. */
#define FOR_UNKNOWN_ROWS(s, tile, r)                                         \
    for (uint64_t left_ = (s)->system.rows[tile]; left_; left_ &= left_ - 1) \
        for (int r = __builtin_ctzll(left_), once_ = 1; once_; once_ = 0)

/* system.c */
/* q: what it was, times `scale`, is the start. Returns max |b|, m/s, pockets as they are. */
double DEV(system_assemble)(X(sim) *s, double dt, double scale);
/* u -= grad q, border: periodic only; fresh: u holds nothing yet and counts as 0. */
void DEV(system_gradient)(X(sim) *s, float *const u[DIM], bool fresh);
/* max |flux out of a cell with an unknown|, m/s; and q is multiplied by `scale` */
double DEV(system_divergence)(X(sim) *s, double dt, double scale);

/* pockets.c. Rows of a tile as bits, bit i for cell i: unknowns; those that touch air; open faces
 * inside the tile towards the cell before along each axis. */
typedef struct X(pieces) {
    uint32_t unknown[TILE_ROWS], air[TILE_ROWS], link[DIM][TILE_ROWS];
} X(pieces);
/* Components inside a tile: of any one; of one full of unknowns, all faces open, none at air. */
void X(label_pieces)(X(sim) *s, int tile, const X(pieces) *pieces);
void X(label_whole)(X(sim) *s, int tile, size_t base);
void X(find_pockets)(X(sim) *s); /* after all tiles */
/* Takes the mean out of the right side of pockets, that of system_assemble or any further one. */
void X(remove_pocket_means)(X(sim) *s);

/* residual.c */
double DEV(system_largest_b)(X(sim) *s);
/* r = b - A q in fp64, into the blocks of level 0 with multigrid; returns max |r|. Of q, whose
 * border across periodic sides it fills, or of q_sum; the other one is NULL. */
typedef double X(true_residual)(X(sim) *s, float *q, const double *q_sum);
X(true_residual) DEV(system_residual);

/* the solvers: start from system.q, leave the solution there */
X(sweep_fn) X(relax), X(sweep); /* sweeps.c: one of Jacobi, one of Gauss-Seidel */
/* pcg.c, with MIC(0); residual: system_residual, which is built per instruction set */
void X(solve_pcg)(X(sim) *s, X(solve) *solve, X(true_residual) *residual);
void DEV(solve_multigrid)(X(sim) *s, X(solve) *solve);
/* One iteration from zero, whatever q was; what is left is not looked at. */
void DEV(multigrid_once)(X(sim) *s);
/* device.c: any of them, as the scene says. The matrix is that of the last DEV(system_assemble),
 * the right side system.b: a caller may point b and q elsewhere for a solve of its own. */
void DEV(solve_system)(X(sim) *s, X(solve) *solve);
void DEV(clear_pressure)(X(sim) *s); /* q = 0: the next solve starts from nothing */

/* mic.c: the preconditioner of pcg; z = M^-1 r */
void X(mic_build)(X(sim) *s);
void X(mic_apply)(X(sim) *s);

/* multigrid.c, cycle.c: that of multigrid */
spate_status DEV(multigrid_create)(X(sim) *s, spate_error *error);
void DEV(multigrid_destroy)(X(sim) *s);
double DEV(multigrid_bytes)(const X(grid) *fine); /* that a run on a grid touches */
void DEV(multigrid_build)(X(sim) *s);             /* from the assembled system */
/* x of level 0 from its b; returns b . x. extra: sweeps in tiles of level 0 that are not uniform */
double DEV(multigrid_apply)(X(sim) *s, int extra);
void DEV(wrap_blocks)(X(sim) *s, X(level) *l,
                      float *field); /* fills images across periodic sides */

#endif
