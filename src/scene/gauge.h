/* gauge.h -- what everyone needs to know of a gauge: how many values it has and what they are
 * called. */
#ifndef SPATE_SCENE_GAUGE_H
#define SPATE_SCENE_GAUGE_H

#include <spate/spate.h>

#define SP_GAUGE_LABEL 72 /* bytes of the longest column name: a name, "_x" and the end */

/* 1, or one per axis. */
int sp_gauge_values(const spate_gauge *gauge, int dim);
/* The column of a value in gauges.csv: "H1", "gauges[2]", "jet_x". */
void sp_gauge_column(const spate_scene *scene, int gauge, int value, char column[SP_GAUGE_LABEL]);
/* Index of the solid that a force gauge names, by its name or as solids[2]; -1 if there is none. */
int sp_gauge_solid(const spate_scene *scene, const spate_gauge *gauge);

#endif
