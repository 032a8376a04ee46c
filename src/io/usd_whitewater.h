/* usd_whitewater.h -- whitewater as USD: a layer with one Points prim for each class.
 *
 *     /spate/whitewater/spray, foam, bubbles, dust      points, velocities, ids, widths
 * (diameters), primvars:age, primvars:life, extent */
#ifndef SPATE_IO_USD_WHITEWATER_H
#define SPATE_IO_USD_WHITEWATER_H

#include "particle_table.h"

/* table: of sp_particle_table_of_whitewater. */
spate_status sp_usd_write_whitewater(const sp_particle_table *table, const char *path,
                                     spate_error *error);

#endif
