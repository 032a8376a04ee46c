/* values.h -- what spate.h hands out by pointer, as values: shorter to write in a test. */
#ifndef SPATE_TEST_VALUES_H
#define SPATE_TEST_VALUES_H

#include <spate/spate.h>

static inline spate_stats sample_stats(spate_sim *sim)
{
    spate_stats stats;
    spate_sim_stats(sim, &stats);
    return stats;
}

static inline spate_stats sample_progress(const spate_sim *sim)
{
    spate_stats stats;
    spate_sim_progress(sim, &stats);
    return stats;
}

static inline double sample_momentum(const spate_stats *stats, int axis)
{
    return spate_stats_value(stats, spate_stat_find("momentum_x") + axis);
}

static inline spate_options sample_options(void)
{
    spate_options options;
    spate_options_default(&options);
    return options;
}

static inline spate_shape sample_shape(void)
{
    spate_shape shape;
    spate_shape_default(&shape);
    return shape;
}

static inline spate_surface_options sample_surface_options(const spate_scene *scene)
{
    spate_surface_options options;
    spate_surface_options_default(&options, scene);
    return options;
}

static inline spate_particles_view sample_view(spate_sim *sim)
{
    spate_particles_view view;
    spate_sim_particles_view(sim, "fluid", &view);
    return view;
}

#endif
