/* test_work.c -- a step does no more work than it did: what steps 1, 10 and 40 of three scenes ask
 * of the CPU and of a device, against tests/work.csv.
 *
 * The counts do not depend on the machine, on its speed or on the number of threads. A count above
 * the table fails; one below it is named, and `make work` lowers the table. A change that needs
 * more work on purpose writes the table anew, with the reason in its commit. */
#include "device_test.h"
#include "sample.h"

#include "base/parallel.h"

#include <stddef.h>

#define TABLE SPATE_SOURCE "/tests/work.csv"
#define THREADS 2
#define COUNTS 7

typedef struct counter {
    const char *name;
    size_t place;
} counter;

/* clang-format off */
static const counter counters[COUNTS] = {
    {"loops", offsetof(sp_work, loops)},           {"passes", offsetof(sp_work, passes)},
    {"solves", offsetof(sp_work, solves)},         {"iterations", offsetof(sp_work, iterations)},
    {"assemblies", offsetof(sp_work, assemblies)}, {"waits", offsetof(sp_work, waits)},
    {"copied", offsetof(sp_work, copied)},
};
/* clang-format on */
static const int counted_steps[] = {1, 10, 40};

/* A column of water falls past a ball. */
static spate_scene *dam(void)
{
    spate_scene *scene = sample_scene(3, 1.5, 1, 0.5, 24);
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.5, 0.7, 0.5);
    sample_sphere(scene, SPATE_LIST_SOLIDS, 1, 0.1, 0.25, 0.15);
    return scene;
}

/* A paddle sweeps through a tank. */
static spate_scene *paddle(void)
{
    spate_scene *scene = sample_scene(2, 2, 1, 0, 64);
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 2, 0.4, 0);
    spate_shape *plate = sample_box(scene, SPATE_LIST_SOLIDS, 0.3, 0.1, 0, 0.42, 0.7, 0);
    sample_velocity(plate, 0.4, 0, 0);
    return scene;
}

/* A channel with gauges of three kinds. */
static spate_scene *channel(void)
{
    static const spate_gauge_kind kinds[] = {SPATE_GAUGE_HEIGHT, SPATE_GAUGE_FLUX,
                                             SPATE_GAUGE_PRESSURE};
    spate_scene *scene = sample_scene(2, 2, 1, 0, 64);
    scene->domain.sides[0][1] = SPATE_SIDE_OPEN;
    sample_velocity(sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 2, 0.3, 0), 1, 0, 0);
    sample_velocity(sample_box(scene, SPATE_LIST_INFLOWS, 0, 0, 0, 0.1, 0.3, 0), 1, 0, 0);
    for (int k = 0; k < 3; k++) {
        spate_gauge *gauge = spate_scene_add_gauge(scene);
        gauge->kind = kinds[k];
        if (gauge->kind == SPATE_GAUGE_FLUX) {
            gauge->min[0] = gauge->max[0] = 1;
            gauge->min[1] = 0;
            gauge->max[1] = 0.5;
        } else {
            gauge->at[0] = 1;
            gauge->at[1] = 0.1;
        }
    }
    return scene;
}

static const struct {
    const char *name;
    spate_scene *(*make)(void);
} scenes[] = {{"dam", dam}, {"paddle", paddle}, {"gauges", channel}};
enum {
    SCENES = sizeof scenes / sizeof *scenes,
    STEPS = sizeof counted_steps / sizeof *counted_steps
};

/* What each of the counted steps does. */
static void count_work(int scene, const char *device, uint64_t counts[STEPS][COUNTS])
{
    spate_scene *made = scenes[scene].make();
    spate_sim *sim = start(made, device);
    spate_scene_destroy(made);
    spate_error error = {0};
    for (int step = 1, k = 0; sim && k < STEPS; step++) {
        sp_work before = *sp_pool_work(sp_sim_pool(sim));
        CHECK(spate_sim_step(sim, 0.01, &error) == SPATE_OK);
        if (step < counted_steps[k])
            continue;
        const sp_work *after = sp_pool_work(sp_sim_pool(sim));
        for (int c = 0; c < COUNTS; c++) {
            uint64_t from, to;
            memcpy(&from, (const char *)&before + counters[c].place, sizeof from);
            memcpy(&to, (const char *)after + counters[c].place, sizeof to);
            counts[k][c] = to - from;
        }
        k++;
    }
    spate_sim_destroy(sim);
}

/* The count of the table; UINT64_MAX and a failed check without one. */
static uint64_t allowed(const char *key)
{
    FILE *file = fopen(TABLE, "r");
    char line[256];
    unsigned long long value = 0;
    bool found = false;
    size_t length = strlen(key);
    while (file && !found && fgets(line, sizeof line, file))
        found = strncmp(line, key, length) == 0 && sscanf(line + length, ",%llu", &value) == 1;
    if (file)
        fclose(file);
    if (!found)
        printf("  %s has no row in tests/work.csv: make work\n", key);
    CHECK(found);
    return found ? value : UINT64_MAX;
}

static void compare(int scene, const char *device)
{
    uint64_t counts[STEPS][COUNTS] = {{0}};
    count_work(scene, device, counts);
    for (int k = 0; k < STEPS; k++)
        for (int c = 0; c < COUNTS; c++) {
            char key[96];
            snprintf(key, sizeof key, "%s,%s,%d,%s", scenes[scene].name, device, counted_steps[k],
                     counters[c].name);
            uint64_t most = allowed(key);
            if (counts[k][c] > most)
                printf("  %s: %llu, it was %llu\n", key, (unsigned long long)counts[k][c],
                       (unsigned long long)most);
            else if (counts[k][c] < most && most != UINT64_MAX)
                printf("  less work: %s: %llu, it was %llu: make work\n", key,
                       (unsigned long long)counts[k][c], (unsigned long long)most);
            CHECK(counts[k][c] <= most);
        }
}

static void dam_on_cpu(void)
{
    compare(0, "cpu");
}

static void dam_on_check(void)
{
    compare(0, "check");
}

static void moving_solid_on_cpu(void)
{
    compare(1, "cpu");
}

static void moving_solid_on_check(void)
{
    compare(1, "check");
}

static void gauges_on_cpu(void)
{
    compare(2, "cpu");
}

static void gauges_on_check(void)
{
    compare(2, "check");
}

/* Writes the table (make work). */
static void update(void)
{
    FILE *file = fopen(TABLE, "w");
    CHECK(file != NULL);
    if (!file)
        return;
    fprintf(
        file,
        "# Work of single steps (tests/unit/test_work.c): scene,device,step,counter,count. make work\n"
        "# writes it; a commit that raises a count says why.\n");
    for (int scene = 0; scene < SCENES; scene++)
        for (int d = 0; d < 2; d++) {
            uint64_t counts[STEPS][COUNTS] = {{0}};
            count_work(scene, d ? "check" : "cpu", counts);
            for (int k = 0; k < STEPS; k++)
                for (int c = 0; c < COUNTS; c++)
                    fprintf(file, "%s,%s,%d,%s,%llu\n", scenes[scene].name, d ? "check" : "cpu",
                            counted_steps[k], counters[c].name, (unsigned long long)counts[k][c]);
        }
    CHECK(fclose(file) == 0);
}

TESTS(work)
{
    SETUP(add_check_device);
    TEST(dam_on_cpu);
    TEST(dam_on_check);
    TEST(moving_solid_on_cpu);
    TEST(moving_solid_on_check);
    TEST(gauges_on_cpu);
    TEST(gauges_on_check);
    TEST_MANUAL(update);
}
