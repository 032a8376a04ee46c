/* band.h -- the distance band: phi as a signed distance some cells around the surface, where the
 * level set itself is cut off at one dx.
 *
 * Cells that have a neighbour along an axis on the other side of the surface are *seeds*: there phi
 * is a distance by its making (surface.h). From them it goes outwards by the one-cell update of
 * |grad d| = 1 (Godunov's, first order): with the smaller neighbours a <= b <= c along the axes, in
 * cells,
 *
 *     d = a + 1                                       if that is at most b,
 *     d = (a + b + sqrt(2 - (a - b)^2)) / 2           if that is at most c,
 *     d = (a + b + c + sqrt(s^2 - 3 (q - 1))) / 3     with s = a + b + c, q = a^2 + b^2 + c^2.
 *
 * A pass does this for every cell of the tiles near the surface, from the values of the pass
 * before; after k passes all that is nearer than about k / sqrt(DIM) stays as it is. While passes
 * go on the arrays hold |d|; the sign comes last.
 *
 * Closed cells (solids) are neither seeds nor handed on: a wall under water is no surface. In the
 * end those beside open cells take the mean of these, for whoever interpolates there.
 *
 * The bodies are ones over lanes (lane.h). */
#ifndef SPATE_KERNELS_BAND_H
#define SPATE_KERNELS_BAND_H

#include "fields.h"
#include "lane.h"
#include "transfer.h"

#include <spate/spate.h>

#define BAND_LEAST 4.0f /* cells: half of its width, at least */
#define BAND_MOST 14.0f /* and at most */
#define BAND_FAR 1e6f   /* |d| of what is not known yet, cells */

/* How many passes a band of this half width needs. */
SP_KERNEL int X(band_passes)(float width)
{
    return (int)(width * (DIM == 3 ? 1.75f : 1.42f)) + 1;
}

/* phi of a cell in cells. */
SP_KERNEL f8 X(band_phi)(const X(fields) *f, size_t c)
{
    f8 phi = load(f->phi + c) / (float)f->grid.dx;
    return f->surface == SURFACE_GHOST ? phi : 0.5f * phi;
}

SP_KERNEL i8 X(is_closed_type)(const X(fields) *f, size_t c)
{
    return is_equal(load_bytes(f->type + c), SPATE_CELL_SOLID);
}

/* Before the first pass: |phi| of seeds, BAND_FAR elsewhere, to `to`; which are seeds. */
SP_KERNEL i8 X(band_seed)(const X(fields) *f, size_t c, float *to)
{
    f8 zero = f8_of(0.0f), phi = X(band_phi)(f, c), far = f8_of(BAND_FAR);
    i8 inside = is_less(phi, zero), crossed = inside & 0;
    FOR_DIM(d) {
        for (int side = 0; side < 2; side++) {
            size_t near = side ? c + f->grid.stride[d] : c - f->grid.stride[d];
            i8 other = is_less(X(band_phi)(f, near), zero) ^ inside;
            crossed |= other & ~X(is_closed_type)(f, near);
        }
    }
    crossed &= ~X(is_closed_type)(f, c);
    store(to + c, choose(crossed, choose(inside, -phi, phi), far));
    return crossed;
}

/* One pass for a cell: seeds stay. */
SP_KERNEL void X(band_pass)(const X(fields) *f, size_t c, const float *from, float *to)
{
    f8 far = f8_of(BAND_FAR), one = f8_of(1.0f), least[DIM], own = load(from + c);
    FOR_DIM(d) {
        f8 low = load(from + c - f->grid.stride[d]), high = load(from + c + f->grid.stride[d]);
        least[d] = choose(is_less(low, high), low, high);
    }
    /* in order: the smallest first */
    for (int pass = 0; pass < DIM - 1; pass++)
        for (int d = 0; d + 1 < DIM; d++) {
            i8 swap = is_less(least[d + 1], least[d]);
            f8 a = least[d], b = least[d + 1];
            least[d] = choose(swap, b, a);
            least[d + 1] = choose(swap, a, b);
        }
    f8 sum = least[0], squares = least[0] * least[0], d = least[0] + one;
    for (int n = 1; n < DIM; n++) {
        f8 a = least[n];
        i8 more = is_less(a, d);
        f8 s = sum + a, q = squares + a * a, count = f8_of((float)(n + 1));
        f8 root = s * s - count * (q - one);
        root = f8_sqrt(choose(is_less(f8_of(0.0f), root), root, f8_of(0.0f)));
        d = choose(more, (s + root) / count, d);
        sum = choose(more, s, sum);
        squares = choose(more, q, squares);
    }
    d = choose(is_less(d, own), d, own);
    store(to + c, f->has_solids ? choose(X(is_closed_type)(f, c), far, d) : d);
}

/* The last: with its sign, in metres, at most `width` cells. */
SP_KERNEL void X(band_sign)(const X(fields) *f, size_t c, const float *from, float *to, float width)
{
    f8 d = load(from + c), most = f8_of(width);
    i8 inside = is_less(X(band_phi)(f, c), f8_of(0.0f)) & ~X(is_closed_type)(f, c);
    d = choose(is_less(d, most), d, most);
    store(to + c, (float)f->grid.dx * choose(inside, -d, d));
}

/* Closed cells: the mean of the open ones around. */
SP_KERNEL void X(band_close)(const X(fields) *f, size_t c, const float *from, float *to)
{
    f8 sum = f8_of(0.0f), count = f8_of(0.0f), own = load(from + c);
    i8 closed = X(is_closed_type)(f, c);
    if (!any(closed)) {
        store(to + c, own);
        return;
    }
    for (int k = 0; k < 9 * LAST(3); k++) {
        const int offset[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        ptrdiff_t at = (ptrdiff_t)c;
        FOR_DIM(d)
            at += offset[d] * (ptrdiff_t)f->grid.stride[d];
        i8 open = ~X(is_closed_type)(f, (size_t)at);
        sum += where(open, load(from + at));
        count += where(open, f8_of(1.0f));
    }
    i8 some = closed & is_less(f8_of(0.0f), count);
    store(to + c, choose(some, sum / choose(some, count, f8_of(1.0f)), own));
}

/* ---- what a particle reads */

SP_KERNEL bool X(knows_band)(const X(fields) *f, const int tile[DIM])
{
    return f->tiles.state[X(tile_number)(&f->grid, tile)] & (TILE_ACTIVE | TILE_BORDER);
}

/* Distance of a place to the surface, cells; far from the liquid it is `width`, and the gradient
 * (may be NULL) is 0. */
SP_KERNEL float X(band_at)(const X(fields) *f, const float x[DIM], float width, float gradient[DIM])
{
    X(stencil) s = X(stencil_at)(KERNEL_LINEAR, x, -1);
    float value[1 << DIM], dx = (float)f->grid.dx, sum = 0.0f;
    size_t first = X(index)(&f->grid, s.first);
    int tile[DIM];
    bool one = true; /* tile holds all of the cells */
    FOR_DIM(d) {
        tile[d] = (s.first[d] + TILE) >> TILE_SHIFT;
        one = one && (s.first[d] & (TILE - 1)) != TILE - 1;
        if (gradient)
            gradient[d] = 0.0f;
    }
    bool known = X(knows_band)(f, tile);
    if (one && !known)
        return width;
    for (int n = 0; n < (1 << DIM); n++) {
        size_t cell = first;
        float weight = 1.0f;
        FOR_DIM(d) {
            int far = n >> d & 1;
            cell += far ? f->grid.stride[d] : 0;
            weight *= s.w[d][far];
            tile[d] = (s.first[d] + far + TILE) >> TILE_SHIFT;
        }
        value[n] = (one || X(knows_band)(f, tile)) ? f->band[cell] : width * dx;
        sum += weight * value[n];
    }
    for (int n = 0; n < (1 << DIM) && gradient; n++)
        FOR_DIM(d) {
            float weight = n >> d & 1 ? 1.0f : -1.0f;
            FOR_DIM(e)
                weight *= e == d ? 1.0f : s.w[e][n >> e & 1];
            gradient[d] += weight * value[n];
        }
    float inverse = 1.0f / dx;
    for (int d = 0; d < DIM && gradient; d++)
        gradient[d] *= inverse;
    return sum * inverse;
}

#endif
