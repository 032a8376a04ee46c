/* progress.h -- how far a run is: a bar on a terminal, a line per frame elsewhere, nothing when
 * quiet. */
#ifndef SPATE_TOOL_PROGRESS_H
#define SPATE_TOOL_PROGRESS_H

#include <spate/spate.h>

/* One run per process. `json`: stdout carries objects, so a bar must not share its terminal. */
void progress_begin(const spate_sim *sim, bool quiet, bool json);
/* After a step, inside a frame or at its end. */
void progress_step(const spate_sim *sim);
/* After a frame is written. */
void progress_frame(const spate_sim *sim, const spate_stats *stats, double seconds);
/* The bar goes away. */
void progress_end(void);

#endif
