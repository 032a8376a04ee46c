/* sources.h -- shapes in which channels are held at a value, or gain something in every second.
 *
 * What is held is written to the particles in the shape: their grid would smear it by a cell, and a
 * value that comes back as a change books many times what there is. What is gained acts on the
 * cells, by the share of each that is in the shape, and comes back as a change (channels.h). */
#ifndef SPATE_KERNELS_SOURCES_H
#define SPATE_KERNELS_SOURCES_H

#include "emit.h"
#include "fields.h"

#define SOURCE_VALUES 8 /* of a source, at most */

/* A source, as it is in the step. */
typedef struct X(source) {
    const sp_shape *form;       /* at rest; the device's */
    float bounds[2 * DIM];      /* cells: low, then high corner of its box */
    bool rate;                  /* it gives; otherwise it holds */
    int count;                  /* of values */
    int column[SOURCE_VALUES];  /* of the particles */
    int on_grid[SOURCE_VALUES]; /* of the grid; of rates alone */
    float value[SOURCE_VALUES]; /* that is held, or gained in the step */
    float least[SOURCE_VALUES]; /* nothing is taken below that */
} X(source);

/* Whether a tile may have a part in the box of a source. */
SP_KERNEL bool X(meets_source)(const X(fields) *f, const X(source) *s, int tile)
{
    int corner[DIM];
    bool meets = true;
    X(tile_cell)(&f->grid, tile, corner);
    FOR_DIM(d)
        meets = meets && (float)(corner[d] - 1) <= s->bounds[DIM + d] &&
                (float)(corner[d] + TILE + 1) >= s->bounds[d];
    return meets;
}

SP_KERNEL bool X(source_holds)(const X(fields) *f, const X(source) *s, const float x[DIM])
{
    double place[DIM];
    FOR_DIM(d)
        place[d] = (double)x[d];
    return X(is_between)(x, s->bounds) && X(shape_holds)(&f->grid, s->form, &s->form->rest, place);
}

/* Distance from the shape at a place in cells, in cells. */
SP_KERNEL double X(source_distance)(const X(fields) *f, const X(source) *s, const double x[DIM])
{
    double world[3] = {0, 0, 0}, local[3];
    FOR_DIM(d)
        world[d] = x[d] * f->grid.dx;
    sp_take_in(&s->form->rest, world, local);
    return sp_form_distance(s->form, local, NULL) / f->grid.dx;
}

/* The share of a cell that is in the shape: where its border passes, by the distances of the
 * middles of its parts. */
#define SHARE_PARTS 4 /* along each axis */
SP_KERNEL float X(source_share)(const X(fields) *f, const X(source) *s, const int cell[DIM])
{
    double x[DIM], sum = 0;
    FOR_DIM(d)
        x[d] = cell[d] + 0.5;
    double middle = X(source_distance)(f, s, x);
    if (fabs(middle) > 0.9) /* half of a cell's diagonal, and a little */
        return middle < 0 ? 1.0f : 0.0f;
    for (int k = 0; k < SHARE_PARTS * SHARE_PARTS * LAST(SHARE_PARTS); k++) {
        const int part[3] = {k % SHARE_PARTS, k / SHARE_PARTS % SHARE_PARTS,
                             k / (SHARE_PARTS * SHARE_PARTS)};
        FOR_DIM(d)
            x[d] = cell[d] + (part[d] + 0.5) / SHARE_PARTS;
        double share = 0.5 - SHARE_PARTS * X(source_distance)(f, s, x);
        sum += share < 0 ? 0 : share > 1 ? 1 : share;
    }
    return (float)(sum / (SHARE_PARTS * SHARE_PARTS * LAST(SHARE_PARTS)));
}

#endif
