/* white_kept.h -- what WHITEWATER keeps from step to step, beside its particles and their ledger:
 * the first bytes of the state of its set, which checkpoints hold. */
#ifndef SPATE_STATE_WHITE_KEPT_H
#define SPATE_STATE_WHITE_KEPT_H

#include <stdint.h>

#define SP_WHITE_POTENTIALS 3 /* speed, curvature, strain */
#define SP_WHITE_BINS 64      /* of a histogram, from 0 to four times the upper limit */

typedef struct sp_white {
    uint64_t histogram[SP_WHITE_POTENTIALS]
                      [SP_WHITE_BINS]; /* cells near the surface, in all steps */
    double keep;     /* share that stays where there are too many; 1 at the start */
    uint64_t warned; /* of max_particles, once */
} sp_white;

#endif
