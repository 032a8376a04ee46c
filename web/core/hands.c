/* hands.c -- what a visitor's hand does to the water. */
#include "web.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

EMSCRIPTEN_KEEPALIVE void web_stir(double x, double y, double z, double radius, double vx,
                                   double vy, double vz)
{
    spate_sim_add_impulse(web_sim, (double[3]){x, y, z}, radius, (double[3]){vx, vy, vz},
                          &web_error);
}

/* New particles go to the middles of empty sub-cells (cells cut into particles_per_axis parts, as
 * when a scene is filled), so that pouring into water that is there adds nothing to it. */
typedef struct lattice {
    double spacing; /* m */
    int low[3], size[3];
    size_t places;
} lattice;

static lattice lattice_around(const double center[3], double radius)
{
    int dim = spate_sim_dim(web_sim);
    const spate_scene *scene = spate_sim_scene(web_sim);
    lattice l = {.spacing = web_cell_size() / scene->fluid.particles_per_axis,
                 .size = {1, 1, 1},
                 .places = 1};
    for (int d = 0; d < dim; d++) {
        l.low[d] = (int)floor((center[d] - radius) / l.spacing);
        l.size[d] = (int)ceil((center[d] + radius) / l.spacing) - l.low[d] + 1;
        l.places *= (size_t)l.size[d];
    }
    return l;
}

static void mark_occupied(const lattice *l, uint8_t *occupied)
{
    spate_particles_view view;
    spate_sim_particles_view(web_sim, "fluid", &view);
    double scale = view.scale / l->spacing;
    for (size_t k = 0; k < view.count; k++) {
        size_t at = 0, stride = 1;
        bool inside = true;
        for (int d = 0; d < 3 && view.x[d]; d++) {
            int place = (int)floor((double)view.x[d][k] * scale) - l->low[d];
            inside = inside && place >= 0 && place < l->size[d];
            at += inside ? stride * (size_t)place : 0;
            stride *= (size_t)l->size[d];
        }
        if (inside)
            occupied[at] = 1;
    }
}

EMSCRIPTEN_KEEPALIVE int web_pour(double x, double y, double z, double radius, double vx, double vy,
                                  double vz)
{
    const double center[3] = {x, y, z};
    int dim = spate_sim_dim(web_sim);
    lattice l = lattice_around(center, radius);
    uint8_t *occupied = sp_alloc(l.places, 1);
    float *positions = sp_alloc(6 * l.places, sizeof *positions);
    size_t count = 0, added = 0;
    if (!occupied || !positions) {
        sp_free(occupied);
        sp_free(positions);
        return 0;
    }
    mark_occupied(&l, occupied);
    float *velocities = positions + 3 * l.places;
    for (size_t k = 0; k < l.places; k++) {
        int place[3] = {(int)k % l.size[0], (int)k / l.size[0] % l.size[1],
                        (int)k / (l.size[0] * l.size[1])};
        double square = 0;
        for (int d = 0; d < dim; d++) {
            double at = (l.low[d] + place[d] + 0.5) * l.spacing;
            square += (at - center[d]) * (at - center[d]);
            positions[3 * count + (size_t)d] = (float)at;
        }
        if (occupied[k] || square > radius * radius)
            continue;
        const float velocity[3] = {(float)vx, (float)vy, (float)vz};
        memcpy(velocities + 3 * count++, velocity, sizeof velocity);
    }
    spate_status status =
        spate_sim_add_particles(web_sim, positions, velocities, count, &added, &web_error);
    sp_free(occupied);
    sp_free(positions);
    return status == SPATE_OK ? (int)added : 0;
}

static spate_shape ball(double x, double y, double z, double radius)
{
    spate_shape shape;
    spate_shape_default(&shape);
    shape.shape = SPATE_SHAPE_SPHERE;
    memcpy(shape.center, (double[3]){x, y, z}, sizeof shape.center);
    shape.radius = radius;
    return shape;
}

EMSCRIPTEN_KEEPALIVE int web_erase(double x, double y, double z, double radius)
{
    spate_shape shape = ball(x, y, z, radius);
    size_t removed = 0;
    spate_sim_remove_particles(web_sim, &shape, &removed, &web_error);
    return (int)removed;
}

/* JavaScript knows a solid by one number: index + 1000 (generation - 1), -1 for none. */
#define SOLIDS 1000

static int number_of(spate_solid_id id)
{
    return id.generation == 0 ? -1 : (int)(id.index + SOLIDS * (id.generation - 1));
}

static spate_solid_id id_of(int number)
{
    if (number < 0)
        return (spate_solid_id){0, 0};
    return (spate_solid_id){(uint32_t)number % SOLIDS, (uint32_t)number / SOLIDS + 1};
}

static int add(const spate_shape *shape)
{
    spate_solid_id id;
    spate_sim_add_solid(web_sim, shape, &id, &web_error);
    return number_of(id);
}

EMSCRIPTEN_KEEPALIVE int web_add_ball(double x, double y, double z, double radius)
{
    spate_shape shape = ball(x, y, z, radius);
    return add(&shape);
}

EMSCRIPTEN_KEEPALIVE int web_add_bar(double ax, double ay, double bx, double by, double radius)
{
    spate_shape shape;
    spate_shape_default(&shape);
    shape.shape = SPATE_SHAPE_CAPSULE;
    memcpy(shape.from, (double[3]){ax, ay, 0}, sizeof shape.from);
    memcpy(shape.to, (double[3]){bx, by, 0}, sizeof shape.to);
    shape.radius = radius;
    return add(&shape);
}

EMSCRIPTEN_KEEPALIVE spate_status web_move_solid(int id, double x, double y, double z)
{
    return spate_sim_move_solid(web_sim, id_of(id), (double[3]){x, y, z}, (double[3]){0, 0, 0},
                                &web_error);
}

EMSCRIPTEN_KEEPALIVE spate_status web_remove_solid(int id)
{
    return spate_sim_remove_solid(web_sim, id_of(id), &web_error);
}

EMSCRIPTEN_KEEPALIVE int web_find_solid(double x, double y, double z, double reach)
{
    spate_solid_id id;
    double distance = spate_sim_solid_distance(web_sim, (double[3]){x, y, z}, &id);
    return distance <= reach ? number_of(id) : -1;
}

EMSCRIPTEN_KEEPALIVE void web_gravity(double x, double y, double z)
{
    spate_sim_set_gravity(web_sim, (double[3]){x, y, z}, &web_error);
}
