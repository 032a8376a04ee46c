/* table.h -- the one table of functions through which the facade (api.c), which has no dimension,
 * meets the simulation in 2D or in 3D. */
#ifndef SPATE_SIM_TABLE_H
#define SPATE_SIM_TABLE_H

#include "scene/solids.h"
#include "state/common.h"
#include "state/particle_set.h"
#include "state/set_kind.h"

/* For those above the simulation, which know no instance (queries.c). */
const sp_solids *sp_sim_solids(const spate_sim *sim);
sp_pool *sp_sim_pool(spate_sim *sim);

typedef struct sp_table {
    /* device: that computes the steps; host: the CPU's; each an X(device) of this dimension */
    void *(*create)(sp_common *common, const void *device, const void *host, spate_error *error);
    void (*destroy)(void *s);
    spate_status (*forecast)(const spate_scene *scene, const void *device, int threads,
                             spate_forecast *forecast, spate_error *error);
    spate_status (*step)(void *s, double dt, spate_error *error);
    void (*rewind)(void *s); /* after a step that failed in PRESSURE: as before it */
    spate_status (*run_stage)(void *s, sp_stage stage, double dt, spate_error *error);
    void (*follow_time)(void *s, double time, double dt); /* settings of the step to come */
    /* Fills that appear between two times, the first excluded. */
    spate_status (*appear)(void *s, double after, double until, bool *appeared, spate_error *error);
    /* Where a frame ends; start: nothing has been laid on the grid yet. */
    spate_status (*watch_rooms)(void *s, bool start, spate_error *error); /* rooms.c */
    double (*max_speed)(void *s,
                        double dt); /* m/s, of liquid, inflows, and solids over the next dt */
    const sp_set_kind *(*kind_of)(int number); /* SET_..., without a simulation */
    /* the sets of particles of the scene by their order; the fluid is the first */
    int (*set_count)(const void *s);
    const sp_set_kind *(*set_kind)(const void *s, int set);
    const sp_set_ledger *(*set_ledger)(const void *s, int set);
    const sp_set_column *(*set_columns)(const void *s, int set, int *count);
    const void *(*set_state)(const void *s, int set); /* its first bytes are those that are saved */
    uint64_t (*hash)(void *s, int set);
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
    size_t (*count)(const void *s, int set);
    /* on_device: the arrays in a device's memory; false: there are none */
    bool (*view)(void *s, int set, bool on_device, sp_particles *out);
    int (*channel_view)(void *s, const char *name, float *columns[4]);
    bool (*field_view)(void *s, bool on_device, const char *name, spate_field_view *view);
    float *(*edit_velocity)(void *s, int axis);
    bool (*snapshot)(void *s, sp_particles *out); /* see particle_set.h */
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
