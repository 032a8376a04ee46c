/* block.h -- the layout of the multigrid's vectors, and the stencil on it.
 *
 * The values of a tile lie together, a block of TILE_CELLS floats, and blocks follow each other:
 * one per tile with unknowns, in order of the tiles. Block 0 is zero and stands for tiles without
 * any.
 *
 * Inside a block two neighbouring rows, j = 2m and 2m + 1, are woven into two vectors so that each
 * holds cells of one colour of the red-black order:
 *
 *     row 2m + 1   F E F E F E F E        E_m: even cells of row 2m, odd ones of row 2m + 1
 *     row 2m       E F E F E F E F        F_m: the others
 *
 * The same weaving takes them apart again. Half a sweep then computes whole vectors, none of it for
 * nothing: the neighbours of E_m are F_m one lane to the left and to the right, F_m itself (across
 * the face between the two rows), F_(m-1) in even and F_(m+1) in odd lanes, and E_m of the planes
 * before and after.
 *
 * Work on a tile starts with a padded copy of its block, with the cells around it. It stays in the
 * first-level cache while all sweeps of a smoothing step go over it. */
#ifndef SPATE_SIM_PRESSURE_BLOCK_H
#define SPATE_SIM_PRESSURE_BLOCK_H

#include "pressure.h"
#include "sim/lanes.h"

/* Even lanes of a, odd ones of b. */
SP_INLINE lanes weave(lanes a, lanes b)
{
    return __builtin_shufflevector(a, b, SP_LANES_EVERY_OTHER);
}

#define PAIRS (TILE / 2)  /* of rows in a plane */
#define PLANES LAST(TILE) /* of a tile */
#define PITCH (2 * TILE)  /* of a vector in a padded tile: no load of it crosses a cache line */
#define LEAD (TILE / 2)   /* where it starts */
#define PAD_PAIR (2 * PITCH)
#define PAD_PLANE ((PAIRS + 2) * PAD_PAIR)

typedef struct padded {
    float v[LAST(TILE + 2) * PAD_PLANE];
} __attribute__((aligned(64))) padded;

/* Place of a cell in its block. */
SP_INLINE size_t place(int i, int j, int k)
{
    return (size_t)(((k * PAIRS + j / 2) * 2 + ((i ^ j) & 1)) * TILE + i);
}

/* Place of vector (plane k, pair m, half h) in a block, and in a padded tile. */
SP_INLINE size_t in_block(int k, int m, int h)
{
    return (size_t)(((k * PAIRS + m) * 2 + h) * TILE);
}

SP_INLINE size_t in_padded(int k, int m, int h)
{
    return (size_t)((k + LAST(2) - 1) * PAD_PLANE + (m + 1) * PAD_PAIR + h * PITCH + LEAD);
}

SP_INLINE float *block(float *field, int slot)
{
    return field + (size_t)slot * TILE_CELLS;
}

/* A block that will be needed soon: tiles are far apart for a processor that guesses. */
SP_INLINE void prefetch(const float *field, int slot)
{
    for (size_t k = 0; k < TILE_CELLS; k += 64 / sizeof(float))
        __builtin_prefetch(field + (size_t)slot * TILE_CELLS + k);
}

/* Pairs of rows as bits, pair m of plane k has number k * PAIRS + m; and the pairs of planes whose
 * number is even or odd. */
#define EVEN_PLANES (DIM == 3 ? 0x0f0f0f0fu : ~0u)
#define FOR_PAIRS(set, n)                                                                      \
    for (uint32_t n##_left = (set), n; n##_left && (n = (uint32_t)__builtin_ctz(n##_left), 1); \
         n##_left &= n##_left - 1)

/* Faces of a tile whose off-diagonals are not all the same: along x those on the left and on the
 * right of each cell, woven; along y TILE + 1 rows in each plane, as they are; along z TILE + 1
 * planes, woven. */
#define FACES_RIGHT TILE_CELLS
#define FACES_Y (2 * TILE_CELLS)
#define FACES_Z (FACES_Y + PLANES * (TILE + 1) * TILE)
#define FACES_SIZE (FACES_Z + (LAST(2) - 1) * (TILE + 1) * TILE * TILE)

/* The sum over the neighbours of vector (k, m, h), each times the off-diagonal between, which is 1
 * without `faces`. `x` is the vector's place in a padded tile. */
SP_INLINE lanes around(const float *x, int k, int m, int h, const float *faces)
{
    const float *other = h ? x - PITCH : x + PITCH;
    lanes left = load(other - 1), right = load(other + 1), middle = load(other);
    lanes before = load(other - PAD_PAIR), after = load(other + PAD_PAIR);
    lanes outer = h ? weave(after, before) : weave(before, after);
    if (faces) {
        const float *y = faces + FACES_Y + (k * (TILE + 1) + 2 * m) * TILE;
        lanes low = load(y), high = load(y + 2 * TILE);
        left *= load(faces + in_block(k, m, h));
        right *= load(faces + FACES_RIGHT + in_block(k, m, h));
        middle *= load(y + TILE);
        outer *= h ? weave(high, low) : weave(low, high);
    }
    lanes sum = (left + right) + (middle + outer);
    if (DIM == 3) {
        lanes back = load(x - PAD_PLANE), front = load(x + PAD_PLANE);
        if (faces) {
            back *= load(faces + FACES_Z + in_block(k, m, h));
            front *= load(faces + FACES_Z + in_block(k + 1, m, h));
        }
        sum += back + front;
    }
    return sum;
}

/* What fetch reads: x, or x + factor y. */
typedef struct source {
    const float *x, *y;
    float factor;
} source;

SP_INLINE lanes fetch(source from, size_t at)
{
    lanes v = load(from.x + at);
    return from.y ? v + from.factor * load(from.y + at) : v;
}

SP_INLINE float fetch_one(source from, size_t at)
{
    return from.y ? from.x[at] + from.factor * from.y[at] : from.x[at];
}

/* The cells around a tile, into the padding. near: the blocks across its faces. */
SP_INLINE void fetch_around(padded *p, source from, const int near[2 * DIM])
{
    size_t low = (size_t)near[0] * TILE_CELLS, high = (size_t)near[1] * TILE_CELLS;
    for (int k = 0; k < PLANES; k++)
        for (int m = 0; m < PAIRS; m++)
            for (int h = 0; h < 2; h++) {
                float *x = p->v + in_padded(k, m, h);
                x[-1] = fetch_one(from, low + in_block(k, m, h) + TILE - 1);
                x[TILE] = fetch_one(from, high + in_block(k, m, h));
            }
    low = (size_t)near[2] * TILE_CELLS;
    high = (size_t)near[3] * TILE_CELLS;
    for (int k = 0; k < PLANES; k++)
        for (int h = 0; h < 2; h++) {
            store(p->v + in_padded(k, -1, h), fetch(from, low + in_block(k, PAIRS - 1, h)));
            store(p->v + in_padded(k, PAIRS, h), fetch(from, high + in_block(k, 0, h)));
        }
    if (DIM == 2)
        return;
    low = (size_t)near[2 * DIM - 2] * TILE_CELLS;
    high = (size_t)near[2 * DIM - 1] * TILE_CELLS;
    for (int m = 0; m < PAIRS; m++)
        for (int h = 0; h < 2; h++) {
            store(p->v + in_padded(-1, m, h), fetch(from, low + in_block(TILE - 1, m, h)));
            store(p->v + in_padded(TILE, m, h), fetch(from, high + in_block(0, m, h)));
        }
}

SP_INLINE void fetch_own(padded *p, source from, int slot)
{
    size_t own = (size_t)slot * TILE_CELLS;
    for (int k = 0; k < PLANES; k++)
        for (int m = 0; m < PAIRS; m++)
            for (int h = 0; h < 2; h++)
                store(p->v + in_padded(k, m, h), fetch(from, own + in_block(k, m, h)));
}

/* Rows of a tile, in order, into its block; or a block into rows. */
SP_INLINE void weave_tile(float *out, const float rows[TILE_CELLS])
{
    for (int pair = 0; pair < PLANES * PAIRS; pair++) {
        lanes one = load(rows + 2 * pair * TILE), two = load(rows + (2 * pair + 1) * TILE);
        store(out + 2 * pair * TILE, weave(one, two));
        store(out + (2 * pair + 1) * TILE, weave(two, one));
    }
}

#endif
