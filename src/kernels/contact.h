/* contact.h -- water can leave a wall: which liquid cells part from it in a step.
 *
 * A solid pushes water and does not pull it where air can come between the two. With n away from
 * the solid, at a wall that air can reach,
 *
 *     p >= 0,    (u - u_solid) . n >= 0,    one of them = 0
 *
 * (Batty, Bertails, Bridson 2007). On the grid, for a cell c with the equation of
 * pressure/system.c,
 *
 *     q_c >= 0,    d_c q_c - sum_f a_f q_n - b_c >= 0,    one of them = 0:
 *
 * either the cell keeps its volume, or it *parts*: q_c = 0, it has no equation, and more flows out
 * of it than in; the void that opens lies at the wall. With q of its neighbours, the sign of
 *
 *     push = b_c + sum_f a_f q_n
 *
 * says which, whether the cell is parted now (then q_c = 0) or not (then d_c q_c = push). So the
 * cells are found with the pressure of the last step; after the solve the test is done again with
 * the new one, and if another set comes out the system is solved anew. That is a primal-dual active
 * set, which for a matrix with such signs converges in a few rounds (Hintermueller, Ito, Kunisch
 * 2003).
 *
 * Only cells that touch a wall or a solid may part, and only where air can come: air, or a cell
 * that has parted already, is among the 3^DIM cells around. So a sheet peels off from its edge on,
 * and behind a body in deep water, in full vessels and at pistons water keeps its suction. */
#ifndef SPATE_KERNELS_CONTACT_H
#define SPATE_KERNELS_CONTACT_H

#include "density.h"
#include "faces.h"
#include "fields.h"
#include "lane.h"

/* Of all cells: none is parted, as before; some are, the same as before; they have changed. */
enum { CONTACT_WHOLE, CONTACT_PARTED, CONTACT_CHANGED };

/* Whether a tile may have cells at a wall or solid. */
SP_KERNEL bool X(may_have_walls)(const X(fields) *f, int tile)
{
    const X(grid) *g = &f->grid;
    int first[DIM], step = 1;
    X(tile_cell)(g, tile, first);
    bool walls = f->has_solids && f->tiles.cut[tile];
    FOR_DIM(d) {
        walls = walls || first[d] == 0 || first[d] + TILE >= g->n[d] ||
                (f->has_solids && f->tiles.cut[tile + step]);
        step *= g->tiles[d];
    }
    return walls;
}

/* Whether solids cut the cells of a tile or their high faces. */
SP_KERNEL bool X(has_cuts)(const X(fields) *f, int tile)
{
    bool cuts = f->has_solids && f->tiles.cut[tile];
    int step = 1;
    FOR_DIM(d) {
        cuts = cuts || (f->has_solids && f->tiles.cut[tile + step]);
        step *= f->grid.tiles[d];
    }
    return cuts;
}

/* Whether some of LANES cells are at sides of the domain. */
SP_KERNEL bool X(are_at_sides)(const X(grid) *g, const int cell[DIM])
{
    bool found = cell[0] == 0 || cell[0] + LANES >= g->n[0];
    for (int d = 1; d < DIM; d++)
        found = found || cell[d] == 0 || cell[d] >= g->n[d] - 1;
    return found;
}

SP_KERNEL bool X(touches_wall)(const X(fields) *f, size_t c)
{
    bool found = false;
    FOR_DIM(d)
        for (int side = 0; side < 2; side++) {
            size_t face = side ? c + f->grid.stride[d] : c;
            size_t near = side ? face : c - f->grid.stride[d];
            found = found || f->type[near] == SPATE_CELL_SOLID ||
                    (f->has_solids && f->w[d][face] < 1.0f);
        }
    return found;
}

/* Whether one of the 3^DIM - 1 cells around has parted. */
SP_KERNEL bool X(has_parted_around)(const X(fields) *f, size_t c)
{
    bool found = false;
    for (int k = 0; k < 9 * LAST(3); k++) {
        const int offset[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        ptrdiff_t at = (ptrdiff_t)c;
        FOR_DIM(d)
            at += offset[d] * (ptrdiff_t)f->grid.stride[d];
        found = found || ((size_t)at != c && f->parted[at]);
    }
    return found;
}

/* The same through open faces: beside a thin solid what is behind that does not count. */
SP_KERNEL bool X(has_parted_beside)(const X(fields) *f, size_t c)
{
    bool found = false;
    FOR_DIM(d) {
        size_t step = f->grid.stride[d];
        found = found || (f->parted[c - step] && f->w[d][c] > 0.0f) ||
                (f->parted[c + step] && f->w[d][c + step] > 0.0f);
    }
    return found;
}

SP_KERNEL bool X(may_part)(const X(fields) *f, size_t c)
{
    if (f->type[c] != SPATE_CELL_LIQUID || !X(touches_wall)(f, c))
        return false;
    if (f->has_solids && f->thin[c])
        return X(has_air_beside)(f, c) || X(has_parted_beside)(f, c);
    return X(has_air_around)(f, c) || X(has_parted_around)(f, c);
}

/* Flux through face d of a cell, per face area, m/s: through its open part and with the solid's
 * surface. */
SP_KERNEL double X(open_flux)(const X(fields) *f, const int cell[DIM], int d, double dt)
{
    size_t face = X(index)(&f->grid, cell);
    double u = f->u[d][face], w = f->has_solids ? (double)f->w[d][face] : 1.0;
    float v[DIM];
    if (w >= 1.0 || !f->solids.any_moving)
        return w * u;
    X(solid_velocity)(&f->grid, &f->solids, cell, d, dt, v);
    return w * u + (1 - w) * (double)v[d];
}

/* m/s; q is p times `scale`. */
SP_KERNEL double X(wall_push)(const X(fields) *f, size_t c, const int cell[DIM], double dt,
                              double scale)
{
    double push = 0;
    for (int d = 0; d < DIM; d++) {
        int next[DIM];
        FOR_DIM(axis)
            next[axis] = cell[axis] + (axis == d);
        push += X(open_flux)(f, cell, d, dt) - X(open_flux)(f, next, d, dt);
        for (int side = 0; side < 2; side++) {
            size_t face = side ? c + f->grid.stride[d] : c;
            size_t near = side ? face : c - f->grid.stride[d];
            if (f->type[near] == SPATE_CELL_LIQUID)
                push += (f->has_solids ? (double)f->w[d][face] : 1.0) * scale * (double)f->p[near];
        }
    }
    return push;
}

typedef struct X(contact) {
    double dt;    /* s, of the step */
    double scale; /* q over p */
    double least; /* m/s: no cell parts by a smaller pull, which the solver cannot tell from none */
    bool closing; /* cells come back and no others part, so that it ends */
} X(contact);

/* A cell that may part (`candidate`) does or does not; CONTACT_... of it. */
SP_KERNEL int X(part_cell)(const X(fields) *f, size_t c, const int cell[DIM], const X(contact) *how)
{
    bool did = f->parted[c], parts = f->candidate[c] && (did || !how->closing);
    /* one that has parted stays so while it loses, or the solver's error would decide each time */
    parts = parts && X(wall_push)(f, c, cell, how->dt, how->scale) < (did ? 0.0 : -how->least);
    if (parts != did)
        f->parted[c] = parts;
    return parts != did ? CONTACT_CHANGED : parts ? CONTACT_PARTED : CONTACT_WHOLE;
}

/* ---- after EXTRAPOLATE */

/* The mean velocity that particles brought to the face of a wall. Near solids EXTRAPOLATE has
 * carried u_old there, and left the mean in `weight` if there is one. */
SP_KERNEL float X(brought_to_wall)(const X(fields) *f, int d, size_t wall)
{
    uint8_t known = f->known[d][wall];
    bool carried = known > FACE_SOURCE && known < FACE_FIXED && f->weight[d][wall] != 0.0f;
    return carried ? f->weight[d][wall] : f->u_old[d][wall];
}

/* The velocity with which the liquid or the particles of a cell leave the wall of the domain at one
 * of its faces d, and the old one; false: they do not leave. The liquid of a cell that has parted
 * goes with the inner face, as faces in solids do (X(slid)). Particles without liquid around keep
 * their own momentum, and get the kick of the inner face (X(slide_closed_faces)). */
SP_KERNEL bool X(leaves_wall)(const X(fields) *f, size_t c, int d, bool high, float *u, float *old)
{
    size_t low_face = c, high_face = c + f->grid.stride[d];
    size_t wall = high ? high_face : low_face, inner = high ? low_face : high_face;
    *u = f->u[d][inner];
    *old = f->u_old[d][inner];
    if (!f->parted[c]) {
        if (f->known[d][inner] == FACE_UNKNOWN || !X(is_dry_around)(f, c))
            return false;
        float brought = X(brought_to_wall)(f, d, wall);
        *u += brought - *old;
        *old = brought;
    }
    return high ? *u < 0.0f : *u > 0.0f;
}

/* A wall of the domain holds neither the liquid of a cell that has parted nor particles without
 * liquid around: the face at the wall goes along with what goes away. */
SP_KERNEL void X(part_wall_faces)(const X(fields) *f, size_t c, const int cell[DIM])
{
    if (!f->parted[c] && f->type[c] != SPATE_CELL_AIR)
        return;
    FOR_DIM(d)
        for (int high = 0; high < 2; high++) {
            float u, old;
            size_t wall = high ? c + f->grid.stride[d] : c;
            if (f->sides[d][high] != SPATE_SIDE_WALL || cell[d] != (high ? f->grid.n[d] - 1 : 0) ||
                !X(leaves_wall)(f, c, d, high, &u, &old))
                continue;
            f->u[d][wall] = u;
            f->u_old[d][wall] = old;
        }
}

#endif
