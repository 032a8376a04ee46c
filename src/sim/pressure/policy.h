/* policy.h -- when the multigrid's conjugate gradients go on; for the CPU and for devices. */
#ifndef SPATE_SIM_PRESSURE_POLICY_H
#define SPATE_SIM_PRESSURE_POLICY_H

/* Of the tolerance: a start as good as that needs no iteration, any other one at least. In water at
 * rest the remainder of a start that just meets the tolerance would act in every step, and add up.
 */
#define SETTLED 0.01

#define EXTRA 1   /* sweep in tiles of the finest grid that are not uniform: cycle.c */
#define DROP 1e-3 /* of the residual, until it is taken anew in fp64 */
#define NEAR 0.9  /* of the tolerance: there the true residual is worth a look */

#endif
