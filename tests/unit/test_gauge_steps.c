/* test_gauge_steps.c -- pressure and force against the lengths of the steps: what gauges show in
 * steps that alternate by a factor of 2 or 3 is what they show in even ones, and so is the impulse
 * of every frame; a blow keeps its impulse; the steps themselves see nothing of it. */
#include "sample.h"

#include <float.h>

static void add_pressure(spate_scene *scene, double x, double y, double z, double radius)
{
    spate_gauge *gauge = spate_scene_add_gauge(scene);
    gauge->kind = SPATE_GAUGE_PRESSURE;
    gauge->at[0] = x;
    gauge->at[1] = y;
    gauge->at[2] = z;
    gauge->radius = radius;
}

static void add_force(spate_scene *scene, const char *solid)
{
    spate_gauge *gauge = spate_scene_add_gauge(scene);
    gauge->kind = SPATE_GAUGE_FORCE;
    strcpy(gauge->solid, solid);
}

static double read_value(spate_sim *sim, int gauge, int value)
{
    double values[3];
    CHECK(spate_sim_gauge_read(sim, gauge, values) > value);
    return values[value];
}

/* Steps of mean length h that alternate by `factor`, the short one first. */
static double alternate(double h, double factor, int k)
{
    return 2 * h / (1 + factor) * (k % 2 ? factor : 1);
}

/* From time `from` to time `to`: means of pressure and force in the even steps and in the odd ones,
 * and the impulse of the force. The scene has gauges of both, and is destroyed. */
typedef struct means {
    double pressure[2], force[2], impulse;
} means;

static means measure(spate_scene *scene, double h, double factor, double from, double to, int axis)
{
    means m = {0};
    int count[2] = {0};
    double time = 0;
    spate_sim *sim = sample_sim(scene, 2);
    for (int k = 0; sim && time < to - 0.1 * h; k++) {
        double dt = alternate(h, factor, k);
        if (!sample_step(sim, dt))
            break;
        time += dt;
        if (time < from + 0.1 * h)
            continue;
        m.pressure[k % 2] += read_value(sim, 0, 0);
        m.force[k % 2] += read_value(sim, 1, axis);
        m.impulse += read_value(sim, 1, axis) * dt;
        count[k % 2]++;
    }
    for (int k = 0; k < 2; k++) {
        m.pressure[k] /= count[k] > 0 ? count[k] : 1;
        m.force[k] /= count[k] > 0 ? count[k] : 1;
    }
    spate_sim_destroy(sim);
    return m;
}

static void compare(const char *what, double factor, const means *even, const means *m)
{
    double tolerance = factor > 2 ? 0.025 : 0.02;
    double p[2], f[2], impulse = m->impulse / even->impulse;
    for (int k = 0; k < 2; k++) {
        p[k] = m->pressure[k] / even->pressure[k];
        f[k] = m->force[k] / even->force[k];
        CHECK_NEAR(p[k], 1, tolerance);
        CHECK_NEAR(f[k], 1, tolerance);
    }
    CHECK_NEAR(impulse, 1, tolerance);
    printf("  %s, steps 1 : %g: pressure %.4f and %.4f, force %.4f and %.4f, impulse %.4f of that "
           "of even steps\n",
           what, factor, p[0], p[1], f[0], f[1], impulse);
}

/* ---- a steady jet */

/* Of 3 m/s and 0.24 m, against a wall; gravity, if there is one, along it. */
static spate_scene *jet(int cells, double gravity)
{
    const double speed = 3, low = 0.38, high = 0.62;
    spate_scene *scene = sample_scene(2, 1, 1, 0, cells);
    scene->gravity[0] = gravity;
    scene->gravity[1] = 0;
    scene->domain.sides[1][0] = scene->domain.sides[1][1] = SPATE_SIDE_OPEN;
    sample_velocity(sample_box(scene, SPATE_LIST_INFLOWS, 0, low, 0, 2.0 / cells, high, 0), speed,
                    0, 0);
    sample_velocity(sample_box(scene, SPATE_LIST_FILL, 0, low, 0, 0.7, high, 0), speed, 0, 0);
    strcpy(sample_box(scene, SPATE_LIST_SOLIDS, 0.713, -1, 0, 2, 2, 0)->name, "wall");
    add_pressure(scene, 0.713, 0.5, 0, 0.05);
    add_force(scene, "wall");
    return scene;
}

static void steady_jet(void)
{
    const struct {
        int cells;
        double gravity;
        int first, last; /* factors between the steps */
    } full[] = {{64, 0, 2, 2}, {96, 0, 2, 3}, {96, -4, 2, 3}},
      quick[] = {{48, 0, 2, 3}, {48, -4, 2, 2}}, *cases = test_full() ? full : quick;
    for (int k = 0; k < (test_full() ? 3 : 2); k++) {
        double h = 0.144 / cases[k].cells, from = 240 * h, to = 600 * h;
        means even = measure(jet(cases[k].cells, cases[k].gravity), h, 1, from, to, 0);
        for (int factor = cases[k].first; factor <= cases[k].last; factor++) {
            means m = measure(jet(cases[k].cells, cases[k].gravity), h, factor, from, to, 0);
            compare(cases[k].gravity == 0 ? "jet" : "jet against gravity", factor, &even, &m);
        }
    }
}

/* Frames of 8 steps and frames of 4 by turns: each has the impulse of the others. */
static void impulse_of_frames(void)
{
    spate_sim *sim = sample_sim(jet(96, 0), 2);
    double h = 0.001, sum = 0, least = DBL_MAX, most = 0;
    for (int frame = 0; sim && frame < 100; frame++) {
        double impulse = 0, dt = frame % 2 ? 2 * h : h;
        for (int k = 0; k < (frame % 2 ? 4 : 8); k++)
            impulse += sample_step(sim, dt) ? read_value(sim, 1, 0) * dt : 0;
        if (frame < 40)
            continue;
        sum += impulse / 60;
        least = fmin(least, impulse);
        most = fmax(most, impulse);
    }
    printf("  frames of 8 and of 4 steps: impulse %.4f .. %.4f of the mean\n", least / sum,
           most / sum);
    CHECK_LESS(most / sum, 1.02);
    CHECK_LESS(0.98, least / sum);
    spate_sim_destroy(sim);
}

/* ---- a column */

/* 0.3 m wide and 0.6 m high, on the floor or falling on it. */
static spate_scene *column(double drop)
{
    spate_scene *scene = sample_scene(2, 1, 1, 0, 64);
    sample_box(scene, SPATE_LIST_FILL, 0, 0.033 + drop, 0, 0.3, 0.633 + drop, 0);
    strcpy(sample_box(scene, SPATE_LIST_SOLIDS, -1, -1, -1, 2, 0.033, 2)->name, "floor");
    add_pressure(scene, 0, 0.1, 0, 0.05);
    add_force(scene, "floor");
    return scene;
}

static void falling_column(void)
{
    double h = 0.0025;
    for (double from = 0.05; from < 0.3; from += 0.1) {
        means even = measure(column(0), h, 1, from, from + 0.1, 1);
        means m = measure(column(0), h, 2, from, from + 0.1, 1);
        compare("column", 2, &even, &m);
    }
}

/* All of the impulse from before a blow until long after it. */
static void blow(void)
{
    for (double drop = 0.06; drop < 0.15; drop += test_full() ? 0.02 : 0.04) {
        means even = measure(column(drop), 0.0025, 1, 0, 0.3, 1);
        for (int factor = 2; factor <= 3; factor++) {
            means m = measure(column(drop), 0.0025, factor, 0, 0.3, 1);
            printf("  column that falls %.2f m, steps 1 : %d: impulse %.4f of that of even steps\n",
                   drop, factor, m.impulse / even.impulse);
            CHECK_NEAR(m.impulse / even.impulse, 1, factor == 2 ? 0.02 : 0.04);
        }
    }
}

/* ---- water at rest */

static spate_scene *tank(int dim)
{
    double dx = 0.02, width = (dim == 2 ? 24 : 16) * dx;
    spate_scene *scene = sample_scene(dim, width, width, width, 1);
    scene->domain.cell_size = dx;
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, width, 10.5 * dx, width);
    strcpy(sample_box(scene, SPATE_LIST_SOLIDS, -1, -1, -1, 2, 2.3 * dx, 2)->name, "floor");
    add_pressure(scene, 0.3 * width, 2.3 * dx, 0.3 * width, 0);
    add_force(scene, "floor");
    return scene;
}

/* Steps that change by up to a factor of 5. */
static void still_water(void)
{
    static const double lengths[] = {1, 2, 1, 3, 0.6, 1, 0.9, 2.5};
    const spate_solver solvers[] = {SPATE_SOLVER_MULTIGRID, SPATE_SOLVER_PCG,
                                    SPATE_SOLVER_GAUSS_SEIDEL};
    for (int k = 0; k < 4; k++) {
        int dim = k == 3 ? 3 : 2;
        spate_scene *scene = tank(dim);
        scene->pressure.solver = solvers[k % 3];
        scene->pressure.max_iterations = 2000;
        double width = scene->domain.size[0], depth = 8.2 * 0.02;
        double weight = 9810 * depth * (dim == 2 ? width : width * width), worst = 0;
        spate_sim *sim = sample_sim(scene, 2);
        for (int step = 0; sim && step < 60; step++) {
            if (!sample_step(sim, 0.002 * lengths[step % 8]))
                break;
            if (step < 20)
                continue;
            worst = fmax(worst, fabs(read_value(sim, 0, 0) / (9810 * depth) - 1));
            worst = fmax(worst, fabs(read_value(sim, 1, 1) / -weight - 1));
        }
        printf("  %dD, at rest: pressure and force within %.2f %%\n", dim, 100 * worst);
        CHECK_LESS(worst, 0.02);
        spate_sim_destroy(sim);
    }
}

/* ---- what it must not change */

static void states_are_the_same(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *with = tank(dim), *without = tank(dim);
        with->fill.items[0].max[0] = without->fill.items[0].max[0] = 0.15;
        without->gauge_count = 0;
        spate_sim *a = sample_sim(with, 2), *b = sample_sim(without, 1);
        for (int k = 0; a && b && k < 30; k++)
            CHECK(sample_step(a, alternate(0.003, 2, k)) && sample_step(b, alternate(0.003, 2, k)));
        CHECK(a && b && spate_sim_hash(a) == spate_sim_hash(b));
        CHECK(a && b && sample_stats(a).solver_iterations == sample_stats(b).solver_iterations);
        spate_sim_destroy(a);
        spate_sim_destroy(b);
    }
}

/* A checkpoint between two steps of other lengths. */
static void after_a_load(void)
{
    spate_scene *scene = column(0), *again = spate_scene_copy(scene);
    spate_sim *a = sample_sim(scene, 2), *b = sample_sim(again, 2);
    sample_memory memory = {0};
    spate_error error;
    for (int k = 0; a && k < 20; k++)
        sample_step(a, alternate(0.003, 2, k));
    CHECK(a && spate_sim_save(a, sample_write, &memory, &error) == SPATE_OK);
    CHECK(b && spate_sim_load(b, sample_read, &memory, &error) == SPATE_OK);
    for (int k = 20; a && b && k < 24; k++) {
        CHECK(sample_step(a, alternate(0.003, 2, k)) && sample_step(b, alternate(0.003, 2, k)));
        CHECK(read_value(a, 0, 0) == read_value(b, 0, 0));
        CHECK(read_value(a, 1, 1) == read_value(b, 1, 1));
    }
    free(memory.bytes);
    spate_sim_destroy(a);
    spate_sim_destroy(b);
}

TESTS(gauge_steps)
{
    TEST(steady_jet);
    TEST(impulse_of_frames);
    TEST(falling_column);
    TEST(blow);
    TEST(still_water);
    TEST(states_are_the_same);
    TEST(after_a_load);
}
