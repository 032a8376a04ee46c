/* border.h -- the places around the domain: what they mean, for every device.
 *
 * A place i outside along an axis of n cells is the image of a place inside (sides.h: image_of):
 *
 *     periodic   i mod n
 *     wall       its mirror image: cell-like places -1, -2 are 0, 1 and keep their sign (free
 *                slip); faces across the wall -1, -2 are 1, 2 with the other sign
 *     open       the nearest place inside
 *
 * Filling goes axis by axis; a later axis also fills over the border of the earlier ones, so that
 * corners come out right. Folding (P2G: what particles gave to places outside is added to the
 * image) goes the same way and leaves the later axes to do. Only borders next to active tiles are
 * touched. */
#ifndef SPATE_KERNELS_BORDER_H
#define SPATE_KERNELS_BORDER_H

#include "sides.h"

#define BORDER_LAYERS 3 /* the widest kernel reaches this far out */

typedef enum sp_border_task {
    BORDER_FILL,  /* from the images */
    BORDER_FOLD,  /* into the images */
    BORDER_TYPE,  /* cell types */
    BORDER_CLOSE, /* u = 0 on the faces of walls */
    BORDER_BYTES,
    BORDER_WIDE /* fp64 */
} sp_border_task;

typedef struct X(border) {
    sp_border_task what;
    int component; /* of a face field; -1 for cell values */
    bool periodic_only;
    int axis; /* the one being done */
} X(border);

/* Sides of the domain, bits 1 low and 2 high, that tile t has places at along the axis. Tiles that
 * are border along an axis whose turn has not come are passed over. */
SP_KERNEL int X(border_sides)(const X(grid) *g, const X(border) *b, const int t[DIM])
{
    int axis = b->axis, sides = (t[axis] == 1) | (t[axis] == g->tiles[axis] - 2) << 1;
    FOR_DIM(d) {
        /* the faces that end the domain may lie in a border tile: they are not outside */
        bool last_faces = d == b->component && d != axis && t[d] == g->tiles[d] - 1;
        bool outside = (t[d] < 1 || t[d] > g->tiles[d] - 2) && !last_faces;
        if (outside && (d == axis || (b->what == BORDER_FOLD ? d < axis : d > axis)))
            sides = 0;
    }
    return sides;
}

/* A layer of places of a side, by their place along the axis, and their images. */
typedef struct X(layer) {
    int place, source;
    float sign;
    spate_side side;
} X(layer);

/* Layer k of a side, 0 .. BORDER_LAYERS - 1; false: there is nothing to do for it and the next. */
SP_KERNEL bool X(border_layer)(const X(grid) *g, const spate_side (*sides)[2], const X(border) *b,
                               bool high, int k, X(layer) *l)
{
    int n = g->n[b->axis];
    bool across = b->component == b->axis;
    l->side = sides[b->axis][high];
    if (b->what == BORDER_CLOSE) { /* the faces of the side itself */
        l->place = l->source = high ? n : 0;
        l->sign = 1.0f;
        return k == 0 && l->side == SPATE_SIDE_WALL;
    }
    if (l->side != SPATE_SIDE_PERIODIC && b->periodic_only)
        return false;
    if (l->side == SPATE_SIDE_OPEN && b->what == BORDER_FOLD)
        return false;
    /* the face at n belongs to the domain unless it is the image of face 0 */
    int first = across && l->side != SPATE_SIDE_PERIODIC ? n + 1 : n;
    l->place = high ? first + k : -1 - k;
    X(image) m = X(image_of)(g, sides, b->axis, l->place, across);
    l->source = m.place;
    l->sign = m.sign;
    return true;
}

/* The type of a cell outside, whose image has the type `image`. */
SP_KERNEL uint8_t X(type_outside)(spate_side side, uint8_t image)
{
    return side == SPATE_SIDE_WALL   ? (uint8_t)SPATE_CELL_SOLID
           : side == SPATE_SIDE_OPEN ? (uint8_t)SPATE_CELL_AIR
                                     : image;
}

#endif
