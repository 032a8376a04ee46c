/* test_walls.c -- walls that drag (kernels/walls.h): the logarithm, the log law and its inverse on
 * grids that walls cut anywhere, what the wall takes and the liquid loses, walls that hold the
 * liquid, walls that move. */
#include "fixture.h"

#include "kernels/forces.h"
#include "kernels/mixing.h"

#define DX 0.05
#define LENGTH 12 /* cells along the flow, periodic */
#define DEEP 8    /* cells of liquid */

/* A layer of water on the wall of the domain (floor = 0) or on a solid floor `floor` cells high
 * that moves along x with `speed`. Periodic along x, and z. */
static fixture *layer(double floor, spate_wall wall, double roughness, double speed)
{
    spate_scene *scene = scene_of_cells(DX, LENGTH, DEEP + 8, LENGTH);
    const double low[3] = {-1, floor, -1}, high[3] = {LENGTH + 1, floor + DEEP, LENGTH + 1},
                 below[3] = {-50, -5, -50}, top[3] = {80, floor, 80};
    for (int d = 0; d < DIM; d += 2)
        scene->domain.sides[d][0] = scene->domain.sides[d][1] = SPATE_SIDE_PERIODIC;
    scene->fluid.jitter = 0;
    scene->fluid.flip_ratio = 1; /* the share of PIC moves momentum along the walls by itself */
    add_box(scene, SPATE_LIST_FILL, low, high);
    if (floor > 0) {
        spate_shape *box = add_box(scene, SPATE_LIST_SOLIDS, below, top);
        box->wall = wall;
        box->roughness = roughness;
        box->velocity[0] = speed;
    } else {
        scene->domain.wall[1][0] = wall;
        scene->domain.roughness[1][0] = roughness;
    }
    return fixture_create(scene);
}

/* SORT to SURFACE, and u along x set to what `profile` says of the height over the floor, in
 * cells. */
typedef double profile_fn(double z, int i, const void *user);
static bool set_profile(fixture *f, double floor, double dt, profile_fn *profile, const void *user)
{
    if (!run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, dt))
        return false;
    f->common.inside += dt; /* solids that move do so the next time, too */
    int c[DIM] = {0};
    do {
        size_t at = X(index)(&f->s->grid, c);
        f->s->u[0][at] = (float)profile(c[1] + 0.5 - floor, c[0], user);
        for (int d = 1; d < DIM; d++)
            f->s->u[d][at] = 0;
    } while (next_cell(c, f->s->grid.n));
    return true;
}

/* Momentum along x of the faces, per cell of floor, in units of a full cell; `volume` is that of
 * the last FORCES. */
static double momentum(const fixture *f)
{
    double sum = 0, columns = 1;
    int c[DIM] = {0};
    do {
        size_t at = X(index)(&f->s->grid, c);
        sum += (double)f->s->volume[0][at] * f->s->u[0][at];
    } while (next_cell(c, f->s->grid.n));
    FOR_DIM(d)
        columns *= d == 1 ? 1 : LENGTH;
    return sum / columns;
}

/* ---- the law */

static void the_logarithm_is_right(void)
{
    test_random_state = 3;
    for (int k = 0; k < 20000; k++) {
        double x = pow(10, random_in(-20, 20));
        CHECK_NEAR(sp_ln(x), log(x), 4e-16 * fabs(log(x)) + 4e-16);
    }
    CHECK(sp_ln(1) == 0);
    CHECK_NEAR(sp_ln(1 + 1e-9), log(1 + 1e-9), 1e-20);
}

/* L by sums, over the part of the cell before the wall. */
static void means_of_the_logarithm(void)
{
    for (double z = -0.3; z < 4; z += 0.17) {
        double low = z > 0.6 ? z - 0.5 : 0, sum = 0;
        for (int k = 0; k < 100000; k++)
            sum += log(low + (z + 0.5 - low) * (k + 0.5) / 100000);
        CHECK_NEAR(sp_mean_ln(z), sum / 100000, 1e-4);
    }
    CHECK_NEAR(sp_mixing_height(7.9), 7.9, 0.03);
    CHECK_NEAR(sp_layer_share(0.5, 1) + sp_layer_share(1.5, 1), 1, 1e-12);
    CHECK_NEAR(0.7 * sp_layer_share(0.2, 0.7) + sp_layer_share(1.2, 1), 1, 1e-12);
}

typedef struct law {
    double u_star, roughness; /* m/s; cells */
    double speed;             /* of the wall, m/s */
} law;

static double log_profile(double z, int i, const void *user)
{
    const law *l = user;
    (void)i;
    return z < -0.5 ? 0
                    : l->speed + l->u_star / SP_KARMAN * (sp_mean_ln(z) + log(30 / l->roughness));
}

/* In the flow of the log law the wall finds u* again, and takes u*^2 from the liquid, wherever it
 * cuts the grid. */
static void the_wall_takes_what_the_liquid_loses(void)
{
    for (double floor = 0; floor<4; floor += floor> 0 ? 0.25 : 2)
        for (int k = 0; k < 2; k++) {
            law l = {.u_star = 0.1, .roughness = k ? 0.02 : 2, .speed = floor > 0 ? -0.7 * k : 0};
            double dt = 1e-3;
            fixture *f = layer(floor, SPATE_WALL_ROUGH, l.roughness * DX, l.speed);
            if (!f || !set_profile(f, floor, dt, log_profile, &l))
                return;
            run_stage(f, SP_STAGE_FORCES, dt); /* for the volumes */
            set_profile(f, floor, dt, log_profile, &l);
            double before = momentum(f);
            run_stage(f, SP_STAGE_FORCES, dt);
            double lost = (before - momentum(f)) * DX / dt, full = 0;
            CHECK_NEAR(lost / (l.u_star * l.u_star), 1, 0.01);
            int c[DIM] = {0};
            for (; c[1] < f->s->grid.n[1]; c[1]++)
                full += f->s->volume[0][X(index)(&f->s->grid, c)];
            CHECK_NEAR(full, DEEP, 1e-3); /* all the liquid is in it */
            if (test_failures)
                printf("  with the floor at %g, roughness %g\n", floor, l.roughness);
            fixture_destroy(f);
        }
}

/* The same of the particles, over a whole step. */
static void particles_lose_it_too(void)
{
    for (double floor = 0; floor<4; floor += floor> 0 ? 0.25 : 2) {
        law l = {.u_star = 0.1, .roughness = 0.2};
        double dt = 1e-3, before = 0, after = 0, rest = pow(2, DIM), columns = pow(LENGTH, DIM - 1);
        fixture *f = layer(floor, SPATE_WALL_ROUGH, l.roughness * DX, 0);
        if (!f)
            return;
        for (uint32_t k = 0; k < f->s->particles.count; k++) {
            double z = (double)f->s->particles.x[1][k] - floor;
            f->s->particles.v[0][k] = (float)(l.u_star / SP_KARMAN * log(30 * z / l.roughness));
        }
        before = sum_velocity(f, 0, false);
        run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, dt);
        run_stage(f, SP_STAGE_FORCES, 1e-9);
        double grid = momentum(f);
        run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, dt);
        run_stage(f, SP_STAGE_FORCES, dt);
        grid -= momentum(f);
        run_stages(f, SP_STAGE_PRESSURE, SP_STAGE_EMIT, dt);
        after = sum_velocity(f, 0, false);
        double lost = (before - after) / rest / columns;
        CHECK_NEAR(lost / grid, 1, 0.05);
        fixture_destroy(f);
    }
}

static double noise_above(double z, int i, const void *user)
{
    (void)user;
    return z < 3 ? 0 : sin(1.7 * i * i + 3.1 * z);
}

/* At rest at the wall, in turmoil above: nothing is lost, and the turmoil calms down. */
static void mixing_keeps_momentum(void)
{
    for (double floor = 0; floor<3; floor += floor> 0 ? 0.25 : 2) {
        fixture *f = layer(floor, SPATE_WALL_ROUGH, 0.1 * DX, 0);
        if (!f || !set_profile(f, floor, 0.05, noise_above, NULL))
            return;
        run_stage(f, SP_STAGE_FORCES, 0.05);
        set_profile(f, floor, 0.05, noise_above, NULL);
        double before = momentum(f), most = 0;
        run_stage(f, SP_STAGE_FORCES, 0.05);
        CHECK_NEAR(momentum(f), before, 2e-6);
        int c[DIM] = {0};
        do {
            size_t at = X(index)(&f->s->grid, c);
            most = f->s->volume[0][at] > 0 ? fmax(most, fabs((double)f->s->u[0][at])) : most;
        } while (next_cell(c, f->s->grid.n));
        CHECK_LESS(most, 0.9);
        fixture_destroy(f);
    }
}

/* ---- where the liquid is mixed */

/* A block of water that falls and slides through the air, and walls that it does not reach: a side
 * below it, a ball beside it. */
static fixture *block_in_air(spate_wall wall)
{
    spate_scene *scene = scene_of_cells(DX, 24, 24, 16);
    const double low[3] = {4, 10, 4}, high[3] = {12, 18, 12}, ball[3] = {19, 14, 8};
    scene->gravity[1] = -10;
    spate_shape *water = add_box(scene, SPATE_LIST_FILL, low, high);
    water->velocity[1] = 1;
    water->initial.kind = SPATE_INITIAL_ROTATION;
    FOR_DIM(d)
        water->initial.center[d] = 0.5 * DX * (low[d] + high[d]);
    water->initial.spin[2] = 4;
    spate_shape *solid = add_ball(scene, SPATE_LIST_SOLIDS, ball, 3);
    solid->wall = scene->domain.wall[1][0] = scene->domain.wall[0][0] = wall;
    solid->roughness = scene->domain.roughness[1][0] = scene->domain.roughness[0][0] =
        wall == SPATE_WALL_ROUGH ? 0.2 * DX : 0;
    return fixture_create(scene);
}

static void walls_that_are_not_reached_change_nothing(void)
{
    const spate_wall walls[3] = {SPATE_WALL_SLIP, SPATE_WALL_ROUGH, SPATE_WALL_NO_SLIP};
    uint64_t hash[3] = {0};
    for (int k = 0; k < 3; k++) {
        fixture *f = block_in_air(walls[k]);
        if (!f)
            return;
        run_steps(f, 20, 0.005);
        hash[k] = hash_of(f);
        fixture_destroy(f);
    }
    CHECK(hash[1] == hash[0] && hash[2] == hash[0]);
}

/* Water over a shelf that slips, with a rough floor under the shelf. */
static void solids_are_in_between(void)
{
    uint64_t hash[2] = {0};
    for (int k = 0; k < 2; k++) {
        spate_scene *scene = scene_of_cells(DX, 16, 16, 8);
        const double low[3] = {-1, 4, -1}, high[3] = {17, 6, 17}, top[3] = {17, 12, 17};
        scene->gravity[1] = -10;
        add_box(scene, SPATE_LIST_SOLIDS, low, high);
        scene->domain.wall[1][0] = k ? SPATE_WALL_ROUGH : SPATE_WALL_SLIP;
        scene->domain.roughness[1][0] = k ? 0.2 * DX : 0;
        const double over[3] = {-1, 6, -1};
        add_box(scene, SPATE_LIST_FILL, over, top);
        fixture *f = fixture_create(scene);
        if (!f)
            return;
        test_random_state = 7;
        shake(f, 0.5);
        run_steps(f, 10, 0.005);
        hash[k] = hash_of(f);
        fixture_destroy(f);
    }
    CHECK(hash[0] == hash[1]);
}

/* Water turns around a rough pole: out of its layer, faces keep their bits. */
static void a_solid_acts_within_its_layer(void)
{
    spate_scene *scene = scene_of_cells(DX, 48, 48, 8);
    const double low[3] = {-1, -1, -1}, high[3] = {49, 49, 49}, from[3] = {24, 24, -2},
                 to[3] = {24, 24, 10};
    const double radius = 5;
    add_box(scene, SPATE_LIST_FILL, low, high);
    spate_shape *pole = add_ball(scene, SPATE_LIST_SOLIDS, from, radius);
    if (DIM == 3) {
        pole->shape = SPATE_SHAPE_CYLINDER;
        FOR_DIM(d) {
            pole->from[d] = DX * from[d];
            pole->to[d] = DX * to[d];
        }
    }
    pole->wall = SPATE_WALL_ROUGH;
    pole->roughness = 0.2 * DX;
    fixture *f = fixture_create(scene);
    if (!f)
        return;
    CHECK_NEAR(f->s->solids.items[0].extent, 2 * radius * DX, 1e-12);
    run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, 0.01);
    int c[DIM] = {0}, changed = 0, beyond = 0;
    do {
        size_t at = X(index)(&f->s->grid, c);
        f->s->u[0][at] = (float)sin(1.7 * c[1] * c[1] + 3.1 * c[0]);
        for (int d = 1; d < DIM; d++)
            f->s->u[d][at] = 0;
    } while (next_cell(c, f->s->grid.n));
    run_stage(f, SP_STAGE_FORCES, 0.01);
    do {
        float was = (float)sin(1.7 * c[1] * c[1] + 3.1 * c[0]);
        double away = hypot(c[0] - 24.0, c[1] + 0.5 - 24.0) - radius;
        bool same = f->s->u[0][X(index)(&f->s->grid, c)] == was;
        if (c[0] == 0 || away < 1.5)
            continue;
        changed += away < SP_LEAST_LAYER - 1 && !same;
        beyond += away > SP_LEAST_LAYER + 1.5 && !same;
    } while (next_cell(c, f->s->grid.n));
    CHECK(changed > 0);
    CHECK(beyond == 0);
    fixture_destroy(f);
}

static void poison(float *field, const X(grid) *g)
{
    int c[DIM] = {0};
    do
        field[X(index)(g, c)] = (float)random_in(0.5, 3);
    while (next_cell(c, g->n));
}

/* A rough ball moves through water. What the arrays of the walls hold from the step before does not
 * matter, also where tiles are passed over. */
static void nothing_is_stale(void)
{
    uint64_t hash[2] = {0};
    for (int k = 0; k < 2; k++) {
        spate_scene *scene = scene_of_cells(DX, 64, 48, DIM == 3 ? 16 : 0);
        const double low[3] = {-1, -1, -1}, high[3] = {65, 40, 17}, from[3] = {12, 20, 8};
        scene->gravity[1] = -10;
        scene->fluid.particles_per_axis = 2;
        add_box(scene, SPATE_LIST_FILL, low, high);
        spate_shape *ball = add_ball(scene, SPATE_LIST_SOLIDS, from, 4);
        ball->wall = SPATE_WALL_ROUGH;
        ball->roughness = 0.2 * DX;
        ball->velocity[0] = 40 * DX;
        fixture *f = fixture_create(scene);
        if (!f)
            return;
        for (int step = 0; step < (DIM == 3 ? 5 : 12); step++) {
            run_steps(f, 1, 0.02);
            FOR_DIM(d) {
                float *const fields[] = {f->s->volume[d], f->s->mixing[d], f->s->cell_mixing,
                                         f->s->wall_distance, f->s->depth};
                for (int j = 0; j < 5 && k > 0; j++)
                    poison(fields[j], &f->s->grid);
            }
        }
        hash[k] = hash_of(f);
        fixture_destroy(f);
    }
    CHECK(hash[0] == hash[1]);
}

static double stretching(double z, int i, const void *user)
{
    (void)z, (void)user;
    return 0.3 * i;
}

/* A flow that only stretches, as under a wave: no mixing. */
static void strain_alone_mixes_nothing(void)
{
    fixture *f = layer(0, SPATE_WALL_ROUGH, 0.1 * DX, 0);
    if (!f || !set_profile(f, 0, 0.05, stretching, NULL))
        return;
    int c[DIM] = {0}, off = 0, seen = 0;
    do
        f->s->u[1][X(index)(&f->s->grid, c)] = -0.3f * (float)c[1];
    while (next_cell(c, f->s->grid.n));
    run_stage(f, SP_STAGE_FORCES, 0.05);
    do {
        float was = (float)(0.3 * c[0]);
        if (c[0] < 3 || c[0] > LENGTH - 3 || c[1] < 3 || c[1] > DEEP - 2)
            continue;
        seen++;
        off += fabsf(f->s->u[0][X(index)(&f->s->grid, c)] - was) > 1e-5f;
    } while (next_cell(c, f->s->grid.n));
    CHECK(seen > 0);
    CHECK(off == 0);
    fixture_destroy(f);
}

/* ---- other walls */

static double shear_profile(double z, int i, const void *user)
{
    (void)i, (void)user;
    return 1 + 0.2 * z;
}

static void walls_that_slip_change_nothing(void)
{
    for (int floor = 0; floor < 5; floor += 2) {
        fixture *f = layer(floor, SPATE_WALL_SLIP, 0, 3);
        if (!f || !set_profile(f, floor, 0.01, shear_profile, NULL))
            return;
        CHECK(f->s->mixed[0] == NULL && f->s->depth == NULL);
        run_stage(f, SP_STAGE_FORCES, 0.01);
        int c[DIM] = {0};
        for (c[1] = floor; c[1] < floor + DEEP; c[1]++)
            CHECK(f->s->u[0][X(index)(&f->s->grid, c)] ==
                  (float)shear_profile(c[1] + 0.5 - floor, 0, NULL));
        fixture_destroy(f);
    }
}

static void no_slip_takes_the_speed_of_the_wall(void)
{
    for (double floor = 0; floor<5; floor += floor> 0 ? 0.5 : 2) {
        double speed = floor > 0 ? 1.5 : 0;
        fixture *f = layer(floor, SPATE_WALL_NO_SLIP, 0, speed);
        if (!f || !set_profile(f, floor, 0.01, shear_profile, NULL))
            return;
        run_stage(f, SP_STAGE_FORCES, 0.01);
        int c[DIM] = {0};
        c[1] = (int)floor;
        CHECK_NEAR(f->s->u[0][X(index)(&f->s->grid, c)], speed, 1e-6);
        fixture_destroy(f);
    }
}

/* Water at rest on a belt: it is dragged along, more by a rougher one. */
static void a_moving_wall_drags(void)
{
    const spate_wall walls[4] = {SPATE_WALL_SLIP, SPATE_WALL_ROUGH, SPATE_WALL_ROUGH,
                                 SPATE_WALL_NO_SLIP};
    const double roughness[4] = {0, 0.01 * DX, DX, 0};
    bool all = DIM == 2 || test_full();
    for (double floor = all ? 2 : 2.4; floor < (all ? 3 : 2.5); floor += 0.4) {
        double last = 0;
        for (int k = 0; k < 4; k++) {
            fixture *f = layer(floor, walls[k], roughness[k], 1.5);
            if (!f)
                return;
            run_steps(f, 20, 0.01);
            double mean = sum_velocity(f, 0, false) / f->s->particles.count;
            if (k == 0)
                CHECK_NEAR(mean, 0, 1e-6);
            else
                CHECK(mean > last * 1.2 + 0.001);
            CHECK_LESS(mean, 1.5);
            last = mean;
            fixture_destroy(f);
        }
    }
}

static void as_many_stages_as_are_stable(void)
{
    CHECK(sp_mix_stages(0) == 1 && sp_mix_stages(2) == 1 && sp_mix_stages(2.1) == 3);
    CHECK(sp_mix_stages(12.5) == 5 && sp_mix_stages(1e9) == SP_MIX_STAGES);
}

TESTS(walls)
{
    TEST(the_logarithm_is_right);
    TEST(means_of_the_logarithm);
    TEST(the_wall_takes_what_the_liquid_loses);
    TEST(particles_lose_it_too);
    TEST(mixing_keeps_momentum);
    TEST(walls_that_are_not_reached_change_nothing);
    TEST(solids_are_in_between);
    TEST(a_solid_acts_within_its_layer);
    TEST(strain_alone_mixes_nothing);
    TEST(nothing_is_stale);
    TEST(walls_that_slip_change_nothing);
    TEST(no_slip_takes_the_speed_of_the_wall);
    TEST(a_moving_wall_drags);
    TEST(as_many_stages_as_are_stable);
}
