/* stage.h -- the stages of a step by number. Outside of the library they are known by name only
 * (spate_stage_find), so that one can be added. */
#ifndef SPATE_STATE_STAGE_H
#define SPATE_STATE_STAGE_H

typedef enum sp_stage {
#define STAGE(NAME, ...) SP_STAGE_##NAME,
#include "kernels/stages.def"
    SP_STAGE_COUNT
} sp_stage;

/* What a stage does to the particles as a whole. */
typedef enum sp_stage_effect {
    STAGE_NOTHING,
    STAGE_BEGINS,  /* a step: the displacement of the last one is gone */
    STAGE_MOVES,   /* particles move, come or go, so they are not sorted any more */
    STAGE_ADVANCES /* the same, and they are a time step further on then */
} sp_stage_effect;

#endif
