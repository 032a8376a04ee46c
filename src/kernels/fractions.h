/* fractions.h -- how much of each face and cell is free of solids, from the signed distance at the
 * nodes.
 *
 * The open share w of a face is the part of it where the distance, interpolated between its
 * corners, is positive: along an edge with distances a > 0 > b that is a / (a - b), unless a corner
 * of the solid is near; in 3D the area of the square by marching squares, the ambiguous case as two
 * corners cut off. A face is also
 * closed where the way between the middles of its two cells passes through a solid that is too thin
 * for the nodes to see. With `voxel` solids a face is open or closed as its cells are.
 *
 * `room` is the share of the linear kernel's volume around a cell's middle that is free: the
 * density of particles is measured against it, so that a cell at a wall that is full of water
 * counts as full. Beside a thin solid it is the share that the cell's middle sees (thin.h). */
#ifndef SPATE_KERNELS_FRACTIONS_H
#define SPATE_KERNELS_FRACTIONS_H

#include "lay_solids.h"
#include "thin.h"

#include <math.h>

/* Open shares are whole multiples of 1 / SP_SHARES: fp32 has any sum of a cell's shares exactly, in
 * any order, so that the rows of the pressure's matrix sum to zero away from air. Not fewer: a cell
 * that keeps some of its small faces and loses others cannot balance its fluxes. */
#define SP_SHARES 1048576.0f

/* Share of an edge where the distance is positive. */
SP_KERNEL float X(edge_share)(float a, float b)
{
    if (a > 0.0f && b > 0.0f)
        return 1.0f;
    if (a <= 0.0f && b <= 0.0f)
        return 0.0f;
    return a > 0.0f ? a / (a - b) : b / (b - a);
}

/* Share of a square: whether its corners, in order around it, are open, and the share of the edge
 * from each to the next. */
SP_KERNEL float X(square_area)(const bool open[4], const float edge[4])
{
    int count = open[0] + open[1] + open[2] + open[3];
    if (count == 4)
        return 1.0f;
    if (count == 0) { /* a gap between closed corners crosses two edges that face each other */
        float along = edge[0] + edge[2], back = edge[1] + edge[3];
        return 0.5f * (along > back ? along : back);
    }
    if (count == 2 && open[0] != open[1] && open[0] == open[3]) /* a strip along 0-3 or 1-2 */
        return 0.5f * (edge[0] + edge[2]);
    if (count == 2 && open[0] == open[1])
        return 0.5f * (edge[1] + edge[3]);
    /* single corners: triangles of the minority */
    bool minority = count <= 2;
    float area = 0.0f;
    for (int k = 0; k < 4; k++) {
        if (open[k] != minority)
            continue;
        float along = edge[k], back = edge[(k + 3) % 4];
        area += 0.5f * (minority ? along * back : (1.0f - along) * (1.0f - back));
    }
    return minority ? area : 1.0f - area;
}

/* The same from the distances at the corners. */
SP_KERNEL float X(square_share)(const float c[4])
{
    bool open[4];
    float edge[4];
    for (int k = 0; k < 4; k++) {
        open[k] = c[k] > 0.0f;
        edge[k] = X(edge_share)(c[k], c[(k + 1) % 4]);
    }
    return X(square_area)(open, edge);
}

/* Nodes on a surface up to rounding are on it: a face along the surface is closed. */
SP_KERNEL float X(snapped)(const X(fields) *f, float phi)
{
    return fabsf(phi) < 1e-5f * (float)f->grid.dx ? 0.0f : phi;
}

#define SP_STRAIGHT 0.2 /* cells of an edge where it may be cut, that are not looked at */
#define SP_SMOOTH 0.85  /* cosine between the normals at its ends, of a smooth solid */
#define SP_SEARCHES 7

/* ---- gaps: what is open between two nodes that are not, and nodes in gaps too narrow to flow */

#define SP_GAP_STEP 0.01 /* cells */
#define SP_GAP_HALVINGS 12

/* The distance at a place on the edge from `node` along an axis, m. */
SP_KERNEL double X(edge_distance)(const X(fields) *f, const int node[DIM], int axis, double way)
{
    double x[3] = {0, 0, 0};
    FOR_DIM(d)
        x[d] = node[d] * f->grid.dx + (d == axis ? way : 0);
    return sp_bodies_distance(&f->solids, x, NULL, NULL);
}

/* The place between `open` and `closed` on an edge where the distance is zero, m. */
SP_KERNEL double X(edge_zero)(const X(fields) *f, const int node[DIM], int axis, double open,
                              double closed)
{
    for (int k = 0; k < SP_GAP_HALVINGS; k++) {
        double middle = 0.5 * (open + closed);
        if (X(edge_distance)(f, node, axis, middle) > 0)
            open = middle;
        else
            closed = middle;
    }
    return 0.5 * (open + closed);
}

/* Open share of an edge whose ends are closed, at distances a and b: a gap between two solids that
 * no node is in. The middle of a gap is half its width away from both solids, and no distance
 * changes faster than the way is long, so few places have to be looked at. */
SP_KERNEL float X(gap_share)(const X(fields) *f, const int node[DIM], int axis, float a, float b)
{
    double dx = f->grid.dx, half = 0.5 * SP_GAP * dx;
    for (double way = half - (double)a; way <= dx - half + (double)b;) {
        double distance = X(edge_distance)(f, node, axis, way);
        if (distance >= half)
            return (float)((X(edge_zero)(f, node, axis, way, dx) -
                            X(edge_zero)(f, node, axis, way, 0)) /
                           dx);
        way += fmax(half - distance, SP_GAP_STEP * dx);
    }
    return 0.0f;
}

/* Distance at a node; 0, closed, if the node is in a gap between two solids that is narrower than
 * SP_GAP. */
SP_KERNEL float X(node_opening)(const X(fields) *f, size_t index, const int node[DIM])
{
    float dx = (float)f->grid.dx, here = X(snapped)(f, f->phi_solid[index]);
    if (here <= 0.0f || here >= 0.5f * (float)SP_GAP * dx)
        return here;
    FOR_DIM(d) {
        float before = X(snapped)(f, f->phi_solid[index - f->grid.stride[d]]);
        float behind = X(snapped)(f, f->phi_solid[index + f->grid.stride[d]]);
        if (before > 0.0f || behind > 0.0f)
            continue;
        float middle = 0.5f * (X(edge_share)(here, behind) - X(edge_share)(here, before)) * dx;
        if (X(edge_distance)(f, node, d, (double)middle) < 0.5 * SP_GAP * f->grid.dx)
            return 0.0f;
    }
    return here;
}

/* Share of the edge from `node` along an axis that is open; a, b: distances at its ends. Between
 * them the distance is nearly linear, unless a corner of a solid is near, which its normals tell:
 * there the place where it is zero is looked for (regula falsi, Illinois; in halves where a part of
 * the edge lies in the surface). */
SP_KERNEL float X(cut_edge)(const X(fields) *f, const int node[DIM], int axis, float a, float b)
{
    double dx = f->grid.dx, low = 0, high = dx, at_low = a, at_high = b, x[3] = {0, 0, 0};
    double normals[2][3], cosine = 0;
    float share = X(edge_share)(a, b);
    int last = 0;
    if (a <= 0.0f && b <= 0.0f)
        return X(gap_share)(f, node, axis, a, b);
    /* no distance changes faster than the way is long */
    if ((a > 0.0f) == (b > 0.0f) || dx - fabs(at_low - at_high) <= SP_STRAIGHT * dx)
        return share;
    for (int end = 0; end < 2; end++) {
        FOR_DIM(d)
            x[d] = (node[d] + (d == axis ? end : 0)) * dx;
        sp_bodies_distance(&f->solids, x, normals[end], NULL);
    }
    for (int d = 0; d < 3; d++)
        cosine += normals[0][d] * normals[1][d];
    if (cosine >= SP_SMOOTH)
        return share;
    for (int k = 0; k < SP_SEARCHES; k++) {
        bool flat = at_low == 0 || at_high == 0;
        double way = low + (high - low) * (flat ? 0.5 : at_low / (at_low - at_high));
        x[axis] = node[axis] * dx + way;
        double here = X(snapped)(f, (float)sp_bodies_distance(&f->solids, x, NULL, NULL));
        share = (float)(a > 0.0f ? way / dx : 1 - way / dx);
        bool before = (here > 0) == (a > 0.0f);
        if (before) {
            low = way;
            at_low = here;
            at_high *= last == 1 ? 0.5 : 1;
        } else {
            high = way;
            at_high = here;
            at_low *= last == 2 ? 0.5 : 1;
        }
        last = before ? 1 : 2;
    }
    return share;
}

/* Share of face d of a cell. */
SP_KERNEL float X(face_share)(const X(fields) *f, size_t index, const int cell[DIM], int d)
{
    const int axes[2] = {d == 0 ? 1 : 0, d == 2 ? 1 : 2};
    size_t e = f->grid.stride[axes[0]], h = f->grid.stride[axes[1]];
    int node[DIM];
    FOR_DIM(a)
        node[a] = cell[a];
    float edge[4], c[4] = {X(node_opening)(f, index, node)};
    node[axes[0]]++;
    c[1] = X(node_opening)(f, index + e, node);
    if (DIM == 2)
        return X(cut_edge)(f, cell, axes[0], c[0], c[1]);
    node[LAST(axes[1])]++;
    c[2] = X(node_opening)(f, index + e + h, node);
    node[axes[0]]--;
    c[3] = X(node_opening)(f, index + h, node);
    bool open[4];
    for (int k = 0; k < 4; k++)
        open[k] = c[k] > 0.0f;
    for (int k = 0; k < 4; k++) { /* from corner k to the next, or back from that */
        FOR_DIM(a)
            node[a] = cell[a] + ((a == axes[0] && k == 1) || (a == axes[1] && k == 2));
        edge[k] = k < 2 ? X(cut_edge)(f, node, axes[k], c[k], c[k + 1])
                        : X(cut_edge)(f, node, axes[k - 2], c[(k + 1) % 4], c[k]);
    }
    return X(square_area)(open, edge);
}

/* Share of a cube, from the distances at the corners of its faces across z: by Simpson's rule over
 * three slices. It knows nothing between none and all of a slice: a surface that lies along the
 * slices is cut as the edges across them are. */
SP_KERNEL float X(cube_share)(const float low[4], const float high[4])
{
    float half[4], rounding = 1e-4f * fabsf(high[0] - low[0]);
    bool flat = true;
    for (int k = 0; k < 4; k++) {
        half[k] = 0.5f * (low[k] + high[k]);
        flat = flat && fabsf(low[k] - low[0]) <= rounding && fabsf(high[k] - high[0]) <= rounding;
    }
    if (flat)
        return X(edge_share)(low[0], high[0]);
    return (X(square_share)(low) + 4.0f * X(square_share)(half) + X(square_share)(high)) *
           (1.0f / 6.0f);
}

/* Free share of a cell. */
SP_KERNEL float X(free_share)(const X(grid) *g, const float *phi_solid, size_t index)
{
    const float *phi = phi_solid + index;
    size_t e = g->stride[1], f = g->stride[2];
    float low[4] = {phi[0], phi[1], phi[1 + e], phi[e]};
    if (DIM == 2)
        return X(square_share)(low);
    float high[4] = {phi[f], phi[f + 1], phi[f + 1 + e], phi[f + e]};
    return X(cube_share)(low, high);
}

/* ---- room */

#define SP_HALVES \
    4 /* half cells along an axis that the linear kernel around a cell's middle reaches */

/* Values at -1, -1/2, 0, 1/2, 1 from those at -5/2, -3/2 .. 5/2: cubic between the places, so that
 * the surface of a ball does not shrink to the polygon between the nodes. */
SP_KERNEL void X(refined)(const float *from, size_t step, float to[5])
{
    for (int k = 0; k < 5; k++) {
        const float *v = from + (size_t)(k / 2) * step;
        to[k] = k % 2 ? v[2 * step] /* on a place */
                      : (9.0f * (v[step] + v[2 * step]) - v[0] - v[3 * step]) * 0.0625f;
    }
}

/* Distance at the corners of the half cells around a cell's middle, from that at the nodes. */
SP_KERNEL void X(half_cell_corners)(const X(fields) *f, size_t index, float phi[5 * 5 * LAST(5)])
{
    float rows[5 * 6 * LAST(6)], planes[5 * 5 * LAST(6)], line[5];
    size_t e = f->grid.stride[1], z = f->grid.stride[2];
    const float *node = f->phi_solid + index - 2 - 2 * e - 2 * z;
    for (int k = 0; k < LAST(6); k++)
        for (int j = 0; j < 6; j++)
            X(refined)(node + (size_t)j * e + (size_t)k * z, 1, rows + 5 * (j + 6 * k));
    for (int k = 0; k < LAST(6); k++)
        for (int i = 0; i < 5; i++) {
            X(refined)(rows + i + 30 * k, 5, line);
            for (int j = 0; j < 5; j++)
                (DIM == 3 ? planes : phi)[i + 5 * j + 25 * k] = line[j];
        }
    for (int c = 0; c < 25 && DIM == 3; c++) {
        X(refined)(planes + c, 25, line);
        for (int k = 0; k < 5; k++)
            phi[c + 25 * k] = line[k];
    }
}

/* The free share of a half cell whose first corner is phi[0], times the kernel at the middle of
 * what is free: that is exact where a solid's flat face lies along the grid. `place` is the half
 * cell's number along each axis. */
SP_KERNEL float X(half_cell_room)(const float *phi, const int place[DIM])
{
    const int side[3] = {1, 5, 25};
    float slope[DIM], size = 0.0f, share;
    float low[4] = {phi[0], phi[1], phi[6], phi[5]};
    FOR_DIM(d)
        slope[d] = 0.0f;
    for (int corner = 0; corner < (1 << DIM); corner++) {
        int at = 0;
        FOR_DIM(d)
            at += (corner >> d & 1) * side[d];
        FOR_DIM(d)
            slope[d] += corner >> d & 1 ? phi[at] : -phi[at];
    }
    if (DIM == 2) {
        share = X(square_share)(low);
    } else {
        float high[4] = {phi[25], phi[26], phi[31], phi[30]};
        share = X(cube_share)(low, high);
    }
    FOR_DIM(d)
        size += slope[d] * slope[d];
    float shift = size > 0.0f ? 0.25f * (1.0f - share) / sqrtf(size) : 0.0f;
    FOR_DIM(d) {
        float x = 0.5f * (float)place[d] - 0.75f + shift * slope[d]; /* from the cell's middle */
        share *= 0.5f * (1.0f - fabsf(x));
    }
    return share;
}

SP_KERNEL float X(kernel_share)(const X(fields) *f, size_t index)
{
    float phi[5 * 5 * LAST(5)], sum = 0.0f, dx = (float)f->grid.dx,
                                here = X(middle_distance)(f, index);
    if (fabsf(here) > 2.0f * dx) /* farther than the kernel reaches */
        return here > 0.0f ? 1.0f : 0.0f;
    X(half_cell_corners)(f, index, phi);
    for (int k = 0; k < LAST(SP_HALVES); k++)
        for (int j = 0; j < SP_HALVES; j++)
            for (int i = 0; i < SP_HALVES; i++) {
                int place[3] = {i, j, k};
                sum += X(half_cell_room)(phi + i + 5 * (j + 5 * k), place);
            }
    return sum < 1.0f ? sum : 1.0f;
}

/* Where a place (m) beyond a wall of the domain is the image of. */
SP_KERNEL void X(fold)(const X(fields) *f, double x[3])
{
    FOR_DIM(d) {
        double high = f->grid.n[d] * f->grid.dx;
        if (x[d] < 0 && f->sides[d][0] == SPATE_SIDE_WALL)
            x[d] = -x[d];
        else if (x[d] > high && f->sides[d][1] == SPATE_SIDE_WALL)
            x[d] = 2 * high - x[d];
    }
}

/* The plane that ends what is seen of a half cell around `at` (m) from `seat`: the surface that is
 * in the way, or the nearest one. */
SP_KERNEL sp_hit X(edge_of_view)(const X(fields) *f, const double seat[3], const double at[3])
{
    sp_hit hit = sp_first_hit(&f->solids, seat, at, SP_TOUCH * f->grid.dx, true);
    if (hit.solid >= 0)
        return hit;
    double distance = sp_bodies_distance(&f->solids, at, hit.normal, &hit.solid);
    for (int d = 0; d < 3; d++)
        hit.point[d] = at[d] - distance * hit.normal[d];
    return hit;
}

/* Of one half cell, as half_cell_room; exact beside flat plates. */
SP_KERNEL float X(half_cell_view)(const X(fields) *f, const double middle[3], const double seat[3],
                                  const int place[DIM])
{
    const int side[3] = {1, 5, 25};
    double half = 0.5 * f->grid.dx, low[3] = {0, 0, 0}, at[3] = {0, 0, 0};
    float phi[32];
    FOR_DIM(d) {
        low[d] = middle[d] + (place[d] - 2) * half;
        at[d] = low[d] + 0.5 * half;
    }
    X(fold)(f, at);
    sp_hit plane = X(edge_of_view)(f, seat, at);
    for (int corner = 0; corner < (1 << DIM); corner++) {
        double x[3] = {low[0], low[1], low[2]}, distance = 0;
        int index = 0;
        FOR_DIM(d) {
            x[d] += (corner >> d & 1) * half;
            index += (corner >> d & 1) * side[d];
        }
        X(fold)(f, x);
        FOR_DIM(d)
            distance += (x[d] - plane.point[d]) * plane.normal[d];
        phi[index] = (float)distance;
    }
    return X(half_cell_room)(phi, place);
}

/* kernel_share of what the middle of a cell sees. */
SP_KERNEL float X(visible_share)(const X(fields) *f, size_t index, const int cell[DIM])
{
    double middle[3], seat[3];
    float sum = 0.0f;
    X(middle_of)(&f->grid, cell, middle);
    X(seat_of)(f, index, cell, seat);
    for (int k = 0; k < LAST(SP_HALVES); k++)
        for (int j = 0; j < SP_HALVES; j++)
            for (int i = 0; i < SP_HALVES; i++) {
                int place[3] = {i, j, k};
                sum += X(half_cell_view)(f, middle, seat, place);
            }
    return sum < 1.0f ? sum : 1.0f;
}

SP_KERNEL float X(cut_face)(const X(fields) *f, size_t index, const int cell[DIM], int d)
{
    float share = X(face_share)(f, index, cell, d);
    if (!f->cut)
        share = X(middle_distance)(f, index) < 0.0f ||
                        X(middle_distance)(f, index - f->grid.stride[d]) < 0.0f
                    ? 0.0f
                    : 1.0f;
    share = floorf(share * SP_SHARES + 0.5f) / SP_SHARES;
    return share > 0.0f && X(crosses_thin)(f, index, cell, d) ? 0.0f : share;
}

/* The place that a cell is the image of across periodic sides. */
SP_KERNEL void X(wrapped)(const X(grid) *g, int cell[DIM])
{
    FOR_DIM(d)
        cell[d] = g->periodic[d] && cell[d] >= g->n[d] ? cell[d] - g->n[d] : cell[d];
}

/* Open shares of the faces and room of the cell at index c; CUT_... bits of it. Cells 0 .. n along
 * each axis: the last layer holds the faces that end the domain. far: is_far_from_solids of the
 * tile. */
SP_KERNEL unsigned X(cut_cell)(const X(fields) *f, size_t c, const int cell[DIM], bool far)
{
    int image[DIM];
    bool inside = true, cut = false;
    FOR_DIM(d) {
        inside = inside && cell[d] >= 0 && cell[d] <= f->grid.n[d];
        image[d] = cell[d];
    }
    if (!inside)
        return 0;
    X(wrapped)(&f->grid, image);
    size_t source = X(index)(&f->grid, image);
    for (int d = 0; d < DIM; d++) {
        float w = far ? 1.0f : X(cut_face)(f, source, image, d);
        f->w[d][c] = w;
        cut = cut || w != 1.0f;
    }
    bool thin = !far && X(is_beside_thin)(f, source, image);
    f->thin[c] = thin;
    f->room[c] = far    ? 1.0f
                 : thin ? X(visible_share)(f, source, image)
                        : X(kernel_share)(f, source);
    return (unsigned)cut * CUT_FACES | (unsigned)thin * CUT_THIN;
}

#endif
