/* test_gauge_steps.c -- pressure and force against the lengths of the steps: what gauges show in
 * steps that alternate by a factor of 2 or 3 is what they show in even ones, and so is the impulse;
 * the steps themselves do not see them. */
#include "sample.h"

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

/* Means of pressure and force in odd steps and in even ones, and over time, after time `from`. */
typedef struct means {
    double pressure[2], force[2], impulse; /* N s in all steps */
    double seconds;
} means;

static means measure(spate_sim *sim, double h, double factor, double from, double to, int axis)
{
    means m = {0};
    int count[2] = {0};
    double time = 0;
    for (int k = 0; sim && time < to; k++) {
        double dt = alternate(h, factor, k);
        if (!sample_step(sim, dt))
            break;
        time += dt;
        if (time < from)
            continue;
        double force = read_value(sim, 1, axis);
        m.pressure[k % 2] += read_value(sim, 0, 0);
        m.force[k % 2] += force;
        m.impulse += force * dt;
        m.seconds += dt;
        count[k % 2]++;
    }
    for (int k = 0; k < 2; k++) {
        m.pressure[k] /= count[k];
        m.force[k] /= count[k];
    }
    spate_sim_destroy(sim);
    return m;
}

/* ---- a steady jet */

/* A jet of 3 m/s and 0.24 m against a plate; gravity, if there is one, along it. */
static spate_scene *jet(int cells, double gravity)
{
    const double speed = 3, low = 0.38, high = 0.62;
    spate_scene *scene = sample_scene(2, 1, 1, 0, cells);
    scene->gravity[0] = gravity;
    scene->gravity[1] = 0;
    for (int k = 1; k < 4; k++)
        scene->domain.sides[k / 2][k % 2] = SPATE_SIDE_OPEN;
    sample_velocity(sample_box(scene, SPATE_LIST_INFLOWS, 0, low, 0, 2.0 / cells, high, 0), speed,
                    0, 0);
    sample_velocity(sample_box(scene, SPATE_LIST_FILL, 0, low, 0, 0.7, high, 0), speed, 0, 0);
    strcpy(sample_box(scene, SPATE_LIST_SOLIDS, 0.713, 0.12, 0, 0.83, 0.88, 0)->name, "plate");
    add_pressure(scene, 0.713, 0.5, 0, 0.05);
    add_force(scene, "plate");
    return scene;
}

static void jet_at(int cells, double gravity, double factor)
{
    double h = 0.144 / cells;
    means even = measure(sample_sim(jet(cells, gravity), 2), h, 1, 0.4, 1, 0);
    means m = measure(sample_sim(jet(cells, gravity), 2), h, factor, 0.4, 1, 0);
    double p = 0.5 * (even.pressure[0] + even.pressure[1]), f = 0.5 * (even.force[0] + even.force[1]);
    printf("  jet %d g %g x%g: p %.4f %.4f  F %.4f %.4f  I %.4f (p %g f %g)\n", cells, gravity, factor, m.pressure[0] / p, m.pressure[1] / p,
           m.force[0] / f, m.force[1] / f, m.impulse / m.seconds * even.seconds / even.impulse, p, f);
}

/* ---- a column that collapses */

static spate_scene *column(double drop)
{
    spate_scene *scene = sample_scene(2, 1, 1, 0, 64);
    sample_box(scene, SPATE_LIST_FILL, 0, 0.033 + drop, 0, 0.3, 0.633 + drop, 0);
    strcpy(sample_box(scene, SPATE_LIST_SOLIDS, -1, -1, -1, 2, 0.033, 2)->name, "floor");
    add_pressure(scene, 0, 0.1, 0, 0.05);
    add_force(scene, "floor");
    return scene;
}

static void column_at(double drop, double factor)
{
    double h = 0.0024;
    for (double from = 0.05; from < 0.4; from += 0.1) {
    means even = measure(sample_sim(column(drop), 2), h, 1, from, from + 0.1, 1);
    means m = measure(sample_sim(column(drop), 2), h, factor, from, from + 0.1, 1);
    printf("  column drop %g from %g x%g: p %.4f %.4f  F %.4f %.4f  I %.4f (even %.4f)\n", drop, from, factor, m.pressure[0] / even.pressure[0], m.pressure[1] / even.pressure[1],
           m.force[0] / even.force[0], m.force[1] / even.force[1], m.impulse / m.seconds * even.seconds / even.impulse, even.impulse);
    }
}

int main(void)
{
    for (int f = 1; f <= 3; f++) {
        jet_at(64, 0, f);
        jet_at(96, 0, f);
        jet_at(96, -4, f);
        jet_at(128, 0, f);
        column_at(0, f);
        column_at(0.1, f);
    }
}
