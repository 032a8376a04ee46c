/* tiles.h -- which tiles of the grid have work: lists, and values for each tile (grid.def). */
#ifndef SPATE_KERNELS_TILES_H
#define SPATE_KERNELS_TILES_H

#include "grid.h"

/* How a row of grid.def and level.def is declared: `type SHAPE_...(name);`, and its pointers. */
#define SHAPE_ONE(name) *name
#define SHAPE_AXES(name) *name[DIM]
#define SHAPE_PAIR(name) *name[2]
#define SHAPE_COLUMNS(name) *name[GRID_COLUMNS]
enum { POINTERS_ONE = 1, POINTERS_AXES = DIM, POINTERS_PAIR = 2, POINTERS_COLUMNS = GRID_COLUMNS };

/* Faces of a tile in EXTRAPOLATE, a bit for each, x fastest: those that others may take from,
 * before and after the layer that is being made, by turns; and those that have nothing yet. */
#define FRONT_WORDS (TILE_CELLS / 64)
typedef struct X(front) {
    uint64_t from[2][DIM][FRONT_WORDS], unknown[DIM][FRONT_WORDS];
    bool open, changed; /* some are unknown; some became known in the last layer */
} X(front);

typedef struct X(tiles) {
#define TILES(name, shape, type, ...) type SHAPE_##shape(name);
#include "grid.def"
    bool everywhere; /* all tiles of the domain are active: the fluid fills it */
    int active_count, liquid_count, face_count, border_count; /* of the lists */
    uint32_t first_flying; /* particles of tiles come before it; it and those behind it fly */
    int colour_start[COLOURS + 1]; /* of each colour in `liquid` */
} X(tiles);

/* Where the particles of a tile and of a cell are: SORT makes it for a set of particles. */
typedef struct X(cell_list) {
    const X(grid) *grid;
    X(tiles) *tiles; /* start, state and the lists with their counts; the rest is not touched */
    uint32_t *first, *count; /* cells: the first particle, and how many; 0 outside active tiles */
} X(cell_list);

/* Bits of `state`, and the same << 4 of the last step. */
enum { TILE_LIQUID = 1, TILE_ACTIVE = 2, TILE_BORDER = 4, TILE_ACROSS = 8 };
/* Bits of `near`: it has an empty cell; is next to a tile that has; gives particles' sums to one.
 */
enum { NEAR_EMPTY = 1, NEAR_SURFACE = 2, NEAR_GIVES = 4 };
/* Bits of `cut`: some faces are not open; some cells are beside a thin solid. */
enum { CUT_FACES = 1, CUT_THIN = 2 };
enum { MARKED_NONE, MARKED_SOME };

#endif
