/* grid.h -- where things are in memory. All index arithmetic of the grid stands here.
 *
 * One index space serves cells, faces and nodes. Index (i, j, k) names the cell whose low corner is
 * at (i, j, k), in units of dx from the corner of the domain; its low face along axis d; and its
 * low corner node:
 *
 *        +-------+           cell value   at (i + 1/2, j + 1/2)
 *   u[0] |   p   |           u[0] value   at (i      , j + 1/2)
 *        +-------+           u[1] value   at (i + 1/2, j      )
 *      node u[1]             node value   at (i      , j      )
 *
 * Arrays are dense, x fastest, in whole tiles, with a border at least one tile wide around the
 * domain, so that no stencil needs a bounds test. Tiles are numbered over the whole array, border
 * included: tile 0 is a border tile, and the domain starts at tile (1, 1, 1). */
#ifndef SPATE_KERNELS_GRID_H
#define SPATE_KERNELS_GRID_H

#include "dim.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_LEVELS 16 /* grids of the multigrid, at most */

#define GRID_COLUMNS 16 /* columns of channels that the grid holds, at most */

typedef struct X(grid) {
    int n[3];         /* cells of the domain; n[2] = 1 in 2D */
    int tiles[3];     /* tiles of the array, border included; tiles[2] = 1 in 2D */
    size_t stride[3]; /* of the array; stride[2] = 0 in 2D */
    size_t origin;    /* index of cell (0, 0, 0) */
    size_t size;      /* values in an array */
    int tile_count;
    double dx;     /* m */
    double end[3]; /* cells, where the high sides stand: n, less where a wall cuts cells */
    bool periodic[3];
} X(grid);

SP_KERNEL size_t X(index)(const X(grid) *g, const int c[DIM])
{
    ptrdiff_t index = (ptrdiff_t)g->origin;
    FOR_DIM(d)
        index += c[d] * (ptrdiff_t)g->stride[d];
    return (size_t)index;
}

SP_KERNEL void X(coordinates)(const X(grid) *g, size_t index, int c[DIM])
{
    c[0] = (int)(index % g->stride[1]) - TILE;
    c[1] = (int)(DIM == 3 ? index % g->stride[2] / g->stride[1] : index / g->stride[1]) - TILE;
    if (DIM == 3)
        c[DIM - 1] = (int)(index / g->stride[2]) - TILE;
}

/* Largest integer not above x, for |x| < 2^31. */
SP_KERNEL int X(floor)(float x)
{
    int i = (int)x;
    return i - (x < (float)i);
}

SP_KERNEL void X(tile_coordinates)(const X(grid) *g, int tile, int t[DIM])
{
    FOR_DIM(d) {
        t[d] = tile % g->tiles[d];
        tile /= g->tiles[d];
    }
}

SP_KERNEL int X(tile_number)(const X(grid) *g, const int t[DIM])
{
    int number = t[DIM - 1];
    for (int d = DIM - 2; d >= 0; d--)
        number = number * g->tiles[d] + t[d];
    return number;
}

/* Whether a tile holds cells of the domain; the others are the border. */
SP_KERNEL bool X(in_domain)(const X(grid) *g, const int t[DIM])
{
    bool inside = true;
    FOR_DIM(d)
        inside = inside && t[d] >= 1 && t[d] <= g->tiles[d] - 2;
    return inside;
}

/* The first cell of a tile. */
SP_KERNEL void X(tile_cell)(const X(grid) *g, int tile, int c[DIM])
{
    X(tile_coordinates)(g, tile, c);
    FOR_DIM(d)
        c[d] = (c[d] - 1) * TILE;
}

SP_KERNEL size_t X(tile_index)(const X(grid) *g, int tile)
{
    int c[DIM];
    X(tile_cell)(g, tile, c);
    return X(index)(g, c);
}

/* Distance from the first cell of a tile to the first cell of its row r. */
SP_KERNEL size_t X(row_offset)(const X(grid) *g, int r)
{
    return (size_t)(r & (TILE - 1)) * g->stride[1] + (size_t)(r >> TILE_SHIFT) * g->stride[2];
}

/* Coordinates of the first cell of row r of a tile whose first cell is c. */
SP_KERNEL void X(row_cell)(const int c[DIM], int r, int row[DIM])
{
    row[0] = c[0];
    row[1] = c[1] + (r & (TILE - 1));
    if (DIM == 3)
        row[DIM - 1] = c[DIM - 1] + (r >> TILE_SHIFT);
}

/* Parity of the tile's coordinates as a number. */
SP_KERNEL int X(tile_colour)(const X(grid) *g, int tile)
{
    int t[DIM], colour = 0;
    X(tile_coordinates)(g, tile, t);
    FOR_DIM(d)
        colour |= (t[d] & 1) << d;
    return colour;
}

/* Whether row r of a tile can hold faces or cells of the domain. In a border tile that is the layer
 * of faces that ends the domain, where the number of cells is a whole number of tiles. */
SP_KERNEL bool X(row_has_faces)(const X(grid) *g, const int t[DIM], int r)
{
    return !(t[1] == g->tiles[1] - 1 && (r & (TILE - 1))) &&
           !(DIM == 3 && t[DIM - 1] == g->tiles[2] - 1 && (r >> TILE_SHIFT));
}

/* The same of the row of a cell in the list `faces`. */
SP_KERNEL bool X(may_have_faces)(const X(grid) *g, const int cell[DIM])
{
    bool may = true;
    for (int d = 1; d < DIM; d++)
        may = may && cell[d] <= (g->tiles[d] - 2) * TILE;
    return may;
}

/* Whether a border tile holds faces that end the domain. */
SP_KERNEL bool X(ends_domain)(const X(grid) *g, int tile)
{
    int t[DIM], outside = 0;
    bool ends = true;
    X(tile_coordinates)(g, tile, t);
    FOR_DIM(d) {
        if (t[d] >= 1 && t[d] <= g->tiles[d] - 2)
            continue;
        outside++;
        ends = ends && t[d] == g->tiles[d] - 1 && g->n[d] % TILE == 0 && !g->periodic[d];
    }
    return ends && outside == 1;
}

SP_KERNEL bool X(inside)(const X(grid) *g, const int c[DIM])
{
    bool inside = true;
    FOR_DIM(d)
        inside = inside && c[d] >= 0 && c[d] < g->n[d];
    return inside;
}

/* Where a cell's neighbour is, across periodic sides; false: outside of the domain. */
SP_KERNEL bool X(neighbour)(const X(grid) *g, const int c[DIM], const int offset[3], int near[DIM])
{
    bool inside = true;
    FOR_DIM(d) {
        int n = g->n[d], at = c[d] + offset[d];
        if (g->periodic[d])
            at = at < 0 ? at + n : at >= n ? at - n : at;
        near[d] = at;
        inside = inside && at >= 0 && at < n;
    }
    return inside;
}

/* A tile with images of cells across a periodic side in it, or beside it. */
SP_KERNEL bool X(has_seam)(const X(grid) *g, int tile)
{
    int t[DIM];
    bool seam = false;
    X(tile_coordinates)(g, tile, t);
    FOR_DIM(d)
        seam = seam || (g->periodic[d] && (t[d] == 1 || t[d] >= g->tiles[d] - 2));
    return seam;
}

#endif
