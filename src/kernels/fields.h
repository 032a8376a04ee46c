/* fields.h -- what stages see of a simulation on any device: the grid and its arrays, particles,
 * tiles, solids, and how to read them. A GPU's kernels get it by value, with pointers to the GPU's
 * memory. X(sim) has the same members, so that s->u is one (X(fields_of), state.h); they stand
 * there a second time and not in a union with an X(fields), because compilers take a store of any
 * type to change what is read through a union, and loops would read their pointers again after
 * each. */
#ifndef SPATE_KERNELS_FIELDS_H
#define SPATE_KERNELS_FIELDS_H

#include "particles.h"
#include "sets.h"
#include "solid.h"
#include "tiles.h"

typedef struct X(fields) {
#include "members.def"
} X(fields);

/* What a scene has: bits that say when arrays of grid.def and fields.def are there. */
enum {
    WHEN_NEVER = 0,
    WHEN_ALWAYS = 1,
    WHEN_SOLIDS = 2,
    WHEN_MOVERS = 4,    /* solids that move */
    WHEN_FLOWS = 8,     /* inflows or outflows */
    WHEN_DENSITY = 16,  /* the density of the particles */
    WHEN_CHANNELS = 32, /* channels that the grid holds */
    WHEN_AFFINE = 64,   /* particles carry a gradient of velocity */
    WHEN_PUSH = 128,    /* particles are pushed apart */
    WHEN_MULTIGRID = 256,
    WHEN_NO_MULTIGRID = 512,
    WHEN_PCG = 1024,
    WHEN_VOLUME = 2048,      /* SEPARATE keeps the volume */
    WHEN_DRAG = 4096,        /* walls that drag */
    WHEN_LOADS = 8192,       /* gauges of pressure or force */
    WHEN_PROJECTION = 65536, /* the density projection */
    WHEN_CHANGES = 131072,   /* channels that change in a step, on the grid or on the particles */
    WHEN_MIDWAY = 262144,    /* particles move with the velocity in the middle of the step */
    WHEN_LIFT = 524288,      /* likewise, and what is lighter rises */
/* a set of particles: from the highest bits down */
#define SET(NAME, ...) WHEN_##NAME = 1 << (31 - SET_##NAME),
#include "sets.def"
    WHEN_PARTS = WHEN_LOADS | WHEN_LIFT, /* the pressure has parts that are told apart */
    WHEN_CG = WHEN_MULTIGRID | WHEN_PCG  /* a solver by conjugate gradients */
};

/* What the column `outside` of grid.def says. */
enum { OUTSIDE_STAYS = 0, OUTSIDE_FOLLOWS = 1, OUTSIDE_SAVED = OUTSIDE_FOLLOWS | 2 };

/* Where the fluid ends: where phi says; between the cells that hold particles and those that do
 * not; nowhere, it fills all that is open. */
enum { SURFACE_GHOST, SURFACE_VOXEL, SURFACE_NONE };

/* Values of `known`; between the first two and the last, 1 + distance in faces. FIXED: stays as it
 * is, but nothing is taken from it. */
enum { FACE_UNKNOWN = 0, FACE_SOURCE = 1, FACE_FIXED = 255 };
enum { MARK_INFLOW = 1, MARK_OUTFLOW = 2 }; /* bits of `marks` */

#endif
