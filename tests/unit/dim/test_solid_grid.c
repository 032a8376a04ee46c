/* test_solid_grid.c -- solids on the grid: their signed distance at the nodes. */
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

TESTS(solid_grid)
{
    TEST(distance_is_exact_near_resting_solids);
    TEST(distance_follows_a_moving_solid);
    TEST(fast_water_does_not_enter_a_moving_solid);
}
