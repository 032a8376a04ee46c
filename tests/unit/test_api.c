/* test_api.c -- the public API: every function with sensible and with bad arguments, the views and
 * what they show, the stages against a whole step, and the clock. */
#include "sample.h"

#include "state/stage.h"
#include <spate/spate_io.h>

#include <math.h>
#include <unistd.h>

static spate_scene *pool_scene(int dim)
{
    spate_scene *scene = sample_scene(dim, 0.6, 0.4, 0.3, 24);
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.6, 0.2, 0.3);
    return scene;
}

/* ---- making one */

static int warnings;
static void count_warnings(void *user, spate_log_level level, const char *where,
                           const char *message)
{
    CHECK(user == &warnings);
    warnings += level == SPATE_LOG_WARNING && where[0] && message[0];
}

static void create(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = pool_scene(dim);
        spate_options options = sample_options();
        CHECK(options.threads == 0 && options.log == NULL && options.schedule == NULL);
        CHECK_TEXT(options.device, "cpu");
        sample_box(scene, SPATE_LIST_SOLIDS, 0.3, -1, -1, 0.301, 1, 1); /* thin: a warning */
        options.device = "auto";
        options.threads = 2;
        options.log = count_warnings;
        options.log_user = &warnings;
        warnings = 0;
        spate_error error = {0};
        spate_forecast forecast;
        CHECK(spate_scene_forecast(scene, &options, &forecast, &error) == SPATE_OK);
        spate_sim *sim = spate_sim_create(scene, &options, &error);
        CHECK(sim != NULL);
        CHECK(warnings == 1);
        strcpy(scene->name, "changed"); /* it has its own copy */
        CHECK_TEXT(spate_sim_scene(sim)->name, "untitled");
        CHECK(spate_sim_scene(sim)->solids.count == 1);
        CHECK(spate_sim_dim(sim) == dim);
        CHECK(spate_sim_threads(sim) == 2);
        char note[200];
        bool gpu = spate_device_available("cuda", note, sizeof note);
        CHECK_TEXT(spate_sim_device(sim), gpu ? "cuda" : "cpu");
        CHECK(forecast.particles == spate_sim_particles_count(sim, "fluid") &&
              forecast.particles > 0);
        CHECK(forecast.cells[0] == 24 && forecast.cells[1] == 16 &&
              forecast.cells[2] == (dim == 3 ? 12 : 1));
        CHECK_NEAR(forecast.cell_size, 0.025, 1e-8);
        CHECK_NEAR(forecast.domain[1], 0.4, 1e-7);
        spate_output_forecast output;
        CHECK(spate_scene_output_forecast(scene, &forecast, &output, &error) == SPATE_OK);
        CHECK(forecast.memory > 1000000 && output.particles_bytes > 28 * forecast.particles);
        CHECK(output.film_bytes > 0 && output.memory > 0);
        spate_sim_destroy(sim);
        spate_sim_destroy(NULL);
        spate_scene_destroy(scene);
        spate_scene_destroy(NULL);
    }
}

/* A frame that needs more steps than it may have goes on with a warning, once. */
static void too_few_steps_are_told(void)
{
    const double gravity[] = {-9.81, -1e6};
    for (int k = 0; k < 2; k++) {
        spate_scene *scene = pool_scene(2);
        spate_options options = sample_options();
        spate_error error = {0};
        scene->gravity[1] = gravity[k];
        scene->fill.items[0].max[0] = 0.3;
        scene->fps = 60;
        options.log = count_warnings;
        options.log_user = &warnings;
        spate_sim *sim = spate_sim_create(scene, &options, &error);
        CHECK(sim != NULL);
        warnings = 0;
        for (int frame = 0; frame < 2; frame++)
            CHECK(spate_sim_step_frame(sim, &error) == SPATE_OK);
        CHECK(warnings == k);
        spate_sim_destroy(sim);
        spate_scene_destroy(scene);
    }
}

static void create_refuses(void)
{
    spate_error error = {0};
    spate_scene *scene = pool_scene(2);
    spate_options options = sample_options();
    spate_forecast forecast;
    options.device = "cuda:17";
    CHECK(spate_sim_create(scene, &options, &error) == NULL && error.status == SPATE_ERROR_DEVICE);
    CHECK(strstr(error.message, "cuda:17") != NULL);
    CHECK(spate_scene_forecast(scene, &options, &forecast, &error) == SPATE_ERROR_DEVICE);
    scene->fill.items[0].max[0] = -1;
    CHECK(spate_sim_create(scene, NULL, &error) == NULL && error.status == SPATE_ERROR_SCENE);
    CHECK_TEXT(error.where, "fill[0].max");
    CHECK(spate_scene_forecast(scene, NULL, &forecast, NULL) == SPATE_ERROR_SCENE);
    CHECK(spate_scene_check(scene, NULL, NULL, NULL) == SPATE_ERROR_SCENE);
    CHECK(spate_sim_create(scene, NULL, NULL) == NULL);
    spate_scene_destroy(scene);
}

/* ---- stages and steps */

static void stages_are_a_step(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_sim *whole = sample_sim(pool_scene(dim), 2), *parts = sample_sim(pool_scene(dim), 1);
        double push[3] = {2, 1, 0.5}, at[3] = {0.2, 0.1, 0.1};
        spate_sim_add_impulse(whole, at, 0.15, push, NULL);
        spate_sim_add_impulse(parts, at, 0.15, push, NULL);
        spate_error error = {0};
        for (int step = 0; step < 25; step++) {
            double dt = spate_sim_next_dt(whole);
            CHECK(dt == spate_sim_next_dt(parts));
            CHECK(sample_step(whole, 0));
            for (int stage = 0; stage < SP_STAGE_COUNT; stage++) {
                CHECK(spate_sim_steps(parts) == (uint64_t)step);
                CHECK(spate_sim_run_stage(parts, stage, dt, &error) == SPATE_OK);
            }
            CHECK(spate_sim_hash(whole) == spate_sim_hash(parts));
            CHECK(spate_sim_time(whole) == spate_sim_time(parts));
            CHECK(spate_sim_frame(whole) == spate_sim_frame(parts));
        }
        CHECK(spate_sim_run_stage(parts, SP_STAGE_COUNT, 0.01, &error) == SPATE_ERROR_USAGE);
        CHECK(spate_sim_run_stage(parts, -1, 0.01, &error) == SPATE_ERROR_USAGE);
        CHECK(spate_sim_run_stage(parts, SP_STAGE_SORT, -1, &error) == SPATE_ERROR_USAGE);
        CHECK(spate_sim_run_stage(parts, SP_STAGE_SORT, NAN, NULL) == SPATE_ERROR_USAGE);
        CHECK(spate_sim_step(whole, -0.1, &error) == SPATE_ERROR_USAGE);
        CHECK(spate_sim_step(whole, NAN, &error) == SPATE_ERROR_USAGE);
        CHECK(spate_sim_step(whole, INFINITY, NULL) == SPATE_ERROR_USAGE);
        CHECK(spate_sim_steps(whole) == 25);
        spate_sim_destroy(whole);
        spate_sim_destroy(parts);
    }
    for (int stage = 0; stage < SP_STAGE_COUNT; stage++)
        for (int other = 0; other < stage; other++)
            CHECK(strcmp(spate_stage_name(stage), spate_stage_name(other)) != 0);
    CHECK_TEXT(spate_stage_name(SP_STAGE_P2G), "p2g");
    CHECK_TEXT(spate_stage_name(SP_STAGE_COUNT), "");
    CHECK_TEXT(spate_stage_what(SP_STAGE_P2G), "velocities of the particles to the faces");
    CHECK_TEXT(spate_stage_what(SP_STAGE_COUNT), "");
    CHECK_TEXT(spate_stage_what(-1), "");
}

static void frames_end_on_time(void)
{
    static const double rates[5] = {24, 30, 29.97, 7.3, 1000};
    for (int k = 0; k < 5; k++) {
        spate_scene *scene = pool_scene(2);
        scene->fps = rates[k];
        spate_sim *sim = sample_sim(scene, 1);
        CHECK(spate_sim_at_frame(sim) && spate_sim_frame(sim) == 0 && spate_sim_time(sim) == 0);
        uint64_t steps = 0;
        for (int frame = 1; frame <= 12; frame++) {
            CHECK(spate_sim_step_frame(sim, NULL) == SPATE_OK);
            CHECK(spate_sim_at_frame(sim) && spate_sim_frame(sim) == frame);
            CHECK(spate_sim_time(sim) == frame / rates[k]);
            spate_stats stats = sample_stats(sim);
            CHECK(stats.frame == frame && stats.time == spate_sim_time(sim) && stats.substeps >= 1);
            steps += (uint64_t)stats.substeps;
            CHECK(stats.cfl <= 2.001);
        }
        CHECK(spate_sim_steps(sim) == steps);
        spate_sim_destroy(sim);
    }
}

static void substeps(void)
{
    spate_scene *scene = pool_scene(2);
    scene->time.min_substeps = 5;
    spate_sim *sim = sample_sim(scene, 1);
    CHECK(spate_sim_step_frame(sim, NULL) == SPATE_OK);
    CHECK(sample_stats(sim).substeps == 5);
    CHECK_NEAR(spate_sim_next_dt(sim), 1.0 / 150, 1e-12);
    CHECK(sample_step(sim, 0) && !spate_sim_at_frame(sim));
    CHECK_NEAR(spate_sim_time(sim), 1.0 / 30 + 1.0 / 150, 1e-12);
    spate_sim_destroy(sim);

    scene = pool_scene(2); /* too fast for two steps: it goes on, and says so */
    sample_velocity(&scene->fill.items[0], 40, 0, 0);
    scene->time.max_substeps = 2;
    sim = sample_sim(scene, 1);
    CHECK(spate_sim_step_frame(sim, NULL) == SPATE_OK);
    CHECK(sample_stats(sim).substeps == 2);
    CHECK(sample_stats(sim).cfl > 20);
    spate_sim_destroy(sim);

    scene = pool_scene(2); /* a fixed step that a frame holds four times, whatever the speed */
    sample_velocity(&scene->fill.items[0], 40, 0, 0);
    scene->time.dt = 1.0 / 120;
    scene->time.max_substeps = 1;
    sim = sample_sim(scene, 1);
    for (int frame = 0; frame < 3; frame++) {
        CHECK_NEAR(spate_sim_next_dt(sim), 1.0 / 120, 1e-12);
        CHECK(spate_sim_step_frame(sim, NULL) == SPATE_OK);
        CHECK(sample_stats(sim).substeps == 4);
    }
    spate_sim_destroy(sim);
}

/* Steps of the host's own length, across frames: time is their sum, and the next frame can be
 * reached from there. */
static void own_steps(void)
{
    static const double lengths[4] = {0.007, 1.0 / 30, 0.05, 0.11};
    for (int k = 0; k < 4; k++) {
        spate_sim *sim = sample_sim(pool_scene(2), 1);
        for (int step = 1; step <= 10; step++) {
            CHECK(sample_step(sim, lengths[k]));
            CHECK_NEAR(spate_sim_time(sim), step * lengths[k], 1e-9);
            CHECK(spate_sim_frame(sim) == (int)floor(step * lengths[k] * 30 + 1e-6));
            CHECK(spate_sim_next_dt(sim) > 0 && spate_sim_next_dt(sim) <= 1.0 / 30 + 1e-12);
        }
        int frame = spate_sim_frame(sim);
        CHECK(spate_sim_step_frame(sim, NULL) == SPATE_OK);
        CHECK(spate_sim_frame(sim) == frame + 1 && spate_sim_at_frame(sim));
        CHECK_NEAR(spate_sim_time(sim), (frame + 1) / 30.0, 1e-9);
        CHECK(sample_stats(sim).substeps < 30);
        spate_sim_destroy(sim);
    }
}

/* ---- particles */

static void add_particles(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = pool_scene(dim);
        sample_box(scene, SPATE_LIST_SOLIDS, 0.4, 0.25, -1, 0.5, 0.35, 1);
        spate_channel *dye = spate_scene_add_channel(scene);
        strcpy(dye->name, "dye");
        dye->components = 2;
        dye->initial[1] = 7;
        spate_sim *sim = sample_sim(scene, 1);
        size_t before = spate_sim_particles_count(sim, "fluid"), added = 99;
        const float x[] = {0.2f, 0.3f, 0.1f,  -0.1f, 0.1f, 0.1f, 0.45f, 0.3f,
                           0.1f, 0.2f, 0.41f, 0.1f,  0.6f, 0.3f, 0.1f};
        const float v[] = {1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3};
        CHECK(spate_sim_add_particles(sim, x, v, 5, &added, NULL) == SPATE_OK);
        CHECK(added == 1);
        CHECK(spate_sim_particles_count(sim, "fluid") == before + 1);
        spate_particles_view view = sample_view(sim);
        float *columns[4];
        CHECK(spate_sim_channel_view(sim, "dye", columns) == 2);
        for (size_t k = 0; k < view.count; k++) {
            CHECK(columns[0][k] == 0 && columns[1][k] == 7);
            if (view.id[k] != before)
                continue;
            CHECK(view.v[0][k] == 1 && view.v[1][k] == 2 && (dim == 2 || view.v[2][k] == 3));
            CHECK_NEAR(view.origin[1] + view.scale * view.x[1][k], 0.3, 1e-6);
        }
        CHECK(spate_sim_add_particles(sim, x, NULL, 1, NULL, NULL) == SPATE_OK);
        CHECK(spate_sim_add_particles(sim, NULL, NULL, 0, &added, NULL) == SPATE_OK && added == 0);
        CHECK(sample_stats(sim).added == 2);
        spate_sim_destroy(sim);
    }
}

static void remove_particles(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_sim *sim = sample_sim(pool_scene(dim), 1);
        size_t before = spate_sim_particles_count(sim, "fluid"), removed = 99;
        spate_error error = {0};
        spate_shape box = sample_box_shape(0, 0, 0, 0.3, 1, 1);
        CHECK(spate_sim_remove_particles(sim, &box, &removed, &error) == SPATE_OK);
        CHECK(removed == before / 2 && spate_sim_particles_count(sim, "fluid") == before - removed);
        spate_particles_view view = sample_view(sim);
        for (size_t k = 0; k < view.count; k++)
            CHECK(view.scale * view.x[0][k] > 0.3);
        CHECK(spate_sim_remove_particles(sim, &box, &removed, &error) == SPATE_OK && removed == 0);
        box.invert = true;
        spate_shape unset = sample_shape(), points = sample_shape();
        points.shape = SPATE_SHAPE_PARTICLES;
        CHECK(spate_sim_remove_particles(sim, &unset, &removed, &error) !=
              SPATE_OK); /* its lengths are not given */
        CHECK(spate_sim_particles_count(sim, "fluid") == view.count);
        CHECK(spate_sim_remove_particles(sim, &points, &removed, &error) == SPATE_ERROR_USAGE);
        CHECK(spate_sim_remove_particles(sim, &box, NULL, NULL) == SPATE_OK);
        CHECK(spate_sim_particles_count(sim, "fluid") == 0);
        CHECK(sample_step(sim, 0) && sample_ledger(sim));
        spate_sim_destroy(sim);
    }
}

static void particles_read(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_sim *sim = sample_sim(pool_scene(dim), 1);
        CHECK(sample_step(sim, 0));
        spate_particles_view view = sample_view(sim);
        CHECK(view.count == spate_sim_particles_count(sim, "fluid"));
        CHECK((view.x[2] == NULL) == (dim == 2) && (view.v[2] == NULL) == (dim == 2));
        float *x = malloc(view.count * 12), *v = malloc(view.count * 12);
        uint32_t *id = malloc(view.count * 4);
        spate_sim_particles_read(sim, "fluid", x, v, id);
        for (size_t k = 0; k < view.count; k++) {
            CHECK(id[k] == view.id[k]);
            for (size_t d = 0; d < 3; d++) {
                double place = (int)d < dim ? view.origin[d] + view.scale * view.x[d][k] : 0;
                CHECK_NEAR(x[3 * k + d], place, 1e-7);
                CHECK(v[3 * k + d] == ((int)d < dim ? view.v[d][k] : 0));
            }
        }
        spate_sim_particles_read(sim, "fluid", NULL, NULL, NULL);
        free(x);
        free(v);
        free(id);
        spate_sim_destroy(sim);
    }
}

static void gravity_and_impulse(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = sample_scene(dim, 0.6, 0.6, 0.6, 24);
        sample_sphere(scene, SPATE_LIST_FILL, 0.3, 0.3, 0.3, 0.1);
        spate_sim *sim = sample_sim(scene, 1);
        double sideways[3] = {3, 0, 0}, middle[3] = {0.3, 0.3, 0.3}, up[3] = {0, 2, 0};
        spate_sim_set_gravity(sim, sideways, NULL);
        CHECK(sample_step(sim, 0.01));
        spate_particles_view view = sample_view(sim);
        for (size_t k = 0; k < view.count; k++)
            CHECK(fabs(view.v[0][k] - 0.015) < 1e-5 && fabs(view.v[1][k]) < 1e-5);
        spate_sim_add_impulse(sim, middle, 0, up, NULL);
        spate_sim_add_impulse(sim, middle, -1, up, NULL);
        spate_sim_add_impulse(sim, middle, 0.06, up, NULL);
        double highest = 0;
        for (size_t k = 0; k < view.count; k++) {
            double square = 0;
            for (int d = 0; d < dim; d++)
                square += pow(view.scale * view.x[d][k] - 0.3, 2);
            double got = view.v[1][k];
            highest = fmax(highest, got);
            CHECK(square < 0.06 * 0.06 ? got > -1e-5 && got <= 2 + 1e-5 : fabs(got) < 1e-5);
        }
        CHECK(highest > 1.7);
        spate_sim_destroy(sim);
    }
}

/* ---- solids */

static void solids_refuse(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_sim *sim = sample_sim(pool_scene(dim), 1);
        size_t before = spate_sim_particles_count(sim, "fluid");
        spate_error error = {0};
        spate_solid_id id, none = {12, 1};
        spate_shape bad[5];
        for (int k = 0; k < 5; k++)
            bad[k] = sample_shape();
        bad[1].shape = SPATE_SHAPE_PARTICLES;
        bad[2].shape = SPATE_SHAPE_MESH; /* without one */
        bad[3] = sample_box_shape(0.2, 0, 0, 0.1, 0.1, 0.1);
        bad[4].shape = SPATE_SHAPE_SPHERE;
        bad[4].center[0] = bad[4].center[1] = bad[4].center[2] = 0.1;
        bad[4].radius = -1;
        for (int k = 0; k < 5; k++) {
            spate_status status = spate_sim_add_solid(sim, &bad[k], &id, &error);
            if (status == SPATE_OK) {
                printf("  %dD: shape %d was taken\n", dim, k);
                test_failures++;
                break;
            }
        }
        double good[3] = {0, 0, 0}, broken[3] = {0, NAN, 0};
        CHECK(spate_sim_move_solid(sim, none, good, good, &error) == SPATE_ERROR_USAGE);
        CHECK(strstr(error.message, "12") != NULL);
        CHECK(spate_sim_remove_solid(sim, (spate_solid_id){0, 0}, &error) == SPATE_ERROR_USAGE);
        spate_shape box = sample_box_shape(0.3, 0.3, 0.1, 0.35, 0.35, 0.2);
        CHECK(spate_sim_add_solid(sim, &box, &id, &error) == SPATE_OK);
        CHECK(spate_sim_move_solid(sim, id, broken, good, &error) == SPATE_ERROR_USAGE);
        CHECK(spate_sim_move_solid(sim, id, good, broken, &error) == SPATE_ERROR_USAGE);
        CHECK(spate_sim_remove_solid(sim, id, &error) == SPATE_OK);
        CHECK(spate_sim_remove_solid(sim, id, &error) == SPATE_ERROR_USAGE);
        double at[3] = {0.32, 0.32, 0.15};
        spate_solid_id nearest = {5, 5};
        CHECK(sample_step(sim, 0));
        CHECK(spate_sim_solid_distance(sim, at, &nearest) == HUGE_VAL && nearest.generation == 0);
        CHECK(spate_sim_particles_count(sim, "fluid") == before);
        spate_sim_destroy(sim);
    }
}

/* A solid that is added later starts where it was placed; a velocity carries it away from there. */
static void solid_added_later(void)
{
    spate_sim *sim = sample_sim(pool_scene(2), 1);
    while (spate_sim_time(sim) < 0.5)
        CHECK(sample_step(sim, 0));
    spate_shape box = sample_box_shape(0.1, 0.3, 0, 0.15, 0.35, 0);
    sample_velocity(&box, 0.2, 0, 0);
    CHECK(spate_sim_add_solid(sim, &box, NULL, NULL) == SPATE_OK);
    double at[3] = {0.125, 0.325, 0};
    CHECK_NEAR(spate_sim_solid_distance(sim, at, NULL), -0.025, 1e-9);
    CHECK(sample_step(sim, 0.01));
    at[0] += 0.002;
    CHECK_NEAR(spate_sim_solid_distance(sim, at, NULL), -0.025, 1e-9);
    spate_sim_destroy(sim);
}

/* What a loaded simulation says of its solids before its next step. */
static void solids_after_load(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        sample_memory memory = {0};
        spate_sim *sims[2];
        for (int k = 0; k < 2; k++) {
            spate_scene *scene = pool_scene(dim);
            sample_box(scene, SPATE_LIST_SOLIDS, 0.5, 0.3, -1, 0.55, 0.35, 1);
            sample_velocity(sample_box(scene, SPATE_LIST_SOLIDS, 0, 0.3, -1, 0.05, 0.35, 1), 0.5, 0,
                            0);
            sims[k] = sample_sim(scene, 1);
        }
        while (spate_sim_time(sims[0]) < 0.8)
            CHECK(sample_step(sims[0], 0));
        CHECK(spate_sim_save(sims[0], sample_write, &memory, NULL) == SPATE_OK);
        CHECK(spate_sim_load(sims[1], sample_read, &memory, NULL) == SPATE_OK);
        double at[3] = {0.43, 0.32, 0.1};
        spate_solid_id which[2];
        CHECK_NEAR(spate_sim_solid_distance(sims[1], at, &which[1]),
                   spate_sim_solid_distance(sims[0], at, &which[0]), 0);
        CHECK(which[0].index == 1 && which[1].index == 1 && which[1].generation == 1);
        for (int k = 0; k < 2; k++)
            spate_sim_destroy(sims[k]);
        free(memory.bytes);
    }
}

/* ---- channels */

static void channels(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = pool_scene(dim);
        sample_sphere(scene, SPATE_LIST_FILL, 0.3, 0.3, 0.15, 0.05);
        sample_velocity(sample_box(scene, SPATE_LIST_INFLOWS, 0, 0.3, 0, 0.05, 0.35, 0.3), 1, 0, 0);
        strcpy(spate_scene_add_channel(scene)->name, "source");
        strcpy(spate_scene_add_channel(scene)->name, "age");
        spate_sim *sim = sample_sim(scene, 1);
        float *source[4], *age[4], *none[4];
        for (int step = 0; step < 5; step++)
            CHECK(sample_step(sim, 0.01));
        CHECK(spate_sim_channel_view(sim, "source", source) == 1 &&
              spate_sim_channel_view(sim, "age", age) == 1);
        CHECK(spate_sim_channel_view(sim, "colour", none) == 0 &&
              spate_sim_channel_view(sim, "", none) == 0);
        size_t count[3] = {0, 0, 0};
        for (size_t k = 0; k < spate_sim_particles_count(sim, "fluid"); k++) {
            int from = (int)source[0][k];
            CHECK(from >= 0 && from <= 2);
            count[from]++;
            if (from < 2)
                CHECK_NEAR(age[0][k], 0.05, 1e-6);
            else
                CHECK(age[0][k] >= 0 && age[0][k] <= 0.05001f);
        }
        CHECK(count[0] > count[1] && count[1] > 0 && count[2] > 0);
        CHECK(count[0] + count[1] == sample_stats(sim).seeded &&
              count[2] == sample_stats(sim).added);
        spate_sim_destroy(sim);
    }
}

/* ---- fields */

static float value_at(const spate_field_view *view, int i, int j, int k)
{
    return view->values[i * view->stride[0] + j * view->stride[1] + k * view->stride[2]];
}

static void shapes_of_fields(void)
{
    static const char *const names[6] = {"u", "v", "w", "p", "solid", "type"};
    static const int ends[6][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1},
                                   {0, 0, 0}, {1, 1, 1}, {0, 0, 0}};
    for (int dim = 2; dim <= 3; dim++) {
        spate_sim *sim = sample_sim(pool_scene(dim), 1);
        CHECK(sample_step(sim, 0));
        int cells[3] = {24, 16, dim == 3 ? 12 : 1};
        for (int f = 0; f < 6; f++) {
            spate_field_view view;
            bool there = spate_sim_field_view(sim, names[f], &view);
            CHECK(there == (dim == 3 || f != 2));
            if (!there)
                continue;
            CHECK((view.bytes != NULL) == (f == 5) && (view.values != NULL) == (f != 5));
            CHECK_NEAR(view.cell_size, 0.025, 1e-8);
            for (int d = 0; d < 3; d++) {
                CHECK(view.count[d] == cells[d] + (d < dim ? ends[f][d] : 0));
                CHECK_NEAR(view.origin[d], d >= dim || ends[f][d] ? 0 : 0.0125, 1e-8);
            }
            CHECK(view.stride[0] == 1 && view.stride[1] >= view.count[0]);
        }
        spate_field_view view;
        CHECK(!spate_sim_field_view(sim, "pressure", &view) &&
              !spate_sim_field_view(sim, "", &view));
        spate_sim_destroy(sim);
    }
}

/* Water at rest: rho g times the depth, within half a cell (the surface lies on cells). */
static void pressure_at_rest(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = pool_scene(dim);
        scene->fluid.density = 800;
        spate_sim *sim = sample_sim(scene, 1);
        for (int step = 0; step < 3; step++)
            CHECK(sample_step(sim, 0.005));
        spate_field_view p, type;
        CHECK(spate_sim_field_view(sim, "p", &p) && spate_sim_field_view(sim, "type", &type));
        for (int k = 0; k < p.count[2]; k++)
            for (int j = 0; j < p.count[1]; j++)
                for (int i = 0; i < p.count[0]; i++) {
                    double depth = 0.2 - (p.origin[1] + j * p.cell_size);
                    uint8_t kind =
                        type.bytes[i * type.stride[0] + j * type.stride[1] + k * type.stride[2]];
                    CHECK(kind == (j < 8 ? SPATE_CELL_LIQUID : SPATE_CELL_AIR));
                    CHECK_NEAR(value_at(&p, i, j, k), j < 8 ? 800 * 9.81 * depth : 0,
                               800 * 9.81 * 0.51 * p.cell_size);
                }
        spate_sim_destroy(sim);
    }
}

/* Types against a count of our own, and the solid's distance at the nodes near it. */
static void types_and_distances(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = pool_scene(dim);
        sample_box(scene, SPATE_LIST_SOLIDS, 0.2, 0, -1, 0.3, 0.3,
                   1); /* 4 x 12 cells, and all of z */
        sample_velocity(sample_box(scene, SPATE_LIST_INFLOWS, 0.5, 0.25, -1, 0.55, 0.3, 1), 0, -1,
                        0);
        spate_sim *sim = sample_sim(scene, 2);
        for (int stage = SP_STAGE_SORT; stage <= SP_STAGE_SURFACE; stage++)
            CHECK(spate_sim_run_stage(sim, stage, 0.01, NULL) == SPATE_OK);
        spate_field_view type, solid;
        CHECK(spate_sim_field_view(sim, "type", &type) &&
              spate_sim_field_view(sim, "solid", &solid));
        size_t found[4] = {0, 0, 0, 0}, wet = 0;
        size_t layers = (size_t)type.count[2];
        unsigned char *held = calloc((size_t)(24 * 16) * layers, 1);
        spate_particles_view view = sample_view(sim);
        for (size_t k = 0; k < view.count; k++) {
            int z = dim == 3 ? (int)view.x[2][k] : 0;
            held[(int)view.x[0][k] + 24 * ((int)view.x[1][k] + 16 * z)] = 1;
        }
        for (int k = 0; k < type.count[2]; k++)
            for (int j = 0; j < type.count[1]; j++)
                for (int i = 0; i < type.count[0]; i++) {
                    found[type.bytes[i * type.stride[0] + j * type.stride[1] + k * type.stride[2]] &
                          3]++;
                    wet += held[i + 24 * (j + 16 * k)];
                }
        CHECK(found[SPATE_CELL_LIQUID] == wet && wet == 20 * 8 * layers);
        CHECK(found[SPATE_CELL_SOLID] == 4 * 12 * layers);
        CHECK(found[SPATE_CELL_INFLOW] == 2 * 2 * layers);
        free(held);
        for (int k = 0; k < solid.count[2]; k++)
            for (int j = 0; j < solid.count[1]; j++)
                for (int i = 4; i <= 16; i++) { /* within four cells */
                    double x[3] = {i * solid.cell_size, j * solid.cell_size, k * solid.cell_size};
                    double exact = spate_sim_solid_distance(sim, x, NULL);
                    if (exact < 4 * solid.cell_size)
                        CHECK_NEAR(value_at(&solid, i, j, k), exact, 1e-6);
                }
        spate_sim_destroy(sim);
    }
}

/* Two blocks, each with its own velocity: the faces inside them show it. */
static void velocities_on_faces(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = sample_scene(dim, 0.6, 0.4, 0.3, 24);
        sample_velocity(sample_box(scene, SPATE_LIST_FILL, 0.05, 0.05, 0.05, 0.2, 0.2, 0.2), 1, 2,
                        3);
        sample_velocity(sample_box(scene, SPATE_LIST_FILL, 0.4, 0.2, 0.1, 0.55, 0.35, 0.25), -4, 5,
                        -6);
        spate_sim *sim = sample_sim(scene, 1);
        for (int stage = SP_STAGE_SORT; stage <= SP_STAGE_P2G; stage++)
            CHECK(spate_sim_run_stage(sim, stage, 0.01, NULL) == SPATE_OK);
        static const char *const names[3] = {"u", "v", "w"};
        static const int inside[2][3] = {{5, 4, 4}, {19, 11, 7}};
        static const float expected[2][3] = {{1, 2, 3}, {-4, 5, -6}};
        for (int d = 0; d < dim; d++) {
            spate_field_view view;
            CHECK(spate_sim_field_view(sim, names[d], &view));
            for (int b = 0; b < 2; b++)
                CHECK_NEAR(value_at(&view, inside[b][0], inside[b][1], dim == 3 ? inside[b][2] : 0),
                           expected[b][d], 1e-5);
            CHECK(value_at(&view, 12, 2, 0) == 0);
        }
        spate_sim_destroy(sim);
    }
}

/* ---- statistics */

static void statistics(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = pool_scene(dim);
        sample_velocity(&scene->fill.items[0], 0.5, 0, 0);
        scene->fluid.jitter = 0;
        spate_sim *sim = sample_sim(scene, 1);
        spate_stats s = sample_stats(sim);
        double volume = dim == 2 ? 0.6 * 0.2 : 0.6 * 0.2 * 0.3, mass = 1000 * volume;
        CHECK(s.particles == s.seeded && s.added == 0 && s.removed == 0);
        CHECK(s.liquid_cells == 24u * 8 * (dim == 3 ? 12 : 1));
        CHECK_NEAR(s.ppc_mean, dim == 2 ? 4 : 8, 1e-12);
        CHECK(s.ppc_max == (dim == 2 ? 4u : 8u));
        CHECK_NEAR(s.volume, volume, 1e-6 * volume);
        CHECK_NEAR(s.volume_particles, volume, 1e-6 * volume);
        CHECK_NEAR(s.max_speed, 0.5, 1e-6);
        CHECK_NEAR(s.momentum_x, 0.5 * mass, 1e-5 * mass);
        CHECK(s.momentum_y == 0 && s.momentum_z == 0);
        CHECK_NEAR(s.kinetic_energy, 0.125 * mass, 1e-5 * mass);
        CHECK_NEAR(s.potential_energy, mass * 9.81 * 0.1, 1e-5 * mass);
        CHECK_NEAR(s.min_distance, 0.0125, 1e-6);
        CHECK(spate_sim_step_frame(sim, NULL) == SPATE_OK);
        s = sample_stats(sim);
        CHECK(s.frame == 1 && s.substeps >= 1 && s.solver_iterations > 0 && s.solver_failures == 0);
        CHECK(s.divergence_after < 0.1 * s.divergence_before && s.solver_residual <= 1e-4);
        double seconds = 0;
        for (int stage = 0; stage < SP_STAGE_COUNT; stage++)
            seconds += spate_sim_stage_seconds(sim, stage);
        CHECK(seconds > 0 && seconds < 60);
        spate_sim_destroy(sim);
    }
}

/* ---- scenes and files; their own tests say more */

static void scenes_and_settings(void)
{
    spate_error error = {0};
    spate_scene *scene = pool_scene(3), *copy = spate_scene_copy(scene);
    spate_value ratio = {.kind = SPATE_VALUE_NUMBER, .number = 0.5};
    CHECK(copy && copy != scene && copy->fill.items != scene->fill.items && copy->fill.count == 1);
    CHECK(spate_scene_set(scene, "fluid.flip_ratio", &ratio, &error) == SPATE_OK &&
          scene->fluid.flip_ratio == 0.5);
    CHECK(copy->fluid.flip_ratio == 0.97);
    CHECK(spate_scene_set(scene, "fluid.flipratio", &ratio, &error) == SPATE_ERROR_SCENE &&
          error.message[0]);
    ratio.number = 3;
    CHECK(spate_scene_set(scene, "fluid.flip_ratio", &ratio, &error) == SPATE_ERROR_SCENE);
    CHECK(spate_scene_assign(scene, "time.cfl=1.5", &error) == SPATE_OK && scene->time.cfl == 1.5);
    CHECK(spate_scene_assign(scene, "time.cfl", &error) != SPATE_OK);
    CHECK(spate_scene_assign(scene, "time.cfl=fast", &error) != SPATE_OK);
    char *text = spate_scene_text(scene);
    spate_scene *again = spate_scene_parse(text, strlen(text), ".", &error);
    CHECK(again && again->time.cfl == 1.5 && again->dim == 3 && again->fill.items[0].max[1] == 0.2);
    CHECK(spate_scene_parse("{ \"domain\": ", 12, ".", &error) == NULL &&
          error.status == SPATE_ERROR_SCENE);
    CHECK(spate_setting_count() > 40);
    for (int k = 0; k < spate_setting_count(); k++)
        CHECK(spate_setting_at(k)->path[0] && spate_setting_at(k)->help[0]);
    CHECK(spate_setting_at(-1) == NULL && spate_setting_at(spate_setting_count()) == NULL);
    CHECK_TEXT(spate_version(), SPATE_VERSION);
    spate_free(text);
    spate_scene_destroy(again);
    spate_scene_destroy(copy);
    spate_scene_destroy(scene);
}

static void meshes_and_points(void)
{
    spate_error error = {0};
    static const double corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const uint32_t one[3] = {0, 1, 2}, wild[3] = {0, 1, 9};
    CHECK(spate_mesh_create(corners, 3, one, 1, &error) == NULL &&
          error.message[0]); /* not closed */
    CHECK(spate_mesh_create(corners, 3, wild, 1, &error) == NULL);
    spate_mesh *mesh = sample_mesh(1, 1, 1);
    CHECK(mesh && spate_mesh_retain(mesh) == mesh);
    spate_mesh_destroy(mesh);
    spate_mesh_destroy(mesh);
    spate_mesh_destroy(NULL);
    static const float x[6] = {0.1f, 0.1f, 0.1f, 0.2f, 0.3f, 0.1f}, v[6] = {1, 2, 3, 4, 5, 6},
                       nan[3] = {NAN, 0, 0};
    CHECK(spate_points_create(nan, NULL, 1, &error) == NULL && error.message[0]);
    spate_points *points = spate_points_create(x, v, 2, &error);
    CHECK(points && spate_points_retain(points) == points);
    spate_points_destroy(points);
    spate_scene *scene = sample_scene(2, 0.6, 0.4, 0, 24);
    spate_shape *fill = spate_scene_add_shape(scene, SPATE_LIST_FILL);
    fill->shape = SPATE_SHAPE_PARTICLES;
    fill->points = points;
    spate_sim *sim = sample_sim(scene, 1);
    spate_particles_view view = sample_view(sim);
    CHECK(view.count == 2 && view.v[1][0] == 2 && view.v[0][1] == 4);
    spate_sim_destroy(sim);
    spate_points_destroy(NULL);
}

static void files(void)
{
    spate_error error = {0};
    char folder[] = "/tmp/spate-api-XXXXXX", path[64];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/none/file", folder);
    spate_sim *sim = sample_sim(pool_scene(2), 1), *other = sample_sim(pool_scene(2), 1);
    CHECK(spate_scene_read(path, &error) == NULL && error.status == SPATE_ERROR_FILE);
    CHECK(spate_mesh_read(path, &error) == NULL && error.status == SPATE_ERROR_FILE);
    CHECK(spate_points_read(path, &error) == NULL && error.status == SPATE_ERROR_FILE);
    CHECK(spate_sim_particles_write_ply(sim, path, &error) == SPATE_ERROR_FILE);
    CHECK(spate_sim_preview_write_png(sim, path, 64, 64, &error) == SPATE_ERROR_FILE);
    CHECK(spate_sim_checkpoint_write(sim, path, &error) == SPATE_ERROR_FILE);
    CHECK(spate_sim_checkpoint_read(sim, path, &error) == SPATE_ERROR_FILE);
    snprintf(path, sizeof path, "%s/file", folder);
    CHECK(spate_sim_preview_write_png(sim, path, 0, 64, &error) == SPATE_ERROR_USAGE);
    CHECK(access(path, F_OK) != 0);
    CHECK(spate_sim_preview_write_png(sim, path, 64, 48, &error) == SPATE_OK && unlink(path) == 0);
    CHECK(sample_step(sim, 0) && spate_sim_checkpoint_write(sim, path, &error) == SPATE_OK);
    CHECK(spate_sim_checkpoint_read(other, path, &error) == SPATE_OK);
    CHECK(spate_sim_hash(other) == spate_sim_hash(sim) && unlink(path) == 0);
    CHECK(spate_sim_particles_write_ply(sim, path, &error) == SPATE_OK);
    spate_points *points = spate_points_read(path, &error);
    CHECK(points != NULL);
    CHECK(spate_mesh_read(path, &error) == NULL); /* points have no faces */
    spate_points_destroy(points);
    CHECK(unlink(path) == 0 && rmdir(folder) == 0);
    spate_sim_destroy(sim);
    spate_sim_destroy(other);
}

TESTS(api)
{
    TEST(create);
    TEST(create_refuses);
    TEST(too_few_steps_are_told);
    TEST(stages_are_a_step);
    TEST(frames_end_on_time);
    TEST(substeps);
    TEST(own_steps);
    TEST(add_particles);
    TEST(remove_particles);
    TEST(particles_read);
    TEST(gravity_and_impulse);
    TEST(solids_refuse);
    TEST(solid_added_later);
    TEST(solids_after_load);
    TEST(channels);
    TEST(shapes_of_fields);
    TEST(pressure_at_rest);
    TEST(types_and_distances);
    TEST(velocities_on_faces);
    TEST(statistics);
    TEST(scenes_and_settings);
    TEST(meshes_and_points);
    TEST(files);
}
