/* test_solid_grid.c -- solids on the grid: their signed distance at the nodes, their friction on
 * the faces.
 *
 * Friction f is drag along the wall in the first layer of cells, dv/dt = -k |v| v / dx with k = f /
 * (1 - f), whose exact solution over a step, v / (1 + k |v| dt / dx), does not depend on how the
 * step is cut. */
#include "fixture.h"

#define DX 0.04

/* ---- signed distance */

static double ball_distance(const double x[3], const double center[3], double radius)
{
    double square = 0;
    FOR_DIM(d)
        square += (x[d] - center[d]) * (x[d] - center[d]);
    return sqrt(square) - radius;
}

static double box_distance(const double x[3], const double low[3], const double high[3])
{
    double outside = 0, inside = -1e30;
    FOR_DIM(d) {
        double q = fmax(low[d] - x[d], x[d] - high[d]);
        outside += q > 0 ? q * q : 0;
        inside = fmax(inside, q);
    }
    return outside > 0 ? sqrt(outside) : inside;
}

static const double ball_center[3] = {9.3, 17.6, 10.2}, box_low[3] = {20.4, 2.3, 3.1},
                    box_high[3] = {31.2, 12.7, 16.4};
static const double ball_radius = 5.4;

/* The nearest of a ball (displaced along x) and a box, cells. */
static double exact_distance(const double x[3], double shift)
{
    double center[3] = {ball_center[0] + shift, ball_center[1], ball_center[2]};
    return fmin(ball_distance(x, center, ball_radius), box_distance(x, box_low, box_high));
}

static void check_distance(const fixture *f, double shift)
{
    const X(grid) *g = &f->s->grid;
    int c[DIM] = {0}, nodes[DIM], near = 0, inside = 0;
    double worst = 0;
    bool wrong_sign = false, too_far = false;
    FOR_DIM(d)
        nodes[d] = g->n[d] + 1;
    do {
        double x[3] = {0, 0, 0};
        FOR_DIM(d)
            x[d] = c[d];
        double exact = exact_distance(x, shift), phi = f->s->phi_solid[X(index)(g, c)] / DX;
        inside += exact < 0;
        wrong_sign = wrong_sign || (fabs(exact) > 1e-5 && (exact < 0) != (phi < 0));
        too_far = too_far || (shift == 0 && fabs(phi) > fabs(exact) + 1e-4);
        if (fabs(exact) < 3) {
            near++;
            worst = fmax(worst, fabs(phi - exact));
        }
    } while (next_cell(c, nodes));
    CHECK(!wrong_sign);
    CHECK(!too_far);
    CHECK(near > 100 && inside > 100);
    CHECK_LESS(worst, 1e-5);
}

static spate_scene *scene_with_solids(double speed)
{
    spate_scene *scene = scene_of_cells(DX, 40, 30, 20);
    const double fill_low[3] = {0, 26, 0}, fill_high[3] = {4, 30, 4};
    add_ball(scene, SPATE_LIST_SOLIDS, ball_center, ball_radius)->velocity[0] = speed;
    add_box(scene, SPATE_LIST_SOLIDS, box_low, box_high);
    add_box(scene, SPATE_LIST_FILL, fill_low, fill_high);
    return scene;
}

static void distance_is_exact_near_resting_solids(void)
{
    fixture *f = fixture_create(scene_with_solids(0));
    if (!f)
        return;
    check_distance(f, 0);
    run_steps(f, 2, 0.01);
    check_distance(f, 0);
    fixture_destroy(f);
}

/* Moving: at the end of the step, and nothing is left behind where it was. */
static void distance_follows_a_moving_solid(void)
{
    double dt = 0.01, speed = 4;
    fixture *f = fixture_create(scene_with_solids(speed));
    for (int step = 1; step <= 8 && f; step++) {
        run_steps(f, 1, dt);
        check_distance(f, step * speed * dt / DX);
    }
    fixture_destroy(f);
}

/* Water that goes many cells in a step, from a tile that the solid is nowhere near of, to where it
 * is: it must not end inside. */
static void fast_water_does_not_enter_a_moving_solid(void)
{
    const double start = DIM == 2 ? 33 : 22, way = DIM == 2 ? 22 : 9, dt = 0.01;
    const double low[3] = {start, 15, 8}, high[3] = {start + 3, 18, 11};
    spate_scene *scene = scene_of_cells(DX, 40, 30, 20);
    add_ball(scene, SPATE_LIST_SOLIDS, ball_center, ball_radius)->velocity[0] = 0.1;
    add_box(scene, SPATE_LIST_FILL, low, high)->velocity[0] = -way * DX / dt;
    fixture *f = fixture_create(scene);
    for (int step = 0; step < 2 && f; step++) {
        run_steps(f, 1, dt);
        const X(particles) *p = &f->s->particles;
        int inside = 0;
        for (uint32_t k = 0; k < p->count; k++) {
            double x[3] = {0, 0, 0};
            FOR_DIM(d)
                x[d] = (double)p->x[d][k] * DX;
            inside += sp_solids_distance(&f->s->solids, x, NULL, NULL) < -1e-4 * DX;
        }
        CHECK(p->count > 0);
        CHECK(inside == 0);
    }
    fixture_destroy(f);
}

/* ---- friction */

#define FLOOR 3 /* cells: top of the solid floor */

/* A layer of water that slides along x, with its own speed for each particle: on the wall (floor =
 * 0) or on a solid floor that moves with `speed`. Periodic along x. */
static fixture *layer(int floor, double friction, double speed, double slide)
{
    spate_scene *scene = scene_of_cells(DX, 12, 14, 12);
    const double low[3] = {0, floor, 0}, high[3] = {12, floor + 6, 12}, below[3] = {-50, -5, -50},
                 top[3] = {80, FLOOR, 80};
    scene->domain.sides[0][0] = scene->domain.sides[0][1] = SPATE_SIDE_PERIODIC;
    scene->domain.friction = floor ? 0 : friction;
    add_box(scene, SPATE_LIST_FILL, low, high);
    if (floor) {
        spate_shape *box = add_box(scene, SPATE_LIST_SOLIDS, below, top);
        box->friction = friction;
        box->velocity[0] = speed;
    }
    fixture *f = fixture_create(scene);
    test_random_state = 11;
    for (uint32_t k = 0; f && k < f->s->particles.count; k++)
        f->s->particles.v[0][k] = (float)(slide + random_in(-0.3, 0.3));
    return f;
}

/* u along x at the cells of row j (away from the walls along z). */
static float slide_at(const fixture *f, int i, int j)
{
    int c[DIM];
    FOR_DIM(d)
        c[d] = 6;
    c[0] = i;
    c[1] = j;
    return f->s->u[0][X(index)(&f->s->grid, c)];
}

/* P2G, then SOLIDS and FORCES cut in `parts`; the rows j = first .. first + 2 of u go to `rows`. */
static void forces_in_parts(fixture *f, double dt, int parts, int first, float rows[3][12])
{
    run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, 0);
    for (int part = 0; part < parts; part++) {
        run_stage(f, SP_STAGE_SOLIDS, dt / parts);
        run_stage(f, SP_STAGE_FORCES, dt / parts);
        f->common.inside += dt / parts;
    }
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 12; i++)
            rows[j][i] = slide_at(f, i, first + j);
}

static void check_friction(int floor, double friction, double speed)
{
    const double dt = 0.03;
    float before[3][12], whole[3][12], cut[3][12];
    fixture *f = layer(floor, friction, speed, 2);
    if (!f)
        return;
    forces_in_parts(f, dt, 0, floor, before);
    forces_in_parts(f, dt, 1, floor, whole);
    forces_in_parts(f, dt, 4, floor, cut);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 12; i++) {
            double slip = before[j][i] - speed, k = friction / (1 - friction),
                   wanted = before[j][i];
            if (j == 0)
                wanted = speed + (friction < 1 ? slip / (1 + k * fabs(slip) * dt / DX) : 0);
            CHECK_NEAR(whole[j][i], wanted, 1e-5);
            CHECK_NEAR(cut[j][i], whole[j][i], 1e-6);
            CHECK(fabs(slip) > 0.2);
        }
    if (test_failures)
        printf("  with floor %d, friction %g, speed %g\n", floor, friction, speed);
    fixture_destroy(f);
}

static void friction_does_not_depend_on_the_step(void)
{
    for (int floor = 0; floor <= FLOOR; floor += FLOOR) {
        check_friction(floor, 0.2, 0);
        check_friction(floor, 0.7, 0);
    }
    check_friction(FLOOR, 0.7, 1);
    check_friction(FLOOR, 0.7, -3);
}

static void without_friction_water_slips(void)
{
    check_friction(0, 0, 0);
    check_friction(FLOOR, 0, 0);
    check_friction(FLOOR, 0, 5);
}

static void full_friction_takes_the_speed_of_the_wall(void)
{
    check_friction(0, 1, 0);
    check_friction(FLOOR, 1, 0);
    check_friction(FLOOR, 1, 5);
    check_friction(FLOOR, 1, -1);
}

/* Water at rest on a belt: it is dragged along, more with more friction. */
static void a_moving_wall_drags(void)
{
    double last = 0;
    for (int k = 0; k <= 2; k++) {
        fixture *f = layer(FLOOR, 0.5 * k, 1.5, 0);
        if (!f)
            return;
        for (uint32_t p = 0; p < f->s->particles.count; p++)
            f->s->particles.v[0][p] = 0;
        run_steps(f, 10, 0.01);
        double mean = sum_velocity(f, 0, false) / f->s->particles.count;
        if (k == 0)
            CHECK_NEAR(mean, 0, 1e-6);
        else
            CHECK(mean > last + 0.01);
        CHECK_LESS(mean, 1.5);
        last = mean;
        fixture_destroy(f);
    }
}

int main(int argc, char **argv)
{
    TEST_BEGIN(argc, argv);
    TEST(distance_is_exact_near_resting_solids);
    TEST(distance_follows_a_moving_solid);
    TEST(fast_water_does_not_enter_a_moving_solid);
    TEST(friction_does_not_depend_on_the_step);
    TEST(without_friction_water_slips);
    TEST(full_friction_takes_the_speed_of_the_wall);
    TEST(a_moving_wall_drags);
    return test_end();
}
