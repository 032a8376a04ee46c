/* check_time.h -- how long a run will take, from a few of its steps. */
#ifndef SPATE_TOOL_CHECK_TIME_H
#define SPATE_TOOL_CHECK_TIME_H

#include <spate/spate.h>

typedef struct time_forecast {
    int measured;        /* steps */
    double step_seconds; /* of one of them */
    double frame_steps;  /* that a frame is likely to have */
    double seconds;      /* of the whole run, without its files and pictures */
} time_forecast;

/* Makes the simulation and takes steps for some seconds. */
spate_status check_time(const spate_scene *scene, const spate_options *options,
                        const spate_forecast *forecast, time_forecast *time, spate_error *error);

#endif
