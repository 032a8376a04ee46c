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
 * (b - a), with shuffles inside of four numbers only. Bits are those of interpolate.h
 * and of kernels/transfer.h. The copy pays where a tile has PATCH_LEAST particles. */
#ifndef SPATE_CPU_PATCH_H
#define SPATE_CPU_PATCH_H

#include "air.h"
#include "interpolate.h"

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

/* The field of a patch: u - share * less; less NULL: u. */
typedef struct X(patch_source) {
    float *const *u, *const *less;
    float share;
} X(patch_source);

SIMD_FN f8 X(patch_take)(X(patch_source) from, int d, size_t index)
{
    f8 v, less;
    memcpy(&v, from.u[d] + index, sizeof v);
    if (!from.less)
        return v;
    memcpy(&less, from.less[d] + index, sizeof less);
    return v - from.share * less;
}

/* Rows of a plane from `index` on; returns the larger of |u| and `most`. */
SIMD_FN i8 X(patch_rows)(X(patch_source) from, int d, size_t index, size_t stride, int rows,
                         float *to, i8 most)
{
    f8 low[PATCH_VECTORS];
    for (size_t c = 0; c < PATCH_VECTORS; c++) {
        low[c] = X(patch_take)(from, d, index + c * LANES);
        most = larger(most, low[c]);
    }
    for (int j = 1; j < rows; j++, to += 2 * PATCH_ROW)
        for (size_t c = 0; c < PATCH_VECTORS; c++) {
            f8 high = X(patch_take)(from, d, index + (size_t)j * stride + c * LANES);
            store_pairs(to + 2 * c * LANES, low[c], high);
            most = larger(most, high);
            low[c] = high;
        }
    return most;
}

/* Fills the patch of the tile whose first cell is `corner`; halo 1 is enough for places in the
 * tile, its end included, PATCH_HALO for those less than PATCH_REACH cells from it. most[d]: max
 * |.| of component d, NaN if there is one. */
SIMD_FN void X(patch_fill)(X(patch) *p, const X(grid) *g, const int corner[DIM], int halo,
                           X(patch_source) from, float most[DIM])
{
    const int skip = PATCH_HALO - halo, nodes = TILE + 2 * halo + (halo < PATCH_HALO);
    const int32_t stride[3] = {2, 2 * PATCH_ROW, 2 * PATCH_PLANE};
    int first[DIM];
    FOR_DIM(a)
        first[a] = corner[a] - (a == 0 ? PATCH_HALO : halo);
    size_t index = X(index)(g, first);
    FOR_DIM(d) {
        i8 size = {0};
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

SIMD_FN void DEV(patch_locate)(const X(patch) *p, const f8 x[DIM], X(located) *at)
{
    const int32_t stride[3] = {2, 2 * PATCH_ROW, 2 * PATCH_PLANE};
    X(locate)(x, stride, at);
    FOR_DIM(d)
        at->index[d] -= p->origin;
}

/* The four numbers at `low` and at `high`. */
SIMD_FN f8 load_halves(const float *low, const float *high)
{
    f4 a, b;
    memcpy(&a, low, sizeof a);
    memcpy(&b, high, sizeof b);
    return f8_join(a, b);
}

#define EVEN(a, b) SHUFFLE_HALVES(a, b, 0, 2, 4, 6)
#define ODD(a, b) SHUFFLE_HALVES(a, b, 1, 3, 5, 7)
#define SPREAD(v, k) SHUFFLE_HALVES(v, v, k, k, k, k)
#define TWICE(v, k) SHUFFLE_HALVES(v, v, k, k, (k) + 1, (k) + 1)

/* The corners of the particles k and k + 4 between their planes: (x, y) = (0, 0), (0, 1), (1, 0),
 * (1, 1); z: shares of these two; step: from plane to plane, in 3D. */
SIMD_FN f8 X(patch_corners)(const float *pairs, const uint32_t index[LANES], int k, f8 z, f8 *step)
{
    const float *low = pairs + index[k], *high = pairs + index[k + 4];
    f8 here = load_halves(low, high);
    if (DIM == 2)
        return here;
    *step = load_halves(low + 2 * PATCH_PLANE, high + 2 * PATCH_PLANE) - here;
    return here + z * *step;
}

/* Component d of the patch's field; slope: its gradient per cell, as gather_differences has it, or
 * NULL. */
SIMD_FN f8 X(patch_value)(const X(patch) *p, const X(located) *at, int d, f8 *slope)
{
    uint32_t index[LANES];
    memcpy(index, &at->index[d], sizeof index);
    f8 x = at->share[d != 0][0], y = at->share[d != 1][1], z = at->share[d != 2][DIM - 1];
    f8 up[4] = {{0}};
    f8 a = X(patch_corners)(p->pairs[d], index, 0, SPREAD(z, 0), &up[0]);
    f8 b = X(patch_corners)(p->pairs[d], index, 1, SPREAD(z, 1), &up[1]);
    f8 low = EVEN(a, b), low_step = ODD(a, b) - low;
    low += TWICE(y, 0) * low_step;
    a = X(patch_corners)(p->pairs[d], index, 2, SPREAD(z, 2), &up[2]);
    b = X(patch_corners)(p->pairs[d], index, 3, SPREAD(z, 3), &up[3]);
    f8 high = EVEN(a, b), high_step = ODD(a, b) - high;
    high += TWICE(y, 2) * high_step;
    a = EVEN(low, high);
    f8 along_x = ODD(low, high) - a;
    if (slope) {
        b = EVEN(low_step, high_step);
        slope[0] = along_x;
        slope[1] = b + x * (ODD(low_step, high_step) - b);
    }
    if (slope && DIM == 3) {
        low = EVEN(up[0], up[1]);
        low += TWICE(y, 0) * (ODD(up[0], up[1]) - low);
        high = EVEN(up[2], up[3]);
        high += TWICE(y, 2) * (ODD(up[2], up[3]) - high);
        b = EVEN(low, high);
        slope[DIM - 1] = b + x * (ODD(low, high) - b);
    }
    return a + x * along_x;
}

SIMD_FN f8 X(patch_component)(const X(patch) *p, const X(located) *at, int d)
{
    return X(patch_value)(p, at, d, NULL);
}

/* What the particles of a tile read: in the scratch of a worker. */
typedef struct X(patches) {
    X(patch) flow, carried, away;
    X(patch) now; /* u, if `flow` is another velocity */
    X(air) air;
} X(patches);

/* Row d of the gradient of n particles from k on. */
SIMD_FN void X(store_gradient)(const X(particles) *p, uint32_t k, uint32_t n, int d, f8 share,
                               const f8 slope[DIM])
{
    FOR_DIM(a)
        store_n(p->c[d * DIM + a] + k, share * slope[a], n);
}

#endif
