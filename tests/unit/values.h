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

#endif
