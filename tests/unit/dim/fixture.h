/* fixture.h -- what the tests of src/sim share: a scene measured in cells, an instance made from it
 * whose insides are in reach, particles put where a test wants them, and stages run one by one.
 *
 * An instance is made the way src/sim/api.c makes one. The clock is kept here, because it is the
 * facade's. */
#ifndef SPATE_TEST_FIXTURE_H
#define SPATE_TEST_FIXTURE_H

#include "test.h"

#include "cpu/cpu.h"
#include "sim/sim.h"

#include <stdlib.h>

typedef struct fixture {
    sp_common common;
    X(sim) *s;
} fixture;

/* ---- scenes */

/* n cells of size dx along each axis (n[2] is ignored in 2D), walls all round, no gravity, nothing
 * in it. */
static inline spate_scene *scene_of_cells(double dx, int nx, int ny, int nz)
{
    spate_scene *scene = spate_scene_create();
    int n[3] = {nx, ny, nz};
    scene->dim = DIM;
    scene->domain.cell_size = dx;
    for (int d = 0; d < 3; d++) {
        scene->domain.size[d] = d < DIM ? n[d] * dx : 0;
        scene->gravity[d] = 0;
    }
    return scene;
}

static inline void make_periodic(spate_scene *scene)
{
    FOR_DIM(d)
        scene->domain.sides[d][0] = scene->domain.sides[d][1] = SPATE_SIDE_PERIODIC;
}

/* A box from low to high, in cells, in one of the lists. */
static inline spate_shape *add_box(spate_scene *scene, spate_list list, const double low[3],
                                   const double high[3])
{
    spate_shape *box = spate_scene_add_shape(scene, list);
    box->shape = SPATE_SHAPE_BOX;
    FOR_DIM(d) {
        box->min[d] = low[d] * scene->domain.cell_size;
        box->max[d] = high[d] * scene->domain.cell_size;
    }
    return box;
}

static inline spate_shape *add_ball(spate_scene *scene, spate_list list, const double center[3],
                                    double radius)
{
    spate_shape *ball = spate_scene_add_shape(scene, list);
    ball->shape = SPATE_SHAPE_SPHERE;
    ball->radius = radius * scene->domain.cell_size;
    FOR_DIM(d)
        ball->center[d] = center[d] * scene->domain.cell_size;
    return ball;
}

/* ---- instances */

static inline void fixture_destroy(fixture *f)
{
    if (!f)
        return;
    X(destroy)(f->s);
    sp_pool_destroy(f->common.pool);
    spate_scene_destroy(f->common.scene);
    free(f);
}

/* Takes the scene over. NULL, and a failed check, if the instance could not be made. */
static inline fixture *fixture_create_with(spate_scene *scene, int threads)
{
    spate_error error = {.status = SPATE_OK};
    fixture *f = calloc(1, sizeof *f);
    CHECK(spate_scene_settle(scene, &error) == SPATE_OK);
    f->common.scene = scene;
    f->common.medium = sp_medium_of(scene);
    f->common.pool = sp_pool_create(threads, NULL, NULL);
    memcpy(f->common.gravity, scene->gravity, sizeof f->common.gravity);
    if (f->common.pool && spate_scene_check(scene, NULL, NULL, &error) == SPATE_OK)
        f->s = X(create)(&f->common, &DEV(device), &DEV(device), &error);
    if (f->s)
        return f;
    printf("  %s: %s\n", error.where, error.message);
    CHECK(f->s != NULL);
    fixture_destroy(f);
    return NULL;
}

static inline fixture *fixture_create(spate_scene *scene)
{
    return fixture_create_with(scene, 2);
}

/* Runs the stages first .. last; a failure is a failed check. Tests put particles where they like.
 */
static inline bool run_stages(fixture *f, sp_stage first, sp_stage last, double dt)
{
    spate_error error = {.status = SPATE_OK};
    f->s->particles.sorted = false;
    for (int stage = (int)first; stage <= (int)last; stage++)
        if (X(run_stage)(f->s, stage, dt, &error) != SPATE_OK) {
            printf("  %s: %s\n", error.where, error.message);
            CHECK(error.status == SPATE_OK);
            return false;
        }
    return true;
}

static inline bool run_stage(fixture *f, sp_stage stage, double dt)
{
    return run_stages(f, stage, stage, dt);
}

static inline bool run_steps(fixture *f, int steps, double dt)
{
    for (int k = 0; k < steps; k++) {
        if (!run_stages(f, SP_STAGE_SORT, SP_STAGE_EMIT, dt))
            return false;
        f->common.inside += dt;
    }
    return true;
}

/* ---- particles */

static uint64_t test_random_state = 1;

static inline double random_in(double low, double high)
{
    test_random_state = test_random_state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(test_random_state >> 33) / (double)(1u << 31));
}

static inline uint64_t hash_of(fixture *f)
{
    return X(hash)(&f->s->particles, f->common.pool);
}

/* Adds one particle; position in cells. */
static inline void put_particle(fixture *f, const float x[DIM], const float v[DIM])
{
    spate_error error;
    float initial[CHANNEL_COLUMNS];
    CHECK(X(make_room)(f->s, (uint64_t)f->s->particles.count + 1, &error) == SPATE_OK);
    X(initial_channels)(f->common.scene, 0, initial);
    X(particles_append)(&f->s->particles, x, v, initial);
    f->common.seeded++;
}

/* Gives every particle its own velocity, each component in -speed .. speed. */
static inline void shake(fixture *f, double speed)
{
    for (uint32_t k = 0; k < f->s->particles.count; k++)
        FOR_DIM(d)
            f->s->particles.v[d][k] = (float)random_in(-speed, speed);
}

/* Sum over the particles of v along d (absolute: of |v|). */
static inline double sum_velocity(const fixture *f, int d, bool absolute)
{
    double sum = 0;
    for (uint32_t k = 0; k < f->s->particles.count; k++)
        sum += absolute ? fabs((double)f->s->particles.v[d][k]) : (double)f->s->particles.v[d][k];
    return sum;
}

/* ---- the grid */

/* Steps c through the cells [0, n[d]) of a box; start from zeros. false after the last. */
static inline bool next_cell(int c[DIM], const int n[DIM])
{
    for (int d = 0; d < DIM; d++) {
        if (++c[d] < n[d])
            return true;
        c[d] = 0;
    }
    return false;
}

static inline const char *kernel_name(int kernel)
{
    static const char *const names[] = {"linear", "quadratic", "cubic"};
    return names[kernel];
}

/* ---- bodies of water for transfers */

static inline spate_scene *scene_with(int n, spate_transfer transfer, spate_kernel kernel)
{
    spate_scene *scene = scene_of_cells(0.07, n, n, n);
    scene->fluid.transfer = transfer;
    scene->fluid.kernel = kernel;
    return scene;
}

/* A ball in air, its surface at least 4 cells from all walls. */
static inline fixture *ball(spate_transfer transfer, spate_kernel kernel, double ratio)
{
    const double center[3] = {8.6, 9.3, 8.9};
    spate_scene *scene = scene_with(18, transfer, kernel);
    scene->fluid.flip_ratio = ratio;
    scene->fluid.flip_step = 0; /* of every step */
    add_ball(scene, SPATE_LIST_FILL, center, 4.5);
    return fixture_create(scene);
}

/* A periodic box of n cells, full. */
static inline fixture *full_box(int n, spate_transfer transfer, spate_kernel kernel)
{
    const double low[3] = {0, 0, 0}, high[3] = {n, n, n};
    spate_scene *scene = scene_with(n, transfer, kernel);
    make_periodic(scene);
    add_box(scene, SPATE_LIST_FILL, low, high);
    return fixture_create(scene);
}

/* After the checks of one combination: names it if one of them failed. */
static inline void report(spate_transfer transfer, int kernel)
{
    static int seen; /* failures of the running test that have been named */
    seen = test_failures < seen ? 0 : seen;
    if (test_failures > seen)
        printf("  with transfer %d, kernel %s\n", transfer, kernel_name(kernel));
    seen = test_failures;
}

#endif
