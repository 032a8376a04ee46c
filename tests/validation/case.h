/* case.h -- what the validation cases share: building scenes, stepping them, looking at the
 * particles.
 *
 * Without --full a case runs its fast form (make test), with it everything (make validate). It
 * prints each figure beside its limit, as `NAME measured (limit)`. --set PATH=VALUE, an option of
 * the test program, changes a setting of every scene. */
#ifndef SPATE_VALIDATION_CASE_H
#define SPATE_VALIDATION_CASE_H

#include "test.h"
#include "values.h"

#include <spate/spate_io.h>
#include <stdlib.h>

#define GRAVITY 9.81
#define DENSITY 1000.0

#define case_full test_full()

/* A velocity (m/s) and a value at x (m). v is 0 before. */
typedef void case_velocity_fn(const void *args, const double x[3], double v[3]);
typedef double case_value_fn(const void *args, const double x[3]);

static inline spate_scene *case_scene(int dim, double dx, double width, double height, double depth)
{
    spate_scene *scene = spate_scene_create();
    if (!scene) {
        printf("out of memory\n");
        exit(1);
    }
    scene->dim = dim;
    scene->domain.cell_size = dx;
    scene->domain.size[0] = width;
    scene->domain.size[1] = height;
    scene->domain.size[2] = depth;
    scene->fps = 60;
    for (int k = 0; k < test_setting_count; k++) {
        spate_error error = {.status = SPATE_OK};
        if (spate_scene_assign(scene, test_settings[k], &error) != SPATE_OK) {
            printf("%s: %s\n", test_settings[k], error.message);
            exit(2);
        }
    }
    return scene;
}

static inline spate_shape *case_add(spate_scene *scene, spate_list list, spate_shape_kind kind)
{
    spate_shape *shape = spate_scene_add_shape(scene, list);
    if (!shape) {
        printf("out of memory\n");
        exit(1);
    }
    shape->shape = kind;
    return shape;
}

static inline spate_shape *case_box(spate_scene *scene, spate_list list, double x0, double y0,
                                    double z0, double x1, double y1, double z1)
{
    spate_shape *box = case_add(scene, list, SPATE_SHAPE_BOX);
    const double low[3] = {x0, y0, z0}, high[3] = {x1, y1, z1};
    memcpy(box->min, low, sizeof low);
    memcpy(box->max, high, sizeof high);
    return box;
}

/* Creates the simulation and lets go of the scene; NULL is a failure of the test. */
static inline spate_sim *case_start(spate_scene *scene)
{
    spate_error error = {.status = SPATE_OK};
    spate_sim *sim = spate_sim_create(scene, NULL, &error);
    if (!sim)
        printf("  %s: %s\n", error.where, error.message);
    CHECK(sim != NULL);
    spate_scene_destroy(scene);
    return sim;
}

/* dt = 0: to the next frame. */
static inline bool case_step(spate_sim *sim, double dt)
{
    spate_error error = {.status = SPATE_OK};
    spate_status status =
        dt > 0 ? spate_sim_step(sim, dt, &error) : spate_sim_step_frame(sim, &error);
    if (status != SPATE_OK)
        printf("  %s: %s\n", error.where, error.message);
    CHECK(status == SPATE_OK);
    return status == SPATE_OK;
}

/* The particles that are there, in the same places, with the velocities of `at`: they are taken out
 * and put in again, so they carry no gradients yet. */
static inline bool case_set_velocities(spate_sim *sim, case_velocity_fn *at, const void *args)
{
    size_t count = spate_sim_particles_count(sim, "fluid"), removed = 0, added = 0;
    spate_shape all = sample_shape();
    float *x = malloc(3 * count * sizeof *x), *v = malloc(3 * count * sizeof *v);
    spate_error error = {.status = SPATE_OK};
    bool done = x && v && spate_sim_particles_read(sim, "fluid", x, NULL, NULL);
    all.shape = SPATE_SHAPE_BOX;
    for (int d = 0; d < 3; d++) {
        all.min[d] = -1000;
        all.max[d] = 1000;
    }
    for (size_t k = 0; k < count && done; k++) {
        double place[3] = {x[3 * k], x[3 * k + 1], x[3 * k + 2]}, u[3] = {0};
        at(args, place, u);
        for (int d = 0; d < 3; d++)
            v[3 * k + d] = (float)u[d];
    }
    done = done && spate_sim_remove_particles(sim, &all, &removed, &error) == SPATE_OK &&
           spate_sim_add_particles(sim, x, v, count, &added, &error) == SPATE_OK &&
           removed == count && added == count;
    if (error.status != SPATE_OK)
        printf("  %s: %s\n", error.where, error.message);
    CHECK(done);
    free(x);
    free(v);
    return done;
}

/* Gives each particle the value of a channel of one component. */
static inline bool case_set_channel(spate_sim *sim, const char *name, case_value_fn *at,
                                    const void *args)
{
    float *columns[4];
    bool done = spate_sim_channel_view(sim, name, columns) == 1;
    spate_particles_view view = sample_view(sim);
    CHECK(done);
    for (size_t k = 0; k < view.count && done; k++) {
        double x[3] = {0};
        for (int d = 0; d < spate_sim_dim(sim); d++)
            x[d] = view.origin[d] + view.scale * (double)view.x[d][k];
        columns[0][k] = (float)at(args, x);
    }
    return done;
}

static inline double case_max_speed(spate_sim *sim)
{
    spate_particles_view view = sample_view(sim);
    double most = 0;
    for (size_t k = 0; k < view.count; k++) {
        double square = 0;
        for (int d = 0; d < spate_sim_dim(sim); d++)
            square += (double)view.v[d][k] * view.v[d][k];
        most = square > most || square != square ? square : most;
    }
    return sqrt(most);
}

/* Sum of v^2 over the particles. */
static inline double case_square_sum(spate_sim *sim)
{
    spate_particles_view view = sample_view(sim);
    double sum = 0;
    for (int d = 0; d < spate_sim_dim(sim); d++)
        for (size_t k = 0; k < view.count; k++)
            sum += (double)view.v[d][k] * view.v[d][k];
    return sum;
}

/* Mean position, m. */
static inline void case_centre(spate_sim *sim, double centre[3])
{
    spate_particles_view view = sample_view(sim);
    for (int d = 0; d < 3; d++) {
        centre[d] = 0;
        for (size_t k = 0; k < view.count && view.x[d]; k++)
            centre[d] += view.x[d][k];
        centre[d] = view.origin[d] + view.scale * centre[d] / (double)(view.count ? view.count : 1);
    }
}

#endif
