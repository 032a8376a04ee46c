/* gauges.h -- gauges.csv: one row per step, row 0 the start; columns time, step, and the values of
 * the gauges.
 *
 * The file is open while a run goes on. Rows reach the file as they come and the disk at
 * sp_gauges_sync, which a run calls at the end of every frame and before every checkpoint. Without
 * gauges there is no file, and every function does nothing. */
#ifndef SPATE_IO_GAUGES_H
#define SPATE_IO_GAUGES_H

#include <spate/spate.h>

typedef struct sp_gauges sp_gauges;

/* A new gauges.csv with the line of names and the row of the simulation as it is; *gauges is NULL
 * without gauges. */
spate_status sp_gauges_create(const char *path, spate_sim *sim, sp_gauges **gauges,
                              spate_error *error);
/* Goes on with the file of an interrupted run: removes the rows after the step that the simulation
 * is at and a torn last line; *rows (may be NULL) is how many stay. A file that is not there is
 * made anew, with the line of names only. */
spate_status sp_gauges_resume(const char *path, spate_sim *sim, sp_gauges **gauges, uint64_t *rows,
                              spate_error *error);
/* The row of the step just done; gauges may be NULL here and below. */
spate_status sp_gauges_append(sp_gauges *gauges, spate_sim *sim, spate_error *error);
spate_status sp_gauges_sync(sp_gauges *gauges, spate_error *error);
void sp_gauges_close(sp_gauges *gauges);

#endif
