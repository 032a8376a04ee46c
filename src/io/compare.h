/* compare.h -- several runs side by side: their charts laid over each other, and what became of
 * each in numbers. */
#ifndef SPATE_IO_COMPARE_H
#define SPATE_IO_COMPARE_H

#include "run_charts.h"
#include "stats.h"

typedef struct sp_compared {
    char name[128];               /* as people know it: the folder */
    sp_stats_table stats, gauges; /* gauges.columns 0: it has none */
    spate_scene *scene;
} sp_compared;

/* Reads a run folder. */
spate_status sp_compared_read(sp_compared *run, const char *folder, spate_error *error);
void sp_compared_clear(sp_compared *run);

/* One chart for each quantity and each column of the gauges, with a line for each run: the first
 * SP_CHART_SERIES of them. */
spate_status sp_compare_charts(sp_run_charts *charts, const sp_compared *runs, int count,
                               spate_error *error);

/* A number about a run; NaN where it has none. */
typedef struct sp_result {
    char name[96], unit[16];
    double value;
} sp_result;
enum { SP_RESULTS = 96 };
/* Frames, particles, steps, seconds, volume, energy, speed, and of each gauge the greatest value
 * and the mean over the second half of the time. Returns how many; the same for runs whose gauges
 * are the same. */
int sp_compare_results(const sp_compared *run, sp_result results[SP_RESULTS]);

#endif
