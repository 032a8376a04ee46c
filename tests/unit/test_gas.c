/* test_gas.c -- scenes of a gas: the defaults of their kind, what they cannot have, and the numbers
 * of a run. */
#include "sample.h"

#include <math.h>

#include <spate/spate_io.h>

static void kinds_have_defaults(void)
{
    spate_scene *s = spate_scene_create();
    spate_error error;
    CHECK(spate_scene_assign(s, "fluid.kind=gas", &error) == SPATE_OK);
    spate_scene *flat = spate_scene_copy(s), *given = spate_scene_copy(s);
    flat->dim = 2;
    given->fluid.particles_per_axis = 4;
    given->fluid.density = 3;
    given->time.cfl = 0.5;
    given->output.particles = SPATE_OUTPUT_PARTICLES_PLY;
    CHECK(spate_scene_settle(s, NULL) == SPATE_OK);
    CHECK(spate_scene_settle(flat, NULL) == SPATE_OK);
    CHECK(spate_scene_settle(given, NULL) == SPATE_OK);
    CHECK(s->fluid.particles_per_axis == 2 && flat->fluid.particles_per_axis == 3);
    CHECK(s->fluid.density == 1.2 && s->time.cfl == 1);
    CHECK(s->volume.method == SPATE_VOLUME_SHIFT);
    CHECK(s->output.particles == SPATE_OUTPUT_PARTICLES_NONE &&
          s->output.volume == SPATE_OUTPUT_VOLUME_VTK);
    CHECK(given->fluid.particles_per_axis == 4 && given->fluid.density == 3);
    CHECK(given->time.cfl == 0.5 && given->output.particles == SPATE_OUTPUT_PARTICLES_PLY);
    spate_scene_destroy(s);
    spate_scene_destroy(flat);
    spate_scene_destroy(given);
}

#define GAS "{\"domain\": {\"size\": [1, 1], \"cells\": 16}, \"fluid\": {\"kind\": \"gas\"}, "
#define BOX "\"min\": [0, 0], \"max\": [0.5, 0.5]"

static void refuses_what_needs_a_surface(void)
{
    static const struct {
        const char *text, *where, *message;
    } cases[] = {
        {"{\"domain\": {\"size\": [1, 1], \"wall\": {\"top\": \"no_slip\"}}, \"fluid\": {\"kind\": "
         "\"gas\"}}",
         "domain.wall.top", "cannot be with fluid.kind \"gas\": walls let a gas slip"},
        {GAS "\"solids\": [{" BOX ", \"wall\": \"rough\", \"roughness\": 0.01}]}", "solids[0].wall",
         "cannot be with fluid.kind \"gas\": walls let a gas slip"},
        {GAS "\"outflows\": [{" BOX ", \"level\": 0.2}]}", "outflows[0].level",
         "cannot be with fluid.kind \"gas\": a gas has no level"},
        {GAS "\"gauges\": [{\"kind\": \"height\", \"at\": [0.5, 0]}]}", "gauges[0].kind",
         "cannot be with fluid.kind \"gas\": height and front"},
        {GAS "\"gauges\": [{\"kind\": \"front\"}]}", "gauges[0].kind",
         "cannot be with fluid.kind \"gas\": height and front"},
        {GAS "\"fill\": [{" BOX ", \"initial\": {\"kind\": \"standing_wave\", \"length\": 1, "
             "\"height\": 0.1, \"depth\": 0.5}}]}",
         "fill[0].initial.kind", "cannot be with fluid.kind \"gas\": a gas has no surface"},
        {GAS "\"fill\": [{" BOX ", \"start\": 1}]}", "fill[0].start",
         "cannot be with fluid.kind \"gas\": a fill says what is in"},
        {GAS "\"fill\": [{" BOX ", \"sampling\": \"grid\", \"count\": 10}]}", "fill[0].sampling",
         "cannot be with fluid.kind \"gas\": it fills every open cell"},
        {GAS "\"inflows\": [{\"name\": \"fan\", " BOX ", \"velocity\": [1, 0]}]}", "inflows[0]",
         "fan blows into a closed box"},
        {GAS "\"output\": {\"mesh\": \"ply\"}}", "output.mesh",
         "cannot be with fluid.kind \"gas\": there is no surface"},
        {"{\"domain\": {\"size\": [1, 1, 1]}, \"fluid\": {\"kind\": \"gas\"}, \"output\": "
         "{\"volume\": \"vdb\"}}",
         "output.volume", "cannot be with fluid.kind \"gas\": an OpenVDB file has the level set"},
        {GAS "\"whitewater\": {\"on\": true}}", "whitewater.on",
         "cannot be with fluid.kind \"gas\": whitewater comes from"},
        {GAS "\"volume\": {\"method\": \"push\"}}", "volume.method",
         "cannot be with fluid.kind \"gas\": push and the density"},
        {GAS "\"volume\": {\"method\": \"density\"}}", "volume.method",
         "cannot be with fluid.kind \"gas\": push and the density"},
        {"{\"domain\": {\"size\": [1, 1]}, \"volume\": {\"method\": \"shift\"}}", "volume.method",
         "\"shift\" cannot be with fluid.kind \"liquid\": at a free surface"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        spate_error error = {0};
        spate_scene *scene = spate_scene_parse(cases[k].text, strlen(cases[k].text), NULL, &error);
        CHECK(scene != NULL);
        if (!scene)
            continue;
        CHECK(spate_scene_check(scene, NULL, NULL, &error) == SPATE_ERROR_SCENE);
        CHECK_TEXT(error.where, cases[k].where);
        error.message[strlen(cases[k].message)] = 0;
        CHECK_TEXT(error.message, cases[k].message);
        spate_scene_destroy(scene);
    }
}

/* A gas in a closed box, a disc of which turns. */
static spate_sim *turning_box(int dim, int threads)
{
    spate_scene *scene = sample_scene(dim, 1, 1, 1, 16);
    scene->fluid.kind = SPATE_FLUID_GAS;
    spate_shape *disc = sample_sphere(scene, SPATE_LIST_FILL, 0.5, 0.5, 0.5, 0.4);
    disc->initial.kind = SPATE_INITIAL_ROTATION;
    disc->initial.center[0] = disc->initial.center[1] = disc->initial.center[2] = 0.5;
    disc->initial.spin[2] = 4;
    sample_sphere(scene, SPATE_LIST_SOLIDS, 0.4, 0.52, 0.5, 0.12);
    return sample_sim(scene, threads);
}

/* Nothing comes, nothing leaves, energy only goes down, and gravity does nothing. */
static void a_closed_box_keeps_its_gas(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_sim *sim = turning_box(dim, 2);
        if (!sim)
            return;
        spate_stats before = sample_stats(sim), now = before;
        double solid = dim == 2 ? M_PI * 0.0144 : 4 * M_PI / 3 * 0.001728;
        CHECK_NEAR(before.volume_particles, 1 - solid, 1e-3);
        for (int step = 0; step < 40; step++) {
            double energy = now.kinetic_energy;
            if (!sample_step(sim, 0) || !sample_ledger(sim))
                break;
            now = sample_stats(sim);
            CHECK(now.kinetic_energy <= energy * (1 + 1e-4));
            CHECK(now.particles == before.particles && now.in_solid == 0 && now.flying == 0);
        }
        CHECK(now.kinetic_energy > 0.35 * before.kinetic_energy);
        CHECK(now.potential_energy == 0);
        spate_sim_destroy(sim);
    }
}

/* At rest nothing moves, whatever gravity is. */
static void a_gas_at_rest_stays(void)
{
    spate_scene *scene = sample_scene(2, 1, 1, 1, 16);
    scene->fluid.kind = SPATE_FLUID_GAS;
    sample_sphere(scene, SPATE_LIST_SOLIDS, 0.4, 0.52, 0, 0.12);
    spate_sim *sim = sample_sim(scene, 1);
    for (int step = 0; sim && step < 5; step++)
        if (!sample_step(sim, 0))
            break;
    spate_stats now = sample_stats(sim);
    CHECK(now.max_speed == 0 && now.kinetic_energy == 0);
    spate_sim_destroy(sim);
}

/* What blows in on the left leaves on the right, as fast as it came. */
static void blows_through_a_channel(void)
{
    spate_scene *scene = sample_scene(2, 2, 0.5, 0, 64);
    scene->fluid.kind = SPATE_FLUID_GAS;
    scene->domain.sides[0][1] = SPATE_SIDE_OPEN;
    spate_shape *fan = sample_box(scene, SPATE_LIST_INFLOWS, 0, 0, 0, 0.0625, 0.5, 0);
    sample_velocity(fan, 1, 0, 0);
    spate_sim *sim = sample_sim(scene, 2);
    if (!sim)
        return;
    while (spate_sim_time(sim) < 3 && sample_step(sim, 0))
        ;
    spate_stats now = sample_stats(sim);
    CHECK(sample_ledger(sim));
    CHECK(now.removed_open > 0 && now.added > 0);
    CHECK_NEAR(now.volume_particles, 1, 0.02);
    CHECK_NEAR(now.momentum_x, 1.2, 0.03);
    CHECK(fabs(now.momentum_y) < 0.01);
    CHECK_NEAR(now.max_speed, 1, 0.1);
    spate_sim_destroy(sim);
}

TESTS(gas)
{
    TEST(kinds_have_defaults);
    TEST(refuses_what_needs_a_surface);
    TEST(a_closed_box_keeps_its_gas);
    TEST(a_gas_at_rest_stays);
    TEST(blows_through_a_channel);
}
