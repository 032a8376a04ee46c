/* field_set.h -- the fields of the grid at one moment, cell by cell: what volume files hold beside
 * a level set, and what pictures of a gas show.
 *
 * They are copied from a simulation, which may go on then, or read from a file of a run. */
#ifndef SPATE_IO_FIELD_SET_H
#define SPATE_IO_FIELD_SET_H

#include <spate/spate.h>

#include "scene/channels.h"

typedef struct sp_cell_field {
    char name[32];  /* "vel", "pressure", "type", "open", or that of a channel */
    int components; /* 1 .. 4 */
    float *values;  /* components of a cell together, cells with x fastest; NULL for "type" */
    uint8_t *bytes; /* only of "type": spate_cell */
} sp_cell_field;

/* Those named above with the level set of a liquid, and the channels that the grid holds. */
#define SP_CELL_FIELDS (5 + SP_GRID_COLUMNS)

typedef struct sp_field_set {
    int frame;
    double time; /* s */
    int dim;
    int cells[3];     /* of the domain; 1 along z in 2D */
    double cell_size; /* m */
    sp_cell_field fields[SP_CELL_FIELDS];
    int field_count;
    float *memory;   /* of all values */
    size_t capacity; /* floats */
} sp_field_set;

static inline size_t sp_field_set_cells(const sp_field_set *set)
{
    return (size_t)set->cells[0] * (size_t)set->cells[1] * (size_t)set->cells[2];
}

/* All fields that volume files of this simulation hold: of a gas velocity (m/s, at the middle of
 * the cell, 0 in solids), pressure (Pa), type and channels; of a liquid pressure, type, open shares
 * of the faces and channels, beside the level set and the velocity that sp_volume has. They are
 * those of the last step; channels are those of the particles as they were at the last
 * spate_sim_stats. Temperatures are in K. The first time the set must be all zero; its memory is
 * kept from one time to the next. */
spate_status sp_field_set_take(sp_field_set *set, spate_sim *sim, spate_error *error);
/* Bytes that a set of such a scene takes. */
double sp_field_set_bytes(const spate_scene *scene, double cells);
/* A volume file (.vti) of a run of this scene, that of frame `frame`. */
spate_status sp_field_set_read(sp_field_set *set, const spate_scene *scene, int frame,
                               const char *path, spate_error *error);
/* Whether a volume file is there as a whole. */
spate_status sp_field_set_probe(const spate_scene *scene, const char *path, spate_error *error);
void sp_field_set_clear(sp_field_set *set);
/* For those that fill one: domain and cells of the scene, without fields; and memory for the fields
 * that are listed. */
void sp_field_set_begin(sp_field_set *set, const spate_scene *scene);
spate_status sp_field_set_place(sp_field_set *set, spate_error *error);

/* A field of a simulation at a point (m), linear between its values, the nearest one beyond the
 * last. */
double sp_field_view_at(const spate_field_view *view, const double point[3]);

/* NULL if there is none of that name. */
const sp_cell_field *sp_field_set_find(const sp_field_set *set, const char *name);

#endif
