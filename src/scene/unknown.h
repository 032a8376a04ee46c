/* unknown.h -- finding the name that a mistyped one was meant to be. */
#ifndef SPATE_SCENE_UNKNOWN_H
#define SPATE_SCENE_UNKNOWN_H

#include <spate/spate.h>

typedef struct sp_nearest {
    const char *word; /* what was written */
    char name[64];    /* the best candidate so far; empty if none is near enough to be meant */
    int distance;
} sp_nearest;

void sp_nearest_offer(sp_nearest *nearest, const char *candidate);

#endif
