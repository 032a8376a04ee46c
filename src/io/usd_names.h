/* usd_names.h -- what an attribute of particles is called in USD. */
#ifndef SPATE_IO_USD_NAMES_H
#define SPATE_IO_USD_NAMES_H

#include "particle_table.h"
#include "usd.h"

typedef struct sp_usd_name {
    char name[64];
    sp_usd_type type;
    const char *interpolation; /* NULL: none to be named */
} sp_usd_name;

sp_usd_name sp_usd_name_of(const sp_attribute *attribute);

#endif
