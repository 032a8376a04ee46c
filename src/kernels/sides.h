/* sides.h -- the sides of the domain: what a place outside means on the grid (border.h), and
 * what happens to a particle there. */
#ifndef SPATE_KERNELS_SIDES_H
#define SPATE_KERNELS_SIDES_H

#include "grid.h"

#include <spate/spate.h>

#define CLEARANCE                                                                                 \
    1e-3f /* cells that particles keep from walls and solids; float positions resolve it to 4,000 \
             cells */
#define SOLID_BAND 4.0 /* cells around solids in which their distance on the grid is exact */
#define DEAD (-1e30f)  /* x[0] of a particle that is to be removed */

/* The place inside whose value, times a sign, a place outside has. */
typedef struct X(image) {
    int place;
    float sign;
} X(image);

/* Of place i along an axis; across: of faces across the side. */
SP_KERNEL X(image)
    X(image_of)(const X(grid) *g, const spate_side (*sides)[2], int axis, int i, bool across)
{
    int n = g->n[axis];
    spate_side side = sides[axis][i < 0 ? 0 : 1];
    X(image) m = {i, 1.0f};
    if (side == SPATE_SIDE_PERIODIC) {
        m.place = ((i % n) + n) % n;
    } else if (side == SPATE_SIDE_OPEN) {
        m.place = i < 0 ? 0 : across ? n : n - 1;
    } else if (across) {
        for (; m.place < 0 || m.place > n; m.sign = -m.sign)
            m.place = m.place < 0 ? -m.place : 2 * n - m.place;
    } else {
        while (m.place < 0 || m.place >= n)
            m.place = m.place < 0 ? -1 - m.place : 2 * n - 1 - m.place;
    }
    return m;
}

/* Brings x to where it may be and takes what goes into walls out of v; false: it left through an
 * open side. `shift` is how far a periodic side took it (cells). */
SP_KERNEL bool X(pass_sides)(const X(grid) *g, const spate_side (*sides)[2], float x[DIM],
                             float v[DIM], float shift[DIM], bool *wrapped)
{
    for (int d = 0; d < DIM; d++) {
        float n = (float)g->n[d], low = CLEARANCE, high = n - CLEARANCE;
        shift[d] = 0.0f;
        if (sides[d][0] == SPATE_SIDE_PERIODIC) {
            if (x[d] < 0.0f || x[d] >= n) {
                shift[d] = -n * (float)X(floor)(x[d] / n);
                x[d] += shift[d];
                x[d] = x[d] < n ? x[d] : 0.0f;
                *wrapped = true;
            }
            continue;
        }
        if ((sides[d][0] == SPATE_SIDE_OPEN && x[d] < 0.0f) ||
            (sides[d][1] == SPATE_SIDE_OPEN && x[d] >= n))
            return false;
        /* what solids have clipped to the room stands at the wall but for rounding */
        if (sides[d][0] == SPATE_SIDE_WALL && x[d] < 1.1f * low) {
            x[d] = x[d] > low ? x[d] : low;
            v[d] = v[d] > 0.0f ? v[d] : 0.0f;
        }
        if (sides[d][1] == SPATE_SIDE_WALL && x[d] > high - 0.1f * CLEARANCE) {
            x[d] = x[d] < high ? x[d] : high;
            v[d] = v[d] < 0.0f ? v[d] : 0.0f;
        }
    }
    return true;
}

#endif
