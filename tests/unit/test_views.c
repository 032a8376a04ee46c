/* test_views.c -- what hosts see of a device's own memory, and velocities of faces that they change
 * inside a step. */
#include "device_test.h"
#include "sample.h"

#include <math.h>

/* A dam beside a ball, with channels. */
static spate_scene *dam(int dim)
{
    spate_scene *scene = sample_scene(dim, 1, 0.75, 0.5, 16);
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.4, 0.5, 0.5);
    sample_sphere(scene, SPATE_LIST_SOLIDS, 0.7, 0.2, 0.25, 0.12);
    snprintf(spate_scene_add_channel(scene)->name, 8, "age");
    spate_channel *dye = spate_scene_add_channel(scene);
    snprintf(dye->name, 8, "dye");
    dye->components = 2;
    dye->initial[1] = 0.25;
    return scene;
}

static spate_sim *start_dam(int dim, const char *device)
{
    spate_scene *scene = dam(dim);
    spate_sim *sim = start(scene, device);
    spate_scene_destroy(scene);
    return sim;
}

/* ---- views of a device */

static bool same_column(const void *there, const void *here, size_t count)
{
    return there && there != here && memcmp(there, here, count * 4) == 0;
}

static void compare_particles(spate_sim *sim)
{
    spate_particles_view here, there;
    const float *columns[4];
    float *own[4];
    CHECK(spate_sim_particles_device_view(sim, "fluid", &there));
    CHECK(spate_sim_particles_view(sim, "fluid", &here));
    CHECK(there.count == here.count && there.count > 0 && there.scale == here.scale);
    CHECK(there.size == sizeof there);
    for (int d = 0; d < spate_sim_dim(sim); d++) {
        CHECK(same_column(there.x[d], here.x[d], here.count));
        CHECK(same_column(there.v[d], here.v[d], here.count));
    }
    CHECK(same_column(there.id, here.id, here.count));
    CHECK(spate_sim_channel_device_view(sim, "dye", columns) == 2);
    /* the host's is for writing: after it the device's is made anew */
    CHECK(spate_sim_channel_view(sim, "dye", own) == 2);
    CHECK(spate_sim_channel_device_view(sim, "dye", columns) == 2);
    CHECK(same_column(columns[0], own[0], here.count) &&
          same_column(columns[1], own[1], here.count));
    CHECK(spate_sim_channel_device_view(sim, "dust", columns) == 0);
    CHECK(!spate_sim_particles_device_view(sim, "foam", &there) && there.count == 0);
}

static void compare_field(spate_sim *sim, const char *name)
{
    spate_field_view here, there;
    bool found = spate_sim_field_device_view(sim, name, &there);
    CHECK(found && spate_sim_field_view(sim, name, &here));
    if (!found)
        return;
    CHECK(memcmp(there.count, here.count, sizeof here.count) == 0);
    CHECK(memcmp(there.stride, here.stride, sizeof here.stride) == 0);
    CHECK(memcmp(there.origin, here.origin, sizeof here.origin) == 0);
    CHECK(there.cell_size == here.cell_size && (there.bytes != NULL) == (here.bytes != NULL));
    CHECK((const void *)there.values != (const void *)here.values || there.bytes != here.bytes);
    bool same = true;
    double sum = 0;
    for (int k = 0; k < here.count[2]; k++)
        for (int j = 0; j < here.count[1]; j++)
            for (int i = 0; i < here.count[0]; i++) {
                ptrdiff_t at = i * here.stride[0] + j * here.stride[1] + k * here.stride[2];
                float a = here.bytes ? (float)here.bytes[at] : here.values[at];
                float b = there.bytes ? (float)there.bytes[at] : there.values[at];
                same = same && memcmp(&a, &b, sizeof a) == 0;
                sum += fabs((double)a);
            }
    CHECK(same && sum > 0);
    if (!same)
        printf("  field %s\n", name);
}

static void views_of_a_device(void)
{
    static const char *const fields[] = {"u", "v", "w", "p", "phi", "solid", "type"};
    for (int dim = 2; dim <= 3; dim++) {
        spate_sim *sim = start_dam(dim, "check"), *plain = start_dam(dim, "check");
        spate_field_view view;
        const float spot[3] = {0.9f, 0.6f, 0.2f};
        if (!sim || !plain)
            return;
        for (int step = 0; step < 3; step++) {
            sample_step(sim, 0.004);
            sample_step(plain, 0.004);
            compare_particles(sim);
            for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
                if (dim == 3 || fields[k][0] != 'w')
                    compare_field(sim, fields[k]);
        }
        CHECK(!spate_sim_field_device_view(sim, "q", &view) && view.values == NULL);
        /* looking changed nothing; what the host adds is there */
        CHECK(spate_sim_hash(sim) == spate_sim_hash(plain));
        CHECK(spate_sim_add_particles(sim, spot, NULL, 1, NULL, NULL) == SPATE_OK);
        CHECK(spate_sim_add_particles(plain, spot, NULL, 1, NULL, NULL) == SPATE_OK);
        compare_particles(sim);
        sample_step(sim, 0.004);
        sample_step(plain, 0.004);
        CHECK(spate_sim_hash(sim) == spate_sim_hash(plain));
        spate_sim_destroy(sim);
        spate_sim_destroy(plain);
    }
}

static void no_device_no_view(void)
{
    spate_sim *sim = start_dam(2, "cpu");
    spate_particles_view particles;
    spate_field_view field;
    const float *columns[4];
    if (!sim)
        return;
    CHECK(!spate_sim_particles_device_view(sim, "fluid", &particles) && particles.count == 0);
    CHECK(!spate_sim_field_device_view(sim, "u", &field) && field.values == NULL);
    CHECK(spate_sim_channel_device_view(sim, "dye", columns) == 0);
    spate_sim_destroy(sim);
}

static void loans_end(void)
{
    int64_t block[3] = {0, 7, 8}; /* the mark, and what is lent */
    spate_loan_end(block + 1);
    CHECK(block[0] == 1 && block[1] == 7 && block[2] == 8);
}

/* The columns of gauges.csv. */
static void gauges_have_names(void)
{
    spate_scene *scene = dam(3);
    char name[72], little[4];
    snprintf(spate_scene_add_gauge(scene)->name, 8, "H1");
    spate_gauge *speed = spate_scene_add_gauge(scene);
    speed->kind = SPATE_GAUGE_VELOCITY;
    for (int k = 0; k < 2; k++)
        for (int d = 0; d < 3; d++)
            scene->gauges[k].at[d] = 0.1;
    spate_sim *sim = sample_sim(scene, 1);
    if (!sim)
        return;
    CHECK(spate_sim_gauge_column(sim, 0, 0, name, sizeof name) && strcmp(name, "H1") == 0);
    CHECK(spate_sim_gauge_column(sim, 1, 2, name, sizeof name) && strcmp(name, "gauges[1]_z") == 0);
    CHECK(spate_sim_gauge_column(sim, 1, 0, little, sizeof little) && strcmp(little, "gau") == 0);
    CHECK(!spate_sim_gauge_column(sim, 0, 1, name, sizeof name) && name[0] == 0);
    CHECK(!spate_sim_gauge_column(sim, 1, 3, name, sizeof name));
    CHECK(!spate_sim_gauge_column(sim, 2, 0, name, sizeof name));
    CHECK(!spate_sim_gauge_column(sim, -1, 0, name, sizeof name));
    CHECK(!spate_sim_gauge_column(sim, 0, -1, name, sizeof name));
    spate_sim_destroy(sim);
}

/* ---- velocities of faces */

typedef struct force {
    int stage, calls;
    double along[2]; /* m/s^2 */
    double dt;       /* that the callback saw */
} force;

static void push(spate_sim *sim, const force *f)
{
    static const char *const names[] = {"u", "v"};
    for (int axis = 0; axis < 2; axis++) {
        spate_field_view view;
        float *u = spate_sim_velocity_edit(sim, axis, NULL);
        CHECK(u && spate_sim_field_view(sim, names[axis], &view) && u == view.values);
        for (int k = 0; u && k < view.count[2]; k++)
            for (int j = 0; j < view.count[1]; j++)
                for (int i = 0; i < view.count[0]; i++)
                    u[i * view.stride[0] + j * view.stride[1] + k * view.stride[2]] +=
                        (float)(f->along[axis] * spate_sim_step_dt(sim));
    }
}

static int on_stage(void *user, spate_sim *sim, int stage)
{
    force *f = user;
    f->dt = spate_sim_step_dt(sim);
    f->calls++;
    if (stage == f->stage)
        push(sim, f);
    return 0;
}

/* Mean velocity of the particles. */
static void mean(spate_sim *sim, double v[3])
{
    spate_particles_view view = sample_view(sim);
    for (int d = 0; d < 3; d++) {
        v[d] = 0;
        for (size_t k = 0; k < view.count && view.v[d]; k++)
            v[d] += (double)view.v[d][k] / (double)view.count;
    }
}

/* A drop in the air, pushed to the side and up: it flies as the force says, on the CPU as on a
 * device, in a step as in its stages one by one. */
static void forces_of_the_host(void)
{
    static const char *const devices[] = {"cpu", "check"};
    const double dt = 0.004;
    for (int dim = 2; dim <= 3; dim++)
        for (int k = 0; k < 2; k++) {
            force f = {.stage = spate_stage_find("surface"), .along = {3, 4}};
            spate_scene *scene = sample_scene(dim, 1, 1, 1, 16);
            sample_sphere(scene, SPATE_LIST_FILL, 0.5, 0.5, 0.5, 0.2);
            scene->gravity[1] = 0;
            spate_sim *sim = start(scene, devices[k]), *parts = start(scene, devices[k]);
            spate_scene_destroy(scene);
            if (!sim || !parts)
                return;
            CHECK(spate_sim_step_dt(sim) == 0);
            spate_sim_set_stage_callback(sim, on_stage, &f);
            for (int step = 0; step < 5; step++) {
                sample_step(sim, dt);
                for (int stage = 0; stage < spate_stage_count(); stage++) {
                    CHECK(spate_sim_run_stage(parts, stage, dt, NULL) == SPATE_OK);
                    if (stage == f.stage)
                        push(parts, &f);
                }
            }
            double v[3];
            mean(sim, v);
            CHECK_NEAR(v[0], 5 * dt * f.along[0], 0.02 * 5 * dt * f.along[0]);
            CHECK_NEAR(v[1], 5 * dt * f.along[1], 0.02 * 5 * dt * f.along[1]);
            CHECK_NEAR(v[2], 0, 1e-4);
            CHECK(f.calls == 5 * spate_stage_count() && f.dt == dt && spate_sim_step_dt(sim) == dt);
            CHECK(spate_sim_hash(sim) == spate_sim_hash(parts));
            spate_sim_destroy(sim);
            spate_sim_destroy(parts);
        }
}

static int wrong_axis(void *user, spate_sim *sim, int stage)
{
    (void)stage;
    spate_error error = {0};
    CHECK(!spate_sim_velocity_edit(sim, 2, &error) && error.status == SPATE_ERROR_USAGE);
    CHECK(!spate_sim_velocity_edit(sim, -1, &error) && strcmp(error.where, "axis") == 0);
    ++*(int *)user;
    return 0;
}

static void only_inside_a_step(void)
{
    spate_sim *sim = start_dam(2, "cpu");
    spate_error error = {0};
    int calls = 0;
    if (!sim)
        return;
    CHECK(!spate_sim_velocity_edit(sim, 0, &error) && error.status == SPATE_ERROR_USAGE);
    sample_step(sim, 0.004);
    CHECK(!spate_sim_velocity_edit(sim, 0, NULL));
    spate_sim_set_stage_callback(sim, wrong_axis, &calls);
    sample_step(sim, 0.004);
    CHECK(calls == spate_stage_count());
    spate_sim_destroy(sim);
}

TESTS(views)
{
    SETUP(add_check_device);
    TEST(views_of_a_device);
    TEST(no_device_no_view);
    TEST(loans_end);
    TEST(gauges_have_names);
    TEST(forces_of_the_host);
    TEST(only_inside_a_step);
}
