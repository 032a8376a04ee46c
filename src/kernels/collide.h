/* collide.h -- the solids of a simulation as a point meets them, on any device.
 *
 * Collision. Seen from the solid, a point goes from a = from^-1 x0 to b = to^-1 x1. Along that line
 * we march by the signed distance, which is a step that cannot jump over anything, so no wall is
 * too thin and no solid too fast. (A convex solid lies behind the plane through its nearest point,
 * so there the step goes on to that plane.) At the contact the rest of the way loses its part along
 * the normal, and the march goes on from there, now with all solids at `to`.
 *
 * A way ends at SP_REST of the clearance, and what is nearer than SP_CLOSE is taken to there, too:
 * with one place for both, rounding cannot decide between two that are apart. What rounding,
 * corners and closing gaps leave inside a solid is pushed out along the normal; if
 * that fails, the nearest free place on a fixed pattern of points is taken. Neither may be farther
 * than the reach, nor lie behind another solid. If there is no such place, the point is crushed. */
#ifndef SPATE_KERNELS_COLLIDE_H
#define SPATE_KERNELS_COLLIDE_H

#include "shape_distance.h"
#include "solid.h"

#define SP_MARCH_STEPS 4000
#define SP_GRAZING                                                                               \
    1e-6             /* share of the way that goes into the surface, below which it slides along \
                      */
#define SP_REST 0.95 /* of the clearance */
#define SP_CLOSE 0.9
#define SP_SLIDES 4
#define SP_PUSHES 16

SP_KERNEL double sp_body_distance(const sp_solid *solid, const double x[3], double normal[3])
{
    double local[3], local_normal[3];
    sp_take_in(&solid->to, x, local);
    double distance = sp_form_distance(&solid->form, local, normal ? local_normal : NULL);
    if (normal)
        sp_turn_out(&solid->to, local_normal, normal);
    return distance;
}

/* Whether it never moves: neither by its keyframes or velocity, nor by the host. */
SP_KERNEL bool sp_body_rests(const sp_solid *solid)
{
    const sp_shape *form = &solid->form;
    return !solid->driven && form->motion_count == 0 && form->velocity[0] == 0 &&
           form->velocity[1] == 0 && form->velocity[2] == 0;
}

/* Distance to those that rest, or to the others; HUGE_VAL if there is none. */
SP_KERNEL_APART double sp_group_distance(const sp_solids *solids, const double x[3], bool resting)
{
    double nearest = HUGE_VAL;
    for (int k = 0; k < solids->count; k++) {
        const sp_solid *solid = &solids->items[k];
        if (!solid->live || sp_body_rests(solid) != resting)
            continue;
        double distance = sp_body_distance(solid, x, NULL);
        nearest = distance < nearest ? distance : nearest;
    }
    return nearest;
}

/* A lower bound of the distance from the bounds alone. */
SP_KERNEL double sp_bounds_distance(const sp_solid *solid, const double x[3])
{
    double sum = 0;
    for (int d = 0; d < solid->form.dim; d++) {
        double gap = fmax(solid->low[d] - x[d], x[d] - solid->high[d]);
        sum += gap > 0 ? gap * gap : 0;
    }
    return sqrt(sum);
}

SP_KERNEL_APART double sp_bodies_distance(const sp_solids *solids, const double x[3],
                                          double normal[3], int *index)
{
    double nearest = HUGE_VAL;
    int which = -1;
    for (int k = 0; k < solids->count; k++) {
        const sp_solid *solid = &solids->items[k];
        if (!solid->live || sp_bounds_distance(solid, x) > nearest)
            continue;
        double distance = sp_body_distance(solid, x, NULL);
        if (distance < nearest) {
            nearest = distance;
            which = k;
        }
    }
    if (index)
        *index = which;
    if (normal && which >= 0)
        sp_body_distance(&solids->items[which], x, normal);
    return nearest;
}

SP_KERNEL void sp_body_velocity(const sp_solid *solid, const double x[3], double dt, double v[3])
{
    v[0] = v[1] = v[2] = 0;
    if (!solid->moving || !(dt > 0))
        return;
    double local[3], before[3];
    sp_take_in(&solid->to, x, local);
    sp_take_out(&solid->from, local, before);
    for (int d = 0; d < 3; d++)
        v[d] = (x[d] - before[d]) / dt;
}

typedef struct sp_hit {
    int solid;       /* index, -1: none */
    double share;    /* of the way, 0 .. 1 */
    double point[3]; /* world, at `to` */
    double normal[3];
} sp_hit;

/* How far a point may go on safely, at `distance` from the solid, with the share `approach` of its
 * way going into it. */
SP_KERNEL double sp_safe_step(const sp_solid *solid, double distance, double approach,
                              double clearance)
{
    bool convex = solid->form.kind != SPATE_SHAPE_MESH && !solid->form.invert;
    if (convex)
        return approach > SP_GRAZING ? (distance - SP_REST * clearance) / approach : HUGE_VAL;
    if (approach <= SP_GRAZING && distance < 20 * clearance)
        return 100 * clearance; /* along a surface, or away from it */
    return fmax(distance - SP_REST * clearance, 0.5 * clearance);
}

/* Marches from a to b in the frame of the solid; whether it meets it, and where. */
SP_KERNEL_APART bool sp_march(const sp_solid *solid, const double a[3], const double b[3],
                              double clearance, sp_hit *found)
{
    double way[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, normal[3], point[3];
    double length = sqrt(sp_dot(way, way)), share = 0;
    if (!(length > 0))
        return false;
    for (int step = 0; step < SP_MARCH_STEPS && share < 1 && share < found->share; step++) {
        for (int d = 0; d < 3; d++)
            point[d] = a[d] + share * way[d];
        double distance = sp_form_distance(&solid->form, point, normal),
               approach = -sp_dot(way, normal) / length;
        bool last = step == SP_MARCH_STEPS - 1; /* never on through the unknown */
        if (last || (distance < clearance && approach > SP_GRAZING)) {
            found->share = share;
            sp_take_out(&solid->to, point, found->point);
            sp_turn_out(&solid->to, normal, found->normal);
            return true;
        }
        share += sp_safe_step(solid, distance, approach, clearance) / length;
    }
    return false;
}

SP_KERNEL sp_hit sp_first_hit(const sp_solids *solids, const double x0[3], const double x1[3],
                              double clearance, bool settled)
{
    sp_hit found = {-1, 2, {0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < solids->count; k++) {
        const sp_solid *solid = &solids->items[k];
        if (!solid->live)
            continue;
        bool apart = false;
        for (int d = 0; d < solids->dim; d++)
            apart = apart || fmin(x0[d], x1[d]) > solid->high[d] + clearance ||
                    fmax(x0[d], x1[d]) < solid->low[d] - clearance;
        if (apart)
            continue;
        double a[3], b[3];
        sp_take_in(settled ? &solid->to : &solid->from, x0, a);
        sp_take_in(&solid->to, x1, b);
        if (sp_march(solid, a, b, clearance, &found))
            found.solid = k;
    }
    return found;
}

/* Takes the part of v that approaches the surface out of it. */
SP_KERNEL void sp_stop_at(const sp_solid *solid, const double x[3], const double normal[3],
                          double dt, double v[3])
{
    double moving[3];
    sp_body_velocity(solid, x, dt, moving);
    double relative[3] = {v[0] - moving[0], v[1] - moving[1], v[2] - moving[2]};
    double approach = sp_dot(relative, normal);
    for (int d = 0; d < 3 && approach < 0; d++)
        v[d] -= approach * normal[d];
}

SP_KERNEL void sp_keep_in_room(const sp_clearance *room, int dim, double x[3])
{
    for (int d = 0; d < dim; d++)
        x[d] = x[d] < room->low[d] ? room->low[d] : x[d] > room->high[d] ? room->high[d] : x[d];
}

/* Pushes x out of whatever it is in; whether it is free at the end. After the first push, in
 * corners, less is enough and more is done, so that pushes from two sides come to an end. */
SP_KERNEL bool sp_push_out(const sp_solids *solids, const sp_clearance *room, double x[3],
                           double v[3], double dt, bool *pushed)
{
    for (int push = 0; push < SP_PUSHES; push++) {
        double normal[3];
        int index;
        sp_keep_in_room(room, solids->dim, x);
        double distance = sp_bodies_distance(solids, x, normal, &index);
        if (distance >= (push == 0 ? SP_CLOSE : 0.5) * room->clearance)
            return true;
        *pushed = true;
        sp_stop_at(&solids->items[index], x, normal, dt, v);
        for (int d = 0; d < solids->dim; d++)
            x[d] += normal[d] * ((push == 0 ? SP_REST : 1) * room->clearance - distance);
    }
    return false;
}

/* Whether the straight way from x, where the point was, to `place` passes no solid but those that
 * have come over x. */
SP_KERNEL bool sp_is_reachable(const sp_solids *solids, const sp_clearance *room, const double x[3],
                               const double place[3])
{
    for (int k = 0; k < solids->count; k++) {
        const sp_solid *solid = &solids->items[k];
        double a[3], b[3];
        sp_hit found = {-1, 2, {0, 0, 0}, {0, 0, 0}};
        sp_take_in(&solid->to, x, a);
        sp_take_in(&solid->to, place, b);
        if (solid->live && sp_form_distance(&solid->form, a, NULL) > 0 &&
            sp_march(solid, a, b, 0.1 * room->clearance, &found))
            return false;
    }
    return true;
}

/* The first free place on shells around x, within reach, for a point that comes from x0. */
SP_KERNEL bool sp_find_place(const sp_solids *solids, const sp_clearance *room, const double x0[3],
                             double x[3])
{
    enum { SHELLS = 12 };
    for (int shell = 1; shell <= SHELLS; shell++) {
        double radius = room->reach * shell / SHELLS;
        for (int direction = 0; direction < (solids->dim == 3 ? 27 : 9); direction++) {
            double way[3] = {(double)(direction % 3 - 1), (double)(direction / 3 % 3 - 1),
                             (double)(solids->dim == 3 ? direction / 9 - 1 : 0)};
            double length = sqrt(sp_dot(way, way)), place[3];
            if (length == 0)
                continue;
            for (int d = 0; d < 3; d++)
                place[d] = x[d] + radius * way[d] / length;
            sp_keep_in_room(room, solids->dim, place);
            if (sp_bodies_distance(solids, place, NULL, NULL) < room->clearance ||
                !sp_is_reachable(solids, room, x0, place))
                continue;
            memcpy(x, place, sizeof place);
            return true;
        }
    }
    return false;
}

SP_KERNEL sp_contact sp_bodies_sweep(const sp_solids *solids, const sp_clearance *room,
                                     const double x0[3], double x1[3], double v[3], double dt)
{
    double start[3] = {x0[0], x0[1], x0[2]};
    bool touched = false;
    sp_keep_in_room(room, solids->dim, x1);
    for (int slide = 0; slide < SP_SLIDES; slide++) {
        sp_hit found = sp_first_hit(solids, start, x1, room->clearance, slide > 0);
        if (found.solid < 0)
            break;
        touched = true;
        /* the way that is left, without what goes into the solid */
        double rest[3];
        for (int d = 0; d < 3; d++)
            rest[d] = x1[d] - found.point[d];
        double into = sp_dot(rest, found.normal);
        for (int d = 0; d < 3; d++) {
            start[d] = found.point[d];
            x1[d] = found.point[d] + rest[d] - (into < 0 ? into : 0) * found.normal[d];
            if (slide == SP_SLIDES - 1)
                x1[d] = start[d];
        }
        sp_keep_in_room(room, solids->dim, x1);
        sp_stop_at(&solids->items[found.solid], start, found.normal, dt, v);
    }
    double stuck[3] = {x1[0], x1[1], x1[2]};
    if (sp_push_out(solids, room, x1, v, dt, &touched)) {
        double pushed[3] = {x1[0] - stuck[0], x1[1] - stuck[1], x1[2] - stuck[2]},
               length = sqrt(sp_dot(pushed, pushed));
        if (length <= 4 * room->clearance ||
            (length <= room->reach && sp_is_reachable(solids, room, x0, x1)))
            return touched ? SP_CONTACT_HIT : SP_CONTACT_NONE;
    }
    sp_keep_in_room(room, solids->dim, start);
    if (sp_bodies_distance(solids, start, NULL, NULL) >= 0.5 * room->clearance) {
        memcpy(x1, start, sizeof start);
        return SP_CONTACT_HIT;
    }
    memcpy(x1, stuck, sizeof stuck);
    return sp_find_place(solids, room, x0, x1) ? SP_CONTACT_HIT : SP_CONTACT_CRUSHED;
}

#endif
