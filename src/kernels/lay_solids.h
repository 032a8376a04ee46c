/* lay_solids.h -- SOLIDS: the signed distance to solids at the nodes of a tile.
 *
 * Near a solid (within SOLID_BAND cells) the distance is that of the exact shapes; farther away a
 * tile holds one bound, taken from its centre, that is never more than the distance. */
#ifndef SPATE_KERNELS_LAY_SOLIDS_H
#define SPATE_KERNELS_LAY_SOLIDS_H

#include "collide.h"
#include "fields.h"
#include "sides.h"

typedef struct X(far_bound) {
    bool far;
    double value;
} X(far_bound);

SP_KERNEL X(far_bound)
    X(bound_of_tile)(const X(grid) *g, const sp_solids *solids, const int first[DIM], bool resting)
{
    double dx = g->dx, centre[3] = {0, 0, 0}, spread = 0.5 * TILE * sqrt((double)DIM) * dx;
    FOR_DIM(d)
        centre[d] = (first[d] + 0.5 * TILE) * dx;
    double middle = sp_group_distance(solids, centre, resting);
    X(far_bound) bound;
    bound.far = fabs(middle) - spread > SOLID_BAND * dx;
    bound.value = middle > 0 ? middle - spread : middle + spread;
    return bound;
}

/* At the low node of a cell. */
SP_KERNEL float X(node_distance)(const X(grid) *g, const sp_solids *solids, const int cell[DIM],
                                 bool resting, X(far_bound) bound)
{
    double x[3] = {0, 0, 0};
    FOR_DIM(d)
        x[d] = cell[d] * g->dx;
    double distance = bound.far ? bound.value : sp_group_distance(solids, x, resting);
    return distance < 1e30 ? (float)distance : 1e30f;
}

/* The distance to the solids at rest; otherwise to those that move, laid over these. */
SP_KERNEL void X(lay_node)(const X(fields) *f, size_t c, const int cell[DIM], bool resting,
                           X(far_bound) bound)
{
    float value = X(node_distance)(&f->grid, &f->solids, cell, resting, bound);
    bool lower = !resting && f->phi_static[c] < value;
    f->phi_solid[c] = lower ? f->phi_static[c] : value;
}

/* Whether no cell of a tile, nor of its neighbours, is near a solid. */
SP_KERNEL bool X(is_far_from_solids)(const X(fields) *f, int tile)
{
    return f->phi_solid[X(tile_index)(&f->grid, tile)] > 3.0f * TILE * f->grid.dx;
}

/* Whether a tile is within SOLID_BAND of the bounds of a solid that may move. */
SP_KERNEL bool X(is_near_movers)(const X(grid) *g, const sp_solids *solids, int tile)
{
    int first[DIM];
    double dx = g->dx;
    X(tile_cell)(g, tile, first);
    for (int k = 0; k < solids->count; k++) {
        const sp_solid *solid = &solids->items[k];
        bool near = solid->live && !sp_body_rests(solid);
        FOR_DIM(d)
            near = near && (first[d] + TILE + SOLID_BAND) * dx > solid->low[d] &&
                   (first[d] - SOLID_BAND) * dx < solid->high[d];
        if (near)
            return true;
    }
    return false;
}

#endif
