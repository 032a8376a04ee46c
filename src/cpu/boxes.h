/* boxes.h -- sums at the corners of the boxes of a staggered grid, for the tile at hand.
 *
 * With the linear kernel a particle gives to the 2^DIM places of a component around it, which are
 * the corners of a *box*. The sums of a box stand together, one vector of all its corners for each
 * quantity, so that a particle adds its shares at once. Boxes of neighbours have corners in common;
 * their sums meet when the tile is done, eight boxes of a row at a time. The component DIM is that
 * of the middles of cells.
 *
 * p2g_affine.c sums velocities so, and deposit.c channels. */
#ifndef SPATE_CPU_BOXES_H
#define SPATE_CPU_BOXES_H

#include "cpu.h"
#include "simd.h"

#define SIDE (TILE + 1) /* boxes along an axis of a tile, from half a cell before it */
#define BOXES (SIDE * SIDE * LAST(SIDE))
#define CORNERS (1 << DIM) /* of a box: bit a of its number is the place along axis a */

typedef float corners __attribute__((vector_size(4 * CORNERS)));

/* ---- shares */

SIMD_FN corners spread(float x)
{
    return x - (corners){0};
}

/* 0 at the first corners along an axis, 1 at the second ones. */
SIMD_FN corners second(int axis)
{
    static const float at[3][8] = {
        {0, 1, 0, 1, 0, 1, 0, 1}, {0, 0, 1, 1, 0, 0, 1, 1}, {0, 0, 0, 0, 1, 1, 1, 1}};
    corners v;
    memcpy(&v, at[axis], sizeof v);
    return v;
}

/* 1 - x at the first corners, x at the second ones. */
SIMD_FN corners shares(float x, int axis)
{
    corners one = spread(1.0f), at = second(axis);
    return (one - at) + (at + at - one) * spread(x);
}

/* ---- boxes to the grid */

#define VECTORS (TILE / LANES)

SIMD_FN void add_lanes(float *to, f8 v)
{
    store_n(to, load_n(to, LANES) + v, LANES);
}

/* Four corners of each box of a row, `step` floats from box to box, to two rows of places; `last`:
 * the row has a box more than the tile has cells. */
SIMD_FN void give_row(const float *from, int step, bool last, float *const to[2])
{
    f8 before[2] = {{0}};
    for (int v = 0; v < VECTORS; v++) {
        const float *first = from + LANES * v * step;
        f8 r[4];
        for (int k = 0; k < 4; k++)
            r[k] = f8_join(f4_load(first + k * step), f4_load(first + (k + 4) * step));
        transpose4(r);
        for (int j = 0; j < 2; j++) {
            f8 left = shuffle(before[j], r[2 * j + 1], 7, 8, 9, 10, 11, 12, 13, 14);
            add_lanes(to[j] + LANES * v, r[2 * j] + left);
            before[j] = r[2 * j + 1];
        }
    }
    for (int j = 0; j < 2; j++) {
        const float *extra = from + TILE * step + 2 * j;
        to[j][TILE] += last ? before[j][LANES - 1] + extra[0] : before[j][LANES - 1];
        if (last)
            to[j][TILE + 1] += extra[1];
    }
}

/* Boxes low .. high of a tile along y and z. */
typedef struct bounds {
    int low[3], high[3];
} bounds;

/* Those of component d (DIM: between the middles of cells) that the rows of cells with particles
 * reach. */
SIMD_FN bounds bounds_of(const bounds *rows, int d)
{
    bounds b = *rows;
    for (int a = 1; a < DIM; a++)
        b.high[a] += a != d;
    return b;
}

/* Rows of boxes with `size` floats each, numbers of `from` on, to the array of component d. */
SIMD_FN void give_rows(const X(grid) *g, const float *from, int size, const bounds *rows, int d,
                       const int corner[DIM], float *to)
{
    bounds b = bounds_of(rows, d);
    for (int m = DIM == 3 ? b.low[2] : 0; m <= (DIM == 3 ? b.high[2] : 0); m++)
        for (int j = b.low[1]; j <= b.high[1]; j++) {
            int at[3] = {0, j, m}, first[DIM];
            FOR_DIM(a)
                first[a] = corner[a] + at[a] - (a != d);
            float *row = to + X(index)(g, first);
            for (int k = 0; k < LAST(2); k++) { /* the corners of a plane */
                float *const pair[2] = {row + (size_t)k * g->stride[2],
                                        row + (size_t)k * g->stride[2] + g->stride[1]};
                give_row(from + (j + m * SIDE) * SIDE * size + 4 * k, size, d != 0, pair);
            }
        }
}

/* Clears the boxes of component d, `size` bytes each. */
SIMD_FN void clear_boxes(void *boxes, size_t size, const bounds *rows, int d)
{
    bounds b = bounds_of(rows, d);
    size_t lines = (size_t)(b.high[1] + 1 - b.low[1]) * SIDE;
    for (int m = DIM == 3 ? b.low[2] : 0; m <= (DIM == 3 ? b.high[2] : 0); m++)
        memset((char *)boxes + (size_t)((b.low[1] + m * SIDE) * SIDE) * size, 0, lines * size);
}

#endif
