/* pressure.h -- the pressure system and its solvers. */
#ifndef SPATE_SIM_PRESSURE_H
#define SPATE_SIM_PRESSURE_H

#include "sim/state.h"

typedef struct X(solve) {
    double tolerance; /* on max |r|, m/s */
    int max_iterations;
    double relaxation;
    int iterations;  /* done */
    double residual; /* max |r| at the end, m/s */
    bool converged;
} X(solve);

/* system.c */
void X(system_assemble)(X(sim) *s);
void X(system_gradient)(X(sim) *s); /* u -= grad q */
double X(system_divergence)(X(sim) *s); /* max |sum of u over the faces of a liquid cell|, m/s */
double X(system_largest_b)(X(sim) *s);
/* r = b - A q in fp64; returns max |r|. q_sum instead of q if it is not NULL. */
double X(system_residual)(X(sim) *s, const float *q, const double *q_sum);

/* the solvers: start from system.q, leave the solution there */
void X(solve_jacobi)(X(sim) *s, X(solve) *solve);
void X(solve_gauss_seidel)(X(sim) *s, X(solve) *solve);
void X(solve_pcg)(X(sim) *s, X(solve) *solve);

/* mic.c: the preconditioner of pcg; z = M^-1 r */
void X(mic_build)(X(sim) *s);
void X(mic_apply)(X(sim) *s);

#endif
