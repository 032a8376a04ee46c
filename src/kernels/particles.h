/* particles.h -- a set of particles: structure of arrays, and what is true of all of them. The
 * columns that sets share are listed in fields.def. Between steps in any order, after SORT by tile,
 * cell and id. A simulation may have several sets; what works on a set takes it, and nothing else
 * of the simulation. */
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
    unsigned needs; /* WHEN_... bits (fields.h): the columns that it has */
    uint64_t dead;  /* particles marked DEAD, not yet removed */
    float fastest;  /* the largest v^2, m^2/s^2; negative: to be found */
    bool sorted;    /* no particle has moved, come or gone since SORT */
    bool at_home;   /* particles are in the tiles that SORT put them in */
#define FIELD(name, components, type, ...) type *name[components];
#define SCRATCH(name, type, ...) type *name;
#include "fields.def"
    /* The columns of this set alone, in order: the components of the fluid's channels, or the rows
     * of whitewater.def, which X(white) reads with their types (whitewater.h). */
    float *own[CHANNEL_COLUMNS];
    int own_columns;
} X(particles);

/* How many columns fields.def has, and a set at most. */
enum {
    FIELD_COLUMNS = 0
#define FIELD(name, components, ...) +(components)
#include "fields.def"
    ,
    MAX_COLUMNS = FIELD_COLUMNS + CHANNEL_COLUMNS
};

/* Addresses of the column pointers that a set has, those of own[] last. output: without the columns
 * of fields.def that output does not need. Returns how many. */
int X(list_columns)(X(particles) *p, bool output, void **columns[MAX_COLUMNS]);
/* How many columns of fields.def that are by `needs`. */
int X(count_columns)(unsigned needs, bool output);
int X(scratch_words)(unsigned needs); /* of 4 bytes that a particle has beside them on the host */

#ifdef __cplusplus
}
#endif

#endif
