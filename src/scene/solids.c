/* solids.c -- moving rigid solids. What they do to points stands in kernels/collide.h. */
#include "solids.h"

#include "base/memory.h"
#include "base/status.h"
#include "kernels/collide.h"

#include <math.h>
#include <string.h>

/* The first index without a solid, with room made for it; -1 without memory. */
static int free_index(sp_solids *solids)
{
    for (int k = 0; k < solids->count; k++)
        if (!solids->items[k].live)
            return k;
    if (solids->count < solids->capacity)
        return solids->count;
    int capacity = solids->capacity ? 2 * solids->capacity : 8;
    sp_solid *items = sp_grow(solids->items, (size_t)solids->count * sizeof *items,
                              (size_t)capacity, sizeof *items);
    if (!items)
        return -1;
    solids->items = items;
    solids->capacity = capacity;
    return solids->count;
}

static void drop_source(sp_solid *solid)
{
    sp_free(solid->source.motion);
    spate_mesh_destroy(solid->source.mesh);
}

spate_status sp_solids_add(sp_solids *solids, const spate_shape *shape, double time, int *index,
                           spate_error *error)
{
    int place = free_index(solids);
    spate_keyframe *motion = NULL;
    if (place < 0)
        return sp_fail_memory(error, "solids", 0);
    if (shape->motion_count > 0) {
        size_t count = (size_t)shape->motion_count;
        motion = sp_alloc(count, sizeof *motion);
        if (!motion)
            return sp_fail_memory(error, "the motion of a solid", 0);
        memcpy(motion, shape->motion, count * sizeof *motion);
    }
    sp_solid *solid = &solids->items[place];
    uint32_t generation = 1;
    if (place < solids->count) { /* one that was removed */
        generation = solid->generation + 1;
        drop_source(solid);
    } else {
        solids->count++;
    }
    memset(solid, 0, sizeof *solid);
    solid->generation = generation;
    solid->source = *shape;
    solid->source.motion = motion;
    if (solid->source.mesh)
        spate_mesh_retain(solid->source.mesh);
    sp_shape_prepare(&solid->form, &solid->source, solids->dim);
    solid->live = true;
    solid->born = time;
    solid->from = solid->to = sp_shape_pose(&solid->form, 0);
    if (index)
        *index = place;
    sp_solids_refresh(solids);
    return SPATE_OK;
}

void sp_solids_clear(sp_solids *solids)
{
    for (int k = 0; k < solids->count; k++)
        drop_source(&solids->items[k]);
    sp_free(solids->items);
    memset(solids, 0, sizeof *solids);
}

sp_solid *sp_solids_find(const sp_solids *solids, spate_solid_id id)
{
    if (id.index >= (uint32_t)solids->count)
        return NULL;
    sp_solid *solid = &solids->items[id.index];
    return solid->live && id.generation != SP_SIDE && solid->generation == id.generation ? solid
                                                                                         : NULL;
}

spate_solid_id sp_solids_id(const sp_solids *solids, int index)
{
    bool there = index >= 0 && index < solids->count && solids->items[index].live &&
                 solids->items[index].generation != SP_SIDE;
    return there ? (spate_solid_id){(uint32_t)index, solids->items[index].generation}
                 : (spate_solid_id){0, 0};
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
        solid->travel = fmax(solid->travel, sqrt(sp_dot(way, way)));
    }
    for (int d = 0; d < 3 && endless; d++) {
        /* a half space: what counts is how far it shifts; its turning is left to the sweep */
        double shift = solid->to.origin[d] - solid->from.origin[d];
        solid->low[d] = -HUGE_VAL;
        solid->high[d] = HUGE_VAL;
        solid->travel += fabs(shift);
    }
}

/* The longest way through the domain along a direction. */
static double way_through(const sp_solids *solids, const double axes[9], int axis)
{
    double way = HUGE_VAL;
    for (int d = 0; d < solids->dim; d++)
        way = fmin(way, solids->domain[d] / fabs(axes[3 * d + axis]));
    return way;
}

#define THROUGH 0.9 /* of the way through the domain: as good as all of it */

static void update_extent(const sp_solids *solids, sp_solid *solid)
{
    double low[3], high[3], first = 0, second = 0;
    sp_shape_bounds(&solid->form, low, high);
    for (int a = 0; a < solids->dim; a++) {
        double side = high[a] - low[a];
        if (side >= THROUGH * way_through(solids, solid->to.axes, a))
            side = HUGE_VAL;
        second = fmax(second, fmin(first, side));
        first = fmax(first, side);
    }
    solid->extent = solids->dim == 2 ? first : second;
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
    solids->any_moving = solids->any_drag = false;
    for (int k = 0; k < solids->count; k++) {
        sp_solid *solid = &solids->items[k];
        if (!solid->live)
            continue;
        solid->moving = memcmp(&solid->from, &solid->to, sizeof solid->to) != 0;
        update_bounds(solid);
        update_extent(solids, solid);
        solids->live++;
        solids->travel = fmax(solids->travel, solid->travel);
        solids->any_moving = solids->any_moving || solid->moving;
        solids->any_drag = solids->any_drag || solid->form.wall != SPATE_WALL_SLIP;
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
    return sp_body_distance(solid, x, normal);
}

double sp_solids_distance(const sp_solids *solids, const double x[3], double normal[3], int *index)
{
    return sp_bodies_distance(solids, x, normal, index);
}

void sp_solid_velocity(const sp_solid *solid, const double x[3], double dt, double v[3])
{
    sp_body_velocity(solid, x, dt, v);
}

sp_contact sp_solids_sweep(const sp_solids *solids, const sp_clearance *room, const double x0[3],
                           double x1[3], double v[3], double dt)
{
    return sp_bodies_sweep(solids, room, x0, x1, v, dt);
}
