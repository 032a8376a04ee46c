/* groups.h -- arrays of a simulation that become stale together, where they stand in two memories
 * (cuda/residency.c). */
#ifndef SPATE_STATE_GROUPS_H
#define SPATE_STATE_GROUPS_H

#include "kernels/sets.h"

/* The particles of a set beside the fluid. */
#define GROUP_SET(number) (8192u << (number))

enum {
    GROUP_NONE = 0,
    GROUP_PARTICLES = 1,
    GROUP_LISTED = 2, /* lists of tiles */
    GROUP_U = 4,
    GROUP_U_OLD = 8,
    GROUP_WEIGHT = 16,   /* later in the step u_carried, then the displacement */
    GROUP_SURFACE = 32,  /* phi, density, type */
    GROUP_PRESSURE = 64, /* p */
    GROUP_KNOWN = 128,
    GROUP_SOLIDS = 256,    /* phi_solid, w, room, marks */
    GROUP_SYSTEM = 512,    /* the pressure system: each memory has its own, which is never copied */
    GROUP_CELLS = 1024,    /* first and count of cells */
    GROUP_CHANNELS = 2048, /* channels that the grid holds */
    GROUP_MIDWAY = 4096,   /* u_last, u_mid */
    GROUP_TILES = GROUP_LISTED | GROUP_CELLS,
    GROUP_SETS = (8192 << SET_COUNT) - 8192, /* all of GROUP_SET */
    GROUP_ALL = 8191 | GROUP_SETS,
    GROUP_GRID = GROUP_ALL & ~(GROUP_PARTICLES | GROUP_SETS | GROUP_SOLIDS | GROUP_SYSTEM)
};

#endif
