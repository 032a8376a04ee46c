/* sim.h -- what the files of src/sim offer each other, in one dimension. */
#ifndef SPATE_SIM_SIM_H
#define SPATE_SIM_SIM_H

#include "state/device.h"

/* step.c */
spate_status X(step)(X(sim) *s, double dt, spate_error *error);
spate_status X(run_stage)(X(sim) *s, sp_stage stage, double dt, spate_error *error);

/* pressure.c, separate.c: the stages that are made of the solves of a device */
spate_status X(pressure)(X(sim) *s, double dt, spate_error *error);
spate_status X(separate)(X(sim) *s, double dt, spate_error *error);

/* rooms.c: where a frame ends, and before the first one; an error if a gas flows into a closed room
 */
spate_status X(watch_rooms)(X(sim) *s, spate_error *error);

/* forecast.c */
spate_status X(forecast)(const spate_scene *scene, const X(device) *device, int threads,
                         spate_forecast *forecast, spate_error *error);

/* checkpoint.c, checkpoint_sets.c */
spate_status X(save)(X(sim) *s, sp_stream *stream);
spate_status X(load)(X(sim) *s, sp_stream *stream, spate_error *error);

#endif
