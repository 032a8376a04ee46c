/* slices.h -- slice.NAME.0042.vti, slice.NAME.0042.csv: velocity, pressure and level set on the
 * planes and lines of the gauges of kind `slice`, in a frame.
 *
 * A plane is an image for ParaView, a line (every slice of a 2D scene) a table. Points lie from end
 * to end of the slice, at most a cell apart. The values are those of spate_sim_sample, which reads
 * the host's copy of the grid: on a GPU it is fetched first. */
#ifndef SPATE_IO_SLICES_H
#define SPATE_IO_SLICES_H

#include "run_folder.h"

/* The slices of the simulation as it is, of frame spate_sim_frame. Without any it does nothing. */
spate_status sp_slices_write(const sp_run_folder *folder, spate_sim *sim, spate_error *error);

#endif
