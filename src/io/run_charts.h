/* run_charts.h -- the charts of a run, from its stats.csv and gauges.csv. */
#ifndef SPATE_IO_RUN_CHARTS_H
#define SPATE_IO_RUN_CHARTS_H

#include "chart.h"
#include "run_folder.h"

#define SP_RUN_CHARTS 16

typedef struct sp_run_chart {
    char name[48]; /* "energy": file name plot.energy.svg */
    sp_text svg;
} sp_run_chart;

typedef struct sp_run_charts {
    int count;
    sp_run_chart charts[SP_RUN_CHARTS];
} sp_run_charts;

/* All that the files have numbers for. A stats.csv without rows is an error; there need not be a
 * gauges.csv. */
spate_status sp_run_charts_make(sp_run_charts *charts, const sp_run_folder *folder,
                                const spate_scene *scene, spate_error *error);
void sp_run_charts_clear(sp_run_charts *charts);

#endif
