/* test_reseed.c -- cells with too few or too many particles: what is added where, what is removed,
 * and that all of it is in the ledger. */
#include "fixture.h"

#define DX 0.07
#define FULL (DIM == 3 ? 8u : 4u)

/* Water up to height `high` (cells) in a box of n, with reseeding. */
static spate_scene *water(int n, double high)
{
    const double low[3] = {0, 0, 0}, top[3] = {n, high, n};
    spate_scene *scene = scene_of_cells(DX, n, n, n);
    scene->volume.method = SPATE_VOLUME_NONE;
    scene->fluid.reseed = true;
    add_box(scene, SPATE_LIST_FILL, low, top);
    return scene;
}

static bool in_cell(const fixture *f, uint32_t k, const int c[3])
{
    bool in = true;
    FOR_DIM(d)
        in = in && (int)f->s->particles.x[d][k] == c[d];
    return in;
}

static uint32_t count_in(const fixture *f, const int c[3])
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < f->s->particles.count; k++)
        count += in_cell(f, k, c);
    return count;
}

/* Takes all but `keep` particles out of a cell. */
static void thin(fixture *f, const int c[3], uint32_t keep)
{
    uint32_t seen = 0;
    for (uint32_t k = 0; k < f->s->particles.count; k++)
        if (in_cell(f, k, c) && seen++ >= keep)
            f->s->particles.x[0][k] = DEAD;
    X(particles_remove_dead)(&f->s->particles);
    f->common.seeded = f->s->particles.count;
}

static void check_ledger(const fixture *f)
{
    CHECK(f->s->particles.count == f->common.seeded + f->common.added - f->common.removed_reseed);
    CHECK(f->common.added == f->common.added_reseed);
}

/* A velocity field that is linear, on all faces: kernels reproduce it. */
static float field(int d, const float x[DIM])
{
    return 0.5f + 0.25f * (float)d + 0.125f * x[0] - 0.0625f * x[1];
}

static void write_field(fixture *f)
{
    const X(grid) *g = &f->s->grid;
    int c[DIM] = {0}, n[DIM];
    FOR_DIM(d)
        n[d] = g->n[d] + 1;
    do {
        FOR_DIM(d) {
            float x[DIM];
            FOR_DIM(a)
                x[a] = (float)c[a] + (a == d ? 0.0f : 0.5f);
            f->s->u[d][X(index)(g, c)] = field(d, x);
        }
    } while (next_cell(c, n));
}

static void a_hole_inside_is_filled(void)
{
    const int hole[3] = {6, 3, 6};
    for (uint32_t keep = 0; keep <= 1; keep++) {
        fixture *f = fixture_create(water(12, 8));
        thin(f, hole, keep);
        uint32_t before = f->s->particles.count, first_new = f->s->particles.next_id;
        run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, 0.01);
        write_field(f);
        run_stage(f, SP_STAGE_EMIT, 0.01);
        CHECK(count_in(f, hole) == FULL);
        CHECK(f->s->particles.count == before + FULL - keep);
        CHECK(f->common.added_reseed == FULL - keep && f->common.removed_reseed == 0);
        check_ledger(f);
        for (uint32_t k = 0; k < f->s->particles.count; k++) {
            float x[DIM];
            FOR_DIM(d)
                x[d] = f->s->particles.x[d][k];
            for (int d = 0; d < DIM && f->s->particles.id[0][k] >= first_new; d++)
                CHECK_NEAR((double)f->s->particles.v[d][k], (double)field(d, x), 1e-5);
        }
        run_stage(f, SP_STAGE_EMIT, 0.01); /* it has enough now */
        CHECK(f->common.added_reseed == FULL - keep);
        fixture_destroy(f);
    }
}

static void one_per_empty_sub_cell(void)
{
    const int hole[3] = {5, 4, 5};
    fixture *f = fixture_create(water(12, 8));
    thin(f, hole, 1);
    run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, 0.01);
    run_stage(f, SP_STAGE_EMIT, 0.01);
    int held[8] = {0};
    for (uint32_t k = 0; k < f->s->particles.count; k++) {
        int sub = 0;
        FOR_DIM(d)
            sub |= (f->s->particles.x[d][k] - (float)hole[d] >= 0.5f) << d;
        if (in_cell(f, k, hole))
            held[sub]++;
    }
    for (uint32_t sub = 0; sub < FULL; sub++)
        CHECK(held[sub] == 1);
    fixture_destroy(f);
}

/* Neither the surface, nor a cell below it, nor drops. */
static void the_surface_is_left_alone(void)
{
    const int top[3] = {6, 7, 6}, below[3] = {6, 6, 6};
    fixture *f = fixture_create(water(12, 8));
    thin(f, top, 1);
    thin(f, below, 1);
    const float drop[DIM] = {3.5f, 10.5f}, rest[DIM] = {0};
    put_particle(f, drop, rest);
    run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, 0.01);
    run_stage(f, SP_STAGE_EMIT, 0.01);
    CHECK(f->common.added_reseed == 0);
    fixture_destroy(f);
}

static void a_crowd_loses_its_closest(void)
{
    const int cell[3] = {6, 3, 6};
    fixture *f = fixture_create(water(12, 8));
    const float rest[DIM] = {0};
    float x[DIM], twin[DIM];
    FOR_DIM(d) {
        x[d] = (float)cell[d] + 0.52f;
        twin[d] = x[d] + 0.001f;
    }
    uint32_t most = 3 * FULL / 2, first = f->s->particles.next_id;
    put_particle(f, x, rest);
    put_particle(f, twin, rest); /* the newer one of the closest pair */
    for (uint32_t k = FULL + 2; k < most + 1; k++) {
        FOR_DIM(d)
            x[d] = (float)cell[d] + (float)random_in(0.02, 0.98);
        put_particle(f, x, rest);
    }
    f->common.seeded = f->s->particles.count;
    run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, 0.01);
    run_stage(f, SP_STAGE_EMIT, 0.01);
    CHECK(count_in(f, cell) == most);
    CHECK(f->common.removed_reseed == 1);
    check_ledger(f);
    for (uint32_t k = 0; k < f->s->particles.count; k++)
        CHECK(f->s->particles.id[0][k] != first + 1);
    fixture_destroy(f);
}

static void channels_come_from_the_nearest(void)
{
    const int hole[3] = {6, 3, 6};
    spate_scene *scene = water(12, 8);
    spate_channel *dye = spate_scene_add_channel(scene);
    strcpy(dye->name, "dye");
    dye->initial[0] = 7;
    fixture *f = fixture_create(scene);
    for (uint32_t k = 0; k < f->s->particles.count; k++)
        f->s->particles.own[0][k] = f->s->particles.x[0][k] < 6.5f ? 1.0f : 2.0f;
    thin(f, hole, 0);
    uint32_t first = f->s->particles.next_id;
    run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, 0.01);
    run_stage(f, SP_STAGE_EMIT, 0.01);
    for (uint32_t k = 0; k < f->s->particles.count; k++)
        if (f->s->particles.id[0][k] >= first && fabsf(f->s->particles.x[0][k] - 6.5f) > 0.3f)
            CHECK(f->s->particles.own[0][k] == (f->s->particles.x[0][k] < 6.5f ? 1.0f : 2.0f));
    CHECK(f->common.added_reseed == FULL);
    fixture_destroy(f);
}

/* A splash with gravity and a solid, some steps: bounds hold inside, the same bits for any number
 * of threads, nothing in the solid. */
static uint64_t splash(int threads, uint64_t *changes)
{
    const double low[3] = {0, 0, 0}, high[3] = {6, 12, 14}, center[3] = {10, 2, 7};
    spate_scene *scene = scene_of_cells(DX, 14, 14, 14);
    scene->fluid.reseed = true;
    scene->gravity[1] = -9.81;
    add_box(scene, SPATE_LIST_FILL, low, high);
    add_ball(scene, SPATE_LIST_SOLIDS, center, 2.3);
    fixture *f = fixture_create_with(scene, threads);
    run_steps(f, 30, 0.01);
    *changes = f->common.added_reseed + f->common.removed_reseed;
    check_ledger(f);
    spate_stats stats = {0};
    f->s->host->stats(f->s, &stats);
    CHECK(stats.in_solid == 0);
    uint64_t hash = hash_of(f);
    fixture_destroy(f);
    return hash;
}

static void a_splash_is_the_same_for_any_threads(void)
{
    uint64_t first, other, hash = splash(1, &first);
    CHECK(splash(3, &other) == hash);
    CHECK(first == other && first > 0);
}

static void nothing_without_the_setting(void)
{
    const int hole[3] = {6, 3, 6};
    spate_scene *scene = water(12, 8);
    scene->fluid.reseed = false;
    fixture *f = fixture_create(scene);
    thin(f, hole, 0);
    run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, 0.01);
    run_stage(f, SP_STAGE_EMIT, 0.01);
    CHECK(count_in(f, hole) == 0);
    fixture_destroy(f);
}

static void bounds_follow_the_settings(void)
{
    const int cell[3] = {6, 3, 6};
    spate_scene *scene = water(12, 8);
    spate_error error;
    scene->fluid.reseed_min = (int)FULL;
    scene->fluid.reseed_max = (int)FULL;
    fixture *f = fixture_create(scene);
    thin(f, cell, FULL - 1);
    run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, 0.01);
    run_stage(f, SP_STAGE_EMIT, 0.01);
    CHECK(count_in(f, cell) == FULL);
    fixture_destroy(f);
    scene = water(12, 8);
    scene->fluid.reseed_min = (int)FULL + 1;
    CHECK(spate_scene_check(scene, NULL, NULL, &error) == SPATE_ERROR_SCENE);
    CHECK_TEXT(error.where, "fluid.reseed_min");
    scene->fluid.reseed_min = 0;
    scene->fluid.reseed_max = (int)FULL - 1;
    CHECK(spate_scene_check(scene, NULL, NULL, &error) == SPATE_ERROR_SCENE);
    CHECK_TEXT(error.where, "fluid.reseed_max");
    spate_scene_destroy(scene);
}

TESTS(reseed)
{
    TEST(a_hole_inside_is_filled);
    TEST(one_per_empty_sub_cell);
    TEST(the_surface_is_left_alone);
    TEST(a_crowd_loses_its_closest);
    TEST(channels_come_from_the_nearest);
    TEST(a_splash_is_the_same_for_any_threads);
    TEST(nothing_without_the_setting);
    TEST(bounds_follow_the_settings);
}
