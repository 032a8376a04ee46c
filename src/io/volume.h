/* volume.h -- the liquid on a grid, sparse: a level set and a velocity in blocks of 8^3 cells
 * (2D: 8 x 8 x 1) around the particles.
 *
 * It is made from particles alone, so that a running simulation and a folder of files give the same
 * volume. Values belong to the middles of cells; cell (0, 0, 0) touches the corner of the domain.
 */
#ifndef SPATE_IO_VOLUME_H
#define SPATE_IO_VOLUME_H

#include "particle_table.h"

enum {
    SP_LEAF = 8,         /* cells along a side of a block */
    SP_LEAF_CELLS = 512, /* index of a cell in its block: x + 8 (y + 8 z) */
    SP_VOLUME_BAND = 3,  /* cells on both sides of the surface whose distance is known */
    SP_VOLUME_ROW = 256  /* most cells of a row asked for at once */
};

typedef struct sp_leaf {
    int at[3];                    /* its first cell / SP_LEAF */
    bool near;                    /* some distance in it is inside the band */
    bool inside;                  /* not near: all of it is liquid */
    float phi[SP_LEAF_CELLS];     /* m, signed distance, negative inside, cut off at the band */
    float v[3][SP_LEAF_CELLS];    /* m/s */
    uint8_t known[SP_LEAF_CELLS]; /* there is a velocity: 1 of particles, 2 .. carried on */
    bool fixed[SP_LEAF_CELLS];    /* beside the surface: phi is as the density says */
} sp_leaf;

typedef struct sp_volume {
    int dim;
    int cells[3];     /* of the domain; the volume reaches a little beyond it */
    double cell_size; /* m */
    double band;      /* m, SP_VOLUME_BAND cells: phi far outside, -phi far inside */
    sp_leaf **leaves; /* in order of z, y, x */
    size_t leaf_count, leaf_room;
    uint32_t *table; /* hash of leaf places: number + 1, 0 if free */
    size_t table_size;
} sp_volume;

spate_status sp_volume_create(sp_volume *volume, const sp_particle_table *table,
                              spate_error *error);
void sp_volume_clear(sp_volume *volume);
/* The block at a place in blocks, NULL if it has none: far outside. */
const sp_leaf *sp_volume_leaf(const sp_volume *volume, const int at[3]);
/* `count` cells along x from cell `at`. */
void sp_volume_distances(const sp_volume *volume, const int at[3], int count, float *phi);
void sp_volume_velocities(const sp_volume *volume, const int at[3], int count, float *v);

#endif
