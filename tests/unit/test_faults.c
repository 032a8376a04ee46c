/* test_faults.c -- what happens when things go wrong: every allocation and every write is made to
 * fail, checkpoints are cut and damaged, velocities are not numbers, and settings are extreme.
 * Nothing may crash, leak (asan) or pass unnoticed. */
#include "sample.h"

#include "scene/lists.h"

#include <math.h>
#include <time.h>

/* ---- every allocation fails once */

static spate_scene *rich_scene(int dim)
{
    spate_scene *scene = sample_scene(dim, 0.4, 0.2, 0.2, 10);
    if (!scene)
        return NULL;
    sample_velocity(sample_box(scene, SPATE_LIST_INFLOWS, 0, 0.05, 0, 0.08, 0.15, 0.2), 1, 0, 0);
    sample_box(scene, SPATE_LIST_OUTFLOWS, 0.36, 0, 0, 0.4, 0.1, 0.2);
    sample_box(scene, SPATE_LIST_FILL, 0.1, 0, 0, 0.15, 0.04, 0.2);
    spate_shape *solid = sample_box(scene, SPATE_LIST_SOLIDS, 0.2, -0.1, -0.1, 0.25, 0.05, 0.3);
    sample_key(solid, 0, 0, 0, 0);
    sample_key(solid, 1, 0.1, 0, 0);
    if (dim == 3) {
        spate_shape *mesh = spate_scene_add_shape(scene, SPATE_LIST_SOLIDS);
        mesh->shape = SPATE_SHAPE_MESH;
        mesh->mesh = sample_mesh(0.05, 0.05, 0.05);
        mesh->position[0] = 0.3;
    }
    strcpy(spate_scene_add_channel(scene)->name, "age");
    spate_channel *dye = spate_scene_add_channel(scene);
    strcpy(dye->name, "dye");
    dye->pic = true;
    return scene;
}

/* What is tried under failing allocations. Returns true if it said that it succeeded; fills `error`
 * otherwise. */
typedef bool attempt(spate_scene *scene, spate_sim *sim, sample_memory *memory, spate_error *error);

static bool try_create(spate_scene *scene, spate_sim *sim, sample_memory *memory,
                       spate_error *error)
{
    (void)sim, (void)memory;
    spate_options options = sample_options();
    options.threads = 1;
    spate_sim *made = spate_sim_create(scene, &options, error);
    spate_sim_destroy(made);
    return made != NULL;
}

static bool try_forecast(spate_scene *scene, spate_sim *sim, sample_memory *memory,
                         spate_error *error)
{
    (void)sim, (void)memory;
    spate_forecast forecast;
    return spate_scene_forecast(scene, NULL, &forecast, error) == SPATE_OK;
}

static bool try_check(spate_scene *scene, spate_sim *sim, sample_memory *memory, spate_error *error)
{
    (void)sim, (void)memory;
    return spate_scene_check(scene, NULL, NULL, error) == SPATE_OK;
}

static bool try_load(spate_scene *scene, spate_sim *sim, sample_memory *memory, spate_error *error)
{
    (void)scene;
    memory->at = 0;
    return spate_sim_load(sim, sample_read, memory, error) == SPATE_OK;
}

/* enough to outgrow the room of the start */
static bool try_add(spate_scene *scene, spate_sim *sim, sample_memory *memory, spate_error *error)
{
    (void)scene, (void)memory;
    static float x[3 * 4000];
    size_t added;
    for (int k = 0; k < 4000; k++) {
        x[3 * k] = 0.12f + 0.00001f * (float)k;
        x[3 * k + 1] = x[3 * k + 2] = 0.1f;
    }
    return spate_sim_add_particles(sim, x, NULL, 4000, &added, error) == SPATE_OK;
}

static bool try_solid(spate_scene *scene, spate_sim *sim, sample_memory *memory, spate_error *error)
{
    (void)memory;
    bool good = true;
    for (int k = 0; k < 9 && good; k++) /* more than there is room for at first */
        good = spate_sim_add_solid(sim, &scene->solids.items[0], NULL, error) == SPATE_OK;
    return good;
}

/* A few steps while the inflow fills: the columns grow. */
static bool try_steps(spate_scene *scene, spate_sim *sim, sample_memory *memory, spate_error *error)
{
    (void)scene, (void)memory;
    bool good = true;
    for (int k = 0; k < 6 && good; k++)
        good = spate_sim_step(sim, 0.01, error) == SPATE_OK;
    return good;
}

static void fail_each(int dim, const char *name, attempt *what, bool needs_sim)
{
    sample_memory memory = {0};
    spate_scene *scene = rich_scene(dim);
    if (needs_sim) {
        spate_sim *full = sample_sim(rich_scene(dim), 1);
        for (int k = 0; k < 30; k++)
            CHECK(sample_step(full, 0.01));
        CHECK(spate_sim_save(full, sample_write, &memory, NULL) == SPATE_OK);
        spate_sim_destroy(full);
    }
    uint64_t count = 0;
    for (uint64_t k = 0; k <= count + 1; k++) { /* 0: none fails, and they are counted */
        spate_error error = {0};
        spate_sim *sim = needs_sim ? sample_sim(rich_scene(dim), 1) : NULL;
        uint64_t before = sp_alloc_count();
        sp_alloc_fail_at(k);
        bool good = what(scene, sim, &memory, &error);
        sp_alloc_fail_at(0);
        if (k == 0)
            count = sp_alloc_count() - before;
        bool must_fail = k > 0 && k <= count;
        if (good == must_fail) {
            printf("  %s, %dD, allocation %d of %d: %s\n", name, dim, (int)k, (int)count,
                   good ? "failed, and nobody noticed" : error.message);
            test_failures++;
        }
        if (!good && (error.status != SPATE_ERROR_MEMORY || !error.message[0])) {
            printf("  %s, %dD, allocation %d: status %d, \"%s\"\n", name, dim, (int)k,
                   (int)error.status, error.message);
            test_failures++;
        }
        if (sim && what != try_load) /* after a failed load it must be destroyed; otherwise it is
                                        still whole */
            sample_ledger(sim);
        spate_sim_destroy(sim);
    }
    CHECK(count > 0);
    spate_scene_destroy(scene);
    free(memory.bytes);
}

static void memory_of_create(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        fail_each(dim, "create", try_create, false);
        fail_each(dim, "check", try_check, false);
    }
}

static void memory_of_forecast(void)
{
    for (int dim = 2; dim <= 3; dim++)
        fail_each(dim, "forecast", try_forecast, false);
}

static void memory_of_steps(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        fail_each(dim, "steps", try_steps, true);
        fail_each(dim, "add_particles", try_add, true);
        fail_each(dim, "add_solid", try_solid, true);
        fail_each(dim, "load", try_load, true);
    }
}

/* A step that had no memory can be tried again. */
static void steps_go_on_after_no_memory(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_sim *sim = sample_sim(rich_scene(dim), 1);
        spate_error error = {0};
        sp_alloc_fail_at(1);
        int tries = 0;
        while (tries < 200 && spate_sim_step(sim, 0.01, &error) == SPATE_OK)
            tries++;
        sp_alloc_fail_at(0);
        CHECK(error.status == SPATE_ERROR_MEMORY);
        for (int k = 0; k < 20; k++)
            CHECK(sample_step(sim, 0.01) && sample_ledger(sim));
        spate_sim_destroy(sim);
    }
}

/* The functions that make a scene say NULL. */
static void memory_of_scene(void)
{
    spate_scene *whole = rich_scene(3);
    for (uint64_t k = 1;; k++) {
        sp_alloc_fail_at(k);
        spate_scene *copy = spate_scene_copy(whole);
        sp_alloc_fail_at(0);
        spate_scene_destroy(copy);
        if (copy) {
            CHECK(k > 4);
            break;
        }
    }
    sp_alloc_fail_at(1);
    double vertices[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const uint32_t triangles[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    spate_error error = {0};
    CHECK(spate_scene_create() == NULL);
    CHECK(spate_shape_add_keyframe(&whole->fill.items[0]) == NULL);
    CHECK(spate_mesh_create(vertices, 4, triangles, 4, &error) == NULL);
    CHECK(error.status == SPATE_ERROR_MEMORY);
    CHECK(spate_points_create((const float[3]){0, 0, 0}, NULL, 1, &error) == NULL);
    CHECK(error.status == SPATE_ERROR_MEMORY);
    sp_alloc_fail_at(0);
    for (int list = 0; list < SP_SHAPE_LIST_COUNT;
         list++) { /* lists grow now and then; a failure leaves them as they were */
        int made = 0;
        sp_alloc_fail_at(1);
        while (made < 1000 && spate_scene_add_shape(whole, (spate_list)list))
            made++;
        CHECK(made < 1000);
        sp_alloc_fail_at(0);
        CHECK(spate_scene_add_shape(whole, (spate_list)list) != NULL);
    }
    sp_alloc_fail_at(1);
    int channels = 0;
    while (channels < 1000 && spate_scene_add_channel(whole))
        channels++;
    sp_alloc_fail_at(0);
    CHECK(channels < 1000);
    spate_scene_destroy(whole);
}

/* ---- writes fail */

static void every_write_fails(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_sim *sim = sample_sim(rich_scene(dim), 1);
        CHECK(sample_step(sim, 0.01));
        sample_memory memory = {0};
        CHECK(spate_sim_save(sim, sample_write, &memory, NULL) == SPATE_OK);
        size_t calls = memory.calls;
        CHECK(calls > 8);
        for (size_t k = 1; k <= calls; k++) {
            spate_error error = {0};
            memory.size = memory.calls = 0;
            memory.fail_call = k;
            CHECK(spate_sim_save(sim, sample_write, &memory, &error) == SPATE_ERROR_FILE);
            CHECK(error.status == SPATE_ERROR_FILE && error.message[0]);
            CHECK(memory.calls == k); /* it stops at once */
        }
        spate_sim_destroy(sim);
        free(memory.bytes);
    }
}

/* ---- damaged checkpoints */

static void refuses(int dim, sample_memory *memory, size_t size, const char *what, size_t at)
{
    spate_error error = {0};
    spate_sim *sim = sample_sim(rich_scene(dim), 1);
    size_t whole = memory->size;
    memory->size = size;
    memory->at = 0;
    if (spate_sim_load(sim, sample_read, memory, &error) != SPATE_ERROR_FILE || !error.message[0]) {
        printf("  %dD, %s %zu of %zu bytes: status %d, \"%s\"\n", dim, what, at, whole,
               (int)error.status, error.message);
        test_failures++;
    }
    memory->size = whole;
    spate_sim_destroy(sim);
}

static void damaged_checkpoints(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_sim *sim = sample_sim(rich_scene(dim), 1);
        for (int k = 0; k < 4; k++)
            CHECK(sample_step(sim, 0.01));
        sample_memory memory = {0};
        CHECK(spate_sim_save(sim, sample_write, &memory, NULL) == SPATE_OK);
        spate_sim_destroy(sim);
        size_t begin = 0;
        for (size_t call = 0; call < memory.calls; begin = memory.ends[call++]) {
            size_t end = memory.ends[call], places[4] = {begin, begin + (end - begin) / 3,
                                                         begin + (end - begin) / 2, end - 1};
            refuses(dim, &memory, begin, "cut to", begin);
            refuses(dim, &memory, end - 1, "cut to", end - 1);
            for (int k = 0; k < 4 && end > begin; k++) {
                unsigned char bit = (unsigned char)(1 << (places[k] + call) % 8);
                memory.bytes[places[k]] ^= bit;
                refuses(dim, &memory, memory.size, "one bit off in byte", places[k]);
                memory.bytes[places[k]] ^= bit;
            }
        }
        /* all of the head: counts and sizes */
        for (size_t at = 0; at < memory.size && at < 400; at += dim == 2 || test_full() ? 1 : 7) {
            memory.bytes[at] ^= 0x80;
            refuses(dim, &memory, memory.size, "high bit off in byte", at);
            memory.bytes[at] ^= 0x80;
        }
        memset(memory.bytes + 8, 0xff, memory.size - 8);
        refuses(dim, &memory, memory.size, "all ones from byte", 8);
        memset(memory.bytes, 0, memory.size);
        refuses(dim, &memory, memory.size, "all zero from byte", 0);
        free(memory.bytes);
    }
}

/* A checkpoint of another scene: other cells, dimension, channels, solids, transfer. */
static void other_scenes(void)
{
    sample_memory memory = {0};
    spate_sim *sim = sample_sim(rich_scene(2), 1);
    CHECK(spate_sim_save(sim, sample_write, &memory, NULL) == SPATE_OK);
    spate_sim_destroy(sim);
    for (int k = 0; k < 6; k++) {
        spate_scene *scene = rich_scene(k == 1 ? 3 : 2);
        spate_error error = {0};
        if (k == 0)
            scene->domain.cells = 20;
        if (k == 2)
            strcpy(scene->channels[1].name, "ink");
        if (k == 3)
            sample_box(scene, SPATE_LIST_SOLIDS, 0, 0, 0, 0.01, 0.01, 0.01);
        if (k == 4)
            scene->fluid.transfer = SPATE_TRANSFER_APIC;
        if (k == 5)
            sample_box(scene, SPATE_LIST_INFLOWS, 0, 0, 0, 0.01, 0.01, 0.01);
        spate_sim *other = sample_sim(scene, 1);
        memory.at = 0;
        CHECK(spate_sim_load(other, sample_read, &memory, &error) == SPATE_ERROR_FILE);
        CHECK(strstr(error.message, "another scene") != NULL);
        spate_sim_destroy(other);
    }
    free(memory.bytes);
}

/* Versions by the last letter of the magic; later ones too. */
static void other_versions(void)
{
    static const struct version {
        char letter;
        const char *words;
    } versions[3] = {
        {'3', "made by version 0.2 or an older one: it cannot be continued by this version"},
        {'5', "made by a later version: it cannot be continued by this version"},
        {'x', "not a checkpoint of spate"}};
    sample_memory memory = {0};
    spate_sim *sim = sample_sim(rich_scene(2), 1);
    CHECK(spate_sim_save(sim, sample_write, &memory, NULL) == SPATE_OK);
    for (int k = 0; k < 3; k++) {
        spate_error error = {0};
        memory.bytes[7] = (unsigned char)versions[k].letter;
        memory.at = 0;
        CHECK(spate_sim_load(sim, sample_read, &memory, &error) == SPATE_ERROR_FILE);
        CHECK_TEXT(error.message, versions[k].words);
    }
    spate_sim_destroy(sim);
    free(memory.bytes);
}

/* ---- numbers that are none */

static void not_finite(void)
{
    static const double bad[4] = {INFINITY, -INFINITY, NAN, 1e38};
    for (int dim = 2; dim <= 3; dim++)
        for (int k = 0; k < 4; k++) {
            spate_scene *scene = sample_scene(dim, 0.4, 0.2, 0.2, 16);
            sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.2, 0.1, 0.2);
            scene->fluid.transfer = k % 2 ? SPATE_TRANSFER_APIC : SPATE_TRANSFER_FLIP;
            spate_sim *sim = sample_sim(scene, 1);
            CHECK(sample_step(sim, 0));
            double center[3] = {0.1, 0.05, 0.1}, velocity[3] = {0, bad[k], 0};
            spate_error error = {0};
            CHECK(spate_sim_add_impulse(sim, center, 0.05, velocity, &error) == SPATE_ERROR_USAGE);
            CHECK_TEXT(error.where, "velocity");
            velocity[1] = 0.1;
            CHECK(spate_sim_add_impulse(sim, center, 0.05, velocity, &error) == SPATE_OK);
            /* the API refuses it, so past it: as if a step had gone wrong */
            spate_particles_view view = sample_view(sim);
            for (size_t p = 0; p < view.count; p += 7)
                ((float *)view.v[1])[p] = (float)bad[k];
            error = (spate_error){0};
            uint64_t steps = spate_sim_steps(sim);
            spate_status status = spate_sim_step(sim, 0, &error);
            if (status != SPATE_ERROR_SIMULATION || !strstr(error.message, "finite")) {
                printf("  %dD, velocity of %g m/s: status %d, \"%s\"\n", dim, bad[k], (int)status,
                       error.message);
                test_failures++;
            }
            CHECK(error.where[0] != 0);
            CHECK(spate_sim_steps(sim) == steps); /* time stands still */
            spate_sim_destroy(sim);
        }
}

/* ---- extremes */

static bool all_finite(spate_sim *sim)
{
    spate_particles_view view = sample_view(sim);
    spate_field_view cells;
    spate_sim_field_view(sim, "type", &cells);
    for (size_t k = 0; k < view.count; k++)
        for (int d = 0; d < spate_sim_dim(sim); d++)
            if (!(view.x[d][k] >= 0 && view.x[d][k] <= (float)cells.count[d]) ||
                !isfinite(view.v[d][k]))
                return false;
    return true;
}

static void frames(spate_scene *scene, const char *name, int count)
{
    spate_sim *sim = sample_sim(scene, 2);
    double start = (double)clock() / CLOCKS_PER_SEC;
    for (int k = 0; sim && k < count; k++) {
        spate_error error = {0};
        if (spate_sim_step_frame(sim, &error) != SPATE_OK || !all_finite(sim) ||
            !sample_ledger(sim)) {
            printf("  %s, frame %d: %s: %s\n", name, k + 1, error.where, error.message);
            test_failures++;
            break;
        }
        if (!(spate_sim_time(sim) > 0) || !(sample_stats(sim).max_speed >= 0)) {
            printf("  %s: no time or speed\n", name);
            test_failures++;
        }
    }
    double seconds = (double)clock() / CLOCKS_PER_SEC - start;
    if (seconds > 60) {
        printf("  %s: %.1f s\n", name, seconds);
        test_failures++;
    }
    spate_sim_destroy(sim);
}

static void extremes(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        int cells = dim == 2 ? 32 : 16;
        spate_scene *scene = sample_scene(dim, 1, 0.5, 0.5, cells);
        sample_velocity(sample_box(scene, SPATE_LIST_FILL, 0.1, 0.1, 0.1, 0.4, 0.4, 0.4), 1000, 0,
                        0);
        frames(scene, "1000 m/s against a wall", 2);

        scene = sample_scene(dim, 1, 0.5, 0.5, cells);
        sample_velocity(sample_box(scene, SPATE_LIST_FILL, 0.1, 0.1, 0.1, 0.4, 0.4, 0.4), 1000, 300,
                        -200);
        sample_box(scene, SPATE_LIST_SOLIDS, 0.6, -1, -1, 0.606, 2, 2);
        scene->fps = 24;
        scene->time.max_substeps = 1; /* one step of 1/24 s: more than a thousand cells */
        frames(scene, "1000 m/s in one step of 1/24 s", 4);

        scene = sample_scene(dim, 1, 0.5, 0.5, cells);
        sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.4, 0.4, 0.5);
        scene->fps = 24;
        scene->time.dt = 1.0 / 24;
        frames(scene, "dt = 1/24 s", 24);

        scene = sample_scene(dim, 0.01, 0.01, 0.01, 1);
        sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.01, 0.005, 0.01);
        frames(scene, "one cell", 10);

        scene = sample_scene(dim, 0.01, 0.01, 0.01, 1);
        sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.01, 0.01, 0.01);
        for (int d = 0; d < 3; d++)
            scene->domain.sides[d][0] = scene->domain.sides[d][1] = SPATE_SIDE_PERIODIC;
        frames(scene, "one periodic cell, full", 5);

        scene = sample_scene(dim, 1, 0.5, 0.5, cells);
        sample_velocity(sample_sphere(scene, SPATE_LIST_FILL, 0.4, 0.2, 0.2, 0.15), 0.3, 0.1, 0);
        scene->gravity[1] = 0;
        frames(scene, "no gravity", 20);

        scene = sample_scene(dim, 1, 0.5, 0.5, cells);
        sample_box(scene, SPATE_LIST_FILL, 0, 0.1, 0, 0.4, 0.4, 0.5);
        scene->gravity[1] = -1e4;
        frames(scene, "gravity 1e4", 2);

        scene = sample_scene(dim, 1, 0.5, 0.5, cells);
        frames(scene, "no liquid", 5);

        scene = sample_scene(dim, 1e-5, 0.5e-5, 0.5e-5, cells);
        sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.4e-5, 0.4e-5, 0.5e-5);
        frames(scene, "ten micrometres", 2);

        scene = sample_scene(dim, 1e5, 0.5e5, 0.5e5, cells);
        sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.4e5, 0.4e5, 0.5e5);
        frames(scene, "a hundred kilometres", 5);
    }
}

/* 1000 m/s, hundreds of cells per step, and a wall of a fifth of a cell: it holds. */
static void thin_wall_at_1000(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        int cells = dim == 2 ? 64 : 16;
        spate_scene *scene = sample_scene(dim, 1, 0.25, 0.25, cells);
        sample_velocity(sample_box(scene, SPATE_LIST_FILL, 0.05, 0.05, 0.05, 0.3, 0.2, 0.2), 1000,
                        0, 0);
        sample_box(scene, SPATE_LIST_SOLIDS, 0.6, -1, -1, 0.6 + 0.2 / cells, 2, 2);
        scene->fps = 24;
        scene->time.max_substeps = 1;
        spate_sim *sim = sample_sim(scene, 1);
        for (int step = 0; step < 4; step++)
            CHECK(sample_step(sim, 0));
        spate_particles_view view = sample_view(sim);
        size_t passed = 0;
        for (size_t k = 0; k < view.count; k++)
            passed += view.scale * view.x[0][k] > 0.6;
        if (passed) {
            printf("  %dD: %zu of %zu particles are behind the wall\n", dim, passed, view.count);
            test_failures++;
        }
        spate_sim_destroy(sim);
    }
}

/* Thousands of particles in one cell: slow is allowed, wrong is not. */
static void crowd_in_one_cell(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = sample_scene(dim, 1, 0.5, 0.5, 16);
        spate_sim *sim = sample_sim(scene, 2);
        static float x[3 * 3000];
        size_t added = 0;
        for (int k = 0; k < 3 * 3000; k++)
            x[k] = 0.28f + 0.00001f * (float)(k * 7919 % 3000);
        CHECK(spate_sim_add_particles(sim, x, NULL, 3000, &added, NULL) == SPATE_OK);
        CHECK(added == 3000);
        for (int step = 0; step < 10; step++)
            CHECK(sample_step(sim, 0) && sample_ledger(sim) && all_finite(sim));
        spate_sim_destroy(sim);
    }
}

TESTS(faults)
{
    TEST(memory_of_create);
    TEST(memory_of_forecast);
    TEST(memory_of_steps);
    TEST(steps_go_on_after_no_memory);
    TEST(memory_of_scene);
    TEST(every_write_fails);
    TEST(damaged_checkpoints);
    TEST(other_scenes);
    TEST(other_versions);
    TEST(not_finite);
    TEST(extremes);
    TEST(thin_wall_at_1000);
    TEST(crowd_in_one_cell);
}
