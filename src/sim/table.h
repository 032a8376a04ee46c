/* table.h -- what the facade (api.c) and an instance (2D or 3D, of one instruction set) know of
 * each other.
 *
 * sp_common is the part of a simulation without a dimension; sp_table is the one table of functions
 * through which the 2D or the 3D one is met. */
#ifndef SPATE_SIM_TABLE_H
#define SPATE_SIM_TABLE_H

#include "base/parallel.h"
#include "state/snapshot.h"

#include <spate/spate.h>

typedef struct sp_common {
    spate_scene *scene; /* own copy */
    sp_pool *pool;
    spate_log_fn *log;
    void *log_user;
    double gravity[3];

    /* clock: time = frame / fps + inside */
    int frame;
    double inside;   /* s, time inside the frame */
    int substeps;    /* taken in this frame */
    bool frame_done; /* the last step ended a frame: the next one begins the numbers of a new one */
    uint64_t steps;
    double last_dt; /* s, of the last step's ADVECT; 0 before the first one */

    /* ledger */
    uint64_t seeded, added, added_reseed, removed_open, removed_outflow, removed_crushed,
        removed_user, removed_reseed;

    /* of the frame under way; spate_sim_stats reports them */
    double cfl;
    double divergence_before, divergence_after;
    int solver_iterations, solver_failures;
    double solver_residual;
    uint64_t collisions, long_pushes;
    double momentum_lost;
    int density_iterations;
    double separate_energy;
    double seconds[SPATE_STAGE_COUNT];

    double (*gauges)[3]; /* values of the scene's gauges */
    bool gauges_known;   /* they are those of the last step, or of the start */

    uint64_t allocations; /* inside steps */
    bool warned_solver, warned_push;
    bool unconverged; /* the last step failed for want of convergence */
} sp_common;

/* A checkpoint on its way in or out, with its checksum. */
typedef struct sp_stream {
    spate_write_fn *write;
    spate_read_fn *read;
    void *user;
    uint64_t sum; /* checksum so far */
} sp_stream;
spate_status sp_stream_write(sp_stream *stream, const void *bytes, size_t size);
spate_status sp_stream_read(sp_stream *stream, void *bytes, size_t size);
/* Writes the checksum of all bytes so far; reads one and compares. */
spate_status sp_stream_seal(sp_stream *stream);
spate_status sp_stream_check(sp_stream *stream, spate_error *error);

typedef struct sp_table {
    /* device: that computes the steps; host: the CPU's; each an X(device) of this dimension */
    void *(*create)(sp_common *common, const void *device, const void *host, spate_error *error);
    void (*destroy)(void *s);
    spate_status (*forecast)(const spate_scene *scene, const void *device, int threads,
                             spate_forecast *forecast, spate_error *error);
    spate_status (*step)(void *s, double dt, spate_error *error);
    void (*rewind)(void *s); /* after a step that failed in PRESSURE: as before it */
    spate_status (*run_stage)(void *s, spate_stage stage, double dt, spate_error *error);
    double (*max_speed)(void *s, double dt); /* m/s, of particles, and of solids over the next dt */
    uint64_t (*hash)(void *s);
    void (*stats)(void *s, spate_stats *stats);
    spate_status (*add_particles)(void *s, const float *x, const float *v, size_t count,
                                  size_t *added, spate_error *error);
    size_t (*remove_particles)(void *s, const spate_shape *inside); /* how many */
    spate_status (*add_solid)(void *s, const spate_shape *shape, int *id, spate_error *error);
    spate_status (*move_solid)(void *s, int id, const double position[3], const double rotation[3],
                               spate_error *error);
    spate_status (*remove_solid)(void *s, int id, spate_error *error);
    void (*add_impulse)(void *s, const double center[3], double radius, const double velocity[3]);
    double (*cell_size)(const void *s);
    uint64_t (*device_bytes)(const void *s);
    size_t (*count)(const void *s);
    void (*read)(const void *s, float *positions, float *velocities, uint32_t *ids);
    spate_particles_view_data (*view)(const void *s);
    int (*channel_view)(void *s, const char *name, float *columns[4]);
    bool (*field_view)(const void *s, const char *name, spate_field_view_data *view);
    bool (*snapshot)(void *s, sp_snapshot *out); /* see snapshot.h */
    bool (*snapshot_wait)(void *s);
    double (*solid_distance)(const void *s, const double point[3], int *solid);
    /* Fills common->gauges; build: the grid holds no step yet, lay solids and particles on it
     * first. */
    void (*read_gauges)(void *s, bool build);
    spate_status (*save)(void *s, sp_stream *stream);
    spate_status (*load)(void *s, sp_stream *stream, spate_error *error);
} sp_table;

/* A device beside the CPU: its name, and its X(device) in 2D and 3D. */
typedef struct sp_device {
    const char *name;
    const void *flat, *solid;
    /* Whether the machine has one; fills `note` with its name, or with what is missing. */
    bool (*available)(char *note, size_t size);
    uint64_t (*free_bytes)(void); /* of its memory */
} sp_device;
/* For tests: a device that no build has by itself. */
void sp_device_add(const sp_device *device);

extern const sp_table sp2_table, sp3_table;

#endif
