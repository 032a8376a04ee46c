/* gpu.h -- a simulation in the memory of a GPU.
 *
 * On a device beside the CPU a simulation has its arrays twice: in the host's memory, as X(sim) has
 * them, and in the device's, with the same layout: X(fields). device.c says what each stage reads
 * and writes, residency.c copies what is stale; the files *.cu hold the stages.
 *
 * The .cu files are C17 as well as CUDA C++ (launch.h). nvcc makes the device "cuda" of them. A C
 * compiler makes the device "check": the CPU poses as a GPU, with a memory of its own in which
 * everything that was not copied is NaN, so that the ordinary tests run the same code. Names are
 * sp3_cuda_... and sp3_check_... through VARIANT (kernels/dim.h). */
#ifndef SPATE_CUDA_GPU_H
#define SPATE_CUDA_GPU_H

#include "kernels/census.h"
#include "kernels/emit.h"
#include "kernels/fields.h"
#include "kernels/grid.h"
#include "kernels/push.h"
#include "kernels/reseed.h"
#include "kernels/slip.h"
#include "state/groups.h"
#include "state/stage.h"

#include <assert.h>
#include <spate/spate.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kernels get the fields by value; all pointers in them are the device's. */
static_assert(sizeof(X(fields)) <= 2048, "arguments of a kernel have 4096 bytes");

/* A mesh that has been copied to the device. */
typedef struct DEV(gpu_mesh) {
    const spate_mesh *mesh;
    sp_mesh_data data;       /* with the device's pointers */
    const spate_mesh *there; /* where the device has them */
} DEV(gpu_mesh);

/* Counters that stages add to on the device (integers: any order gives the same sum). */
typedef struct DEV(gpu_counters) {
    uint64_t collisions, open, crushed, far, broken;
    uint32_t waiting; /* particles that the host is to settle */
    uint32_t fastest; /* bits of the square of the largest speed; floats >= 0 order as integers */
    uint32_t slips[SLIP_BINS], slip_most; /* kernels/slip.h; in a step that is measured */
} DEV(gpu_counters);

/* Items or cells that may give particles: exec.h. Room for one more in each array. */
typedef struct DEV(gpu_places) {
    uint32_t *flags, *before; /* particles that it gives; how many those before it give */
    uint8_t *marks;           /* of the places of an inflow */
    size_t count, room;
} DEV(gpu_places);

/* What statistics find. */
typedef struct DEV(gpu_census) {
    uint64_t overlaps;
    uint32_t close, usual;               /* bits of smallest squares, reversed */
    double nearest_close, nearest_usual; /* cells; at most where the search began */
} DEV(gpu_census);

/* Columns that output reads: in pinned memory of the host; copies on the device, or NULL. */
#define GPU_SENT MAX_COLUMNS
typedef struct DEV(gpu_snapshot) {
    void *host[GPU_SENT], *device[GPU_SENT];
    size_t capacity; /* particles */
} DEV(gpu_snapshot);

/* The particles of a set beside the fluid; `own` columns have no place until it has some. */
typedef struct DEV(gpu_particles) {
    X(particles) p;
    uint32_t capacity;
} DEV(gpu_particles);

#define GPU_CAPTURES 3 /* loops in each other, and what is around them */

typedef struct X(gpu) {
    X(fields) f;
    void *stream;                    /* CUDA: the stream; check: the pool of threads */
    void *marks[SP_STAGE_COUNT + 1]; /* CUDA: events */
    char failure[200];               /* what went wrong first; empty: nothing */
    uint64_t allocated;              /* bytes */
    size_t shared_bytes;             /* that a block can have at most */
    bool early;                      /* kernels may start before the last one ends: launch.h */
    void (*program)(struct X(gpu) *g, void *user); /* recorded: gpu_record */
    void *program_user;
    void *graph, *graph_made;      /* CUDA: of the program; that under way: graph.cu */
    void *capturing[GPU_CAPTURES]; /* CUDA: streams */
    int capture_depth;
    bool sorted;      /* columns and tables are as SORT left them */
    bool speed_known; /* the largest speed of the particles is: */
    double speed;
    uint32_t capacity;                  /* of the columns */
    uint32_t scratch_capacity;          /* of spare, order and key: for the largest set */
    DEV(gpu_particles) sets[SET_COUNT]; /* those beside the fluid whose stage is here */
    unsigned needs;                     /* WHEN_... bits: arrays that the device has */
    unsigned on_host, on_device;        /* GROUP_... groups that are up to date there */

    /* snapshot.c */
    DEV(gpu_snapshot) snapshot;
    void *sender;       /* CUDA: the stream of the copies; check: those that are under way */
    void *ready, *sent; /* CUDA: events: what they wait for, and their end */
    bool sending;       /* the columns themselves are being read by them */

    /* solids_upload.c */
    DEV(gpu_mesh) * meshes;
    int mesh_count;
    sp_solid *bodies, *body_copies; /* the device's; the host's copies of these */
    size_t body_room;
    bool bodies_there;      /* they are as the host's solids are */
    sp_shape *inflow_forms; /* the device's */
    int flow_count;
    sp_shape *source_forms; /* of sources */
    int source_count;
    X(outflows) outflows;                    /* likewise */
    struct X(tracer_source) *tracer_sources; /* likewise */
    int tracer_source_count;
    DEV(gpu_places) places;
    uint8_t *near_movers; /* per tile: solids that may move are laid there */
    double dt;            /* s, of the step under way, for PRESSURE */

    /* device.c */
    struct X(gauge) *gauges, *gauge_list; /* the device's; a copy of it in the host's memory */
    double (*gauge_parts)[3];             /* the device's */

    /* scratch */
    float *spare;                                    /* one column */
    uint32_t *order, *key, *order_other, *key_other; /* SORT, see sort.cu; columns otherwise */
    DEV(gpu_counters) * counters;
    DEV(gpu_census) * census;
    uint32_t *tile_flags;  /* lists of tiles: flags of all lists, and their sums */
    uint32_t *list_totals; /* how long each is */
    int *left;             /* tiles that the liquid has left */
    int left_count;
    void *fold_parts; /* FOLD_BYTES: exec.h */
    double *partials; /* of sums: one per tile, or per 1024 particles */
    size_t partial_count;
    void *temporary; /* of scans */
    size_t temporary_bytes;
    void *solver; /* DEV(gpu_solver), cuda/pressure/solver.h */
} X(gpu);
typedef X(gpu) X(exec); /* what stages get: exec.h */
#define ONCE(name) DEV(name)

#define FOLD_BLOCKS 256
#define FOLD_BYTES 65536

#define GPU_LISTS (4 + COLOURS) /* of tiles: active, border, faces, left, and liquid by colour */

/* ---- primitives (primitives.cu; for check: check/primitives.c). Work is queued in order;
 * only download, wait and the functions that return a value wait for it. After a failure all of
 * them do nothing. */
bool DEV(gpu_open)(X(gpu) *g, void *pool);
void DEV(gpu_close)(X(gpu) *g);
void DEV(gpu_fail)(X(gpu) *g, const char *what, const char *why); /* keeps the first */
bool DEV(gpu_wait)(X(gpu) *g);                                    /* false: something failed */
void *DEV(gpu_alloc)(X(gpu) *g, size_t bytes, const char *what);  /* check: poisoned; CUDA: as is */
void DEV(gpu_free)(X(gpu) *g, void *block, size_t bytes);
void DEV(gpu_memory)(X(gpu) *g, uint64_t *available, uint64_t *total);
void DEV(gpu_upload)(X(gpu) *g, void *to, const void *from, size_t bytes);
void DEV(gpu_download)(X(gpu) *g, void *to, const void *from, size_t bytes);
void DEV(gpu_copy)(X(gpu) *g, void *to, const void *from, size_t bytes);
void DEV(gpu_set)(X(gpu) *g, void *to, int byte, size_t bytes);
/* Copies to pinned memory of the host, beside what is queued after them. begin: they wait for what
 * is queued so far; guard: what is queued next waits for them; wait: the host does, in any thread;
 * false: they failed. */
void *DEV(gpu_pin)(X(gpu) *g, size_t bytes); /* NULL without memory */
void DEV(gpu_unpin)(X(gpu) *g, void *block);
void DEV(gpu_send_begin)(X(gpu) *g);
void DEV(gpu_send)(X(gpu) *g, void *to, const void *from, size_t bytes);
void DEV(gpu_send_end)(X(gpu) *g);
void DEV(gpu_send_guard)(X(gpu) *g);
bool DEV(gpu_send_wait)(X(gpu) *g);
/* A program: what `body` queues, to be run later and as often as it is wanted. The host waits
 * nowhere in it. There is one at a time; `user` is to stay as long as it.
 *     gpu_while, inside of one: what the body of a loop queues, again and again, as long as a
 * number in the device's memory is not 0. The device looks at it before each turn. */
typedef void DEV(gpu_body)(X(gpu) *g, void *user);
void DEV(gpu_record)(X(gpu) *g, DEV(gpu_body) * body, void *user);
void DEV(gpu_play)(X(gpu) *g);
void DEV(gpu_while)(X(gpu) *g, const uint32_t *more, DEV(gpu_body) * body, void *user);
void DEV(gpu_close_graph)(X(gpu) *g); /* CUDA */
/* Clock: marks the place in the queue where stage k begins (k = SP_STAGE_COUNT: the end), and
 * tells the seconds between the marks of the last step; false: this device has no clock. */
void DEV(gpu_mark)(X(gpu) *g, int k);
bool DEV(gpu_times)(X(gpu) *g, double seconds[SP_STAGE_COUNT]);
bool DEV(gpu_poisons)(void); /* check: stale memory is to be filled with NaN */
/* sums[k] = values[0] + ... + values[k - 1], for k = 0 .. count - 1. */
void DEV(gpu_scan)(X(gpu) *g, const uint32_t *values, uint32_t *sums, size_t count);
size_t DEV(gpu_temporary_bytes)(size_t count); /* what a scan needs */
/* Sum and maximum of g->partials[0 .. count - 1], in fixed order; a NaN stays. They wait. */
double DEV(gpu_sum)(X(gpu) *g, size_t count);
double DEV(gpu_maximum)(X(gpu) *g, size_t count);

/* ---- the stages. What each reads and writes stands in device.c. */
void DEV(gpu_sort_particles)(X(gpu) *g);    /* sort.cu: SORT, with the lists */
void DEV(gpu_particles_to_grid)(X(gpu) *g); /* p2g.cu */
void DEV(gpu_lay_solids)(X(gpu) *g);        /* solids.cu: those that move, where they are now */
/* extrapolate.cu; returns the largest component of u in the liquid, m/s */
double DEV(gpu_extrapolate)(X(gpu) *g, double dt, float *reach);
/* g2p.cu: what G2P reads, into `carried` (kept: FLIP's share), and G2P */
struct sp_turn; /* kernels/g2p.h */
void DEV(gpu_carry_kick)(X(gpu) *g, const struct sp_turn *turn, float kept);
void DEV(gpu_grid_to_particles)(X(gpu) *g, float kept);
/* momentum.cu. Momentum is that of the first `count` particles, of mass 1: after G2P, and what it
 * is to be, from the velocities before and `carried` (rest: 1 - FLIP's share); the sum of speeds is
 * returned. */
double DEV(gpu_max_speed)(X(gpu) *g);
void DEV(gpu_momentum_to_be)(X(gpu) *g, uint32_t count, float rest, double momentum[DIM]);
double DEV(gpu_momentum)(X(gpu) *g, uint32_t count, double momentum[DIM]);
/* spacing.cu, of sorted particles */
DEV(gpu_census) DEV(gpu_measure_spacing)(X(gpu) *g, const X(spacing_limits) *limits);
struct X(forces); /* kernels/forces.h */
/* As many are marked. */
void DEV(gpu_remove_dead)(X(gpu) *g, X(particles) *p, uint32_t dead);
void DEV(gpu_make_places)(X(gpu) *g, size_t count); /* flows.c: room for so many */

/* advect.cu, see stages.h */
typedef struct DEV(gpu_move) {
    int order;           /* of Runge-Kutta; 0: the flow does not move them */
    float h, reach;      /* dt / dx; cells around the liquid in which u is known */
    bool displaced;      /* `away` holds a displacement, in cells */
    bool rides;          /* the velocity goes with it: kernels/shift.h */
    bool movers;         /* solids may move: phi_solid knows of them within SOLID_BAND only */
    sp_clearance room;   /* where particles may be */
    double dt;           /* s */
    double gravity[DIM]; /* times dx */
    float dv[DIM];       /* m/s, that gravity gives in the step */
    bool measured;       /* slips are noted */
} DEV(gpu_move);
double DEV(gpu_move_particles)(X(gpu) *g, const DEV(gpu_move) * how, DEV(gpu_counters) * counted);
/* Moves the particles of a set with the fluid, as cpu/advect.c does; it counts nothing. */
void DEV(gpu_carry_set)(X(gpu) *g, const X(particles) *p, const DEV(gpu_move) * how);
void DEV(gpu_keep_speed)(X(gpu) *g, const DEV(gpu_counters) * counted); /* of all, after ADVECT */

/* push_apart.cu: SEPARATE by pairs; returns gravity times way, summed */
typedef struct DEV(gpu_push) {
    float D; /* the separation distance, cells */
    X(push_sides) sides;
    bool movers; /* as in DEV(gpu_move) */
    sp_clearance room;
    double travel;       /* m, how far solids go in the step; they are held where it begins */
    double gravity[DIM]; /* times dx */
} DEV(gpu_push);
double DEV(gpu_push_apart)(X(gpu) *g, const DEV(gpu_push) * how, DEV(gpu_counters) * counted);

/* ---- operations of the pressure solvers, as cpu/pressure has them for the host; `density`: for
 * the density projection */
/* What is solved for: p, q_density, p_gravity. */
typedef enum DEV(gpu_unknown) { GPU_PRESSURE, GPU_DENSITY, GPU_GRAVITY } DEV(gpu_unknown);
void DEV(gpu_solver_create)(X(gpu) *g, int level_count, const X(grid) *const grids[], bool density);
void DEV(gpu_solver_destroy)(X(gpu) *g);
/* Bytes it will take, for so many cells of liquid. */
uint64_t DEV(gpu_solver_bytes)(const X(grid) *grid, double liquid, bool solids, bool density);
void DEV(gpu_list_levels)(X(gpu) *g);
/* system.cu. scale: of the pressure, for the next gpu_solve_begin; sweeps: of the multigrid that is
 * to solve it, 0: another solver is */
double DEV(gpu_assemble)(X(gpu) *g, bool blind, float scale, int sweeps);
double DEV(gpu_largest_b)(X(gpu) *g);
double DEV(gpu_divergence)(X(gpu) *g);
void DEV(gpu_scale_pressure)(X(gpu) *g, float *p, float factor);
void DEV(gpu_gradient)(X(gpu) *g, bool density);
/* residual.cu: takes the start from the grid, that of p_gravity from p; and gives the solution */
void DEV(gpu_solve_begin)(X(gpu) *g, DEV(gpu_unknown) what);
void DEV(gpu_solve_end)(X(gpu) *g, DEV(gpu_unknown) what);
double DEV(gpu_residual)(X(gpu) *g);
void DEV(gpu_multigrid_build)(X(gpu) *g); /* coarsen.cu */
/* All of solve_multigrid.c; returns max |r|. */
double DEV(gpu_solve_multigrid)(X(gpu) *g, int sweeps, double tolerance, int most, int *iterations);
void DEV(gpu_multigrid_once)(X(gpu) *g, int sweeps); /* one cycle from nothing, for the density */
void DEV(gpu_relax)(X(gpu) *g, float weight);
void DEV(gpu_sweep)(X(gpu) *g, float weight, int colour);
void DEV(gpu_density_excess)(X(gpu) *g); /* density.cu */
void DEV(gpu_density_extend)(X(gpu) *g);
/* gravity.cu: the right side of p_gravity, which is cleared; `start` of p is its start */
void DEV(gpu_gravity_right)(X(gpu) *g, const struct X(forces) *how, float start);

/* border.cu: as in state/border.c */
void DEV(gpu_fill_border)(X(gpu) *g, float *field, int d);
void DEV(gpu_fill_border_periodic)(X(gpu) *g, float *field, int d);
void DEV(gpu_fill_border_bytes)(X(gpu) *g, uint8_t *field);
void DEV(gpu_fill_border_type)(X(gpu) *g);
void DEV(gpu_fold_border)(X(gpu) *g, float *sum, float *weight, int d);
void DEV(gpu_fill_faces)(X(gpu) *g, float *const field[DIM]); /* all components at once */
void DEV(gpu_fold_faces)(X(gpu) *g, float *const sum[DIM], float *const weight[DIM]);
void DEV(gpu_close_walls)(X(gpu) *g);

#ifdef __cplusplus
}
#endif

#endif
