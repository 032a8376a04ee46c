/* 02_floating_ball.c -- a ball (2D: a disc) half as heavy as water falls into a tank and floats.
 * In every step the program reads force and torque of the water and moves the ball.
 *
 *     cc 02_floating_ball.c $(pkg-config --cflags --libs spate) -o float && ./float */
#include <spate/spate.h>
#include <stdio.h>

#define PI 3.14159265358979
static const double radius = 0.12, density = 500, width = 1.2, depth = 0.4; /* m, kg/m^3 */

static spate_sim *make_tank(spate_error *error)
{
    spate_scene *scene = spate_scene_create();
    spate_shape *water = scene ? spate_scene_add_shape(scene, SPATE_LIST_FILL) : NULL;
    spate_sim *sim = NULL;
    if (water) {
        scene->dim = 2, scene->domain.cells = 72;
        scene->domain.size[0] = width, scene->domain.size[1] = 0.8;
        scene->fluid.flip_ratio = 0.9; /* waves calm down sooner than with the default */
        water->min[0] = water->min[1] = 0;
        water->max[0] = width, water->max[1] = depth;
        sim = spate_sim_create(scene, NULL, error);
    }
    spate_scene_destroy(scene);
    return sim;
}

typedef struct body { /* the ball as the program knows it: m, m/s, m/s^2; about z: rad, rad/s */
    double x[3], v[3], a[3], angle, spin;
} body;

/* One step of Newton's law. Water that is pushed aside adds to the mass of a light body; a force
 * taken before the step does not know of that, and body and water would shake each other apart. So
 * half the mass that the body can displace, m', is put on both sides, on the right with the last
 * acceleration: (m + m') a = F + m g + m' a_last. It is stable, and at rest changes nothing. */
static void move(body *b, const double force[3], double torque, double dt)
{
    double area = PI * radius * radius, mass = density * area, added = 500 * area;
    for (int d = 0; d < 2; d++) {
        double weight = d == 1 ? -9.81 * mass : 0;
        b->a[d] = (force[d] + weight + added * b->a[d]) / (mass + added);
        b->v[d] += dt * b->a[d];
        b->x[d] += dt * b->v[d];
    }
    b->spin += dt * torque / (0.5 * mass * radius * radius);
    b->angle += dt * b->spin;
}

int main(void)
{
    spate_error error = {SPATE_ERROR_MEMORY, "", "out of memory"};
    spate_sim *sim = make_tank(&error);
    spate_shape ball;
    spate_shape_default(&ball);
    body b = {.x = {0.6, 0.5, 0}};
    ball.shape = SPATE_SHAPE_SPHERE, ball.radius = radius;
    ball.center[0] = b.x[0], ball.center[1] = b.x[1];
    spate_solid_id id; /* a solid that comes at run time, moved by this program */
    spate_status status = sim ? spate_sim_add_solid(sim, &ball, &id, &error) : error.status;
    const double dt = 1.0 / 240, level = depth + 0.5 * PI * radius * radius / width;
    double mean = 0;
    for (int step = 0; step < 8 * 240 && status == SPATE_OK; step++) {
        double force[3], torque[3];
        if (step % 120 == 0)
            printf("%4.1f s: centre at %.3f m, %6.2f degrees\n", step * dt, b.x[1], 57.3 * b.angle);
        spate_sim_solid_force(sim, id, b.x, force, torque, &error);
        move(&b, force, torque[2], dt);
        double way[3] = {b.x[0] - ball.center[0], b.x[1] - ball.center[1], 0};
        double turn[3] = {0, 0, 57.2958 * b.angle};
        status = spate_sim_move_solid(sim, id, way, turn, &error); /* by the end of the step */
        if (status == SPATE_OK)
            status = spate_sim_step(sim, dt, &error);
        mean += step >= 6 * 240 ? b.x[1] / (2 * 240) : 0;
    }
    if (status != SPATE_OK)
        fprintf(stderr, "02_floating_ball: %s: %s\n", error.where, error.message);
    printf("it floats with its centre at %.3f m; at %.3f m half is in water\n", mean, level);
    spate_sim_destroy(sim);
    return status == SPATE_OK ? 0 : 1;
}
