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
 * first-level cache while all sweeps of a smoothing step go over it.
 *
 * Vectors are done eight lanes at a time, which is all of one in 3D and half of one in 2D: gcc
 * keeps vectors that are longer than the machine's in memory and shuffles them lane by lane. */
#ifndef SPATE_CPU_PRESSURE_BLOCK_H
#define SPATE_CPU_PRESSURE_BLOCK_H

#include "cpu/simd.h"
#include "pressure.h"

/* Even lanes of a, odd ones of b. */
SIMD_FN f8 weave(f8 a, f8 b)
{
    return shuffle(a, b, 0, 9, 2, 11, 4, 13, 6, 15);
}

SIMD_FN f4 f4_weave(f4 a, f4 b)
{
    return shuffle(a, b, 0, 5, 2, 7);
}

SIMD_FN d4 d4_weave(d4 a, d4 b)
{
    return shuffle(a, b, 0, 5, 2, 7);
}

/* Sums of fp32 products go on in fp64: what a plane of a tile adds up. */
SIMD_FN d4 widen_sum(f8 v)
{
    f4 low = shuffle(v, v, 0, 1, 2, 3), high = shuffle(v, v, 4, 5, 6, 7);
    return convert(low, d4) + convert(high, d4);
}

/* Loops over the pairs of a plane, and over its vectors. */
#define FOR_PAIRS(m) WRITE_OUT for (int m = 0; m < PAIRS; m++)
#define FOR_VECTORS(m, h) \
    FOR_PAIRS(m)          \
    WRITE_OUT for (int h = 0; h < 2; h++)

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
SIMD_FN size_t place(int i, int j, int k)
{
    return (size_t)(((k * PAIRS + j / 2) * 2 + ((i ^ j) & 1)) * TILE + i);
}

/* Place of vector (plane k, pair m, half h) in a block, and in a padded tile. */
SIMD_FN size_t in_block(int k, int m, int h)
{
    return (size_t)(((k * PAIRS + m) * 2 + h) * TILE);
}

SIMD_FN size_t in_padded(int k, int m, int h)
{
    return (size_t)((k + LAST(2) - 1) * PAD_PLANE + (m + 1) * PAD_PAIR + h * PITCH + LEAD);
}

SIMD_FN float *block(float *field, int slot)
{
    return field + (size_t)slot * TILE_CELLS;
}

/* A block that will be needed soon: tiles are far apart for a processor that guesses. */
SIMD_FN void prefetch(const float *field, int slot)
{
    const float *first = field + (size_t)slot * TILE_CELLS;
    WRITE_OUT for (int k = 0; k < TILE_CELLS; k += 64 / (int)sizeof(float))
        __builtin_prefetch(first + k);
}

/* Pairs of rows as bits, pair m of plane k has number k * PAIRS + m; those of one plane. */
#define ALL_PAIRS ((1u << PAIRS) - 1)
SIMD_FN uint32_t pairs_of(uint32_t set, int k)
{
    return set >> k * PAIRS & ALL_PAIRS;
}

/* Faces of a tile whose off-diagonals are not all the same: along x those on the left and on the
 * right of each cell, woven; along y TILE + 1 rows in each plane, as they are; along z TILE + 1
 * planes, woven. */
#define FACES_RIGHT TILE_CELLS
#define FACES_Y (2 * TILE_CELLS)
#define FACES_Z (FACES_Y + PLANES * (TILE + 1) * TILE)
#define FACES_SIZE (FACES_Z + (LAST(2) - 1) * (TILE + 1) * TILE * TILE)

/* The sum over the neighbours of vector (k, m, h), lanes i to i + 7, each times the off-diagonal
 * between, which is 1 without `faces`. `x` is the place of lane i in a padded tile. */
SIMD_FN f8 around(const float *x, int k, int m, int h, int i, const float *faces)
{
    const float *other = h ? x - PITCH : x + PITCH;
    f8 left = load(other - 1), right = load(other + 1), middle = load(other);
    f8 before = load(other - PAD_PAIR), after = load(other + PAD_PAIR);
    f8 outer = h ? weave(after, before) : weave(before, after);
    size_t at = in_block(k, m, h) + (size_t)i;
    if (faces) {
        const float *y = faces + FACES_Y + (k * (TILE + 1) + 2 * m) * TILE + i;
        f8 low = load(y), high = load(y + 2 * TILE);
        left *= load(faces + at);
        right *= load(faces + FACES_RIGHT + at);
        middle *= load(y + TILE);
        outer *= h ? weave(high, low) : weave(low, high);
    }
    f8 sum = (left + right) + (middle + outer);
    if (DIM == 3) {
        f8 back = load(x - PAD_PLANE), front = load(x + PAD_PLANE);
        if (faces) {
            back *= load(faces + FACES_Z + at);
            front *= load(faces + FACES_Z + TILE * TILE + at);
        }
        sum += back + front;
    }
    return sum;
}

/* A x of the same vector: the sum over the neighbours of the difference to them, each times the
 * off-diagonal between, and what the diagonal has more than the sum of those, times x itself. x may
 * be a hundred times as large as its differences, which fp32 has exactly; and it has the sum of the
 * off-diagonals exactly (kernels/fractions.h). d: NULL where the diagonal is 2 * DIM. */
SIMD_FN f8 differences(const float *x, int k, int m, int h, int i, const float *d,
                       const float *faces)
{
    const float *other = h ? x - PITCH : x + PITCH;
    f8 own = load(x), sum;
    f8 left = own - load(other - 1), right = own - load(other + 1), middle = own - load(other);
    f8 before = load(other - PAD_PAIR), after = load(other + PAD_PAIR);
    f8 outer = own - (h ? weave(after, before) : weave(before, after));
    f8 back = {0}, front = {0}, open = {0};
    size_t at = in_block(k, m, h) + (size_t)i;
    if (DIM == 3) {
        back = own - load(x - PAD_PLANE);
        front = own - load(x + PAD_PLANE);
    }
    if (faces) {
        const float *y = faces + FACES_Y + (k * (TILE + 1) + 2 * m) * TILE + i;
        f8 low = load(y), high = load(y + 2 * TILE), inner = load(y + TILE);
        f8 one = load(faces + at), two = load(faces + FACES_RIGHT + at);
        f8 far = h ? weave(high, low) : weave(low, high);
        open = (one + two) + (inner + far);
        left *= one;
        right *= two;
        middle *= inner;
        outer *= far;
        if (DIM == 3) {
            one = load(faces + FACES_Z + at);
            two = load(faces + FACES_Z + TILE * TILE + at);
            open += one + two;
            back *= one;
            front *= two;
        }
    } else {
        open += (float)(2 * DIM);
    }
    sum = (left + right) + (middle + outer);
    if (DIM == 3)
        sum += back + front;
    return d ? sum + (load(d + at) - open) * own : sum;
}

/* A vector from place `at` of the field into a padded tile. */
SIMD_FN void fetch_vector(float *x, const float *from, size_t at)
{
    FOR_EIGHTS(i)
        store(x + i, load(from + at + i));
}

/* The cells around a tile, into the padding. near: the blocks across its faces. */
SIMD_FN void fetch_around(padded *p, const float *from, const int near[2 * DIM])
{
    size_t low = (size_t)near[0] * TILE_CELLS, high = (size_t)near[1] * TILE_CELLS;
    for (int k = 0; k < PLANES; k++)
        FOR_VECTORS(m, h) {
            float *x = p->v + in_padded(k, m, h);
            x[-1] = from[low + in_block(k, m, h) + TILE - 1];
            x[TILE] = from[high + in_block(k, m, h)];
        }
    low = (size_t)near[2] * TILE_CELLS;
    high = (size_t)near[3] * TILE_CELLS;
    for (int k = 0; k < PLANES; k++)
        for (int h = 0; h < 2; h++) {
            fetch_vector(p->v + in_padded(k, -1, h), from, low + in_block(k, PAIRS - 1, h));
            fetch_vector(p->v + in_padded(k, PAIRS, h), from, high + in_block(k, 0, h));
        }
    if (DIM == 2)
        return;
    low = (size_t)near[2 * DIM - 2] * TILE_CELLS;
    high = (size_t)near[2 * DIM - 1] * TILE_CELLS;
    for (int n = 0; n < 2 * PAIRS; n++) {
        fetch_vector(p->v + in_padded(-1, n / 2, n % 2), from,
                     low + in_block(TILE - 1, n / 2, n % 2));
        fetch_vector(p->v + in_padded(TILE, n / 2, n % 2), from, high + in_block(0, n / 2, n % 2));
    }
}

SIMD_FN void fetch_own(padded *p, const float *from, int slot)
{
    size_t own = (size_t)slot * TILE_CELLS;
    for (int k = 0; k < PLANES; k++)
        FOR_VECTORS(m, h)
            fetch_vector(p->v + in_padded(k, m, h), from, own + in_block(k, m, h));
}

/* Rows of a tile, in order, into its block; or a block into rows. */
SIMD_FN void weave_tile(float *out, const float rows[TILE_CELLS])
{
    for (int pair = 0; pair < PLANES * PAIRS; pair++)
        FOR_EIGHTS(i) {
            const float *row = rows + 2 * pair * TILE + i;
            f8 one = load(row), two = load(row + TILE);
            store(out + 2 * pair * TILE + i, weave(one, two));
            store(out + (2 * pair + 1) * TILE + i, weave(two, one));
        }
}

#endif
