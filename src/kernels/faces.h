/* faces.h -- velocities of faces around the liquid and at solids: how far they are extrapolated,
 * how fast solids move there, and what they leave of the velocity of a closed face. */
#ifndef SPATE_KERNELS_FACES_H
#define SPATE_KERNELS_FACES_H

#include "collide.h"
#include "fields.h"

#include <math.h>

/* Velocity of the solid nearest to the middle of face d of a cell. */
SP_KERNEL void X(solid_velocity)(const X(grid) *g, const sp_solids *solids, const int cell[DIM],
                                 int d, double dt, float v[DIM])
{
    double x[3] = {0, 0, 0}, moving[3] = {0, 0, 0};
    int nearest = -1;
    FOR_DIM(a)
        x[a] = (cell[a] + (a == d ? 0.0 : 0.5)) * g->dx;
    if (solids->any_moving)
        sp_bodies_distance(solids, x, NULL, &nearest);
    if (nearest >= 0)
        sp_body_velocity(&solids->items[nearest], x, dt, moving);
    FOR_DIM(a)
        v[a] = (float)moving[a];
}

/* ---- cut cells */

/* Open share of a face that is too narrow for particles. The solve gives such a face the speed of a
 * nozzle, which is right for the little that passes and not for a particle beside it; so particles
 * see a closed face there. */
#define NARROW 0.1f

/* Unit gradient of the solids' distance at the middle of face d; false where there is none. */
SP_KERNEL bool X(face_normal)(const X(grid) *g, const float *phi_solid, size_t index, int d,
                              float normal[DIM])
{
    float square = 0.0f;
    FOR_DIM(a)
        normal[a] = 0.0f;
    /* the cells on both sides of the face: mean difference across them along each axis */
    for (int corner = 0; corner < (1 << DIM); corner++) {
        size_t here = index, there = index - g->stride[d];
        FOR_DIM(a) {
            here += ((size_t)corner >> a & 1) * g->stride[a];
            there += ((size_t)corner >> a & 1) * g->stride[a];
        }
        FOR_DIM(a)
            normal[a] += (corner >> a & 1 ? 1.0f : -1.0f) * (phi_solid[here] + phi_solid[there]);
    }
    FOR_DIM(a)
        square += normal[a] * normal[a];
    if (!(square > 0.0f))
        return false;
    FOR_DIM(a)
        normal[a] /= sqrtf(square);
    return true;
}

/* Velocity along axis a at the middle of face d: the mean of the four faces around it. */
SP_KERNEL float X(beside_face)(const X(grid) *g, const float *field, size_t index, int d, int a)
{
    size_t low = index - g->stride[d];
    return 0.25f *
           (field[index] + field[index + g->stride[a]] + field[low] + field[low + g->stride[a]]);
}

/* Whether one of the cells on both sides of face d, or one across their faces, has parted from its
 * wall (contact.h). */
SP_KERNEL bool X(is_parted_beside)(const X(fields) *f, size_t c, int d)
{
    bool found = false;
    for (int side = 0; side < 2 && f->parts; side++) {
        size_t at = side ? c : c - f->grid.stride[d];
        found = found || f->parted[at];
        FOR_DIM(a)
            found = found || f->parted[at - f->grid.stride[a]] || f->parted[at + f->grid.stride[a]];
    }
    return found;
}

/* ---- where no liquid is around */

/* Whether no liquid and no inflow is among the 3^DIM cells around a cell. */
SP_KERNEL bool X(is_dry_around)(const X(fields) *f, size_t c)
{
    bool dry = true;
    for (int k = 0; k < 9 * LAST(3) && dry; k++) {
        const int offset[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        ptrdiff_t at = (ptrdiff_t)c;
        FOR_DIM(d)
            at += offset[d] * (ptrdiff_t)f->grid.stride[d];
        dry = f->type[at] != SPATE_CELL_LIQUID && f->type[at] != SPATE_CELL_INFLOW;
    }
    return dry;
}

/* Whether face d at index c is one of an air cell without liquid around, and of none other. */
SP_KERNEL bool X(is_dry_face)(const X(fields) *f, size_t c, int d)
{
    bool air = false, others = false;
    for (int side = 0; side < 2; side++) {
        size_t at = side ? c : c - f->grid.stride[d];
        bool here = f->type[at] == SPATE_CELL_AIR;
        air = air || here;
        others = others || !(here ? X(is_dry_around)(f, at) : f->type[at] == SPATE_CELL_SOLID);
    }
    return air && !others;
}

/* Whether face d of a cell is one of a wall of the domain, without liquid around. */
SP_KERNEL bool X(is_dry_wall)(const X(fields) *f, size_t c, const int cell[DIM], int d)
{
    bool low = cell[d] == 0 && f->sides[d][0] == SPATE_SIDE_WALL;
    bool high = cell[d] == f->grid.n[d] && f->sides[d][1] == SPATE_SIDE_WALL;
    return f->contact && (low || high) && X(is_dry_face)(f, c, d);
}

/* ---- closed faces */

/* How fast the velocity at the middle of face d at index c, u + own along d, goes away from a solid
 * that moves at `moving`, m/s; `normal` is the solid's. */
SP_KERNEL float X(speed_away)(const X(fields) *f, size_t c, int d, float own,
                              const float moving[DIM], const float normal[DIM])
{
    float across = 0.0f;
    FOR_DIM(a) {
        float v = a == d ? f->u[d][c] + own : X(beside_face)(&f->grid, f->u[a], c, d, a);
        across += normal[a] * (v - moving[a]);
    }
    return across;
}

/* u of face d at index c without what goes into the solid there, which moves at `moving`; `normal`
 * is the solid's. leaves: what goes away from it stays. */
SP_KERNEL float X(slid)(const X(fields) *f, size_t c, int d, const float moving[DIM],
                        const float normal[DIM], bool leaves)
{
    float across = X(speed_away)(f, c, d, 0.0f, moving, normal);
    return leaves && across > 0.0f ? f->u[d][c] : f->u[d][c] - across * normal[d];
}

/* The closed faces of a cell lose their velocity into the solid, which may be `moving`. New
 * velocities go to `weight`, which the step has no more use for, and from there to u: no face sees
 * a changed neighbour.
 *
 * What FLIP takes from such a face is u - u_old, and if u alone lost something that would be a
 * change that does not shrink with the step: in each one it would give energy to particles along
 * the solid. Across the surface the old velocity is therefore what particles brought there, which
 * `weight` holds by then (EXTRAPOLATE), so that they lose their own; along it, it is the carried
 * one as before. Where no particle was, it loses the same as the new one. Liquid that leaves the
 * solid loses nothing.
 *
 * Where no liquid is around, no pressure holds the particles either. There the momentum that counts
 * is theirs, with the kick that was carried here: where that goes away from the solid, they keep
 * it. */
SP_KERNEL void X(slide_closed_faces)(const X(fields) *f, size_t c, const int cell[DIM], bool moving,
                                     double dt)
{
    for (int d = 0; d < DIM; d++) {
        float v[DIM], normal[DIM], brought = f->weight[d][c], before = f->u[d][c];
        if (X(is_dry_wall)(f, c, cell, d)) /* for X(leaves_wall) */
            continue;
        f->weight[d][c] = before;
        if (f->w[d][c] > NARROW || f->known[d][c] == FACE_UNKNOWN || !X(inside)(&f->grid, cell) ||
            !X(face_normal)(&f->grid, f->phi_solid, c, d, normal))
            continue;
        FOR_DIM(a)
            v[a] = 0.0f;
        if (moving)
            X(solid_velocity)(&f->grid, &f->solids, cell, d, dt, v);
        float own = brought != 0.0f ? brought - f->u_old[d][c] : 0.0f;
        if (f->contact && X(speed_away)(f, c, d, own, v, normal) > 0.0f &&
            X(is_dry_face)(f, c, d)) {
            f->weight[d][c] = before + own;
            f->u_old[d][c] += own;
            continue;
        }
        bool leaves = X(is_parted_beside)(f, c, d);
        f->weight[d][c] = X(slid)(f, c, d, v, normal, leaves);
        if (leaves && f->weight[d][c] == before)
            continue;
        f->u_old[d][c] += brought != 0.0f ? normal[d] * normal[d] * (brought - f->u_old[d][c])
                                          : f->weight[d][c] - before;
    }
}

#endif
