/* vdb.h -- OpenVDB files. */
#ifndef SPATE_IO_VDB_H
#define SPATE_IO_VDB_H

#include "volume.h"

/* A file with two grids: `surface`, a level set, and `vel`. 3D only. */
spate_status sp_vdb_write(const sp_volume *volume, const char *path, spate_error *error);

#endif
