/* attributes.h -- what is written of each particle beside its position: output.attributes as a
 * list. */
#ifndef SPATE_SCENE_ATTRIBUTES_H
#define SPATE_SCENE_ATTRIBUTES_H

#include <spate/spate.h>

/* velocity, id, speed, vorticity and all channels that a scene may have. */
#define SP_MAX_ATTRIBUTES 24

typedef struct sp_wish {
    char name[32];
    int components; /* 1..4 */
} sp_wish;

/* The words of `text`: velocity (3), id (1), speed (1), vorticity (3), the name of a channel, or
 * `channels` for all of them; each attribute once, in the order of the words. */
spate_status sp_attributes_parse(const spate_scene *scene, const char *text,
                                 sp_wish wishes[SP_MAX_ATTRIBUTES], int *count, spate_error *error);

#endif
