/* test_sizes.c -- walls stand at domain.size, whatever the cells: tanks whose sizes are no whole
 * number of cells hold the liquid that they should, at the level and with the pressure that it
 * should have, and at rest; a wave against such a wall loses no volume and gains no energy. */
#include <math.h>

#include "sample.h"

#define G 9.81

typedef struct tank {
    int dim, cells;
    double size[3], depth; /* m; the liquid stands from y = 0 up */
    spate_transfer transfer;
    bool upside_down; /* gravity along +y: it rests on the wall at the high end */
} tank;

static spate_scene *scene_of(const tank *t)
{
    spate_scene *scene = sample_scene(t->dim, t->size[0], t->size[1], t->size[2], t->cells);
    double low = t->upside_down ? t->size[1] - t->depth : 0,
           high = t->upside_down ? t->size[1] : t->depth;
    sample_box(scene, SPATE_LIST_FILL, 0, low, 0, t->size[0], high, t->size[2]);
    scene->fluid.transfer = t->transfer;
    scene->gravity[1] = t->upside_down ? G : -G;
    return scene;
}

static bool step_frames(spate_sim *sim, int frames)
{
    spate_error error = {.status = SPATE_OK};
    for (int k = 0; k < frames; k++)
        if (spate_sim_step_frame(sim, &error) != SPATE_OK) {
            printf("  %s: %s\n", error.where, error.message);
            test_failures++;
            return false;
        }
    return true;
}

/* How far a particle is outside of the tank, at most; m. */
static double outside(spate_sim *sim, const tank *t)
{
    size_t count = spate_sim_particles_count(sim, "fluid");
    float *x = malloc((3 * count + 1) * sizeof *x);
    double most = -1;
    spate_sim_particles_read(sim, "fluid", x, NULL, NULL);
    for (size_t k = 0; k < count; k++)
        for (int d = 0; d < t->dim; d++)
            most = fmax(most, fmax(-(double)x[3 * k + (size_t)d],
                                   (double)x[3 * k + (size_t)d] - t->size[d]));
    free(x);
    return most;
}

#define PLACES 9

static void add_gauge(spate_scene *scene, spate_gauge_kind kind, const tank *t, double share)
{
    spate_gauge *gauge = spate_scene_add_gauge(scene);
    gauge->kind = kind;
    gauge->at[0] = share * t->size[0];
    gauge->at[1] = t->upside_down ? t->size[1] : 0;
    gauge->at[2] = t->dim == 3 ? share * t->size[2] : 0;
}

static const char *const transfer_names[] = {"flip", "pic", "apic", "aflip"};

/* A tank of liquid at rest for `frames`; the gauges at 0 and 1 stand in the walls. The speed is the
 * largest in 2D with flip; elsewhere, where single particles at the surface are faster on any grid
 * (docs/validation.md), that of the mean energy. */
static void rests(const tank *t, int frames)
{
    spate_scene *scene = scene_of(t);
    double dx = 0, volume = t->size[0] * t->depth * (t->dim == 3 ? t->size[2] : 1);
    for (int d = 0; d < t->dim; d++)
        dx = fmax(dx, t->size[d] / t->cells);
    for (int k = 0; k < PLACES; k++) {
        add_gauge(scene, SPATE_GAUGE_HEIGHT, t, k / (PLACES - 1.0));
        add_gauge(scene, SPATE_GAUGE_PRESSURE, t, k / (PLACES - 1.0));
    }
    double particle = pow(dx / scene->fluid.particles_per_axis, t->dim);
    spate_sim *sim = sample_sim(scene, 1);
    if (!sim)
        return;
    double off = 0, push = 0, mean = 0;
    int failures = test_failures;
    spate_stats before = sample_stats(sim);
    double seeded = before.volume_particles - volume;
    CHECK(fabs(seeded) <= fmax(1.01 * particle, 5e-4 * volume));
    step_frames(sim, frames);
    spate_stats after = sample_stats(sim);
    double speed = after.max_speed,
           flow = sqrt(2 * after.kinetic_energy / (1000 * after.volume_particles));
    for (int k = 0; k < PLACES; k++) {
        double level[3], pressure[3];
        spate_sim_gauge_read(sim, 2 * k, level);
        spate_sim_gauge_read(sim, 2 * k + 1, pressure);
        off = fmax(off, fabs(level[0] - t->depth));
        mean += level[0] / PLACES;
        push = fmax(push, fabs(pressure[0] / (1000 * G * t->depth) - 1));
    }
    double limit = 0.004 * sqrt(G * t->depth), out = outside(sim, t);
    CHECK_LESS(fabs(mean - t->depth), 0.05 * dx);
    CHECK_LESS(off, 0.1 * dx);
    CHECK_LESS(push, 0.01);
    CHECK_LESS(t->transfer == SPATE_TRANSFER_FLIP && t->dim == 2 ? speed : flow, limit);
    CHECK(out <= 0);
    if (test_failures > failures)
        printf("  %dD %s %g x %g x %g m, %d cells%s: seeded %+.2f particles, level %+.4f dx (worst "
               "%.4f), pressure %.4f, speed %.2f (rms %.2f), outside %.2g m\n",
               t->dim, transfer_names[t->transfer], t->size[0], t->size[1], t->size[2], t->cells,
               t->upside_down ? ", upside down" : "", seeded / particle, (mean - t->depth) / dx,
               off / dx, push, speed / limit, flow / limit, out);
    spate_sim_destroy(sim);
}

static void tanks(int dim, spate_transfer transfer)
{
    static const struct {
        double size[3], depth;
        int cells;
    } list[] = {{{1.3, 0.9, 0.37}, 0.5, 96}, {{1.61, 1, 0.5}, 0.6, 80},
                {{1.61, 1, 0.5}, 0.6, 40},   {{0.9, 1.3, 0.413}, 0.7, 96},
                {{0.71, 1, 0.3}, 0.4, 32},   {{1, 0.53, 0.29}, 0.3, 47}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k += TEST_STRIDE(3))
        for (int turned = 0; turned < 2; turned++) {
            /* in the short form the small ones, and in 3D flip and apic take turns */
            bool has_turn =
                dim == 2 || (k + (size_t)turned) % 2 == (transfer == SPATE_TRANSFER_APIC);
            if (!test_full() && (list[k].cells > 50 || !has_turn))
                continue;
            tank t = {.dim = dim,
                      .cells = dim == 3 ? list[k].cells / 2 : list[k].cells,
                      .depth = list[k].depth,
                      .transfer = transfer,
                      .upside_down = turned};
            memcpy(t.size, list[k].size, sizeof t.size);
            rests(&t, dim == 3 ? 30 : 150);
        }
}

static void tanks_2d_flip(void)
{
    tanks(2, SPATE_TRANSFER_FLIP);
}

static void tanks_2d_apic(void)
{
    tanks(2, SPATE_TRANSFER_APIC);
}

static void tanks_2d_aflip(void)
{
    tanks(2, SPATE_TRANSFER_AFLIP);
}

static void tanks_3d_flip(void)
{
    tanks(3, SPATE_TRANSFER_FLIP);
}

static void tanks_3d_apic(void)
{
    tanks(3, SPATE_TRANSFER_APIC);
}

/* ---- a wave against the wall */

/* In a frame the energy may grow a little, against a wall on faces by 0.0014 (2D, flip) to 0.0064
 * (3D, apic) of what it was at the start. */
static void breaks(int dim, double share, spate_transfer transfer)
{
    int cells = dim == 3 ? (test_full() ? 24 : 18) : test_full() ? 48 : 36;
    double dx = 1.0 / cells;
    tank t = {.dim = dim, .cells = cells, .size = {(cells - 9 + share) * dx, 1, 7.3 * dx}};
    spate_scene *scene = sample_scene(dim, t.size[0], t.size[1], t.size[2], cells);
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.3, 0.6, t.size[2]);
    scene->fluid.transfer = transfer;
    scene->time.min_substeps = 4; /* of one length: velocities are those of half a step before */
    spate_sim *sim = sample_sim(scene, 1);
    if (!sim)
        return;
    spate_stats s = sample_stats(sim);
    int failures = test_failures;
    double energy = s.kinetic_energy + s.potential_energy, grows = 0, most = 0, least = 1, out = -1,
           volume = s.volume, start = energy;
    for (int frame = 0; frame < (TEST_IS_SLOW ? 20 : 60) && step_frames(sim, 1); frame++) {
        s = sample_stats(sim);
        double now = s.kinetic_energy + s.potential_energy - s.separate_energy;
        grows = fmax(grows, (now - energy) / start);
        energy = s.kinetic_energy + s.potential_energy;
        most = fmax(most, energy / start);
        least = fmin(least, s.volume / volume);
        out = fmax(out, outside(sim, &t));
    }
    CHECK_NEAR(s.volume / volume, 1, 0.02);
    CHECK_LESS(grows, 0.01);
    CHECK_LESS(most, 1);
    CHECK(out <= 0 && s.removed == 0);
    CHECK(sample_ledger(sim));
    if (test_failures > failures)
        printf(
            "  %dD %s, %.2f of a cell: volume %.4f at least, %.4f at the end; energy grows by %.2e "
            "at most, %.3f left; outside %.2g m\n",
            dim, transfer == SPATE_TRANSFER_APIC ? "apic" : "flip", share, least, s.volume / volume,
            grows, energy / start, out);
    spate_sim_destroy(sim);
}

/* Walls at several places between their faces; in the short form flip and apic take turns. */
static void waves(int dim, spate_transfer transfer)
{
    static const double shares[] = {0, 0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98};
    size_t count = sizeof shares / sizeof *shares, step = (size_t)TEST_STRIDE(2), first = 0;
    step *= dim == 3 ? 2 : 1;
    if (!test_full()) {
        first = (transfer == SPATE_TRANSFER_APIC ? 1 : 0) + (dim == 3 ? 2 : 0);
        step *= 2;
    }
    for (size_t k = first; k < count; k += step)
        breaks(dim, shares[k], transfer);
}

static void waves_2d_flip(void)
{
    waves(2, SPATE_TRANSFER_FLIP);
}

static void waves_2d_apic(void)
{
    waves(2, SPATE_TRANSFER_APIC);
}

static void waves_3d_flip(void)
{
    waves(3, SPATE_TRANSFER_FLIP);
}

static void waves_3d_apic(void)
{
    waves(3, SPATE_TRANSFER_APIC);
}

/* ---- an inflow at the wall gives as much as at a wall on faces, and no more speed than its fall
 */

static void inflows(void)
{
    static const double shares[] = {0, 0.05, 0.5, 0.8, 0.95};
    double usual = 0;
    for (int k = 0; k < 5; k++) {
        double dx = 0.05, size = (16 + shares[k]) * dx;
        spate_scene *scene = sample_scene(2, size, 0.7, 0, 64);
        scene->domain.cell_size = dx;
        sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, size, 0.2, 0);
        spate_shape *inflow =
            sample_box(scene, SPATE_LIST_INFLOWS, size - 0.1, 0.4, 0, size, 0.5, 0);
        inflow->velocity[0] = -1;
        spate_sim *sim = sample_sim(scene, 1);
        if (!sim || !step_frames(sim, 45))
            return;
        spate_stats stats = sample_stats(sim);
        usual = k == 0 ? (double)stats.added : usual;
        CHECK_NEAR((double)stats.added / usual, 1, 0.05);
        CHECK_LESS(stats.max_speed, sqrt(1 + 2 * G * 0.5));
        spate_sim_destroy(sim);
    }
}

/* ---- what others see of it */

/* m^3, 2D: m^2; the surface is closed. */
static double volume_of(const spate_surface *s)
{
    double sum = 0;
    for (size_t k = 0; k < s->triangles; k++) {
        const uint32_t *corner = s->indices + (size_t)s->dim * k;
        const float *a = s->positions + 3 * (size_t)corner[0],
                    *b = s->positions + 3 * (size_t)corner[1],
                    *c = s->positions + 3 * (size_t)corner[s->dim - 1];
        double cross[3] = {(double)b[1] * c[2] - (double)b[2] * c[1],
                           (double)b[2] * c[0] - (double)b[0] * c[2],
                           (double)b[0] * c[1] - (double)b[1] * c[0]};
        sum += s->dim == 2 ? 0.5 * ((double)a[0] * b[1] - (double)a[1] * b[0])
                           : (a[0] * cross[0] + a[1] * cross[1] + a[2] * cross[2]) / 6;
    }
    return fabs(sum);
}

/* The surface of liquid at rest has its volume and ends at the walls. */
static void surfaces(int dim)
{
    static const double shares[] = {0.05, 0.3, 0.5, 0.75, 0.95};
    for (int k = 0; k < 5; k += dim == 3 && !test_full() ? 2 : 1) {
        double dx = 0.05, size = shares[k];
        spate_scene *scene = sample_scene(dim, (16 + size) * dx, 0.8, (9 + size) * dx, 64);
        scene->domain.cell_size = dx;
        double volume = scene->domain.size[0] * 0.43 * (dim == 3 ? scene->domain.size[2] : 1);
        sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, scene->domain.size[0], 0.43,
                   scene->domain.size[2]);
        spate_sim *sim = sample_sim(scene, 1);
        if (!sim || !step_frames(sim, 10))
            return;
        spate_surface *surface = spate_sim_surface(sim, NULL, NULL);
        CHECK(surface != NULL);
        double high[3] = {0, 0, 0};
        for (size_t v = 0; surface && v < 3 * surface->vertices; v++)
            high[v % 3] = fmax(high[v % 3], surface->positions[v]);
        for (int d = 0; d < dim; d += 2)
            CHECK_NEAR(high[d], spate_sim_scene(sim)->domain.size[d], 1e-4 * dx);
        CHECK_NEAR(surface ? volume_of(surface) / volume : 0, 1, 2e-3);
        spate_surface_destroy(surface);
        spate_sim_destroy(sim);
    }
}

static void surfaces_2d(void)
{
    surfaces(2);
}

static void surfaces_3d(void)
{
    surfaces(3);
}

/* A wall is no solid that a host could see, and a checkpoint is for one size. */
static void walls_are_no_solids(void)
{
    tank t = {.dim = 2, .cells = 32, .size = {1.3, 0.9, 0}, .depth = 0.4};
    spate_scene *scene = scene_of(&t), *other;
    t.size[1] = 0.89; /* as many cells */
    other = scene_of(&t);
    sample_sphere(scene, SPATE_LIST_SOLIDS, 0.3, 0.2, 0, 0.1);
    sample_sphere(other, SPATE_LIST_SOLIDS, 0.3, 0.2, 0, 0.1);
    spate_sim *sim = sample_sim(scene, 1), *second = sample_sim(other, 1);
    spate_shape ball = sample_shape();
    spate_solid_id id, hidden = {1, 0}, guessed = {1, 1};
    spate_error error;
    const double at_wall[3] = {0.3, 0.899, 0}, origin[3] = {0, 0, 0};
    ball.shape = SPATE_SHAPE_SPHERE;
    ball.center[0] = ball.center[1] = 0.7;
    ball.radius = 0.05;
    if (!sim || !second)
        return;
    CHECK(spate_sim_solid_count(sim) == 1 && !spate_sim_solid_at(sim, 1, &id));
    CHECK(spate_sim_remove_solid(sim, hidden, &error) == SPATE_ERROR_USAGE);
    CHECK(spate_sim_remove_solid(sim, guessed, &error) == SPATE_ERROR_USAGE);
    CHECK(spate_sim_move_solid(sim, guessed, origin, origin, &error) == SPATE_ERROR_USAGE);
    CHECK_NEAR(spate_sim_solid_distance(sim, at_wall, &id), 0.599, 1e-9);
    CHECK(id.index == 0 && id.generation == 1);
    CHECK(spate_sim_add_solid(sim, &ball, &id, &error) == SPATE_OK);
    CHECK(id.generation == 1 && spate_sim_solid_count(sim) == (int)id.index + 1);
    CHECK(spate_sim_remove_solid(sim, id, &error) == SPATE_OK);
    spate_sim_destroy(sim);

    t.size[1] = 0.9;
    scene = scene_of(&t);
    sample_sphere(scene, SPATE_LIST_SOLIDS, 0.3, 0.2, 0, 0.1);
    sim = sample_sim(scene, 1);
    sample_memory memory = {0};
    CHECK(sim && step_frames(sim, 2) &&
          spate_sim_save(sim, sample_write, &memory, &error) == SPATE_OK);
    CHECK(spate_sim_load(second, sample_read, &memory, &error) == SPATE_ERROR_FILE);
    free(memory.bytes);
    spate_sim_destroy(sim);
    spate_sim_destroy(second);
}

TESTS(sizes)
{
    TEST(tanks_2d_flip);
    TEST(tanks_2d_apic);
    TEST(tanks_2d_aflip);
    TEST(tanks_3d_flip);
    TEST(tanks_3d_apic);
    TEST(waves_2d_flip);
    TEST(waves_2d_apic);
    TEST(waves_3d_flip);
    TEST(waves_3d_apic);
    TEST(inflows);
    TEST(surfaces_2d);
    TEST(surfaces_3d);
    TEST(walls_are_no_solids);
}
