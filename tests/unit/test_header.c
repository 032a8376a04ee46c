/* test_header.c -- the public header stands alone, as C11 and as C++17.
 *
 * spate.h is the first include, so that a type it forgets to include is an error. Built as C11 by
 * the test build, and as C and C++ with every compiler there is by tests/package/header.sh. It also
 * links: a function that lacks C linkage in C++ would fail there. */
#include <spate/spate.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The macros of test.h would pull in its runner. */
static int failures, failed_total;

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            failures++;                                                        \
            printf("  %s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
        }                                                                      \
    } while (0)
#define CHECK_NEAR(value, expected, tolerance) CHECK(fabs((value) - (expected)) <= (tolerance))
#define CHECK_TEXT(value, expected) CHECK(strcmp(value, expected) == 0)
#define TEST(function)                                                 \
    do {                                                               \
        failures = 0;                                                  \
        function();                                                    \
        failed_total += failures != 0;                                 \
        printf("%s header/%s\n", failures ? "FAIL" : "ok", #function); \
    } while (0)

static void version_is_consistent(void)
{
    char text[64];
    snprintf(text, sizeof text, "%d.%d.%d", SPATE_VERSION_MAJOR, SPATE_VERSION_MINOR,
             SPATE_VERSION_PATCH);
    CHECK_TEXT(SPATE_VERSION, text);
    CHECK_TEXT(spate_version(), SPATE_VERSION);
}

static void defaults_are_those_of_the_comments(void)
{
    spate_scene *scene = spate_scene_create();
    CHECK(scene != NULL);
    if (!scene)
        return;
    CHECK_TEXT(scene->name, "untitled");
    CHECK(scene->dim == 3);
    CHECK(scene->domain.cells == 64);
    CHECK(scene->domain.cell_size == 0);
    CHECK(scene->domain.sides[1][1] == SPATE_SIDE_WALL);
    CHECK(scene->frames == 120);
    CHECK(scene->fps == 30);
    CHECK(scene->gravity[0] == 0 && scene->gravity[1] == -9.81 && scene->gravity[2] == 0);
    CHECK(scene->fluid.kind == SPATE_FLUID_LIQUID);
    CHECK(scene->fluid.particles_per_axis == 0 && scene->time.cfl == 0); /* of its kind */
    CHECK(spate_scene_settle(scene, NULL) == SPATE_OK);
    CHECK(scene->fluid.particles_per_axis == 2);
    CHECK(scene->fluid.jitter == 0.5);
    CHECK(scene->fluid.seed == 1);
    CHECK(scene->fluid.density == 1000);
    CHECK(scene->fluid.transfer == SPATE_TRANSFER_FLIP);
    CHECK(scene->fluid.flip_ratio == 0.97);
    CHECK(scene->fluid.kernel == SPATE_KERNEL_LINEAR);
    CHECK(scene->time.cfl == 2 && scene->time.dt == 0);
    CHECK(scene->time.min_substeps == 1 && scene->time.max_substeps == 64);
    CHECK(scene->time.advection == SPATE_ADVECTION_RK3);
    CHECK(scene->pressure.solver == SPATE_SOLVER_MULTIGRID);
    CHECK(scene->pressure.solids == SPATE_SOLID_MODEL_CUT);
    CHECK(scene->pressure.surface == SPATE_SURFACE_MODEL_GHOST);
    CHECK(scene->pressure.tolerance == 1e-4);
    CHECK(scene->pressure.max_iterations == 1000);
    CHECK(scene->pressure.on_failure == SPATE_ON_FAILURE_WARN);
    CHECK(scene->fill.count == 0 && scene->solids.count == 0);
    CHECK(scene->inflows.count == 0 && scene->outflows.count == 0);
    CHECK(scene->channel_count == 0);
    CHECK(scene->output.particles == SPATE_OUTPUT_PARTICLES_PLY);
    CHECK(scene->output.every == 1 && scene->output.checkpoint_every == 10 &&
          scene->output.preview);
    spate_scene_destroy(scene);
}

static void shape_default_gives_no_lengths(void)
{
    spate_shape shape;
    spate_shape_default(&shape);
    CHECK(shape.shape == SPATE_SHAPE_BOX);
    CHECK(isnan(shape.radius) && isnan(shape.min[0]) && isnan(shape.max[1]) &&
          isnan(shape.center[2]));
    CHECK(shape.scale == 1);
    CHECK(!shape.invert);
    CHECK(shape.motion == NULL && shape.motion_count == 0 && shape.mesh == NULL &&
          shape.points == NULL);
}

static void options_default(void)
{
    spate_options options;
    spate_options_default(&options);
    CHECK(options.threads == 0);
    CHECK(options.log == NULL && options.schedule == NULL);
}

/* In 2D and in 3D, with cells that are not 1 m: the forecast, the simulation and the view agree. */
static void scene_becomes_particles(int dim)
{
    spate_scene *scene = spate_scene_create();
    spate_shape *fill = scene ? spate_scene_add_shape(scene, SPATE_LIST_FILL) : NULL;
    CHECK(fill != NULL);
    if (!fill)
        return;
    scene->dim = dim;
    scene->domain.cells = 8;
    for (int d = 0; d < dim; d++) {
        scene->domain.size[d] = 0.4;
        fill->min[d] = 0;
        fill->max[d] = 0.2;
    }
    spate_error error;
    spate_forecast forecast;
    CHECK(spate_scene_forecast(scene, NULL, &forecast, &error) == SPATE_OK);
    spate_sim *sim = spate_sim_create(scene, NULL, &error);
    CHECK(sim != NULL);
    if (sim) {
        size_t expected = dim == 2 ? 4 * 4 * 4 : 4 * 4 * 4 * 8;
        spate_particles_view view;
        spate_sim_particles_view(sim, "fluid", &view);
        CHECK(forecast.particles == expected);
        CHECK(view.count == expected);
        CHECK_NEAR(view.scale, 0.05, 1e-12);
        CHECK((view.x[2] != NULL) == (dim == 3));
        CHECK(spate_sim_dim(sim) == dim);
    }
    spate_sim_destroy(sim);
    spate_scene_destroy(scene);
}

static void scene_becomes_particles_2d(void)
{
    scene_becomes_particles(2);
}

static void scene_becomes_particles_3d(void)
{
    scene_becomes_particles(3);
}

static void bad_scene_names_the_setting(void)
{
    spate_error error;
    spate_scene *scene = spate_scene_create();
    CHECK(scene != NULL);
    if (!scene)
        return;
    scene->dim = 2; /* and no domain.size */
    CHECK(spate_sim_create(scene, NULL, &error) == NULL);
    CHECK(error.status == SPATE_ERROR_SCENE);
    CHECK_TEXT(error.where, "domain.size");
    CHECK(error.message[0] != 0);
    spate_scene_destroy(scene);
}

int main(void)
{
    TEST(version_is_consistent);
    TEST(defaults_are_those_of_the_comments);
    TEST(shape_default_gives_no_lengths);
    TEST(options_default);
    TEST(scene_becomes_particles_2d);
    TEST(scene_becomes_particles_3d);
    TEST(bad_scene_names_the_setting);
    return failed_total != 0;
}
