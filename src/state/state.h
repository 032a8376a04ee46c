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
#include "common.h"
#include "groups.h"
#include "kernels/census.h"
#include "kernels/emit.h"
#include "kernels/fields.h"
#include "kernels/grid.h"
#include "kernels/obstacles.h"
#include "kernels/reseed.h"
#include "kernels/sides.h"
#include "kernels/transfer.h"
#include "scene/solids.h"
#include "sets.h"
#include "system.h"

#include <stdatomic.h>
#include <string.h>

typedef struct X(emitter) {
    sp_shape form;
    sp_pose pose;
    float velocity[DIM];        /* m/s */
    int source;                 /* value of the channel "source" */
    double travelled[DIM];      /* sub-cells, how far its lattice has moved */
    bool started;               /* has emitted before, since it was last turned on */
    bool off;                   /* gives nothing, and its cells are like others */
    bool shut;                  /* a host has turned it off, whatever the scene says */
    bool by_cells;              /* it gives a flow, by the cells that it marks, */
    double area;                /* cells: through so much */
    double owed;                /* likewise: particles that it is to give yet */
    double low[DIM], high[DIM]; /* sub-cells, bounds of its shape in the domain */
    uint8_t *marks;             /* per place of the box of its lattice: scratch of EMIT */
    size_t places;              /* room in `marks` */
} X(emitter);

typedef struct X(sim) {
    sp_common *common; /* what does not depend on the dimension: scene, threads, ledger, clock */
/* those of X(fields), in the host's memory */
#include "kernels/members.def"
    X(system) system; /* of the pressure */
    X(domain) domain; /* of the arrays above */

    X(emitter) *emitters;
    int emitter_count;
    sp_shape *drains;    /* outflows, at rest */
    float *drain_bounds; /* as in X(outflows) */
    bool *drain_off;     /* those that are closed: their bounds hold nothing */
    int drain_count;
    int solid_tile_count;
    unsigned needs;      /* WHEN_..., what the scene has */
    bool density_summed; /* P2G has left the sums for SURFACE where density_sums says */
    bool solids_changed; /* added or removed: rebuild phi_static */
    bool movers;         /* some solid may move: phi_solid knows of it within SOLID_BAND only */
    float reach;         /* cells around the liquid in which u is known, after EXTRAPOLATE */
    uint64_t unsound;    /* particles to which G2P gave no finite velocity */
    double stretch;      /* of p, in what gauges read: kernels/probe.h */
    double path;         /* s, of the step that led the particles to where p is found; 0: none */
    bool lifted;         /* p_gravity is that of this step */
    bool displaced;      /* `away` holds a displacement that ADVECT is to add */

    struct X(source) *sources;   /* of the step, those that are on: kernels/sources.h */
    sp_shape *source_forms;      /* of the scene, at rest */
    const sp_shape *forms_there; /* the same in the memory of the device */
    int source_count;

    X(set) sets[SET_COUNT]; /* of the scene: the fluid, then others in the order of sets.def */
    int set_count;
    X(cell_list) shared_cells; /* of the others: good in the stage that sorts one of them */

    struct X(gauge) *gauges;    /* of the scene, as devices take them: gauges.c */
    double (*gauge_parts)[3];   /* of their sums */
    double (*gauge_gravity)[3]; /* their values of p_gravity */

    void *scratch; /* memory of the arena */
    size_t scratch_size;
    const struct X(device) *device; /* that computes the steps: device.h */
    const struct X(device) *host; /* the CPU's, which works on the arrays above; may be the same */
    struct X(gpu) *gpu;           /* the memory of a device beside the CPU: cuda/gpu.h */
} X(sim);

/* What a simulation shows its stages, in the host's memory. */
static inline X(fields) X(fields_of)(const X(sim) *s)
{
    X(fields) f;
    memcpy(&f, (const char *)s + offsetof(X(sim), grid), sizeof f);
    return f;
}

/* ---- state.c */
X(sim) *X(create)(sp_common *common, const struct X(device) *device, const struct X(device) *host,
                  spate_error *error);
void X(destroy)(X(sim) *s);
sp_arena X(arena)(X(sim) *s);
X(grid) X(grid_make)(const spate_scene *scene);
void X(grid_layout)(X(grid) *g); /* strides and sizes from the number of tiles */
/* Reserves room for so many particles of the liquid, with the scratch that stages need for them. */
spate_status X(make_room)(X(sim) *s, uint64_t count, spate_error *error);

/* ---- particles.c: any set of particles; more of it in kernels/particles.h */
X(particles) X(particles_make)(unsigned needs, int own_columns); /* empty, without memory */
void X(particles_free)(X(particles) *p);
spate_status X(particles_reserve)(X(particles) *p, uint64_t count, spate_error *error);
/* Appends one; room must be reserved. initial: of each column of the channels. */
void X(particles_append)(X(particles) *p, const float x[DIM], const float v[DIM],
                         const float *initial);
void X(particles_remove_dead)(X(particles) *p);
uint64_t X(hash)(X(particles) *p, sp_pool *pool); /* the same for any order of the particles */

/* What the channels of new particles of the liquid hold, column by column. */
void X(initial_channels)(const spate_scene *scene, int source, float initial[CHANNEL_COLUMNS]);

/* ---- seed.c: the particles at the start; room for as many as seed_count says must be reserved. */
spate_status X(seed_count)(const spate_scene *scene, const X(grid) *g, const sp_solids *solids,
                           uint64_t *count, spate_error *error);
spate_status X(seed)(X(sim) *s, uint64_t *count, spate_error *error);
/* The particles of one fill, by itself, one by one. */
typedef void X(seed_fn)(void *user, const float x[DIM], const float v[DIM], const float *initial);
spate_status X(seed_late)(X(sim) *s, int fill, X(seed_fn) *take, void *user, spate_error *error);

/* ---- border.c */
/* What particles gave to places outside goes where it belongs; weight may be NULL. */
void X(fold_border)(X(sim) *s, float *sum, float *weight, int d);
void X(fill_border)(X(sim) *s, float *field,
                    int d); /* d: component of a face field, -1: cell values */
/* All components of `count` face fields. */
void X(fill_border_faces)(X(sim) *s, float *const *const *fields, int count);
/* Periodic sides only, of any array; the same of cell values in fp64. */
void X(fill_border_periodic)(const X(domain) *domain, float *field, int d);
void X(fill_border_wide)(const X(domain) *domain, double *field);
void X(fill_border_bytes)(X(sim) *s, uint8_t *field); /* face marks, periodic sides only */
void X(fill_border_type)(X(sim) *s);                  /* walls are solid, open sides air */
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
int X(surface_of)(const spate_scene *scene); /* SURFACE_... */
bool X(has_level_set)(const X(sim) *s);
int X(affine_of)(const spate_scene *scene); /* AFFINE_... of its transfer: kernels/gradient.h */
/* Of their own velocity, that FLIP and AFLIP leave to particles in a step. */
float X(kept_share)(const X(sim) *s, double dt);
double X(kick_seconds)(const X(sim) *s, double dt);        /* for which forces act in a step */
float X(gravity_kick)(const X(sim) *s, int d, double dt);  /* m/s along axis d */
struct X(forces) X(forces_of)(const X(sim) *s, double dt); /* kernels/forces.h */
struct X(step_info) X(step_info_of)(const X(sim) *s, double dt);   /* kernels/step_info.h */
struct X(channel_step) X(channels_of)(const X(sim) *s, double dt); /* kernels/channels.h */
struct X(buoyancy) X(buoyancy_of)(const X(sim) *s, double dt);     /* kernels/forces.h */
/* What is to be added to a column that the grid holds, to have it in its unit: K. */
double X(channel_origin)(const X(sim) *s, int on_grid);
#define PUSH_PAIRS 4 /* of the list that both passes of push-apart share, per particle */
bool X(pushes_apart)(const spate_scene *scene);
bool X(rides_along)(const X(sim) *s); /* the velocity, with the displacement: kernels/shift.h */
/* work: gravity times way, over the particles that SEPARATE moved, m^2/s^2. */
void X(book_separation)(X(sim) *s, double work);
struct sp_turn X(turn_of)(const X(sim) *s); /* kernels/g2p.h */
/* Sums over the particles, m/s: of v as G2P was to leave it and as it did, and of |v|. */
/* slip_p999 and slip_max, from the histogram and the bits of the largest slip (kernels/slip.h). */
void X(book_slip)(X(sim) *s, const uint64_t bins[], uint32_t most);
void X(book_momentum)(X(sim) *s, double dt, const double expected[DIM], const double got[DIM],
                      double speeds);
X(reseeding) X(reseeding_of)(const X(sim) *s, double dt);

/* ---- channels.c: sources, and the ledger of the channels, on the host's arrays. */
spate_status X(sources_create)(X(sim) *s, spate_error *error);
void X(sources_destroy)(X(sim) *s);
/* Of a column, over the particles from `first` on, or over those of them that are DEAD. */
double X(channel_sum)(const X(particles) *p, int column, uint32_t first, bool dead);
void X(book_start)(X(sim) *s);                     /* of what was seeded */
void X(book_arrivals)(X(sim) *s, uint32_t before); /* of the particles from there on */
void X(remove_dead)(X(sim) *s);                    /* books what they carried */

/* ---- census.c: statistics. */
X(spacing_limits) X(limits_of_spacing)(const spate_scene *scene, size_t count);
/* What a device finds. */
typedef struct X(census) {
    X(cell_census) cells;
    X(particle_census) particles;
    double volume;       /* inside the level set, if there is one; cells */
    double max_speed;    /* m/s */
    double close, usual; /* smallest distances, cells; see cpu/spacing.c */
    double channels[CHANNEL_COLUMNS], held[GRID_COLUMNS]; /* over particles, over cells */
    uint64_t overlaps, flying;                            /* particles */
} X(census);
void X(fill_stats)(const X(sim) *s, const X(census) *census, spate_stats *stats);

/* ---- gauges.c */
struct X(probe); /* kernels/probe.h */
struct X(gauge); /* kernels/gauges.h */
spate_status X(gauges_create)(X(sim) *s, spate_error *error);
void X(gauges_destroy)(X(sim) *s);
struct X(probe) X(probe_of)(const X(sim) *s);                   /* the host's arrays */
size_t X(list_gauges)(X(sim) *s, const struct X(probe) *probe); /* returns how many parts */
size_t X(most_gauge_parts)(const spate_scene *scene, const X(grid) *grid);

/* ---- emitters.c */
void X(bound_shape)(double dx, const sp_shape *shape, float bounds[2 * DIM]);
spate_status X(emitters_create)(X(sim) *s, spate_error *error);
void X(mark_flows)(X(sim) *s); /* marks and mark_of: inflows that are on, and outflows */
void X(emitters_destroy)(X(sim) *s);
X(outflows) X(outflows_of)(const X(sim) *s);
void X(bound_drain)(X(sim) *s, int outflow); /* drain_bounds of one, as open as it is */

/* ---- timeline.c */
/* After solids are on the grid: areas of inflows with a flow, and the settings of the start. */
spate_status X(flows_begin)(X(sim) *s, spate_error *error);
/* The settings of a step from `time` on (s). */
void X(follow_time)(X(sim) *s, double time, double dt);
/* Adds the fills whose start is later than `after` and not later than `until`. */
spate_status X(appear)(X(sim) *s, double after, double until, bool *appeared, spate_error *error);

/* ---- emitters.c: EMIT */
/* What a device does in EMIT, with the particles where it computes (stages/emit.c, reseed.c). */
typedef struct X(emission) {
    uint32_t (*drain)(X(sim) *s);   /* marks particles in outflows DEAD; how many */
    void (*remove_dead)(X(sim) *s); /* those that particles.dead counts */
    /* Sum of a column of the channels over the particles from `first` on, or over the DEAD ones. */
    double (*sum_channel)(X(sim) *s, int column, uint32_t first, bool dead);
    /* Inflow k has `places`: how many particles come; then, with room for inflow->what, these. The
     * device points the inflow to its own memory. */
    uint32_t (*find)(X(sim) *s, int k, struct X(inflow) *inflow, size_t places);
    void (*put)(X(sim) *s, const struct X(inflow) *inflow, size_t places);
    /* Of sorted particles: how many new ones cells get that have few; these; marks some DEAD where
     * there are many, returns how many. */
    uint32_t (*count_reseeded)(X(sim) *s, const X(reseeding) *how);
    void (*put_reseeded)(X(sim) *s, const X(reseeding) *how, const struct X(newcomers) *what);
    uint32_t (*thin)(X(sim) *s, const X(reseeding) *how);
    /* Of sorted particles: marks one DEAD in each cell that holds so many; returns how many. */
    uint32_t (*prune)(X(sim) *s, const X(pruning) *how);
    uint32_t (*most_in_cell)(X(sim) *s);
    void (*make_room)(X(sim) *s); /* its columns are as long as the host's; NULL: they are these */
} X(emission);
/* The stage EMIT of a device with these parts. */
spate_status X(emit_in_order)(X(sim) *s, double dt, const X(emission) *parts, spate_error *error);

/* ---- state.c: the grids of the multigrid, the finest first; returns how many. */
int X(level_grids)(const X(grid) *finest, X(grid) grids[MAX_LEVELS]);

/* ---- reduce.c: sum over [0, n) of what `partial` adds up for each range, in order of the ranges;
 * maximum likewise. */
typedef double X(partial_fn)(void *args, size_t begin, size_t end);
double X(sum)(X(sim) *s, size_t n, size_t grain, X(partial_fn) *partial, void *args);
double X(maximum)(X(sim) *s, size_t n, size_t grain, X(partial_fn) *partial, void *args);
/* The same over the tiles of a system that have unknowns. */
double X(system_sum)(X(system) *sys, size_t grain, X(partial_fn) *partial, void *args);
double X(system_maximum)(X(system) *sys, size_t grain, X(partial_fn) *partial, void *args);

#endif
