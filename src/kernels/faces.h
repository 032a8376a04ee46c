/* faces.h -- what walls, solids and inflows do to the velocities of faces, face by face
 * (cpu/forces.c, cpu/solids.c, cpu/emit.c and their likes on other devices). */
#ifndef SPATE_KERNELS_FACES_H
#define SPATE_KERNELS_FACES_H

#include "collide.h"
#include "grid.h"

#include <math.h>

/* A face that no particle reached takes the mean of its neighbours that have a velocity, u_old
 * where weight is not 0; false: there is none. */
SP_KERNEL bool X(mean_around)(const X(grid) *g, const float *weight, const float *u_old,
                              size_t face, float *mean)
{
    float sum = 0.0f, count = 0.0f;
    FOR_DIM(a) {
        size_t near[2] = {face - g->stride[a], face + g->stride[a]};
        for (int side = 0; side < 2; side++)
            if (weight[near[side]] > 0.0f) {
                sum += u_old[near[side]];
                count += 1.0f;
            }
    }
    *mean = count > 0.0f ? sum / count : 0.0f;
    return count > 0.0f;
}

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

/* ---- friction, see cpu/forces.c */

typedef struct X(rubbing) {
    double wall; /* friction of the walls of the domain */
    double dt;
} X(rubbing);

/* What lies along face d of a cell on one side: friction and velocity of the solid there; false if
 * it is not a solid. */
SP_KERNEL bool X(wall_beside)(const X(grid) *g, const sp_solids *solids, const uint8_t *type,
                              const int cell[DIM], int d, int axis, int side, const X(rubbing) *how,
                              double *friction, double *velocity)
{
    ptrdiff_t step = side * (ptrdiff_t)g->stride[axis];
    size_t beside = (size_t)((ptrdiff_t)X(index)(g, cell) + step);
    if (type[beside] != SPATE_CELL_SOLID && type[beside - g->stride[d]] != SPATE_CELL_SOLID)
        return false;
    *velocity = 0;
    int place = cell[axis] + side;
    if ((place < 0 || place >= g->n[axis]) && !g->periodic[axis]) {
        *friction = how->wall;
        return true;
    }
    double x[3] = {0, 0, 0}, v[3];
    int nearest;
    FOR_DIM(a)
        x[a] = (cell[a] + (a == d ? 0.0 : 0.5) + (a == axis ? 0.5 * side : 0.0)) * g->dx;
    sp_bodies_distance(solids, x, NULL, &nearest);
    if (nearest < 0)
        return false;
    sp_body_velocity(&solids->items[nearest], x, how->dt, v);
    *friction = solids->items[nearest].form.friction;
    *velocity = v[d];
    return true;
}

/* The velocity u of face d of a cell after the friction of all that lies along it. */
SP_KERNEL float X(rubbed)(const X(grid) *g, const sp_solids *solids, const uint8_t *type,
                          const int cell[DIM], int d, const X(rubbing) *how, float u)
{
    for (int axis = 0; axis < DIM; axis++)
        for (int side = -1; side <= 1 && axis != d; side += 2) {
            double friction, velocity;
            if (!X(wall_beside)(g, solids, type, cell, d, axis, side, how, &friction, &velocity) ||
                !(friction > 0))
                continue;
            double slip = u - velocity, k = friction < 1 ? friction / (1 - friction) : 0;
            u = (float)(velocity +
                        (friction < 1 ? slip / (1 + k * fabs(slip) * how->dt / g->dx) : 0));
        }
    return u;
}

/* ---- solids in cut cells, see cpu/solids.c */

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

/* u of face d of a cell without what goes into the solid there, which moves at `moving`. */
SP_KERNEL float X(slid)(const X(grid) *g, const float *phi_solid, float *const u[DIM],
                        const int cell[DIM], int d, const float moving[DIM])
{
    size_t index = X(index)(g, cell);
    float normal[DIM], across = 0.0f;
    if (!X(face_normal)(g, phi_solid, index, d, normal))
        return u[d][index];
    FOR_DIM(a) {
        float v = a == d ? u[d][index] : X(beside_face)(g, u[a], index, d, a);
        across += normal[a] * (v - moving[a]);
    }
    return u[d][index] - across * normal[d];
}

/* ---- inflows, see cpu/emit.c */

/* The faces of an inflow cell have its velocity, at the walls of the domain too; only solids are
 * stronger. mark_of: which inflow a cell is of; inflow: their velocities, DIM numbers each. */
SP_KERNEL void X(prescribe_cell)(const X(grid) *g, const uint8_t *type, const int16_t *mark_of,
                                 const float *inflow, float *const u[DIM], const int cell[DIM])
{
    size_t index = X(index)(g, cell);
    for (int d = 0; d < DIM; d++) {
        size_t low = index - g->stride[d], high = index + g->stride[d];
        uint8_t here = type[index], there = type[low];
        bool wall_low = cell[d] == 0 && !g->periodic[d],
             wall_high = cell[d] == g->n[d] - 1 && !g->periodic[d];
        if (here == SPATE_CELL_INFLOW && (wall_low || there != SPATE_CELL_SOLID))
            u[d][index] = inflow[mark_of[index] * DIM + d];
        else if (there == SPATE_CELL_INFLOW && here != SPATE_CELL_SOLID)
            u[d][index] = inflow[mark_of[low] * DIM + d];
        if (here == SPATE_CELL_INFLOW && wall_high)
            u[d][high] = inflow[mark_of[index] * DIM + d];
    }
}

#endif
