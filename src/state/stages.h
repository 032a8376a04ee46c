/* stages.h -- the stages of a step by number. Outside of the library they are known by name only
 * (spate_stage_find), so that one can be added. */
#ifndef SPATE_STATE_STAGES_H
#define SPATE_STATE_STAGES_H

typedef enum sp_stage {
#define STAGE(name, ...) SP_STAGE_##name,
#include "stages.def"
    SP_STAGE_COUNT
} sp_stage;

#endif
