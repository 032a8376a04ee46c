/* test_net.c -- the net of a gas: what becomes of cells without particles, and the teaching rule of
 * seeding, which fills empty cells and thins crowded ones. */
#include "fixture.h"

#define DX 0.05
#define CELLS 10
#define FULL (DIM == 3 ? 8u : 9u)

static spate_scene *gas_scene(void)
{
    spate_scene *scene = scene_of_cells(DX, CELLS, CELLS, CELLS);
    scene->fluid.kind = SPATE_FLUID_GAS;
    spate_channel *channel = spate_scene_add_channel(scene);
    snprintf(channel->name, sizeof channel->name, "dye");
    return scene;
}

static bool in_box(const fixture *f, uint32_t k, float low, float high)
{
    bool in = true;
    FOR_DIM(d)
        in = in && f->s->particles.x[d][k] >= low && f->s->particles.x[d][k] < high;
    return in;
}

/* Takes all particles out of the cells low .. high - 1 along each axis. */
static uint32_t make_hole(fixture *f, float low, float high)
{
    uint32_t before = f->s->particles.count;
    for (uint32_t k = 0; k < before; k++)
        if (in_box(f, k, low, high))
            f->s->particles.x[0][k] = DEAD;
    X(particles_remove_dead)(&f->s->particles);
    f->common.seeded = f->s->particles.count;
    return before - f->s->particles.count;
}

static uint32_t count_in(const fixture *f, float low, float high)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < f->s->particles.count; k++)
        count += in_box(f, k, low, high);
    return count;
}

/* Of a hole of 3 cells along each axis the middle one is far from all particles: it gets one, with
 * what the grid has there, and the fullest cell loses one. */
static void a_hole_gets_one_particle(void)
{
    uint64_t hashes[3];
    for (int threads = 1; threads <= 3; threads++) {
        fixture *f = fixture_create_with(gas_scene(), threads);
        if (!f)
            return;
        CHECK(make_hole(f, 4, 7) > 0);
        for (uint32_t k = 0; k < f->s->particles.count; k++) {
            f->s->particles.v[0][k] = 0.01f;
            f->s->particles.own[0][k] = 2.0f + f->s->particles.x[1][k];
        }
        uint32_t before = f->s->particles.count;
        run_steps(f, 1, 1e-4);
        CHECK(f->s->particles.count == before);
        CHECK(count_in(f, 5, 6) == 1 && count_in(f, 4, 7) == 1);
        CHECK(f->common.added_reseed == 1 && f->common.removed_reseed == 1);
        for (uint32_t k = 0; k < f->s->particles.count; k++)
            if (in_box(f, k, 5, 6)) {
                CHECK_NEAR(f->s->particles.own[0][k], 7.5, 1.0);
                CHECK(f->s->particles.id[0][k] >= before);
            }
        hashes[threads - 1] = hash_of(f);
        fixture_destroy(f);
    }
    CHECK(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
}

/* A wide hole fills from within, a particle in every step, until no cell is far from all. */
static void a_wide_hole_fills(void)
{
    fixture *f = fixture_create(gas_scene());
    if (!f)
        return;
    make_hole(f, 2, 8);
    uint32_t before = f->s->particles.count;
    run_steps(f, 12, 1e-4);
    CHECK(f->s->particles.count == before);
    CHECK(f->common.added_reseed == f->common.removed_reseed);
    CHECK(count_in(f, 3, 7) >= (DIM == 3 ? 8 : 4));
    fixture_destroy(f);
}

/* What it gets is what is around it: in a gas that moves as a whole, in a periodic box, all new
 * particles move with it, and no value of a channel is outside of the range that was there. */
static void a_wide_hole_gets_what_is_around_it(void)
{
    spate_scene *scene = gas_scene();
    FOR_DIM(d)
        scene->domain.sides[d][0] = scene->domain.sides[d][1] = SPATE_SIDE_PERIODIC;
    fixture *f = fixture_create(scene);
    if (!f)
        return;
    make_hole(f, 1, 9);
    uint32_t before = f->s->particles.next_id;
    for (uint32_t k = 0; k < f->s->particles.count; k++) {
        FOR_DIM(d)
            f->s->particles.v[d][k] = 1.0f + (float)d;
        f->s->particles.own[0][k] = 2.0f + 0.1f * f->s->particles.x[1][k];
    }
    run_steps(f, 12, 1e-4);
    CHECK(f->common.added_reseed > 4);
    for (uint32_t k = 0; k < f->s->particles.count; k++) {
        if (f->s->particles.id[0][k] < before)
            continue;
        CHECK(f->s->particles.own[0][k] >= 2.0f && f->s->particles.own[0][k] <= 3.0f);
        FOR_DIM(d)
            CHECK_NEAR(f->s->particles.v[d][k], 1.0 + d, 1e-3);
    }
    fixture_destroy(f);
}

/* Where nothing is missing the net does nothing. */
static void a_full_box_is_left_alone(void)
{
    fixture *f = fixture_create(gas_scene());
    if (!f)
        return;
    shake(f, 0.2);
    run_steps(f, 5, 0.01);
    CHECK(f->common.added_reseed == 0 && f->common.removed_reseed == 0);
    fixture_destroy(f);
}

/* What crowds is thinned by lot: in the long run not the newer ones go. */
static void thinning_goes_by_lot(void)
{
    spate_scene *scene = gas_scene();
    scene->fluid.reseed = true;
    scene->fluid.reseed_max = (int)FULL;
    fixture *f = fixture_create(scene);
    if (!f)
        return;
    uint32_t before = f->s->particles.count, newer = 0;
    const float still[DIM] = {0};
    for (uint32_t k = 0; k < before; k++) { /* each gets a newer one beside it */
        float x[DIM];
        FOR_DIM(d)
            x[d] = f->s->particles.x[d][k];
        x[0] += x[0] - floorf(x[0]) < 0.5f ? 1e-3f : -1e-3f;
        put_particle(f, x, still);
    }
    run_steps(f, 1, 1e-6);
    for (uint32_t k = 0; k < f->s->particles.count; k++)
        newer += f->s->particles.id[0][k] >= before;
    CHECK_NEAR(f->s->particles.count / (double)before, 1, 0.02);
    CHECK_NEAR(newer / (double)f->s->particles.count, 0.5, 0.06);
    fixture_destroy(f);
}

/* The teaching rule: each empty cell is filled at once, however wide the hole, also in a corner and
 * beside a solid, and what comes is booked. */
static void empty_cells_are_filled_as_taught(void)
{
    spate_scene *scene = gas_scene();
    const double center[3] = {7.4, 7.3, 7.2};
    scene->fluid.transfer = SPATE_TRANSFER_FLIP;
    scene->volume.method = SPATE_VOLUME_NONE;
    scene->fluid.reseed = true;
    scene->fluid.reseed_min = 1;
    scene->fluid.reseed_max = 3 * (int)FULL;
    add_ball(scene, SPATE_LIST_SOLIDS, center, 1.6);
    fixture *f = fixture_create(scene);
    if (!f)
        return;
    CHECK(make_hole(f, 0, 7) > 0);
    run_steps(f, 1, 1e-4);
    uint32_t came = 0, wrong = 0;
    int c[DIM] = {0}, n[DIM];
    FOR_DIM(d)
        n[d] = 7;
    do {
        uint32_t here = 0;
        double square = 0; /* of the distance of the cell's middle from the ball's */
        FOR_DIM(d)
            square += (center[d] - c[d] - 0.5) * (center[d] - c[d] - 0.5);
        for (uint32_t k = 0; k < f->s->particles.count; k++) {
            bool in = true;
            FOR_DIM(d)
                in = in && (int)f->s->particles.x[d][k] == c[d];
            here += in;
        }
        wrong += square > 2.5 * 2.5 ? here != FULL : square > 1.6 * 1.6 && here == 0;
        came += here;
    } while (next_cell(c, n));
    CHECK(wrong == 0);
    CHECK(f->common.added_reseed >= came && f->common.removed_reseed == 0);
    CHECK(f->s->particles.count == f->common.seeded + f->common.added);
    fixture_destroy(f);
}

TESTS(net)
{
    TEST(a_hole_gets_one_particle);
    TEST(a_wide_hole_fills);
    TEST(a_wide_hole_gets_what_is_around_it);
    TEST(a_full_box_is_left_alone);
    TEST(thinning_goes_by_lot);
    TEST(empty_cells_are_filled_as_taught);
}
