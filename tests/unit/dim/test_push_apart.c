/* test_push_apart.c -- pairs that are too close: where they go, what they leave alone, and what a
 * crowd becomes. Lengths in cells; D = 0.9 / n. */
#include "fixture.h"

#define DX 0.07
#define D 0.45f /* of the default, 2 particles per axis */

static spate_scene *box_of(int n)
{
    spate_scene *scene = scene_of_cells(DX, n, n, n);
    scene->volume.method = SPATE_VOLUME_PUSH;
    return scene;
}

static fixture *empty_box(int n)
{
    return fixture_create(box_of(n));
}

static fixture *full_of_water(int n, double jitter)
{
    const double low[3] = {0, 0, 0}, high[3] = {n, n / 2.0, n};
    spate_scene *scene = box_of(n);
    scene->fluid.jitter = jitter;
    add_box(scene, SPATE_LIST_FILL, low, high);
    return fixture_create(scene);
}

static void push(fixture *f, int times)
{
    float rest = f->s->rest;
    for (int k = 0; k < times; k++) {
        f->s->rest = 1.0f; /* cells are full with one: nobody flies */
        run_stage(f, SP_STAGE_SORT, 0.01);
        f->s->rest = rest;
        run_stage(f, SP_STAGE_SEPARATE, 0.01);
    }
}

/* Two particles at `x` and x + way; in the order of their ids again afterwards. */
static fixture *pair_in(fixture *f, const float x[3], const float way[3])
{
    const float rest[DIM] = {0};
    float other[3];
    for (int d = 0; d < 3; d++)
        other[d] = x[d] + way[d];
    put_particle(f, x, rest);
    put_particle(f, other, rest);
    return f;
}

static double place(const fixture *f, uint32_t id, int d)
{
    for (uint32_t k = 0; k < f->s->particles.count; k++)
        if (f->s->particles.id[0][k] == id)
            return (double)f->s->particles.x[d][k];
    return NAN;
}

static double pair_distance(const fixture *f)
{
    double sum = 0;
    FOR_DIM(d)
        sum += pow(place(f, 1, d) - place(f, 0, d), 2);
    return sqrt(sum);
}

/* The smallest distance of any two, by looking at all pairs. */
static double nearest(const fixture *f)
{
    const X(particles) *p = &f->s->particles;
    double best = 1e30;
    for (uint32_t a = 0; a < p->count; a++)
        for (uint32_t b = a + 1; b < p->count; b++) {
            double sum = 0;
            FOR_DIM(d)
                sum += pow((double)p->x[d][a] - (double)p->x[d][b], 2);
            best = sum < best ? sum : best;
        }
    return sqrt(best);
}

static void check_inside(const fixture *f)
{
    const X(particles) *p = &f->s->particles;
    int outside = 0;
    for (uint32_t k = 0; k < p->count; k++)
        FOR_DIM(d)
            outside += !(p->x[d][k] >= 0.9f * CLEARANCE &&
                         p->x[d][k] <= (float)f->s->grid.n[d] - 0.9f * CLEARANCE);
    CHECK(outside == 0);
}

static void a_pair_goes_to_its_distance(void)
{
    /* inside a cell, across cells, and from one tile to the next */
    const float at[3][3] = {{3.3f, 4.4f, 3.2f}, {5.9f, 6.95f, 5.9f}, {TILE - 0.1f, 7.9f, 7.95f}};
    const float way[3] = {0.11f, 0.17f, 0.08f};
    for (int k = 0; k < 3; k++) {
        fixture *f = pair_in(empty_box(2 * TILE), at[k], way);
        FOR_DIM(d) {
            f->s->particles.v[d][0] = 3.0f + (float)d;
            f->s->particles.v[d][1] = -2.0f;
        }
        push(f, 1);
        CHECK_NEAR(pair_distance(f), (double)D, 2e-5);
        double stretch = (place(f, 1, 0) - place(f, 0, 0)) / (double)way[0];
        FOR_DIM(d) {
            CHECK_NEAR(place(f, 0, d) + place(f, 1, d), 2.0 * (double)at[k][d] + (double)way[d],
                       1e-5);
            CHECK_NEAR(place(f, 1, d) - place(f, 0, d), stretch * (double)way[d], 1e-4);
            CHECK(sum_velocity(f, d, false) == 1.0 + d);
        }
        fixture_destroy(f);
    }
}

static void the_distance_follows_the_settings(void)
{
    const float at[3] = {4.8f, 5.3f, 4.1f}, way[3] = {0.05f, 0.02f, 0.03f};
    for (int n = 1; n <= 4; n++) {
        spate_scene *scene = box_of(16);
        scene->fluid.particles_per_axis = n;
        scene->volume.separation = n == 3 ? 0.6 : 0.9;
        fixture *f = pair_in(fixture_create(scene), at, way);
        push(f, 1);
        CHECK_NEAR(pair_distance(f), (n == 3 ? 0.6 : 0.9) / n, 5e-5);
        fixture_destroy(f);
    }
    spate_scene *scene = box_of(16);
    scene->volume.separation = 0;
    fixture *f = pair_in(fixture_create(scene), at, way);
    push(f, 3);
    FOR_DIM(d)
        CHECK(place(f, 0, d) == (double)at[d]);
    fixture_destroy(f);
}

/* Whether two particles that stood at a and b before the first pass may meet in the second, by
 * places in steps of which the distance has less than 32. */
static bool were_near(const double a[DIM], const double b[DIM], double distance)
{
    const double steps = distance > 0.48 ? 32 : 64, reach = steps * distance, side = sqrt(DIM + 3);
    double most = 0, sum = 0;
    FOR_DIM(d) {
        double way = fabs(floor(steps * a[d]) - floor(steps * b[d]));
        most = fmax(most, way);
        sum += way;
    }
    return most <= floor(fmax(1.05 * reach, reach + 1)) &&
           most + sum <= floor(fmax(1.05 * reach * side, reach * side + DIM + 1));
}

/* One pass over all pairs of all particles, in fp64; `start` is where they stood at first. Pairs
 * meet across periodic sides, if they are. */
typedef struct reference {
    uint32_t count;
    double n[DIM], distance;
    bool periodic;
} reference;

static void pass_over_all(const reference *r, const double (*start)[DIM], const double (*from)[DIM],
                          double (*to)[DIM])
{
    double distance = r->distance, touch = r->periodic ? -1e9 : 0.1 * distance;
    for (uint32_t a = 0; a < r->count; a++) {
        double sum[DIM] = {0}, length = 0;
        int pairs = 0;
        for (uint32_t b = 0; b < r->count; b++) {
            double gap = 0, way[DIM], first[DIM];
            int held[2] = {0, 0};
            FOR_DIM(d) {
                double turn =
                    r->periodic ? r->n[d] * round((start[a][d] - start[b][d]) / r->n[d]) : 0;
                way[d] = from[a][d] - from[b][d] - turn;
                first[d] = start[b][d] + turn;
                gap += pow(way[d], 2);
                held[0] |= from[a][d] < touch || from[a][d] > r->n[d] - touch;
                held[1] |= from[b][d] < touch || from[b][d] > r->n[d] - touch;
            }
            gap = sqrt(gap);
            if (b == a || gap >= distance || !were_near(start[a], first, distance))
                continue;
            double share = held[0] == held[1] ? 0.5 : held[1] ? 0.8 : 0.2;
            FOR_DIM(d)
                sum[d] += share * (distance - gap) / gap * way[d];
            pairs += gap < 0.999 * distance;
        }
        double slow = fmax(1, 0.6 * pairs);
        FOR_DIM(d)
            length += pow(sum[d] / slow, 2);
        double cut = fmin(1, 0.5 * distance / fmax(sqrt(length), 1e-9));
        FOR_DIM(d) {
            to[a][d] = from[a][d] + cut * sum[d] / slow;
            if (!r->periodic)
                to[a][d] = fmin(fmax(to[a][d], CLEARANCE), r->n[d] - CLEARANCE);
        }
    }
}

/* Particles at random in a bar over three tiles, `per_cell` in each, none closer than what would be
 * one place. */
static void check_all_pairs(int n_axis, double per_cell, bool periodic)
{
    int cells = 2 * TILE + 3;
    spate_scene *scene = scene_of_cells(DX, cells, 4, 4);
    scene->volume.method = SPATE_VOLUME_PUSH;
    scene->fluid.particles_per_axis = n_axis;
    if (periodic)
        make_periodic(scene);
    fixture *f = fixture_create(scene);
    X(particles) *p = &f->s->particles;
    const double n[3] = {cells, 4, 4};
    const float rest[DIM] = {0};
    for (int k = 0; k < (int)(per_cell * cells * (DIM == 3 ? 16 : 4)); k++) {
        float x[DIM];
        FOR_DIM(d)
            x[d] = (float)random_in(0.01, n[d] - 0.01);
        put_particle(f, x, rest);
    }
    run_stage(f, SP_STAGE_SORT, 0.01);
    typedef const double(*places)[DIM];
    double(*x)[DIM] = calloc(3 * (size_t)p->count, sizeof *x), off = 0;
    double(*between)[DIM] = x + p->count, (*start)[DIM] = between + p->count;
    reference r = {.count = p->count, .distance = 0.9 / n_axis, .periodic = periodic};
    FOR_DIM(d)
        r.n[d] = n[d];
    for (uint32_t k = 0; k < p->count; k++)
        FOR_DIM(d)
            start[k][d] = (double)p->x[d][k];
    pass_over_all(&r, (places)start, (places)start, between);
    pass_over_all(&r, (places)start, (places)between, x);
    run_stage(f, SP_STAGE_SEPARATE, 0.01);
    for (uint32_t k = 0; k < p->count; k++)
        FOR_DIM(d) {
            double gap = fabs(x[k][d] - (double)p->x[d][k]);
            off += (periodic ? fmin(gap, fabs(gap - n[d])) : gap) > 1e-4;
        }
    /* a pair may be at one of the limits but for rounding */
    CHECK_LESS(off, 0.002 * p->count);
    free(x);
    fixture_destroy(f);
}

static void it_is_what_all_pairs_ask_for(void)
{
    for (int periodic = 0; periodic < 2; periodic++) {
        check_all_pairs(1, 1.5, periodic); /* D is most of a cell: rows and cells all around */
        check_all_pairs(2, DIM == 3 ? 6 : 4, periodic);
        check_all_pairs(3, DIM == 3 ? 16 : 9, periodic);
    }
}

/* The lists of tiles overflow: pairs meet piece by piece, and are found again in the second pass.
 * In some cells the runs of candidates are longer than a vector. */
static void more_pairs_than_memory_meet_too(void)
{
    check_all_pairs(2, DIM == 3 ? 19 : 15, false);
    check_all_pairs(1, DIM == 3 ? 14 : 5, true);
}

static void particles_at_one_place_part(void)
{
    const float at[3] = {6.5f, 6.5f, 6.5f}, none[3] = {0, 0, 0};
    double first[DIM] = {0};
    for (int turn = 0; turn < 2; turn++) {
        fixture *f = pair_in(empty_box(16), at, none);
        push(f, 1);
        CHECK_NEAR(pair_distance(f), (double)D, 1e-4);
        FOR_DIM(d) {
            CHECK_NEAR(place(f, 0, d) + place(f, 1, d), 2 * 6.5, 1e-5);
            if (turn == 1)
                CHECK(place(f, 0, d) == first[d]);
            first[d] = place(f, 0, d);
        }
        fixture_destroy(f);
    }
}

static void what_touches_a_wall_gives_way_less(void)
{
    const float at[3] = {6.0f, 0.01f, 6.0f}, way[3] = {0.25f, 0.1f, 0};
    fixture *f = pair_in(empty_box(16), at, way);
    push(f, 1);
    double held = (double)at[0] - place(f, 0, 0),
           free_one = place(f, 1, 0) - (double)(at[0] + way[0]);
    CHECK(held > 0.005 && free_one > 3 * held);
    CHECK(place(f, 0, 1) >= 0.9 * CLEARANCE);
    fixture_destroy(f);
    /* the same at a solid */
    spate_scene *scene = box_of(16);
    const double low[3] = {2, 2, 2}, high[3] = {12, 5, 12};
    add_box(scene, SPATE_LIST_SOLIDS, low, high);
    const float above[3] = {6.0f, 5.01f, 6.0f};
    f = fixture_create(scene);
    X(update_solids)(f->s, 0);
    pair_in(f, above, way);
    push(f, 1);
    held = (double)above[0] - place(f, 0, 0);
    free_one = place(f, 1, 0) - (double)(above[0] + way[0]);
    CHECK(held > 0.005 && free_one > 3 * held);
    CHECK(place(f, 0, 1) >= 5.0);
    fixture_destroy(f);
}

static void pairs_meet_across_periodic_sides(void)
{
    spate_scene *scene = box_of(16);
    make_periodic(scene);
    const float at[3] = {15.9f, 6.5f, 15.95f}, way[3] = {-15.75f, 0.1f, 0};
    fixture *f = pair_in(fixture_create(scene), at, way);
    push(f, 1);
    double gap = place(f, 1, 0) + 16 - place(f, 0, 0);
    CHECK_NEAR(hypot(gap, hypot(place(f, 1, 1) - place(f, 0, 1),
                                DIM == 3 ? place(f, 1, DIM - 1) - place(f, 0, DIM - 1) : 0)),
               (double)D, 1e-4);
    fixture_destroy(f);
}

static void a_lattice_is_not_moved(void)
{
    fixture *f = full_of_water(12, 0);
    run_stage(f, SP_STAGE_SORT, 0.01);
    uint64_t before = hash_of(f);
    push(f, 3);
    CHECK(hash_of(f) == before);
    fixture_destroy(f);
}

/* Jittered water spreads and then stays, and its surface stays flat. */
static void jittered_water_comes_to_rest(void)
{
    fixture *f = full_of_water(12, 0.5);
    push(f, 40);
    CHECK(nearest(f) > 0.95 * (double)D);
    float *before = malloc(f->s->particles.count * sizeof *before);
    double most = 0, top = 0;
    run_stage(f, SP_STAGE_SORT, 0.01);
    memcpy(before, f->s->particles.x[1], f->s->particles.count * sizeof *before);
    run_stage(f, SP_STAGE_SEPARATE, 0.01);
    for (uint32_t k = 0; k < f->s->particles.count; k++) {
        most = fmax(most, fabs((double)(f->s->particles.x[1][k] - before[k])));
        top = fmax(top, (double)f->s->particles.x[1][k]);
    }
    CHECK_LESS(most, 2e-3);
    CHECK_LESS(top, 6.1);
    free(before);
    fixture_destroy(f);
}

/* The closed box of the issue: particles at random at the rest density, with a solid in it. */
static void a_random_box_finds_its_distance(void)
{
    int n = DIM == 3 ? 10 : 20;
    const double center[3] = {5, 5, 5};
    spate_scene *scene = box_of(n);
    add_ball(scene, SPATE_LIST_SOLIDS, center, 2.2);
    fixture *f = fixture_create(scene);
    X(update_solids)(f->s, 0);
    const float rest[DIM] = {0};
    int count = (int)(pow(2.0 * n, DIM) * (1 - (DIM == 3 ? 0.045 : 0.038)));
    while ((int)f->s->particles.count < count) {
        float x[DIM];
        double world[3] = {0, 0, 0};
        FOR_DIM(d) {
            x[d] = (float)random_in(0.01, n - 0.01);
            world[d] = (double)x[d] * DX;
        }
        if (sp_solids_distance(&f->s->solids, world, NULL, NULL) > 0.01 * DX)
            put_particle(f, x, rest);
    }
    push(f, 100);
    CHECK((int)f->s->particles.count == count);
    CHECK(nearest(f) > 0.5 * (double)D);
    check_inside(f);
    spate_stats stats = {0};
    f->s->host->stats(f->s, &stats);
    CHECK(stats.in_solid == 0);
    CHECK_NEAR(stats.min_distance / DX, nearest(f), 1e-6);
    fixture_destroy(f);
}

/* More than the store and any list hold, all at one place and in a corner of the domain. */
static void a_crowd_spreads(void)
{
    fixture *f = empty_box(16);
    const float x[DIM] = {0.2f, 0.2f}, rest[DIM] = {0};
    for (int k = 0; k < (DIM == 3 ? 2600 : 1500); k++)
        put_particle(f, x, rest);
    push(f, DIM == 3 ? 20 : 60);
    check_inside(f);
    double far = 0;
    for (uint32_t k = 0; k < f->s->particles.count; k++)
        far = fmax(far, (double)f->s->particles.x[0][k]);
    CHECK(far > 1.5);
    fixture_destroy(f);
}

static uint64_t hash_with(int threads, bool periodic, double *work)
{
    spate_scene *scene = box_of(2 * TILE + 5);
    const double low[3] = {0, 0, 0}, high[3] = {100, 3.3, 100};
    add_box(scene, SPATE_LIST_FILL, low, high);
    scene->gravity[1] = -9.81;
    if (periodic)
        make_periodic(scene);
    fixture *f = fixture_create_with(scene, threads);
    test_random_state = 7;
    shake(f, 1);
    for (uint32_t k = 0; k < f->s->particles.count; k++)
        FOR_DIM(d)
            f->s->particles.x[d][k] += (float)random_in(0, 0.3);
    spate_stats before = {0}, after = {0};
    f->s->host->stats(f->s, &before);
    push(f, 3);
    f->s->host->stats(f->s, &after);
    uint64_t hash = hash_of(f);
    *work = f->common.separate_energy;
    if (!periodic)
        CHECK_NEAR(after.potential_energy - before.potential_energy, *work,
                   1e-4 * fabs(*work) + 1e-6 * fabs(before.potential_energy));
    fixture_destroy(f);
    return hash;
}

static void the_same_bits_for_any_number_of_threads(void)
{
    for (int periodic = 0; periodic < 2; periodic++) {
        double first, work;
        uint64_t hash = hash_with(1, periodic, &first);
        for (int threads = 2; threads <= 5; threads += 3) {
            CHECK(hash_with(threads, periodic, &work) == hash);
            CHECK(work == first);
        }
    }
}

TESTS(push_apart)
{
    TEST(a_pair_goes_to_its_distance);
    TEST(the_distance_follows_the_settings);
    TEST(it_is_what_all_pairs_ask_for);
    TEST(more_pairs_than_memory_meet_too);
    TEST(particles_at_one_place_part);
    TEST(what_touches_a_wall_gives_way_less);
    TEST(pairs_meet_across_periodic_sides);
    TEST(a_lattice_is_not_moved);
    TEST(jittered_water_comes_to_rest);
    TEST(a_random_box_finds_its_distance);
    TEST(a_crowd_spreads);
    TEST(the_same_bits_for_any_number_of_threads);
}
