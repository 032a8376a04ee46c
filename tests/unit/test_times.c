/* test_times.c -- scenes that change with time: fills that appear, inflows and outflows that open
 * and close, flows, keyframes, repeated shapes, velocities by formula; resumed in the middle; and
 * what is refused. */
#include "sample.h"
#include "test.h"

#include <spate/spate_io.h>

#include <stdlib.h>

static spate_sim *sim_of(const char *text)
{
    spate_error error = {0};
    spate_sim *sim = NULL;
    spate_scene *scene = spate_scene_parse(text, strlen(text), ".", &error);
    if (scene)
        sim = spate_sim_create(scene, NULL, &error);
    if (!sim)
        printf("  %s: %s\n", error.where, error.message);
    CHECK(sim != NULL);
    spate_scene_destroy(scene);
    return sim;
}

static spate_stats stats_of(spate_sim *sim)
{
    spate_stats stats;
    CHECK(spate_sim_stats(sim, &stats));
    return stats;
}

static bool go_to(spate_sim *sim, int frame)
{
    spate_error error = {0};
    while (sim && spate_sim_frame(sim) < frame)
        if (spate_sim_step_frame(sim, &error) != SPATE_OK) {
            printf("  %s: %s\n", error.where, error.message);
            CHECK(false);
            return false;
        }
    return sim != NULL;
}

/* ---- fills */

/* At 1/3 s, between two frames: a step ends there. Cells that hold liquid get what they lack. */
static void a_fill_appears(void)
{
    spate_sim *sim = sim_of(
        "{\"domain\": {\"size\": [1, 1], \"cells\": 32}, \"fps\": 10, \"gravity\": [0, 0],"
        "\"fill\": [{\"min\": [0, 0], \"max\": [1, 0.25]},"
        "{\"min\": [0.25, 0.125], \"max\": [0.5, 0.5], \"start\": 0.3333, \"velocity\": [1, 0]}]}");
    if (!go_to(sim, 3))
        return;
    CHECK(stats_of(sim).particles == 8 * 32 * 4);
    spate_error error;
    for (int k = 0; k < 20 && spate_sim_time(sim) < 0.33329; k++)
        CHECK(spate_sim_step(sim, 0, &error) == SPATE_OK);
    CHECK_NEAR(spate_sim_time(sim), 0.3333, 1e-9);
    spate_stats now = stats_of(sim);
    CHECK_NEAR((double)now.particles, 4 * (8 * 32 + 8 * 8), 8);
    CHECK(now.particles == now.seeded + now.added);
    CHECK_NEAR(now.momentum_x, 1000 * 0.25 * 0.25, 8.0);
    spate_sim_destroy(sim);
}

static void shapes_repeat(void)
{
    static const char text[] =
        "{\"domain\": {\"size\": [1, 1], \"cells\": 32},"
        "\"solids\": [{\"name\": \"post\", \"min\": [0.1, 0], \"max\": [0.15, 0.5],"
        "\"motion\": [{\"time\": 0}, {\"time\": 1, \"position\": [0, 0.1]}],"
        "\"repeat\": {\"count\": 3, \"step\": [0.3, 0]}}, {\"name\": \"other\", \"shape\": \"sphere\","
        "\"center\": [0.5, 0.8], \"radius\": 0.1}], \"whitewater\": {\"kill\": [{\"min\": [0, 0.9],"
        "\"max\": [0.1, 1], \"repeat\": {\"count\": 5, \"step\": [0.2, 0]}}]}}";
    spate_error error = {0};
    spate_scene *scene = spate_scene_parse(text, strlen(text), ".", &error);
    CHECK(scene && scene->whitewater.kill.count == 5);
    CHECK(scene && scene->solids.count == 4);
    if (scene && scene->solids.count == 4) {
        CHECK_TEXT(scene->solids.items[1].name, "other");
        CHECK_TEXT(scene->solids.items[3].name, "post_3");
        CHECK_NEAR(scene->solids.items[3].max[0], 0.75, 1e-12);
        CHECK(scene->solids.items[3].motion_count == 2);
        char *first = spate_scene_text(scene);
        CHECK(spate_scene_expand(scene, &error) == SPATE_OK); /* once is enough */
        char *second = spate_scene_text(scene);
        CHECK_TEXT(first, second);
        spate_free(first);
        spate_free(second);
    }
    spate_scene_destroy(scene);
}

/* A sampled box has the number of particles that it is to have, all inside, in 2D and 3D. */
static void boxes_are_sampled(void)
{
    static const char *const kinds[] = {"grid", "jittered_grid", "random", "blue_noise"};
    for (int dim = 2; dim <= 3; dim++)
        for (int k = 0; k < 4; k++) {
            char text[512];
            snprintf(
                text, sizeof text,
                "{\"domain\": {\"size\": [1, 1%s], \"cells\": 16}, \"fill\": [{\"min\": [0.2, 0.3%s],"
                "\"max\": [0.7, 0.5%s], \"sampling\": \"%s\", \"count\": 500, \"jitter\": 0.5}]}",
                dim == 3 ? ", 1" : "", dim == 3 ? ", 0.1" : "", dim == 3 ? ", 0.9" : "", kinds[k]);
            spate_sim *sim = sim_of(text);
            size_t count = sim ? spate_sim_particles_count(sim, "fluid") : 0;
            size_t lattice = dim == 2 ? 23 * 23 : 8 * 8 * 8;
            if (k < 2)
                CHECK(count == lattice);
            else if (k == 2)
                CHECK(count == 500);
            else
                CHECK(count > 400 && count <= 500);
            float *x = malloc((count + 1) * 3 * sizeof *x);
            if (sim && x && spate_sim_particles_read(sim, "fluid", x, NULL, NULL)) {
                double least = 1;
                for (size_t i = 0; i < count; i++) {
                    CHECK(x[3 * i] > 0.1999f && x[3 * i] < 0.7001f && x[3 * i + 1] > 0.2999f &&
                          x[3 * i + 1] < 0.5001f);
                    for (size_t j = 0; j < i; j++) {
                        double square = 0;
                        for (size_t d = 0; d < 3; d++)
                            square += pow((double)x[3 * i + d] - (double)x[3 * j + d], 2);
                        least = fmin(least, square);
                    }
                }
                double each = 0.5 * 0.2 * (dim == 3 ? 0.8 : 1) / 500;
                double radius = 0.7 * pow(each, 1.0 / dim);
                if (k == 3)
                    CHECK(sqrt(least) > 0.999 * radius);
                if (k == 2)
                    CHECK(sqrt(least) < radius); /* chance alone does not keep apart */
            }
            free(x);
            spate_sim_destroy(sim);
        }
}

/* ---- velocities */

static void velocities_by_formula(void)
{
    static const char head[] =
        "{\"domain\": {\"size\": [4, 1], \"cells\": 64}, \"fill\": [{\"min\": [0, 0],"
        "\"max\": [4, %s], \"velocity\": [%s, 0], \"initial\": %s}]}";
    char text[1024];
    /* rotation about a point: momentum is that of the centre */
    snprintf(text, sizeof text, head, "0.5", "0",
             "{\"kind\": \"rotation\", \"center\": [1, 0], \"spin\": 2}");
    spate_sim *sim = sim_of(text);
    spate_stats s = sim ? stats_of(sim) : (spate_stats){0};
    CHECK_NEAR(s.momentum_x, 2000 * -2 * 0.25, 1);
    CHECK_NEAR(s.momentum_y, 2000 * 2 * 1, 4);
    spate_sim_destroy(sim);
    snprintf(text, sizeof text, head, "0.5", "3",
             "{\"kind\": \"shear\", \"center\": [0, 0.1], \"length\": 0.4}");
    sim = sim_of(text);
    s = sim ? stats_of(sim) : s;
    CHECK_NEAR(s.momentum_x, 2000 * 3 * (0.25 - 0.1) / 0.4, 5);
    spate_sim_destroy(sim);
    /* standing wave: kinetic energy rho g a^2 L / 4 */
    snprintf(text, sizeof text, head, "0.5", "0",
             "{\"kind\": \"standing_wave\", \"length\": 2, \"height\": 0.02, \"depth\": 0.5}");
    sim = sim_of(text);
    s = sim ? stats_of(sim) : s;
    CHECK_NEAR(s.kinetic_energy / (1000 * 9.81 * 0.02 * 0.02 * 4 / 4), 1, 0.01);
    CHECK_NEAR(s.momentum_x, 0, 0.1); /* of 2000 kg at up to 0.1 m/s, placed by chance */
    spate_sim_destroy(sim);
    /* solitary wave: its volume is sqrt(16 H h^3 / 3), its momentum rho c times that */
    snprintf(text, sizeof text, head, "0.9", "0",
             "{\"kind\": \"solitary_wave\", \"center\": [2, 0], \"height\": 0.1, \"depth\": 0.3}");
    sim = sim_of(text);
    s = sim ? stats_of(sim) : s;
    double volume = sqrt(16 * 0.1 * 0.3 * 0.3 * 0.3 / 3), c = sqrt(9.81 * 0.4);
    CHECK_NEAR(s.volume_particles, 4 * 0.3 + volume, 0.002);
    CHECK_NEAR(s.momentum_x / (1000 * c * volume), 1, 0.01);
    spate_sim_destroy(sim);
}

/* The crest of a solitary wave runs with c, and is as high as before. */
static void a_solitary_wave_runs(void)
{
    spate_sim *sim = sim_of(
        "{\"domain\": {\"size\": [8, 0.6], \"cells\": 256}, \"fps\": 10, \"fill\": [{\"min\": [0, 0],"
        "\"max\": [8, 0.6], \"initial\": {\"kind\": \"solitary_wave\", \"center\": [2, 0],"
        "\"height\": 0.06, \"depth\": 0.3}}], \"gauges\": [{\"at\": [4, 0]}, {\"at\": [6, 0]}]}");
    double most[2] = {0}, when[2] = {0}, values[3];
    spate_error error;
    while (sim && spate_sim_time(sim) < 3.2) {
        if (spate_sim_step(sim, 0, &error) != SPATE_OK)
            break;
        for (int k = 0; k < 2; k++) {
            spate_sim_gauge_read(sim, k, values);
            when[k] = values[0] > most[k] ? spate_sim_time(sim) : when[k];
            most[k] = fmax(most[k], values[0]);
        }
    }
    CHECK_NEAR(2 / (when[1] - when[0]), sqrt(9.81 * 0.36), 0.05 * sqrt(9.81 * 0.36));
    CHECK_NEAR(most[0] - 0.3, 0.06, 0.008);
    CHECK_NEAR(most[1] - 0.3, 0.06, 0.008);
    spate_sim_destroy(sim);
}

/* ---- flows */

/* However the shape lies against the grid, what comes in is the flow. */
static void a_flow_is_held(void)
{
    for (int cells = 32; cells <= 45; cells += 13)
        for (int place = 0; place < 3; place++)
            for (int strength = 0; strength < 2; strength++) {
                char text[512];
                double y = 0.1 + 0.0137 * place, flow = strength ? 0.3 : 0.05;
                snprintf(
                    text, sizeof text,
                    "{\"domain\": {\"size\": [1, 1], \"cells\": %d, \"sides\": {\"right\": \"open\"}},"
                    "\"fill\": [{\"min\": [0, 0], \"max\": [1, 0.4]}], \"inflows\": [{\"min\": [0, %g],"
                    "\"max\": [0.08, %g], \"velocity\": [1, 0], \"flow\": %g}]}",
                    cells, y, y + 0.15, flow);
                spate_sim *sim = sim_of(text);
                if (!go_to(sim, 3))
                    continue;
                double before = (double)stats_of(sim).added, from = spate_sim_time(sim);
                go_to(sim, 33);
                double particles = (double)stats_of(sim).added - before;
                double wanted = flow * (spate_sim_time(sim) - from) * cells * cells * 4;
                CHECK_NEAR(particles, wanted, 0.005 * wanted + 1);
                spate_sim_destroy(sim);
            }
}

/* Across the grid, of a round shape, which is stairs to the grid. */
static void a_slanted_flow_is_held(void)
{
    for (int dim = 2; dim <= 3; dim++)
        for (int turn = 0; turn < 2; turn++) {
            char text[512];
            double flow = dim == 2 ? 0.2 : 0.05;
            snprintf(
                text, sizeof text,
                "{\"domain\": {\"size\": [1, 1%s], \"cells\": 24}, \"fps\": 20, \"inflows\": [{\"shape\":"
                "\"sphere\", \"center\": [0.2, 0.6%s], \"radius\": 0.12, \"velocity\": [1, %g%s], \"flow\": %g}]}",
                dim == 3 ? ", 1" : "", dim == 3 ? ", 0.5" : "", turn ? -1.0 : -0.3,
                dim == 3 ? ", 0.5" : "", flow);
            spate_sim *sim = sim_of(text);
            if (!go_to(sim, 2))
                continue;
            double before = (double)stats_of(sim).added, from = spate_sim_time(sim);
            go_to(sim, 14);
            double particles = (double)stats_of(sim).added - before;
            double wanted = flow * (spate_sim_time(sim) - from) * pow(24 * 2, dim);
            CHECK_NEAR(particles, wanted, 0.005 * wanted + 1);
            spate_sim_destroy(sim);
        }
}

static const char valve[] =
    "{\"domain\": {\"size\": [1, 1], \"cells\": 40}, \"fps\": 20, \"inflows\": [{\"min\": [0, 0.5],"
    "\"max\": [0.1, 0.6], \"velocity\": [1, 0], \"start\": 0.313, \"until\": 1.207}], \"outflows\":"
    "[{\"min\": [0, 0], \"max\": [1, 0.1], \"start\": 1.3}], \"keyframes\": ["
    "{\"setting\": \"inflows[0].velocity\", \"time\": 0.313, \"value\": [0, 0]},"
    "{\"setting\": \"inflows[0].velocity\", \"time\": 0.8, \"value\": [2, 0]},"
    "{\"setting\": \"inflows[0].velocity\", \"time\": 1.207, \"value\": [0, 0]},"
    "{\"setting\": \"gravity\", \"time\": 0.5, \"value\": [0, -9.81]},"
    "{\"setting\": \"gravity\", \"time\": 1.5, \"value\": [0, -2]},"
    "{\"setting\": \"fluid.flip_ratio\", \"time\": 0, \"value\": 0.9}]}";

static void a_valve_opens_and_closes(void)
{
    spate_sim *sim = sim_of(valve);
    if (!go_to(sim, 6))
        return;
    CHECK(stats_of(sim).added == 0 && !spate_sim_inflow_is_on(sim, 0));
    go_to(sim, 24);
    CHECK(spate_sim_inflow_is_on(sim, 0));
    go_to(sim, 26);
    CHECK(!spate_sim_inflow_is_on(sim, 0));
    spate_stats at_close = stats_of(sim);
    /* its own volume at once, then the integral of the velocity */
    double particle = 1.0 / 40 / 40 / 4, given = (double)at_close.added * particle - 0.01;
    CHECK_NEAR(given, 0.1 * 0.894, 0.01 * 0.0894);
    CHECK(at_close.removed == 0);
    go_to(sim, 30);
    CHECK(stats_of(sim).added == at_close.added && stats_of(sim).removed > 0);
    spate_sim_destroy(sim);
}

typedef struct memory {
    unsigned char *bytes;
    size_t size, at;
} memory;

static spate_status put(void *user, const void *bytes, size_t size)
{
    memory *m = user;
    unsigned char *more = realloc(m->bytes, m->size + size);
    if (!more)
        return SPATE_ERROR_FILE;
    m->bytes = more;
    memcpy(m->bytes + m->size, bytes, size);
    m->size += size;
    return SPATE_OK;
}

static spate_status take(void *user, void *bytes, size_t size)
{
    memory *m = user;
    if (m->at + size > m->size)
        return SPATE_ERROR_FILE;
    memcpy(bytes, m->bytes + m->at, size);
    m->at += size;
    return SPATE_OK;
}

/* Saved at a frame, loaded into a fresh simulation: the same bits at the end, whatever opens,
 * closes, appears or is owed between. */
static void resumes(void)
{
    static const char flow[] =
        "{\"domain\": {\"size\": [1, 1], \"cells\": 32}, \"fps\": 20, \"inflows\": [{\"min\": [0, 0.5],"
        "\"max\": [0.1, 0.6], \"velocity\": [1, -1], \"flow\": 0.0713}], \"outflows\": [{\"min\": [0.5, 0],"
        "\"max\": [1, 1], \"level\": 0.05}], \"fill\": [{\"min\": [0.3, 0.7], \"max\": [0.6, 0.9], \"start\": 0.9}]}";
    const char *const texts[] = {valve, flow};
    for (int t = 0; t < 2; t++)
        for (int frame = 5; frame < 28; frame += 11) {
            memory m = {0};
            spate_error error = {0};
            spate_sim *whole = sim_of(texts[t]), *parts = sim_of(texts[t]);
            go_to(whole, frame);
            CHECK(spate_sim_save(whole, put, &m, &error) == SPATE_OK);
            CHECK(spate_sim_load(parts, take, &m, &error) == SPATE_OK);
            go_to(whole, 32);
            go_to(parts, 32);
            CHECK(spate_sim_hash(whole) == spate_sim_hash(parts));
            CHECK(stats_of(whole).added == stats_of(parts).added);
            free(m.bytes);
            spate_sim_destroy(whole);
            spate_sim_destroy(parts);
        }
}

static void an_outflow_keeps_a_level(void)
{
    for (int k = 0; k < 3; k++) {
        char text[640];
        double level = 0.3 + 0.011 * k, sum = 0;
        int count = 0;
        snprintf(
            text, sizeof text,
            "{\"domain\": {\"size\": [1, 1], \"cells\": 32}, \"fill\": [{\"min\": [0, 0], \"max\": [1, 0.25]}],"
            "\"inflows\": [{\"min\": [0, 0.05], \"max\": [0.1, 0.15], \"velocity\": [1, 0], \"flow\": 0.05}],"
            "\"outflows\": [{\"min\": [0.7, 0], \"max\": [1, 1], \"level\": %g}],"
            "\"gauges\": [{\"at\": [0.4, 0]}]}",
            level);
        spate_sim *sim = sim_of(text);
        for (int frame = 1; frame <= 180 && go_to(sim, frame); frame++) {
            double values[3];
            spate_sim_gauge_read(sim, 0, values);
            sum += frame > 120 ? values[0] : 0;
            count += frame > 120;
        }
        CHECK_NEAR(sum / (count + 1e-9), level, 0.5 / 32);
        spate_sim_destroy(sim);
    }
}

/* ---- what is refused */

static void bad_scenes(void)
{
#define DOMAIN "{\"domain\": {\"size\": [1, 1], \"cells\": 16}, "
#define INFLOW "\"inflows\": [{\"min\": [0, 0], \"max\": [0.2, 0.2], \"velocity\": [1, 0]}], "
    static const struct {
        const char *text, *where, *message;
    } cases[] = {
        {DOMAIN "\"fill\": [{\"min\": [0, 0], \"max\": [1, 0.2], \"start\": -1}]}", "fill[0].start",
         "must be at least 0 (got -1)"},
        {DOMAIN
         "\"inflows\": [{\"min\": [0, 0], \"max\": [0.2, 0.2], \"velocity\": [1, 0], \"start\": 2,"
         "\"until\": 1}]}",
         "inflows[0].until", "must be later than its start"},
        {DOMAIN "\"inflows\": [{\"min\": [0, 0], \"max\": [0.2, 0.2], \"flow\": 1}]}",
         "inflows[0].velocity", "is required with a flow: its direction is where the flow goes"},
        {DOMAIN
         "\"inflows\": [{\"min\": [0, 0], \"max\": [0.2, 0.2], \"velocity\": [-1, 0], \"flow\": 1}]}",
         "inflows[0].flow", "flows through nothing"},
        {DOMAIN
         "\"inflows\": [{\"min\": [2, 0], \"max\": [2.2, 0.2], \"velocity\": [-1, 0], \"flow\": 1}]}",
         "inflows[0].flow", "flows through nothing"},
        {DOMAIN "\"keyframes\": [{\"setting\": \"fluid.density\", \"value\": 2}]}",
         "keyframes[0].setting", "\"fluid.density\" cannot have keyframes"},
        {DOMAIN "\"keyframes\": [{\"setting\": \"inflows[1].flow\", \"value\": 2}]}",
         "keyframes[0].setting", "there is no inflows[1]: the scene has 0"},
        {DOMAIN "\"keyframes\": [{\"setting\": \"gravity\", \"time\": 1, \"value\": [0, 1]},"
                "{\"setting\": \"fluid.flip_ratio\", \"time\": 1, \"value\": 1},"
                "{\"setting\": \"gravity\", \"time\": 1, \"value\": [0, 2]}]}",
         "keyframes[2].time", "is that of keyframes[0] too (1 s): gravity has two values then"},
        {DOMAIN "\"keyframes\": [{\"setting\": \"gravity\", \"time\": 1, \"value\": [0, 1]},"
                "{\"setting\": \"gravity\", \"time\": 0.5, \"value\": [0, 2]}]}",
         "keyframes[1].time", "must be later than keyframes[0]"},
        {DOMAIN "\"keyframes\": [{\"setting\": \"gravity\", \"time\": -1, \"value\": [0, 1]}]}",
         "keyframes[0].time", "must be at least 0 (got -1)"},
        {DOMAIN "\"keyframes\": [{\"setting\": \"fluid.flip_ratio\", \"value\": 2}]}",
         "keyframes[0].value", "must be between 0 and 1, as fluid.flip_ratio (got 2)"},
        {DOMAIN "\"keyframes\": [{\"setting\": \"gravity\", \"value\": -9.81}]}",
         "keyframes[0].value", "must have 2 numbers in a 2D scene, as gravity (got 1)"},
        {DOMAIN INFLOW "\"keyframes\": [{\"setting\": \"inflows[0].velocity\", \"value\": [0]}]}",
         "keyframes[0].value", "must have 2 numbers in a 2D scene, as inflows[0].velocity (got 1)"},
        {"{\"domain\": {\"size\": [1, 1, 1], \"cells\": 8}, \"keyframes\": [{\"value\": [0, 1],"
         "\"setting\": \"gravity\"}]}",
         "keyframes[0].value", "must have 3 numbers in a 3D scene, as gravity (got 2)"},
        {DOMAIN "\"keyframes\": [{\"setting\": \"gravity\", \"value\": [0, 1, 2]}]}",
         "keyframes[0].value", "has more numbers than gravity (2)"},
        {DOMAIN "\"keyframes\": [{\"setting\": \"fluid.flip_ratio\", \"value\": [0, 1]}]}",
         "keyframes[0].value", "has more numbers than fluid.flip_ratio (1)"},
        {DOMAIN
         "\"fill\": [{\"shape\": \"sphere\", \"center\": [0, 0], \"radius\": 1, \"sampling\": \"grid\","
         "\"count\": 5}]}",
         "fill[0].sampling", "only boxes"},
        {DOMAIN "\"fill\": [{\"min\": [0, 0], \"max\": [1, 1], \"sampling\": \"grid\"}]}",
         "fill[0].count", "is required"},
        {DOMAIN
         "\"fill\": [{\"min\": [0, 0], \"max\": [1, 1], \"initial\": {\"kind\": \"standing_wave\","
         "\"length\": 1, \"height\": 0.1}}]}",
         "fill[0].initial.depth", "is required for a wave"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        spate_error error = {0};
        spate_scene *scene = spate_scene_parse(cases[k].text, strlen(cases[k].text), ".", &error);
        spate_sim *sim = scene ? spate_sim_create(scene, NULL, &error) : NULL;
        CHECK(!sim && error.status == SPATE_ERROR_SCENE);
        CHECK_TEXT(error.where, cases[k].where);
        if (!strstr(error.message, cases[k].message))
            CHECK_TEXT(error.message, cases[k].message);
        spate_sim_destroy(sim);
        spate_scene_destroy(scene);
    }
}

/* The same by the functions of the API, where a key and its value may come in any order. */
static void keys_need_all_their_numbers(void)
{
    static const char value[] = "keyframes[0].value";
    spate_error error = {0};
    spate_scene *scene = sample_scene(2, 1, 1, 0, 16);
    spate_key *key = spate_scene_add_key(scene);
    key->value[1] = -9.81; /* a program writes all of them */
    spate_value name = {.kind = SPATE_VALUE_STRING, .string = "gravity"};
    spate_value number = {.kind = SPATE_VALUE_NUMBER, .number = -9.81};
    spate_value vector = {.kind = SPATE_VALUE_VECTOR, .vector = {0, -9.81}, .count = 2};
    spate_value nan = {.kind = SPATE_VALUE_VECTOR, .vector = {0, NAN}, .count = 2};
    CHECK(spate_scene_set(scene, "keyframes[0].setting", &name, NULL) == SPATE_OK);
    CHECK(spate_scene_check(scene, NULL, NULL, &error) == SPATE_OK);
    CHECK(spate_scene_set(scene, value, &number, NULL) == SPATE_OK);
    spate_scene *copy = spate_scene_copy(scene);
    CHECK(spate_scene_check(copy, NULL, NULL, &error) == SPATE_ERROR_SCENE);
    CHECK_TEXT(error.where, value);
    CHECK_TEXT(error.message, "must have 2 numbers in a 2D scene, as gravity (got 1)");
    spate_scene_destroy(copy);
    CHECK(spate_scene_set(scene, value, &nan, &error) == SPATE_ERROR_SCENE);
    CHECK_TEXT(error.message, "must be a finite number (got nan)");
    CHECK(spate_scene_set(scene, value, &vector, NULL) == SPATE_OK);
    CHECK(spate_scene_check(scene, NULL, NULL, &error) == SPATE_OK);
    for (int d = 0; d < 2; d++) { /* NaN of a program's own */
        scene->keyframes[0].value[1 - d] = NAN;
        CHECK(spate_scene_check(scene, NULL, NULL, &error) == SPATE_ERROR_SCENE);
        CHECK_TEXT(error.where, value);
    }
    name.string = "fluid.flip_ratio";
    number.number = 0.5;
    CHECK(spate_scene_set(scene, "keyframes[0].setting", &name, NULL) == SPATE_OK);
    CHECK(spate_scene_set(scene, value, &number, NULL) == SPATE_OK);
    CHECK(spate_scene_check(scene, NULL, NULL, &error) == SPATE_OK);
    spate_scene_destroy(scene);
}

TESTS(times)
{
    TEST(a_fill_appears);
    TEST(shapes_repeat);
    TEST(boxes_are_sampled);
    TEST(velocities_by_formula);
    TEST(a_solitary_wave_runs);
    TEST(a_flow_is_held);
    TEST(a_slanted_flow_is_held);
    TEST(a_valve_opens_and_closes);
    TEST(resumes);
    TEST(an_outflow_keeps_a_level);
    TEST(bad_scenes);
    TEST(keys_need_all_their_numbers);
}
