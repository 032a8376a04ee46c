/* test_determinism.c -- the same bits for any number of threads, in every run, after a resume,
 * under a host's scheduler, and as recorded in tests/golden.txt (so that compilers, machines and
 * versions are compared). That goes for the state of the particles and for the numbers of the
 * statistics.
 *
 * When a change of the numerics is meant, write the new hashes down with
 *
 *     make golden
 *
 * and commit tests/golden.txt with the change. */
#include "sample.h"

#include <pthread.h>
#include <time.h>

#include "base/parallel.h"
#include "sim/table.h"

/* Those of tests/golden.txt are 200. */
#define STEPS (TEST_IS_SLOW ? 40 : 200)
/* Steps after which runs are compared with each other. */
#define SAME_STEPS (test_full() ? STEPS : 40)
/* Threads and resuming are the same source whatever compiles it: they are tested with gcc, and
 * clang's bits are held against the recorded ones. */
#ifdef __clang__
#define IS_OTHER_COMPILER true
#else
#define IS_OTHER_COMPILER false
#endif
#define GOLDEN SPATE_SOURCE "/tests/golden.txt"

/* ---- the scenes: together they reach every stage, side, shape, transfer, kernel and solver */

static void add_channels(spate_scene *scene)
{
    strcpy(spate_scene_add_channel(scene)->name, "age");
    strcpy(spate_scene_add_channel(scene)->name, "source");
    spate_channel *dye = spate_scene_add_channel(scene);
    strcpy(dye->name, "dye");
    dye->components = 3;
    dye->initial[1] = 0.25;
    dye->pic = true;
}

/* Large enough that more than two tiles meet under the liquid: the sum of two is the same in any
 * order. */
static spate_scene *dam(int dim)
{
    spate_scene *scene = sample_scene(dim, 1.2, 0.8, 0.6, dim == 2 ? 48 : 18);
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.4, 0.65, 0.6);
    sample_sphere(scene, SPATE_LIST_FILL, 0.9, 0.6, 0.3, 0.12);
    spate_shape *ball = sample_sphere(scene, SPATE_LIST_SOLIDS, 0.75, 0.1, 0.3, 0.13);
    ball->wall = SPATE_WALL_ROUGH;
    ball->roughness = 0.01;
    sample_box(scene, SPATE_LIST_SOLIDS, 0.95, -0.1, 0.05, 1.05, 0.3, 0.5)->rotation[2] = 20;
    spate_shape *bar = spate_scene_add_shape(scene, SPATE_LIST_SOLIDS);
    double from[3] = {0.5, 0.5, 0.1}, to[3] = {0.7, 0.6, 0.6};
    bar->shape = SPATE_SHAPE_CAPSULE;
    memcpy(bar->from, from, sizeof from);
    memcpy(bar->to, to, sizeof to);
    bar->radius = 0.04;
    scene->domain.wall[1][0] = SPATE_WALL_ROUGH;
    scene->domain.roughness[1][0] = 0.005;
    scene->domain.wall[0][1] = SPATE_WALL_NO_SLIP;
    scene->fluid.particles_per_axis =
        dim == 2 ? 5 : 2; /* sums of more than two parts: two commute */
    add_channels(scene);
    return scene;
}

static spate_scene *paddle(int dim)
{
    spate_scene *scene = sample_scene(dim, 1.2, 0.8, 0.3, dim == 2 ? 48 : 16);
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 1.2, 0.25, 0.3);
    spate_shape *plate = sample_box(scene, SPATE_LIST_SOLIDS, 0.3, 0.05, -1, 0.36, 0.5, 2);
    sample_key(plate, 0, 0, 0, 0);
    sample_key(plate, 0.4, 0.3, 0.05, -25);
    sample_key(plate, 0.8, 0, 0, 30);
    sample_key(plate, 1.2, 0.3, 0, 0);
    sample_velocity(sample_sphere(scene, SPATE_LIST_SOLIDS, 1.0, 0.7, 0.15, 0.08), 0, -0.3, 0);
    scene->fluid.transfer = SPATE_TRANSFER_APIC;
    scene->fluid.kernel = dim == 2 ? SPATE_KERNEL_LINEAR : SPATE_KERNEL_QUADRATIC;
    scene->time.advection = SPATE_ADVECTION_RK4;
    return scene;
}

static spate_scene *channel(int dim)
{
    spate_scene *scene = sample_scene(dim, 1.2, 0.6, 0.3, dim == 2 ? 48 : 16);
    sample_velocity(sample_box(scene, SPATE_LIST_FILL, 0.15, 0, 0, 1.1, 0.1, 0.3), 1, 0, 0);
    sample_velocity(sample_box(scene, SPATE_LIST_INFLOWS, 0, 0, 0, 0.15, 0.2, 0.3), 1.3, 0, 0);
    sample_box(scene, SPATE_LIST_OUTFLOWS, 1.1, 0, 0, 1.2, 0.3, 0.3);
    sample_box(scene, SPATE_LIST_SOLIDS, 0.5, -0.1, 0.1, 0.65, 0.07, 0.2);
    scene->domain.sides[1][1] = SPATE_SIDE_OPEN;
    scene->domain.sides[0][1] = SPATE_SIDE_OPEN;
    scene->pressure.solver = dim == 2 ? SPATE_SOLVER_PCG : SPATE_SOLVER_GAUSS_SEIDEL;
    scene->pressure.max_iterations = 60;
    scene->time.advection = SPATE_ADVECTION_RK2;
    add_channels(scene);
    return scene;
}

static spate_scene *stream(int dim)
{
    spate_scene *scene = sample_scene(dim, 1.2, 0.6, 0.3, dim == 2 ? 48 : 16);
    sample_velocity(sample_sphere(scene, SPATE_LIST_FILL, 0.1, 0.4, 0.05, 0.1), 1, -0.5, 0.4);
    sample_velocity(sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 1.2, 0.15, 0.3), 1, 0, 0.3);
    if (dim == 3) {
        spate_shape *rock = spate_scene_add_shape(scene, SPATE_LIST_SOLIDS);
        rock->shape = SPATE_SHAPE_MESH;
        rock->mesh = sample_mesh(0.2, 0.2, 0.12);
        rock->position[0] = 0.6;
        rock->position[2] = 0.1;
        rock->rotation[1] = 30;
        scene->domain.sides[2][0] = scene->domain.sides[2][1] = SPATE_SIDE_PERIODIC;
    }
    scene->domain.sides[0][0] = scene->domain.sides[0][1] = SPATE_SIDE_PERIODIC;
    scene->fluid.kernel = dim == 2 ? SPATE_KERNEL_CUBIC : SPATE_KERNEL_LINEAR;
    scene->pressure.solver = dim == 2 ? SPATE_SOLVER_JACOBI : SPATE_SOLVER_PCG;
    scene->pressure.max_iterations = dim == 2 ? 60 : 1000;
    scene->fluid.transfer = dim == 2 ? SPATE_TRANSFER_PIC : SPATE_TRANSFER_FLIP;
    return scene;
}

/* Water with a surface that is stirred and fed, whose particles carry gradients. */
static spate_scene *vortex(int dim)
{
    spate_scene *scene = sample_scene(dim, 1.2, 0.8, 0.5, dim == 2 ? 48 : 18);
    sample_velocity(sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.6, 0.45, 0.5), 1.5, 0, 0.2);
    sample_velocity(sample_box(scene, SPATE_LIST_FILL, 0.6, 0, 0, 1.2, 0.45, 0.5), -1, 0.4, 0);
    sample_velocity(sample_box(scene, SPATE_LIST_INFLOWS, 0, 0.3, 0, 0.1, 0.4, 0.5), 1.2, 0, 0);
    sample_box(scene, SPATE_LIST_OUTFLOWS, 1.1, 0.35, 0, 1.2, 0.8, 0.5);
    sample_sphere(scene, SPATE_LIST_SOLIDS, 0.7, 0.1, 0.25, 0.13);
    scene->fluid.transfer = SPATE_TRANSFER_AFLIP;
    scene->fluid.reseed = true;
    scene->fluid.particles_per_axis = dim == 2 ? 3 : 2;
    scene->domain.sides[1][1] = SPATE_SIDE_OPEN;
    add_channels(scene);
    return scene;
}

/* A gas, a disc of which turns beside a ball, and smoke that rises; periodic along z. */
static spate_scene *gas(int dim)
{
    spate_scene *scene = sample_scene(dim, 1, 0.8, 0.5, dim == 2 ? 40 : 16);
    scene->fluid.kind = SPATE_FLUID_GAS;
    spate_shape *disc = sample_sphere(scene, SPATE_LIST_FILL, 0.45, 0.4, 0.25, 0.3);
    disc->initial.kind = SPATE_INITIAL_ROTATION;
    memcpy(disc->initial.center, disc->center, sizeof disc->center);
    disc->initial.spin[2] = 6;
    sample_sphere(scene, SPATE_LIST_SOLIDS, 0.7, 0.5, 0.3, 0.1);
    spate_shape *source = sample_sphere(scene, SPATE_LIST_SOURCES, 0.2, 0.15, 0.25, 0.08);
    source->temperature = 330;
    source->smoke = 0.01;
    if (dim == 3)
        scene->domain.sides[2][0] = scene->domain.sides[2][1] = SPATE_SIDE_PERIODIC;
    return scene;
}

/* A dam break with foam, spray and bubbles, which come soon. */
static spate_scene *white(int dim)
{
    spate_scene *scene = sample_scene(dim, 1, 0.6, 0.25, dim == 2 ? 64 : 32);
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.4, 0.45, 0.25);
    sample_sphere(scene, SPATE_LIST_SOLIDS, 0.6, 0.05, 0.1, 0.06);
    scene->whitewater.on = true;
    scene->whitewater.rate = 200;
    scene->time.dt = 0.005;
    return scene;
}

/* A dam break with tracers that are there at the start, and others that come, age and go. */
static spate_scene *traced(int dim)
{
    spate_scene *scene = sample_scene(dim, 1, 0.6, 0.25, dim == 2 ? 64 : 32);
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.4, 0.45, 0.25);
    sample_sphere(scene, SPATE_LIST_SOLIDS, 0.6, 0.05, 0.1, 0.06);
    sample_box(scene, SPATE_LIST_TRACERS, 0.05, 0.05, 0.02, 0.35, 0.4, 0.2);
    sample_box(scene, SPATE_LIST_TRACERS, 0.35, 0.02, 0.02, 0.38, 0.2, 0.2);
    scene->tracers.items[1].rate = 60;
    scene->tracers.items[1].life = 0.06;
    scene->time.dt = 0.005;
    return scene;
}

static const struct {
    const char *name;
    spate_scene *(*make)(int dim);
    int dim;
} scenes[] = {{"dam_2d", dam, 2},       {"dam_3d", dam, 3},         {"paddle_2d", paddle, 2},
              {"paddle_3d", paddle, 3}, {"channel_2d", channel, 2}, {"channel_3d", channel, 3},
              {"stream_2d", stream, 2}, {"stream_3d", stream, 3},   {"vortex_2d", vortex, 2},
              {"vortex_3d", vortex, 3}, {"gas_2d", gas, 2},         {"gas_3d", gas, 3},
              {"white_2d", white, 2},   {"white_3d", white, 3},     {"traced_2d", traced, 2},
              {"traced_3d", traced, 3}};
#define SCENES ((int)(sizeof scenes / sizeof *scenes))

/* ---- running them */

static spate_sim *start(int scene, int threads)
{
    return sample_sim(scenes[scene].make(scenes[scene].dim), threads);
}

static void advance(spate_sim *sim, int to)
{
    while (sim && spate_sim_steps(sim) < (uint64_t)to && sample_step(sim, 0)) {}
}

/* What stats.csv says of the state and of the solves, mixed with the state hash: sums must be the
 * same bits too. That of a set is 0 where there is none. */
static uint64_t hash_all(spate_sim *sim)
{
    uint64_t hash = spate_sim_hash(sim) ^ spate_sim_particles_hash(sim, "whitewater") ^
                    spate_sim_particles_hash(sim, "tracers"),
             bits;
    spate_stats s = sample_stats(sim);
    double numbers[] = {s.time,
                        s.cfl,
                        s.max_speed,
                        s.momentum_x,
                        s.momentum_y,
                        s.momentum_z,
                        s.kinetic_energy,
                        s.potential_energy,
                        s.divergence_before,
                        s.divergence_after,
                        s.solver_residual,
                        s.solver_iterations,
                        (double)s.collisions,
                        s.min_distance};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        memcpy(&bits, &numbers[k], sizeof bits);
        hash = hash * 6364136223846793005u + bits;
    }
    return hash;
}

/* Whether more than one thread has worked. On a busy machine the first one may have done all the
 * work before another one got a processor. */
static bool was_shared(spate_sim *sim, int threads)
{
    /* the facade's struct begins with sp_common: the only way to the pool from outside */
    int used = sp_pool_workers_used(((const sp_common *)(const void *)sim)->pool);
    CHECK(spate_sim_threads(sim) == threads);
    CHECK(used <= threads);
    return used > 1;
}

/* *early (may be NULL) receives the hash after SAME_STEPS. A run on several threads in which only
 * one worked proves nothing, so it is repeated. */
static uint64_t run_twice(int scene, int threads, int steps, uint64_t *early)
{
    enum { MOST_RUNS = 8 };
    uint64_t hash = 0;
    bool enough = false;
    for (int k = 0; k < MOST_RUNS && !enough; k++) {
        spate_sim *sim = start(scene, threads);
        if (early) {
            advance(sim, SAME_STEPS);
            *early = sim ? hash_all(sim) : 0;
        }
        advance(sim, steps);
        hash = sim ? hash_all(sim) : 0;
        enough = !sim || threads == 1 || was_shared(sim, threads);
        spate_sim_destroy(sim);
    }
    CHECK(enough);
    return hash;
}

static uint64_t run(int scene, int threads, int steps)
{
    return run_twice(scene, threads, steps, NULL);
}

static void same(int scene, const char *what, uint64_t hash, uint64_t expected)
{
    if (hash == expected)
        return;
    printf("  %s, %s: hash %016llx, expected %016llx\n", scenes[scene].name, what,
           (unsigned long long)hash, (unsigned long long)expected);
    test_failures++;
}

/* The recorded hash; false if the file has none of that name. */
static bool golden(const char *name, uint64_t *hash)
{
    FILE *file = fopen(GOLDEN, "r");
    char line[256], found[64];
    unsigned long long value;
    int steps;
    bool there = false;
    while (file && !there && fgets(line, sizeof line, file))
        there = sscanf(line, "%63s %d %llx", found, &steps, &value) == 3 &&
                strcmp(found, name) == 0 && steps == STEPS;
    if (file)
        fclose(file);
    *hash = there ? value : 0;
    return there;
}

/* Writes golden.txt anew (make golden). */
static void update(void)
{
    CHECK(!TEST_IS_SLOW); /* 40 steps only */
    FILE *file = TEST_IS_SLOW ? NULL : fopen(GOLDEN, "w");
    CHECK(file != NULL);
    if (!file)
        return;
    fprintf(
        file,
        "# The scenes of tests/unit/test_determinism.c: scene, steps, hash of state and statistics.\n"
        "# After a change of the numerics that is meant: make golden\n");
    for (int k = 0; k < SCENES; k++)
        fprintf(file, "%s %d %016llx\n", scenes[k].name, STEPS,
                (unsigned long long)run(k, 2, STEPS));
    CHECK(fclose(file) == 0);
}

/* ---- the tests */

/* Runs to `at`, saves, goes on in another simulation with another number of threads. */
static uint64_t resume(int scene, int at, int threads, int other, bool used)
{
    static sample_memory memory;
    memory.size = memory.at = memory.calls = 0;
    spate_error error = {0};
    spate_sim *first = start(scene, threads), *second = start(scene, other);
    advance(first, at);
    CHECK(spate_sim_save(first, sample_write, &memory, &error) == SPATE_OK);
    spate_sim_destroy(first);
    if (used) /* it may have been elsewhere before */
        advance(second, at + 20);
    CHECK(spate_sim_load(second, sample_read, &memory, &error) == SPATE_OK);
    CHECK(spate_sim_steps(second) == (uint64_t)at);
    advance(second, SAME_STEPS);
    uint64_t hash = hash_all(second);
    spate_sim_destroy(second);
    free(memory.bytes);
    memory.bytes = NULL;
    memory.capacity = 0;
    return hash;
}

static void one_scene(int k)
{
    static uint64_t seed;
    if (!seed)
        seed = (uint64_t)time(NULL);
    uint64_t expected, last = run_twice(k, 1, STEPS, &expected), recorded;
    if (!TEST_IS_SLOW) {
        CHECK(golden(scenes[k].name, &recorded));
        same(k, "against tests/golden.txt", last, recorded);
    }
    if (IS_OTHER_COMPILER)
        return;
    bool all = test_full() || k == 0; /* the other scenes take turns */
    for (int threads = 2; threads <= 4; threads++) {
        char what[32];
        if (!all && threads != 2 + k % 3)
            continue;
        snprintf(what, sizeof what, "%d threads", threads);
        same(k, what, run(k, threads, SAME_STEPS), expected);
    }
    if (all && scenes[k].make == dam)
        same(k, "once more", run(k, 1, SAME_STEPS), expected);
    for (int turn = 0; turn < 3; turn++) {
        char what[64];
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        if (!all && turn == 2 - k % 2) /* the first one, and one of the used simulations */
            continue;
        int at = turn < 2 ? 1 + (int)((seed >> 33) % (uint64_t)(SAME_STEPS - 30)) : 0;
        snprintf(what, sizeof what, "resumed at step %d%s", at,
                 turn ? " in a used simulation" : "");
        same(k, what, resume(k, at, 1 + turn % 2, 3 - turn % 2, turn > 0), expected);
    }
}

static void same_bits_dam_2d(void)
{
    one_scene(0);
}
static void same_bits_dam_3d(void)
{
    one_scene(1);
}
static void same_bits_paddle_2d(void)
{
    one_scene(2);
}
static void same_bits_paddle_3d(void)
{
    one_scene(3);
}
static void same_bits_channel_2d(void)
{
    one_scene(4);
}
static void same_bits_channel_3d(void)
{
    one_scene(5);
}
static void same_bits_stream_2d(void)
{
    one_scene(6);
}
static void same_bits_stream_3d(void)
{
    one_scene(7);
}
static void same_bits_vortex_2d(void)
{
    one_scene(8);
}
static void same_bits_vortex_3d(void)
{
    one_scene(9);
}
static void same_bits_gas_2d(void)
{
    one_scene(10);
}
static void same_bits_gas_3d(void)
{
    one_scene(11);
}
static void same_bits_white_2d(void)
{
    one_scene(12);
}
static void same_bits_white_3d(void)
{
    one_scene(13);
}
static void same_bits_traced_2d(void)
{
    one_scene(14);
}
static void same_bits_traced_3d(void)
{
    one_scene(15);
}

/* The scenes with whitewater have some when they are compared. */
static void there_is_whitewater(void)
{
    for (int k = 0; k < SCENES; k++) {
        if (scenes[k].make != white)
            continue;
        spate_sim *sim = start(k, 2);
        advance(sim, 40);
        CHECK(spate_sim_particles_count(sim, "whitewater") > 50);
        spate_sim_destroy(sim);
    }
}

/* The base instruction set against the best of this machine; where that is v4, v3 lies between. */
/* Every other scene, from the first: those in 2D, or those in 3D. */
static void instruction_sets(int first)
{
    const int steps = test_full() ? STEPS / 4 : STEPS / 8;
    static const char *const lesser[] = {"base", "v3"};
    if (strcmp(spate_instruction_set(), "base") == 0)
        SKIP("this build or this processor has the base instruction set only");
    for (int k = first; k < SCENES; k += 2) {
        uint64_t expected = run(k, 2, steps);
        for (int cpu = 0; cpu < 2; cpu++) {
            setenv("SPATE_CPU", lesser[cpu], 1);
            CHECK(strstr(spate_instruction_set(), lesser[cpu]) != NULL);
            same(k, lesser[cpu], run(k, 2, steps), expected);
            unsetenv("SPATE_CPU");
        }
    }
}

static void instruction_sets_2d(void)
{
    instruction_sets(0);
}

static void instruction_sets_3d(void)
{
    instruction_sets(1);
}

/* A host that starts a thread for every share, the last one first. */
typedef struct share {
    void (*work)(void *args, int k);
    void *args;
    int k;
} share;

static void *share_main(void *arg)
{
    share *s = arg;
    s->work(s->args, s->k);
    return NULL;
}

static void host_threads(void *user, int count, void (*work)(void *args, int k), void *args)
{
    pthread_t threads[16];
    share shares[16];
    ++*(int *)user;
    for (int k = count - 1; k >= 0; k--) {
        shares[k] = (share){work, args, k};
        CHECK(pthread_create(&threads[k], NULL, share_main, &shares[k]) == 0);
    }
    for (int k = 0; k < count; k++)
        pthread_join(threads[k], NULL);
}

/* One that has no threads at all. */
static void host_serial(void *user, int count, void (*work)(void *args, int k), void *args)
{
    ++*(int *)user;
    for (int k = count - 1; k >= 0; k--)
        work(args, k);
}

static void host_scheduler(void)
{
    static spate_schedule_fn *const hosts[2] = {host_threads, host_serial};
    int steps = test_full() ? 20 : 8;
    for (int k = 0; k < SCENES; k++) {
        uint64_t expected = run(k, 1, steps);
        for (int h = 0; h < 2; h++) {
            int calls = 0;
            spate_options options = sample_options();
            options.threads = 3 + h;
            options.schedule = hosts[h];
            options.schedule_user = &calls;
            spate_scene *scene = scenes[k].make(scenes[k].dim);
            spate_sim *sim = spate_sim_create(scene, &options, NULL);
            spate_scene_destroy(scene);
            CHECK(sim != NULL);
            advance(sim, steps);
            same(k, h ? "host without threads" : "host with threads", hash_all(sim), expected);
            CHECK(calls > 20);
            spate_sim_destroy(sim);
        }
    }
}

/* The hash sees every column of every particle, and nothing of their order. */
static void hash_sees(void)
{
    spate_sim *a = start(0, 1), *b = start(0, 2);
    advance(a, 3);
    advance(b, 3);
    CHECK(spate_sim_hash(a) == spate_sim_hash(b));
    float *columns[4];
    CHECK(spate_sim_channel_view(a, "dye", columns) == 3);
    float before = columns[2][17];
    columns[2][17] = before + 1e-6f;
    CHECK(spate_sim_hash(a) != spate_sim_hash(b));
    columns[2][17] = before;
    CHECK(spate_sim_hash(a) == spate_sim_hash(b));
    sample_stats(a); /* sorts */
    CHECK(spate_sim_hash(a) == spate_sim_hash(b));
    double far[3] = {0.1, 0.1, 0.1}, push[3] = {1e-5, 0, 0};
    spate_sim_add_impulse(a, far, 0.05, push, NULL);
    CHECK(spate_sim_hash(a) != spate_sim_hash(b));
    spate_sim_destroy(a);
    spate_sim_destroy(b);
}

/* The statistics of every step, side by side: sums go in the same order for any number of threads.
 */
static void same_statistics(void)
{
    for (int k = 0; k < 2; k++) {
        spate_sim *one = start(k, 1), *three = start(k, 3);
        for (int step = 1; step <= 40 && test_failures == 0; step++) {
            advance(one, step);
            advance(three, step);
            same(k, "statistics with 3 threads", hash_all(three), hash_all(one));
        }
        spate_sim_destroy(one);
        spate_sim_destroy(three);
    }
}

/* Looking at a simulation between steps does not change it. */
static void looking_changes_nothing(void)
{
    for (int k = 0; k < SCENES; k += 3) {
        sample_memory memory = {0};
        spate_sim *sim = start(k, 2);
        for (int step = 0; step < 30; step++) {
            sample_stats(sim);
            spate_sim_next_dt(sim);
            CHECK(spate_sim_save(sim, sample_write, &memory, NULL) == SPATE_OK);
            CHECK(sample_step(sim, 0));
        }
        same(k, "looked at in every step", hash_all(sim), run(k, 1, 30));
        spate_sim_destroy(sim);
        free(memory.bytes);
    }
}

TESTS(determinism)
{
    TEST(same_bits_dam_2d);
    TEST(same_bits_dam_3d);
    TEST(same_bits_paddle_2d);
    TEST(same_bits_paddle_3d);
    TEST(same_bits_channel_2d);
    TEST(same_bits_channel_3d);
    TEST(same_bits_stream_2d);
    TEST(same_bits_stream_3d);
    TEST(same_bits_vortex_2d);
    TEST(same_bits_vortex_3d);
    TEST(same_bits_gas_2d);
    TEST(same_bits_gas_3d);
    TEST(same_bits_white_2d);
    TEST(same_bits_white_3d);
    TEST(same_bits_traced_2d);
    TEST(same_bits_traced_3d);
    TEST(there_is_whitewater);
    TEST(instruction_sets_2d);
    TEST(instruction_sets_3d);
    TEST(same_statistics);
    TEST(host_scheduler);
    TEST(hash_sees);
    TEST(looking_changes_nothing);
    TEST_MANUAL(update);
}
