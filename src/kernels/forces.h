/* forces.h -- FORCES, for the faces of one cell: gravity and wall friction, then the velocities
 * that solids and inflows prescribe. The body of gravity is one over lanes (lane.h).
 *
 * Friction f (0 slip .. 1 no slip) is drag on the faces that lie along a solid in the first layer
 * of cells:
 *
 *     dv/dt = -k |v| v / dx,   k = f / (1 - f),   v relative to the solid,
 *
 * solved exactly over the step, v <- v / (1 + k |v| dt / dx), so that one step of dt is the same as
 * two of dt/2. Per cell that the water slides along the wall its speed falls by the factor exp(-k):
 * 1/e at f = 1/2; at f = 1 it has the speed of the wall. */
#ifndef SPATE_KERNELS_FORCES_H
#define SPATE_KERNELS_FORCES_H

#include "faces.h"
#include "fields.h"
#include "lane.h"

typedef struct X(forces) {
    float dv[DIM];   /* of gravity in the step, m/s */
    double friction; /* of the walls of the domain */
    double dt;       /* s */
} X(forces);

/* ---- gravity */

/* The mean u_old of the faces d around one that particles reached; false: there is none. */
SP_KERNEL bool X(mean_around)(const X(fields) *f, int d, size_t face, float *mean)
{
    float sum = 0.0f, count = 0.0f;
    FOR_DIM(a) {
        size_t near[2] = {face - f->grid.stride[a], face + f->grid.stride[a]};
        for (int side = 0; side < 2; side++)
            if (f->weight[d][near[side]] > 0.0f) {
                sum += f->u_old[d][near[side]];
                count += 1.0f;
            }
    }
    *mean = count > 0.0f ? sum / count : 0.0f;
    return count > 0.0f;
}

/* Faces of LANES cells from c on. One beside the liquid that no particle reached first takes the
 * mean of its neighbours. */
SP_KERNEL void X(add_gravity)(const X(fields) *f, size_t c, const X(forces) *how)
{
    i8 here = is_equal(load_bytes(f->type + c), SPATE_CELL_LIQUID);
    FOR_DIM(d) {
        i8 there = is_equal(load_bytes(f->type + c - f->grid.stride[d]), SPATE_CELL_LIQUID);
        i8 wet = here | there, reached = is_positive(load(f->weight[d] + c));
        i8 missing = wet & ~reached, falls = wet | reached;
        if (!any(falls))
            continue;
        for (int i = 0; i < LANES && any(missing); i++) {
            float mean;
            size_t face = c + (size_t)i;
            if (lane(missing, i) && X(mean_around)(f, d, face, &mean))
                f->u[d][face] = f->u_old[d][face] = mean;
        }
        f8 u = load(f->u[d] + c);
        store(f->u[d] + c, choose(falls, u + how->dv[d], u));
    }
}

/* ---- friction */

/* What lies along face d of a cell on one side: friction and velocity of the solid there; false if
 * it is not a solid. */
SP_KERNEL bool X(wall_beside)(const X(fields) *f, const int cell[DIM], int d, int axis, int side,
                              const X(forces) *how, double *friction, double *velocity)
{
    const X(grid) *g = &f->grid;
    ptrdiff_t step = side * (ptrdiff_t)g->stride[axis];
    size_t beside = (size_t)((ptrdiff_t)X(index)(g, cell) + step);
    if (f->type[beside] != SPATE_CELL_SOLID && f->type[beside - g->stride[d]] != SPATE_CELL_SOLID)
        return false;
    *velocity = 0;
    int place = cell[axis] + side;
    if ((place < 0 || place >= g->n[axis]) && !g->periodic[axis]) {
        *friction = how->friction;
        return true;
    }
    double x[3] = {0, 0, 0}, v[3];
    int nearest;
    FOR_DIM(a)
        x[a] = (cell[a] + (a == d ? 0.0 : 0.5) + (a == axis ? 0.5 * side : 0.0)) * g->dx;
    sp_bodies_distance(&f->solids, x, NULL, &nearest);
    if (nearest < 0)
        return false;
    sp_body_velocity(&f->solids.items[nearest], x, how->dt, v);
    *friction = f->solids.items[nearest].form.friction;
    *velocity = v[d];
    return true;
}

/* The velocity u of face d of a cell after the friction of all that lies along it. */
SP_KERNEL float X(rubbed)(const X(fields) *f, const int cell[DIM], int d, const X(forces) *how,
                          float u)
{
    for (int axis = 0; axis < DIM; axis++)
        for (int side = -1; side <= 1 && axis != d; side += 2) {
            double friction, velocity;
            if (!X(wall_beside)(f, cell, d, axis, side, how, &friction, &velocity) ||
                !(friction > 0))
                continue;
            double slip = u - velocity, k = friction < 1 ? friction / (1 - friction) : 0;
            u = (float)(velocity +
                        (friction < 1 ? slip / (1 + k * fabs(slip) * how->dt / f->grid.dx) : 0));
        }
    return u;
}

/* Faces of the cell at index c. */
SP_KERNEL void X(rub_faces)(const X(fields) *f, size_t c, const int cell[DIM], const X(forces) *how)
{
    bool here = f->type[c] == SPATE_CELL_LIQUID;
    for (int d = 0; d < DIM; d++) {
        bool wet = here || f->type[c - f->grid.stride[d]] == SPATE_CELL_LIQUID;
        if (wet && X(inside)(&f->grid, cell))
            f->u[d][c] = X(rubbed)(f, cell, d, how, f->u[d][c]);
    }
}

/* ---- what is prescribed */

/* Voxel solids: faces between a solid and another cell have the solid's velocity. */
SP_KERNEL void X(hold_faces)(const X(fields) *f, size_t c, const int cell[DIM], double dt)
{
    const X(grid) *g = &f->grid;
    bool here = f->type[c] == SPATE_CELL_SOLID;
    for (int d = 0; d < DIM; d++) {
        int before[DIM];
        float v[DIM];
        if (here == (f->type[c - g->stride[d]] == SPATE_CELL_SOLID))
            continue;
        FOR_DIM(axis)
            before[axis] = cell[axis] - (axis == d);
        bool wall = !X(inside)(g, here ? cell : before) && !g->periodic[d];
        if (!wall)
            X(solid_velocity)(g, &f->solids, cell, d, dt, v);
        f->u[d][c] = wall ? 0.0f : v[d];
    }
}

/* The faces of an inflow cell have its velocity, at the walls of the domain too; only solids are
 * stronger. */
SP_KERNEL void X(prescribe_faces)(const X(fields) *f, size_t c, const int cell[DIM])
{
    const X(grid) *g = &f->grid;
    if (!X(inside)(g, cell))
        return;
    for (int d = 0; d < DIM; d++) {
        size_t low = c - g->stride[d], high = c + g->stride[d];
        uint8_t here = f->type[c], there = f->type[low];
        bool wall_low = cell[d] == 0 && !g->periodic[d],
             wall_high = cell[d] == g->n[d] - 1 && !g->periodic[d];
        if (here == SPATE_CELL_INFLOW && (wall_low || there != SPATE_CELL_SOLID))
            f->u[d][c] = f->inflow_velocity[f->mark_of[c] * DIM + d];
        else if (there == SPATE_CELL_INFLOW && here != SPATE_CELL_SOLID)
            f->u[d][c] = f->inflow_velocity[f->mark_of[low] * DIM + d];
        if (here == SPATE_CELL_INFLOW && wall_high)
            f->u[d][high] = f->inflow_velocity[f->mark_of[c] * DIM + d];
    }
}

#endif
