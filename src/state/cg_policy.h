/* cg_policy.h -- when the multigrid's conjugate gradients go on; for the CPU and for devices. */
#ifndef SPATE_STATE_CG_POLICY_H
#define SPATE_STATE_CG_POLICY_H

/* Of the tolerance: a start as good as that needs no iteration, any other one at least. In water at
 * rest the remainder of a start that just meets the tolerance would act in every step, and add up.
 */
#define START_SHARE 0.01

#define EXTRA 1  /* sweep in tiles of the finest grid that are not uniform: cycle.c */
#define NEAR 0.9 /* of the tolerance: there the true residual is worth a look */

/* By how much CG's own residual may fall before it is to be taken anew in fp64. That of a device
 * drifts more: it takes A s as it is written. */
#define DROP 1e-5
#define DROP_THERE 1e-3

#endif
