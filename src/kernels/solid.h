/* solid.h -- what kernels know of solids: shapes, where they are during a step, and the clearance
 * that is kept from them. src/scene makes and moves them (shapes.h, solids.h). */
#ifndef SPATE_KERNELS_SOLID_H
#define SPATE_KERNELS_SOLID_H

#include <spate/spate.h>

/* world = origin + axes * local; axes is a rotation, row-major */
typedef struct sp_pose {
    double origin[3];
    double axes[9];
} sp_pose;

typedef struct sp_shape {
    spate_shape_kind kind;
    int dim;
    bool invert;
    double half[3]; /* box: half sizes; capsule, cylinder: half[0] = half length; their axis is
                     * local x, as is the normal of a plane */
    double radius;  /* sphere, capsule, cylinder */
    const spate_mesh *mesh; /* mesh, borrowed, in the units of its file: `scale` times smaller than
                               the local frame */
    double scale;           /* mesh; 1 otherwise */
    spate_wall wall;
    double roughness;             /* m, of a rough wall */
    sp_pose rest;                 /* where the shape was placed, its own rotation included */
    double velocity[3];           /* m/s, constant drift */
    const spate_keyframe *motion; /* borrowed from the scene */
    int motion_count;
} sp_shape;

#define SP_GAP 0.3 /* cells: narrower gaps between solids are closed (fractions.h) */

/* Generation of a wall of the domain that stands between faces of the grid: no solid of the scene,
 * and no id leads to it. */
#define SP_SIDE 0u

typedef struct sp_solid {
    uint32_t generation; /* 1 for the first solid at this index, 2 for the next, ...; SP_SIDE */
    bool live;           /* false: removed, and the next one that is added takes its place */
    double born;         /* s, when it was added: its motion and velocity start there */
    bool driven;         /* moved by the host, no longer by its keyframes */
    spate_shape source;  /* a copy that owns its motion and mesh */
    sp_shape form;
    sp_pose from, to;
    sp_pose ahead;          /* `to`, while the solids are held */
    double low[3], high[3]; /* bounds in the world over the step; infinite where the shape is */
    double travel;          /* m, the farthest that a point of it may move in the step */
    double extent;          /* m, the second longest side of its box (2D: the longest), as layers
                             * along walls need it; infinite if that goes through the domain */
    bool moving;            /* in this step */
    double host_position[3],
        host_rotation[3]; /* driven: displacement (m) and rotation (degrees) asked for */
} sp_solid;

typedef struct sp_solids {
    int dim;
    double domain[3]; /* m */
    int count, capacity, live;
    sp_solid *items;
    double travel;   /* the largest of all */
    bool any_moving; /* in this step */
    bool any_drag;   /* some wall is not slip */
} sp_solids;

typedef enum sp_contact { SP_CONTACT_NONE, SP_CONTACT_HIT, SP_CONTACT_CRUSHED } sp_contact;

typedef struct sp_clearance {
    double low[3], high[3]; /* m, where a point may be: the domain less its walls' clearance;
                               infinite where open */
    double clearance;       /* m, kept from solids */
    double reach;           /* m, how far a point that has no place left is looked a place for */
} sp_clearance;

#endif
