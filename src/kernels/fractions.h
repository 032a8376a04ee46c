/* fractions.h -- how much of each face and cell is free of solids, from the signed distance at the
 * nodes.
 *
 * The open share w of a face is the part of it where the distance, interpolated between its
 * corners, is positive: along an edge with distances a > 0 > b that is a / (a - b); in 3D the area
 * of the square by marching squares, the ambiguous case as two corners cut off. A face is also
 * closed where the way between the middles of its two cells passes through a solid that is too thin
 * for the nodes to see. With `voxel` solids a face is open or closed as its cells are.
 *
 * `room` is the share of the linear kernel's volume around a cell's middle that is free: the
 * density of particles is measured against it, so that a cell at a wall that is full of water
 * counts as full. */
#ifndef SPATE_KERNELS_FRACTIONS_H
#define SPATE_KERNELS_FRACTIONS_H

#include "lay_solids.h"

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

/* Share of a square, corners in order around it. */
SP_KERNEL float X(square_share)(const float c[4])
{
    int positive = 0;
    for (int k = 0; k < 4; k++)
        positive += c[k] > 0.0f;
    if (positive == 4)
        return 1.0f;
    if (positive == 0)
        return 0.0f;
    if (positive == 2 && (c[0] > 0.0f) != (c[1] > 0.0f) &&
        (c[0] > 0.0f) == (c[3] > 0.0f)) /* a strip along 0-1 */
        return 0.5f * (X(edge_share)(c[0], c[1]) + X(edge_share)(c[3], c[2]));
    if (positive == 2 && (c[0] > 0.0f) == (c[1] > 0.0f))
        return 0.5f * (X(edge_share)(c[0], c[3]) + X(edge_share)(c[1], c[2]));
    /* single corners: triangles of the minority */
    bool minority = positive <= 2;
    float area = 0.0f;
    for (int k = 0; k < 4; k++) {
        if ((c[k] > 0.0f) != minority)
            continue;
        float here = c[k], next = c[(k + 1) % 4], last = c[(k + 3) % 4];
        float along = minority ? X(edge_share)(here, next) : 1.0f - X(edge_share)(here, next);
        float back = minority ? X(edge_share)(here, last) : 1.0f - X(edge_share)(here, last);
        area += 0.5f * along * back;
    }
    return minority ? area : 1.0f - area;
}

/* Nodes on a surface up to rounding are on it: a face along the surface is closed. */
SP_KERNEL float X(snapped)(const X(fields) *f, float phi)
{
    return fabsf(phi) < 1e-5f * (float)f->grid.dx ? 0.0f : phi;
}

/* Share of face d of a cell from its corners. */
SP_KERNEL float X(face_share)(const X(fields) *f, size_t index, int d)
{
    const float *phi = f->phi_solid + index;
    size_t e = f->grid.stride[d == 0 ? 1 : 0], h = f->grid.stride[d == 2 ? 1 : 2];
    if (DIM == 2)
        return X(edge_share)(X(snapped)(f, phi[0]), X(snapped)(f, phi[e]));
    float corners[4] = {X(snapped)(f, phi[0]), X(snapped)(f, phi[e]), X(snapped)(f, phi[e + h]),
                        X(snapped)(f, phi[h])};
    return X(square_share)(corners);
}

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

#define SP_TOUCH 0.005 /* cells; a way that comes this near meets the solid */
#define SP_THIN 1.5    /* cells; thicker solids are seen by the nodes */

/* Whether the way from the middle of the cell before to the middle of this one meets a thin solid.
 * Distances cannot change faster than the way is long, so only close calls are walked. A way that
 * only grazes a thick solid does not count: the face is open as far as the nodes say. */
SP_KERNEL bool X(crosses_thin)(const X(fields) *f, size_t index, const int cell[DIM], int d)
{
    double dx = f->grid.dx, here = X(middle_distance)(f, index),
           there = X(middle_distance)(f, index - f->grid.stride[d]);
    if (here + there > 2 * dx)
        return false;
    for (double way = 0; way <= dx;) {
        double x[3] = {0, 0, 0}, normal[3] = {0, 0, 0};
        FOR_DIM(a)
            x[a] = (cell[a] + 0.5) * dx - (a == d ? dx - way : 0);
        double distance = sp_bodies_distance(&f->solids, x, NULL, NULL);
        if (distance < SP_TOUCH * dx) {
            sp_bodies_distance(&f->solids, x, normal, NULL);
            FOR_DIM(a)
                x[a] -= normal[a] * SP_THIN * dx;
            return sp_bodies_distance(&f->solids, x, NULL, NULL) >= 0;
        }
        way += distance;
    }
    return false;
}

/* Free share of a cell: in 2D that of its square, in 3D by Simpson's rule over three slices. */
SP_KERNEL float X(free_share)(const X(grid) *g, const float *phi_solid, size_t index)
{
    const float *phi = phi_solid + index;
    size_t e = g->stride[1], f = g->stride[2];
    float low[4] = {phi[0], phi[1], phi[1 + e], phi[e]};
    if (DIM == 2)
        return X(square_share)(low);
    float high[4] = {phi[f], phi[f + 1], phi[f + 1 + e], phi[f + e]}, half[4];
    for (int k = 0; k < 4; k++)
        half[k] = 0.5f * (low[k] + high[k]);
    return (X(square_share)(low) + 4.0f * X(square_share)(half) + X(square_share)(high)) *
           (1.0f / 6.0f);
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
    share = X(square_share)(low);
    if (DIM == 3) {
        float high[4] = {phi[25], phi[26], phi[31], phi[30]}, half[4];
        for (int k = 0; k < 4; k++)
            half[k] = 0.5f * (low[k] + high[k]);
        share = (share + 4.0f * X(square_share)(half) + X(square_share)(high)) * (1.0f / 6.0f);
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

SP_KERNEL float X(cut_face)(const X(fields) *f, size_t index, const int cell[DIM], int d)
{
    float share = X(face_share)(f, index, d);
    if (!f->cut)
        share = X(middle_distance)(f, index) < 0.0f ||
                        X(middle_distance)(f, index - f->grid.stride[d]) < 0.0f
                    ? 0.0f
                    : 1.0f;
    share = (float)(int)(share * SP_SHARES + 0.5f) / SP_SHARES;
    return share > 0.0f && X(crosses_thin)(f, index, cell, d) ? 0.0f : share;
}

/* The place that a cell is the image of across periodic sides. */
SP_KERNEL void X(wrapped)(const X(grid) *g, int cell[DIM])
{
    FOR_DIM(d)
        cell[d] = g->periodic[d] && cell[d] >= g->n[d] ? cell[d] - g->n[d] : cell[d];
}

/* Open shares of the faces and room of the cell at index c; whether a face is not open. Cells 0 ..
 * n along each axis: the last layer holds the faces that end the domain. far: is_far_from_solids of
 * the tile. */
SP_KERNEL bool X(cut_cell)(const X(fields) *f, size_t c, const int cell[DIM], bool far)
{
    int image[DIM];
    bool inside = true, cut = false;
    FOR_DIM(d) {
        inside = inside && cell[d] >= 0 && cell[d] <= f->grid.n[d];
        image[d] = cell[d];
    }
    if (!inside)
        return false;
    X(wrapped)(&f->grid, image);
    size_t source = X(index)(&f->grid, image);
    for (int d = 0; d < DIM; d++) {
        float w = far ? 1.0f : X(cut_face)(f, source, image, d);
        f->w[d][c] = w;
        cut = cut || w != 1.0f;
    }
    f->room[c] = far ? 1.0f : X(kernel_share)(f, source);
    return cut;
}

#endif
