/* test_flight.c -- free flight: who flies, on which way, and what arrives.
 *
 * Nothing here may depend on the place against the grid: clouds are dropped from random places. */
#include "fixture.h"

#include "kernels/flight.h"

#define DX 0.05
#define G 9.81

/* In 3D the short form has smaller pools: what depends on their size is seen in 2D. */
static bool is_small(void)
{
    return DIM == 3 && !test_full();
}

/* ---- who flies */

/* The share of the kernel that is free, the sum over all pairs, and the cells around: as the head
 * of kernels/flight.h has them, without cell lists. */
typedef struct oracle {
    const fixture *f;
    uint32_t count;
    double *dense, *touch; /* density at each particle: of all, and of the dense ones */
    bool *sparse;
} oracle;

static double gap_along(const fixture *f, int d, uint32_t a, uint32_t b)
{
    double n = f->s->grid.n[d];
    double gap = fabs((double)f->s->particles.x[d][a] - (double)f->s->particles.x[d][b]);
    return f->s->grid.periodic[d] ? fmin(gap, n - gap) : gap;
}

static double free_room(const fixture *f, uint32_t k)
{
    double room = 1, world[3] = {0, 0, 0};
    FOR_DIM(d) {
        double x = f->s->particles.x[d][k], ends[2] = {x, f->s->grid.n[d] - x}, share = 1;
        for (int side = 0; side < 2; side++)
            if (f->common.scene->domain.sides[d][side] == SPATE_SIDE_WALL && ends[side] < 1)
                share -= (1 - ends[side]) * (1 - ends[side]) / 2;
        room *= share;
        world[d] = x * f->s->grid.dx;
    }
    double h = sp_solids_distance(&f->s->solids, world, NULL, NULL) / f->s->grid.dx;
    h = h < 0 ? 0 : h > 1 ? 1 : h;
    return room * (1 - (1 - h) * (1 - h) / 2);
}

static void sum_pairs(oracle *o, bool dense_only)
{
    const fixture *f = o->f;
    for (uint32_t a = 0; a < o->count; a++) {
        double sum = dense_only ? 0 : 1, around = 0, cells_inside = 1;
        FOR_DIM(d) {
            int cell = (int)f->s->particles.x[d][a], n = f->s->grid.n[d];
            cells_inside *= f->s->grid.periodic[d] ? 3 : 3 - (cell == 0) - (cell == n - 1);
        }
        for (uint32_t b = 0; b < o->count; b++) {
            double weight = 1;
            bool near = true;
            FOR_DIM(d) {
                int n = f->s->grid.n[d];
                int cells = abs((int)f->s->particles.x[d][a] - (int)f->s->particles.x[d][b]);
                cells = f->s->grid.periodic[d] && n - cells < cells ? n - cells : cells;
                near = near && cells <= 1;
                if (!near) /* then it is more than a cell away */
                    break;
                weight *= fmax(0, 1 - gap_along(f, d, a, b));
            }
            if (!near)
                continue;
            around++;
            if (a != b && (!dense_only || !o->sparse[b] || o->dense[b] >= 0.625))
                sum += weight;
        }
        if (!dense_only)
            o->sparse[a] = around <= 0.5 * cells_inside * (double)f->s->rest;
        (dense_only ? o->touch : o->dense)[a] = sum / ((double)f->s->rest * free_room(f, a));
    }
}

static void compare_with_oracle(fixture *f)
{
    run_stage(f, SP_STAGE_SORT, 0.01);
    uint32_t count = f->s->particles.count, wrong = 0, held = 0;
    oracle o = {f, count, malloc(count * 8), malloc(count * 8), malloc(count)};
    sum_pairs(&o, false);
    sum_pairs(&o, true);
    for (uint32_t k = 0; k < count; k++) {
        bool dense = !o.sparse[k] || o.dense[k] >= 0.625, flies = !dense && o.touch[k] < 0.125;
        wrong += flies != (k >= f->s->tiles.first_flying);
    }
    uint32_t flying = count - f->s->tiles.first_flying;
    for (uint32_t c = 0; c < f->s->grid.size; c++)
        held += f->s->count[c];
    CHECK(wrong == 0);
    CHECK(flying > count / 50 && flying < count / 2);
    CHECK(held == f->s->tiles.first_flying);
    CHECK(f->s->tiles.start[f->s->grid.tile_count] == f->s->tiles.first_flying);
    for (uint32_t k = 0; k < f->s->tiles.first_flying; k++) {
        int c[DIM];
        FOR_DIM(d)
            c[d] = (int)f->s->particles.x[d][k];
        size_t cell = X(index)(&f->s->grid, c);
        wrong += k < f->s->first[cell] || k >= f->s->first[cell] + f->s->count[cell];
    }
    CHECK(wrong == 0);
    free(o.dense);
    free(o.touch);
    free(o.sparse);
}

/* A pool, and spray over it that is thicker near it. */
static fixture *spray(bool periodic, bool solids, uint64_t seed)
{
    int n = is_small() ? 13 : 21, drops = DIM == 3 ? 1200 * n * n / (21 * 21) : 120;
    const double low[3] = {0, 0, 0}, high[3] = {n, 4.3, n},
                 middle[3] = {9.3 / 21 * n, 6.2, 11.1 / 21 * n};
    spate_scene *scene = scene_of_cells(DX, n, 14, n);
    if (periodic)
        for (int d = 0; d < DIM; d += 2)
            scene->domain.sides[d][0] = scene->domain.sides[d][1] = SPATE_SIDE_PERIODIC;
    scene->fluid.jitter = 0.7;
    add_box(scene, SPATE_LIST_FILL, low, high);
    if (solids)
        add_ball(scene, SPATE_LIST_SOLIDS, middle, 2.7);
    fixture *f = fixture_create(scene);
    test_random_state = seed;
    for (int k = 0; f && k < drops; k++) {
        float x[DIM], v[DIM] = {0};
        double world[3] = {0, 0, 0}, height = random_in(0, 1);
        FOR_DIM(d) {
            x[d] = (float)(d == 1 ? 4 + 9.9 * height * height : random_in(0.01, n - 0.01));
            world[d] = (double)x[d] * DX;
        }
        if (sp_solids_distance(&f->s->solids, world, NULL, NULL) > 0.01 * DX)
            put_particle(f, x, v);
    }
    return f;
}

static void flying_as_by_the_oracle(bool periodic, bool solids, uint64_t seed)
{
    fixture *f = spray(periodic, solids, seed);
    if (f)
        compare_with_oracle(f);
    fixture_destroy(f);
}

static void flying_between_walls(void)
{
    flying_as_by_the_oracle(false, false, 5);
}

static void flying_across_periodic_sides(void)
{
    flying_as_by_the_oracle(true, false, 6);
}

static void flying_at_a_ball(void)
{
    flying_as_by_the_oracle(false, true, 7);
}

static void flying_at_a_ball_and_periodic_sides(void)
{
    for (uint64_t seed = 8; seed < (is_small() ? 10 : 9); seed++) /* few drops in the short form */
        flying_as_by_the_oracle(true, true, seed);
}

/* Water at rest, at any level: nothing flies. */
static void water_does_not_fly(void)
{
    int n = is_small() ? 10 : 20;
    for (int k = 0; k < 8; k++) {
        const double low[3] = {0, 0, 0}, high[3] = {n, 3 + k / 8.0, n};
        spate_scene *scene = scene_of_cells(DX, n, 12, n);
        scene->fluid.jitter = 0.5 * (k & 1);
        scene->gravity[1] = -G;
        add_box(scene, SPATE_LIST_FILL, low, high);
        fixture *f = fixture_create(scene);
        run_steps(f, 3, 0.01);
        run_stage(f, SP_STAGE_SORT, 0.01);
        CHECK(f->s->tiles.first_flying == f->s->particles.count);
        fixture_destroy(f);
    }
}

/* ---- parabolas */

/* Cells: depth of the pool. */
static int level(void)
{
    return is_small() ? 3 : 6;
}

static spate_scene *pool_scene(spate_transfer transfer)
{
    int n = is_small() ? 12 : 18;
    const double low[3] = {0, 0, 0}, high[3] = {n, level(), n};
    spate_scene *scene = scene_of_cells(DX, n, is_small() ? 20 : 28, n);
    scene->domain.sides[0][0] = scene->domain.sides[0][1] = SPATE_SIDE_PERIODIC;
    scene->gravity[1] = -G;
    scene->fluid.transfer = transfer;
    add_box(scene, SPATE_LIST_FILL, low, high);
    return scene;
}

/* n particles, half a cell apart, in a block around a random place. */
static uint32_t put_cloud(fixture *f, int n, const float v[DIM])
{
    int side = 1;
    float corner[DIM];
    while ((DIM == 3 ? side * side : side) * side < n)
        side++;
    FOR_DIM(d)
        corner[d] = (float)random_in(d == 1 ? level() + 6 : 5, d == 1 ? level() + 7 : 9);
    uint32_t first = f->s->particles.next_id;
    for (int k = 0; k < n; k++) {
        int at[3] = {k % side, k / side % side, k / side / side};
        float x[DIM];
        FOR_DIM(d)
            x[d] = corner[d] + 0.5f * (float)at[d];
        put_particle(f, x, v);
    }
    return first;
}

typedef struct flown {
    double off;     /* cells: largest distance from the parabola, while all are above the pool */
    double highest; /* cells over the pool, at the end */
    uint32_t lost;
} flown;

/* A cloud is thrown onto a pool, for 0.6 s. */
static flown throw_cloud(int n, spate_transfer transfer, double fps, double seconds)
{
    flown result = {0};
    fixture *f = fixture_create(pool_scene(transfer));
    const X(particles) *p = &f->s->particles;
    const float v[3] = {0.6f, 0.4f, -0.3f};
    uint32_t before = p->count, first = put_cloud(f, n, v);
    double dt = 1 / fps;
    float(*start)[DIM] = malloc((size_t)n * sizeof *start);
    bool above = true;
    for (uint32_t k = 0; k < p->count; k++)
        FOR_DIM(d)
            if (p->id[0][k] >= first)
                start[p->id[0][k] - first][d] = p->x[d][k];
    int steps = (int)(seconds * fps);
    for (int step = 1; step <= steps; step++) {
        double t = step * dt, off = 0, lowest = 1e9;
        run_steps(f, 1, dt);
        for (uint32_t k = 0; k < p->count && above; k++)
            if (p->id[0][k] >= first) {
                double square = 0;
                FOR_DIM(d) {
                    double a = d == 1 ? -G : 0, m = f->s->grid.n[d];
                    double x = start[p->id[0][k] - first][d] + (v[d] * t + a * t * t / 2) / DX;
                    double gap = (double)p->x[d][k] - x;
                    gap -= d == 0 ? m * floor(gap / m + 0.5) : 0;
                    square += gap * gap;
                    lowest = d == 1 ? fmin(lowest, x) : lowest;
                }
                off = fmax(off, sqrt(square));
            }
        above = above && lowest > level() + 0.55;
        result.off = above ? fmax(result.off, off) : result.off;
    }
    for (uint32_t k = 0; k < p->count; k++)
        if (p->id[0][k] >= first)
            result.highest = fmax(result.highest, (double)p->x[1][k] - level());
    result.lost = before + (uint32_t)n - p->count;
    free(start);
    fixture_destroy(f);
    return result;
}

/* One cloud, 0.6 s. */
static void throw_one(int n, spate_transfer transfer, double fps)
{
    flown one = throw_cloud(n, transfer, fps, 0.6);
    CHECK_LESS(one.off, 0.1);
    CHECK_LESS(one.highest, 0.6);
    CHECK(one.lost == 0);
    printf("  %d particles at %g fps: off by %.2g cells, at the end %.2g above\n", n, fps, one.off,
           one.highest);
}

static void throw_clouds(spate_transfer transfer)
{
    static const int sizes[] = {1, 2, 3, 1 << DIM};
    test_random_state = 3;
    for (int rate = 30; rate <= 60; rate += 30)
        for (int k = 0; k < 4; k++)
            throw_one(sizes[k], transfer, rate);
}

static void parabolas_with_flip(void)
{
    throw_clouds(SPATE_TRANSFER_FLIP);
}

static void parabolas_with_apic(void)
{
    throw_clouds(SPATE_TRANSFER_APIC);
}

/* Errors of many small steps do not add up. */
static void parabolas_in_small_steps(void)
{
    test_random_state = 4;
    for (int turn = 0; turn < 2; turn++) {
        spate_transfer transfer = turn ? SPATE_TRANSFER_APIC : SPATE_TRANSFER_FLIP;
        throw_one(2, transfer, is_small() ? 250 : 1000);
        if (!is_small())
            throw_one(3, transfer, 4000);
    }
}

/* Clouds that fill cells move with the grid, some of their particles beside it. */
static void throw_large(int n)
{
    test_random_state = (uint64_t)n;
    for (int turn = 0; turn < 4; turn++) {
        double fps = turn & 2 ? (is_small() ? 250 : 1000) : 60;
        spate_transfer how = turn & 1 ? SPATE_TRANSFER_APIC : SPATE_TRANSFER_FLIP;
        flown one = throw_cloud(n, how, fps, 0.25);
        CHECK_LESS(one.off, 0.1);
        CHECK(one.lost == 0);
    }
}

static void clouds_of_9_and_16_fall(void)
{
    throw_large(9);
    throw_large(16);
}

static void clouds_of_27_and_64_fall(void)
{
    throw_large(27);
    throw_large(64);
}

/* ---- solids and walls */

/* One particle that goes 40 cells in a step towards what stands between x = 20 and 30 cells. */
static void shoot(bool plate)
{
    const double low[3] = {24, 0, 0}, high[3] = {24.1, 16, 16}, middle[3] = {25, 8.2, 8.1};
    spate_scene *scene = scene_of_cells(DX, 60, 16, 16);
    if (plate)
        add_box(scene, SPATE_LIST_SOLIDS, low, high);
    else
        add_ball(scene, SPATE_LIST_SOLIDS, middle, 2);
    fixture *f = fixture_create(scene);
    const float x[3] = {4.3f, 8.1f, 8.2f}, v[3] = {(float)(40 * DX / 0.02), 1, 0};
    put_particle(f, x, v);
    run_steps(f, 1, 0.02);
    const X(particles) *p = &f->s->particles;
    CHECK(p->count == 1 && f->s->tiles.first_flying == 0);
    CHECK_NEAR((double)p->x[0][0], plate ? 24 : 23, plate ? 0.01 : 0.6);
    CHECK(f->common.collisions > 0 && (plate ? p->v[0][0] == 0.0f : p->v[0][0] < 20.0f));
    run_steps(f, 1, 0.02);
    CHECK(plate ? p->x[0][0] < 24.0f : true);
    fixture_destroy(f);
}

static void solids_stop_them(void)
{
    shoot(true);
    shoot(false);
}

/* Nothing is forgotten: an open side, and channels that grow. */
static void they_leave_and_age(void)
{
    spate_scene *scene = scene_of_cells(DX, 20, 20, 20);
    scene->domain.sides[0][1] = SPATE_SIDE_OPEN;
    spate_channel *age = spate_scene_add_channel(scene);
    snprintf(age->name, sizeof age->name, "age");
    fixture *f = fixture_create(scene);
    const float x[3] = {18.3f, 8.1f, 8.2f}, y[3] = {3.3f, 8.1f, 8.2f}, v[3] = {1, 0, 0};
    put_particle(f, x, v);
    put_particle(f, y, v);
    run_steps(f, 10, 0.01);
    CHECK(f->s->particles.count == 1 && f->common.removed_open == 1);
    CHECK_NEAR((double)f->s->particles.own[0][0], 0.1, 1e-6);
    CHECK_NEAR((double)f->s->particles.x[0][0], 3.3 + 0.1 / DX, 1e-4);
    fixture_destroy(f);
}

TESTS(flight)
{
    TEST(flying_between_walls);
    TEST(flying_across_periodic_sides);
    TEST(flying_at_a_ball);
    TEST(flying_at_a_ball_and_periodic_sides);
    TEST(water_does_not_fly);
    TEST(parabolas_with_flip);
    TEST(parabolas_with_apic);
    TEST(parabolas_in_small_steps);
    TEST(clouds_of_9_and_16_fall);
    TEST(clouds_of_27_and_64_fall);
    TEST(solids_stop_them);
    TEST(they_leave_and_age);
}
