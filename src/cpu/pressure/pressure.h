/* pressure.h -- the pressure system and its solvers on the CPU. Only what makes the system of the
 * liquid, or brings its solution there, knows a simulation: the solvers are for any system. */
#ifndef SPATE_CPU_PRESSURE_PRESSURE_H
#define SPATE_CPU_PRESSURE_PRESSURE_H

#include "cpu/cpu.h"
#include "state/cg_policy.h"

/* Of a coarse grid's equations: see multigrid.c. */
#define SCALE 4.0f

/* The rows of a tile that have an unknown, in order. */
#define FOR_UNKNOWN_ROWS(sys, tile, r)                                  \
    for (uint64_t left_ = (sys)->rows[tile]; left_; left_ &= left_ - 1) \
        for (int r = __builtin_ctzll(left_), once_ = 1; once_; once_ = 0)

/* system.c */
/* q: what it was, times `scale`, is the start. Returns max |b|, m/s, pockets as they are. */
double DEV(system_assemble)(X(sim) *s, double dt, double scale);
/* u -= grad q, border: periodic only; fresh: u holds nothing yet and counts as 0. */
void DEV(system_gradient)(X(sim) *s, float *const u[DIM], bool fresh);
/* max |flux out of a cell with an unknown|, m/s; and q is multiplied by `scale` */
double DEV(system_divergence)(X(sim) *s, double dt, double scale);

/* gravity.c: as in X(device) */
void DEV(solve_gravity)(X(sim) *s, double dt, double to_pressure, X(solve) *solve);

/* pockets.c. Rows of a tile as bits, bit i for cell i: unknowns; those that touch air; open faces
 * inside the tile towards the cell before along each axis. */
typedef struct X(pieces) {
    uint32_t unknown[TILE_ROWS], air[TILE_ROWS], link[DIM][TILE_ROWS];
} X(pieces);
/* Components inside a tile: of any one; of one full of unknowns, all faces open, none at air. */
void X(label_pieces)(X(system) *sys, int tile, const X(pieces) *pieces);
void X(label_whole)(X(system) *sys, int tile, size_t base);
void X(find_pockets)(X(system) *sys); /* after all tiles */
/* Takes the mean out of the right side of pockets, that of system_assemble or any further one. */
void X(remove_pocket_means)(X(system) *sys);

/* residual.c */
double DEV(system_largest_b)(X(system) *sys);
/* r = b - A q in fp64, into the blocks of level 0 with multigrid; returns max |r|. Of q, whose
 * border across periodic sides it fills, or of q_sum; the other one is NULL. */
typedef double X(true_residual)(X(system) *sys, float *q, const double *q_sum);
X(true_residual) DEV(system_residual);

/* the solvers: start from q, leave the solution there */
X(sweep_fn) X(relax), X(sweep); /* sweeps.c: one of Jacobi, one of Gauss-Seidel; of a system */
/* pcg.c, with MIC(0); residual: system_residual, which is built per instruction set */
void X(solve_pcg)(X(system) *sys, X(solve) *solve, X(true_residual) *residual);
void DEV(solve_multigrid)(X(system) *sys, X(solve) *solve);
/* One iteration from zero, whatever q was; what is left is not looked at. */
void DEV(multigrid_once)(X(system) *sys);
/* device.c: the one that the system was made for. The right side is `b`: a caller may point b and q
 * elsewhere for a further solve with the same matrix. */
void DEV(solve_system)(X(system) *sys, X(solve) *solve);
void DEV(clear_pressure)(X(system) *sys); /* q = 0: the next solve starts from nothing */

/* mic.c: the preconditioner of pcg; z = M^-1 r */
void X(mic_build)(X(system) *sys);
void X(mic_apply)(X(system) *sys);

/* multigrid.c, cycle.c: that of multigrid */
spate_status DEV(multigrid_create)(X(system) *sys, spate_error *error);
void DEV(multigrid_destroy)(X(system) *sys);
double DEV(multigrid_bytes)(const X(grid) *fine); /* that a run on a grid touches */
void DEV(multigrid_build)(X(system) *sys);        /* from the assembled system */
/* x of level 0 from its b; returns b . x. extra: sweeps in tiles of level 0 that are not uniform */
double DEV(multigrid_apply)(X(system) *sys, int extra);
void DEV(wrap_blocks)(X(system) *sys, X(level) *l,
                      float *field); /* fills images across periodic sides */

#endif
