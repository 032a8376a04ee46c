/* clang-format off */
/* device.h -- a device is a value: the table of what it does for a simulation.
 *
 * A simulation points to the device that computes its steps, and to the CPU's, `host`, which works
 * on the arrays in the host's memory whatever the device is. An entry is a stage, or one whole
 * solve, never something that is called per tile or per iteration: retries and the halving of steps
 * are src/sim's. The values are DEV(device) of src/cpu (for each instruction set), src/cuda and
 * src/check; src/sim/devices.c is the one file that knows them by name.
 *
 * The body of a cell, face, particle or tile stands once, in src/kernels. A stage that maps such
 * bodies over the grid or the particles stands once too, in src/stages. Only these algorithms are
 * written twice; the reason names what the CPU does, then what the GPU does:
 *
 *  twins (22):
 *  sort              sorts the ids of a tile in the cache; counts smaller ids, and scans
 *  p2g               eight particles add to a lattice of the tile; each cell gathers, then each face
 *  deposit           particles add to cells, tiles by colour; each cell gathers
 *  system            rows in vectors; a thread per cell
 *  system_deep       a rule for whole tiles deep in the liquid; a thread per cell
 *  gravity           the same rows as system; the same threads
 *  density           rows in vectors, layers by parity of tiles; a thread per cell, two buffers
 *  residual          rows in vectors, into interleaved blocks; rows in shared memory
 *  multigrid_lists   lists in order, on one thread; flags and scans
 *  coarsen           lists in order, on one thread; flags and scans
 *  cycle             interleaved rows of a tile in the cache; a tile in shared memory, bfloat16
 *  coarsest          the same rows as cycle; one block
 *  solve_multigrid   the host looks after each iteration; one graph with loops
 *  pockets           joins pieces of a tile by the bits of its rows; labels that spread
 *  extrapolate       bit masks of fronts; a byte per face
 *  g2p               eight particles read a patch of the tile; a thread per particle
 *  momentum          eight particles read a patch of the tile; a thread per particle
 *  advect            eight particles, with their part of G2P; collisions in a second pass
 *  push_apart        a list of pairs that is made once; each particle looks around
 *  spacing           tile by tile, with the best distance so far; a thread per particle
 *  solids            all solids, over lists of tiles; solids that move, over flags of tiles
 *  border            tiles of the lists; layers of cells
 *  served by: available, graph, primitives */
/* clang-format on */
#ifndef SPATE_STATE_DEVICE_H
#define SPATE_STATE_DEVICE_H

#include "state.h"

/* A row of kernels/stages.def. */
typedef struct X(stage_row) {
    const char *name;
    unsigned when; /* WHEN_... */
    sp_stage_effect effect;
    unsigned reads, writes; /* GROUP_... */
} X(stage_row);
extern const X(stage_row) X(stages)[SP_STAGE_COUNT]; /* device.c */

/* A stage on the arrays of a device. */
typedef spate_status X(stage_fn)(X(sim) *s, double dt, spate_error *error);

/* How a device takes a step: a function for each stage, which stages.def lists as MAP or DEVICE.
 * Those of SIM have none: src/sim makes them of the solves below. The CPU also has functions for
 * the stages of HOST, which work on the host's arrays, fetched for them. A device may have several
 * plans: the plan of a whole step may leave a part of one stage to a later one. */
typedef struct X(plan) {
    X(stage_fn) *stage[SP_STAGE_COUNT];
} X(plan);

struct X(contact); /* kernels/contact.h */

/* One solve of the pressure system. */
typedef struct X(solve) {
    double tolerance; /* on max |r|, m/s */
    int max_iterations;
    double relaxation;
    bool all;        /* jacobi, gauss_seidel: max_iterations of them, whatever the residual */
    int iterations;  /* done */
    double residual; /* max |r| at the end, m/s */
    bool converged;
} X(solve);

/* sweeps.c: the loop of jacobi and gauss_seidel. residual: r = b - A q, returns max |r|; sweep: one
 * of all unknowns; args: what both are given. */
typedef double X(residual_fn)(void *args);
typedef void X(sweep_fn)(void *args, float weight);
void X(solve_by_sweeps)(const X(system) *sys, X(solve) *solve, X(residual_fn) *residual,
                        X(sweep_fn) *sweep, void *args);

/* Memory that a device will need for a scene. */
typedef struct X(device_memory) {
    double host;     /* bytes of the host's memory beside the arrays of the grid and particles */
    uint64_t device; /* bytes of its own */
} X(device_memory);

typedef struct X(device) {
    const char *name;

    /* life; detach also of what attach did not complete */
    spate_status (*attach)(X(sim) *s, spate_error *error);
    void (*detach)(X(sim) *s);
    X(device_memory) (*needs)(const spate_scene *scene, const X(grid) *g, uint64_t particles);
    size_t (*scratch)(const spate_scene *scene); /* bytes per worker in the host's arena */

    /* the step. whole: the stages follow each other; begin_stage (NULL: none) is told of each. */
    const X(plan) *(*plan)(const X(sim) *s, bool whole);
    void (*begin_stage)(X(sim) *s, sp_stage stage);
    /* PRESSURE. part: which cells part from walls (kernels/contact.h); whether they are others than
     * before. assemble: from the grid, with q times `scale` as the start; `solvable`: max |b|
     * once the means of pockets are taken out; returns max |b| before, m/s. solve: as the scene
     * says, with `sweeps` of the multigrid's smoother. clear: the next solve starts from zero.
     * apply: u -= grad q, q times `scale` is the pressure; returns max |flux out of a cell|, m/s.
     */
    bool (*part)(X(sim) *s, const struct X(contact) *how);
    double (*assemble)(X(sim) *s, double dt, double scale, double *solvable);
    void (*solve)(X(sim) *s, X(solve) *solve);
    void (*clear_pressure)(X(sim) *s);
    double (*apply_pressure)(X(sim) *s, double dt, double scale);
    /* After it: the same matrix with the velocity that gravity and buoyancy give in the step;
     * p_gravity is the solution, across periodic sides too, times `to_pressure`. Nothing else that
     * outlives PRESSURE changes. */
    void (*solve_gravity)(X(sim) *s, double dt, double to_pressure, X(solve) *solve);
    /* SEPARATE. push_apart moves the particles and returns the sum of gravity times way over them,
     * m^2/s^2; project_density leaves the displacement for ADVECT, and returns its iterations, -1
     * if there is no pressure system to do it with; shift leaves that of a gas. */
    double (*push_apart)(X(sim) *s);
    int (*project_density)(X(sim) *s);
    void (*shift)(X(sim) *s, float share);

    /* Velocities of inflows and bounds of outflows are new; NULL where nobody has copies. */
    void (*flows_changed)(X(sim) *s);

    /* the particles as they are */
    double (*max_speed)(X(sim) *s);               /* m/s */
    void (*stats)(X(sim) *s, spate_stats *stats); /* sorts them, makes the level set anew */
    /* Lists s->gauges and takes them from the grid as the step left it, with `stretch` of p and
     * the rest of p_gravity: the sums of their parts into s->gauge_parts; returns how many. */
    size_t (*take_gauges)(X(sim) *s, double stretch);
    /* the CPU's alone, on the host's arrays: solids on the grid, where they are now; phi from the
     * sorted particles */
    void (*lay_solids)(X(sim) *s);
    void (*update_level_set)(X(sim) *s);
    void (*update_channels)(X(sim) *s); /* what the grid holds of them, likewise */

    /* Arrays in two memories; NULL where there is one. Groups: GROUP_... of groups.h. */
    void (*fetch)(X(sim) *s, unsigned groups);   /* makes the host's arrays current */
    void (*dirty)(X(sim) *s, unsigned groups);   /* the host's arrays are newer now */
    void (*discard)(X(sim) *s, unsigned groups); /* the host's arrays were used as scratch */
    spate_status (*wait)(X(sim) *s, spate_error *error); /* until it has done all so far */
    /* The seconds of the last step's stages by the device's clock, if it works behind the host. */
    void (*times)(X(sim) *s, double seconds[SP_STAGE_COUNT]);
    uint64_t (*bytes)(const X(sim) *s); /* in its memory */
    /* Its own arrays of these groups, current, with all work on them done; NULL: it has failed. */
    const X(fields) *(*arrays)(X(sim) *s, unsigned groups);
    /* See particle_set.h; false: there is none, the host's arrays are to be read. */
    bool (*snapshot)(X(sim) *s, sp_particles *out);
    bool (*snapshot_wait)(X(sim) *s);
} X(device);

/* device.c: what the entries above mean where a device has none. */
void X(fetch)(X(sim) *s, unsigned groups);
void X(dirty)(X(sim) *s, unsigned groups);
void X(discard)(X(sim) *s, unsigned groups);

#endif
