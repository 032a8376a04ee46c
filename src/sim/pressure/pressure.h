/* pressure.h -- the pressure system and its solvers. */
#ifndef SPATE_SIM_PRESSURE_H
#define SPATE_SIM_PRESSURE_H

#include "sim/state.h"

#define SWEEPS 2 /* of the multigrid's smoother, before and after the coarser grids */

typedef struct X(solve) {
    double tolerance; /* on max |r|, m/s */
    int max_iterations;
    double relaxation;
    int iterations;  /* done */
    double residual; /* max |r| at the end, m/s */
    bool converged;
} X(solve);

/* system.c */
void X(system_assemble)(X(sim) *s, double dt);
void X(system_gradient)(X(sim) *s, float *const u[DIM]); /* u -= grad q */
/* Takes the mean out of the right side of each pocket, for a second right side of the step. */
void X(system_balance)(X(sim) *s);
double X(system_divergence)(X(sim) *s,
                            double dt); /* max |flux out of a cell with an unknown|, m/s */
double X(system_largest_b)(X(sim) *s);
/* r = b - A q in fp64; returns max |r|. q_sum instead of q if it is not NULL. */
double X(system_residual)(X(sim) *s, const float *q, const double *q_sum);

void X(system_solve)(X(sim) *s, X(solve) *solve); /* with the solver of the scene */
/* the solvers: start from system.q, leave the solution there */
void X(solve_jacobi)(X(sim) *s, X(solve) *solve);
void X(solve_gauss_seidel)(X(sim) *s, X(solve) *solve);
void X(solve_pcg)(X(sim) *s, X(solve) *solve); /* with MIC(0) or multigrid */

/* mic.c: the preconditioner of pcg; z = M^-1 r */
void X(mic_build)(X(sim) *s);
void X(mic_apply)(X(sim) *s);

/* multigrid.c: the other preconditioner */
spate_status X(multigrid_create)(X(sim) *s, spate_error *error);
void X(multigrid_destroy)(X(sim) *s);
double X(multigrid_bytes)(const X(grid) *fine); /* of the coarse grids under a grid */
void X(multigrid_build)(X(sim) *s);             /* from the assembled system */
void X(multigrid_apply)(X(sim) *s);
void X(wrap_level)(X(level) *l, float *field); /* fills the border across periodic sides */

#endif
