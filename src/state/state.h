/* state.h -- everything a simulation holds, in one dimension (this file is compiled as 2D and as
 * 3D).
 *
 * Symbols, the same in code, docs and scenes: u face velocity (m/s), p pressure (Pa), dx cell size
 * (m), dt step (s), phi level set, w weight or open fraction of a face. */
#ifndef SPATE_STATE_STATE_H
#define SPATE_STATE_STATE_H

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "groups.h"
#include "kernels/grid.h"
#include "kernels/inflow.h"
#include "kernels/obstacles.h"
#include "kernels/reseed.h"
#include "kernels/sides.h"
#include "kernels/transfer.h"
#include "scene/solids.h"
#include "sim/table.h"

#include <stdatomic.h>

#define MAX_CHANNELS 16
#define MOST_SPEED 1e30f /* m/s: what is no less is no velocity */
#define MAX_COLUMNS (2 * DIM + 1 + DIM * DIM + 4 * MAX_CHANNELS)

typedef uint32_t __attribute__((may_alias)) X(word); /* a value of a column, whatever its type */

/* Structure of arrays; every value has 4 bytes. Between steps in any order, after SORT by tile,
 * cell and id. */
typedef struct X(particles) {
    uint32_t count, capacity;
    uint32_t next_id;
#define FIELD(name, components, type, when) type *name[components];
#include "fields.def"
#undef FIELD
    float *channel[4 * MAX_CHANNELS]; /* components of all channels in order */
    int channel_columns;
    float *spare;     /* one column: sorting writes into it and swaps */
    uint32_t *order;  /* scratch of sorting: particles by tile, in the end by tile, cell and id */
    uint8_t *rounded; /* scratch of push_apart.c, 4 per particle; NULL without it */
    float *between;   /* likewise, one column */
    uint32_t *pairs;  /* likewise, PUSH_PAIRS per particle */
} X(particles);

/* Faces of a tile in EXTRAPOLATE, a bit for each, x fastest: those that others may take from,
 * before and after the layer that is being made, by turns; and those that have nothing yet. */
#define FRONT_WORDS (TILE_CELLS / 64)
typedef struct X(front) {
    uint64_t from[2][DIM][FRONT_WORDS], unknown[DIM][FRONT_WORDS];
    bool open, changed; /* some are unknown; some became known in the last layer */
} X(front);

/* Lists of tiles, in ascending order. */
typedef struct X(tiles) {
    int *active; /* tiles of the domain with particles, and their neighbours */
    int active_count;
    int *liquid; /* tiles with particles, grouped by colour */
    int liquid_count;
    int colour_start[COLOURS + 1];
    int *faces; /* active tiles, and border tiles that hold the last faces of the domain (see
                   row_has_faces) */
    int face_count;
    int *border; /* border tiles next to active ones */
    int border_count;
    uint8_t *state;   /* per tile: TILE_... bits */
    uint8_t *near;    /* per tile: NEAR_... bits, how far the surface is */
    uint8_t *marked;  /* per tile: whether EXTRAPOLATE has marked faces of it, MARKED_... */
    X(front) *fronts; /* per tile: how far EXTRAPOLATE has come; valid if it is marked */
    uint8_t *cut;     /* per tile: whether some of its faces are not open; valid with solids */
    uint32_t *start;  /* per tile: its first particle; start[tile_count] = count */
} X(tiles);

enum {
    TILE_LIQUID = 1,
    TILE_ACTIVE = 2,
    TILE_BORDER = 4,
    TILE_ACROSS = 8
}; /* and the same << 4 of the last step */

/* A grid of the multigrid hierarchy: level 0 is that of the system, each further one has half as
 * many cells per axis. Its vectors are blocks, see pressure/block.h. */
typedef struct X(level) {
    X(grid) grid;
    float *a[DIM], *diagonal; /* off-diagonals and diagonal, as in X(system) */
    int *tiles;               /* with unknowns, ascending; their blocks are 1 .. tile_count */
    int tile_count;
    uint8_t *listed;            /* per tile: bit 0 in `tiles`, bit 1 was in it before */
    int *slot;                  /* per tile: its block, 0 if it has none */
    int *tile_of;               /* per block: its tile */
    int block_count;            /* with those of images across periodic sides; without block 0 */
    int (*near)[2 * DIM];       /* per block: those across its faces */
    int *order;                 /* blocks of even tiles, then those of odd ones */
    int *part[2];               /* where the parts of a cycle begin in `order`, of either parity */
    int part_count;             /* and where the last one ends */
    uint8_t *kind;              /* per block: KIND_... */
    uint32_t *some, *uneven;    /* per block: pairs of rows with an unknown; those of them where
                                   off-diagonals are read; not of uniform tiles */
    float *d, *inverse, *b, *x; /* blocks: diagonal; its inverse, 0 without unknown; vectors */
    float *faces;               /* per block: off-diagonals, if the tile is general */
} X(level);
#define MAX_LEVELS 16
enum { KIND_UNIFORM, KIND_GENERAL, KIND_SEAM }; /* of tiles, see pressure/multigrid.c */

/* Liquid that touches no air: the sum of its right sides, and of how many cells. */
typedef struct X(pocket) {
    double sum, count;
} X(pocket);

/* What a tile has: no unknown; some, and all faces between them open; only such, and around it too;
 * some, and solids near. STALE: what the arrays hold is not known. */
enum { UNKNOWN_NONE, UNKNOWN_PLAIN, UNKNOWN_DEEP, UNKNOWN_CUT, UNKNOWN_STALE };

/* The pressure system of a step, units in which dt / (rho dx) = 1 (see pressure/system.c). */
typedef struct X(system) {
    float *a[DIM];    /* off-diagonals: face between two unknowns; 0 elsewhere */
    float *diagonal;  /* 0 where there is no unknown */
    float *b;         /* right side, m/s */
    float *q;         /* solution, m/s: p dt / (rho dx) */
    float *q_density; /* that of the density projection, square cells */
    float *r, *s, *z; /* vectors of the iterations; not for multigrid */
    double *q_sum;    /* pcg, multigrid: the solution so far in fp64 */
    float *mic;       /* pcg: the inverse of the preconditioner's diagonal */
    float *direction[2],
        *image;      /* multigrid, blocks: the last and the next direction, A times it */
    double *step;    /* multigrid, blocks: the correction to q so far */
    double *partial; /* multigrid, per block: of a sum */
    bool hierarchy;  /* multigrid: the levels are those of this system */
    X(level) levels[MAX_LEVELS]; /* multigrid */
    int level_count;
    int sweeps;                  /* multigrid: of the smoother, before and after; even */
    float least_theta;           /* bound of the surface's share of a cell distance */
    uint8_t *unknown;            /* per tile: UNKNOWN_..., those not active NONE */
    uint64_t *rows;              /* per tile: its rows with an unknown, bit r for row r */
    uint8_t *pocket;             /* unknowns: not 0 in a component that touches no air */
    uint8_t *pocketed;           /* per tile: whether some of its `pocket` are not 0 */
    bool has_pockets;            /* there is one */
    uint32_t *node;              /* per tile: the component of its unknowns, see pockets.c */
    _Atomic uint32_t *component; /* cells: another one of the same component, see pockets.c */
    X(pocket) *pockets;          /* cells: of the pocket whose root it is */
    int *wave; /* liquid tiles by the sum of their coordinates: those of one sum do not depend on
                  each other */
    int *wave_start; /* per sum: first of them in `wave` */
    int wave_count;
} X(system);

typedef struct X(emitter) {
    sp_shape form;
    sp_pose pose;
    float velocity[DIM];        /* m/s */
    int source;                 /* value of the channel "source" */
    double travelled[DIM];      /* sub-cells, how far its lattice has moved */
    bool started;               /* has emitted before, since it was last turned on */
    bool off;                   /* gives nothing, and its cells are like others */
    double low[DIM], high[DIM]; /* sub-cells, bounds of its shape in the domain */
    _Atomic uint8_t *occupied;  /* per place of the box of its lattice; 0 between steps */
    size_t places;              /* room in `occupied` */
} X(emitter);

typedef struct X(sim) {
    sp_common *common; /* what does not depend on the dimension: scene, threads, ledger, clock */
    X(grid) grid;
    X(particles) particles;
    X(tiles) tiles;
    X(system) system;
    sp_solids solids;
    int degree; /* of the kernel */
    bool apic;

    /* grid fields; zero outside the active tiles */
    float *u[DIM];       /* face velocity */
    float *u_old[DIM];   /* face velocity as it came from the particles */
    float *weight[DIM];  /* of a face in P2G; EXTRAPOLATE is the last to need it */
    float *carried[DIM]; /* what G2P reads (g2p_field.c); in the memory of `weight` */
    float *away[DIM];    /* cells, from SEPARATE to ADVECT: displacement, see `displaced`; in the
                            memory of `u_old`, on a GPU in that of `weight` */
    float *phi; /* m, cells: signed distance to the surface, negative in the liquid, cut off at one
                   dx */
    float *density; /* cells: of particles, against rest density times the free room, 1 where that
                       is little; NULL without density projection */
    bool sorted;    /* no particle has moved, come or gone since SORT */
    bool density_summed;     /* P2G has left the sums for SURFACE where density_sums says */
    float *p;                /* Pa, the last pressure: start of the next solve */
    uint8_t *type;           /* spate_cell */
    uint8_t *known[DIM];     /* EXTRAPOLATE: 0 unknown, else 1 + distance in faces, or FACE_FIXED */
    uint32_t *first, *count; /* per cell: its first particle, how many */
    float *phi_solid;  /* m, nodes: signed distance to solids; exact near them, a bound far away;
                          everywhere */
    float *phi_static; /* the same for the solids that rest; only with moving solids */
    float *w[DIM];     /* faces: share that is open, 0 .. 1; valid while there are solids */
    float *room; /* cells: what is free of solids of the volume that the linear kernel sees, 0 .. 1;
                    likewise */
    uint8_t *marks;   /* per cell, fixed: MARK_... bits; NULL without inflows and outflows */
    int16_t *mark_of; /* per cell with MARK_INFLOW: which */
    float *channel_sum, *channel_weight; /* P2G of pic channels; NULL without */

    X(emitter) *emitters;
    int emitter_count;
    float *inflow_velocity; /* m/s, DIM numbers for each of them */
    sp_shape *drains;       /* outflows, at rest */
    int drain_count;
    int *solid_tiles; /* tiles that moving solids touched in the last update */
    int solid_tile_count;
    bool solids_changed; /* added or removed: rebuild phi_static */
    bool movers;         /* some solid may move: phi_solid knows of it within SOLID_BAND only */
    float reach;         /* cells around the liquid in which u is known, after EXTRAPOLATE */
    uint64_t dead;       /* particles marked DEAD, not yet removed */
    uint64_t unsound;    /* particles to which G2P gave no finite velocity */
    float fastest;       /* the largest v^2 of particles, m^2/s^2; negative: to be found */
    bool at_home;        /* particles are in the tiles that SORT put them in */
    bool displaced;      /* `away` holds a displacement that ADVECT is to add */

    void *scratch; /* memory of the arena */
    size_t scratch_size;
    const struct X(device) *device; /* that computes the steps: device.h */
    const struct X(device) *host; /* the CPU's, which works on the arrays above; may be the same */
    struct X(gpu) *gpu;           /* the memory of a device beside the CPU: cuda/gpu.h */
} X(sim);

/* Values of `known`; between the first two and the last, 1 + distance in faces. FIXED: stays as it
 * is, but nothing is taken from it. */
enum { MARKED_NONE, MARKED_SOME };
enum { FACE_UNKNOWN = 0, FACE_SOURCE = 1, FACE_FIXED = 255 };
enum { MARK_INFLOW = 1, MARK_OUTFLOW = 2 };
enum {
    NEAR_EMPTY = 1,
    NEAR_SURFACE = 2,
    NEAR_GIVES = 4
}; /* has an empty cell; one next to that; gives to such */

/* ---- state.c */
X(sim) *X(create)(sp_common *common, const struct X(device) *device, const struct X(device) *host,
                  spate_error *error);
void X(destroy)(X(sim) *s);
sp_arena X(arena)(X(sim) *s);
X(grid) X(grid_make)(const spate_scene *scene);
void X(grid_layout)(X(grid) *g); /* strides and sizes from the number of tiles */

/* ---- particles.c */
int X(particle_columns)(X(particles) *p,
                        void ***columns); /* addresses of the column pointers in use */
spate_status X(particles_reserve)(X(sim) *s, uint64_t count, spate_error *error);
/* Appends one; room must be reserved. Channels get their initial values and `source`. */
void X(particles_append)(X(sim) *s, const float x[DIM], const float v[DIM], int source);
void X(particles_remove_dead)(X(sim) *s);
uint64_t X(hash)(X(sim) *s);

/* Writes particle k, whose id is k. */
void X(particles_put)(X(sim) *s, uint32_t k, const float x[DIM], const float v[DIM], int source);

/* ---- seed.c: the particles at the start; room for as many as seed_count says must be reserved. */
spate_status X(seed_count)(const spate_scene *scene, const X(grid) *g, const sp_solids *solids,
                           uint64_t *count, spate_error *error);
spate_status X(seed)(X(sim) *s, uint64_t *count, spate_error *error);

/* ---- border.c */
/* What particles gave to places outside goes where it belongs; weight may be NULL. */
void X(fold_border)(X(sim) *s, float *sum, float *weight, int d);
void X(fill_border)(X(sim) *s, float *field,
                    int d); /* d: component of a face field, -1: cell values */
/* All components of `count` face fields. */
void X(fill_border_faces)(X(sim) *s, float *const *const *fields, int count);
void X(fill_border_periodic)(X(sim) *s, float *field, int d); /* periodic sides only */
void X(fill_border_wide)(X(sim) *s, double *field);           /* the same in fp64 */
void X(fill_border_bytes)(X(sim) *s, uint8_t *field);         /* face marks, periodic sides only */
void X(fill_border_type)(X(sim) *s);                          /* walls are solid, open sides air */
/* The place inside, along an axis, whose value `fill_border` gives to place i; across: of faces. */
int X(image_place)(const X(sim) *s, int axis, int i, bool across);
void X(close_walls)(X(sim) *s); /* u = 0 on the faces of walls */

/* ---- collide.c: the collision guarantee of every stage that moves particles */
typedef struct X(mover) {
    X(sim) *s;
    X(obstacles) obstacles;
    _Atomic uint64_t collisions, open, crushed, far;
} X(mover);
X(mover) X(mover_begin)(X(sim) *s, double dt);
/* Takes a particle from x to `to` (cells), which becomes where it may be, and takes what goes into
 * walls and solids out of v; false: it is to be marked DEAD (and is counted), which a correction
 * (dt = 0) never asks for. Any thread. */
bool X(collide)(X(mover) *m, const float x[DIM], float to[DIM], float v[DIM]);
void X(mover_end)(X(mover) *m); /* books what was counted */

/* ---- rules.c: what follows from the scene */
sp_clearance X(clearance)(const X(sim) *s); /* of particles from walls and solids */
bool X(has_cut_cells)(const X(sim) *s);
bool X(has_level_set)(const X(sim) *s);
float X(kept_share)(const X(sim) *s); /* of their own velocity, that FLIP leaves to particles */
#define PUSH_PAIRS 4 /* of the list that both passes of push-apart share, per particle */
bool X(pushes_apart)(const spate_scene *scene);
/* work: gravity times way, over the particles that SEPARATE moved, m^2/s^2. */
void X(book_separation)(X(sim) *s, double work);
X(reseeding) X(reseeding_of)(const X(sim) *s);
typedef struct X(spacing) {
    double nearest;  /* cells, between any two particles; at most 1 */
    double overlaps; /* share of particles with another one closer than half the separation */
} X(spacing);
/* What statistics look for in the spacing of particles, and what it comes to. */
typedef struct X(spacing_limits) {
    float close, half;       /* squares of the distances of close pairs and of overlaps, cells */
    size_t every, looked_at; /* of so many particles one, so many in all */
} X(spacing_limits);
X(spacing_limits) X(limits_of_spacing)(const spate_scene *scene, size_t count);
X(spacing) X(spacing_of)(const spate_scene *scene, const X(spacing_limits) *limits, double close,
                         double usual, uint64_t overlaps);

/* ---- emitters.c */
spate_status X(emitters_create)(X(sim) *s, spate_error *error);
void X(mark_flows)(X(sim) *s); /* marks and mark_of: inflows that are on, and outflows */
void X(emitters_destroy)(X(sim) *s);
/* The lattice of an emitter moves on by dt; returns how many places it has then. */
size_t X(emitter_advance)(X(sim) *s, X(emitter) *e, double dt, X(lattice) *lattice);

/* ---- levels.c: the grids of the multigrid, the finest first; returns how many. */
int X(level_grids)(const X(grid) *finest, X(grid) grids[MAX_LEVELS]);

/* ---- reduce.c: sum over [0, n) of what `partial` adds up for each range, in order of the ranges;
 * maximum likewise. */
typedef double X(partial_fn)(void *args, size_t begin, size_t end);
double X(sum)(X(sim) *s, size_t n, size_t grain, X(partial_fn) *partial, void *args);
double X(maximum)(X(sim) *s, size_t n, size_t grain, X(partial_fn) *partial, void *args);

#endif
