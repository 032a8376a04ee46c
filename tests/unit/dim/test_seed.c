/* test_seed.c -- the particles at the start are as much liquid as the fills hold, to one particle
 * or 0.05 %, wherever these stand against the grid, and lie inside of it. */
#include "fixture.h"

#include <math.h>

#define DX 0.07
#define PI 3.14159265358979323846

/* Particles of a scene, times the volume of one, in cells; -1: there is no simulation. */
static double seeded(spate_scene *scene)
{
    int n = scene->fluid.particles_per_axis;
    fixture *f = fixture_create(scene);
    if (!f)
        return -1;
    double volume = f->s->particles.count / pow(n, DIM);
    uint64_t count;
    spate_error error = {.status = SPATE_OK};
    CHECK(X(seed_count)(f->common.scene, &f->s->grid, &f->s->solids, &count, &error) == SPATE_OK);
    CHECK(count == f->s->particles.count);
    fixture_destroy(f);
    return volume;
}

static void check_volume(const char *what, double got, double wanted, int particles_per_axis)
{
    double one = 1 / pow(particles_per_axis, DIM), off = fabs(got - wanted);
    if (!(off <= fmax(1.01 * one, 5e-4 * wanted)))
        printf("  %s: %g cells, wanted %g: off by %.2f particles\n", what, got, wanted, off / one);
    CHECK(off <= fmax(1.01 * one, 5e-4 * wanted));
}

static spate_scene *room_for(int particles_per_axis, double jitter, int k)
{
    spate_scene *scene = scene_of_cells(DX, 26, 24, 22);
    scene->fluid.particles_per_axis = particles_per_axis;
    scene->fluid.jitter = jitter;
    scene->fluid.seed = (uint64_t)k;
    return scene;
}

static void random_box(double low[3], double high[3])
{
    for (int d = 0; d < 3; d++) {
        low[d] = random_in(2, 9);
        high[d] = low[d] + random_in(0.2, 11);
    }
}

static double box_volume(const double low[3], const double high[3])
{
    double volume = 1;
    FOR_DIM(d)
        volume *= high[d] - low[d];
    return volume;
}

static void boxes_at_any_place(void)
{
    test_random_state = 1;
    for (int k = 0; k < 24; k++) {
        int n = 1 + k % 3;
        double low[3], high[3];
        spate_scene *scene = room_for(n, k % 2 ? 0.5 : 0, k);
        random_box(low, high);
        add_box(scene, SPATE_LIST_FILL, low, high);
        check_volume("a box", seeded(scene), box_volume(low, high), n);
    }
}

/* Layers thinner than a particle, and levels of eighths of a cell over the floor. */
static void levels_of_any_height(void)
{
    for (int k = 1; k <= 40; k++) {
        const double low[3] = {0, 0, 0}, high[3] = {26, k / 8.0, 22};
        spate_scene *scene = room_for(2, 0.5, k);
        add_box(scene, SPATE_LIST_FILL, low, high);
        check_volume("a level", seeded(scene), box_volume(low, high), 2);
    }
}

static void balls_and_rotated_boxes(void)
{
    test_random_state = 2;
    for (int k = 0; k < 12; k++) {
        double low[3], high[3], center[3], radius = random_in(1, 8);
        for (int d = 0; d < 3; d++)
            center[d] = random_in(9.5, 12);
        spate_scene *scene = room_for(2, 0.5, k);
        add_ball(scene, SPATE_LIST_FILL, center, radius);
        check_volume("a ball", seeded(scene),
                     DIM == 3 ? 4 * PI / 3 * pow(radius, 3) : PI * radius * radius, 2);
        scene = room_for(2, 0.5, k);
        for (int d = 0; d < 3; d++) {
            low[d] = center[d] - random_in(1, 5);
            high[d] = center[d] + random_in(1, 5);
        }
        spate_shape *box = add_box(scene, SPATE_LIST_FILL, low, high);
        box->rotation[2] = random_in(0, 90);
        check_volume("a rotated box", seeded(scene), box_volume(low, high), 2);
    }
}

/* Fills that overlap count once, and what is inside a solid does not. */
static void overlaps_and_solids(void)
{
    test_random_state = 3;
    for (int k = 0; k < 8; k++) {
        double low[3], high[3], other_low[3], other_high[3], both = 1;
        random_box(low, high);
        random_box(other_low, other_high);
        FOR_DIM(d)
            both *= fmax(fmin(high[d], other_high[d]) - fmax(low[d], other_low[d]), 0);
        spate_scene *scene = room_for(2, 0.5, k);
        add_box(scene, SPATE_LIST_FILL, low, high);
        add_box(scene, k % 2 ? SPATE_LIST_SOLIDS : SPATE_LIST_FILL, other_low, other_high);
        check_volume(k % 2 ? "a box with a solid in it" : "two boxes", seeded(scene),
                     box_volume(low, high) - both + (k % 2 ? 0 : box_volume(other_low, other_high)),
                     2);
    }
}

/* No particle is outside of its fill by more than its own sub-cell, and the mean height of a layer
 * is that of the liquid. */
static void particles_lie_in_their_liquid(void)
{
    for (int k = 1; k < 16; k++) {
        double level = 6 + k / 8.0, mean = 0, top = 0;
        const double low[3] = {0, 0, 0}, high[3] = {26, level, 22};
        spate_scene *scene = room_for(2, 0.5, k);
        add_box(scene, SPATE_LIST_FILL, low, high);
        fixture *f = fixture_create(scene);
        if (!f)
            return;
        for (uint32_t i = 0; i < f->s->particles.count; i++) {
            double y = f->s->particles.x[1][i];
            mean += y / f->s->particles.count;
            top = fmax(top, y);
        }
        CHECK_NEAR(mean, 0.5 * level, 0.01);
        CHECK_LESS(top, level + 1e-6);
        fixture_destroy(f);
    }
}

int main(int argc, char **argv)
{
    TEST_BEGIN(argc, argv);
    TEST(boxes_at_any_place);
    TEST(levels_of_any_height);
    TEST(balls_and_rotated_boxes);
    TEST(overlaps_and_solids);
    TEST(particles_lie_in_their_liquid);
    return test_end();
}
