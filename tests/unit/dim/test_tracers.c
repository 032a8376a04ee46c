/* test_tracers.c -- points that the fluid carries: where they come, how they move, what they know
 * and why they go. */
#include "fixture.h"

#include "kernels/midway.h"
#include "kernels/tracers.h"

static const X(set) *tracers_of(const fixture *f)
{
    return X(set_of)(f->s, SET_TRACERS);
}

static int64_t booked(const fixture *f, int count)
{
    return tracers_of(f)->ledger.counts[0][count];
}

static bool step(fixture *f, double dt)
{
    spate_error error = {.status = SPATE_OK};
    CHECK(X(step)(f->s, dt, &error) == SPATE_OK);
    f->common.inside += dt;
    return error.status == SPATE_OK;
}

/* A column of water that falls onto a ball, in a tank of 24 x 24 (x 12) cells. */
static spate_scene *splash(double dx)
{
    spate_scene *scene = scene_of_cells(dx, 24, 24, 12);
    scene->gravity[1] = -9.81;
    add_box(scene, SPATE_LIST_FILL, (double[]){0, 0, 0}, (double[]){9, 18, 12});
    add_ball(scene, SPATE_LIST_SOLIDS, (double[]){15, 3.3, 6}, 3.4);
    return scene;
}

/* ---- motion */

/* Tracers at the places of all particles, with their ids. */
static void copy_fluid(fixture *f)
{
    spate_error error;
    X(set) *set = X(set_of)(f->s, SET_TRACERS);
    const X(particles) *from = &f->s->particles;
    uint32_t first, id, more = from->count - set->particles->count;
    if (more > 0) {
        CHECK(X(set_grow)(set, more, &first, &id, &error) == SPATE_OK);
        set->ledger.counts[0][TRACER_EMITTED] += more;
    }
    X(traces) t = X(traces_of)(set->particles);
    for (uint32_t k = 0; k < from->count; k++) {
        FOR_DIM(d) {
            t.x[d][k] = from->x[d][k];
            t.v[d][k] = from->v[d][k];
        }
        t.id[k] = from->id[0][k];
        t.path[k] = t.age[k] = 0.0f;
        t.source[k] = 0;
    }
    set->particles->sorted = false;
}

/* A step of the fluid, with a tracer on each of its particles: how many of those that were no spray
 * end at another place than their particle. */
static uint32_t count_strays(fixture *f, double dt, uint32_t *number)
{
    X(sim) *s = f->s;
    const X(particles) *fluid = &s->particles;
    uint32_t strays = 0, count = fluid->count;
    float *place = malloc((size_t)DIM * count * sizeof *place);
    bool *spray = calloc(count, sizeof *spray);
    copy_fluid(f);
    run_stage(f, SP_STAGE_SORT, dt);
    for (uint32_t k = s->tiles.first_flying; k < count; k++)
        spray[fluid->id[0][k]] = true;
    step(f, dt);
    for (uint32_t k = 0; k < fluid->count; k++)
        FOR_DIM(d)
            place[DIM * fluid->id[0][k] + (uint32_t)d] = fluid->x[d][k];
    X(traces) t = X(traces_of)(tracers_of(f)->particles);
    for (uint32_t k = 0; k < tracers_of(f)->particles->count; k++) {
        bool same = true;
        FOR_DIM(d)
            same = same && t.x[d][k] == place[DIM * t.id[k] + (uint32_t)d];
        *number += !spray[t.id[k]];
        strays += !spray[t.id[k]] && !same;
    }
    free(place);
    free(spray);
    return strays;
}

static void they_go_as_particles_do(void)
{
    for (int apart = 0; apart < 2; apart++) {
        spate_scene *scene = splash(0.1);
        uint32_t number = 0, strays = 0;
        add_box(scene, SPATE_LIST_TRACERS, (double[]){20, 20, 6}, (double[]){20.4, 20.4, 6.4});
        scene->volume.method = SPATE_VOLUME_DENSITY;
        fixture *f = fixture_create(scene);
        f->common.substeps = apart; /* 1: G2P and ADVECT are one */
        for (int k = 0; k < (DIM == 3 ? 15 : 30); k++)
            strays += count_strays(f, 0.02, &number);
        CHECK(number > 8000);
        CHECK(strays == 0);
        CHECK(tracers_of(f)->particles->count == f->s->particles.count);
        fixture_destroy(f);
    }
}

/* A gas with the velocity that `at` says, in cells per second. */
static void set_flow(fixture *f, double (*at)(const double x[3], int d))
{
    X(sim) *s = f->s;
    const X(fields) fields = X(fields_of)(s);
    float *const *flow = X(flow_of)(&fields);
    run_stage(f, SP_STAGE_SORT, 0);
    s->reach = 5;
    for (size_t c = 0; c < s->grid.size; c++) {
        int cell[DIM];
        X(coordinates)(&s->grid, c, cell);
        FOR_DIM(d) {
            double x[3] = {0, 0, 0};
            FOR_DIM(a)
                x[a] = cell[a] + (a == d ? 0 : 0.5);
            flow[d][c] = (float)(at(x, d) * s->grid.dx);
        }
    }
}

static double turning(const double x[3], int d)
{
    return d == 0 ? 48 - x[1] : d == 1 ? x[0] - 48 : 0;
}

static void they_come_back_after_ten_turns(void)
{
    const double pi = 3.14159265358979323846;
    spate_scene *scene = scene_of_cells(0.25, 96, 96, 3);
    scene->fluid.kind = SPATE_FLUID_GAS;
    spate_shape *line =
        add_box(scene, SPATE_LIST_TRACERS, (double[]){85, 48, 1}, (double[]){88.5, 48.4, 1.4});
    line->spacing = 0.4 * 0.25;
    fixture *f = fixture_create(scene);
    const X(particles) *p = tracers_of(f)->particles;
    uint32_t count = p->count;
    float(*start)[DIM] = malloc(count * sizeof *start);
    CHECK(count >= 8);
    for (uint32_t k = 0; k < count; k++)
        FOR_DIM(d)
            start[p->id[0][k]][d] = p->x[d][k];
    set_flow(f, turning);
    int steps = (int)(20 * pi * 40 / 2); /* two cells a step, 40 from the middle */
    double far = 0, path = 0;
    for (int k = 0; k < steps; k++) {
        run_stage(f, SP_STAGE_TRACERS, 20 * pi / steps);
        f->common.inside += 20 * pi / steps;
    }
    CHECK(p->count == count);
    X(traces) t = X(traces_of)(p);
    for (uint32_t k = 0; k < p->count; k++) {
        double square = 0, radius = 0;
        FOR_DIM(d) {
            double way = (double)t.x[d][k] - (double)start[t.id[k]][d];
            square += way * way;
        }
        for (int d = 0; d < 2; d++)
            radius += pow((double)start[t.id[k]][d] - 48, 2);
        far = fmax(far, sqrt(square));
        path = fmax(path, fabs((double)t.path[k] / (20 * pi * 0.25 * sqrt(radius)) - 1));
    }
    printf("  %dD: back after ten turns within %.4f cells; path off by %.1e\n", DIM, far, path);
    CHECK_LESS(far, 0.02);
    CHECK_LESS(path, 4e-4); /* chords are shorter than arcs, and the radius shrinks */
    free(start);
    fixture_destroy(f);
}

static double steady(const double x[3], int d)
{
    (void)x;
    return d == 0 ? 30 : 0;
}

static void their_path_is_exact_in_a_stream(void)
{
    spate_scene *scene = scene_of_cells(0.1, 32, 8, 8);
    scene->fluid.kind = SPATE_FLUID_GAS;
    make_periodic(scene);
    add_box(scene, SPATE_LIST_TRACERS, (double[]){1, 1, 1}, (double[]){6, 3, 3});
    fixture *f = fixture_create(scene);
    const X(particles) *p = tracers_of(f)->particles;
    double worst = 0, age = 0;
    set_flow(f, steady);
    for (int k = 0; k < 10000; k++) {
        run_stage(f, SP_STAGE_TRACERS, 0.01);
        f->common.inside += 0.01;
    }
    X(traces) t = X(traces_of)(p);
    for (uint32_t k = 0; k < p->count; k++) {
        worst = fmax(worst, fabs((double)t.path[k] / 300 - 1));
        age = fmax(age, fabs((double)t.age[k] / 100 - 1));
        CHECK_NEAR(t.v[0][k], 3.0f, 1e-3f);
    }
    printf("  %dD: path off by %.1e, age by %.1e\n", DIM, worst, age);
    CHECK(p->count > 0);
    CHECK_LESS(worst, 1e-4);
    CHECK_LESS(age, 1e-4);
    fixture_destroy(f);
}

static void they_fall_where_no_liquid_is(void)
{
    spate_scene *scene = scene_of_cells(0.1, 16, 32, 16);
    scene->gravity[1] = -9.81;
    add_box(scene, SPATE_LIST_FILL, (double[]){0, 0, 0}, (double[]){16, 4, 16});
    add_box(scene, SPATE_LIST_TRACERS, (double[]){7, 28, 7}, (double[]){8, 29, 8});
    fixture *f = fixture_create(scene);
    const X(particles) *p = tracers_of(f)->particles;
    double start = 0, middle = 0;
    for (uint32_t k = 0; k < p->count; k++)
        start += (double)p->x[1][k] / p->count;
    for (int k = 0; k < 50; k++)
        step(f, 0.01);
    for (uint32_t k = 0; k < p->count; k++)
        middle += (double)p->x[1][k] / p->count;
    CHECK(p->count == 1u << DIM);
    CHECK_NEAR(0.1 * (start - middle), 0.5 * 9.81 * 0.25, 0.03);
    for (int k = 0; k < 100; k++) /* they rest on the water then */
        step(f, 0.01);
    for (uint32_t k = 0; k < p->count; k++)
        CHECK(p->x[1][k] > 3.0f && p->x[1][k] < 5.0f);
    fixture_destroy(f);
}

/* ---- coming and going */

static void a_shape_is_filled_once(void)
{
    spate_scene *scene = scene_of_cells(0.1, 16, 16, 16);
    add_box(scene, SPATE_LIST_FILL, (double[]){0, 0, 0}, (double[]){16, 16, 16});
    add_box(scene, SPATE_LIST_TRACERS, (double[]){2, 2, 2}, (double[]){6, 6, 6})->spacing = 0.1;
    spate_shape *late =
        add_box(scene, SPATE_LIST_TRACERS, (double[]){8, 8, 8}, (double[]){10, 10, 10});
    late->start = 0.025;
    late->life = 0.05;
    fixture *f = fixture_create(scene);
    uint32_t some = DIM == 3 ? 64 : 16, more = DIM == 3 ? 64 : 16;
    CHECK(tracers_of(f)->particles->count == some);
    for (int k = 0; k < 12; k++) {
        step(f, 0.01);
        CHECK(tracers_of(f)->particles->count == some + (k >= 2 && k < 7 ? more : 0));
        CHECK(X(set_adds_up)(f->s, tracers_of(f)));
    }
    CHECK(booked(f, TRACER_EMITTED) == some + more && booked(f, TRACER_AGED) == more);
    fixture_destroy(f);
}

static void a_shape_is_filled_again_and_again(void)
{
    spate_scene *scene = scene_of_cells(0.1, 16, 8, 8);
    scene->domain.sides[0][1] = SPATE_SIDE_OPEN;
    scene->fluid.kind = SPATE_FLUID_GAS;
    add_box(scene, SPATE_LIST_INFLOWS, (double[]){0, 0, 0}, (double[]){2, 8, 8})->velocity[0] = 2;
    spate_shape *rake =
        add_box(scene, SPATE_LIST_TRACERS, (double[]){4, 2, 2}, (double[]){4.5, 6, 6});
    rake->rate = 40;
    rake->until = 1;
    fixture *f = fixture_create(scene);
    CHECK(tracers_of(f)->particles->count == 0);
    for (int k = 0; k < 160; k++)
        step(f, 0.02 / (1 + k % 3)); /* some 2 s in steps of different lengths */
    uint32_t points = DIM == 3 ? 64 : 8;
    CHECK(booked(f, TRACER_EMITTED) == 40 * points);
    CHECK(booked(f, TRACER_OPEN) > 20 * points && booked(f, TRACER_CRUSHED) == 0);
    CHECK(X(set_adds_up)(f->s, tracers_of(f)));
    fixture_destroy(f);
}

static void they_end_in_outflows(void)
{
    spate_scene *scene = scene_of_cells(0.1, 16, 16, 16);
    scene->fluid.kind = SPATE_FLUID_GAS;
    scene->domain.sides[0][1] = SPATE_SIDE_OPEN;
    add_box(scene, SPATE_LIST_INFLOWS, (double[]){0, 0, 0}, (double[]){2, 16, 16})->velocity[0] = 2;
    add_box(scene, SPATE_LIST_OUTFLOWS, (double[]){10, 0, 0}, (double[]){16, 16, 16});
    add_box(scene, SPATE_LIST_TRACERS, (double[]){4, 4, 4}, (double[]){6, 6, 6});
    fixture *f = fixture_create(scene);
    uint32_t count = tracers_of(f)->particles->count;
    for (int k = 0; k < 50; k++)
        step(f, 0.02);
    CHECK(count > 0 && tracers_of(f)->particles->count == 0);
    CHECK(booked(f, TRACER_OUTFLOW) == count);
    fixture_destroy(f);
}

static void none_gets_into_a_solid(void)
{
    spate_scene *scene = splash(0.1);
    add_ball(scene, SPATE_LIST_SOLIDS, (double[]){5, 23, 6}, 3)->velocity[1] = -2.5;
    add_box(scene, SPATE_LIST_TRACERS, (double[]){0, 0, 0}, (double[]){24, 24, 12})->rate = 3;
    fixture *f = fixture_create(scene);
    uint32_t most = 0;
    for (int k = 0; k < (DIM == 3 ? 12 : 60); k++) { /* of some 0.2 and 0.9 s */
        const X(particles) *p = tracers_of(f)->particles;
        step(f, 0.015);
        for (uint32_t n = 0; n < p->count; n++) {
            double world[3] = {0, 0, 0};
            FOR_DIM(d)
                world[d] = (double)p->x[d][n] * 0.1;
            CHECK(sp_bodies_distance(&f->s->solids, world, NULL, NULL) > 0);
        }
        most = p->count > most ? p->count : most;
        CHECK(X(set_adds_up)(f->s, tracers_of(f)));
    }
    CHECK(most > 1000);
    fixture_destroy(f);
}

/* ---- what they know */

static void they_read_the_channels_of_the_grid(void)
{
    spate_scene *scene = scene_of_cells(0.1, 16, 16, 16);
    scene->fluid.kind = SPATE_FLUID_GAS;
    add_box(scene, SPATE_LIST_FILL, (double[]){0, 0, 0}, (double[]){8, 16, 16})->smoke = 0.5;
    add_box(scene, SPATE_LIST_TRACERS, (double[]){2, 2, 2}, (double[]){14, 14, 14});
    fixture *f = fixture_create(scene);
    step(f, 0.01);
    const X(set) *set = tracers_of(f);
    X(traces) t = X(traces_of)(set->particles);
    CHECK_TEXT(set->columns[set->column_count - 1].name, "smoke");
    for (uint32_t k = 0; k < set->particles->count; k++)
        if (fabsf(t.x[0][k] - 8) > 2.1f)
            CHECK_NEAR(t.channels[0][k], t.x[0][k] < 8 ? 0.5f : 0.0f, 1e-5f);
    fixture_destroy(f);
}

static void fluid_does_not_feel_them(void)
{
    uint64_t hashes[2];
    for (int with = 0; with < 2; with++) {
        spate_scene *scene = splash(0.1);
        if (with)
            add_box(scene, SPATE_LIST_TRACERS, (double[]){0, 0, 0}, (double[]){9, 18, 12});
        fixture *f = fixture_create(scene);
        for (int k = 0; k < 25; k++)
            step(f, 0.02);
        hashes[with] = X(hash)(&f->s->particles, f->common.pool);
        CHECK(!with || tracers_of(f)->particles->count > 100);
        fixture_destroy(f);
    }
    CHECK(hashes[0] == hashes[1]);
}

TESTS(tracers)
{
    TEST(they_go_as_particles_do);
    TEST(they_come_back_after_ten_turns);
    TEST(their_path_is_exact_in_a_stream);
    TEST(they_fall_where_no_liquid_is);
    TEST(a_shape_is_filled_once);
    TEST(a_shape_is_filled_again_and_again);
    TEST(they_end_in_outflows);
    TEST(none_gets_into_a_solid);
    TEST(they_read_the_channels_of_the_grid);
    TEST(fluid_does_not_feel_them);
}
