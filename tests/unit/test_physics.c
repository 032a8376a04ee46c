/* test_physics.c -- what a user of the public API sees of the physics: a stream that keeps its
 * momentum, water at rest, a drop that falls for a second in whole frames, surface ripples that are
 * not damped away. */
#include "test.h"
#include "values.h"

#include <spate/spate.h>
#include <stdlib.h>

static spate_sim *create(const spate_scene *scene)
{
    spate_error error = {.status = SPATE_OK};
    spate_sim *sim = spate_sim_create(scene, NULL, &error);
    if (!sim)
        printf("  %s: %s\n", error.where, error.message);
    CHECK(sim != NULL);
    return sim;
}

static bool step_frames(spate_sim *sim, int frames)
{
    spate_error error = {.status = SPATE_OK};
    for (int k = 0; k < frames; k++)
        if (spate_sim_step_frame(sim, &error) != SPATE_OK) {
            printf("  %s: %s\n", error.where, error.message);
            CHECK(error.status == SPATE_OK);
            return false;
        }
    return true;
}

static spate_shape *add_box(spate_scene *scene, const double low[3], const double high[3])
{
    spate_shape *box = spate_scene_add_shape(scene, SPATE_LIST_FILL);
    box->shape = SPATE_SHAPE_BOX;
    memcpy(box->min, low, sizeof box->min);
    memcpy(box->max, high, sizeof box->max);
    return box;
}

/* ---- the stream of scenes/stream_2d.json: 64 cells long, 16 deep; 1 m/s with 10 % of shear over
 * the depth */

static double stream_velocity(double y)
{
    return 1 + 0.1 * (y / 0.5 - 0.5);
}

/* One fill per layer of particles, each with its own velocity. */
static spate_scene *stream(void)
{
    spate_scene *scene = spate_scene_create();
    scene->dim = 2;
    scene->domain.size[0] = 2;
    scene->domain.size[1] = 1;
    scene->domain.cells = 64;
    scene->domain.sides[0][0] = scene->domain.sides[0][1] = SPATE_SIDE_PERIODIC;
    for (int k = 0; k < 32; k++) {
        const double low[3] = {0, k / 64.0, 0}, high[3] = {2, (k + 1) / 64.0, 0};
        add_box(scene, low, high)->velocity[0] = stream_velocity((k + 0.5) / 64);
    }
    return scene;
}

static void a_stream_keeps_its_momentum(void)
{
    spate_scene *scene = stream();
    spate_sim *sim = create(scene);
    if (sim) {
        spate_stats before = sample_stats(sim);
        CHECK_NEAR(before.momentum_x, 1000,
                   1); /* 2 m x 0.5 m x 1000 kg/m^3 x 1 m/s per metre of depth */
        double last = before.momentum_x;
        for (int second = 0; second < 2; second++) {
            step_frames(sim, 30);
            spate_stats after = sample_stats(sim);
            CHECK_NEAR(spate_sim_time(sim), second + 1, 1e-9);
            CHECK_NEAR(after.momentum_x / last, 1, 0.02);
            last = after.momentum_x;
        }
    }
    spate_sim_destroy(sim);
    spate_scene_destroy(scene);
}

/* ---- a drop that falls for 30 frames */

static spate_scene *drop(int dim)
{
    spate_scene *scene = spate_scene_create();
    scene->dim = dim;
    scene->domain.cell_size = 0.25;
    for (int d = 0; d < dim; d++)
        scene->domain.size[d] = d == 1 ? 8 : 3;
    spate_shape *ball = spate_scene_add_shape(scene, SPATE_LIST_FILL);
    ball->shape = SPATE_SHAPE_SPHERE;
    ball->radius = 0.6;
    for (int d = 0; d < dim; d++)
        ball->center[d] = d == 1 ? 6.8 : 1.53;
    scene->time.dt = 1.0 / 60;
    scene->volume.method = SPATE_VOLUME_NONE; /* every particle on its own parabola */
    return scene;
}

/* Two steps per frame; velocities are those of the middle of a step. */
static void a_drop_falls_freely(int dim)
{
    spate_scene *scene = drop(dim);
    spate_sim *sim = create(scene);
    if (sim) {
        size_t count = spate_sim_particles_count(sim, "fluid");
        float *start = malloc(3 * count * sizeof *start), *x = malloc(3 * count * sizeof *x);
        float *v = malloc(3 * count * sizeof *v), *by_id = calloc(3 * count, sizeof *by_id);
        uint32_t *id = malloc(count * sizeof *id);
        spate_sim_particles_read(sim, "fluid", start, NULL, id);
        for (size_t k = 0; k < count; k++)
            memcpy(&by_id[3 * id[k]], &start[3 * k], 3 * sizeof *start);
        step_frames(sim, 30);
        CHECK(spate_sim_steps(sim) == 60 && spate_sim_particles_count(sim, "fluid") == count &&
              count > 60);
        spate_sim_particles_read(sim, "fluid", x, v, id);
        double worst_x = 0, worst_v = 0, way = -9.81 / 2, speed = -9.81 * (1 - 0.5 / 60);
        for (size_t k = 0; k < count; k++)
            for (int d = 0; d < 3; d++) {
                worst_v = fmax(worst_v, fabs(v[3 * k + (size_t)d] - (d == 1 ? speed : 0)) / 9.81);
                worst_x = fmax(worst_x, fabs(x[3 * k + (size_t)d] - by_id[3 * id[k] + (uint32_t)d] -
                                             (d == 1 ? way : 0)));
            }
        CHECK_LESS(worst_v, 1e-5);
        CHECK_LESS(worst_x / 0.25, 1e-3);
        free(start);
        free(x);
        free(v);
        free(by_id);
        free(id);
    }
    spate_sim_destroy(sim);
    spate_scene_destroy(scene);
}

static void drop_2d(void)
{
    a_drop_falls_freely(2);
}

static void drop_3d(void)
{
    a_drop_falls_freely(3);
}

/* ---- water at rest */

/* A pool of 12 cells depth: pressure on the floor rho g h within a cell's worth, and it stays where
 * it is. */
static void water_rests(int dim)
{
    const double dx = 0.02, h = 12 * dx, low[3] = {0, 0, 0}, high[3] = {10 * dx, h, 10 * dx};
    spate_scene *scene = spate_scene_create();
    scene->dim = dim;
    scene->domain.cell_size = dx;
    for (int d = 0; d < dim; d++)
        scene->domain.size[d] = d == 1 ? 16 * dx : 10 * dx;
    add_box(scene, low, high);
    spate_sim *sim = create(scene);
    spate_field_view p;
    if (sim && step_frames(sim, 5) && spate_sim_field_view(sim, "p", &p)) {
        spate_stats stats = sample_stats(sim);
        for (int i = 0; i < p.count[0]; i++)
            CHECK_NEAR(p.values[i * p.stride[0]], 1000 * 9.81 * (h - 0.5 * dx), 1000 * 9.81 * dx);
        CHECK_LESS(stats.divergence_after, 1e-4);
        CHECK_LESS(stats.max_speed, 0.2); /* a free fall of 5 frames: 1.6 m/s */
        CHECK(!spate_sim_field_view(sim, "no such field", &p));
    }
    spate_sim_destroy(sim);
    spate_scene_destroy(scene);
}

static void rest_2d(void)
{
    water_rests(2);
}

static void rest_3d(void)
{
    water_rests(3);
}

/* ---- ripples of the velocity in the top cells of a pool */

/* Sum over the particles in the top layer of cells of v times the sign it started with. */
static double ripple(spate_sim *sim, int d, double top, const float *sign)
{
    spate_particles_view view = sample_view(sim);
    double sum = 0;
    for (size_t k = 0; k < view.count; k++)
        if (view.x[1][k] > top - 1)
            sum += view.v[d][k] * sign[view.id[k]];
    return sum;
}

/* Velocities that alternate inside each cell, so that the grid sees next to nothing of them; no
 * gravity, 5 steps too short to move anything. They must fall as 0.97^5 = 0.86; with 30 % of PIC at
 * the surface 0.17 would be left. */
static void surface_velocities_last(int dim)
{
    const double dx = 0.05, low[3] = {0, 0, 0}, high[3] = {0.5, 0.3, 0.5};
    spate_scene *scene = spate_scene_create();
    scene->dim = dim;
    scene->domain.cell_size = dx;
    scene->gravity[1] = 0;
    scene->fluid.jitter = 0;
    scene->fluid.flip_step = 0;
    for (int d = 0; d < dim; d++)
        scene->domain.size[d] = 0.5;
    add_box(scene, low, high);
    spate_sim *plain = create(scene);
    size_t count = plain ? spate_sim_particles_count(plain, "fluid") : 0;
    float *x = malloc((3 * count + 1) * sizeof *x), *v = calloc(3 * count + 1, sizeof *v),
          *sign = malloc((count + 1) * sizeof *sign);
    if (plain)
        spate_sim_particles_read(plain, "fluid", x, NULL, NULL);
    for (size_t k = 0; k < count; k++) {
        int parity = 0;
        for (int d = 0; d < dim; d++)
            parity += (int)(2 * x[3 * k + (size_t)d] / dx);
        sign[k] = parity & 1 ? 1.0f : -1.0f;
        for (int d = 0; d < dim; d++)
            v[3 * k + (size_t)d] = sign[k];
    }
    scene->fill.count = 0;
    spate_sim *sim = create(scene);
    spate_error error;
    size_t added = 0;
    if (sim && spate_sim_add_particles(sim, x, v, count, &added, &error) == SPATE_OK) {
        CHECK(added == count && count > 100);
        double before[3], top = 0.3 / dx;
        for (int d = 0; d < dim; d++)
            before[d] = ripple(sim, d, top, sign);
        for (int step = 0; step < 5; step++)
            CHECK(spate_sim_step(sim, 1e-7, &error) == SPATE_OK);
        for (int d = 0; d < dim; d++) {
            double left = ripple(sim, d, top, sign) / before[d];
            CHECK(before[d] > 10);
            CHECK_NEAR(left, pow(0.97, 5), 0.03 * pow(0.97, 5));
        }
    }
    spate_sim_destroy(sim);
    spate_sim_destroy(plain);
    spate_scene_destroy(scene);
    free(x);
    free(v);
    free(sign);
}

static void surface_velocities_last_2d(void)
{
    surface_velocities_last(2);
}

static void surface_velocities_last_3d(void)
{
    surface_velocities_last(3);
}

TESTS(physics)
{
    TEST(a_stream_keeps_its_momentum);
    TEST(drop_2d);
    TEST(drop_3d);
    TEST(rest_2d);
    TEST(rest_3d);
    TEST(surface_velocities_last_2d);
    TEST(surface_velocities_last_3d);
}
