/* test_hanging.c -- water without support falls: drops of a few particles, and blocks of water,
 * thrown against ceilings, undersides and walls.
 *
 * For each particle the test measures the longest time without a break that it stays near the
 * surface and within a cell of one place. A particle that loses all of its velocity at a ceiling
 * falls one cell in sqrt(2 dx / g); along a wall a particle may rise one cell, turn round and fall
 * two, which takes 1 + sqrt(2) times as long. LIMIT times is allowed. */
#include "device_test.h"
#include "sample.h"

#define DX (1.0 / 32)
#define G 9.81
#define LIMIT 3.0
#define PRESSED (0.1 * 1000 * G * DX) /* Pa; from there on the water presses a particle */
#define SPACING 12                    /* cells between the places of the drops */
#define RADIUS 3                      /* cells, of balls */

/* What drops are thrown at. SOLIDS: a ceiling near small balls. */
enum { CEILING, SOLIDS, UNDERSIDE, BALL, WALL, TARGETS };
static const char *const target_names[] = {"ceiling", "ceiling near solids", "underside", "ball",
                                           "wall"};
static const int sizes[] = {1, 2, 3, 5, 16, 64}; /* particles of the drops */
#define DROPS 6

typedef struct throw
{
    int dim;
    int target;
    spate_transfer transfer;
    double fps;
    double shift; /* cells: the surface against the grid */
    uint64_t seed;
    double speed; /* m/s, before they hit */
    double block; /* m, side of the block of water; 0: drops */
    const char *device;
}
throw;

static double limit(void)
{
    return LIMIT * sqrt(2 * DX / G);
}

static uint64_t state;

static double between(double low, double high)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(state >> 33) / (double)(1u << 31));
}

/* Drop n of the six: its place along the surface, cells. */
static void place_of(const throw *t, int n, double place[2])
{
    int along = t->dim == 3 ? 3 : DROPS;
    place[0] = SPACING * (n % along + 0.5);
    place[1] = SPACING * (n / along + 0.5);
}

/* Cells, of the surface. */
static double height_of(const throw *t)
{
    return (t->target == BALL ? 8 : 10) + t->shift;
}

static spate_scene *scene_of(const throw *t)
{
    double length = SPACING * (t->dim == 3 ? 3 : DROPS) * DX, depth = 2 * SPACING * DX;
    double height = height_of(t) * DX, far = 1.6 * height;
    bool domain = t->target != UNDERSIDE && t->target != BALL;
    double across = domain ? height : far;
    spate_scene *scene = sample_scene(t->dim, t->target == WALL ? across : length,
                                      t->target == WALL ? length : across, depth, 1);
    scene->domain.cell_size = DX;
    scene->gravity[1] = -G;
    scene->fluid.transfer = t->transfer;
    scene->fps = t->fps;
    if (t->target == UNDERSIDE)
        sample_box(scene, SPATE_LIST_SOLIDS, 0.1 * length, height, -1, 0.93 * length,
                   height + 2.3 * DX, 2);
    for (int n = 0; n < DROPS; n++) {
        double place[2];
        place_of(t, n, place);
        if (t->target == SOLIDS)
            sample_sphere(scene, SPATE_LIST_SOLIDS, (place[0] - 4) * DX, height - 3 * DX,
                          t->dim == 3 ? place[1] * DX : 0, 0.8 * DX);
        if (t->target != BALL)
            continue;
        sample_sphere(scene, SPATE_LIST_SOLIDS, (place[0] + between(-2, 2)) * DX,
                      height + RADIUS * DX, t->dim == 3 ? (place[1] + between(-2, 2)) * DX : 0,
                      RADIUS * DX);
    }
    return scene;
}

/* n particles half a cell apart, in the shape of a cube whose last layers may have holes. */
static void put_drop(spate_sim *sim, const throw *t, int n, const double place[2])
{
    int side = 1;
    float x[3 * 64], v[3 * 64];
    double corner[3] = {place[0], 3, place[1]}, speed[3] = {0.3, t->speed, 0.1};
    if (t->target == WALL) {
        corner[0] = 3;
        corner[1] = place[0];
        speed[0] = t->speed;
        speed[1] = 0.3;
    }
    while ((t->dim == 3 ? side * side : side) * side < n)
        side++;
    for (int d = 0; d < 3; d++)
        corner[d] += between(-0.5, 0.5) - 0.25 * side;
    for (int k = 0; k < n; k++) {
        int at[3] = {k % side, k / side % side, k / side / side};
        at[1] = t->dim == 3 ? at[1] : k / side;
        for (int d = 0; d < 3; d++) {
            x[3 * k + d] = d < t->dim ? (float)((corner[d] + 0.5 * at[d]) * DX) : 0.0f;
            v[3 * k + d] = d < t->dim ? (float)speed[d] : 0.0f;
        }
    }
    size_t added = 0;
    spate_error error = {0};
    CHECK(spate_sim_add_particles(sim, x, v, (size_t)n, &added, &error) == SPATE_OK);
    CHECK(added == (size_t)n);
}

/* Whether x (m) is within a cell of the surface. Near the floor water may rest. */
static bool is_near(const spate_sim *sim, const throw *t, const double x[3])
{
    const spate_scene *scene = spate_sim_scene(sim);
    double height = height_of(t) * DX, length = scene->domain.size[0];
    if (t->target == CEILING || t->target == SOLIDS)
        return x[1] > height - DX;
    if (t->target == UNDERSIDE)
        return x[1] > height - DX && x[1] <= height && x[0] > 0.1 * length && x[0] < 0.93 * length;
    if (t->target == WALL)
        return x[0] > height - DX && x[1] > 4 * DX;
    for (int n = 0; n < scene->solids.count; n++) {
        double square = 0;
        for (int d = 0; d < t->dim; d++)
            square += (x[d] - scene->solids.items[n].center[d]) *
                      (x[d] - scene->solids.items[n].center[d]);
        if (x[1] < scene->solids.items[n].center[1] && sqrt(square) < (RADIUS + 1) * DX)
            return true;
    }
    return false;
}

/* Where a particle is in a frame. */
typedef struct track {
    bool near; /* of the surface, and nothing presses it there */
    double x[3];
} track;

/* Frames of the longest stay less one. */
static int longest_stay(const throw *t, const track *at, int frames)
{
    int longest = 0;
    for (int first = 0; first < frames; first++)
        for (int k = first; k < frames && at[first].near && at[k].near; k++) {
            double square = 0;
            for (int d = 0; d < t->dim; d++)
                square += (at[k].x[d] - at[first].x[d]) * (at[k].x[d] - at[first].x[d]);
            if (square > DX * DX)
                break;
            longest = k - first > longest ? k - first : longest;
        }
    return longest;
}

/* Which particles, `count` at x, the water presses against something. Those of drops count as not
 * pressed. */
static void find_pressed(spate_sim *sim, const throw *t, const float *x, size_t count,
                         bool *pressed)
{
    spate_error error = {0};
    double *place = malloc(3 * count * sizeof *place), *p = calloc(count, sizeof *p);
    for (size_t k = 0; k < 3 * count; k++)
        place[k] = (double)x[k];
    if (t->block > 0)
        CHECK(spate_sim_sample(sim, place, count, NULL, p, NULL, &error) == SPATE_OK);
    for (size_t k = 0; k < count; k++)
        pressed[k] = p[k] > PRESSED;
    free(place);
    free(p);
}

/* Runs the simulation for that many seconds; returns the longest stay of its particles (s), and how
 * many stayed too long. */
static double watch(spate_sim *sim, const throw *t, double seconds, size_t *late)
{
    int frames = (int)(seconds * t->fps);
    size_t count = spate_sim_particles_count(sim, "fluid");
    track *tracks = calloc(count * (size_t)frames, sizeof *tracks);
    float *x = malloc(3 * count * sizeof *x);
    uint32_t *ids = malloc(count * sizeof *ids);
    bool *pressed = malloc(count);
    double longest = 0;
    spate_error error = {0};
    for (int frame = 0; frame < frames; frame++) {
        CHECK(spate_sim_step_frame(sim, &error) == SPATE_OK);
        CHECK(spate_sim_particles_count(sim, "fluid") == count);
        spate_sim_particles_read(sim, "fluid", x, NULL, ids);
        find_pressed(sim, t, x, count, pressed);
        for (size_t k = 0; k < count && ids[k] < count; k++) {
            track *at = tracks + ids[k] * (size_t)frames + frame;
            for (int d = 0; d < t->dim; d++)
                at->x[d] = (double)x[3 * k + (size_t)d];
            at->near = !pressed[k] && is_near(sim, t, at->x);
        }
    }
    *late = 0;
    for (size_t k = 0; k < count; k++) {
        double stay = longest_stay(t, tracks + k * (size_t)frames, frames) / t->fps;
        longest = fmax(longest, stay);
        *late += stay >= limit();
    }
    free(tracks);
    free(x);
    free(ids);
    free(pressed);
    return longest;
}

static void check_stay(spate_sim *sim, const throw *t, double seconds)
{
    size_t late;
    double longest = watch(sim, t, seconds, &late);
    bool show = getenv("SPATE_TEST_SHOW");
    if (longest >= limit() || show)
        printf(
            "  %dD %s, transfer %d, %g fps, shift %g, seed %d, block %g m: %.3f s (%.3f), %zu late\n",
            t->dim, target_names[t->target], t->transfer, t->fps, t->shift, (int)t->seed, t->block,
            longest, limit(), late);
    CHECK_LESS(longest, limit());
    spate_sim_destroy(sim);
}

static spate_sim *start_throw(spate_scene *scene, const throw *t)
{
    spate_error error = {0};
    spate_sim *sim = start_on(scene, t->device, &error);
    if (!sim)
        printf("  no simulation: %s: %s\n", error.where, error.message);
    CHECK(sim != NULL);
    spate_scene_destroy(scene);
    return sim;
}

static void throw_drops(throw t)
{
    state = 77 * t.seed + 1;
    spate_sim *sim = start_throw(scene_of(&t), &t);
    for (int n = 0; n < DROPS && sim; n++) {
        double place[2];
        place_of(&t, n, place);
        put_drop(sim, &t, sizes[n], place);
    }
    if (sim)
        check_stay(sim, &t, 0.6);
}

/* Both transfers and frame rates; the full form has all places against the grid, several seeds. On
 * a GPU the short form has one of each. */
static void throw_at(int dim, int target, const char *device)
{
    static const spate_transfer transfers[] = {SPATE_TRANSFER_FLIP, SPATE_TRANSFER_APIC};
    bool all = test_full(), gpu = strcmp(device, "cpu") != 0, few = gpu && !all;
    for (int k = 0; k < (few ? 1 : 4); k++)
        for (int shift = 0; shift < (few ? 1 : 4); shift += all ? 1 : 2)
            for (uint64_t seed = 1; seed <= (all && !gpu ? 4 : 1); seed++)
                throw_drops((throw){.dim = dim,
                                    .target = target,
                                    .transfer = transfers[k & 1],
                                    .fps = k & 2 ? 120 : 30,
                                    .shift = 0.25 * shift,
                                    .seed = seed,
                                    .speed = seed & 1 ? 4 : 3,
                                    .device = device});
}

static void drops_leave_ceilings_2d(void)
{
    throw_at(2, CEILING, "cpu");
}

static void drops_leave_ceilings_3d(void)
{
    throw_at(3, CEILING, "cpu");
}

static void drops_leave_ceilings_near_solids_2d(void)
{
    throw_at(2, SOLIDS, "cpu");
}

static void drops_leave_ceilings_near_solids_3d(void)
{
    throw_at(3, SOLIDS, "cpu");
}

static void drops_leave_undersides_2d(void)
{
    throw_at(2, UNDERSIDE, "cpu");
}

static void drops_leave_undersides_3d(void)
{
    throw_at(3, UNDERSIDE, "cpu");
}

static void drops_leave_balls_2d(void)
{
    throw_at(2, BALL, "cpu");
}

static void drops_leave_balls_3d(void)
{
    throw_at(3, BALL, "cpu");
}

static void drops_fall_along_walls_2d(void)
{
    throw_at(2, WALL, "cpu");
}

static void drops_fall_along_walls_3d(void)
{
    throw_at(3, WALL, "cpu");
}

static void drops_fall_on_a_gpu(void)
{
    for (int target = CEILING; target < TARGETS; target++)
        throw_at(2, target, device_name());
    throw_at(3, CEILING, device_name());
}

/* A block of water in a tank of 1 m. */
static void throw_block(throw t)
{
    t.shift = 1 / DX - height_of(&t);
    spate_scene *scene = sample_scene(t.dim, 1, 1, 1, 1);
    double low = 0.5 - 0.5 * t.block, high = 0.5 + 0.5 * t.block, top = 0.85;
    scene->domain.cell_size = DX;
    scene->gravity[1] = -G;
    scene->fluid.transfer = t.transfer;
    scene->fps = t.fps;
    spate_shape *block =
        sample_box(scene, SPATE_LIST_FILL, low, top - t.block, low, high, top, high);
    sample_velocity(block, 0.3, t.speed, 0.1);
    spate_sim *sim = start_throw(scene, &t);
    if (sim)
        check_stay(sim, &t, 0.6);
}

static void throw_blocks(int dim)
{
    for (int k = 0; k < 4; k++)
        for (int size = 1; size <= 4; size++)
            if (test_full() || dim == 2 || (size == 1 && k > 0) || (size == 2 && k == 2))
                throw_block((throw){.dim = dim,
                                    .transfer = k & 1 ? SPATE_TRANSFER_APIC : SPATE_TRANSFER_FLIP,
                                    .fps = k & 2 ? 120 : 30,
                                    .speed = 5,
                                    .block = 0.1 * size,
                                    .device = "cpu"});
}

static void blocks_leave_ceilings_2d(void)
{
    throw_blocks(2);
}

static void blocks_leave_ceilings_3d(void)
{
    throw_blocks(3);
}

TESTS(hanging)
{
    SETUP(add_check_device);
    TEST(drops_leave_ceilings_2d);
    TEST(drops_leave_ceilings_3d);
    TEST(drops_leave_ceilings_near_solids_2d);
    TEST(drops_leave_ceilings_near_solids_3d);
    TEST(drops_leave_undersides_2d);
    TEST(drops_leave_undersides_3d);
    TEST(drops_leave_balls_2d);
    TEST(drops_leave_balls_3d);
    TEST(drops_fall_along_walls_2d);
    TEST(drops_fall_along_walls_3d);
    TEST(drops_fall_on_a_gpu);
    TEST(blocks_leave_ceilings_2d);
    TEST(blocks_leave_ceilings_3d);
}
