/* table.h -- what the facade (api.c) and an instance (2D or 3D, of one instruction set) know of
 * each other.
 *
 * sp_common is the part of a simulation without a dimension; sp_table is the one table of functions
 * through which the 2D or the 3D one is met. */
#ifndef SPATE_SIM_TABLE_H
#define SPATE_SIM_TABLE_H

#include "base/parallel.h"
#include "scene/solids.h"
#include "state/snapshot.h"
#include "state/stages.h"

#include <spate/spate.h>

/* Picks rows of SPATE_STATS by how they come about: SP_KEPT_##when(F, type, name) is F(type, name)
 * for those that a simulation keeps from step to step, SP_OF_FRAME_##when(F, name) is F(name) for
 * those that start anew in each frame. */
#define SP_KEPT_MADE(F, type, name)
#define SP_KEPT_RUN(F, type, name) F(type, name)
#define SP_KEPT_FRAME(F, type, name) F(type, name)
#define SP_KEPT_MEASURED(F, type, name)
#define SP_OF_FRAME_MADE(F, name)
#define SP_OF_FRAME_RUN(F, name)
#define SP_OF_FRAME_FRAME(F, name) F(name)
#define SP_OF_FRAME_MEASURED(F, name)

typedef struct sp_common {
    spate_scene *scene; /* own copy */
    sp_pool *pool;
    spate_log_fn *log;
    void *log_user;
    double gravity[3];

    /* clock: time = frame / fps + inside */
    int frame;
    double inside;   /* s, time inside the frame */
    bool frame_done; /* the last step ended a frame: the next one begins the numbers of a new one */
    uint64_t steps;
    double last_dt; /* s, of the last step's ADVECT; 0 before the first one */

    /* the rows of stats.h that steps add to; those of a FRAME start at 0 in each */
#define SP_MEMBER(type, name) type name;
#define SP_ROW(type, name, unit, when, help) SP_KEPT_##when(SP_MEMBER, type, name)
    SPATE_STATS(SP_ROW)
#undef SP_ROW
#undef SP_MEMBER
    double seconds[SP_STAGE_COUNT]; /* of the stages in the frame under way */

    bool grid_known; /* the grid is what the last step left, and nothing has changed since */
    spate_sim *sim;  /* the simulation that this is part of, for the callback */
    spate_stage_fn *stage_fn;
    void *stage_user;
    bool in_callback; /* it is being called: nothing may change */
    bool mid_step;    /* some stages of a step have been run one by one, not yet the last */

    double (*gauges)[3]; /* values of the scene's gauges */
    bool gauges_known;   /* they are those of the last step, or of the start */

    bool warned_solver, warned_push;
    bool unconverged; /* the last step failed for want of convergence */
} sp_common;

/* After a stage of a step: calls the callback, if there is one, which may end the step. */
spate_status sp_stage_done(sp_common *common, int stage, spate_error *error);

/* For those above the simulation, which know no instance (look.c). */
const sp_solids *sp_sim_solids(const spate_sim *sim);
sp_pool *sp_sim_pool(spate_sim *sim);

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
    spate_status (*run_stage)(void *s, sp_stage stage, double dt, spate_error *error);
    double (*max_speed)(void *s, double dt); /* m/s, of particles, and of solids over the next dt */
    uint64_t (*hash)(void *s);
    void (*stats)(void *s, spate_stats *stats);
    spate_status (*add_particles)(void *s, const float *x, const float *v, size_t count,
                                  size_t *added, spate_error *error);
    size_t (*remove_particles)(void *s, const spate_shape *inside); /* how many */
    spate_status (*add_solid)(void *s, const spate_shape *shape, int *index, spate_error *error);
    void (*move_solid)(void *s, int index, const double position[3], const double rotation[3]);
    void (*remove_solid)(void *s, int index);
    const sp_solids *(*solids)(const void *s);
    void (*set_inflow)(void *s, int inflow, bool on);
    bool (*inflow_is_on)(const void *s, int inflow);
    void (*add_impulse)(void *s, const double center[3], double radius, const double velocity[3]);
    double (*cell_size)(const void *s);
    uint64_t (*device_bytes)(const void *s);
    size_t (*count)(const void *s);
    void (*read)(void *s, float *positions, float *velocities, uint32_t *ids);
    void (*view)(void *s, spate_particles_view *view);
    int (*channel_view)(void *s, const char *name, float *columns[4]);
    bool (*field_view)(void *s, const char *name, spate_field_view *view);
    bool (*snapshot)(void *s, sp_snapshot *out); /* see snapshot.h */
    bool (*snapshot_wait)(void *s);
    /* Values at points and forces on a solid, from the grid; build as below. Arrays may be NULL. */
    void (*sample)(void *s, bool build, const double *positions, size_t count, double *velocity,
                   double *pressure, double *phi);
    void (*solid_force)(void *s, bool build, int index, const double about[3], double force[3],
                        double torque[3]);
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
