/* gauge_samples.h -- gauge_samples.csv: the gauges at a fixed rate, row k at k / rate, made of the
 * rows of gauges.csv. A value of gauges.csv belongs to the step that its row ends.
 *
 *   pressure, force, moment, flux  the mean over the time since the row before: the sum of value
 *                                  times length of step, so that impulse and volume are kept
 *                                  whatever the steps
 *   height, velocity, front        at the time of the row, linear between the ends of steps
 *
 * Row 0 is that of gauges.csv. It works on the text of the rows: made again from the file, as a
 * resumed run does, it is the same to the byte. */
#ifndef SPATE_IO_GAUGE_SAMPLES_H
#define SPATE_IO_GAUGE_SAMPLES_H

#include <spate/spate.h>

typedef struct sp_gauge_samples sp_gauge_samples;

/* A new file beside gauges.csv, of which `names` is the first line; *samples is NULL if the scene
 * asks for no rate. */
spate_status sp_gauge_samples_create(const char *gauges_path, const spate_scene *scene,
                                     const char *names, sp_gauge_samples **samples,
                                     spate_error *error);
/* The next row of gauges.csv, up to its line end or a 0 byte; samples may be NULL here and below.
 */
spate_status sp_gauge_samples_add(sp_gauge_samples *samples, const char *row, spate_error *error);
spate_status sp_gauge_samples_sync(sp_gauge_samples *samples, spate_error *error);
void sp_gauge_samples_close(sp_gauge_samples *samples);

#endif
