/* test_channels.c -- what becomes of the channels of particles: carried, mixed by the grid,
 * dissipated; their sums, and the ledger that says where they went. */
#include "sample.h"

#include <math.h>

static spate_channel *add_channel(spate_scene *scene, const char *name,
                                  spate_channel_transfer transfer)
{
    spate_channel *channel = spate_scene_add_channel(scene);
    snprintf(channel->name, sizeof channel->name, "%s", name);
    channel->transfer = transfer;
    return channel;
}

/* A box of gas or of water that is stirred by a disc that turns in it. */
static spate_scene *stirred(int dim, spate_fluid_kind kind)
{
    spate_scene *scene = sample_scene(dim, 1, 1, 1, 16);
    scene->fluid.kind = kind;
    scene->gravity[1] = 0;
    spate_shape *disc = sample_sphere(scene, SPATE_LIST_FILL, 0.5, 0.5, 0.5, 0.4);
    disc->initial.kind = SPATE_INITIAL_ROTATION;
    disc->initial.center[0] = disc->initial.center[1] = disc->initial.center[2] = 0.5;
    disc->initial.spin[2] = 4;
    if (kind == SPATE_FLUID_LIQUID)
        sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 1, 1, 1);
    return scene;
}

/* Gives each particle its height as value. */
static void paint_heights(spate_sim *sim, const char *name)
{
    float *columns[4];
    spate_particles_view view;
    CHECK(spate_sim_particles_view(sim, "fluid", &view));
    CHECK(spate_sim_channel_view(sim, name, columns) == 1);
    for (size_t k = 0; k < view.count; k++)
        columns[0][k] = (float)(view.scale * (double)view.x[1][k]);
}

typedef struct spread {
    double sum, variance, least, most;
} spread;

static spread spread_of(spate_sim *sim, const char *name)
{
    float *columns[4];
    spate_particles_view view;
    spread s = {.least = HUGE_VAL, .most = -HUGE_VAL};
    double squares = 0;
    CHECK(spate_sim_particles_view(sim, "fluid", &view));
    CHECK(spate_sim_channel_view(sim, name, columns) == 1);
    for (size_t k = 0; k < view.count; k++) {
        double value = columns[0][k];
        s.sum += value;
        squares += value * value;
        s.least = fmin(s.least, value);
        s.most = fmax(s.most, value);
    }
    double n = (double)view.count;
    s.variance = squares / n - s.sum / n * (s.sum / n);
    return s;
}

/* Carried and FLIP without anything that acts: the particles keep their values to the last bit.
 * PIC mixes: the variance falls, and no value leaves the range. */
static void transfers_mix_or_not(void)
{
    for (int dim = 2; dim <= 3; dim++)
        for (int kind = 0; kind < 2; kind++) {
            spate_scene *scene = stirred(dim, (spate_fluid_kind)kind);
            add_channel(scene, "still", SPATE_CHANNEL_NONE);
            add_channel(scene, "own", SPATE_CHANNEL_FLIP);
            add_channel(scene, "slow", SPATE_CHANNEL_FLIP)->pic_time = 0.2;
            add_channel(scene, "dye", SPATE_CHANNEL_PIC);
            spate_sim *sim = sample_sim(scene, 2);
            if (!sim)
                return;
            static const char *const names[] = {"still", "own", "slow", "dye"};
            spread before[4], after[4];
            for (int k = 0; k < 4; k++) {
                paint_heights(sim, names[k]);
                before[k] = spread_of(sim, names[k]);
            }
            for (int step = 0; step < 6; step++)
                CHECK(sample_step(sim, 0.01));
            for (int k = 0; k < 4; k++) {
                after[k] = spread_of(sim, names[k]);
                CHECK(after[k].least >= before[k].least - 1e-6);
                CHECK(after[k].most <= before[k].most + 1e-6);
            }
            for (int k = 0; k < 2; k++) {
                CHECK_NEAR(after[k].sum, before[k].sum, 1e-9 * before[k].sum);
                CHECK_NEAR(after[k].variance, before[k].variance, 1e-9);
            }
            CHECK(after[2].variance < 0.9999 * before[2].variance);
            CHECK(after[3].variance < after[2].variance);
            spate_sim_destroy(sim);
        }
}

/* What dissipates falls to 1/e in its time, whatever the steps are. */
static void dissipation_is_a_rate(void)
{
    static const double steps[] = {0.1, 0.02, 0.005};
    for (int k = 0; k < 3; k++) {
        spate_scene *scene = stirred(2, SPATE_FLUID_GAS);
        spate_channel *fog = add_channel(scene, "fog", SPATE_CHANNEL_AUTO);
        fog->dissipation = 0.1;
        fog->initial[0] = 3;
        spate_sim *sim = sample_sim(scene, 1);
        if (!sim)
            return;
        for (int step = 0; step < (int)(0.1 / steps[k] + 0.5); step++)
            CHECK(sample_step(sim, steps[k]));
        sample_stats(sim);
        spate_channel_sums sums;
        CHECK(spate_sim_channel_sums(sim, "fog", 0, &sums));
        CHECK_NEAR(sums.particles, 3 * exp(-1), 1e-5);
        CHECK_NEAR(sums.cells, 3 * exp(-1), 1e-5);
        CHECK_NEAR(sums.start + sums.dissipated, sums.particles, 1e-9);
        spate_sim_destroy(sim);
    }
}

/* Through an inflow and out of an open side, with a channel that mixes and one that ages: the
 * ledger says at any time where the sum comes from. */
static void the_ledger_is_exact(void)
{
    spate_scene *scene = sample_scene(2, 2, 0.5, 0, 64);
    scene->fluid.kind = SPATE_FLUID_GAS;
    scene->domain.sides[0][1] = SPATE_SIDE_OPEN;
    scene->fluid.reseed = true;
    spate_shape *fan = sample_box(scene, SPATE_LIST_INFLOWS, 0, 0, 0, 0.0625, 0.5, 0);
    sample_velocity(fan, 1, 0.1, 0);
    sample_sphere(scene, SPATE_LIST_SOLIDS, 0.7, 0.26, 0, 0.1);
    add_channel(scene, "dye", SPATE_CHANNEL_FLIP)->pic_time = 0.3;
    add_channel(scene, "age", SPATE_CHANNEL_FLIP);
    spate_sim *sim = sample_sim(scene, 2);
    if (!sim)
        return;
    paint_heights(sim, "dye");
    spate_channel_sums first, now;
    sample_stats(sim);
    CHECK(spate_sim_channel_sums(sim, "dye", 0, &first));
    for (int step = 0; step < 150 && sample_step(sim, 0); step++)
        ;
    spate_stats stats = sample_stats(sim);
    CHECK(stats.removed_open > 0 && stats.added > 0);
    CHECK(spate_sim_channel_sums(sim, "dye", 0, &now));
    double booked = now.sources + now.dissipated + now.mixed + now.came + now.left;
    CHECK_NEAR(first.particles + booked, now.particles, 1e-9);
    CHECK(now.left < 0);
    CHECK_NEAR(now.cells, now.particles, 0.02);
    CHECK(spate_sim_channel_sums(sim, "age", 0, &now));
    booked = now.start + now.sources + now.dissipated + now.mixed + now.came + now.left;
    CHECK_NEAR(booked, now.particles, 1e-6);
    CHECK(!spate_sim_channel_sums(sim, "dye", 1, &now));
    CHECK(!spate_sim_channel_sums(sim, "salt", 0, &now) && now.particles == 0);
    spate_sim_destroy(sim);
}

/* The grid shows the channels that it holds under their names. */
static void fields_have_their_names(void)
{
    spate_scene *scene = stirred(2, SPATE_FLUID_GAS);
    add_channel(scene, "still", SPATE_CHANNEL_NONE);
    spate_channel *dye = add_channel(scene, "dye", SPATE_CHANNEL_AUTO);
    dye->components = 3;
    dye->initial[1] = 2;
    spate_sim *sim = sample_sim(scene, 1);
    if (!sim)
        return;
    CHECK(sample_step(sim, 0));
    spate_field_view view;
    CHECK(!spate_sim_field_view(sim, "still", &view));
    CHECK(!spate_sim_field_view(sim, "dye[3]", &view));
    CHECK(spate_sim_field_view(sim, "dye", &view) && view.values[0] == 0);
    CHECK(spate_sim_field_view(sim, "dye[1]", &view));
    CHECK(view.count[0] == 16 && view.count[1] == 16 && view.values[0] == 2);
    CHECK(view.values[15 * view.stride[0] + 15 * view.stride[1]] == 2);
    spate_sim_destroy(sim);
}

/* A checkpoint brings the values and the ledger back. */
static void resumes(void)
{
    spate_channel_sums sums[2];
    uint64_t hash[2];
    sample_memory memory = {0};
    for (int turn = 0; turn < 2; turn++) {
        spate_scene *scene = stirred(2, SPATE_FLUID_GAS);
        spate_channel *dye = add_channel(scene, "dye", SPATE_CHANNEL_FLIP);
        dye->pic_time = 0.1;
        dye->dissipation = 1;
        dye->initial[0] = 1;
        spate_sim *sim = sample_sim(scene, 1 + turn);
        spate_error error = {0};
        if (!sim)
            return;
        if (turn == 0)
            for (int step = 0; step < 5; step++)
                CHECK(sample_step(sim, 0.01));
        if (turn == 0)
            CHECK(spate_sim_save(sim, sample_write, &memory, &error) == SPATE_OK);
        else
            CHECK(spate_sim_load(sim, sample_read, &memory, &error) == SPATE_OK);
        for (int step = 0; step < 5; step++)
            CHECK(sample_step(sim, 0.01));
        sample_stats(sim);
        CHECK(spate_sim_channel_sums(sim, "dye", 0, &sums[turn]));
        hash[turn] = spate_sim_hash(sim);
        spate_sim_destroy(sim);
    }
    CHECK(hash[0] == hash[1]);
    CHECK(memcmp(&sums[0], &sums[1], sizeof sums[0]) == 0);
    free(memory.bytes);
}

static void refuses(void)
{
    spate_error error = {0};
    spate_scene *scene = stirred(2, SPATE_FLUID_LIQUID);
    for (int k = 0; k < 5; k++) {
        char name[8];
        snprintf(name, sizeof name, "c%d", k);
        add_channel(scene, name, SPATE_CHANNEL_FLIP)->components = 4;
    }
    CHECK(spate_scene_check(scene, NULL, NULL, &error) == SPATE_ERROR_SCENE);
    CHECK_TEXT(error.where, "channels[4].transfer");
    scene->channels[4].transfer = SPATE_CHANNEL_NONE;
    CHECK(spate_scene_check(scene, NULL, NULL, &error) == SPATE_OK);
    scene->channels[0].pic = true;
    CHECK(spate_scene_check(scene, NULL, NULL, &error) == SPATE_ERROR_SCENE);
    CHECK_TEXT(error.where, "channels[0].transfer");
    spate_scene_destroy(scene);
}

TESTS(channels)
{
    TEST(transfers_mix_or_not);
    TEST(dissipation_is_a_rate);
    TEST(the_ledger_is_exact);
    TEST(fields_have_their_names);
    TEST(resumes);
    TEST(refuses);
}
