/* ply.h -- reading PLY files of any layout, row by row.
 *
 *     sp_ply ply;
 *     TRY(sp_ply_open(&ply, bytes, size, path, error));
 *     for each element, in the order of the file:
 *         element.count times sp_ply_read_row (or sp_ply_skip for an element of no interest)
 *     sp_ply_close(&ply);
 *
 * Nothing is trusted: counts are held against the bytes that are there before memory is asked for.
 */
#ifndef SPATE_IO_PLY_H
#define SPATE_IO_PLY_H

#include <spate/spate.h>

typedef enum sp_ply_format { SP_PLY_ASCII, SP_PLY_LITTLE, SP_PLY_BIG } sp_ply_format;

typedef enum sp_ply_type {
    SP_PLY_NONE,
    SP_PLY_INT8,
    SP_PLY_UINT8,
    SP_PLY_INT16,
    SP_PLY_UINT16,
    SP_PLY_INT32,
    SP_PLY_UINT32,
    SP_PLY_FLOAT32,
    SP_PLY_FLOAT64
} sp_ply_type;

typedef struct sp_ply_property {
    char name[64];
    sp_ply_type type;
    sp_ply_type count_type; /* of a list; SP_PLY_NONE: one number */
} sp_ply_property;

typedef struct sp_ply_element {
    char name[64];
    uint64_t count; /* rows; as many as the rest of the file can hold, or sp_ply_open fails */
    size_t first, property_count;
} sp_ply_element;

typedef struct sp_ply {
    const char *path;
    sp_ply_format format;
    sp_ply_element *elements;
    size_t element_count;
    sp_ply_property *properties; /* of all elements */
    size_t property_count;
    const char *next, *end; /* what is not read yet */
    double *row;            /* the last row: one number per property, for a list its length */
    double *list;           /* the numbers of the list that was asked for */
    size_t list_count, list_capacity;
} sp_ply;

/* `bytes` must end with a 0 byte (as from sp_file_read_all) and outlive `ply`. */
spate_status sp_ply_open(sp_ply *ply, const char *bytes, size_t size, const char *path,
                         spate_error *error);
/* The header alone: `bytes` need not hold the rows, and their number is not held against anything.
 */
spate_status sp_ply_open_header(sp_ply *ply, const char *bytes, size_t size, const char *path,
                                spate_error *error);
void sp_ply_close(sp_ply *ply);

/* The number of a property in its element, -1 if it is not there. */
int sp_ply_find(const sp_ply *ply, const sp_ply_element *element, const char *name);
/* The next row into ply->row, and the list property number `list` (-1: none) into ply->list. */
spate_status sp_ply_read_row(sp_ply *ply, const sp_ply_element *element, int list,
                             spate_error *error);
spate_status sp_ply_skip(sp_ply *ply, const sp_ply_element *element, spate_error *error);

#endif
