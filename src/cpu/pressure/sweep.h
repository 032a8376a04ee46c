/* sweep.h -- what the multigrid does inside one padded tile: sweeps of the smoother, the residual,
 * the matrix times a vector.
 *
 * All of it goes plane by plane and, inside a plane, over the vectors of one colour, with the
 * loop over the pairs of rows written out: the vectors of a plane share their neighbours, which
 * stay in registers, and nothing is computed but sums. A plane without unknowns is passed over, and
 * where no more than half of a plane's pairs have some, the others are. Few pairs without any are
 * not: their inverse is 0, and so is what comes out, which costs less than the question. */
#ifndef SPATE_CPU_PRESSURE_SWEEP_H
#define SPATE_CPU_PRESSURE_SWEEP_H

#include "block.h"

/* A tile and its coefficients. */
typedef struct view {
    const float *b, *d, *inverse, *faces; /* its own blocks; d to faces: not if uniform */
    uint32_t some, uneven;
    int kind;
} view;

SIMD_FN view view_of(const X(level) *l, int slot)
{
    size_t own = (size_t)slot * TILE_CELLS;
    bool uniform = l->kind[slot] == KIND_UNIFORM;
    view v = {.b = l->b + own,
              .d = l->d + own,
              .inverse = l->inverse + own,
              .faces = l->faces + (size_t)slot * FACES_SIZE,
              .some = uniform ? ~0u : l->some[slot],
              .uneven = uniform ? 0 : l->uneven[slot],
              .kind = l->kind[slot]};
    return v;
}

/* ---- smoothing */

/* Vector (k, m, h). Seams leave places without an unknown, images among them, as they are. */
SIMD_FN void sweep_vector(padded *p, const view *v, int k, int m, int h, int kind, bool uneven)
{
    FOR_EIGHTS(i) {
        size_t at = in_block(k, m, h) + (size_t)i;
        float *x = p->v + in_padded(k, m, h) + i;
        f8 sum = load(v->b + at) + around(x, k, m, h, i, uneven ? v->faces : NULL);
        if (kind == KIND_UNIFORM)
            sum *= 1.0f / (2 * DIM);
        else if (kind == KIND_GENERAL)
            sum *= load(v->inverse + at);
        else
            sum = load(x) + load(v->inverse + at) * (sum - load(v->d + at) * load(x));
        store(x, sum);
    }
}

/* Vectors h of plane k. */
SIMD_FN void sweep_plane(padded *p, const view *v, int k, int h, int kind)
{
    uint32_t some = kind == KIND_UNIFORM ? ALL_PAIRS : pairs_of(v->some, k);
    uint32_t uneven = kind == KIND_UNIFORM ? 0 : pairs_of(v->uneven, k);
    if (kind == KIND_UNIFORM || (!uneven && __builtin_popcount(some) > PAIRS / 2)) {
        FOR_PAIRS(m)
            sweep_vector(p, v, k, m, h, kind, false);
        return;
    }
    for (; some; some &= some - 1) {
        int m = __builtin_ctz(some);
        if (uneven >> m & 1)
            sweep_vector(p, v, k, m, h, kind, true);
        else
            sweep_vector(p, v, k, m, h, kind, false);
    }
}

/* One colour: vectors `first` of even planes, the others of odd ones. */
SIMD_FN void sweep_colour(padded *p, const view *v, int first, int kind)
{
    for (int k = 0; k < PLANES; k += 2) {
        if (kind == KIND_UNIFORM || pairs_of(v->some, k))
            sweep_plane(p, v, k, first, kind);
        if (DIM == 3 && (kind == KIND_UNIFORM || pairs_of(v->some, k + 1)))
            sweep_plane(p, v, k + 1, 1 - first, kind);
    }
}

SIMD_FN void sweep_tile(padded *p, const view *v, bool reverse, int kind)
{
    if (reverse)
        sweep_colour(p, v, 1, kind);
    sweep_colour(p, v, 0, kind);
    if (!reverse)
        sweep_colour(p, v, 1, kind);
}

/* The first colour of a sweep from zero, zero all around. */
SIMD_FN void start_colour(padded *p, const view *v, int first, bool uniform)
{
    for (int k = 0; k < PLANES; k++) {
        int h = (first + k) & 1;
        FOR_PAIRS(m)
            FOR_EIGHTS(i) {
                size_t at = in_block(k, m, h) + (size_t)i;
                f8 b = load(v->b + at);
                store(p->v + in_padded(k, m, h) + i,
                      b * (uniform ? f8_of(1.0f / (2 * DIM)) : load(v->inverse + at)));
            }
    }
}

/* ---- the matrix */

/* A x of vector (k, m, h), lanes i to i + 7; where there is no unknown anything. */
SIMD_FN f8 times_matrix(const padded *p, const view *v, int k, int m, int h, int i, bool uniform,
                        bool uneven)
{
    const float *x = p->v + in_padded(k, m, h) + i;
    f8 sum = around(x, k, m, h, i, uneven ? v->faces : NULL), own = load(x);
    if (uniform)
        return (float)(2 * DIM) * own - sum;
    return load(v->d + in_block(k, m, h) + i) * own - sum;
}

/* b - A x likewise, 0 where there is no unknown. */
SIMD_FN f8 residual_of(const padded *p, const view *v, int k, int m, int h, int i, bool uniform,
                       bool uneven)
{
    size_t at = in_block(k, m, h) + (size_t)i;
    f8 r = load(v->b + at) - times_matrix(p, v, k, m, h, i, uniform, uneven);
    return uniform ? r : where_positive(load(v->d + at), r);
}

/* The residual of a pair of rows, summed over the two. colour: BOTH, or the one that is not zero
 * because the other has just been swept. */
#define BOTH 2
SIMD_FN void residual_pair(const padded *p, const view *v, int k, int m, int colour, bool uniform,
                           bool uneven, float sums[TILE])
{
    FOR_EIGHTS(i) {
        f8 sum = {0};
        if (colour != 1 - (k & 1))
            sum = residual_of(p, v, k, m, 0, i, uniform, uneven);
        if (colour != (k & 1))
            sum += residual_of(p, v, k, m, 1, i, uniform, uneven);
        store(sums + i, sum);
    }
}

/* Of a tile: PLANES * PAIRS vectors. */
SIMD_FN void residual_pairs(const padded *p, const view *v, int colour, float sums[TILE_CELLS / 2])
{
    for (int k = 0; k < PLANES; k++)
        for (int m = 0; m < PAIRS; m++, sums += TILE) {
            if (v->kind == KIND_UNIFORM)
                residual_pair(p, v, k, m, colour, true, false, sums);
            else if (v->uneven >> (k * PAIRS + m) & 1)
                residual_pair(p, v, k, m, colour, false, true, sums);
            else if (v->some >> (k * PAIRS + m) & 1)
                residual_pair(p, v, k, m, colour, false, false, sums);
            else
                memset(sums, 0, TILE * sizeof *sums);
        }
}

#endif
