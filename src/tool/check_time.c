/* check_time.c -- how long a run will take, from a few of its steps.
 *
 * What is measured is the time of a step at the start. How many steps a frame will have depends on
 * the speed that the liquid will reach; sqrt(2 g h), of a fall through the domain, is what most
 * scenes come close to. */
#include "check_time.h"

#include <math.h>

#include "base/timer.h"

#define MOST_SECONDS 2.0
#define MOST_STEPS 12
#define LEAST_STEPS 3 /* the first allocates, and does not count */

static double length_of(const double *v, int dim)
{
    double sum = 0;
    for (int d = 0; d < dim; d++)
        sum += v[d] * v[d];
    return sqrt(sum);
}

static double expected_speed(const spate_scene *scene, const spate_forecast *forecast, double now)
{
    double g = length_of(scene->gravity, scene->dim), height = 0;
    for (int d = 0; d < scene->dim && g > 0; d++)
        height += fabs(scene->gravity[d]) / g * forecast->domain[d];
    double speed = fmax(now, sqrt(2 * g * height));
    for (int k = 0; k < scene->inflows.count; k++)
        speed = fmax(speed, length_of(scene->inflows.items[k].velocity, scene->dim));
    return speed;
}

/* As spate_sim_next_dt has it, for a whole frame. */
static double expected_steps(const spate_scene *scene, const spate_forecast *forecast, double speed)
{
    double g = length_of(scene->gravity, scene->dim), dx = forecast->cell_size;
    double frame = 1 / scene->fps, step = scene->time.dt;
    if (!(step > 0))
        step = fmin(0.7 * sqrt(dx / g), scene->time.cfl * dx / (speed + sqrt(dx * g)));
    double steps = fmax(ceil(frame / step - 1e-6), scene->time.min_substeps);
    return scene->time.dt > 0 ? steps : fmin(steps, scene->time.max_substeps);
}

spate_status check_time(const spate_scene *scene, const spate_options *options,
                        const spate_forecast *forecast, time_forecast *time, spate_error *error)
{
    spate_sim *sim = spate_sim_create(scene, options, error);
    if (!sim)
        return error->status;
    spate_status status = SPATE_OK;
    double begun = sp_seconds(), first = begun;
    *time = (time_forecast){.measured = -1};
    while (status == SPATE_OK && time->measured < MOST_STEPS &&
           (time->measured < LEAST_STEPS - 1 || sp_seconds() - begun < MOST_SECONDS)) {
        status = spate_sim_step(sim, 0, error);
        if (++time->measured == 0)
            first = sp_seconds();
    }
    time->step_seconds = (sp_seconds() - first) / time->measured;
    spate_stats stats;
    spate_sim_stats(sim, &stats);
    spate_sim_destroy(sim);
    time->frame_steps =
        expected_steps(scene, forecast, expected_speed(scene, forecast, stats.max_speed));
    time->seconds = time->step_seconds * time->frame_steps * scene->frames;
    return status;
}
