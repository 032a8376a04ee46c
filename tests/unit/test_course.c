/* test_course.c -- scenes of the PIC-FLIP course: what they become, how many particles they have,
 * and what is refused. */
#include "test.h"

#include "io/course.h"

#include <spate/spate_io.h>

#include <jansson.h>
#include <stdlib.h>

typedef struct notes {
    int warnings, infos;
    char text[2048];
} notes;

static void note(void *user, spate_log_level level, const char *where, const char *message)
{
    notes *n = user;
    *(level == SPATE_LOG_WARNING ? &n->warnings : &n->infos) += 1;
    size_t used = strlen(n->text);
    snprintf(n->text + used, sizeof n->text - used, "%s: %s\n", where, message);
}

static spate_scene *read_course(const char *name, notes *n)
{
    char path[512];
    spate_error error = {0};
    snprintf(path, sizeof path, SPATE_SOURCE "/tests/data/course/%s", name);
    CHECK(sp_course_is_file(path));
    spate_scene *scene = sp_course_read(path, note, n, &error);
    if (!scene)
        printf("  %s: %s\n", error.where, error.message);
    CHECK(scene != NULL);
    return scene;
}

static spate_scene *parse(const char *text, notes *n, spate_error *error)
{
    json_t *root = json_loads(text, 0, NULL);
    CHECK(sp_course_is(root));
    spate_scene *scene = sp_course_scene(root, note, n, error);
    json_decref(root);
    return scene;
}

/* Particles at the outputs: those of the events come before the output of their step. */
static void count_outputs(const char *name, const size_t *counts, int outputs)
{
    notes n = {0};
    spate_error error = {0};
    spate_scene *scene = read_course(name, &n);
    spate_sim *sim = scene ? spate_sim_create(scene, NULL, &error) : NULL;
    CHECK(sim != NULL);
    for (int k = 0; k < outputs && sim; k++) {
        if (k > 0)
            CHECK(spate_sim_step_frame(sim, &error) == SPATE_OK);
        CHECK(spate_sim_particles_count(sim, "fluid") == counts[k]);
        spate_stats stats;
        CHECK(spate_sim_stats(sim, &stats) && stats.in_solid == 0 && stats.removed == 0);
        if (k > 0) { /* exactly that many sweeps in every step of dt */
            CHECK(stats.substeps == (int)(1 / (scene->fps * scene->time.dt) + 0.5));
            CHECK(stats.solver_iterations == stats.substeps * scene->pressure.max_iterations);
        }
    }
    spate_sim_destroy(sim);
    spate_scene_destroy(scene);
}

static void particles_of_the_column(void)
{
    count_outputs("column.json", (size_t[]){729, 729, 1729, 1729}, 4);
}

static void particles_of_the_pool(void)
{
    count_outputs("pool.json", (size_t[]){2071, 2071, 2071}, 3);
}

static void settings_of_the_column(void)
{
    notes n = {0};
    spate_scene *s = read_course("column.json", &n);
    if (!s)
        return;
    CHECK(s->dim == 3 && s->domain.cells == 24 && s->domain.size[1] == 1);
    CHECK_NEAR(s->fps, 10, 1e-12);
    CHECK(s->time.dt == 0.01 && s->time.advection == SPATE_ADVECTION_EULER);
    CHECK(s->gravity[1] == -9.8 && s->fluid.density == 1);
    CHECK(s->pressure.solver == SPATE_SOLVER_JACOBI && s->pressure.max_iterations == 400);
    CHECK(s->pressure.relaxation == 1 && s->pressure.fixed_iterations && !s->pressure.warm_start);
    CHECK(s->pressure.solids == SPATE_SOLID_MODEL_VOXEL);
    CHECK(s->pressure.surface == SPATE_SURFACE_MODEL_VOXEL);
    CHECK(s->fluid.kernel == SPATE_KERNEL_LINEAR);
    CHECK(s->fluid.kernel_to_grid == SPATE_KERNEL_TO_GRID_QUADRATIC);
    CHECK(s->fluid.flip_ratio == 0.95 && s->fluid.flip_step == 0 && !s->fluid.free_flight);
    CHECK(s->volume.method == SPATE_VOLUME_NONE);
    CHECK(s->solids.count == 2 && s->solids.items[0].invert);
    CHECK_NEAR(s->solids.items[0].min[0], 1.0 / 24, 1e-12);
    CHECK_NEAR(s->solids.items[1].max[2], 0.9, 1e-12);
    CHECK(s->fill.count == 2 && s->fill.items[1].sampling == SPATE_SAMPLING_RANDOM);
    CHECK(s->fill.items[1].seed == 7 && s->fill.items[1].count == 1000);
    CHECK_NEAR(s->fill.items[1].start, 0.2, 1e-12);
    CHECK(n.warnings == 1 && strstr(n.text, "particle_events[1].frame: 25 is no multiple"));
    CHECK(n.infos == 1 && strstr(n.text, "may lose particles through walls"));
    CHECK_NEAR(sp_course_volume(s, 0.1), 0.144, 1e-9);
    CHECK_NEAR(sp_course_volume(s, 0.2), 0.148, 1e-9);
    spate_scene_destroy(s);
}

static void old_names_and_defaults(void)
{
    notes n = {0};
    spate_error error = {0};
    spate_scene *s = read_course("pool.json", &n);
    if (s) {
        CHECK(s->pressure.solver == SPATE_SOLVER_GAUSS_SEIDEL && s->pressure.max_iterations == 150);
        CHECK(s->pressure.relaxation == 1.6 && s->fill.items[0].jitter == 0.2);
        CHECK(n.warnings == 0);
    }
    spate_scene_destroy(s);
    s = parse("{\"n_grid\": 100}", &n, &error);
    if (s) {
        CHECK(s->time.dt == 0.02 && s->domain.cells == 100 && s->domain.size[0] == 1);
        CHECK_NEAR(s->fps, 0.5, 1e-12);
        CHECK(s->gravity[1] == -9.8 && s->pressure.max_iterations == 200);
        CHECK(s->pressure.relaxation == 1.7 && s->fluid.flip_ratio == 0.9);
    }
    spate_scene_destroy(s);
    s = parse("{\"n_grid\": 8, \"use_gauss_seidel\": false}", &n, &error);
    CHECK(s && s->pressure.max_iterations == 1000 && s->pressure.relaxation == 1);
    spate_scene_destroy(s);
}

/* What is printed reads back as the same scene, and spate's own way of it passes its check. */
static void text_and_own(void)
{
    notes n = {0};
    spate_error error = {0};
    spate_scene *s = read_course("column.json", &n);
    char *text = s ? spate_scene_text(s) : NULL;
    spate_scene *again = text ? spate_scene_parse(text, strlen(text), ".", &error) : NULL;
    char *second = again ? spate_scene_text(again) : NULL;
    CHECK(text && second && strcmp(text, second) == 0);
    CHECK(s && sp_course_use_own(s, &error) == SPATE_OK);
    CHECK(s && s->pressure.solver == SPATE_SOLVER_MULTIGRID && s->fluid.free_flight);
    CHECK(s && spate_scene_check(s, NULL, NULL, &error) == SPATE_OK);
    spate_free(text);
    spate_free(second);
    spate_scene_destroy(again);
    spate_scene_destroy(s);
}

static void bad_courses(void)
{
#define BOX "\"center\": [0.5, 0.5, 0.5], \"size\": [0.2, 0.2, 0.2]"
    static const struct {
        const char *text, *where, *message;
    } cases[] = {
        {"{\"n_grid\": 2}", "n_grid", "must be between 3 and 1024 (got 2)"},
        {"{\"n_grid\": 8.5}", "n_grid", "must be a whole number"},
        {"{\"n_grid\": 8, \"dt\": \"x\"}", "dt", "must be a number"},
        {"{\"n_grid\": 8, \"gravity\": [0, 1]}", "gravity", "must be a list of 3 numbers"},
        {"{\"n_grid\": 8, \"initial_particles\": {" BOX "}}", "initial_particles.n_particles",
         "is required"},
        {"{\"n_grid\": 8, \"initial_particles\": {\"n_particles\": 9, \"size\": [1, 1, 1]}}",
         "initial_particles.center", "is required"},
        {"{\"n_grid\": 8, \"initial_particles\": {\"n_particles\": 9, " BOX
         ", \"sampling_type\": \"sobol\"}}",
         "initial_particles.sampling_type", "must be one of grid, jittered_grid, random"},
        {"{\"n_grid\": 8, \"particle_events\": [{\"frame\": -5, \"n_particles\": 9, " BOX "}]}",
         "particle_events[0].frame", "is before the start (got -5)"},
        {"{\"n_grid\": 8, \"particle_events\": [{\"n_particles\": 9, " BOX "}]}",
         "particle_events[0].frame", "is required"},
        {"{\"n_grid\": 8, \"solid_boxes\": [{\"center\": [0, 0, 0], \"size\": [1, 0, 1]}]}",
         "solid_boxes[0].size", "must be positive"},
        {"{\"n_grid\": 8, \"use_gauss_seidel\": 1}", "use_gauss_seidel", "must be true or false"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        notes n = {0};
        spate_error error = {0};
        spate_scene *scene = parse(cases[k].text, &n, &error);
        CHECK(!scene && error.status == SPATE_ERROR_SCENE);
        CHECK_TEXT(error.where, cases[k].where);
        if (!strstr(error.message, cases[k].message))
            CHECK_TEXT(error.message, cases[k].message);
        spate_scene_destroy(scene);
    }
    notes n = {0};
    spate_error error = {0};
    spate_scene *scene = parse(
        "{\"n_grid\": 8, \"gravty\": 1, \"solid_boxes\": [{" BOX ", \"colour\": 1}]}", &n, &error);
    CHECK(scene && n.warnings == 2);
    CHECK(strstr(n.text,
                 "gravty: is no key of a course scene and is ignored; did you mean gravity?"));
    CHECK(strstr(n.text, "solid_boxes[0].colour: is no key of a course scene and is ignored"));
    spate_scene_destroy(scene);
}

TESTS(course)
{
    TEST(particles_of_the_column);
    TEST(particles_of_the_pool);
    TEST(settings_of_the_column);
    TEST(old_names_and_defaults);
    TEST(text_and_own);
    TEST(bad_courses);
}
