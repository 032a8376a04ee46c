/* thin.h -- solids thinner than the grid can resolve: plates with liquid on both sides, or on one,
 * within the reach of one cell's kernel.
 *
 * A face is closed where the way between the middles of its cells meets a thin solid. A cell beside
 * one counts only the particles, and the room for them, that its middle sees: those to which the
 * straight way meets no solid. With both sides counted, a cell that is full of water but has air
 * behind the plate would read 1/2, and turn to air, at any depth. */
#ifndef SPATE_KERNELS_THIN_H
#define SPATE_KERNELS_THIN_H

#include "collide.h"
#include "fields.h"
#include "sides.h"

#include <math.h>

#define SP_TOUCH 0.005 /* cells; a way that comes this near meets the solid */
#define SP_THIN 1.5    /* cells; thicker solids are seen by the nodes */

SP_KERNEL float X(middle_distance)(const X(fields) *f, size_t index)
{
    float sum = 0.0f;
    for (int corner = 0; corner < (1 << DIM); corner++) {
        size_t node = index;
        FOR_DIM(d)
            node += ((size_t)corner >> d & 1) * f->grid.stride[d];
        sum += f->phi_solid[node];
    }
    return sum / (float)(1 << DIM);
}

SP_KERNEL void X(middle_of)(const X(grid) *g, const int cell[DIM], double x[3])
{
    x[2] = 0;
    FOR_DIM(d)
        x[d] = (cell[d] + 0.5) * g->dx;
}

/* Whether the solid that has its surface at x (m) ends within SP_THIN cells, going inwards: there
 * may be another one behind it. */
SP_KERNEL bool X(is_thin)(const X(fields) *f, const double x[3], const double normal[3])
{
    double dx = f->grid.dx;
    for (double way = 2 * SP_TOUCH * dx; way <= SP_THIN * dx;) {
        double inside[3] = {0, 0, 0};
        FOR_DIM(a)
            inside[a] = x[a] - normal[a] * way;
        double distance = sp_bodies_distance(&f->solids, inside, NULL, NULL);
        if (distance > SP_TOUCH * dx) /* not along its surface */
            return true;
        way += fmax(-distance, 4 * SP_TOUCH * dx);
    }
    return false;
}

/* The place (m) that a cell looks from: its middle; out of a thin solid, or off its surface, by the
 * shortest way, so that the cell is on one side of it. Whether it is not the middle. */
SP_KERNEL bool X(seat_of)(const X(fields) *f, size_t index, const int cell[DIM], double x[3])
{
    double dx = f->grid.dx, normal[3] = {0, 0, 0}, surface[3] = {0, 0, 0};
    X(middle_of)(&f->grid, cell, x);
    if (X(middle_distance)(f, index) > dx) /* on a solid its nodes are not that far from it */
        return false;
    double distance = sp_bodies_distance(&f->solids, x, normal, NULL);
    if (distance >= 2 * SP_TOUCH * dx)
        return false;
    FOR_DIM(d)
        surface[d] = x[d] - normal[d] * distance;
    if (!X(is_thin)(f, surface, normal))
        return false;
    FOR_DIM(d)
        x[d] = surface[d] + 2 * SP_TOUCH * dx * normal[d];
    return true;
}

/* Whether a thin solid is in the way from one place to another. Not one that is thick there: of
 * those the nodes know. */
SP_KERNEL bool X(is_parted)(const X(fields) *f, const double from[3], const double to[3])
{
    sp_hit hit = sp_first_hit(&f->solids, from, to, SP_TOUCH * f->grid.dx, true);
    return hit.solid >= 0 && X(is_thin)(f, hit.point, hit.normal);
}

/* Whether a thin solid is between the cell before and this one. Distances cannot change faster than
 * the way is long, so only close calls are looked at. */
SP_KERNEL bool X(crosses_thin)(const X(fields) *f, size_t index, const int cell[DIM], int d)
{
    size_t other = index - f->grid.stride[d];
    double here[3], there[3];
    int before[DIM];
    if (X(middle_distance)(f, index) + X(middle_distance)(f, other) > 2 * f->grid.dx)
        return false;
    FOR_DIM(a)
        before[a] = cell[a] - (a == d);
    X(seat_of)(f, index, cell, here);
    X(seat_of)(f, other, before, there);
    return X(is_parted)(f, there, here);
}

/* ---- what a cell sees */

/* Whether a thin solid is in a cell's middle, or between it and that of a cell beside it. */
SP_KERNEL bool X(is_beside_thin)(const X(fields) *f, size_t index, const int cell[DIM])
{
    double dx = f->grid.dx, here[3], there[3];
    if (X(middle_distance)(f, index) > 2 * dx)
        return false;
    if (X(seat_of)(f, index, cell, here))
        return true;
    double distance = sp_bodies_distance(&f->solids, here, NULL, NULL);
    if (distance < 0 || distance > dx)
        return false;
    for (int way = 0; way < 2 * DIM; way++) {
        X(middle_of)(&f->grid, cell, there);
        there[way / 2] += way % 2 ? dx : -dx;
        if (X(is_parted)(f, here, there))
            return true;
    }
    return false;
}

/* The linear kernel of a cell's middle, of the particles of one of the cells around it that it
 * sees; `place` is that cell, which may lie outside of the domain. A wall mirrors what is before
 * it: an image is seen if what it is the image of is. Solids go on across periodic sides. As solids
 * move in a step, from where they were, and so where the particles are, to where they are. */
SP_KERNEL float X(visible_part)(const X(fields) *f, const double middle[3], const double seat[3],
                                const int place[DIM])
{
    const X(grid) *g = &f->grid;
    int cell[DIM];
    float sign[DIM], shift[DIM], sum = 0.0f; /* image = sign x + shift */
    FOR_DIM(d) {
        cell[d] = place[d];
        sign[d] = 1.0f;
        shift[d] = 0.0f;
        if (place[d] >= 0 && place[d] < g->n[d])
            continue;
        spate_side side = f->sides[d][place[d] < 0 ? 0 : 1];
        if (side == SPATE_SIDE_OPEN)
            return 0.0f;
        cell[d] = X(image_of)(g, f->sides, d, place[d], false).place;
        sign[d] = side == SPATE_SIDE_WALL ? -1.0f : 1.0f;
        shift[d] = side == SPATE_SIDE_WALL ? (place[d] < 0 ? 0.0f : 2.0f * (float)g->n[d])
                                           : (float)(place[d] - cell[d]);
    }
    size_t c = X(index)(g, cell);
    for (uint32_t k = f->first[c], end = f->first[c] + f->count[c]; k < end; k++) {
        float weight = 1.0f;
        double x[3] = {0, 0, 0};
        FOR_DIM(d) {
            float at = f->particles.x[d][k], image = sign[d] * at + shift[d];
            float off = fabsf(image - (float)(middle[d] / g->dx));
            weight *= off < 1.0f ? 1.0f - off : 0.0f;
            x[d] = (double)(sign[d] > 0.0f ? image : at) * g->dx;
        }
        bool counts =
            weight > 0.0f && sp_first_hit(&f->solids, x, seat, SP_TOUCH * g->dx, false).solid < 0;
        sum += counts ? weight : 0.0f;
    }
    return sum;
}

/* The particles around the middle of a cell that it sees. */
SP_KERNEL float X(visible_sum)(const X(fields) *f, size_t index, const int cell[DIM])
{
    double middle[3], seat[3];
    float sum = 0.0f;
    X(middle_of)(&f->grid, cell, middle);
    X(seat_of)(f, index, cell, seat);
    for (int k = 0; k < 9 * LAST(3); k++) {
        int offset[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1}, place[DIM];
        FOR_DIM(d)
            place[d] = cell[d] + offset[d];
        sum += X(visible_part)(f, middle, seat, place);
    }
    return sum;
}

#endif
