/* particles.h -- a set of particles: structure of arrays, listed in fields.def. Between steps in
 * any order, after SORT by tile, cell and id. */
#ifndef SPATE_KERNELS_PARTICLES_H
#define SPATE_KERNELS_PARTICLES_H

#include "grid.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MAX_CHANNELS 16
#define CHANNEL_COLUMNS (4 * MAX_CHANNELS) /* components of all channels, at most */
#define MOST_SPEED 1e30f                   /* m/s: a velocity not below this is none */
#define MOST_PLACE 1e9f                    /* cells: likewise of a place */

typedef uint32_t __attribute__((may_alias)) X(word); /* a value of a column, whatever its type */

typedef struct X(particles) {
    uint32_t count, capacity;
    uint32_t next_id;
#define FIELD(name, components, type, ...) type *name[components];
#define SCRATCH(name, type, ...) type *name;
#include "fields.def"
    float *channel[CHANNEL_COLUMNS]; /* components of all channels in order */
    int channel_columns;
} X(particles);

/* How many columns fields.def has, and with all channels. */
enum {
    FIELD_COLUMNS = 0
#define FIELD(name, components, ...) +(components)
#include "fields.def"
    ,
    MAX_COLUMNS = FIELD_COLUMNS + CHANNEL_COLUMNS
};

/* Addresses of the column pointers that a set has by `needs` (WHEN_... bits, fields.h), channels
 * last; output: only those that output may need. Returns how many. */
int X(list_columns)(X(particles) *p, unsigned needs, bool output, void **columns[MAX_COLUMNS]);
/* How many columns of fields.def that are. */
int X(count_columns)(unsigned needs, bool output);
int X(scratch_words)(unsigned needs); /* of 4 bytes that a particle has beside them on the host */
void X(particles_free)(X(particles) *p);

#ifdef __cplusplus
}
#endif

#endif
