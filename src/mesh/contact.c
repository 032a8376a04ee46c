/* contact.c -- where the liquid touches a solid, its surface lies on the solid.
 *
 * Particles end a fraction of a cell before a solid, and the surface of field.c with them: a gap
 * that shows in every picture. With d the distance to the nearest solid (exact shapes), g its
 * gradient and n the normal of the surface, a vertex moves by
 *
 *     x -= a d g,    a = facing(-n . g) * near(d),
 *
 * where `facing` is 1 for a vertex that looks at the solid and 0 for one of the free surface, and
 * `near` is 1 up to half a cell and falls to 0 at a whole one, so that nothing jumps. A vertex
 * inside a solid comes out whichever way it looks. What was put on a solid stays there while the
 * rest is smoothed and its volume corrected; what these move into a solid comes out at the end.
 * Only vertices move: the surface stays closed and manifold. */
#include "surface.h"

#include "base/status.h"
#include "scene/sides.h"

#include <math.h>
#include <string.h>

#define FACING_LEAST 0.2 /* -n . g */
#define FACING_ALL 0.6
#define HOLDS 0.5 /* of `a`: from here on a vertex belongs to the solid */
#define ROUNDS 3  /* of moving out of solids, for corners between two */

/* Walls that stand between the nodes at whole cells (scene/sides.h). */
static spate_status add_sides(X(surface) *s, spate_error *error)
{
    const spate_surface_options *o = s->options;
    spate_shape wall;
    for (int d = 0; d < DIM && o->domain[0] > 0; d++)
        if (sp_side_wall(o->domain, DIM, d, o->cell_size, &wall))
            TRY(sp_solids_add(&s->solids, &wall, 0, NULL, error));
    return SPATE_OK;
}

spate_status X(surface_solids)(X(surface) *s, spate_error *error)
{
    const spate_scene *scene = s->options->scene;
    s->solids.dim = DIM;
    if (s->given) {
        for (int k = 0; k < s->given->count; k++) {
            const sp_solid *solid = &s->given->items[k];
            int copy;
            if (!solid->live || solid->generation == SP_SIDE)
                continue;
            TRY(sp_solids_add(&s->solids, &solid->source, 0, &copy, error));
            s->solids.items[copy].from = s->solids.items[copy].to = solid->to;
        }
        sp_solids_refresh(&s->solids);
        return add_sides(s, error);
    }
    for (int k = 0; scene && k < scene->solids.count; k++)
        TRY(sp_solids_add(&s->solids, &scene->solids.items[k], 0, NULL, error));
    TRY(add_sides(s, error));
    sp_solids_advance(&s->solids, s->options->time, 0);
    return SPATE_OK;
}

/* Distance (m) and gradient of the nearest solid closer than `reach`, or `reach`. */
static double nearest_solid(const sp_solids *solids, const double x[3], double reach,
                            double gradient[3])
{
    for (int k = 0; k < solids->count; k++) {
        const sp_solid *solid = &solids->items[k];
        bool far = false;
        FOR_DIM(d)
            far = far || x[d] < solid->low[d] - reach || x[d] > solid->high[d] + reach;
        if (far)
            continue;
        double normal[3], distance = sp_solid_distance(solid, x, normal);
        if (!(distance < reach))
            continue;
        reach = distance;
        FOR_DIM(d)
            gradient[d] = normal[d];
    }
    return reach;
}

/* The way to a solid at 1 m along its gradient: what lies on a wall goes along the wall. Returns
 * its length squared, 0 if the wall does not lead there. */
static double way_to(unsigned wall, const double gradient[3], double way[DIM])
{
    double square = 0;
    FOR_DIM(d)
        square += wall >> (2 * d) & 3 ? 0 : gradient[d] * gradient[d];
    FOR_DIM(d)
        way[d] = square > 0.1 && !(wall >> (2 * d) & 3) ? gradient[d] / square : 0;
    return square > 0.1 ? 1 / square : 0;
}

static void read_vertex(const X(surface) *s, size_t vertex, double x[3])
{
    for (int d = 0; d < 3; d++)
        x[d] = (double)s->mesh->positions[3 * vertex + (size_t)d];
}

static void write_place(float *to, size_t vertex, const double x[3])
{
    for (int d = 0; d < 3; d++)
        to[3 * vertex + (size_t)d] = (float)x[d];
}

static double clamp_share(double t)
{
    return t < 0 ? 0 : t < 1 ? t : 1;
}

/* How much of the way to a solid a vertex goes. */
static double share_of_way(const X(surface) *s, size_t vertex, double distance, double long_way,
                           const double gradient[3])
{
    float area[3];
    double cosine = 0, square = 0;
    if (distance < s->gap)
        return 1;
    X(surface_ring_area)(s, s->mesh->positions, vertex, area);
    FOR_DIM(d) {
        cosine -= (double)area[d] * gradient[d];
        square += (double)area[d] * (double)area[d];
    }
    cosine = square > 0 ? cosine / sqrt(square) : 0;
    return clamp_share((cosine - FACING_LEAST) / (FACING_ALL - FACING_LEAST)) *
           clamp_share(2 - 2 * long_way * distance / s->options->cell_size);
}

/* Into `normals`, which is not yet in use: others still look at the places as they were. */
static void meet_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(surface) *s = user;
    double dx = s->options->cell_size;
    for (size_t k = begin; k < end; k++) {
        double x[3], gradient[3] = {0, 0, 0};
        read_vertex(s, k, x);
        double distance = nearest_solid(&s->solids, x, dx, gradient);
        if (distance < dx) {
            double way[DIM], long_way = sqrt(way_to(s->wall[k], gradient, way));
            double part = share_of_way(s, k, distance, long_way, gradient);
            FOR_DIM(d)
                x[d] -= part * (distance - s->gap) * way[d];
            s->wall[k] |= part > HOLDS && long_way > 0 ? VERTEX_SOLID : 0;
        }
        write_place(s->mesh->normals, k, x);
    }
}

static void leave_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(surface) *s = user;
    for (size_t k = begin; k < end; k++) {
        double x[3], gradient[3] = {0, 0, 0};
        read_vertex(s, k, x);
        for (int round = 0; round < ROUNDS; round++) {
            double distance = nearest_solid(&s->solids, x, s->gap, gradient);
            if (!(distance < s->gap))
                break;
            double way[DIM];
            way_to(s->wall[k], gradient, way);
            FOR_DIM(d)
                x[d] += (s->gap - distance) * way[d];
        }
        write_place(s->mesh->positions, k, x);
    }
}

void X(surface_meet)(X(surface) *s)
{
    spate_surface *mesh = s->mesh;
    if (s->solids.count == 0)
        return;
    sp_parallel_for(s->pool, mesh->vertices, 1024, meet_range, s);
    memcpy(mesh->positions, mesh->normals, 3 * mesh->vertices * sizeof *mesh->positions);
}

void X(surface_leave_solids)(X(surface) *s)
{
    if (s->solids.count > 0)
        sp_parallel_for(s->pool, s->mesh->vertices, 1024, leave_range, s);
}
