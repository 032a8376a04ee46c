/* timeline.h -- what changes at a time: keyframes of settings, fills that appear, flows that open
 * and close. */
#ifndef SPATE_SCENE_TIMELINE_H
#define SPATE_SCENE_TIMELINE_H

#include <spate/spate.h>

/* The settings that may have keyframes. */
typedef enum sp_keyed {
    SP_KEYED_NONE,
    SP_KEYED_GRAVITY,
    SP_KEYED_FLIP_RATIO,
    SP_KEYED_ROUGHNESS,  /* index: 2 * axis + end */
    SP_KEYED_VELOCITY,   /* index: of the inflow */
    SP_KEYED_FLOW,       /* likewise */
    SP_KEYED_SMOKE,      /* index: of the source */
    SP_KEYED_TEMPERATURE /* likewise */
} sp_keyed;
sp_keyed sp_key_target(const spate_key *key, int *index);
/* How many numbers its setting has. */
int sp_key_numbers(const spate_key *key, int dim);

/* The mean of a keyed setting between two times, which may be the same; false: it has no keys. Only
 * as many of the three as it has numbers mean anything. */
bool sp_keys_mean(const spate_scene *scene, sp_keyed what, int index, double from, double to,
                  double value[3]);

/* Whether an inflow, outflow or source is open at a time. */
bool sp_is_open(const spate_shape *flow, double time);
/* The first moment later than `time` (by more than `least`) at which a fill appears, a flow opens
 * or closes; HUGE_VAL: none. */
double sp_next_event(const spate_scene *scene, double time, double least);

#endif
