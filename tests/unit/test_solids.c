/* test_solids.c -- no particle is ever inside a solid or outside the domain, judged in every step
 * by the exact shapes at the pose they have at that time, and no wall is too thin or too fast to
 * stop the liquid. */
#include "sample.h"

#include <spate/spate_io.h>

#include <math.h>

#include "scene/shapes.h"

#define TOLERANCE 1e-4 /* cells */

/* Distance to the nearest solid of the scene; the poses are taken from the scene, not from the
 * simulation. */
static double distance_to(const spate_scene *scene, const sp_shape *forms, const sp_pose *poses,
                          const double x[3])
{
    double nearest = HUGE_VAL, local[3];
    for (int k = 0; k < scene->solids.count; k++) {
        sp_pose_to_local(&poses[k], x, local);
        nearest = fmin(nearest, sp_shape_distance(&forms[k], local, NULL));
    }
    return nearest;
}

/* Looks at every particle; `host`: the solids are those of the simulation, not of the scene. */
static bool all_free(spate_sim *sim, bool host)
{
    const spate_scene *scene = spate_sim_scene(sim);
    spate_particles_view view = sample_view(sim);
    spate_field_view cells;
    CHECK(spate_sim_field_view(sim, "type", &cells));
    sp_shape forms[8];
    sp_pose poses[8];
    for (int k = 0; k < scene->solids.count; k++) {
        sp_shape_prepare(&forms[k], &scene->solids.items[k], scene->dim);
        poses[k] = sp_shape_pose(&forms[k], spate_sim_time(sim));
    }
    size_t inside = 0, outside = 0, broken = 0;
    double deepest = 0;
    for (size_t k = 0; k < view.count; k++) {
        double x[3] = {0, 0, 0};
        bool out = false;
        for (int d = 0; d < scene->dim; d++) {
            x[d] = view.origin[d] + view.scale * view.x[d][k];
            broken += !isfinite(x[d]) || !isfinite(view.v[d][k]);
            out = out || !(view.x[d][k] >= 0 && view.x[d][k] <= (float)cells.count[d]);
        }
        double distance = spate_sim_solid_distance(sim, x, NULL);
        if (!host)
            distance = fmin(distance, distance_to(scene, forms, poses, x));
        outside += out;
        inside += distance < -TOLERANCE * view.scale;
        deepest = fmin(deepest, distance / view.scale);
    }
    if (inside + outside + broken == 0)
        return true;
    printf("  step %llu, of %zu particles: %zu inside a solid (%.3g cells deep), ",
           (unsigned long long)spate_sim_steps(sim), view.count, inside, -deepest);
    printf("%zu outside the domain, %zu not finite\n", outside, broken);
    test_failures++;
    return false;
}

/* Steps for `seconds`, and looks after every step. */
static void watch(spate_sim *sim, double seconds)
{
    CHECK(sim != NULL);
    bool good = sim && all_free(sim, false);
    while (good && spate_sim_time(sim) < seconds)
        good = sample_step(sim, 0) && all_free(sim, false);
    if (!sim)
        return;
    CHECK(sample_stats(sim).in_solid == 0);
    sample_ledger(sim);
}

/* How many particles are beyond x = `limit` metres. */
static size_t beyond(spate_sim *sim, double limit)
{
    spate_particles_view view = sample_view(sim);
    size_t count = 0;
    for (size_t k = 0; k < view.count; k++)
        count += view.origin[0] + view.scale * view.x[0][k] > limit;
    return count;
}

/* ---- the presets, with fewer cells */

static void preset(const char *name, int cells, double seconds)
{
    char path[512];
    spate_error error = {0};
    snprintf(path, sizeof path, "%s/scenes/%s.json", SPATE_SOURCE, name);
    spate_scene *scene = spate_scene_read(path, &error);
    if (!scene) {
        printf("  %s: %s\n", path, error.message);
        test_failures++;
        return;
    }
    scene->domain.cells = cells;
    spate_sim *sim = sample_sim(scene, 2);
    watch(sim, seconds / TEST_STRIDE(4));
    if (sim)
        CHECK(sample_stats(sim).removed == 0);
    spate_sim_destroy(sim);
}

static void pillars(void)
{
    preset("pillars", 24, 2);
}
static void paddle_2d(void)
{
    preset("paddle_2d", 64, 5);
}
static void mesh_obstacle(void)
{
    preset("mesh_obstacle", test_full() ? 24 : 16, test_full() ? 2 : 0.8);
}

/* ---- stress */

/* Distance from the solids to the nearest particle, m. */
static double gap(spate_sim *sim)
{
    spate_particles_view view = sample_view(sim);
    double least = 1e30;
    for (size_t k = 0; k < view.count; k++) {
        double x[3] = {0, 0, 0};
        for (int d = 0; d < spate_sim_dim(sim); d++)
            x[d] = view.origin[d] + view.scale * view.x[d][k];
        least = fmin(least, spate_sim_solid_distance(sim, x, NULL));
    }
    return least;
}

/* A jet of 50 m/s against a wall of 0.2 cells, from wall to wall; nothing may pass, and nothing may
 * be lost. The wall closes the faces that it crosses, so the grid may stop the water before a
 * particle meets it: that the jet arrived is seen from how near it came. Returns how many particles
 * met the wall. */
static uint64_t jet_at_thin_wall(int dim, double turn, double thickness, int max_substeps)
{
    spate_scene *scene = sample_scene(dim, 0.8, 0.4, 0.2, dim == 2 ? 32 : 24);
    double dx = 0.8 / scene->domain.cells;
    sample_velocity(sample_box(scene, SPATE_LIST_FILL, 0.05, 0.1, 0.05, 0.4, 0.3, 0.15), 50, 0, 0);
    sample_box(scene, SPATE_LIST_SOLIDS, 0.5, -1, -1, 0.5 + thickness * dx, 1.4, 1.2)->rotation[2] =
        turn;
    scene->time.max_substeps = max_substeps;
    spate_sim *sim = sample_sim(scene, 2);
    uint64_t collisions = 0;
    double nearest = 1e30;
    for (int step = 0; sim && step < 40; step++) {
        if (!sample_step(sim, 0) || !all_free(sim, false))
            break;
        nearest = fmin(nearest, gap(sim));
        uint64_t seen = sample_stats(sim).collisions;
        collisions = seen > collisions ? seen : collisions;
    }
    double limit = 0.5 + thickness * dx;
    if (sim && turn == 0)
        CHECK(beyond(sim, limit) == 0);
    if (sim) {
        CHECK_LESS(nearest, dx);
        CHECK(sample_stats(sim).removed == 0);
        sample_ledger(sim);
    }
    spate_sim_destroy(sim);
    return collisions;
}

static void thin_wall(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        jet_at_thin_wall(dim, 0, 0.2, 64);
        CHECK(jet_at_thin_wall(dim, 0, 0.2, 2) >
              0); /* steps of 20 cells and more: no grid stops those */
        jet_at_thin_wall(dim, 0, 0.02, 8);
        jet_at_thin_wall(dim, 30, 0.2, 8);
    }
}

/* A wall right behind a periodic side: what comes back in on the other side meets it. */
static void thin_wall_at_periodic_side(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = sample_scene(dim, 0.8, 0.2, 0.2, 32);
        sample_velocity(sample_box(scene, SPATE_LIST_FILL, 0.6, 0.05, 0.05, 0.75, 0.15, 0.15), 50,
                        0, 0);
        sample_box(scene, SPATE_LIST_SOLIDS, 0.01, -1, -1, 0.015, 1, 1);
        scene->domain.sides[0][0] = scene->domain.sides[0][1] = SPATE_SIDE_PERIODIC;
        scene->gravity[1] = 0;
        spate_sim *sim = sample_sim(scene, 1);
        for (int step = 0; sim && step < 12; step++) {
            if (!sample_step(sim, 0.02 / 50) || !all_free(sim, false))
                break;
            size_t passed = beyond(sim, 0.015) - beyond(sim, 0.4);
            if (passed > 0) {
                printf("  %dD, step %d: %zu particles passed the wall\n", dim, step, passed);
                test_failures++;
                break;
            }
        }
        spate_sim_destroy(sim);
    }
}

/* A solid that begins before a periodic side: what comes over it stops there, on the near side. */
static void solid_across_periodic_side(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = sample_scene(dim, 0.8, 0.2, 0.2, 32);
        sample_velocity(sample_box(scene, SPATE_LIST_FILL, 0.7, 0.05, 0.05, 0.79, 0.15, 0.15), 1, 0,
                        0);
        sample_box(scene, SPATE_LIST_SOLIDS, -0.005, -1, -1, 0.2, 1, 1);
        scene->domain.sides[0][0] = scene->domain.sides[0][1] = SPATE_SIDE_PERIODIC;
        scene->gravity[1] = 0;
        spate_sim *sim = sample_sim(scene, 1);
        bool met = false;
        for (int step = 0; sim && step < 12; step++) {
            if (!sample_step(sim, 0.01) || !all_free(sim, false))
                break;
            met = met || beyond(sim, 0.79) > 0;
        }
        CHECK(met); /* some have come to the side */
        spate_sim_destroy(sim);
    }
}

/* A plate that sweeps through a pool at 30 m/s with at most two steps per frame: many cells per
 * step. Its front pushes everything along; what was before it stays before it. */
static void fast_paddle(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = sample_scene(dim, 1, 0.5, 0.25, dim == 2 ? 48 : 24);
        sample_box(scene, SPATE_LIST_FILL, 0.2, 0, 0, 1, 0.2, 0.25);
        spate_shape *plate = sample_box(scene, SPATE_LIST_SOLIDS, 0.1, -1, -1, 0.105, 1, 1);
        sample_key(plate, 0, 0, 0, 0);
        sample_key(plate, 0.02, 0.6, 0, 0);
        sample_key(plate, 0.04, 0.6, 0, 0);
        scene->time.max_substeps = 2;
        double dt = 1 / (scene->fps * scene->time.max_substeps);
        spate_sim *sim = sample_sim(scene, 2);
        watch(sim, 0.1);
        if (sim) {
            size_t all = spate_sim_particles_count(sim, "fluid");
            CHECK(all > 0);
            CHECK(beyond(sim, 0.7) == all);
            CHECK(sample_stats(sim).max_speed * dt > 2 * sample_view(sim).scale);
        }
        spate_sim_destroy(sim);
    }
}

/* Ten turns a second. */
static void rotating_paddle(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = sample_scene(dim, 0.6, 0.6, 0.3,
                                          dim == 2      ? 48
                                          : test_full() ? 24
                                                        : 16);
        sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.6, 0.3, 0.3);
        spate_shape *blade =
            sample_box(scene, SPATE_LIST_SOLIDS, 0.08, 0.28, 0.05, 0.52, 0.31, 0.25);
        sample_key(blade, 0, 0, 0, 0);
        for (int k = 1; k <= 12; k++)
            sample_key(blade, k / 40.0, 0, 0, 90.0 * k);
        scene->time.max_substeps = 8;
        spate_sim *sim = sample_sim(scene, 2);
        watch(sim, 0.3);
        spate_sim_destroy(sim);
    }
}

/* A piston that closes a full chamber: what has no place left is removed and counted. */
static void crushing_piston(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = sample_scene(dim, 0.4, 0.2, 0.2, 16);
        sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.2, 0.2, 0.2);
        spate_shape *piston = sample_box(scene, SPATE_LIST_SOLIDS, 0.22, -1, -1, 0.5, 1, 1);
        sample_key(piston, 0, 0, 0, 0);
        sample_key(piston, 0.2, -0.3, 0, 0);
        spate_sim *sim = sample_sim(scene, 2);
        watch(sim, 0.25);
        if (sim) {
            spate_stats stats = sample_stats(sim);
            CHECK(stats.seeded > 0);
            CHECK(stats.removed_crushed == stats.seeded); /* the domain is solid in the end */
            CHECK(stats.particles == 0);
        }
        spate_sim_destroy(sim);
    }
}

/* What a piston squeezes against a wall does not come out behind it. */
static void piston_against_thin_wall(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = sample_scene(dim, 0.4, 0.2, 0.2, 16);
        sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.2, 0.2, 0.2);
        sample_box(scene, SPATE_LIST_SOLIDS, 0.2, -1, -1, 0.21, 1, 1);
        spate_shape *piston = sample_box(scene, SPATE_LIST_SOLIDS, -1, -1, -1, 0, 1, 1);
        sample_key(piston, 0, 0, 0, 0);
        sample_key(piston, 0.2, 0.2, 0, 0);
        spate_sim *sim = sample_sim(scene, 2);
        watch(sim, 0.25);
        if (sim) {
            CHECK(beyond(sim, 0.2) == 0);
            CHECK(sample_stats(sim).removed_crushed == sample_stats(sim).seeded);
        }
        spate_sim_destroy(sim);
    }
}

static void moving_mesh(void)
{
    spate_scene *scene = sample_scene(3, 0.6, 0.3, 0.3, test_full() ? 24 : 18);
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.6, 0.15, 0.3);
    spate_shape *block = spate_scene_add_shape(scene, SPATE_LIST_SOLIDS);
    block->shape = SPATE_SHAPE_MESH;
    block->mesh = sample_mesh(1, 2, 1);
    block->scale = 0.1;
    block->position[0] = 0.05;
    block->position[1] = 0.02;
    block->position[2] = 0.1;
    sample_key(block, 0, 0, 0, 0);
    sample_key(block, 0.2, 0.35, 0, -40);
    sample_key(block, 0.4, 0, 0.05, 60);
    spate_sim *sim = sample_sim(scene, 2);
    watch(sim, 0.5);
    spate_sim_destroy(sim);
}

/* Solids that a host puts onto the liquid, moves and takes away. */
static void host_solids(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = sample_scene(dim, 0.6, 0.3, 0.3,
                                          dim == 2      ? 48
                                          : test_full() ? 24
                                                        : 18);
        sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.6, 0.15, 0.3);
        spate_sim *sim = sample_sim(scene, 2);
        spate_error error = {0};
        spate_solid_id ball, bar, nearest;
        CHECK(sample_step(sim, 0));
        spate_shape shape = sample_shape();
        shape.shape = SPATE_SHAPE_SPHERE;
        shape.center[0] = 0.3, shape.center[1] = 0.08, shape.center[2] = 0.15;
        shape.radius = 0.06;
        CHECK(spate_sim_add_solid(sim, &shape, &ball, &error) == SPATE_OK);
        CHECK(all_free(sim, true));
        double at[3] = {0.3, 0.08, 0.15};
        CHECK_NEAR(spate_sim_solid_distance(sim, at, &nearest), -0.06, 1e-12);
        CHECK(nearest.index == 0 && nearest.generation == 1);
        spate_shape box = sample_box_shape(0.1, 0.02, 0.05, 0.12, 0.25, 0.25);
        CHECK(spate_sim_add_solid(sim, &box, &bar, &error) == SPATE_OK);
        CHECK(ball.index != bar.index && all_free(sim, true));
        for (int step = 0; step < 60; step++) {
            double way[3] = {0.004 * step, 0, 0}, turn[3] = {0, 0, 6.0 * step};
            CHECK(spate_sim_move_solid(sim, bar, way, turn, &error) == SPATE_OK);
            if (step == 30)
                CHECK(spate_sim_remove_solid(sim, ball, &error) == SPATE_OK);
            if (!sample_step(sim, 0) || !all_free(sim, true) || !sample_ledger(sim))
                break;
            CHECK(sample_stats(sim).in_solid == 0);
        }
        spate_sim_destroy(sim);
    }
}

/* A solid on all of the liquid leaves nothing, and counts it. */
static void solid_on_everything(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = sample_scene(dim, 0.6, 0.3, 0.3, 24);
        sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.6, 0.15, 0.3);
        spate_sim *sim = sample_sim(scene, 1);
        spate_shape box = sample_box_shape(-1, -1, -1, 2, 2, 2);
        CHECK(spate_sim_add_solid(sim, &box, NULL, NULL) == SPATE_OK);
        CHECK(spate_sim_particles_count(sim, "fluid") == 0);
        CHECK(sample_stats(sim).removed_crushed == sample_stats(sim).seeded);
        CHECK(sample_step(sim, 0));
        spate_sim_destroy(sim);
    }
}

TESTS(solids)
{
    TEST(pillars);
    TEST(paddle_2d);
    TEST(mesh_obstacle);
    TEST(thin_wall);
    TEST(thin_wall_at_periodic_side);
    TEST(solid_across_periodic_side);
    TEST(fast_paddle);
    TEST(rotating_paddle);
    TEST(crushing_piston);
    TEST(piston_against_thin_wall);
    TEST(moving_mesh);
    TEST(host_solids);
    TEST(solid_on_everything);
}
