/* probe.h -- what the grid says at a point between its cells, on any device. Positions in cells.
 *
 * Cell values are interpolated linearly between the middles of cells. Beyond the last middles
 * before a side the nearest cell holds; across periodic sides the grid goes on.
 *
 * Pressure is defined in liquid cells only, and a gauge often sits on a wall, half a cell from the
 * nearest of them. So each liquid cell c around a point x gives the linear field
 *
 *     p_c + sum_d slope_d (x_d - x_c,d)
 *
 * and the result is the mean of these, with the weights of linear interpolation. The slope along an
 * axis is the mean of the differences across the open faces of the cell; towards air that is -p_c /
 * theta, because the solve has put p = 0 the share theta of the way to the next middle
 * (pressure/system.c); with no open face along an axis it is that of liquid at rest, because
 * nothing flows between the two walls. A pressure that grows linearly with
 * depth is reproduced exactly, on walls and on solids too. */
#ifndef SPATE_KERNELS_PROBE_H
#define SPATE_KERNELS_PROBE_H

#include "collide.h"
#include "fields.h"
#include "surface.h"
#include "transfer.h"

#include <math.h>

/* What is read. */
typedef struct X(probe) {
    X(fields) f;
    double stretch;     /* of p, and 1 - stretch of p_gravity, are the pressure: sim/pressure.c */
    double weight[DIM]; /* Pa per cell: what gravity adds to the pressure of liquid at rest */
    int up, sign;       /* the axis against gravity, +y without gravity; 1 or -1 */
    bool cut;           /* solids are cut cells */
    double path, dt;    /* s: of the step that led the particles here, and of this step */
} X(probe);

/* ---- between the middles of cells */

/* The cell that stands for cell c: its image across periodic sides, else the nearest in the domain,
 * of which nothing is behind a wall. */
SP_KERNEL size_t X(cell_for)(const X(grid) *g, const int c[DIM])
{
    int inside[DIM];
    FOR_DIM(d) {
        int n = (int)ceil(g->end[d]);
        inside[d] = g->periodic[d] ? (c[d] % n + n) % n : c[d] < 0 ? 0 : c[d] < n ? c[d] : n - 1;
    }
    return X(index)(g, inside);
}

/* Outside the active tiles nothing is computed, phi is 0, and there is no liquid. */
SP_KERNEL double X(phi_in)(const X(probe) *v, size_t index)
{
    const X(fields) *f = &v->f;
    int t[DIM];
    X(coordinates)(&f->grid, index, t);
    FOR_DIM(d)
        t[d] = t[d] / TILE + 1;
    return f->tiles.state[X(tile_number)(&f->grid, t)] & TILE_ACTIVE ? (double)f->phi[index]
                                                                     : f->grid.dx;
}

/* A cell under another full one is full; the topmost holds what its particles fill. */
SP_KERNEL double X(fill_in)(const X(probe) *v, size_t index)
{
    const X(fields) *f = &v->f;
    if (f->type[index] != SPATE_CELL_LIQUID)
        return 0;
    size_t step = f->grid.stride[v->up];
    if (f->type[v->sign > 0 ? index + step : index - step] == SPATE_CELL_LIQUID)
        return 1;
    double share = f->count[index] / (double)f->rest;
    return share < 1 ? share : 1;
}

/* The share of one of the 2^DIM cells whose middles are around a point, and which it is. */
SP_KERNEL double X(corner_share)(const X(probe) *v, const double x[DIM], int corner, size_t *index)
{
    double weight = 1;
    int cell[DIM];
    FOR_DIM(d) {
        int side = corner >> d & 1;
        double low = floor(x[d] - 0.5), share = x[d] - 0.5 - low;
        cell[d] = (int)low + side;
        weight *= side ? share : 1 - share;
    }
    *index = X(cell_for)(&v->f.grid, cell);
    return weight;
}

/* Level set (m), where there is one; voxel surface: the share that is full of liquid. */
SP_KERNEL double X(probe_surface)(const X(probe) *v, const double x[DIM])
{
    double sum = 0;
    for (int corner = 0; corner < (1 << DIM); corner++) {
        size_t index;
        double weight = X(corner_share)(v, x, corner, &index);
        if (weight > 0)
            sum += weight *
                   (v->f.surface != SURFACE_VOXEL ? X(phi_in)(v, index) : X(fill_in)(v, index));
    }
    return sum;
}

SP_KERNEL void X(cell_at)(const double x[DIM], int cell[DIM])
{
    FOR_DIM(d)
        cell[d] = (int)floor(x[d]);
}

/* Distance to the nearest solid (m), exact within a cell of it and at least a cell elsewhere. */
SP_KERNEL double X(probe_solid)(const X(probe) *v, const double x[DIM])
{
    const X(fields) *f = &v->f;
    double world[3] = {0, 0, 0};
    int cell[DIM];
    if (f->solids.live == 0)
        return HUGE_VAL;
    X(cell_at)(x, cell);
    FOR_DIM(d)
        world[d] = x[d] * f->grid.dx;
    double bound = f->phi_solid[X(cell_for)(&f->grid, cell)] - sqrt((double)DIM) * f->grid.dx;
    return bound > f->grid.dx ? bound : sp_bodies_distance(&f->solids, world, NULL, NULL);
}

/* Whether a place out of solids is in a cell without an open face: in a gap that is closed
 * (fractions.h), where phi is only what its neighbours say. */
SP_KERNEL bool X(in_closed_gap)(const X(probe) *v, const double x[DIM])
{
    int cell[DIM];
    if (!v->cut || v->f.solids.live == 0)
        return false;
    X(cell_at)(x, cell);
    return v->f.type[X(cell_for)(&v->f.grid, cell)] == SPATE_CELL_SOLID &&
           X(probe_solid)(v, x) > SP_TOUCH * v->f.grid.dx;
}

SP_KERNEL bool X(probe_liquid)(const X(probe) *v, const double x[DIM])
{
    int cell[DIM];
    if (X(in_closed_gap)(v, x))
        return false;
    if (v->f.surface != SURFACE_VOXEL)
        return X(probe_surface)(v, x) < 0;
    X(cell_at)(x, cell);
    return v->f.type[X(cell_for)(&v->f.grid, cell)] == SPATE_CELL_LIQUID;
}

/* Velocity (m/s); 0 where there is no liquid. */
SP_KERNEL void X(probe_velocity)(const X(probe) *v, const double x[DIM], double values[3])
{
    float at[DIM], u[DIM];
    values[0] = values[1] = values[2] = 0;
    if (!X(probe_liquid)(v, x) || X(probe_solid)(v, x) < -1e-6 * v->f.grid.dx)
        return;
    FOR_DIM(d)
        at[d] = (float)x[d];
    X(velocity_at)(&v->f.grid, KERNEL_LINEAR, v->f.u, at, u);
    FOR_DIM(d)
        values[d] = u[d];
}

/* ---- pressure */

SP_KERNEL double X(pressure_in)(const X(probe) *v, size_t index)
{
    double p = v->f.p[index];
    return v->stretch == 1 ? p : v->stretch * p + (1 - v->stretch) * v->f.p_gravity[index];
}

/* How the pressure changes across the low (side 0) or high (1) face along axis d of a liquid cell,
 * Pa per cell; false if the face is closed. Types and open shares are also known just outside the
 * domain, pressure and level set are not. */
SP_KERNEL bool X(pressure_change)(const X(probe) *v, const int cell[DIM], int d, int side,
                                  double *change)
{
    const X(fields) *f = &v->f;
    size_t index = X(index)(&f->grid, cell), stride = f->grid.stride[d];
    size_t near = side ? index + stride : index - stride, face = side ? near : index;
    if (f->type[near] >= SPATE_CELL_SOLID || (f->solids.live > 0 && f->w[d][face] == 0.0f))
        return false;
    int next[DIM];
    FOR_DIM(a)
        next[a] = cell[a] + (a == d ? 2 * side - 1 : 0);
    size_t image = X(cell_for)(&f->grid, next);
    double here = X(pressure_in)(v, index), way = side ? 1 : -1;
    *change = way * (f->type[near] == SPATE_CELL_LIQUID
                         ? X(pressure_in)(v, image) - here
                         : -here * (double)f8_first(X(surface_factors)(
                                       f->surface, (float)f->grid.dx, f8_of(f->phi[index]),
                                       f8_of(f->phi[image]))));
    return true;
}

/* Slope of the pressure along axis d in a liquid cell, Pa per cell. */
SP_KERNEL double X(pressure_slope)(const X(probe) *v, const int cell[DIM], int d)
{
    double sum = 0, change;
    int count = 0;
    for (int side = 0; side < 2; side++)
        if (X(pressure_change)(v, cell, d, side, &change)) {
            sum += change;
            count++;
        }
    return count > 0                                            ? sum / count
           : X(pressure_in)(v, X(index)(&v->f.grid, cell)) != 0 ? v->weight[d]
                                                                : 0;
}

/* Pressure (Pa) of a liquid cell carried to a point by its slopes. */
SP_KERNEL double X(cell_pressure_at)(const X(probe) *v, const int cell[DIM], const double x[DIM])
{
    double pressure = X(pressure_in)(v, X(index)(&v->f.grid, cell));
    FOR_DIM(d) {
        double way = x[d] - cell[d] - 0.5;
        if (way != 0)
            pressure += way * X(pressure_slope)(v, cell, d);
    }
    return pressure;
}

/* Pressure (Pa) at a point; false where there is no liquid. */
SP_KERNEL bool X(probe_pressure)(const X(probe) *v, const double x[DIM], double *pressure)
{
    const X(grid) *g = &v->f.grid;
    double sum = 0, weights = 0;
    if (!X(probe_liquid)(v, x))
        return false;
    for (int corner = 0; corner < (1 << DIM); corner++) {
        double weight = 1, at[DIM];
        int cell[DIM];
        FOR_DIM(d) {
            int side = corner >> d & 1;
            double low = floor(x[d] - 0.5), share = x[d] - 0.5 - low;
            cell[d] = (int)low + side;
            weight *= side ? share : 1 - share;
            /* the image of the cell, and the point beside it */
            int around = !g->periodic[d]      ? 0
                         : cell[d] < 0        ? g->n[d]
                         : cell[d] >= g->n[d] ? -g->n[d]
                                              : 0;
            cell[d] += around;
            at[d] = x[d] + around;
        }
        if (weight <= 0 || !X(inside)(g, cell) || v->f.type[X(index)(g, cell)] != SPATE_CELL_LIQUID)
            continue;
        sum += weight * X(cell_pressure_at)(v, cell, at);
        weights += weight;
    }
    *pressure = weights > 0 ? sum / weights : 0;
    return weights > 0;
}

/* Column j of the channels that the grid holds, at a point; false where no particle is near. */
SP_KERNEL bool X(probe_channel)(const X(probe) *v, int j, const double x[DIM], double *value)
{
    double sum = 0, weights = 0;
    for (int corner = 0; corner < (1 << DIM); corner++) {
        size_t index;
        double weight = X(corner_share)(v, x, corner, &index);
        if (weight <= 0 || !(v->f.channel_weight[index] > 0))
            continue;
        sum += weight * (double)v->f.channel[j][index];
        weights += weight;
    }
    *value = weights > 0 ? sum / weights : 0;
    return weights > 0;
}

#endif
