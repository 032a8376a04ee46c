/* test_advect.c -- particles in a rotation that stands on the grid.
 *
 * u = omega x (x - c) is linear in x, so all kernels reproduce it, and what is left is the error of
 * the time integration. On a linear field u = A y a Runge-Kutta method of order p with p stages is
 * the Taylor series of the exponential cut after the power p, whatever its coefficients:
 *
 *     y(t + dt) = (1 + dt A + ... + (dt A)^p / p!) y(t)        (exact: exp(dt A) y(t)).
 *
 * So each method has an exact place where its particles must be (a wrong unit in one stage cannot
 * hide), and its distance to the exact rotation must fall by 2^p when dt is halved. */
#include "fixture.h"

#define CELLS 48
#define DX 0.05
#define OMEGA 3.0 /* rad/s */
#define COUNT 24  /* particles */

typedef double vector[3];

static const double centre[3] = {24.2, 23.7, 24.4}; /* cells */
static double axis[3];                              /* of unit length */

static void choose_axis(void)
{
    double a[3] = {0, 0, 1};
    if (DIM == 3) {
        a[0] = 2.0 / 7;
        a[1] = -3.0 / 7;
        a[2] = 6.0 / 7;
    }
    memcpy(axis, a, sizeof a);
}

/* axis x y */
static void turn_rate(const vector y, vector out)
{
    out[0] = axis[1] * y[2] - axis[2] * y[1];
    out[1] = axis[2] * y[0] - axis[0] * y[2];
    out[2] = axis[0] * y[1] - axis[1] * y[0];
}

/* exp(angle A) y, or its series cut after `order` terms; A = turn_rate. */
static void turn(int order, double angle, vector y)
{
    vector term, next, sum;
    memcpy(term, y, sizeof term);
    memcpy(sum, y, sizeof sum);
    for (int k = 1; k <= order; k++) {
        turn_rate(term, next);
        for (int d = 0; d < 3; d++) {
            term[d] = next[d] * angle / k;
            sum[d] += term[d];
        }
    }
    memcpy(y, sum, sizeof sum);
}

/* Writes the rotation to every face of the arrays, border included. */
static void write_rotation(fixture *f)
{
    X(grid) *g = &f->s->grid;
    int c[DIM] = {0}, n[DIM], at[DIM];
    FOR_DIM(d)
        n[d] = g->n[d] + 6;
    do {
        FOR_DIM(d)
            at[d] = c[d] - 3;
        FOR_DIM(d) {
            vector y = {0, 0, 0}, rate;
            FOR_DIM(a)
                y[a] = at[a] + (a == d ? 0.0 : 0.5) - centre[a];
            turn_rate(y, rate);
            f->s->u[d][X(index)(g, at)] = (float)(OMEGA * rate[d] * DX);
        }
    } while (next_cell(c, n));
}

static fixture *rotation(spate_advection method, spate_kernel kernel)
{
    spate_scene *scene = scene_of_cells(DX, CELLS, CELLS, CELLS);
    scene->fluid.particles_per_axis = 1; /* so that lone particles do not fly */
    scene->time.advection = method;
    scene->fluid.kernel = kernel;
    fixture *f = fixture_create(scene);
    test_random_state = 7;
    for (int k = 0; k < COUNT && f; k++) {
        float x[DIM], v[DIM] = {0};
        FOR_DIM(d)
            x[d] = (float)(centre[d] + random_in(-7, 7));
        put_particle(f, x, v);
    }
    return f;
}

/* Goes through `angle` in `steps` steps. Returns the largest distance (cells) to the exact
 * rotation; *own gets that to the method's own closed form. */
static double error_after(spate_advection method, spate_kernel kernel, double angle, int steps,
                          double *own)
{
    fixture *f = rotation(method, kernel);
    if (!f)
        return 0;
    X(particles) *p = &f->s->particles;
    vector exact[COUNT], cut[COUNT];
    for (uint32_t k = 0; k < p->count; k++)
        for (int d = 0; d < 3; d++)
            exact[k][d] = cut[k][d] = d < DIM ? p->x[d][k] - centre[d] : 0;
    double worst = 0, dt = angle / OMEGA / steps;
    for (int step = 0; step < steps; step++) {
        run_stage(f, SP_STAGE_SORT, dt);
        write_rotation(f);
        f->s->reach = 1e3f;
        run_stage(f, SP_STAGE_ADVECT, dt);
        for (int k = 0; k < COUNT; k++)
            turn(1 + (int)method, angle / steps, cut[k]);
    }
    *own = 0;
    for (uint32_t k = 0; k < p->count; k++) {
        double far = 0, off = 0;
        uint32_t id = p->id[0][k];
        turn(60, angle, exact[id]);
        FOR_DIM(d) {
            far += pow(p->x[d][k] - centre[d] - exact[id][d], 2);
            off += pow(p->x[d][k] - centre[d] - cut[id][d], 2);
        }
        worst = fmax(worst, sqrt(far));
        *own = fmax(*own, sqrt(off));
    }
    fixture_destroy(f);
    return worst;
}

/* Steps so large that the errors stand well above what float positions resolve (4e-6 cells). */
static void check_order(spate_advection method, int order, double angle, int steps)
{
    double errors[3], own;
    for (int k = 0; k < 3; k++) {
        errors[k] = error_after(method, SPATE_KERNEL_LINEAR, angle, steps << k, &own);
        CHECK_LESS(own, 2e-4);
        CHECK(errors[k] > 1e-4);
    }
    CHECK_NEAR(log2(errors[0] / errors[1]), order, 0.2);
    CHECK_NEAR(log2(errors[1] / errors[2]), order, 0.2);
}

static void euler_is_first_order(void)
{
    check_order(SPATE_ADVECTION_EULER, 1, 0.5, 8);
}

static void rk2_is_second_order(void)
{
    check_order(SPATE_ADVECTION_RK2, 2, 1.0, 5);
}

static void rk3_is_third_order(void)
{
    check_order(SPATE_ADVECTION_RK3, 3, 1.5, 4);
}

static void rk4_is_fourth_order(void)
{
    check_order(SPATE_ADVECTION_RK4, 4, 3.0, 4);
}

/* The displacement itself, once round with the default method: not a share of it. */
static void a_full_turn_comes_back(void)
{
    double own;
    CHECK_LESS(error_after(SPATE_ADVECTION_RK3, SPATE_KERNEL_LINEAR, 2 * M_PI, 64, &own), 0.02);
    CHECK_LESS(error_after(SPATE_ADVECTION_RK3, SPATE_KERNEL_LINEAR, M_PI / 2, 16, &own), 0.005);
}

static void all_kernels_carry_a_linear_field(void)
{
    for (int kernel = 0; kernel < 3; kernel++)
        for (int method = 0; method < 4; method++) {
            double own;
            error_after((spate_advection)method, (spate_kernel)kernel, 0.7, 2, &own);
            CHECK_LESS(own, 1e-4);
        }
}

TESTS(advect)
{
    SETUP(choose_axis);
    TEST(euler_is_first_order);
    TEST(rk2_is_second_order);
    TEST(rk3_is_third_order);
    TEST(rk4_is_fourth_order);
    TEST(a_full_turn_comes_back);
    TEST(all_kernels_carry_a_linear_field);
}
