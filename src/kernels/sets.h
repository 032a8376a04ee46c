/* sets.h -- the sets of particles by number: the fluid, then those of sets.def. */
#ifndef SPATE_KERNELS_SETS_H
#define SPATE_KERNELS_SETS_H

enum {
    SET_FLUID,
#define SET(NAME, ...) SET_##NAME,
#include "sets.def"
    SET_COUNT
};

#endif
