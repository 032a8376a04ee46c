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
#include "fields.h"
#include "groups.h"
#include "kernels/grid.h"
#include "kernels/inflow.h"
#include "kernels/obstacles.h"
#include "kernels/reseed.h"
#include "kernels/sides.h"
#include "kernels/transfer.h"
#include "scene/solids.h"
#include "sim/table.h"
#include "system.h"

#include <stdatomic.h>
#include <string.h>

typedef struct X(emitter) {
    sp_shape form;
    sp_pose pose;
    float velocity[DIM];        /* m/s */
    int source;                 /* value of the channel "source" */
    double travelled[DIM];      /* sub-cells, how far its lattice has moved */
    bool started;               /* has emitted before */
    double low[DIM], high[DIM]; /* sub-cells, bounds of its shape in the domain */
    _Atomic uint8_t *occupied;  /* per place of the box of its lattice; 0 between steps */
    size_t places;              /* room in `occupied` */
} X(emitter);

typedef struct X(sim) {
    sp_common *common; /* what does not depend on the dimension: scene, threads, ledger, clock */
/* those of X(fields), in the host's memory */
#include "members.def"
    X(system) system;

    X(emitter) *emitters;
    int emitter_count;
    sp_shape *drains; /* outflows, at rest */
    int drain_count;
    int solid_tile_count;
    bool sorted;         /* no particle has moved, come or gone since SORT */
    bool density_summed; /* P2G has left the sums for SURFACE where density_sums says */
    bool solids_changed; /* added or removed: rebuild phi_static */
    bool movers;         /* some solid may move: phi_solid knows of it within SOLID_BAND only */
    float reach;         /* cells around the liquid in which u is known, after EXTRAPOLATE */
    uint64_t dead;       /* particles marked DEAD, not yet removed */
    uint64_t unsound;    /* particles to which G2P gave no finite velocity */
    float fastest;       /* the largest v^2 of particles, m^2/s^2; negative: to be found */
    bool at_home;        /* particles are in the tiles that SORT put them in */
    bool displaced;      /* `away` holds a displacement that ADVECT is to add */
    bool whole_step;     /* the stages follow each other: G2P may leave something to ADVECT */
    bool hands_back;     /* it has: the velocities of the particles */

    void *scratch; /* memory of the arena */
    size_t scratch_size;
#ifdef SPATE_GPU
    struct X(gpu) *gpu; /* cuda/gpu.h */
#endif
} X(sim);

/* What a simulation shows its stages, in the host's memory. */
static inline X(fields) X(fields_of)(const X(sim) *s)
{
    X(fields) f;
    memcpy(&f, (const char *)s + offsetof(X(sim), grid), sizeof f);
    return f;
}

/* ---- device/cuda: an instance that has its arrays also in a GPU's memory (SPATE_GPU). In
 * those of the CPU these do nothing. Groups: GPU_... of state/groups.h. */
#ifdef SPATE_GPU
#define GPU_INSTANCE true
spate_status X(gpu_attach)(X(sim) *s, spate_error *error);
void X(gpu_detach)(X(sim) *s);
void X(fetch)(X(sim) *s, unsigned groups);   /* makes the host's arrays current */
void X(dirty)(X(sim) *s, unsigned groups);   /* the host's arrays are newer now */
void X(discard)(X(sim) *s, unsigned groups); /* the host's arrays were used as scratch */
/* Before a stage: runs it on the device, or makes the host ready for it. */
spate_status X(device_stage)(X(sim) *s, spate_stage stage, double dt, bool *done,
                             spate_error *error);
bool X(device_max_speed)(X(sim) *s, double *speed); /* false: the host is to find it */
uint64_t X(device_bytes)(const X(sim) *s);          /* in the device's memory */
uint64_t X(device_forecast)(const spate_scene *scene, const X(grid) *g, uint64_t particles);
bool X(device_snapshot)(X(sim) *s, sp_snapshot *out); /* see snapshot.h; false: none */
bool X(device_snapshot_wait)(X(sim) *s);
bool X(device_stats)(X(sim) *s, spate_stats *stats); /* false: the host is to take them */
double X(snapshot_bytes)(const spate_scene *scene, double particles); /* of the host's memory */
/* After a step: the seconds of its stages by the device's clock, for it works behind the host. */
void X(device_times)(X(sim) *s, double seconds[SPATE_STAGE_COUNT]);
spate_status X(device_wait)(X(sim) *s, spate_error *error); /* until it has done all so far */
#else
#define GPU_INSTANCE false
static inline spate_status X(gpu_attach)(X(sim) *s, spate_error *error)
{
    (void)s, (void)error;
    return SPATE_OK;
}
static inline void X(gpu_detach)(X(sim) *s)
{
    (void)s;
}
static inline void X(fetch)(X(sim) *s, unsigned groups)
{
    (void)s, (void)groups;
}
static inline void X(dirty)(X(sim) *s, unsigned groups)
{
    (void)s, (void)groups;
}
static inline void X(discard)(X(sim) *s, unsigned groups)
{
    (void)s, (void)groups;
}
static inline spate_status X(device_stage)(X(sim) *s, spate_stage stage, double dt, bool *done,
                                           spate_error *error)
{
    (void)s, (void)stage, (void)dt, (void)error;
    *done = false;
    return SPATE_OK;
}
static inline bool X(device_max_speed)(X(sim) *s, double *speed)
{
    (void)s, (void)speed;
    return false;
}
static inline uint64_t X(device_bytes)(const X(sim) *s)
{
    (void)s;
    return 0;
}
static inline uint64_t X(device_forecast)(const spate_scene *scene, const X(grid) *g,
                                          uint64_t particles)
{
    (void)scene, (void)g, (void)particles;
    return 0;
}
static inline bool X(device_snapshot)(X(sim) *s, sp_snapshot *out)
{
    (void)s, (void)out;
    return false;
}
static inline bool X(device_snapshot_wait)(X(sim) *s)
{
    (void)s;
    return true;
}
static inline bool X(device_stats)(X(sim) *s, spate_stats *stats)
{
    (void)s, (void)stats;
    return false;
}
static inline double X(snapshot_bytes)(const spate_scene *scene, double particles)
{
    (void)scene, (void)particles;
    return 0;
}
static inline void X(device_times)(X(sim) *s, double seconds[SPATE_STAGE_COUNT])
{
    (void)s, (void)seconds;
}
static inline spate_status X(device_wait)(X(sim) *s, spate_error *error)
{
    (void)s, (void)error;
    return SPATE_OK;
}
#endif

/* ---- state.c */
X(sim) *X(create)(sp_common *common, spate_error *error);
void X(destroy)(X(sim) *s);
sp_arena X(arena)(X(sim) *s);
spate_status X(forecast)(const spate_scene *scene, int threads, spate_forecast *forecast,
                         spate_error *error);
X(grid) X(grid_make)(const spate_scene *scene);
void X(grid_layout)(X(grid) *g); /* strides and sizes from the number of tiles */

/* ---- particles.c */
int X(particle_columns)(X(particles) *p,
                        void ***columns); /* addresses of the column pointers in use */
spate_status X(particles_reserve)(X(sim) *s, uint64_t count, spate_error *error);
/* Appends one; room must be reserved. Channels get their initial values and `source`. */
void X(particles_append)(X(sim) *s, const float x[DIM], const float v[DIM], int source);
void X(particles_remove_dead)(X(sim) *s);

/* Writes particle k, whose id is k. */
void X(particles_put)(X(sim) *s, uint32_t k, const float x[DIM], const float v[DIM], int source);

/* ---- seed.c: the particles at the start; room for as many as seed_count says must be reserved. */
spate_status X(seed_count)(const spate_scene *scene, const X(grid) *g, const sp_solids *solids,
                           uint64_t *count, spate_error *error);
spate_status X(seed)(X(sim) *s, uint64_t *count, spate_error *error);

/* ---- tiles.c */
void X(tiles_update)(X(sim) *s); /* from tiles.start: the lists; clears what left them */

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

/* ---- settle.c: the collision guarantee of every stage that moves particles */
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

uint64_t X(count_unsound)(const X(sim) *s, int tile); /* g2p.c: what MOST_SPEED refuses */

/* ---- the stages (step.c calls them in order) */
void X(update_solids)(X(sim) *s, double dt);
void X(lay_solids)(X(sim) *s); /* the part of it that writes the grid, from the poses as they are */
void X(build_surface)(X(sim) *s);
void X(add_forces)(X(sim) *s, double dt);
spate_status X(project)(X(sim) *s, double dt, spate_error *error);
void X(extrapolate)(X(sim) *s, double dt);
void X(carry_kick)(X(sim) *s);
float X(kept_share)(const X(sim) *s);     /* of their own velocity, that FLIP leaves to particles */
bool X(hands_back_late)(const X(sim) *s); /* whether ADVECT can do G2P's part on the particles */
void X(separate_particles)(X(sim) *s, double dt);
spate_status X(advect_particles)(X(sim) *s, double dt, spate_error *error);
spate_status X(emit_and_drain)(X(sim) *s, double dt, spate_error *error);
spate_status X(step)(X(sim) *s, double dt, spate_error *error);
spate_status X(run_stage)(X(sim) *s, spate_stage stage, double dt, spate_error *error);

/* ---- solids.c */
float X(face_velocity)(const X(sim) *s, const int cell[DIM], int d,
                       double dt); /* of the nearest solid at a face */
void X(constrain_faces)(
    X(sim) *s,
    double dt); /* voxel: faces between a solid and another cell get the solid's velocity */
void X(slide_faces)(X(sim) *s,
                    double dt); /* cut: closed faces lose their velocity into the solid */
bool X(has_cut_cells)(const X(sim) *s);

/* ---- fractions.c */
void X(update_fractions)(X(sim) *s, const int *tiles,
                         int count);                /* from phi_solid; tiles = NULL: all */
float X(cell_share)(const X(sim) *s, size_t index); /* of a cell that is free of solids, 0 .. 1 */

/* ---- surface.c */
bool X(has_level_set)(const X(sim) *s);
void X(update_level_set)(X(sim) *s); /* phi from the sorted particles */
/* Where the particles around the middles of cells are counted, with the linear kernel: `density`,
 * or phi without it; NULL if nobody needs it. */
float *X(density_sums)(X(sim) *s);
sp_clearance X(clearance)(const X(sim) *s);

/* ---- push_apart.c and density.c: the two ways of SEPARATE. push_apart moves the particles and
 * returns the sum of gravity times way over them, m^2/s^2: what it took from the potential energy,
 * per particle mass; project_density leaves the displacement in `away` for ADVECT. */
#define PUSH_PAIRS 4 /* of the list that both passes share, per particle */
bool X(pushes_apart)(const spate_scene *scene);
size_t X(push_scratch)(const spate_scene *scene); /* bytes that a worker needs in the arena */
double X(push_apart)(X(sim) *s);
void X(project_density)(X(sim) *s);
void X(book_separation)(X(sim) *s, double work); /* separate.c */
size_t X(patch_scratch)(void); /* bytes per worker for the patches of a tile: G2P, ADVECT */

/* ---- emit.c */
spate_status X(emitters_create)(X(sim) *s, spate_error *error);
void X(emitters_destroy)(X(sim) *s);
/* Its lattice moves on by dt; what it is then, and how many places it has. */
size_t X(emitter_advance)(X(sim) *s, X(emitter) *e, double dt, X(lattice) *lattice);
spate_status X(reseed)(X(sim) *s, spate_error *error); /* reseed.c: the last part of EMIT */
X(reseeding) X(reseeding_of)(const X(sim) *s);         /* what it goes by */
void X(prescribe_inflow)(X(sim) *s); /* faces of inflow cells get the inflow's velocity */

/* ---- channels.c */
void X(channels_step)(X(sim) *s, double dt);

/* ---- reduce.c: sums and maxima over particles, the same bits for any number of threads */
double X(max_speed)(X(sim) *s);

/* ---- spacing.c */
typedef struct X(spacing) {
    double nearest;  /* cells, between any two particles; at most 1 */
    double overlaps; /* share of particles with another one closer than half the separation */
} X(spacing);
X(spacing) X(measure_spacing)(X(sim) *s); /* of sorted particles */
/* What is looked for, and what it comes to; for devices, which look for themselves. */
typedef struct X(spacing_limits) {
    float close, half;       /* squares of the distances of close pairs and of overlaps, cells */
    size_t every, looked_at; /* of so many particles one, so many in all */
} X(spacing_limits);
X(spacing_limits) X(limits_of_spacing)(const spate_scene *scene, size_t count);
X(spacing) X(spacing_of)(const spate_scene *scene, const X(spacing_limits) *limits, double close,
                         double usual, uint64_t overlaps);

/* ---- momentum.c: what G2P hands back, measured in the first step of a frame */
void X(before_transfer)(X(sim) *s, double momentum[DIM]);
void X(after_transfer)(X(sim) *s, double dt, const double momentum[DIM]);

/* ---- stats.c */
void X(stats)(X(sim) *s, spate_stats *stats);
uint64_t X(hash)(X(sim) *s);

/* ---- save.c */
spate_status X(save)(X(sim) *s, sp_stream *stream);
spate_status X(load)(X(sim) *s, sp_stream *stream, spate_error *error);

#endif
