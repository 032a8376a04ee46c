/* arrays.h -- the rows of grid.def at run time: what makes, frees, clears, copies, saves or counts
 * arrays loops over this list. */
#ifndef SPATE_STATE_ARRAYS_H
#define SPATE_STATE_ARRAYS_H

#include "state.h"

/* How many values an array has, of a grid: the column `extent`. */
typedef enum X(extent) {
    EXTENT_CELLS,
    EXTENT_TILES,
    EXTENT_TILES_END,
    EXTENT_WAVES,
    EXTENT_LAYERS,
    EXTENT_BLOCKS,
    EXTENT_BLOCK_CELLS,
    EXTENT_BLOCK_FACES
} X(extent);

typedef struct X(array) {
    const char *name;
    size_t offset; /* of its first pointer, in X(fields) or X(system) */
    size_t item;   /* bytes of a value */
    int pointers;
    bool by_column; /* of these as many as the grid holds columns of channels */
    X(extent) extent;
    bool in_system;              /* a member of X(system) */
    bool follows;                /* the liquid: zero outside the active tiles */
    bool saved;                  /* in checkpoints */
    unsigned group;              /* GROUP_...; 0: never copied */
    unsigned host, used, device; /* WHEN_... */
} X(array);

enum { /* rows of grid.def, and pointers of all of them */
       ARRAY_COUNT = 0
#define FIELDS(...) +1
#define TILES(...) +1
#define SYSTEM(...) +1
#include "kernels/grid.def"
       ,
       ARRAY_POINTERS = 0
#define FIELDS(name, shape, ...) +POINTERS_##shape
#define TILES(name, shape, ...) +POINTERS_##shape
#define SYSTEM(name, shape, ...) +POINTERS_##shape
#include "kernels/grid.def"
};

extern const X(array) X(arrays)[ARRAY_COUNT];

size_t X(extent_of)(X(extent) extent, const X(grid) *g);
/* Values in the blocks of a vector: of the tiles of the domain. */
double X(block_cells)(const X(grid) *g);
/* What a scene has: WHEN_... bits. */
unsigned X(needs)(const spate_scene *scene);
/* The first of the pointers of an array: of the host, and in fields of any memory. */
void **X(array_of)(X(sim) *s, const X(array) *array);
void **X(array_in)(X(fields) *f, const X(array) *array);
unsigned X(saved_groups)(void); /* of the arrays that checkpoints hold */
/* Sets the pointers of a device that are aliases; arrays_create does so for the host. */
void X(share_arrays)(X(fields) *f);

/* Builds with asserts: an alias is NaN after the last stage of a step that reads it, in the tiles
 * that P2G begins anew and SORT clears. Devices that poison do so by themselves. */
void X(poison_dead)(X(sim) *s, sp_stage stage);

/* Of a simulation, with those of its system, and the aliases. */
spate_status X(arrays_create)(X(sim) *s, spate_error *error);
/* A cell list with memory of its own, of a set of particles that is not the fluid. */
spate_status X(cell_list_create)(X(cell_list) *list, const X(grid) *g, spate_error *error);
void X(cell_list_destroy)(X(cell_list) *list);
double X(cell_list_bytes)(const X(grid) *g); /* of its arrays of cells, for a forecast */
/* Those that a simulation has come to need. */
spate_status X(arrays_add)(X(sim) *s, unsigned needs, spate_error *error);
void X(arrays_destroy)(X(sim) *s);
/* Bytes that the host's arrays of cells take, for a forecast. */
double X(arrays_bytes)(const spate_scene *scene, const X(grid) *g);
/* How many pointers of an array are used where the grid holds so many columns of channels. */
int X(pointers_of)(const X(array) *array, int columns);

#endif
