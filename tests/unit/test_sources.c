/* test_sources.c -- shapes that hold heat and smoke or feed them, what is in fills and inflows at
 * the start, and the buoyancy that follows. */
#include "sample.h"

#include <math.h>

#include <spate/spate_io.h>

#define T0 293.15

/* A closed box of gas, 1 m wide, with 32 cells along. */
static spate_scene *box_of_gas(int dim)
{
    spate_scene *scene = sample_scene(dim, 1, 1, 0.25, 32);
    scene->fluid.kind = SPATE_FLUID_GAS;
    return scene;
}

static spate_channel_sums sums_of(spate_sim *sim, const char *name)
{
    spate_channel_sums sums;
    sample_stats(sim);
    CHECK(spate_sim_channel_sums(sim, name, 0, &sums));
    double all = sums.start + sums.sources + sums.dissipated + sums.mixed + sums.came + sums.left;
    CHECK_NEAR(all, sums.particles, 1e-6 * fmax(fabs(sums.particles), 1e-6));
    return sums;
}

/* Values of a channel of the particles: the least and most inside and outside of a disc. */
typedef struct ends {
    double least_in, most_in, most_out;
} ends;

static ends ends_of(spate_sim *sim, const char *name, double x, double y, double radius)
{
    double z = spate_sim_dim(sim) == 3 ? 0.125 : 0;
    float *columns[4];
    spate_particles_view view;
    ends e = {HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    CHECK(spate_sim_particles_view(sim, "fluid", &view));
    CHECK(spate_sim_channel_view(sim, name, columns) == 1);
    for (size_t k = 0; k < view.count; k++) {
        double dx = view.scale * (double)view.x[0][k] - x,
               dy = view.scale * (double)view.x[1][k] - y;
        double dz = spate_sim_dim(sim) == 3 ? view.scale * (double)view.x[2][k] - z : 0;
        double value = columns[0][k];
        if (dx * dx + dy * dy + dz * dz < radius * radius) {
            e.least_in = fmin(e.least_in, value);
            e.most_in = fmax(e.most_in, value);
        } else {
            e.most_out = fmax(e.most_out, value);
        }
    }
    return e;
}

/* What is in the shape has the value, to the last bit; nothing gets more; the ledger is exact. */
static void a_source_holds(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = box_of_gas(dim);
        spate_shape *fire = sample_sphere(scene, SPATE_LIST_SOURCES, 0.5, 0.3, 0.125, 0.1);
        fire->temperature = 330;
        fire->smoke = 0.01;
        spate_sim *sim = sample_sim(scene, 2);
        if (!sim)
            return;
        for (int step = 0; step < 30; step++)
            CHECK(sample_step(sim, 0.02));
        CHECK(sample_step(sim, 1e-7)); /* so short that nothing moves behind it */
        float held = (float)(330 - T0);
        ends heat = ends_of(sim, "temperature", 0.5, 0.3, 0.0999);
        CHECK(heat.least_in == held && heat.most_in == held);
        CHECK(heat.most_out <= held && heat.most_out > 0);
        spate_channel_sums smoke = sums_of(sim, "smoke");
        CHECK(smoke.sources > 0 && smoke.start == 0);
        CHECK_NEAR(smoke.cells, smoke.particles, 0.02 * smoke.particles);
        CHECK_NEAR(sums_of(sim, "temperature").particles / smoke.particles, (330 - T0) / 0.01,
                   1e-3 * 3685);
        CHECK(sample_stats(sim).max_speed > 0.1);
        spate_sim_destroy(sim);
    }
}

/* It gives its rate times its volume times the time, whatever the steps are: to 0.5 %, by which the
 * particles in so small a shape are unevenly spread. */
static void a_source_feeds(void)
{
    static const double steps[] = {0.1, 0.02};
    for (int k = 0; k < 2; k++) {
        spate_scene *scene = box_of_gas(2);
        scene->gravity[1] = 0;
        spate_shape *vent = sample_sphere(scene, SPATE_LIST_SOURCES, 0.5, 0.3, 0, 0.1);
        vent->mode = SPATE_SOURCE_RATE;
        vent->smoke = 0.03;
        vent->temperature = 10;
        vent->start = 0.2;
        vent->until = 0.8;
        spate_sim *sim = sample_sim(scene, 2);
        if (!sim)
            return;
        while (spate_sim_time(sim) < 1 && sample_step(sim, steps[k]))
            ;
        double area = M_PI * 0.01, seconds = 0.6;
        CHECK_NEAR(sums_of(sim, "smoke").particles, 0.03 * area * seconds, 5e-3 * 5.65e-4);
        CHECK_NEAR(sums_of(sim, "temperature").particles, 10 * area * seconds, 5e-3 * 0.188);
        spate_sim_destroy(sim);
    }
}

/* Between keys the rate is linear. */
static void keys_change_a_source(void)
{
    spate_scene *scene = box_of_gas(2);
    scene->gravity[1] = 0;
    spate_shape *vent = sample_sphere(scene, SPATE_LIST_SOURCES, 0.5, 0.3, 0, 0.1);
    vent->mode = SPATE_SOURCE_RATE;
    vent->smoke = 1;
    for (int k = 0; k < 2; k++) {
        spate_key *key = spate_scene_add_key(scene);
        snprintf(key->setting, sizeof key->setting, "sources[0].smoke");
        key->time = k;
        key->value[0] = 0.02 * k;
        key->value[1] = key->value[2] = NAN;
    }
    spate_sim *sim = sample_sim(scene, 1);
    if (!sim)
        return;
    for (int step = 0; step < 10; step++)
        CHECK(sample_step(sim, 0.1));
    CHECK_NEAR(sums_of(sim, "smoke").particles, 0.01 * M_PI * 0.01, 5e-3 * 3.14e-4);
    spate_sim_destroy(sim);
}

/* A sink takes no more than there is. */
static void a_sink_ends_at_nothing(void)
{
    spate_scene *scene = box_of_gas(2);
    scene->gravity[1] = 0;
    spate_shape *sink = sample_box(scene, SPATE_LIST_SOURCES, -1, -1, 0, 2, 2, 0);
    spate_shape *fill = sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 1, 0.5, 0);
    sink->mode = SPATE_SOURCE_RATE;
    sink->smoke = -1;
    sink->temperature = -1e5;
    fill->smoke = 0.02;
    spate_sim *sim = sample_sim(scene, 1);
    if (!sim)
        return;
    for (int step = 0; step < 5; step++)
        CHECK(sample_step(sim, 0.1));
    ends smoke = ends_of(sim, "smoke", 0.5, 0.5, 10),
         heat = ends_of(sim, "temperature", 0.5, 0.5, 10);
    CHECK(smoke.least_in >= 0 && smoke.most_in < 0.005);
    CHECK(heat.least_in >= -T0 * (1 + 1e-6) && heat.most_in < -T0 * (1 - 1e-5));
    sums_of(sim, "smoke");
    spate_sim_destroy(sim);
}

/* What a fill holds is there at the start. Warm gas over cold gas stays where it is, a warm ball in
 * cold gas rises. */
static void warm_gas_rises(void)
{
    double speed[2];
    for (int turn = 0; turn < 2; turn++) {
        spate_scene *scene = box_of_gas(2);
        spate_shape *warm = turn == 0 ? sample_box(scene, SPATE_LIST_FILL, 0, 0.5, 0, 1, 1, 0)
                                      : sample_sphere(scene, SPATE_LIST_FILL, 0.5, 0.3, 0, 0.15);
        warm->temperature = T0 + 10;
        warm->smoke = 0;
        spate_sim *sim = sample_sim(scene, 2);
        if (!sim)
            return;
        double area = turn == 0 ? 0.5 : M_PI * 0.0225;
        CHECK_NEAR(sums_of(sim, "temperature").start, 10 * area, 0.02);
        for (int step = 0; step < 40; step++)
            CHECK(sample_step(sim, 0.025));
        spate_field_view v;
        CHECK(spate_sim_field_view(sim, "v", &v));
        speed[turn] = v.values[16 * v.stride[0] + 14 * v.stride[1]];
        spate_sim_destroy(sim);
    }
    CHECK(fabs(speed[0]) < 0.01);
    CHECK(speed[1] > 0.1 && speed[1] < 0.4);
}

/* Where all of the gas is as warm, nothing is lighter than the rest. */
static void warmth_everywhere_moves_nothing(void)
{
    spate_scene *scene = box_of_gas(2);
    spate_shape *warm = sample_box(scene, SPATE_LIST_FILL, -1, -1, 0, 2, 2, 0);
    warm->temperature = 400;
    spate_sim *sim = sample_sim(scene, 1);
    if (!sim)
        return;
    for (int step = 0; step < 5; step++)
        CHECK(sample_step(sim, 0.02));
    CHECK(sample_stats(sim).max_speed < 1e-4);
    spate_sim_destroy(sim);
}

/* Water takes dye and heat as well, and heat moves it only with an expansion. */
static void water_carries_heat(void)
{
    double speed[2];
    for (int turn = 0; turn < 2; turn++) {
        spate_scene *scene = sample_scene(2, 1, 1, 0, 32);
        sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 1, 0.5, 0);
        scene->fluid.expansion = turn * 2e-4;
        spate_shape *heater = sample_sphere(scene, SPATE_LIST_SOURCES, 0.5, 0.2, 0, 0.1);
        heater->temperature = T0 + 50;
        spate_sim *sim = sample_sim(scene, 2);
        if (!sim)
            return;
        for (int step = 0; step < 50; step++)
            CHECK(sample_step(sim, 0.02));
        spate_field_view v;
        CHECK(spate_sim_field_view(sim, "v", &v));
        speed[turn] = v.values[16 * v.stride[0] + 10 * v.stride[1]]; /* above the heater */
        sums_of(sim, "temperature");
        spate_sim_destroy(sim);
    }
    CHECK(fabs(speed[0]) < 0.01);
    CHECK(speed[1] > 0.02);
}

static void an_inflow_brings_smoke(void)
{
    spate_scene *scene = box_of_gas(2);
    scene->domain.sides[0][1] = SPATE_SIDE_OPEN;
    spate_shape *fan = sample_box(scene, SPATE_LIST_INFLOWS, 0, 0, 0, 0.0625, 1, 0);
    sample_velocity(fan, 1, 0, 0);
    fan->smoke = 0.5;
    scene->gravity[1] = 0;
    spate_sim *sim = sample_sim(scene, 2);
    if (!sim)
        return;
    while (spate_sim_time(sim) < 0.5 && sample_step(sim, 0))
        ;
    CHECK_NEAR(sums_of(sim, "smoke").came, 0.5 * 0.5, 0.02);
    spate_sim_destroy(sim);
}

static spate_gauge *add_gauge(spate_scene *scene, spate_gauge_kind kind, const char *channel,
                              double x, double y)
{
    spate_gauge *gauge = spate_scene_add_gauge(scene);
    gauge->kind = kind;
    snprintf(gauge->channel, sizeof gauge->channel, "%s", channel);
    gauge->at[0] = x;
    gauge->at[1] = y;
    gauge->at[2] = 0;
    return gauge;
}

/* Gauges read channels in their units; the smoke that a flux gauge has seen go by is what is above
 * it. */
static void gauges_read_channels(void)
{
    spate_scene *scene = box_of_gas(2);
    spate_shape *fire = sample_sphere(scene, SPATE_LIST_SOURCES, 0.5, 0.2, 0, 0.1);
    fire->temperature = 330;
    fire->smoke = 0.01;
    add_gauge(scene, SPATE_GAUGE_CHANNEL, "temperature", 0.5, 0.2);
    add_gauge(scene, SPATE_GAUGE_CHANNEL, "smoke", 0.5, 0.2)->radius = 0.05;
    add_gauge(scene, SPATE_GAUGE_CHANNEL, "temperature", 0.05, 0.95);
    spate_gauge *flux = add_gauge(scene, SPATE_GAUGE_FLUX, "smoke", NAN, NAN);
    flux->min[0] = 0;
    flux->max[0] = 1;
    flux->min[1] = flux->max[1] = 0.5;
    char heading[128];
    spate_sim *sim = sample_sim(scene, 2);
    if (!sim)
        return;
    double values[3], passed = 0, dt = 0.01;
    CHECK(spate_sim_gauge_read(sim, 0, values) == 1);
    CHECK_NEAR(values[0], T0, 1e-3); /* nothing is held yet */
    CHECK(spate_sim_gauge_heading(sim, 1, 0, heading, sizeof heading));
    CHECK_TEXT(heading, "gauges[1] [kg/m^3] of smoke at 0.5 0.2");
    CHECK(spate_sim_gauge_heading(sim, 3, 0, heading, sizeof heading));
    CHECK_TEXT(heading, "gauges[3] [kg/(m s)] of smoke through 0 0.5 to 1 0.5");
    for (int step = 0; step < 150; step++) {
        CHECK(sample_step(sim, dt));
        spate_sim_gauge_read(sim, 3, values);
        passed += values[0] * dt;
    }
    spate_sim_gauge_read(sim, 0, values);
    CHECK_NEAR(values[0], 330, 0.01);
    spate_sim_gauge_read(sim, 1, values);
    CHECK_NEAR(values[0], 0.01, 1e-5);
    spate_sim_gauge_read(sim, 2, values);
    CHECK_NEAR(values[0], T0, 0.5);
    spate_field_view smoke;
    sample_stats(sim);
    CHECK(spate_sim_field_view(sim, "smoke", &smoke));
    double above = 0;
    for (int j = 16; j < 32; j++)
        for (int i = 0; i < 32; i++)
            above += smoke.values[i * smoke.stride[0] + j * smoke.stride[1]] / 1024;
    CHECK(above > 1e-5);
    CHECK_NEAR(passed, above, 0.05 * above);
    spate_sim_destroy(sim);
}

#define GAS "{\"domain\": {\"size\": [1, 1], \"cells\": 16}, \"fluid\": {\"kind\": \"gas\"}, "
#define BALL "\"shape\": \"sphere\", \"center\": [0.5, 0.5], \"radius\": 0.2"

static void refuses(void)
{
    static const struct {
        const char *text, *where, *message;
    } cases[] = {
        {GAS "\"sources\": [{" BALL "}]}", "sources[0]", "names nothing that it holds or gives"},
        {GAS "\"sources\": [{" BALL ", \"temperature\": -5}]}", "sources[0].temperature",
         "must be in kelvin, at least 0 (got -5)"},
        {GAS "\"sources\": [{" BALL ", \"smoke\": -1}]}", "sources[0].smoke",
         "must be at least 0 kg/m^3 (got -1)"},
        {GAS "\"sources\": [{" BALL ", \"smoke\": 1e9}]}", "sources[0].smoke",
         "must be at most 1000000"},
        {GAS "\"fill\": [{" BALL ", \"temperature\": -1}]}", "fill[0].temperature",
         "must be at least 0 (got -1)"},
        {GAS "\"channels\": [{\"name\": \"temperature\", \"initial\": [-20]}]}",
         "channels[0].initial", "must be in kelvin, at least 0 (got -20)"},
        {GAS "\"sources\": [{" BALL ", \"channels\": [{\"name\": \"dye\", \"value\": 1}]}]}",
         "sources[0].channels[0].name", "there is no channel \"dye\": add"},
        {GAS "\"channels\": [{\"name\": \"dye\"}], \"sources\": [{" BALL
             ", \"channels\": [{\"name\": \"dey\", \"value\": 1}]}]}",
         "sources[0].channels[0].name", "there is no channel \"dey\"; did you mean \"dye\"?"},
        {GAS "\"channels\": [{\"name\": \"dye\"}], \"sources\": [{" BALL
             ", \"channels\": [{\"name\": \"dye\", \"value\": [1, 2]}]}]}",
         "sources[0].channels[0].value", "has more numbers than the channel has components (1)"},
        {GAS "\"channels\": [{\"name\": \"age\"}], \"sources\": [{" BALL
             ", \"channels\": [{\"name\": \"age\", \"value\": 1}]}]}",
         "sources[0].channels[0].name", "\"age\" is kept up to date by spate"},
        {GAS "\"channels\": [{\"name\": \"dye\", \"transfer\": \"none\"}], \"sources\": [{" BALL
             ", \"mode\": \"rate\", \"channels\": [{\"name\": \"dye\", \"value\": 1}]}]}",
         "sources[0]", "gives rates on the grid, which does not hold"},
        {GAS "\"sources\": [{" BALL ", \"smoke\": 1, \"start\": 2, \"until\": 1}]}",
         "sources[0].until", "must be later than its start"},
        {GAS "\"sources\": [{" BALL ", \"smoke\": 1}], \"keyframes\": [{\"setting\": "
             "\"sources[0].temperature\", \"value\": 2}]}",
         "keyframes[0].setting", "sources[0] does not name it"},
        {GAS "\"keyframes\": [{\"setting\": \"sources[0].smoke\", \"value\": 2}]}",
         "keyframes[0].setting", "there is no sources[0]: the scene has 0"},
        {GAS "\"gauges\": [{\"kind\": \"channel\", \"at\": [0.5, 0.5]}]}", "gauges[0].channel",
         "is required for a channel gauge"},
        {GAS
         "\"channels\": [{\"name\": \"dye\"}], \"gauges\": [{\"kind\": \"channel\", \"channel\": "
         "\"dyee\", \"at\": [0.5, 0.5]}]}",
         "gauges[0].channel", "the grid holds no channel \"dyee\"; did you mean \"dye\"?"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        spate_error error = {0};
        spate_scene *scene = spate_scene_parse(cases[k].text, strlen(cases[k].text), NULL, &error);
        if (scene) /* else the value alone is wrong */
            CHECK(spate_scene_check(scene, NULL, NULL, &error) == SPATE_ERROR_SCENE);
        CHECK_TEXT(error.where, cases[k].where);
        error.message[strlen(cases[k].message)] = 0;
        CHECK_TEXT(error.message, cases[k].message);
        spate_scene_destroy(scene);
    }
}

/* Heat and smoke exist when something names them; a copy and the text of a scene keep the values.
 */
static void channels_come_by_name(void)
{
    static const char text[] =
        GAS "\"channels\": [{\"name\": \"dye\", \"components\": 3}], \"sources\": [{" BALL
            ", \"smoke\": 0.5, \"channels\": [{\"name\": \"dye\", \"value\": [1, 0, 2]}],"
            "\"repeat\": {\"count\": 2, \"step\": [0.1, 0]}}]}";
    spate_error error = {0};
    spate_scene *scene = spate_scene_parse(text, strlen(text), NULL, &error);
    CHECK(scene && scene->sources.count == 2 && scene->channel_count == 1);
    if (!scene)
        return;
    CHECK(scene->sources.items[1].value_count == 1);
    CHECK(scene->sources.items[1].values[0].value[2] == 2);
    CHECK(isnan(scene->sources.items[1].values[0].value[3]));
    spate_scene *copy = spate_scene_copy(scene);
    spate_scene_destroy(scene);
    CHECK(spate_scene_settle(copy, &error) == SPATE_OK);
    CHECK(copy->channel_count == 2 && copy->channels[0].transfer == SPATE_CHANNEL_FLIP);
    CHECK_TEXT(copy->channels[1].name, "smoke");
    CHECK_NEAR(copy->fluid.expansion, 1 / T0, 1e-12);
    char *said = spate_scene_text(copy);
    scene = said ? spate_scene_parse(said, strlen(said), NULL, &error) : NULL;
    CHECK(scene && scene->sources.items[1].smoke == 0.5);
    CHECK(scene && isnan(scene->sources.items[1].temperature));
    CHECK(scene && scene->sources.items[1].values[0].value[0] == 1);
    spate_free(said);
    spate_scene_destroy(scene);
    spate_scene_destroy(copy);
}

TESTS(sources)
{
    TEST(a_source_holds);
    TEST(a_source_feeds);
    TEST(keys_change_a_source);
    TEST(a_sink_ends_at_nothing);
    TEST(warm_gas_rises);
    TEST(warmth_everywhere_moves_nothing);
    TEST(water_carries_heat);
    TEST(an_inflow_brings_smoke);
    TEST(gauges_read_channels);
    TEST(refuses);
    TEST(channels_come_by_name);
}
