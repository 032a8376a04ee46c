/* test_ledger.c -- every particle is accounted for: particles = seeded + added - removed, in every
 * step, with each cause of removal counted; inflows give the flux that was asked, without overlap;
 * a step allocates nothing after warm-up. */
#include "sample.h"

#include <spate/spate_io.h>

#include <math.h>

/* channel_2d with fewer cells: inflow, step on the floor, outflow, open top; 10 s. */
static void channel_10_seconds(void)
{
    spate_error error = {0};
    spate_scene *scene = spate_scene_read(SPATE_SOURCE "/scenes/channel_2d.json", &error);
    CHECK(scene != NULL);
    if (!scene)
        return;
    scene->domain.cells = 64;
    spate_sim *sim = sample_sim(scene, 2);
    while (sim && spate_sim_time(sim) < 10)
        if (!sample_step(sim, 0) || !sample_ledger(sim))
            break;
    if (sim) {
        spate_stats stats = sample_stats(sim);
        CHECK(spate_sim_frame(sim) == 300);
        CHECK(stats.added > 1000);
        CHECK(stats.removed_outflow > 1000);
        CHECK(stats.removed_crushed == 0 && stats.removed_user == 0 && stats.in_solid == 0);
    }
    spate_sim_destroy(sim);
}

/* Every cause at once: an inflow, an outflow, open sides, a piston that crushes, a user who adds
 * and takes. */
static spate_scene *busy_scene(int dim)
{
    spate_scene *scene = sample_scene(dim, 0.8, 0.4, 0.2, dim == 2 ? 40 : 20);
    sample_box(scene, SPATE_LIST_FILL, 0.26, 0, 0, 0.4, 0.2, 0.2);
    sample_velocity(sample_box(scene, SPATE_LIST_INFLOWS, 0.26, 0.3, 0.04, 0.34, 0.38, 0.16), 2,
                    -0.5, 0);
    sample_box(scene, SPATE_LIST_OUTFLOWS, 0.5, 0, 0, 0.55, 0.04, 0.2);
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.08, 0.4, 0.2);
    sample_box(scene, SPATE_LIST_SOLIDS, 0.08, -1, -1, 0.24, 1, 1);
    spate_shape *piston = sample_box(scene, SPATE_LIST_SOLIDS, -1, -1, -1, 0, 1, 1);
    sample_key(piston, 0, 0, 0, 0);
    sample_key(piston, 0.4, 0.12, 0, 0);
    scene->domain.sides[0][1] = SPATE_SIDE_OPEN;
    return scene;
}

static void every_cause(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_sim *sim = sample_sim(busy_scene(dim), 2);
        uint64_t given = 0, taken = 0;
        for (int step = 0; sim && spate_sim_time(sim) < 0.8; step++) {
            if (step % 5 == 2) {
                float x[6] = {0.7f, 0.1f, 0.1f, 0.7f, 0.2f, 0.1f}, v[6] = {3, 0, 0, -1, 4, 0};
                size_t added = 0;
                CHECK(spate_sim_add_particles(sim, x, v, 2, &added, NULL) == SPATE_OK);
                CHECK(added == 2);
                given += added;
            }
            if (step % 7 == 3) {
                size_t removed = 0;
                spate_shape box = sample_box_shape(0.42, 0, 0, 0.46, 0.4, 0.2);
                CHECK(spate_sim_remove_particles(sim, &box, &removed, NULL) == SPATE_OK);
                taken += removed;
            }
            if (!sample_step(sim, 0) || !sample_ledger(sim))
                break;
        }
        if (sim) {
            spate_stats stats = sample_stats(sim);
            CHECK(stats.added > given && given > 0);
            CHECK(stats.removed_user == taken && taken > 0);
            CHECK(stats.removed_open > 0);
            CHECK(stats.removed_outflow > 0);
            CHECK(stats.removed_crushed > 0);
        }
        spate_sim_destroy(sim);
    }
}

/* Ids are never used twice, and stay with their particle. */
static void ids_are_unique(void)
{
    spate_sim *sim = sample_sim(busy_scene(2), 2);
    uint32_t highest = 0;
    static unsigned char seen[1 << 20];
    while (sim && spate_sim_time(sim) < 0.5 && sample_step(sim, 0)) {
        spate_particles_view view = sample_view(sim);
        memset(seen, 0, sizeof seen);
        for (size_t k = 0; k < view.count; k++) {
            CHECK(view.id[k] < sizeof seen);
            CHECK(seen[view.id[k] % sizeof seen]++ == 0);
            highest = view.id[k] > highest ? view.id[k] : highest;
        }
    }
    if (sim) {
        spate_stats stats = sample_stats(sim);
        CHECK(highest < stats.seeded + stats.added);
    }
    spate_sim_destroy(sim);
}

/* ---- inflows */

typedef struct inflow_case {
    int dim;
    spate_shape_kind kind;
    double velocity[3]; /* m/s */
    double area;        /* cells^(dim - 1), across the velocity: times the speed it is the flux */
    double jitter;
    int per_axis;
    double rotation;  /* degrees */
    double thickness; /* cells, along x */
    double way;       /* cells per step */
    double tolerance; /* of the flux, relative */
} inflow_case;

#define MIDDLE 0.4 /* m */

/* An inflow in the middle of a box of open sides, without gravity: what it gives flies off. */
static spate_scene *inflow_scene(const inflow_case *c)
{
    spate_scene *scene = sample_scene(c->dim, 0.8, 0.8, 0.8, c->dim == 2 ? 32 : 20);
    double dx = 0.8 / scene->domain.cells;
    spate_shape *shape = sample_box(
        scene, SPATE_LIST_INFLOWS, MIDDLE - 0.5 * c->thickness * dx, MIDDLE - 3 * dx,
        MIDDLE - 2 * dx, MIDDLE + 0.5 * c->thickness * dx, MIDDLE + 3 * dx, MIDDLE + 2 * dx);
    shape->shape = c->kind;
    for (int d = 0; d < 3; d++) {
        shape->center[d] = MIDDLE;
        shape->from[d] = shape->to[d] = MIDDLE;
        scene->domain.sides[d][0] = scene->domain.sides[d][1] = SPATE_SIDE_OPEN;
    }
    shape->from[0] -= 2 * dx;
    shape->to[0] += 2 * dx;
    shape->radius = 3 * dx;
    shape->rotation[2] = c->rotation;
    memcpy(shape->velocity, c->velocity, sizeof c->velocity);
    scene->gravity[1] = 0;
    scene->fluid.jitter = c->jitter;
    scene->fluid.particles_per_axis = c->per_axis;
    return scene;
}

/* The smallest distance (m) between two particles inside the inflow. */
static double nearest_inside(spate_sim *sim)
{
    const spate_scene *scene = spate_sim_scene(sim);
    spate_particles_view view = sample_view(sim);
    const spate_shape *shape = &scene->inflows.items[0];
    static double x[20000][3];
    size_t count = 0;
    double least = HUGE_VAL;
    for (size_t k = 0; k < view.count && count < 20000; k++) {
        bool inside = true;
        for (int d = 0; d < scene->dim; d++) {
            x[count][d] = view.scale * view.x[d][k];
            inside = inside && x[count][d] >= shape->min[d] && x[count][d] <= shape->max[d];
        }
        count += inside;
    }
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < a; b++) {
            double sum = 0;
            for (int d = 0; d < scene->dim; d++)
                sum += (x[a][d] - x[b][d]) * (x[a][d] - x[b][d]);
            least = fmin(least, sum);
        }
    return sqrt(least);
}

static void one_inflow(const inflow_case *c)
{
    spate_sim *sim = sample_sim(inflow_scene(c), 2);
    if (!sim)
        return;
    const double *v = c->velocity;
    double dx = sample_view(sim).scale, spacing = dx / c->per_axis, least = HUGE_VAL;
    double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    uint64_t before = 0;
    double since = 0;
    int steps = c->dim == 2 ? 300 : 200;
    for (int step = 0; step < steps; step++) {
        if (!sample_step(sim, c->way * dx / speed) || !sample_ledger(sim))
            break;
        if (step == 60) {
            before = sample_stats(sim).added;
            since = spate_sim_time(sim);
        }
        if (step % 40 == 0)
            least = fmin(least, nearest_inside(sim));
    }
    double volume = (double)(sample_stats(sim).added - before) * pow(spacing, c->dim);
    double flux = volume / (spate_sim_time(sim) - since) / (speed * pow(dx, c->dim - 1));
    if (!(fabs(flux - c->area) <= c->tolerance * c->area) ||
        !(least >= 0.9 * (1 - c->jitter) * spacing))
        printf("  %dD, shape %d, velocity %g %g %g, %g cells thick, %g cells per step:\n", c->dim,
               (int)c->kind, c->velocity[0], c->velocity[1], c->velocity[2], c->thickness, c->way);
    CHECK_NEAR(flux, c->area, c->tolerance * c->area);
    CHECK(least >= 0.9 * (1 - c->jitter) * spacing);
    spate_sim_destroy(sim);
}

/* The inflow is 6 cells high and 4 deep, or a disc of radius 3. Where its edge is round, the
 * lattice shows in the flux. */
static void inflow_flux(void)
{
    static const double pi = 3.14159265358979;
    static const inflow_case cases[] = {
        {2, SPATE_SHAPE_BOX, {2, 0, 0}, 6, 0.5, 2, 0, 4, 0.6, 0.01},
        {2, SPATE_SHAPE_BOX, {0, -3, 0}, 4, 0.5, 2, 0, 4, 0.9, 0.01},
        {2, SPATE_SHAPE_BOX, {2, 0, 0}, 6, 0, 3, 0, 4, 0.6, 0.01},
        {2, SPATE_SHAPE_BOX, {2, 0, 0}, 4, 0.5, 2, 90, 4, 0.6, 0.01},
        {2, SPATE_SHAPE_BOX, {1.5, 2, 0}, 6 * 0.6 + 4 * 0.8, 0.5, 2, 0, 4, 0.75, 0.01},
        {2, SPATE_SHAPE_BOX, {2, 0, 0}, 6, 0.5, 2, 0, 1, 2, 0.01}, /* right through it in one step
                                                                    */
        {2, SPATE_SHAPE_SPHERE, {2, 0, 0}, 6, 0.5, 2, 0, 6, 0.6, 0.03},
        {3, SPATE_SHAPE_BOX, {2, 0, 0}, 24, 0.5, 2, 0, 4, 0.6, 0.01},
        {3, SPATE_SHAPE_BOX, {0, 0, -2}, 24, 0.8, 2, 0, 4, 0.6, 0.01},
        {3, SPATE_SHAPE_BOX, {2, 0, 0}, 24, 0.5, 2, 0, 1, 2, 0.01},
        {3, SPATE_SHAPE_CYLINDER, {2, 0, 0}, pi * 9, 0.5, 2, 0, 4, 0.6, 0.03},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k += TEST_STRIDE(3))
        one_inflow(&cases[k]);
}

/* ---- memory */

static void no_allocation(void)
{
    spate_error error = {0};
    spate_scene *scene = spate_scene_read(SPATE_SOURCE "/scenes/dam_break_2d.json", &error);
    CHECK(scene != NULL);
    if (!scene)
        return;
    spate_sim *sim = sample_sim(scene, 2);
    while (sim && spate_sim_time(sim) < 1 && sample_step(sim, 0)) {}
    uint64_t counted = sim ? sample_stats(sim).allocations : 0, calls = sp_alloc_count();
    while (sim && spate_sim_time(sim) < 2 && sample_step(sim, 0)) {}
    if (sim) {
        CHECK(sample_stats(sim).allocations == counted);
        CHECK(sp_alloc_count() == calls); /* nor between steps */
    }
    spate_sim_destroy(sim);
}

/* An inflow needs more room now and then: geometric growth, counted. */
static void growth_is_counted(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = sample_scene(dim, 0.8, 0.4, 0.2, 20);
        sample_velocity(sample_box(scene, SPATE_LIST_INFLOWS, 0, 0.1, 0, 0.1, 0.3, 0.2), 2, 0, 0);
        spate_sim *sim = sample_sim(scene, 1);
        while (sim && spate_sim_time(sim) < 0.3 && sample_step(sim, 0)) {}
        if (sim) {
            spate_stats stats = sample_stats(sim);
            CHECK(stats.particles > 200);
            CHECK(stats.allocations > 0);
            /* room grows by half each time, in at most 20 columns */
            CHECK_LESS((double)stats.allocations,
                       20 * (log((double)stats.particles) / log(1.5) + 1));
        }
        spate_sim_destroy(sim);
    }
}

TESTS(ledger)
{
    TEST(channel_10_seconds);
    TEST(every_cause);
    TEST(ids_are_unique);
    TEST(inflow_flux);
    TEST(no_allocation);
    TEST(growth_is_counted);
}
