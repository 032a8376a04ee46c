/* facade.h -- what the files of the public face of a simulation share: api.c, clock.c, devices.c,
 * queries.c, stats.c, whitewater.c, checkpoint_stream.c. None of them has a dimension. */
#ifndef SPATE_SIM_FACADE_H
#define SPATE_SIM_FACADE_H

#include "table.h"

struct spate_sim {
    sp_common common;
    const sp_table *table;
    void *instance;
    const char *device;
};

/* ---- devices.c */
/* The device of the options: NULL is the CPU. "auto" takes one that is there. */
spate_status sp_device_choose(const spate_options *options, const sp_device **device,
                              spate_error *error);
const sp_table *sp_device_table(const spate_scene *scene);
/* The X(device) of the scene's dimension; NULL: that of the CPU, by what the processor can. */
const void *sp_device_of(const spate_scene *scene, const sp_device *device);

/* ---- api.c: arguments. `what` and `name` are where an error says it is. */
spate_status sp_sim_may_change(const spate_sim *sim, const char *what, spate_error *error);
spate_status sp_check_finite(const char *name, const double *values, size_t count,
                             spate_error *error);
spate_status sp_sim_check_solid(const spate_sim *sim, spate_solid_id id, spate_error *error);

/* ---- queries.c */
int sp_sim_find_set(const spate_sim *sim, const char *name); /* -1: there is no such set */

/* ---- clock.c */
/* Fills common.gauges; build: no step has been taken yet. */
void sp_sim_read_gauges(spate_sim *sim, bool build);

#endif
