/* test_rooms.c -- rooms that solids make in a gas: what takes volume from them changes the
 * background pressure, and nothing may flow into one that has no way out. */
#include "device_test.h"
#include "sample.h"

#include <math.h>

#include <spate/spate_io.h>

#define START 0.2  /* m: where the piston is */
#define SPEED 0.15 /* m/s */

/* A box of 1 m with a piston at its left; a wall stands at `wall`, if that is above 0. */
static spate_scene *cylinder(int dim, double speed, double wall)
{
    spate_scene *scene = sample_scene(dim, 1, 0.5, 0.25, dim == 2 ? 48 : 20);
    spate_error error;
    CHECK(spate_scene_assign(scene, "fluid.kind=gas", &error) == SPATE_OK);
    sample_velocity(sample_box(scene, SPATE_LIST_SOLIDS, -1, -1, -1, START, 2, 2), speed, 0, 0);
    if (wall > 0)
        sample_box(scene, SPATE_LIST_SOLIDS, wall, -1, -1, wall + 0.1, 2, 2);
    scene->fps = 10;
    return scene;
}

/* Of a gas that exchanges no heat. */
static double pressure_of(double share)
{
    return 101325 * (pow(share, -1.4) - 1);
}

static void follow_piston(int dim, const char *device, double speed)
{
    spate_error error = {0};
    spate_scene *scene = cylinder(dim, speed, 0);
    spate_sim *sim = start(scene, device);
    for (int frame = 1; sim && frame <= 8; frame++) {
        CHECK(spate_sim_step_frame(sim, &error) == SPATE_OK);
        spate_stats stats = sample_stats(sim);
        double moved = speed * spate_sim_time(sim);
        CHECK_NEAR(stats.background_pressure, pressure_of(1 - moved / (1 - START)), 30);
        sample_ledger(sim);
    }
    spate_sim_destroy(sim);
    spate_scene_destroy(scene);
}

static void a_piston_squeezes(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        follow_piston(dim, "cpu", SPEED);
        follow_piston(dim, "cpu", -SPEED);
    }
    follow_piston(2, device_name(), SPEED);
}

/* Every cell gives way alike: none is left much fuller than the others. */
static void the_change_is_even(void)
{
    spate_scene *scene = cylinder(2, SPEED, 0);
    spate_sim *sim = sample_sim(scene, 2);
    spate_error error = {0};
    for (int frame = 0; sim && frame < 20; frame++)
        CHECK(spate_sim_step_frame(sim, &error) == SPATE_OK);
    if (!sim)
        return;
    double full = 9 / (1 - 2 * SPEED / (1 - START)); /* particles of a cell */
    spate_stats stats = sample_stats(sim);
    CHECK_NEAR(stats.ppc_mean, full, 0.03 * full);
    CHECK_LESS((double)stats.ppc_max, 1.4 * full);
    CHECK(stats.interior_empty == 0 && stats.particles == stats.seeded);
    spate_sim_destroy(sim);
}

/* The larger room is the one behind the wall, which the piston does not reach; then there is only
 * the one before it. */
static void a_wall_keeps_rooms_apart(void)
{
    static const double walls[2] = {0.4, 0.9};
    for (int k = 0; k < 2; k++) {
        spate_sim *sim = sample_sim(cylinder(2, SPEED, walls[k]), 2);
        spate_error error = {0};
        for (int frame = 0; sim && frame < 5; frame++)
            CHECK(spate_sim_step_frame(sim, &error) == SPATE_OK);
        double share = 1 - 0.5 * SPEED / (walls[k] - START);
        CHECK_NEAR(sim ? sample_stats(sim).background_pressure : 0, k == 0 ? 0 : pressure_of(share),
                   30);
        spate_sim_destroy(sim);
    }
}

/* A body that only moves takes no volume; neither does a piston where a side is open. */
static void others_change_nothing(void)
{
    for (int k = 0; k < 2; k++) {
        spate_scene *scene = cylinder(2, k == 0 ? 0 : SPEED, 0);
        spate_error error = {0};
        if (k == 0)
            sample_velocity(sample_sphere(scene, SPATE_LIST_SOLIDS, 0.5, 0.25, 0, 0.1), 0.2, 0, 0);
        scene->domain.sides[0][1] = k == 0 ? SPATE_SIDE_WALL : SPATE_SIDE_OPEN;
        spate_sim *sim = sample_sim(scene, 2);
        for (int frame = 0; sim && frame < 8; frame++) {
            CHECK(spate_sim_step_frame(sim, &error) == SPATE_OK);
            CHECK_NEAR(sample_stats(sim).background_pressure, 0, k == 0 ? 30 : 0);
        }
        spate_sim_destroy(sim);
    }
}

static void a_resume_knows_it(void)
{
    spate_scene *scene = cylinder(2, SPEED, 0);
    spate_scene *same = spate_scene_copy(scene);
    spate_sim *sim = sample_sim(scene, 2), *other = sample_sim(same, 2);
    spate_error error = {0};
    sample_memory memory = {0};
    for (int frame = 0; frame < 3; frame++)
        CHECK(spate_sim_step_frame(sim, &error) == SPATE_OK);
    CHECK(spate_sim_save(sim, sample_write, &memory, &error) == SPATE_OK);
    CHECK(spate_sim_load(other, sample_read, &memory, &error) == SPATE_OK);
    for (int frame = 0; frame < 2; frame++) {
        CHECK(spate_sim_step_frame(sim, &error) == SPATE_OK);
        CHECK(spate_sim_step_frame(other, &error) == SPATE_OK);
    }
    CHECK(sample_stats(sim).background_pressure > 1000);
    CHECK(sample_stats(sim).background_pressure == sample_stats(other).background_pressure);
    free(memory.bytes);
    spate_sim_destroy(sim);
    spate_sim_destroy(other);
}

/* A fan, and a wall between it and the open side, with a gap. */
static spate_scene *room(int dim, double gap)
{
    spate_scene *scene = sample_scene(dim, 1, 1, 1, dim == 2 ? 32 : 16);
    spate_error error;
    CHECK(spate_scene_assign(scene, "fluid.kind=gas", &error) == SPATE_OK);
    scene->domain.sides[0][1] = SPATE_SIDE_OPEN;
    spate_shape *fan = sample_box(scene, SPATE_LIST_INFLOWS, 0, 0.4, 0.4, 0.1, 0.6, 0.6);
    sample_velocity(fan, 1, 0, 0);
    snprintf(fan->name, sizeof fan->name, "fan");
    sample_box(scene, SPATE_LIST_SOLIDS, 0.5, -1, -1, 0.6, 1 - gap, 2);
    return scene;
}

static void check_room(spate_scene *scene, const char *where, const char *message)
{
    spate_sim *sim = sample_sim(scene, 2);
    spate_error error = {0};
    spate_status status = sim ? spate_sim_step_frame(sim, &error) : SPATE_OK;
    CHECK(status == (where ? SPATE_ERROR_SIMULATION : SPATE_OK));
    CHECK_TEXT(error.where, where ? where : "");
    CHECK(!message || strstr(error.message, message));
    spate_sim_destroy(sim);
}

static void nothing_blows_into_a_closed_room(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        check_room(room(dim, 0), "inflows[0]", "fan blows into a room that solids close");
        check_room(room(dim, 0.2), NULL, NULL);
        spate_scene *drained = room(dim, 0); /* an outflow is a way out */
        sample_box(drained, SPATE_LIST_OUTFLOWS, 0.2, 0, 0, 0.4, 0.1, 1);
        check_room(drained, NULL, NULL);
        spate_scene *away = room(dim, 0); /* a sink is one's own */
        sample_velocity(&away->inflows.items[0], 0, 0, 0);
        check_room(away, NULL, NULL);
    }
}

/* A door that closes is found when it does. */
static void a_door_closes(void)
{
    spate_scene *scene = room(2, 0.2);
    sample_velocity(sample_box(scene, SPATE_LIST_SOLIDS, 0.5, 1, 0, 0.6, 2, 1), 0, -1, 0);
    scene->fps = 20;
    spate_sim *sim = sample_sim(scene, 2);
    spate_error error = {0};
    int frame = 0;
    while (sim && frame < 8 && spate_sim_step_frame(sim, &error) == SPATE_OK)
        frame++;
    CHECK(frame >= 2 && frame <= 4);
    CHECK_TEXT(error.where, "inflows[0]");
    spate_sim_destroy(sim);
}

TESTS(rooms)
{
    SETUP(add_check_device);
    TEST(a_piston_squeezes);
    TEST(the_change_is_even);
    TEST(a_wall_keeps_rooms_apart);
    TEST(others_change_nothing);
    TEST(a_resume_knows_it);
    TEST(nothing_blows_into_a_closed_room);
    TEST(a_door_closes);
}
