/* test_gauge_kinds.c -- gauges of moment and front against water whose numbers are known, and what
 * slices are made of; test_gauges.c has the other kinds. */
#include "sample.h"

#include <spate/spate_io.h>

static spate_gauge *add_gauge(spate_scene *scene, spate_gauge_kind kind)
{
    spate_gauge *gauge = spate_scene_add_gauge(scene);
    gauge->kind = kind;
    return gauge;
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

/* ---- moment */

/* A box of 7 cells under water: its buoyancy acts in its middle, whatever the point is. */
static void moment_of_buoyancy(int dim, double shift, const double about[3])
{
    const double dx = 0.05, width = 20 * dx, low = (3 + shift) * dx, high = low + 7 * dx;
    spate_scene *scene = sample_scene(dim, width, width, width, 1);
    scene->domain.cell_size = dx;
    scene->fluid.jitter = 0;
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, width, 13 * dx, width);
    strcpy(sample_box(scene, SPATE_LIST_SOLIDS, low, low, low, high, high, high)->name, "box");
    spate_gauge *gauge = add_gauge(scene, SPATE_GAUGE_MOMENT);
    strcpy(gauge->solid, "box");
    memcpy(gauge->at, about, sizeof gauge->at);
    spate_sim *sim = sample_sim(scene, 2);
    if (sim) {
        double values[3], middle = 0.5 * (low + high), weight = 9810 * pow(7 * dx, dim);
        run_frames(sim, 8);
        CHECK(spate_sim_gauge_read(sim, 0, values) == (dim == 3 ? 3 : 1));
        double tolerance = 0.03 * weight * (width + fabs(about[0]) + fabs(about[1]));
        CHECK_NEAR(values[dim == 3 ? 2 : 0], weight * (middle - about[0]), tolerance);
        if (dim == 3) {
            CHECK_NEAR(values[0], -weight * (middle - about[2]), tolerance);
            CHECK_NEAR(values[1], 0, tolerance);
        }
        /* what a host asks for, in steps of one length */
        double force[3], torque[3];
        spate_solid_id id;
        CHECK(spate_sim_solid_find(sim, "box", &id));
        CHECK(spate_sim_solid_force(sim, id, about, force, torque, NULL) == SPATE_OK);
        CHECK_NEAR(values[dim == 3 ? 2 : 0], torque[2], 1e-3 * tolerance);
    }
    spate_sim_destroy(sim);
}

static void moments_2d(void)
{
    static const double points[3][3] = {{0, 0, 0}, {0.33, 0.21, 0}, {-2, 3, 0}};
    for (int k = 0; k < 3; k++)
        for (int shift = 0; shift < 4; shift++)
            moment_of_buoyancy(2, 0.25 * shift, points[k]);
}

static void moments_3d(void)
{
    static const double points[2][3] = {{0.1, 0, 0.2}, {-2, 3, 1.5}};
    moment_of_buoyancy(3, 0, points[0]);
    moment_of_buoyancy(3, 0.37, points[1]);
}

/* ---- front */

/* Water with a vertical side at x, on the left (sign 1) or on the right (-1), 8 cells deep. */
static void front_of_block(int dim, double x, int sign, double depth)
{
    const double dx = 0.05, width = 24 * dx;
    spate_scene *scene = sample_scene(dim, width, 12 * dx, 6 * dx, 1);
    scene->domain.cell_size = dx;
    scene->fluid.jitter = 0;
    sample_box(scene, SPATE_LIST_FILL, sign > 0 ? 0 : x, 0, 0, sign > 0 ? x : width, 8 * dx,
               6 * dx);
    for (int k = 0; k < 2; k++) {
        spate_gauge *gauge = add_gauge(scene, SPATE_GAUGE_FRONT);
        gauge->axis = sign > 0 ? SPATE_DIRECTION_X : SPATE_DIRECTION_MINUS_X;
        gauge->depth = depth;
        if (k == 1) /* a box that ends in the water: it is wet to its end */
            for (int d = 0; d < 3; d++) {
                gauge->min[d] = d == 0 ? (sign > 0 ? 0.1 : x + 1.7 * dx) : 0;
                gauge->max[d] = d == 0   ? (sign > 0 ? x - 1.7 * dx : width - 0.1)
                                : d == 1 ? 12 * dx
                                         : 6 * dx;
            }
    }
    spate_gauge *none = add_gauge(scene, SPATE_GAUGE_FRONT); /* nothing is as deep as that */
    none->axis = scene->gauges[0].axis;
    none->depth = 8.5 * dx;
    spate_sim *sim = sample_sim(scene, 2);
    if (sim) {
        CHECK_NEAR((read_value(sim, 0, 0) - x) / dx, 0, 0.15);
        CHECK_NEAR((read_value(sim, 1, 0) - (x - sign * 1.7 * dx)) / dx, 0, 1e-6);
        CHECK_NEAR(read_value(sim, 2, 0), sign > 0 ? 0 : width, 1e-9);
    }
    spate_sim_destroy(sim);
}

static void fronts_of_blocks(void)
{
    for (int k = 0; k < 5; k++) {
        double x = (9 + 0.25 * k) * 0.05;
        front_of_block(2, x, 1, 0);
        front_of_block(2, x, -1, 0.03);
        front_of_block(2, x, 1, 0.31);
        front_of_block(3, x, k % 2 ? 1 : -1, 0.1);
    }
}

/* Still water, 0.5 m deep at x = 0, over a bed that rises by 1 in 4: where it is `depth` deep is
 * known. A cell of the level is four along the bed. */
static void front_on_a_beach(double level, double depth)
{
    const double dx = 0.025, slope = 0.25;
    spate_scene *scene = sample_scene(2, 2.2, 0.8, 0, 1);
    scene->domain.cell_size = dx;
    scene->fluid.jitter = 0;
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 2.2, level, 0);
    spate_shape *bed = spate_scene_add_shape(scene, SPATE_LIST_SOLIDS);
    bed->shape = SPATE_SHAPE_PLANE;
    bed->point[0] = bed->point[1] = bed->point[2] = 0;
    bed->normal[0] = -slope, bed->normal[1] = 1, bed->normal[2] = 0;
    add_gauge(scene, SPATE_GAUGE_FRONT)->depth = depth;
    spate_sim *sim = sample_sim(scene, 2);
    if (sim)
        CHECK_NEAR((read_value(sim, 0, 0) - (level - depth) / slope) / dx, 0, 0.15 / slope);
    spate_sim_destroy(sim);
}

static void fronts_on_a_beach(void)
{
    for (int k = 0; k < 4; k++) {
        front_on_a_beach(0.4 + 0.25 * k * 0.025, 0.06);
        front_on_a_beach(0.4 + 0.25 * k * 0.025, 0.15);
    }
}

/* A drop before the front counts if the depth is less than its own. */
static void front_and_drop(void)
{
    const double dx = 0.05;
    spate_scene *scene = sample_scene(2, 2, 1, 0, 1);
    scene->domain.cell_size = dx;
    scene->fluid.jitter = 0;
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.5, 0.5, 0);
    sample_sphere(scene, SPATE_LIST_FILL, 1.2, 0.7, 0, 2 * dx);
    add_gauge(scene, SPATE_GAUGE_FRONT)->depth = 2 * dx;
    add_gauge(scene, SPATE_GAUGE_FRONT)->depth = 5 * dx;
    spate_sim *sim = sample_sim(scene, 2);
    if (sim) {
        double drop = read_value(sim, 0, 0);
        CHECK(drop > 1.2 && drop < 1.2 + 2 * dx);
        CHECK_NEAR(read_value(sim, 1, 0), 0.5, 0.2 * dx);
    }
    spate_sim_destroy(sim);
}

/* ---- what cannot be read */

static spate_error problem;

#define CHECK_PROBLEM(place, text)                                                  \
    do {                                                                            \
        problem = (spate_error){.status = SPATE_OK};                                \
        CHECK(spate_scene_check(scene, NULL, NULL, &problem) == SPATE_ERROR_SCENE); \
        CHECK_TEXT(problem.where, place);                                           \
        CHECK(strstr(problem.message, text) != NULL ||                              \
              (printf("  got: %s\n", problem.message), 0));                         \
    } while (0)

static void bad_gauges(void)
{
    spate_scene *scene = sample_scene(2, 1, 1, 0, 10);
    strcpy(sample_box(scene, SPATE_LIST_SOLIDS, 0.4, 0, 0, 0.7, 0.3, 0)->name, "pillar");
    spate_gauge *g = add_gauge(scene, SPATE_GAUGE_MOMENT);
    CHECK_PROBLEM("gauges[0].at", "is required for a moment gauge");
    g->at[0] = g->at[1] = 7; /* not only in the domain */
    CHECK_PROBLEM("gauges[0].solid", "is required for a moment gauge");
    strcpy(g->solid, "pillar");
    CHECK(spate_scene_check(scene, NULL, NULL, &problem) == SPATE_OK);
    add_gauge(scene, SPATE_GAUGE_FRONT);
    g = &scene->gauges[0];
    *g = scene->gauges[1];
    scene->gauge_count = 1;
    CHECK(spate_scene_check(scene, NULL, NULL, &problem) == SPATE_OK);
    g->axis = SPATE_DIRECTION_MINUS_Y;
    CHECK_PROBLEM("gauges[0].axis", "must be across gravity, which is along y");
    g->axis = SPATE_DIRECTION_Z;
    CHECK_PROBLEM("gauges[0].axis", "no axis z in 2D");
    g->axis = SPATE_DIRECTION_X;
    g->depth = -1;
    CHECK_PROBLEM("gauges[0].depth", "at least 0");
    g->depth = 0;
    g->min[0] = 0.5, g->min[1] = 0;
    CHECK_PROBLEM("gauges[0].max", "is required for a front gauge");
    g->max[0] = 0.5, g->max[1] = 1;
    CHECK_PROBLEM("gauges[0].max", "must be greater than min along x and y");
    g->max[0] = 1;
    CHECK(spate_scene_check(scene, NULL, NULL, &problem) == SPATE_OK);
    g->kind = SPATE_GAUGE_SLICE;
    CHECK_PROBLEM("gauges[0].max", "must be equal to min along one axis");
    g->max[0] = 0.5;
    CHECK(spate_scene_check(scene, NULL, NULL, &problem) == SPATE_OK);
    strcpy(g->name, "a/../b");
    CHECK_PROBLEM("gauges[0].name", "letters, digits");
    strcpy(g->name, "line-1_a");
    CHECK(spate_scene_check(scene, NULL, NULL, &problem) == SPATE_OK);
    strcpy(g->name, "two\nlines");
    CHECK_PROBLEM("gauges[0].name", "control characters");
    spate_scene_destroy(scene);
}

/* A slice has no value and costs nothing. */
static void slice_alone(void)
{
    double values[3] = {1, 1, 1};
    spate_scene *scene = sample_scene(2, 1, 1, 0, 10);
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.5, 0.5, 0);
    spate_gauge *g = add_gauge(scene, SPATE_GAUGE_SLICE);
    g->min[0] = g->max[0] = 0.25;
    g->min[1] = 0, g->max[1] = 1;
    spate_sim *sim = sample_sim(scene, 2);
    if (sim) {
        run_frames(sim, 1);
        CHECK(spate_sim_gauge_read(sim, 0, values) == 0 && values[0] == 0);
    }
    spate_sim_destroy(sim);
}

TESTS(gauge_kinds)
{
    TEST(moments_2d);
    TEST(moments_3d);
    TEST(fronts_of_blocks);
    TEST(fronts_on_a_beach);
    TEST(front_and_drop);
    TEST(bad_gauges);
    TEST(slice_alone);
}
