/* gauge.h -- what everyone needs to know of a gauge: how many values it has and what they are
 * called. */
#ifndef SPATE_SCENE_GAUGE_H
#define SPATE_SCENE_GAUGE_H

#include <spate/spate.h>

#define SP_GAUGE_LABEL 72    /* bytes of the longest column name: a name, "_x" and the end */
#define SP_GAUGE_HEADING 288 /* of that with unit and place */

const char *sp_gauge_kind_name(spate_gauge_kind kind);
/* 1, or one per axis; 0: it has files of its own, and no column. */
int sp_gauge_values(const spate_gauge *gauge, int dim);
/* Whether it shows the pressure, which is a mean over a step (sim/gauges.c). */
static inline bool sp_gauge_is_load(spate_gauge_kind kind)
{
    return kind == SPATE_GAUGE_PRESSURE || kind == SPATE_GAUGE_FORCE || kind == SPATE_GAUGE_MOMENT;
}
/* The name of a value: "H1", "gauges[2]", "jet_x". */
void sp_gauge_column(const spate_scene *scene, int gauge, int value, char column[SP_GAUGE_LABEL]);
/* The column of a value in gauges.csv: the name, its unit and where it is taken,
 * "H1 [m] at 1.2 0 0.5", without commas and quotes. The name ends at the last " [". */
void sp_gauge_heading(const spate_scene *scene, int gauge, int value,
                      char heading[SP_GAUGE_HEADING]);
/* Which of the columns that the grid holds is the channel of a gauge; -1: none. */
int sp_gauge_grid_column(const spate_scene *scene, const spate_gauge *gauge);
/* A solid by its name, or solids[2]. */
void sp_gauge_solid_label(const spate_scene *scene, int solid, char label[64]);
/* Index of the solid that a gauge names, by its name or as solids[2]; -1 if there is none. */
int sp_gauge_solid(const spate_scene *scene, const spate_gauge *gauge);

#endif
