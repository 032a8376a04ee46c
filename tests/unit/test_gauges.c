/* test_gauges.c -- the instruments of a scene against water whose numbers are known: a tank at rest
 * with solids in it, a uniform stream; what gauges must not change; and gauges that cannot be read.
 */
#include "sample.h"

#include <spate/spate_io.h>

static spate_gauge *add_gauge(spate_scene *scene, const char *name, spate_gauge_kind kind, double x,
                              double y, double z)
{
    spate_gauge *gauge = spate_scene_add_gauge(scene);
    strcpy(gauge->name, name);
    gauge->kind = kind;
    gauge->at[0] = x;
    gauge->at[1] = y;
    gauge->at[2] = z;
    return gauge;
}

static void add_force(spate_scene *scene, const char *solid)
{
    strcpy(add_gauge(scene, "", SPATE_GAUGE_FORCE, NAN, NAN, NAN)->solid, solid);
}

static void add_flux(spate_scene *scene, double x0, double y0, double z0, double x1, double y1,
                     double z1)
{
    double low[3] = {x0, y0, z0}, high[3] = {x1, y1, z1};
    spate_gauge *gauge = add_gauge(scene, "", SPATE_GAUGE_FLUX, NAN, NAN, NAN);
    memcpy(gauge->min, low, sizeof low);
    memcpy(gauge->max, high, sizeof high);
}

static void run_frames(spate_sim *sim, int frames)
{
    for (int last = spate_sim_frame(sim) + frames; spate_sim_frame(sim) < last;)
        if (!sample_step(sim, 0))
            return;
}

static double read_value(spate_sim *sim, int gauge, int value)
{
    double values[3];
    CHECK(spate_sim_gauge_read(sim, gauge, values) > value);
    return values[value];
}

/* ---- a tank at rest */

/* n cells wide and high, water to `top` cells, a sphere (2D: disc) named "ball" with its centre at
 * half the depth, a slab on the floor 2.3 cells thick. Gauges 0..6: height over the slab; height
 * over a point higher up; pressure on the slab, on the wall over a disc, in the middle over a ball;
 * velocity; height through the sphere. 7: ball, 8: slab. */
typedef struct tank {
    int dim;
    double dx, width, top, ball, middle, slab, here;
} tank;

static tank tank_of(int dim)
{
    double dx = 0.02;
    tank t = {dim,      dx,       (dim == 2 ? 32 : 20) * dx, (dim == 2 ? 22.5 : 14.5) * dx, 0, 0,
              2.3 * dx, 3.37 * dx};
    t.ball = (dim == 2 ? 5.3 : 4.2) * dx;
    t.middle = (dim == 2 ? 12.1 : 7.7) * dx;
    return t;
}

static spate_scene *tank_scene(const tank *t, double jitter)
{
    spate_scene *scene = sample_scene(t->dim, t->width, t->width, t->width, 1);
    scene->domain.cell_size = t->dx;
    scene->fluid.jitter = jitter;
    scene->volume.method = SPATE_VOLUME_NONE; /* the lattice at the slab is not quite full */
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, t->width, t->top, t->width);
    double half = 0.5 * t->width;
    strcpy(sample_sphere(scene, SPATE_LIST_SOLIDS, half, t->middle, half, t->ball)->name, "ball");
    sample_box(scene, SPATE_LIST_SOLIDS, -1, -1, -1, 2, t->slab, 2);
    double x = t->here, z = 0.4 * t->width, high = 6.2 * t->dx;
    add_gauge(scene, "H", SPATE_GAUGE_HEIGHT, x, t->slab, z);
    add_gauge(scene, "", SPATE_GAUGE_HEIGHT, x, high, z);
    add_gauge(scene, "P", SPATE_GAUGE_PRESSURE, x, t->slab, z);
    add_gauge(scene, "wall", SPATE_GAUGE_PRESSURE, 0, high, z)->radius = 2.2 * t->dx;
    add_gauge(scene, "free", SPATE_GAUGE_PRESSURE, x, high, z)->radius = 1.7 * t->dx;
    add_gauge(scene, "V", SPATE_GAUGE_VELOCITY, x, high, z);
    add_gauge(scene, "through", SPATE_GAUGE_HEIGHT, half, t->slab, half);
    add_force(scene, "ball");
    add_force(scene, "solids[1]");
    return scene;
}

static double ball_volume(const tank *t)
{
    return (t->dim == 2 ? 1 : 4.0 / 3 * t->ball) * M_PI * t->ball * t->ball;
}

static void check_start(const tank *t, spate_sim *sim, double tolerance)
{
    double values[3];
    CHECK_NEAR(read_value(sim, 0, 0), t->top - t->slab, tolerance * t->dx);
    for (int k = 2; k < 9; k++)
        if (k != 6)
            for (int v = 0; v < spate_sim_gauge_read(sim, k, values); v++)
                CHECK(values[v] == 0);
}

static void check_rest(const tank *t, spate_sim *sim, double tolerance, double force_share)
{
    const double weight = 9810, dx = t->dx, depth = t->top - t->slab, high = t->top - 6.2 * dx;
    double floor_area = t->dim == 2 ? t->width : t->width * t->width;
    CHECK_NEAR(read_value(sim, 0, 0), depth, tolerance * dx);
    CHECK_NEAR(read_value(sim, 1, 0), high, tolerance * dx);
    CHECK_NEAR(read_value(sim, 6, 0), depth - 2 * t->ball, tolerance * dx);
    CHECK_NEAR(read_value(sim, 2, 0) / weight, depth, 2 * tolerance * dx);
    CHECK_NEAR(read_value(sim, 3, 0) / weight, high, 2 * tolerance * dx);
    CHECK_NEAR(read_value(sim, 4, 0) / weight, high, 2 * tolerance * dx);
    for (int d = 0; d < t->dim; d++) {
        CHECK_LESS(fabs(read_value(sim, 5, d)), 0.01 * sqrt(9.81 * t->top));
        double ball = read_value(sim, 7, d) / (weight * ball_volume(t));
        double slab = read_value(sim, 8, d) / (weight * floor_area * depth);
        CHECK_NEAR(ball, d == 1, force_share);
        CHECK_NEAR(slab, -(d == 1), force_share);
    }
}

static void rest(int dim, double jitter, spate_solid_model solids, double tolerance,
                 double force_share)
{
    tank t = tank_of(dim);
    spate_scene *scene = tank_scene(&t, jitter);
    scene->pressure.solids = solids;
    spate_sim *sim = sample_sim(scene, 2);
    if (sim) {
        CHECK(spate_sim_gauge_count(sim) == 9);
        check_start(&t, sim, tolerance);
        run_frames(sim, 12);
        check_rest(&t, sim, tolerance, force_share);
    }
    spate_sim_destroy(sim);
}

static void rest_2d(void)
{
    rest(2, 0, SPATE_SOLID_MODEL_CUT, 0.1, 0.03);
    rest(2, 0.5, SPATE_SOLID_MODEL_CUT, 0.15, 0.03);
}

static void rest_3d(void)
{
    rest(3, 0, SPATE_SOLID_MODEL_CUT, 0.1, 0.03);
    rest(3, 0.5, SPATE_SOLID_MODEL_CUT, 0.15, 0.03);
}

/* Voxel solids: the staircase is up to half a cell off; heights see the exact shapes all the same.
 */
static void rest_voxel_solids(void)
{
    rest(2, 0, SPATE_SOLID_MODEL_VOXEL, 0.2, 0.1);
    rest(3, 0, SPATE_SOLID_MODEL_VOXEL, 0.2, 0.1);
}

/* Voxel surface: p = 0 in the middle of the first air cell, so pressure is up to a cell too high;
 * heights come from the number of particles. */
static void rest_voxel_surface(int dim)
{
    tank t = tank_of(dim);
    t.slab = 2 * t.dx;
    spate_scene *scene = tank_scene(&t, 0);
    scene->pressure.solids = SPATE_SOLID_MODEL_VOXEL;
    scene->pressure.surface = SPATE_SURFACE_MODEL_VOXEL;
    spate_sim *sim = sample_sim(scene, 2);
    if (sim) {
        CHECK_NEAR(read_value(sim, 0, 0), t.top - t.slab, 1e-6);
        run_frames(sim, 5);
        CHECK_NEAR(read_value(sim, 0, 0), t.top - t.slab, 0.3 * t.dx);
        CHECK_NEAR(read_value(sim, 2, 0) / 9810, t.top - t.slab + 0.5 * t.dx, 0.7 * t.dx);
        CHECK_NEAR(read_value(sim, 7, 1) / (9810 * ball_volume(&t)), 1, 0.1);
    }
    spate_sim_destroy(sim);
}

static void rest_voxel_surface_2d(void)
{
    rest_voxel_surface(2);
}

static void rest_voxel_surface_3d(void)
{
    rest_voxel_surface(3);
}

/* A box whose sides lie on cell faces or between them feels the weight of the water that it
 * displaces. */
static void box_floats(int dim, double shift)
{
    const double dx = 0.05, width = 16 * dx, low = (3 + shift) * dx, high = (10 + shift) * dx;
    spate_scene *scene = sample_scene(dim, width, width, width, 1);
    scene->domain.cell_size = dx;
    scene->fluid.jitter = 0;
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, width, 13 * dx, width);
    strcpy(sample_box(scene, SPATE_LIST_SOLIDS, low, low, low, high, high, high)->name, "box");
    add_force(scene, "box");
    spate_sim *sim = sample_sim(scene, 2);
    if (sim) {
        run_frames(sim, 8);
        double weight = 9810 * pow(7 * dx, dim);
        CHECK_NEAR(read_value(sim, 0, 1) / weight, 1, 0.03);
        CHECK_NEAR(read_value(sim, 0, 0) / weight, 0, 0.01);
    }
    spate_sim_destroy(sim);
}

static void box_floats_2d(void)
{
    box_floats(2, 0);
    box_floats(2, 0.37);
    box_floats(2, 0.8);
}

static void box_floats_3d(void)
{
    box_floats(3, 0);
    box_floats(3, 0.37);
}

/* "Up" is against gravity, along any axis. */
static void up_is_against_gravity(int dim, int axis, double gravity)
{
    const double dx = 0.1;
    double low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
    spate_scene *scene = sample_scene(dim, 1, 1, 1, 10);
    scene->fluid.jitter = 0;
    memset(scene->gravity, 0, sizeof scene->gravity);
    scene->gravity[axis] = gravity;
    *(gravity < 0 ? &high[axis] : &low[axis]) = 0.55;
    sample_box(scene, SPATE_LIST_FILL, low[0], low[1], low[2], high[0], high[1], high[2]);
    spate_gauge *gauge = add_gauge(scene, "", SPATE_GAUGE_HEIGHT, 0.42, 0.42, 0.42);
    gauge->at[axis] = gravity < 0 ? 0 : 1;
    spate_sim *sim = sample_sim(scene, 2);
    if (sim)
        CHECK_NEAR(read_value(sim, 0, 0), gravity < 0 ? 0.55 : 0.45, 0.05 * dx);
    spate_sim_destroy(sim);
}

static void up_is_up(void)
{
    for (int dim = 2; dim <= 3; dim++)
        for (int axis = 0; axis < dim; axis++) {
            up_is_against_gravity(dim, axis, -9.81);
            up_is_against_gravity(dim, axis, 3);
        }
}

/* ---- a uniform stream */

/* Periodic along x (3D: and z), 8.5 cells deep, 1.5 m/s. */
static void stream(int dim, spate_surface_model surface, double tolerance)
{
    const double dx = 0.05, length = 24 * dx, depth = 8.5 * dx, width = dim == 2 ? 1 : 8 * dx,
                 u = 1.5;
    spate_scene *scene = sample_scene(dim, length, 12 * dx, 8 * dx, 1);
    scene->domain.cell_size = dx;
    scene->fluid.jitter = 0;
    scene->pressure.surface = surface;
    for (int side = 0; side < 2; side++)
        scene->domain.sides[0][side] = scene->domain.sides[2][side] = SPATE_SIDE_PERIODIC;
    sample_velocity(sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, length, depth, 8 * dx), u, 0, 0);
    add_gauge(scene, "v", SPATE_GAUGE_VELOCITY, 0.31, 0.17, 0.2);
    add_gauge(scene, "edge", SPATE_GAUGE_VELOCITY, length, 0, 0);
    add_gauge(scene, "air", SPATE_GAUGE_VELOCITY, 0.31, 11.5 * dx, 0.2);
    add_flux(scene, 10 * dx, 0, 0, 10 * dx, 12 * dx, 8 * dx);   /* 3: on faces */
    add_flux(scene, 7.3 * dx, 0, 0, 7.3 * dx, 12 * dx, 8 * dx); /* 4: between them */
    add_flux(scene, length, 0, 0, length, 12 * dx, 8 * dx);     /* 5: at the seam */
    add_flux(scene, 10 * dx, 1.2 * dx, 0, 10 * dx, 4.9 * dx,
             4 * dx);                                      /* 6: part of the depth and width */
    add_flux(scene, 0, 3 * dx, 0, length, 3 * dx, 8 * dx); /* 7: across the stream */
    add_gauge(scene, "P", SPATE_GAUGE_PRESSURE, 0, 0, 0);
    add_gauge(scene, "no P", SPATE_GAUGE_PRESSURE, 0.2, 11 * dx, 0.2)->radius = 0.5 * dx;
    spate_sim *sim = sample_sim(scene, 2);
    for (int turn = 0; sim && turn < 2; turn++) { /* at the start, and after some steps */
        for (int d = 0; d < dim; d++) {
            CHECK_NEAR(read_value(sim, 0, d), d == 0 ? u : 0, 1e-3);
            CHECK_NEAR(read_value(sim, 1, d), d == 0 ? u : 0, 1e-3);
            CHECK(read_value(sim, 2, d) == 0);
        }
        for (int k = 3; k < 6; k++)
            CHECK_NEAR(read_value(sim, k, 0) / (u * depth * width), 1, tolerance);
        CHECK_NEAR(read_value(sim, 6, 0) / (u * 3.7 * dx * (dim == 2 ? 1 : 4 * dx)), 1, 1e-3);
        CHECK_NEAR(read_value(sim, 7, 0) / (u * depth * width), 0, 1e-3);
        CHECK(read_value(sim, 9, 0) == 0);
        if (turn == 1)
            CHECK_NEAR(read_value(sim, 8, 0) / 9810, depth,
                       surface == SPATE_SURFACE_MODEL_GHOST ? 0.2 * dx : 1.1 * dx);
        else
            run_frames(sim, 6);
    }
    spate_sim_destroy(sim);
}

static void stream_2d(void)
{
    stream(2, SPATE_SURFACE_MODEL_GHOST, 0.01);
    stream(2, SPATE_SURFACE_MODEL_VOXEL, 0.05);
}

static void stream_3d(void)
{
    stream(3, SPATE_SURFACE_MODEL_GHOST, 0.01);
    stream(3, SPATE_SURFACE_MODEL_VOXEL, 0.05);
}

/* ---- what gauges must not do, and how they are read */

static void gauges_change_nothing(int dim)
{
    tank t = tank_of(dim);
    spate_scene *with = tank_scene(&t, 0.5), *without = tank_scene(&t, 0.5);
    with->fill.items[0].max[0] = without->fill.items[0].max[0] = 0.5 * t.width;
    without->gauge_count = 0;
    spate_sim *a = sample_sim(with, 2), *b = sample_sim(without, 2);
    if (a && b) {
        read_value(a, 0, 0);
        run_frames(a, 2);
        run_frames(b, 2);
        CHECK(spate_sim_hash(a) == spate_sim_hash(b));
        double before = read_value(a, 0, 0), values[3];
        CHECK(before > 0 && before < t.top);
        sample_stats(a); /* sorts the particles anew */
        CHECK(read_value(a, 0, 0) == before);
        CHECK(spate_sim_gauge_count(b) == 0);
        CHECK(spate_sim_gauge_read(b, 0, values) == 0 && spate_sim_gauge_read(a, -1, values) == 0);
        CHECK(spate_sim_gauge_read(a, 9, values) == 0 && values[0] == 0);
        CHECK(spate_sim_gauge_read(a, 5, values) == dim &&
              spate_sim_gauge_read(a, 8, values) == dim);
    }
    spate_sim_destroy(a);
    spate_sim_destroy(b);
}

static void gauges_change_nothing_2d(void)
{
    gauges_change_nothing(2);
}

static void gauges_change_nothing_3d(void)
{
    gauges_change_nothing(3);
}

/* After a load, and reading in between, the next step gives what it gives without. A solid moves
 * all the while. */
static void gauges_after_load(void)
{
    tank t = tank_of(2);
    spate_scene *scene = tank_scene(&t, 0.5);
    sample_key(&scene->solids.items[0], 0, 0, 0, 0);
    sample_key(&scene->solids.items[0], 1, 0.1, 0, 0);
    spate_scene *again = spate_scene_copy(scene);
    spate_sim *a = sample_sim(scene, 2), *b = sample_sim(again, 2);
    sample_memory memory = {0};
    spate_error error;
    if (a && b) {
        run_frames(a, 2);
        CHECK(spate_sim_save(a, sample_write, &memory, &error) == SPATE_OK);
        CHECK(spate_sim_load(b, sample_read, &memory, &error) == SPATE_OK);
        CHECK_NEAR(read_value(b, 0, 0), read_value(a, 0, 0), 0.2 * t.dx);
        CHECK_NEAR(read_value(b, 2, 0), read_value(a, 2, 0), 9810 * 0.3 * t.dx);
        CHECK_NEAR(read_value(b, 7, 1) / read_value(a, 7, 1), 1, 0.1);
        run_frames(a, 1);
        run_frames(b, 1);
        CHECK(spate_sim_hash(a) == spate_sim_hash(b));
        for (int k = 0; k < 9; k++)
            CHECK(read_value(a, k, 0) == read_value(b, k, 0));
    }
    free(memory.bytes);
    spate_sim_destroy(a);
    spate_sim_destroy(b);
}

/* Before the first step gauges follow what a host adds and removes. */
static void gauges_of_a_host(void)
{
    spate_scene *scene = sample_scene(2, 1, 1, 0, 20);
    scene->fluid.jitter = 0;
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 1, 0.5, 0);
    add_gauge(scene, "", SPATE_GAUGE_HEIGHT, 0.5, 0, 0);
    spate_sim *sim = sample_sim(scene, 2);
    spate_error error;
    if (sim) {
        spate_shape shape = sample_box_shape(-1, 0.25, 0, 2, 2, 0);
        CHECK_NEAR(read_value(sim, 0, 0), 0.5, 1e-3);
        CHECK(spate_sim_remove_particles(sim, &shape, NULL, &error) == SPATE_OK);
        CHECK_NEAR(read_value(sim, 0, 0), 0.25, 1e-3);
        shape.min[1] = -1;
        shape.max[1] = 0.13;
        CHECK(spate_sim_add_solid(sim, &shape, NULL, &error) == SPATE_OK);
        CHECK(read_value(sim, 0, 0) < 0.2);
        CHECK(spate_sim_step(sim, 0, &error) == SPATE_OK);
    }
    spate_sim_destroy(sim);
}

/* No liquid, one cell, everything solid: zeros, and nothing breaks. */
static void gauges_of_nothing(void)
{
    for (int dim = 2; dim <= 3; dim++)
        for (int solid = 0; solid < 2; solid++) {
            spate_scene *scene = sample_scene(dim, 0.3, 0.3, 0.3, solid ? 3 : 1);
            strcpy(sample_box(scene, SPATE_LIST_SOLIDS, -1, -1, -1, solid, 2, 2)->name, "block");
            add_gauge(scene, "h", SPATE_GAUGE_HEIGHT, 0.3, 0.3, 0.3);
            add_gauge(scene, "p", SPATE_GAUGE_PRESSURE, 0, 0, 0)->radius = 5;
            add_gauge(scene, "v", SPATE_GAUGE_VELOCITY, 0.3, 0, 0.3);
            add_flux(scene, 0.3, 0, 0, 0.3, 0.3, 0.3);
            add_force(scene, "block");
            spate_sim *sim = sample_sim(scene, 2);
            for (int turn = 0; sim && turn < 2; turn++) {
                for (int k = 0; k < 5; k++)
                    CHECK(read_value(sim, k, 0) == 0);
                run_frames(sim, 1);
            }
            spate_sim_destroy(sim);
        }
}

/* ---- scenes */

static spate_error problem;
static char warning[256];

static void keep_warning(void *user, spate_log_level level, const char *where, const char *message)
{
    (void)user, (void)level;
    snprintf(warning, sizeof warning, "%s %s", where, message);
}

#define CHECK_PROBLEM(place, text)                                                          \
    do {                                                                                    \
        problem = (spate_error){.status = SPATE_OK};                                        \
        CHECK(spate_scene_check(scene, keep_warning, NULL, &problem) == SPATE_ERROR_SCENE); \
        CHECK_TEXT(problem.where, place);                                                   \
        CHECK(strstr(problem.message, text) != NULL ||                                      \
              (printf("  got: %s\n", problem.message), 0));                                 \
    } while (0)

static void bad_places(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = sample_scene(dim, 1, 1, 1, 10);
        spate_gauge *g = spate_scene_add_gauge(scene);
        CHECK_PROBLEM("gauges[0].at", "is required for a height gauge");
        g->at[0] = g->at[1] = g->at[2] = 0.5;
        CHECK(spate_scene_check(scene, NULL, NULL, &problem) == SPATE_OK);
        g->at[1] = 1.01;
        CHECK_PROBLEM("gauges[0].at", "is outside the domain along y: must be 0 to 1 (got 1.01)");
        g->at[1] = NAN;
        CHECK_PROBLEM("gauges[0].at", "finite");
        g->at[1] = 1;
        g->radius = -1;
        CHECK_PROBLEM("gauges[0].radius", "at least 0");
        g->radius = 0.1;
        CHECK(spate_scene_check(scene, keep_warning, NULL, &problem) == SPATE_OK);
        CHECK_TEXT(warning, "gauges[0].radius means nothing to a height gauge and is ignored");
        g->kind = SPATE_GAUGE_FLUX;
        CHECK_PROBLEM("gauges[0].min", "is required for a flux gauge");
        double low[3] = {0.2, 0.2, 0.2}, high[3] = {0.2, 0.6, 0.7};
        memcpy(g->min, low, sizeof low);
        memcpy(g->max, high, sizeof high);
        CHECK(spate_scene_check(scene, NULL, NULL, &problem) == SPATE_OK);
        g->max[0] = 0.3;
        CHECK_PROBLEM("gauges[0].max", "exactly one axis");
        g->max[0] = g->max[1] = 0.2;
        CHECK_PROBLEM("gauges[0].max", "exactly one axis");
        g->max[1] = 0.1;
        CHECK_PROBLEM("gauges[0].max", "must not be less than min along y");
        g->kind = (spate_gauge_kind)9;
        CHECK_PROBLEM("gauges[0].kind", "must be one of height, pressure, velocity, flux, force, "
                                        "moment, front, slice, channel");
        spate_scene_destroy(scene);
    }
}

static void bad_names(void)
{
    spate_scene *scene = sample_scene(2, 1, 1, 0, 10);
    strcpy(sample_box(scene, SPATE_LIST_SOLIDS, 0.4, 0, 0, 0.7, 0.3, 0)->name, "pillar");
    add_force(scene, "");
    CHECK_PROBLEM("gauges[0].solid", "is required for a force gauge");
    strcpy(scene->gauges[0].solid, "piller");
    CHECK_PROBLEM("gauges[0].solid", "there is no solid \"piller\"; did you mean \"pillar\"?");
    strcpy(scene->gauges[0].solid, "solids[1]");
    CHECK_PROBLEM("gauges[0].solid", "there is no solid \"solids[1]\"");
    strcpy(scene->gauges[0].solid, "solids[0]");
    CHECK(spate_scene_check(scene, NULL, NULL, &problem) == SPATE_OK);
    strcpy(scene->gauges[0].name, "a,b");
    CHECK_PROBLEM("gauges[0].name", "commas");
    strcpy(scene->gauges[0].name, "F");
    add_gauge(scene, "H", SPATE_GAUGE_HEIGHT, 0, 0, 0);
    add_gauge(scene, "H", SPATE_GAUGE_HEIGHT, 0.1, 0, 0);
    CHECK_PROBLEM("gauges[2].name", "there is a column \"H\" of gauges[1] already");
    strcpy(scene->gauges[2].name, "F_y");
    CHECK_PROBLEM("gauges[2].name", "there is a column \"F_y\" of gauges[0] already");
    strcpy(scene->gauges[2].name, "time");
    CHECK_PROBLEM("gauges[2].name", "there is a column \"time\" in gauges.csv already");
    scene->gauges[2].name[0] = 0;
    CHECK(spate_scene_check(scene, NULL, NULL, &problem) == SPATE_OK);
    spate_scene_destroy(scene);
}

/* A scene with gauges as text and back. */
static void text_and_back(void)
{
    static const char json[] =
        "{\"domain\": {\"size\": [2, 1]}, \"solids\": [{\"name\": \"s\", \"min\": [1, 0], \"max\": [1.2, 0.2]}], "
        "\"gauges\": [{\"name\": \"H1\", \"at\": [0.5, 0.25]}, "
        "{\"kind\": \"pressure\", \"at\": [0, 0], \"radius\": 0.1}, "
        "{\"kind\": \"flux\", \"min\": [1, 0], \"max\": [1, 0.5]}, {\"kind\": \"force\", \"solid\": \"s\"}]}";
    spate_scene *scene = spate_scene_parse(json, strlen(json), ".", &problem);
    CHECK(scene && scene->gauge_count == 4);
    char *text = scene ? spate_scene_text(scene) : NULL;
    spate_scene *again = text ? spate_scene_parse(text, strlen(text), ".", &problem) : NULL;
    CHECK(again && again->gauge_count == 4);
    char *same = again ? spate_scene_text(again) : NULL;
    if (same) {
        CHECK_TEXT(same, text);
        CHECK(again->gauges[0].kind == SPATE_GAUGE_HEIGHT && again->gauges[0].at[1] == 0.25);
        CHECK(isnan(again->gauges[3].at[0]) && isnan(again->gauges[0].min[0]));
        CHECK(again->gauges[1].radius == 0.1 && again->gauges[2].max[1] == 0.5);
        CHECK_TEXT(again->gauges[3].solid, "s");
        CHECK(spate_scene_check(again, NULL, NULL, &problem) == SPATE_OK);
        CHECK(spate_scene_assign(again, "gauges[0].at=[0.1, 0.2]", &problem) == SPATE_OK);
        CHECK(spate_scene_assign(again, "gauges[0].at=[0.1, 0.2, 0.3]", &problem) ==
              SPATE_ERROR_SCENE);
        CHECK(spate_scene_assign(again, "gauges[4].kind=velocity", &problem) == SPATE_OK);
        CHECK(again->gauge_count == 5 && again->gauges[4].radius == 0);
    }
    spate_free(same);
    spate_free(text);
    spate_scene_destroy(scene);
    spate_scene_destroy(again);
}

TESTS(gauges)
{
    TEST(rest_2d);
    TEST(rest_3d);
    TEST(rest_voxel_solids);
    TEST(rest_voxel_surface_2d);
    TEST(rest_voxel_surface_3d);
    TEST(box_floats_2d);
    TEST(box_floats_3d);
    TEST(up_is_up);
    TEST(stream_2d);
    TEST(stream_3d);
    TEST(gauges_change_nothing_2d);
    TEST(gauges_change_nothing_3d);
    TEST(gauges_after_load);
    TEST(gauges_of_a_host);
    TEST(gauges_of_nothing);
    TEST(bad_places);
    TEST(bad_names);
    TEST(text_and_back);
}
