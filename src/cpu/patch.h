/* patch.h -- the faces around a tile, close together, for particles that read them.
 *
 * Interpolation between 2^DIM nodes is mostly the way of these numbers into vectors. Therefore a
 * tile first copies its part of a face field, with PATCH_HALO nodes around it, into memory that
 * stays in the near caches, and there each node stands beside the next one along y:
 *
 *     u(i, j) u(i, j+1)  u(i+1, j) u(i+1, j+1)  ...
 *
 * One load of 16 bytes brings four corners of a particle's cell, and two the eight of 3D. Two
 * particles share a vector of eight numbers, [k | k + 4]; z and then y and x are done as a + share
 * (b - a), with shuffles inside of four numbers only. Bits are those of lanes.h and of
 * kernels/transfer.h. The copy pays where a tile has PATCH_LEAST particles. */
#ifndef SPATE_CPU_PATCH_H
#define SPATE_CPU_PATCH_H

#include "particle_lanes.h"

#define PATCH_HALO 3                          /* nodes before the tile's first cell */
#define PATCH_NODES (TILE + 2 * PATCH_HALO)   /* along an axis */
#define PATCH_ROW (2 * TILE)                  /* nodes from row to row */
#define PATCH_VECTORS ((PATCH_NODES + 7) / 8) /* of a row */
#define PATCH_PLANE (PATCH_ROW * (PATCH_NODES - 1))
#define PATCH_REACH 2.0f /* cells around the tile that are in it */
#define PATCH_LEAST 256

typedef struct X(patch) {
    float pairs[DIM][2 * PATCH_PLANE * LAST(PATCH_NODES)];
    int32_t origin; /* where the node 0 of the grid would be */
} X(patch);

/* a0 b0 a1 b1 ... */
LANE_FN void lanes_weave(float *to, floats a, floats b)
{
#if defined(__x86_64__) && !defined(__AVX__) /* see LANES_SHUFFLE */
    floats x = LANES_SHUFFLE(a, b, 0, 4, 1, 5), y = LANES_SHUFFLE(a, b, 2, 6, 3, 7);
    floats first = lanes_two_quads(lanes_low(x), lanes_low(y));
    floats second = lanes_two_quads(lanes_high(x), lanes_high(y));
#else
    floats first = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    floats second = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#endif
    memcpy(to, &first, sizeof first);
    memcpy(to + LANES, &second, sizeof second);
}

/* The larger of |v| and most, as bits; a NaN counts as larger than any number. */
LANE_FN ints lanes_larger(ints most, floats v)
{
    ints size = (ints)v & 0x7fffffff, more = (most - size) >> 31; /* neither is negative */
    return (size & more) | (most & ~more);
}

/* The field of a patch: u - share * less; less NULL: u. */
typedef struct X(patch_source) {
    float *const *u, *const *less;
    float share;
} X(patch_source);

LANE_FN floats X(patch_take)(X(patch_source) from, int d, size_t index)
{
    floats v, less;
    memcpy(&v, from.u[d] + index, sizeof v);
    if (!from.less)
        return v;
    memcpy(&less, from.less[d] + index, sizeof less);
    return v - from.share * less;
}

/* Rows of a plane from `index` on; returns the larger of |u| and `most`. */
LANE_FN ints X(patch_rows)(X(patch_source) from, int d, size_t index, size_t stride, int rows,
                           float *to, ints most)
{
    floats low[PATCH_VECTORS];
    for (size_t c = 0; c < PATCH_VECTORS; c++) {
        low[c] = X(patch_take)(from, d, index + c * LANES);
        most = lanes_larger(most, low[c]);
    }
    for (int j = 1; j < rows; j++, to += 2 * PATCH_ROW)
        for (size_t c = 0; c < PATCH_VECTORS; c++) {
            floats high = X(patch_take)(from, d, index + (size_t)j * stride + c * LANES);
            lanes_weave(to + 2 * c * LANES, low[c], high);
            most = lanes_larger(most, high);
            low[c] = high;
        }
    return most;
}

/* Fills the patch of the tile whose first cell is `corner`; halo 1 is enough for places in the
 * tile, its end included, PATCH_HALO for those less than PATCH_REACH cells from it. most[d]: max
 * |.| of component d, NaN if there is one. */
LANE_FN void X(patch_fill)(X(patch) *p, const X(grid) *g, const int corner[DIM], int halo,
                           X(patch_source) from, float most[DIM])
{
    const int skip = PATCH_HALO - halo, nodes = TILE + 2 * halo + (halo < PATCH_HALO);
    const int32_t stride[3] = {2, 2 * PATCH_ROW, 2 * PATCH_PLANE};
    int first[DIM];
    FOR_DIM(a)
        first[a] = corner[a] - (a == 0 ? PATCH_HALO : halo);
    size_t index = X(index)(g, first);
    FOR_DIM(d) {
        ints size = {0};
        for (int k = 0; k < LAST(nodes); k++) {
            int plane = DIM == 3 ? (skip + k) * PATCH_PLANE : 0;
            size = X(patch_rows)(from, d, index + (size_t)k * g->stride[2], g->stride[1], nodes,
                                 p->pairs[d] + 2 * (plane + skip * PATCH_ROW), size);
        }
        int32_t bits = 0;
        for (int k = 0; k < LANES; k++)
            bits = size[k] > bits ? size[k] : bits;
        memcpy(&most[d], &bits, sizeof bits);
    }
    p->origin = 0;
    FOR_DIM(a)
        p->origin += (corner[a] - PATCH_HALO) * stride[a];
}

LANE_FN void DEV(patch_locate)(const X(patch) *p, const floats x[DIM], X(lanes_at) *at)
{
    const int32_t stride[3] = {2, 2 * PATCH_ROW, 2 * PATCH_PLANE};
    X(lanes_place)(x, stride, at);
    FOR_DIM(d)
        at->index[d] -= p->origin;
}

/* The four numbers at `low` and at `high`. */
LANE_FN floats lanes_load_quads(const float *low, const float *high)
{
    quad a, b;
    memcpy(&a, low, sizeof a);
    memcpy(&b, high, sizeof b);
    return lanes_two_quads(a, b);
}

#define LANES_EVEN(a, b) LANES_SHUFFLE(a, b, 0, 2, 4, 6)
#define LANES_ODD(a, b) LANES_SHUFFLE(a, b, 1, 3, 5, 7)
#define LANES_ONE(v, k) LANES_SHUFFLE(v, v, k, k, k, k)
#define LANES_PAIR(v, k) LANES_SHUFFLE(v, v, k, k, (k) + 1, (k) + 1)

/* The corners of the particles k and k + 4 between their planes: (x, y) = (0, 0), (0, 1), (1, 0),
 * (1, 1); z: shares of these two. */
LANE_FN floats X(patch_corners)(const float *pairs, const uint32_t index[LANES], int k, floats z)
{
    const float *low = pairs + index[k], *high = pairs + index[k + 4];
    floats here = lanes_load_quads(low, high);
    if (DIM == 2)
        return here;
    return here + z * (lanes_load_quads(low + 2 * PATCH_PLANE, high + 2 * PATCH_PLANE) - here);
}

/* Component d of the patch's field. */
LANE_FN floats X(patch_component)(const X(patch) *p, const X(lanes_at) *at, int d)
{
    uint32_t index[LANES];
    memcpy(index, &at->index[d], sizeof index);
    floats x = at->share[d != 0][0], y = at->share[d != 1][1], z = at->share[d != 2][DIM - 1];
    floats a = X(patch_corners)(p->pairs[d], index, 0, LANES_ONE(z, 0));
    floats b = X(patch_corners)(p->pairs[d], index, 1, LANES_ONE(z, 1));
    floats low = LANES_EVEN(a, b);
    low += LANES_PAIR(y, 0) * (LANES_ODD(a, b) - low);
    a = X(patch_corners)(p->pairs[d], index, 2, LANES_ONE(z, 2));
    b = X(patch_corners)(p->pairs[d], index, 3, LANES_ONE(z, 3));
    floats high = LANES_EVEN(a, b);
    high += LANES_PAIR(y, 2) * (LANES_ODD(a, b) - high);
    a = LANES_EVEN(low, high);
    return a + x * (LANES_ODD(low, high) - a);
}

LANE_FN void X(patch_velocity)(const X(patch) *p, const X(lanes_at) *at, floats v[DIM])
{
    FOR_DIM(d)
        v[d] = X(patch_component)(p, at, d);
}

#endif
