/* cg_policy.h -- when the multigrid's conjugate gradients go on; for the CPU and for devices. */
#ifndef SPATE_STATE_CG_POLICY_H
#define SPATE_STATE_CG_POLICY_H

/* Of the tolerance: a start as good as that needs no iteration, any other one at least. In water at
 * rest the remainder of a start that just meets the tolerance would act in every step, and add up.
 */
#define START_SHARE 0.01

#define MOST_COARSEST (DIM == 2 ? 300 : 2000) /* cells of the coarsest grid */
#define SWEEPS 2             /* of the smoother, before and after the coarser grids */
#define STRONG_SWEEPS 6      /* where those did not converge */
#define EXTRA 1              /* sweep in tiles of the finest grid that are not uniform: cycle.c */
#define COARSE_PASSES 20     /* each way, of so many sweeps, on the coarsest grid: cycle.c */
#define OVER_CORRECTION 0.5f /* of the sums that make a coarser grid: multigrid.c */
#define BETTER 0.9 /* of the last true residual: where less is gained, fp32 cannot do better */
#define NEAR 0.9   /* of the tolerance: there the true residual is worth a look */

/* By how much CG's own residual may fall before it is to be taken anew in fp64. That of a device
 * drifts more: it takes A s as it is written. */
#define DROP 1e-5
#define DROP_THERE 1e-3

/* The density projection: multigrid does one cycle; other solvers, of the largest right side, and
 * sweeps at most. */
#define DENSITY_TOLERANCE 1e-3
#define DENSITY_SWEEPS 40

#endif
