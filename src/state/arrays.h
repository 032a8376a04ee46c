/* arrays.h -- the arrays of the grid, listed once: made, freed, cleared and counted from here. */
#ifndef SPATE_STATE_ARRAYS_H
#define SPATE_STATE_ARRAYS_H

#include "state.h"

typedef struct X(array) {
    void **block;
    size_t item; /* bytes of a value */
    bool moving; /* follows the liquid: zero outside the active tiles */
} X(array);
#define MAX_ARRAYS (8 * DIM + 24)

/* Fills `arrays` for a scene; returns how many. */
int X(arrays)(X(sim) *s, const spate_scene *scene, X(array) arrays[MAX_ARRAYS]);

#endif
