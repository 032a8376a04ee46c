/* usd_set.h -- a set of particles beside the fluid as USD: a layer with one Points prim for each
 * class.
 *
 *     /spate/NAME/CLASS      points, velocities, ids, widths (diameters), extent, and the other
 * columns as primvars:COLUMN */
#ifndef SPATE_IO_USD_SET_H
#define SPATE_IO_USD_SET_H

#include "particle_table.h"

/* table: of sp_particle_table_of_set, or of a file of one. */
spate_status sp_usd_write_set(const sp_particle_table *table, const char *path, spate_error *error);

#endif
