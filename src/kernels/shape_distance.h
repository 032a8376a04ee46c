/* shape_distance.h -- exact signed distances to the shapes of a scene, on any device.
 *
 * With q = |p| - h the distance to a box of half sizes h is |max(q, 0)| outside and max_i q_i
 * inside (the nearest face). A cylinder is that box in the plane (x, r), r = sqrt(y^2 + z^2), and a
 * capsule is a sphere about the nearest point of its axis. The normal is the gradient of the
 * distance; where there is none (the centre of a sphere, an edge of a box seen from inside) it is
 * one of the unit vectors that the neighbourhood has.
 *
 * Results reach the state of a run: no libm beyond sqrt and fabs. */
#ifndef SPATE_KERNELS_SHAPE_DISTANCE_H
#define SPATE_KERNELS_SHAPE_DISTANCE_H

#include "mesh_distance.h"
#include "solid.h"

#include <math.h>

/* ---- poses: to the world and back; a direction to the world */

SP_KERNEL void sp_turn_out(const sp_pose *pose, const double local[3], double world[3])
{
    const double x = local[0], y = local[1], z = local[2], *a = pose->axes;
    for (int d = 0; d < 3; d++)
        world[d] = a[3 * d] * x + a[3 * d + 1] * y + a[3 * d + 2] * z;
}

SP_KERNEL void sp_take_out(const sp_pose *pose, const double local[3], double world[3])
{
    sp_turn_out(pose, local, world);
    for (int d = 0; d < 3; d++)
        world[d] += pose->origin[d];
}

SP_KERNEL void sp_take_in(const sp_pose *pose, const double world[3], double local[3])
{
    const double *a = pose->axes, *o = pose->origin;
    const double x = world[0] - o[0], y = world[1] - o[1], z = world[2] - o[2];
    for (int d = 0; d < 3; d++)
        local[d] = a[d] * x + a[3 + d] * y + a[6 + d] * z;
}

/* ---- distances */

/* Scales `v` to length 1 and returns its length. A vector of length 0 becomes that along axis
 * `fallback`. */
SP_KERNEL double sp_to_unit(double v[3], int fallback)
{
    double largest = 0;
    for (int d = 0; d < 3; d++)
        largest = fabs(v[d]) > largest ? fabs(v[d]) : largest;
    if (!(largest > 0)) {
        for (int d = 0; d < 3; d++)
            v[d] = d == fallback;
        return 0;
    }
    /* divided first, so that squares of tiny or huge numbers neither vanish nor overflow */
    double u[3] = {v[0] / largest, v[1] / largest, v[2] / largest};
    double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (int d = 0; d < 3; d++)
        v[d] = u[d] / length;
    return largest * length;
}

/* Distance to the box of half sizes h in n dimensions. `normal` (may be NULL) receives n numbers.
 */
SP_KERNEL double sp_box_distance(const double p[3], const double h[3], int n, double normal[3])
{
    double q[3] = {0, 0, 0}, outside[3] = {0, 0, 0};
    int nearest = 0;
    double squares = 0;
    for (int d = 0; d < n; d++) {
        q[d] = fabs(p[d]) - h[d];
        nearest = q[d] > q[nearest] ? d : nearest;
        outside[d] = q[d] > 0 ? q[d] : 0;
        squares += outside[d] * outside[d];
    }
    if (normal) {
        if (q[nearest] > 0) {
            sp_to_unit(outside, 0);
        } else {
            outside[nearest] = 1;
        }
        for (int d = 0; d < n; d++)
            normal[d] = p[d] < 0 ? -outside[d] : outside[d];
    }
    return q[nearest] > 0 ? sqrt(squares) : q[nearest];
}

/* Distance to the point `foot`, less `radius`. On the point itself the normal is local y: across
 * the axis of a capsule. */
SP_KERNEL double sp_round_distance(const double p[3], double foot, double radius, double normal[3])
{
    double away[3] = {p[0] - foot, p[1], p[2]};
    double distance = sqrt(away[0] * away[0] + away[1] * away[1] + away[2] * away[2]);
    if (normal) {
        sp_to_unit(away, 1);
        memcpy(normal, away, sizeof away);
    }
    return distance - radius;
}

SP_KERNEL double sp_cylinder_distance(const sp_shape *shape, const double p[3], double normal[3])
{
    const double half[3] = {shape->half[0], shape->radius, 0};
    if (shape->dim == 2)
        return sp_box_distance(p, half, 2, normal);
    const double section[3] = {p[0], sqrt(p[1] * p[1] + p[2] * p[2]), 0};
    double flat[3];
    double distance = sp_box_distance(section, half, 2, normal ? flat : NULL);
    if (normal) {
        double radial[3] = {0, p[1], p[2]};
        sp_to_unit(radial, 1);
        normal[0] = flat[0];
        normal[1] = flat[1] * radial[1];
        normal[2] = flat[1] * radial[2];
    }
    return distance;
}

/* In a device's memory `mesh` points to the data alone, which is the first member of a mesh. */
SP_KERNEL double sp_mesh_form_distance(const sp_shape *shape, const double p[3], double normal[3])
{
    const double in_file[3] = {p[0] / shape->scale, p[1] / shape->scale, p[2] / shape->scale};
    const sp_mesh_data *data = (const sp_mesh_data *)shape->mesh;
    return shape->scale * sp_mesh_data_distance(data, in_file, normal);
}

SP_KERNEL double sp_clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

SP_KERNEL_APART double sp_form_distance(const sp_shape *shape, const double local[3],
                                        double normal[3])
{
    const double p[3] = {local[0], local[1], shape->dim == 3 ? local[2] : 0};
    double distance = HUGE_VAL, n[3] = {1, 0, 0};
    double *wanted = normal ? n : NULL;
    switch (shape->kind) {
    case SPATE_SHAPE_BOX: distance = sp_box_distance(p, shape->half, shape->dim, wanted); break;
    case SPATE_SHAPE_SPHERE: distance = sp_round_distance(p, 0, shape->radius, wanted); break;
    case SPATE_SHAPE_CAPSULE:
        distance = sp_round_distance(p, sp_clamp(p[0], -shape->half[0], shape->half[0]),
                                     shape->radius, wanted);
        break;
    case SPATE_SHAPE_CYLINDER: distance = sp_cylinder_distance(shape, p, wanted); break;
    case SPATE_SHAPE_PLANE: distance = p[0]; break;
    case SPATE_SHAPE_MESH: distance = sp_mesh_form_distance(shape, p, wanted); break;
    case SPATE_SHAPE_PARTICLES: break; /* no inside */
    }
    double sign = shape->invert ? -1 : 1;
    if (normal)
        for (int d = 0; d < 3; d++)
            normal[d] = sign * n[d];
    return sign * distance;
}

#endif
