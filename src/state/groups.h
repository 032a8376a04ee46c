/* groups.h -- arrays of a simulation that become stale together, where they stand in two memories
 * (cuda/residency.c). */
#ifndef SPATE_STATE_GROUPS_H
#define SPATE_STATE_GROUPS_H

enum {
    GPU_NONE = 0,
    GPU_PARTICLES = 1,
    GPU_LISTED = 2, /* lists of tiles */
    GPU_U = 4,
    GPU_U_OLD = 8,
    GPU_WEIGHT = 16,   /* later in the step u_carried, then the displacement */
    GPU_SURFACE = 32,  /* phi, density, type */
    GPU_PRESSURE = 64, /* p */
    GPU_KNOWN = 128,
    GPU_SOLIDS = 256, /* phi_solid, w, room, marks */
    GPU_SYSTEM = 512, /* the pressure system: each memory has its own, which is never copied */
    GPU_CELLS = 1024, /* first and count of cells */
    GPU_TILES = GPU_LISTED | GPU_CELLS,
    GPU_ALL = 2047,
    GPU_GRID = GPU_ALL & ~(GPU_PARTICLES | GPU_SOLIDS | GPU_SYSTEM)
};

#endif
