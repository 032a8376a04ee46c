/* shapes.c -- the shapes of a scene: from what was given to what distances need, and poses.
 * Distances stand in kernels/shape_distance.h.
 *
 * Poses move solids and so reach the state of a run: no libm beyond sqrt, fabs, floor and fmod
 * (which is exact). */
#include "shapes.h"

#include <math.h>
#include <string.h>

#include "kernels/shape_distance.h"
#include "mesh.h"

static const double IDENTITY[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* ------------------------------------------------------------------ rotations */

void sp_sincos_degrees(double degrees, double *sine, double *cosine)
{
    /* In degrees the reduction to [-45, 45] is exact, so multiples of 90 come out as 0 and +-1. */
    double turn = fmod(degrees, 360.0);
    double quarter = floor(turn / 90.0 + 0.5);
    double x = (turn - 90.0 * quarter) * 0.017453292519943295769;

    /* Taylor series; at |x| = pi/4 the first terms left out are 1e-19 and 2e-18. */
    double y = x * x, s = 0, c = 0;
    for (int n = 17; n >= 3; n -= 2)
        s = (s + 1) * -y / (n * (n - 1));
    s = x + x * s;
    for (int n = 16; n >= 2; n -= 2)
        c = (c + 1) * -y / (n * (n - 1));
    c = 1 + c;

    int turns = quarter == quarter ? (int)quarter : 0; /* NaN: s and c are NaN already */
    switch (turns & 3) {
    case 0: *sine = s, *cosine = c; break;
    case 1: *sine = c, *cosine = -s; break;
    case 2: *sine = -s, *cosine = -c; break;
    default: *sine = -c, *cosine = s; break;
    }
}

static void multiply(const double a[9], const double b[9], double product[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            product[3 * i + j] =
                a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

/* Rz Ry Rx: about x first. In 2D about z alone. */
static void euler_matrix(const double rotation[3], int dim, double axes[9])
{
    double s[3] = {0, 0, 0}, c[3] = {1, 1, 1};
    for (int d = dim == 2 ? 2 : 0; d < 3; d++)
        sp_sincos_degrees(rotation[d], &s[d], &c[d]);
    const double about_x[9] = {1, 0, 0, 0, c[0], -s[0], 0, s[0], c[0]};
    const double about_y[9] = {c[1], 0, s[1], 0, 1, 0, -s[1], 0, c[1]};
    const double about_z[9] = {c[2], -s[2], 0, s[2], c[2], 0, 0, 0, 1};
    double yx[9];
    multiply(about_y, about_x, yx);
    multiply(about_z, yx, axes);
}

/* A rotation whose first column, the local x axis in the world, is the unit vector `x`. */
static void frame_along(const double x[3], int dim, double axes[9])
{
    double y[3] = {-x[1], x[0], 0};
    if (dim == 3) {
        /* across x and the coordinate axis that x follows least */
        int least = fabs(x[1]) < fabs(x[0]) ? 1 : 0;
        least = fabs(x[2]) < fabs(x[least]) ? 2 : least;
        double e[3] = {least == 0, least == 1, least == 2};
        y[0] = e[1] * x[2] - e[2] * x[1];
        y[1] = e[2] * x[0] - e[0] * x[2];
        y[2] = e[0] * x[1] - e[1] * x[0];
        sp_to_unit(y, 1);
    }
    const double z[3] = {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2],
                         x[0] * y[1] - x[1] * y[0]};
    for (int d = 0; d < 3; d++) {
        axes[3 * d] = x[d];
        axes[3 * d + 1] = y[d];
        axes[3 * d + 2] = z[d];
    }
}

/* ------------------------------------------------------------------ from the scene's shape */

/* Origin and frame of a shape given by an axis: the local x axis runs along `axis`; returns its
 * length. */
static double place_axis(sp_shape *prepared, const double axis[3], double frame[9])
{
    double direction[3] = {axis[0], axis[1], prepared->dim == 3 ? axis[2] : 0};
    double length = sp_to_unit(direction, 0);
    frame_along(direction, prepared->dim, frame);
    return length;
}

void sp_shape_prepare(sp_shape *prepared, const spate_shape *shape, int dim)
{
    double frame[9];
    memcpy(frame, IDENTITY, sizeof frame);
    memset(prepared, 0, sizeof *prepared);
    prepared->kind = shape->shape;
    prepared->dim = dim;
    prepared->invert = shape->invert;
    prepared->scale = 1;
    prepared->wall = shape->wall;
    prepared->roughness = shape->roughness;
    prepared->motion = shape->motion;
    prepared->motion_count = shape->motion_count;
    memcpy(prepared->velocity, shape->velocity, (size_t)dim * sizeof(double));

    double *origin = prepared->rest.origin;
    switch (shape->shape) {
    case SPATE_SHAPE_BOX:
        for (int d = 0; d < dim; d++) {
            origin[d] = 0.5 * (shape->min[d] + shape->max[d]);
            prepared->half[d] = 0.5 * (shape->max[d] - shape->min[d]);
        }
        break;
    case SPATE_SHAPE_SPHERE:
        memcpy(origin, shape->center, (size_t)dim * sizeof(double));
        prepared->radius = shape->radius;
        break;
    case SPATE_SHAPE_CAPSULE:
    case SPATE_SHAPE_CYLINDER: {
        double axis[3] = {0, 0, 0};
        for (int d = 0; d < dim; d++) {
            origin[d] = 0.5 * (shape->from[d] + shape->to[d]);
            axis[d] = shape->to[d] - shape->from[d];
        }
        prepared->half[0] = 0.5 * place_axis(prepared, axis, frame);
        prepared->radius = shape->radius;
        break;
    }
    case SPATE_SHAPE_PLANE:
        memcpy(origin, shape->point, (size_t)dim * sizeof(double));
        place_axis(prepared, shape->normal, frame);
        break;
    case SPATE_SHAPE_MESH:
        memcpy(origin, shape->position, (size_t)dim * sizeof(double));
        prepared->mesh = shape->mesh;
        prepared->scale = shape->scale;
        break;
    case SPATE_SHAPE_PARTICLES: break;
    }
    double rotation[9];
    euler_matrix(shape->rotation, dim, rotation);
    multiply(rotation, frame, prepared->rest.axes);
}

/* ------------------------------------------------------------------ distances */

double sp_shape_distance(const sp_shape *shape, const double local[3], double normal[3])
{
    return sp_form_distance(shape, local, normal);
}

void sp_shape_bounds(const sp_shape *shape, double low[3], double high[3])
{
    double r = shape->radius;
    double reach[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    switch (shape->kind) {
    case SPATE_SHAPE_BOX: memcpy(reach, shape->half, sizeof reach); break;
    case SPATE_SHAPE_SPHERE: reach[0] = reach[1] = reach[2] = r; break;
    case SPATE_SHAPE_CAPSULE: reach[0] = shape->half[0] + r, reach[1] = reach[2] = r; break;
    case SPATE_SHAPE_CYLINDER: reach[0] = shape->half[0], reach[1] = reach[2] = r; break;
    case SPATE_SHAPE_PLANE:
    case SPATE_SHAPE_MESH:
    case SPATE_SHAPE_PARTICLES: break;
    }
    bool bounded = !shape->invert && shape->kind != SPATE_SHAPE_PLANE;
    for (int d = 0; d < 3; d++) {
        low[d] = bounded ? -reach[d] : -HUGE_VAL;
        high[d] = bounded ? reach[d] : HUGE_VAL;
    }
    if (bounded && shape->kind == SPATE_SHAPE_MESH) {
        sp_mesh_bounds(shape->mesh, low, high);
        for (int d = 0; d < 3; d++) {
            low[d] *= shape->scale;
            high[d] *= shape->scale;
        }
    }
}

/* ------------------------------------------------------------------ poses */

bool sp_shape_moves(const sp_shape *shape)
{
    return shape->motion_count > 0 || shape->velocity[0] != 0 || shape->velocity[1] != 0 ||
           shape->velocity[2] != 0;
}

sp_pose sp_shape_pose_at(const sp_shape *shape, const double position[3], const double rotation[3])
{
    sp_pose pose = shape->rest;
    double turn[9];
    for (int d = 0; d < shape->dim; d++)
        pose.origin[d] += position[d];
    euler_matrix(rotation, shape->dim, turn);
    multiply(turn, shape->rest.axes, pose.axes);
    return pose;
}

sp_pose sp_shape_pose(const sp_shape *shape, double time)
{
    double position[3] = {0, 0, 0}, rotation[3] = {0, 0, 0};
    if (shape->motion_count > 0) {
        int next = 0;
        while (next < shape->motion_count && shape->motion[next].time <= time)
            next++;
        const spate_keyframe *a = &shape->motion[next > 0 ? next - 1 : 0];
        const spate_keyframe *b = &shape->motion[next < shape->motion_count ? next : next - 1];
        double t = a == b ? 0 : (time - a->time) / (b->time - a->time);
        for (int d = 0; d < 3; d++) {
            position[d] = a->position[d] + t * (b->position[d] - a->position[d]);
            rotation[d] = a->rotation[d] + t * (b->rotation[d] - a->rotation[d]);
        }
    }
    for (int d = 0; d < 3; d++)
        position[d] += shape->velocity[d] * time;
    return sp_shape_pose_at(shape, position, rotation);
}

void sp_pose_rotate_to_world(const sp_pose *pose, const double local[3], double world[3])
{
    sp_turn_out(pose, local, world);
}

void sp_pose_to_world(const sp_pose *pose, const double local[3], double world[3])
{
    sp_take_out(pose, local, world);
}

void sp_pose_to_local(const sp_pose *pose, const double world[3], double local[3])
{
    sp_take_in(pose, world, local);
}

void sp_shape_bounds_at(const sp_shape *shape, const sp_pose *pose, double low[3], double high[3])
{
    double a[3], b[3];
    bool endless = false;
    sp_shape_bounds(shape, a, b);
    for (int d = 0; d < shape->dim; d++)
        endless = endless || !(a[d] > -HUGE_VAL && b[d] < HUGE_VAL);
    for (int d = 0; d < 3; d++) {
        low[d] = endless ? -HUGE_VAL : HUGE_VAL;
        high[d] = -low[d];
    }
    for (int corner = 0; corner < 8 && !endless; corner++) {
        double local[3], world[3];
        for (int d = 0; d < 3; d++)
            local[d] = d >= shape->dim ? 0 : (corner >> d) & 1 ? b[d] : a[d];
        sp_pose_to_world(pose, local, world);
        for (int d = 0; d < 3; d++) {
            low[d] = fmin(low[d], world[d]);
            high[d] = fmax(high[d], world[d]);
        }
    }
}

bool sp_shape_holds(const sp_shape *shape, const sp_pose *pose, const double world[3])
{
    double local[3];
    sp_pose_to_local(pose, world, local);
    return sp_shape_distance(shape, local, NULL) <= 0;
}
