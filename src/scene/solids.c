/* solids.c -- moving rigid solids and collisions of points with them.
 *
 * Collision. Seen from the solid, a point goes from a = from^-1 x0 to b = to^-1 x1. Along that line
 * we march by the signed distance, which is a step that cannot jump over anything, so no wall is
 * too thin and no solid too fast. (A convex solid lies behind the plane through its nearest point,
 * so there the step goes on to that plane.) At the contact the rest of the way loses its part along
 * the normal, and the march goes on from there, now with all solids at `to`.
 *
 * What rounding, corners and closing gaps leave inside a solid is pushed out along the normal; if
 * that fails, the nearest free place on a fixed pattern of points is taken. Neither may be farther
 * than the reach, nor lie behind another solid. If there is no such place, the point is crushed. */
#include "solids.h"

#include "base/memory.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define MARCH_STEPS 4000
#define GRAZING                                                                      \
    1e-6 /* share of the way that goes into the surface, below which it slides along \
          */
#define SLIDES 4
#define PUSHES 16

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

spate_status sp_solids_add(sp_solids *solids, const spate_shape *shape, double time, int *id,
                           spate_error *error)
{
    if (solids->count == solids->capacity) {
        int capacity = solids->capacity ? 2 * solids->capacity : 8;
        sp_solid *items = sp_grow(solids->items, (size_t)solids->count * sizeof *items,
                                  (size_t)capacity, sizeof *items);
        if (!items)
            return sp_fail_memory(error, "solids", 0);
        solids->items = items;
        solids->capacity = capacity;
    }
    sp_solid *solid = &solids->items[solids->count];
    memset(solid, 0, sizeof *solid);
    solid->source = *shape;
    solid->source.motion = NULL;
    if (shape->motion_count > 0) {
        size_t count = (size_t)shape->motion_count;
        solid->source.motion = sp_alloc(count, sizeof *shape->motion);
        if (!solid->source.motion)
            return sp_fail_memory(error, "the motion of a solid", 0);
        memcpy(solid->source.motion, shape->motion, count * sizeof *shape->motion);
    }
    if (solid->source.mesh)
        spate_mesh_retain(solid->source.mesh);
    sp_shape_prepare(&solid->form, &solid->source, solids->dim);
    solid->live = true;
    solid->id = solids->next_id++;
    solid->born = time;
    solid->from = solid->to = sp_shape_pose(&solid->form, 0);
    solids->count++;
    if (id)
        *id = solid->id;
    sp_solids_refresh(solids);
    return SPATE_OK;
}

void sp_solids_clear(sp_solids *solids)
{
    for (int k = 0; k < solids->count; k++) {
        sp_free(solids->items[k].source.motion);
        spate_mesh_destroy(solids->items[k].source.mesh);
    }
    sp_free(solids->items);
    memset(solids, 0, sizeof *solids);
}

sp_solid *sp_solids_find(sp_solids *solids, int id)
{
    for (int k = 0; k < solids->count; k++)
        if (solids->items[k].id == id && solids->items[k].live)
            return &solids->items[k];
    return NULL;
}

/* Bounds of the solid in the world over the step, and how far its points may move. */
static void update_bounds(sp_solid *solid)
{
    double low[3], high[3];
    sp_shape_bounds(&solid->form, low, high);
    solid->travel = 0;
    for (int d = 0; d < 3; d++) {
        solid->low[d] = HUGE_VAL;
        solid->high[d] = -HUGE_VAL;
    }
    bool endless = false;
    for (int d = 0; d < solid->form.dim; d++)
        endless = endless || !(low[d] > -1e300 && high[d] < 1e300);
    for (int corner = 0; corner < 8 && !endless; corner++) {
        double local[3], a[3], b[3], way[3];
        for (int d = 0; d < 3; d++)
            local[d] = d >= solid->form.dim ? 0 : (corner >> d) & 1 ? high[d] : low[d];
        sp_pose_to_world(&solid->from, local, a);
        sp_pose_to_world(&solid->to, local, b);
        for (int d = 0; d < 3; d++) {
            way[d] = b[d] - a[d];
            solid->low[d] = fmin(solid->low[d], fmin(a[d], b[d]));
            solid->high[d] = fmax(solid->high[d], fmax(a[d], b[d]));
        }
        solid->travel = fmax(solid->travel, sqrt(dot(way, way)));
    }
    for (int d = 0; d < 3 && endless; d++) {
        /* a half space: what counts is how far it shifts; its turning is left to the sweep */
        double shift = solid->to.origin[d] - solid->from.origin[d];
        solid->low[d] = -HUGE_VAL;
        solid->high[d] = HUGE_VAL;
        solid->travel += fabs(shift);
    }
}

/* Where a solid goes until `time`. */
static sp_pose next_pose(const sp_solid *solid, double time)
{
    if (solid->driven)
        return sp_shape_pose_at(&solid->form, solid->host_position, solid->host_rotation);
    return sp_shape_moves(&solid->form) ? sp_shape_pose(&solid->form, time - solid->born)
                                        : solid->to;
}

void sp_solids_refresh(sp_solids *solids)
{
    solids->live = 0;
    solids->travel = 0;
    solids->any_moving = solids->any_friction = false;
    for (int k = 0; k < solids->count; k++) {
        sp_solid *solid = &solids->items[k];
        if (!solid->live)
            continue;
        solid->moving = memcmp(&solid->from, &solid->to, sizeof solid->to) != 0;
        update_bounds(solid);
        solids->live++;
        solids->travel = fmax(solids->travel, solid->travel);
        solids->any_moving = solids->any_moving || solid->moving;
        solids->any_friction = solids->any_friction || solid->form.friction > 0;
    }
}

void sp_solids_advance(sp_solids *solids, double time, double dt)
{
    for (int k = 0; k < solids->count; k++) {
        sp_solid *solid = &solids->items[k];
        solid->from = solid->to;
        solid->to = next_pose(solid, time + dt);
    }
    sp_solids_refresh(solids);
}

void sp_solids_rewind(sp_solids *solids)
{
    for (int k = 0; k < solids->count; k++)
        solids->items[k].to = solids->items[k].from;
    sp_solids_refresh(solids);
}

void sp_solids_hold(sp_solids *solids)
{
    for (int k = 0; k < solids->count; k++) {
        solids->items[k].ahead = solids->items[k].to;
        solids->items[k].to = solids->items[k].from;
    }
    sp_solids_refresh(solids);
}

void sp_solids_release(sp_solids *solids)
{
    for (int k = 0; k < solids->count; k++)
        solids->items[k].to = solids->items[k].ahead;
    sp_solids_refresh(solids);
}

double sp_solids_speed(const sp_solids *solids, double time, double dt)
{
    double fastest = 0;
    for (int k = 0; k < solids->count && dt > 0; k++) {
        sp_solid solid = solids->items[k];
        if (!solid.live || (!solid.driven && !sp_shape_moves(&solid.form)))
            continue;
        solid.from = solid.to;
        solid.to = next_pose(&solid, time + dt);
        update_bounds(&solid);
        fastest = fmax(fastest, solid.travel / dt);
    }
    return fastest;
}

double sp_solid_distance(const sp_solid *solid, const double x[3], double normal[3])
{
    double local[3], local_normal[3];
    sp_pose_to_local(&solid->to, x, local);
    double distance = sp_shape_distance(&solid->form, local, normal ? local_normal : NULL);
    if (normal)
        sp_pose_rotate_to_world(&solid->to, local_normal, normal);
    return distance;
}

/* A lower bound of the distance from the bounds alone. */
static double bounds_distance(const sp_solid *solid, const double x[3])
{
    double sum = 0;
    for (int d = 0; d < solid->form.dim; d++) {
        double gap = fmax(solid->low[d] - x[d], x[d] - solid->high[d]);
        sum += gap > 0 ? gap * gap : 0;
    }
    return sqrt(sum);
}

double sp_solids_distance(const sp_solids *solids, const double x[3], double normal[3], int *index)
{
    double nearest = HUGE_VAL;
    int which = -1;
    for (int k = 0; k < solids->count; k++) {
        const sp_solid *solid = &solids->items[k];
        if (!solid->live || bounds_distance(solid, x) > nearest)
            continue;
        double distance = sp_solid_distance(solid, x, NULL);
        if (distance < nearest) {
            nearest = distance;
            which = k;
        }
    }
    if (index)
        *index = which;
    if (normal && which >= 0)
        sp_solid_distance(&solids->items[which], x, normal);
    return nearest;
}

void sp_solid_velocity(const sp_solid *solid, const double x[3], double dt, double v[3])
{
    v[0] = v[1] = v[2] = 0;
    if (!solid->moving || !(dt > 0))
        return;
    double local[3], before[3];
    sp_pose_to_local(&solid->to, x, local);
    sp_pose_to_world(&solid->from, local, before);
    for (int d = 0; d < 3; d++)
        v[d] = (x[d] - before[d]) / dt;
}

typedef struct hit {
    int solid;       /* index, -1: none */
    double share;    /* of the way, 0 .. 1 */
    double point[3]; /* world, at `to` */
    double normal[3];
} hit;

/* How far a point may go on safely, at `distance` from the solid, with the share `approach` of its
 * way going into it. */
static double safe_step(const sp_solid *solid, double distance, double approach, double clearance)
{
    bool convex = solid->form.kind != SPATE_SHAPE_MESH && !solid->form.invert;
    if (convex)
        return approach > GRAZING ? (distance - 0.5 * clearance) / approach : HUGE_VAL;
    if (approach <= GRAZING && distance < 20 * clearance)
        return 100 * clearance; /* along a surface, or away from it */
    return fmax(distance - 0.5 * clearance, 0.5 * clearance);
}

/* Marches from a to b in the frame of the solid; whether it meets it, and where. */
static bool march(const sp_solid *solid, const double a[3], const double b[3], double clearance,
                  hit *found)
{
    double way[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, normal[3], point[3];
    double length = sqrt(dot(way, way)), share = 0;
    if (!(length > 0))
        return false;
    for (int step = 0; step < MARCH_STEPS && share < 1 && share < found->share; step++) {
        for (int d = 0; d < 3; d++)
            point[d] = a[d] + share * way[d];
        double distance = sp_shape_distance(&solid->form, point, normal),
               approach = -dot(way, normal) / length;
        bool last = step == MARCH_STEPS - 1; /* never on through the unknown */
        if (last || (distance < clearance && approach > GRAZING)) {
            found->share = share;
            sp_pose_to_world(&solid->to, point, found->point);
            sp_pose_rotate_to_world(&solid->to, normal, found->normal);
            return true;
        }
        share += safe_step(solid, distance, approach, clearance) / length;
    }
    return false;
}

static hit first_hit(const sp_solids *solids, const double x0[3], const double x1[3],
                     double clearance, bool settled)
{
    hit found = {.solid = -1, .share = 2};
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
        sp_pose_to_local(settled ? &solid->to : &solid->from, x0, a);
        sp_pose_to_local(&solid->to, x1, b);
        if (march(solid, a, b, clearance, &found))
            found.solid = k;
    }
    return found;
}

/* Takes the part of v that approaches the surface out of it. */
static void stop_at(const sp_solid *solid, const double x[3], const double normal[3], double dt,
                    double v[3])
{
    double moving[3];
    sp_solid_velocity(solid, x, dt, moving);
    double relative[3] = {v[0] - moving[0], v[1] - moving[1], v[2] - moving[2]};
    double approach = dot(relative, normal);
    for (int d = 0; d < 3 && approach < 0; d++)
        v[d] -= approach * normal[d];
}

static void keep_in_room(const sp_room *room, int dim, double x[3])
{
    for (int d = 0; d < dim; d++)
        x[d] = x[d] < room->low[d] ? room->low[d] : x[d] > room->high[d] ? room->high[d] : x[d];
}

/* Pushes x out of whatever it is in; whether it is free at the end. */
static bool push_out(const sp_solids *solids, const sp_room *room, double x[3], double v[3],
                     double dt, bool *pushed)
{
    for (int push = 0; push < PUSHES; push++) {
        double normal[3];
        int index;
        keep_in_room(room, solids->dim, x);
        double distance = sp_solids_distance(solids, x, normal, &index);
        if (distance >= 0.5 * room->clearance)
            return true;
        *pushed = true;
        stop_at(&solids->items[index], x, normal, dt, v);
        for (int d = 0; d < solids->dim; d++)
            x[d] += normal[d] * (room->clearance - distance);
    }
    return false;
}

/* Whether the straight way from x, where the point was, to `place` passes no solid but those that
 * have come over x. */
static bool is_reachable(const sp_solids *solids, const sp_room *room, const double x[3],
                         const double place[3])
{
    for (int k = 0; k < solids->count; k++) {
        const sp_solid *solid = &solids->items[k];
        double a[3], b[3];
        hit found = {.share = 2};
        sp_pose_to_local(&solid->to, x, a);
        sp_pose_to_local(&solid->to, place, b);
        if (solid->live && sp_shape_distance(&solid->form, a, NULL) > 0 &&
            march(solid, a, b, 0.1 * room->clearance, &found))
            return false;
    }
    return true;
}

/* The first free place on shells around x, within reach, for a point that comes from x0. */
static bool find_place(const sp_solids *solids, const sp_room *room, const double x0[3],
                       double x[3])
{
    enum { SHELLS = 12 };
    for (int shell = 1; shell <= SHELLS; shell++) {
        double radius = room->reach * shell / SHELLS;
        for (int direction = 0; direction < (solids->dim == 3 ? 27 : 9); direction++) {
            double way[3] = {direction % 3 - 1, direction / 3 % 3 - 1,
                             solids->dim == 3 ? direction / 9 - 1 : 0};
            double length = sqrt(dot(way, way)), place[3];
            if (length == 0)
                continue;
            for (int d = 0; d < 3; d++)
                place[d] = x[d] + radius * way[d] / length;
            keep_in_room(room, solids->dim, place);
            if (sp_solids_distance(solids, place, NULL, NULL) < room->clearance ||
                !is_reachable(solids, room, x0, place))
                continue;
            memcpy(x, place, sizeof place);
            return true;
        }
    }
    return false;
}

sp_contact sp_solids_sweep(const sp_solids *solids, const sp_room *room, const double x0[3],
                           double x1[3], double v[3], double dt)
{
    double start[3] = {x0[0], x0[1], x0[2]};
    bool touched = false;
    keep_in_room(room, solids->dim, x1);
    for (int slide = 0; slide < SLIDES; slide++) {
        hit found = first_hit(solids, start, x1, room->clearance, slide > 0);
        if (found.solid < 0)
            break;
        touched = true;
        /* the way that is left, without what goes into the solid */
        double rest[3];
        for (int d = 0; d < 3; d++)
            rest[d] = x1[d] - found.point[d];
        double into = dot(rest, found.normal);
        for (int d = 0; d < 3; d++) {
            start[d] = found.point[d];
            x1[d] = found.point[d] + rest[d] - (into < 0 ? into : 0) * found.normal[d];
            if (slide == SLIDES - 1)
                x1[d] = start[d];
        }
        keep_in_room(room, solids->dim, x1);
        stop_at(&solids->items[found.solid], start, found.normal, dt, v);
    }
    double stuck[3] = {x1[0], x1[1], x1[2]};
    if (push_out(solids, room, x1, v, dt, &touched)) {
        double pushed[3] = {x1[0] - stuck[0], x1[1] - stuck[1], x1[2] - stuck[2]},
               length = sqrt(dot(pushed, pushed));
        if (length <= 4 * room->clearance ||
            (length <= room->reach && is_reachable(solids, room, x0, x1)))
            return touched ? SP_CONTACT_HIT : SP_CONTACT_NONE;
    }
    keep_in_room(room, solids->dim, start);
    if (sp_solids_distance(solids, start, NULL, NULL) >= 0.5 * room->clearance) {
        memcpy(x1, start, sizeof start);
        return SP_CONTACT_HIT;
    }
    memcpy(x1, stuck, sizeof stuck);
    return find_place(solids, room, x0, x1) ? SP_CONTACT_HIT : SP_CONTACT_CRUSHED;
}
