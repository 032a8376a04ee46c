/* test_device.c -- the life of a simulation on a device beside the CPU: refused scenes, memory that
 * runs out, checkpoints that change the device, changes by the user. */
#include "device_test.h"

#include "base/memory.h"

#include <math.h>

static spate_scene *make_scene(void)
{
    spate_scene *scene = spate_scene_create();
    scene->dim = 3;
    scene->domain.size[0] = scene->domain.size[1] = scene->domain.size[2] = 0.8;
    scene->domain.cells = 16;
    scene->gravity[1] = -9.81;
    spate_shape *fill = spate_scene_add_shape(scene, SPATE_LIST_FILL);
    fill->shape = SPATE_SHAPE_BOX;
    for (int d = 0; d < 3; d++) {
        fill->min[d] = 0;
        fill->max[d] = d == 0 ? 0.4 : 0.5;
    }
    return scene;
}

static spate_sim *run_steps(const spate_scene *scene, const char *device, int steps)
{
    spate_error error = {0};
    spate_sim *sim = start(scene, device);
    for (int k = 0; k < steps && sim; k++)
        CHECK(spate_sim_step(sim, 0, &error) == SPATE_OK);
    return sim;
}

static void names(void)
{
    const char *list[4];
    char note[200];
    int count = spate_device_list(list, 4);
    CHECK(count >= 2);
    CHECK_TEXT(list[0], "cpu");
    CHECK(spate_device_list(list, 0) == count);
    CHECK(spate_device_available("cpu", note, sizeof note) && note[0]);
    CHECK(spate_device_available("check", note, sizeof note));
    CHECK_TEXT(note, "poses as a GPU");
    CHECK(!spate_device_available("toaster", note, sizeof note));
    spate_scene *scene = make_scene();
    spate_sim *sim = run_steps(scene, device_name(), 1);
    CHECK_TEXT(spate_sim_device(sim), device_name());
    CHECK(spate_sim_device_bytes(sim) > 40 * spate_sim_particles_count(sim, "fluid"));
    spate_sim_destroy(sim);
    sim = run_steps(scene, "cpu", 1);
    CHECK(spate_sim_device_bytes(sim) == 0);
    spate_sim_destroy(sim);
    spate_scene_destroy(scene);
}

static void refuses_pcg(void)
{
    spate_scene *scene = make_scene();
    spate_error error = {0};
    scene->pressure.solver = SPATE_SOLVER_PCG;
    CHECK(start_on(scene, device_name(), &error) == NULL);
    CHECK(error.status == SPATE_ERROR_DEVICE);
    CHECK_TEXT(error.where, "pressure.solver");
    spate_scene_destroy(scene);
}

/* The forecast says what a simulation takes, and what does not fit is refused. */
static void forecast(void)
{
    spate_scene *scene = make_scene();
    spate_options options = sample_options();
    spate_error error = {0};
    spate_forecast forecast = {0};
    options.device = device_name();
    CHECK(spate_scene_forecast(scene, &options, &forecast, &error) == SPATE_OK);
    spate_sim *sim = run_steps(scene, device_name(), 2);
    CHECK_NEAR((double)forecast.device_memory, (double)spate_sim_device_bytes(sim),
               0.2 * (double)spate_sim_device_bytes(sim));
    spate_sim_destroy(sim);
    if (strcmp(device_name(), "check") == 0) {
        check_free_bytes = forecast.device_memory - 1;
        CHECK(spate_scene_forecast(scene, &options, &forecast, &error) == SPATE_ERROR_DEVICE);
        CHECK(strstr(error.message, "are available") != NULL);
        check_free_bytes = UINT64_MAX;
    }
    spate_scene_destroy(scene);
}

/* Each allocation fails in turn, those of the device too: an error, and nothing is lost. */
static void out_of_memory(void)
{
    spate_scene *scene = make_scene();
    spate_error error = {0};
    int refused = 0;
    spate_sim *sim = NULL;
    for (uint64_t n = 1; n < 1000 && !sim; n += 3) {
        sp_alloc_fail_at(n);
        sim = start_on(scene, device_name(), &error);
        sp_alloc_fail_at(0);
        refused += sim == NULL;
        CHECK(sim || error.status == SPATE_ERROR_MEMORY || error.status == SPATE_ERROR_DEVICE);
    }
    CHECK(sim != NULL && refused > 10);
    spate_sim_destroy(sim);
    spate_scene_destroy(scene);
}

/* A state goes to the other device, into a simulation that has run before, and on from there. */
static void change_device(const char *from, const char *to)
{
    spate_scene *scene = make_scene();
    spate_error error = {0};
    buffer b = {0};
    spate_sim *one = run_steps(scene, from, 5), *two = run_steps(scene, to, 3);
    if (one && two) {
        CHECK(spate_sim_save(one, put, &b, &error) == SPATE_OK);
        CHECK(spate_sim_load(two, take, &b, &error) == SPATE_OK);
        CHECK(spate_sim_hash(one) == spate_sim_hash(two));
        CHECK(spate_sim_step_frame(one, &error) == SPATE_OK);
        CHECK(spate_sim_step_frame(two, &error) == SPATE_OK);
        spate_stats a = sample_stats(one), c = sample_stats(two);
        CHECK_NEAR(c.volume, a.volume, 1e-3 * a.volume);
        CHECK_NEAR(c.kinetic_energy, a.kinetic_energy, 1e-3 * a.kinetic_energy);
    }
    free(b.bytes);
    spate_sim_destroy(one);
    spate_sim_destroy(two);
    spate_scene_destroy(scene);
}

static void changes_device(void)
{
    change_device("cpu", device_name());
    change_device(device_name(), "cpu");
}

/* What a user does between steps reaches the device. */
static void changes_by_user(void)
{
    spate_scene *scene = make_scene();
    spate_error error = {0};
    const double gravity[3] = {0, 0, -5}, middle[3] = {0.2, 0.2, 0.4}, push[3] = {2, 0, 0};
    spate_sim *sims[2] = {run_steps(scene, "cpu", 3), run_steps(scene, device_name(), 3)};
    spate_shape ball = *spate_scene_add_shape(scene, SPATE_LIST_FILL);
    ball.shape = SPATE_SHAPE_SPHERE;
    ball.radius = 0.1;
    ball.center[0] = 0.6;
    ball.center[1] = 0.15;
    ball.center[2] = 0.4;
    for (int k = 0; k < 2 && sims[0] && sims[1]; k++) {
        float x[6] = {0.7f, 0.7f, 0.4f, 0.61f, 0.72f, 0.4f};
        size_t added = 0;
        spate_solid_id id;
        CHECK(spate_sim_add_particles(sims[k], x, NULL, 2, &added, &error) == SPATE_OK);
        CHECK(added == 2);
        CHECK(spate_sim_add_solid(sims[k], &ball, &id, &error) == SPATE_OK);
        CHECK(sample_stats(sims[k]).in_solid == 0); /* which lays it on the host */
        spate_sim_set_gravity(sims[k], gravity, NULL);
        spate_sim_add_impulse(sims[k], middle, 0.2, push, NULL);
        for (int step = 0; step < 4; step++)
            CHECK(spate_sim_step(sims[k], 0.005, &error) == SPATE_OK);
        CHECK(spate_sim_remove_solid(sims[k], id, &error) == SPATE_OK);
        CHECK(spate_sim_step(sims[k], 0.005, &error) == SPATE_OK);
    }
    if (sims[0] && sims[1]) {
        spate_stats a = sample_stats(sims[0]), b = sample_stats(sims[1]);
        CHECK(a.particles == b.particles && a.added == 2 && b.added == 2);
        for (int d = 0; d < 3; d++)
            CHECK_NEAR(sample_momentum(&b, d), sample_momentum(&a, d), 1e-3 * fabs(a.momentum_x));
    }
    spate_sim_destroy(sims[0]);
    spate_sim_destroy(sims[1]);
    spate_scene_destroy(scene);
}

/* Values at points, forces by solid id, surfaces and inflows, with a solid that came at run time:
 * as on the CPU; before the first step, after steps, and after statistics. */
static int count_stages(void *user, spate_sim *sim, int stage)
{
    spate_field_view p;
    (void)stage;
    ++*(int *)user;
    return spate_sim_field_view(sim, "phi", &p) && p.values ? 0 : 1;
}

static void looks_agree(void)
{
    spate_scene *scene = make_scene();
    spate_error error = {0};
    spate_shape *inflow = spate_scene_add_shape(scene, SPATE_LIST_INFLOWS);
    const double low[3] = {0.1, 0.6, 0.3}, high[3] = {0.2, 0.7, 0.5};
    memcpy(inflow->min, low, sizeof low);
    memcpy(inflow->max, high, sizeof high);
    inflow->velocity[0] = 1;
    spate_sim *sims[2] = {start(scene, "cpu"), start(scene, device_name())};
    spate_shape ball = sample_shape();
    ball.shape = SPATE_SHAPE_SPHERE;
    ball.radius = 0.1;
    ball.center[0] = ball.center[1] = 0.2, ball.center[2] = 0.4;
    spate_solid_id id[2];
    int stages[2] = {0, 0};
    for (int k = 0; k < 2 && sims[0] && sims[1]; k++) {
        CHECK(spate_sim_add_solid(sims[k], &ball, &id[k], &error) == SPATE_OK);
        spate_sim_set_stage_callback(sims[k], count_stages, &stages[k]);
    }
    for (int turn = 0; turn < 6 && sims[0] && sims[1]; turn++) {
        double points[60], velocity[2][60], pressure[2][20], phi[2][20], force[2][3], torque[2][3];
        for (int k = 0; k < 60; k++)
            points[k] = 0.05 + 0.01 * ((37 * k) % 60);
        size_t vertices[2];
        for (int k = 0; k < 2; k++) {
            if (turn == 2)
                CHECK(spate_sim_set_inflow(sims[k], 0, false, &error) == SPATE_OK);
            if (turn == 4)
                CHECK(spate_sim_set_inflow(sims[k], 0, true, &error) == SPATE_OK);
            for (int step = 0; step < 2 && turn > 0; step++)
                CHECK(spate_sim_step(sims[k], 0.005, &error) == SPATE_OK);
            if (turn % 2)
                CHECK(sample_stats(sims[k]).particles > 0);
            CHECK(spate_sim_sample(sims[k], points, 20, velocity[k], pressure[k], phi[k], &error) ==
                  SPATE_OK);
            CHECK(spate_sim_solid_force(sims[k], id[k], ball.center, force[k], torque[k], &error) ==
                  SPATE_OK);
            spate_surface *surface = spate_sim_surface(sims[k], NULL, &error);
            vertices[k] = surface ? surface->vertices : 0;
            spate_surface_destroy(surface);
        }
        CHECK(vertices[0] > 0 && fabs((double)vertices[1] / (double)vertices[0] - 1) < 0.02);
        CHECK(sample_stats(sims[0]).added == sample_stats(sims[1]).added);
        for (int k = 0; k < 20; k++) {
            CHECK_NEAR(pressure[1][k], pressure[0][k], 2 + 0.02 * fabs(pressure[0][k]));
            CHECK_NEAR(phi[1][k], phi[0][k], 1e-3);
            for (int d = 0; d < 3; d++)
                CHECK_NEAR(velocity[1][3 * k + d], velocity[0][3 * k + d], 5e-3);
        }
        for (int d = 0; d < 3; d++) {
            CHECK_NEAR(force[1][d], force[0][d], 0.05 + 0.02 * fabs(force[0][1]));
            CHECK_NEAR(torque[1][d], torque[0][d], 0.05);
        }
        CHECK(turn == 0 || fabs(force[0][1]) > 1);
    }
    CHECK(stages[0] == 10 * spate_stage_count() && stages[1] == stages[0]);
    spate_sim_destroy(sims[0]);
    spate_sim_destroy(sims[1]);
    spate_scene_destroy(scene);
}

/* A snapshot is what the particles were when it began, whatever steps follow; roomy: the device has
 * memory for copies of its own. */
static void take_snapshots(bool roomy)
{
    spate_scene *scene = make_scene();
    snprintf(spate_scene_add_channel(scene)->name, sizeof scene->channels[0].name, "age");
    spate_sim *sim = run_steps(scene, device_name(), 3);
    spate_error error = {0};
    sp_particles now;
    sp3_check_memory_bytes = roomy ? UINT64_MAX : 0;
    for (int turn = 0; turn < 3 && sim; turn++) {
        size_t count = spate_sim_particles_count(sim, "fluid"), wrong = 0;
        float *x = malloc(count * 3 * sizeof *x), *v = malloc(count * 3 * sizeof *v);
        uint32_t *id = malloc(count * sizeof *id);
        spate_sim_particles_read(sim, "fluid", x, v, id);
        double age = spate_sim_time(sim);
        CHECK(sp_snapshot_begin(sim, &now) && now.view.count == count);
        for (int step = 0; step < 2; step++)
            CHECK(spate_sim_step(sim, 0.005, &error) == SPATE_OK);
        if (turn == 0 && roomy && strcmp(device_name(), "check") == 0)
            CHECK(now.view.x[0][0] != now.view.x[0][0]); /* nobody has waited */
        CHECK(sp_snapshot_wait(sim) && sp_snapshot_wait(sim));
        CHECK_TEXT(now.kind->name, "fluid");
        const float *ages = sp_particles_column(&now, "age").values[0];
        for (size_t k = 0; k < count; k++)
            for (size_t d = 0; d < 3; d++) {
                float at = (float)(now.view.x[d][k] * now.view.scale);
                wrong += at != x[3 * k + d] || now.view.v[d][k] != v[3 * k + d] ||
                         now.view.id[k] != id[k] || !(fabs((double)ages[k] - age) < 1e-6);
            }
        CHECK(wrong == 0);
        free(x);
        free(v);
        free(id);
    }
    sp3_check_memory_bytes = UINT64_MAX;
    spate_sim_destroy(sim);
    spate_scene_destroy(scene);
}

static void snapshots(void)
{
    take_snapshots(true);
    take_snapshots(false);
}

/* There is none on the CPU, whose particles output reads as they are. */
static void no_snapshot(void)
{
    spate_scene *scene = make_scene();
    spate_sim *sim = run_steps(scene, "cpu", 1);
    sp_particles now;
    CHECK(sim && !sp_snapshot_begin(sim, &now) && sp_snapshot_wait(sim));
    spate_sim_destroy(sim);
    spate_scene_destroy(scene);
}

TESTS(device)
{
    SETUP(add_check_device);
    TEST(names);
    TEST(refuses_pcg);
    TEST(forecast);
    TEST(out_of_memory);
    TEST(changes_device);
    TEST(changes_by_user);
    TEST(looks_agree);
    TEST(snapshots);
    TEST(no_snapshot);
}
