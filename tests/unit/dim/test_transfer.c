/* test_transfer.c -- particles to grid and back: what must be kept.
 *
 * P2G followed by G2P without anything in between hands the momentum over exactly: the kernels are
 * partitions of unity, so sum_f W_f u_f = sum_p v_p in both directions (W_f the weight of a face).
 * With its affine part APIC also keeps the angular momentum: a particle's own is x x v plus what
 * its gradient c adds, D (c_ba - c_ab) for the axes a, b, with D the second moment of the kernel at
 * the particle along one axis. For the quadratic kernel D is 1/4 cell^2, for the cubic 1/3; for the
 * linear one it is f (1 - f), f the particle's fraction between the nodes of that component. What
 * AFLIP keeps better than FLIP is measured against what theory says of smooth fields. */
#include "fixture.h"

#include "kernels/gradient.h"

static const spate_transfer transfers[] = {SPATE_TRANSFER_FLIP, SPATE_TRANSFER_PIC,
                                           SPATE_TRANSFER_APIC, SPATE_TRANSFER_AFLIP};
#define TRANSFERS ((int)(sizeof transfers / sizeof *transfers))

/* ---- momentum */

typedef struct totals {
    double momentum[3], size[3]; /* sum of v, of |v| */
} totals;

static totals totals_of(const fixture *f)
{
    totals t = {{0, 0, 0}, {0, 0, 0}};
    FOR_DIM(d) {
        t.momentum[d] = sum_velocity(f, d, false);
        t.size[d] = sum_velocity(f, d, true);
    }
    return t;
}

static void check_kept(const fixture *f, const totals *before)
{
    FOR_DIM(d)
        CHECK_NEAR(sum_velocity(f, d, false) / before->size[d],
                   before->momentum[d] / before->size[d], 1e-6);
}

static void momentum_is_handed_over(void)
{
    for (int t = 0; t < TRANSFERS; t++)
        for (int kernel = 0; kernel < 3; kernel++) {
            fixture *f = ball(transfers[t], (spate_kernel)kernel, 0.97);
            if (!f)
                return;
            shake(f, 3);
            FOR_DIM(d)
                f->s->particles.v[d][0] += 50.0f; /* so that the sum is not near zero */
            totals before = totals_of(f);
            run_stages(f, SP_STAGE_SORT, SP_STAGE_P2G, 0.01);
            run_stage(f, SP_STAGE_G2P, 0.01);
            check_kept(f, &before);
            report(transfers[t], kernel);
            fixture_destroy(f);
        }
}

/* What falls beyond the seam counts on the other side; n is no multiple of a tile, or is one. */
static void momentum_is_kept_across_the_seam(void)
{
    static const int sizes[2][3] = {{20, 33, 32}, {9, 12, 16}};
    for (int size = 0; size < 3; size++)
        for (int kernel = 0; kernel < 3; kernel++) {
            fixture *f = full_box(sizes[DIM - 2][size], SPATE_TRANSFER_PIC, (spate_kernel)kernel);
            if (!f)
                return;
            shake(f, 3);
            totals before = totals_of(f);
            run_stages(f, SP_STAGE_SORT, SP_STAGE_FORCES, 0.01);
            run_stages(f, SP_STAGE_EXTRAPOLATE, SP_STAGE_G2P, 0.01);
            check_kept(f, &before);
            report(SPATE_TRANSFER_PIC, kernel);
            fixture_destroy(f);
        }
}

/* Second moment along an axis of the kernel of a component d at place x. */
static double second_moment(int degree, double x, bool face)
{
    double place = face ? x : x - 0.5, f = place - floor(place);
    return degree == KERNEL_LINEAR ? f * (1 - f) : degree == KERNEL_QUADRATIC ? 0.25 : 1.0 / 3;
}

/* Angular momentum in the plane of the axes a, b about the origin, cells m/s per particle mass. */
static double particle_spin(const fixture *f, int a, int b, bool affine)
{
    const X(particles) *p = &f->s->particles;
    double sum = 0;
    for (uint32_t k = 0; k < p->count; k++) {
        sum += (double)p->x[a][k] * p->v[b][k] - (double)p->x[b][k] * p->v[a][k];
        if (affine)
            sum += p->c[b * DIM + a][k] * second_moment(f->s->degree, p->x[a][k], false) -
                   p->c[a * DIM + b][k] * second_moment(f->s->degree, p->x[b][k], false);
    }
    return sum;
}

static double grid_spin(const fixture *f, int a, int b)
{
    const X(grid) *g = &f->s->grid;
    int c[DIM] = {0};
    double sum = 0;
    do {
        size_t k = X(index)(g, c);
        sum += (c[a] + 0.5) * f->s->weight[b][k] * f->s->u[b][k] -
               (c[b] + 0.5) * f->s->weight[a][k] * f->s->u[a][k];
    } while (next_cell(c, g->n));
    return sum;
}

static void check_spin(int kernel)
{
    fixture *f = ball(SPATE_TRANSFER_APIC, (spate_kernel)kernel, 0);
    if (!f)
        return;
    X(particles) *p = &f->s->particles;
    test_random_state = 1; /* whatever other tests of the process have drawn */
    shake(f, 3);
    for (int e = 0; e < DIM * DIM; e++)
        for (uint32_t k = 0; k < p->count; k++)
            p->c[e][k] = (float)random_in(-2, 2);
    for (int a = 0; a < DIM - 1; a++)
        for (int b = a + 1; b < DIM; b++) {
            run_stage(f, SP_STAGE_SORT, 0.01);
            double size = 0, before = particle_spin(f, a, b, true);
            for (uint32_t k = 0; k < p->count; k++)
                size +=
                    fabs((double)p->x[a][k] * p->v[b][k]) + fabs((double)p->x[b][k] * p->v[a][k]);
            CHECK(fabs(before - particle_spin(f, a, b, false)) >
                  1e-5 * size); /* the affine part is not nothing */
            run_stage(f, SP_STAGE_P2G, 0.01);
            CHECK_NEAR(grid_spin(f, a, b) / size, before / size, 1e-6);
            run_stage(f, SP_STAGE_G2P, 0.01);
            CHECK_NEAR(particle_spin(f, a, b, true) / size, before / size, 1e-6);
        }
    report(SPATE_TRANSFER_APIC, kernel);
    fixture_destroy(f);
}

static void apic_keeps_angular_momentum(void)
{
    for (int kernel = 0; kernel < 3; kernel++)
        check_spin(kernel);
}

/* ---- a uniform field */

static const float drift[3] = {1.25f, -0.6f, 2.1f};

static void check_uniform(fixture *f, spate_transfer transfer, int kernel)
{
    const X(particles) *p = &f->s->particles;
    FOR_DIM(d)
        for (uint32_t k = 0; k < p->count; k++)
            p->v[d][k] = drift[d];
    double worst = 0;
    run_stages(f, SP_STAGE_SORT, SP_STAGE_G2P, 0.02);
    FOR_DIM(d)
        for (uint32_t k = 0; k < p->count; k++)
            worst = fmax(worst, fabs((double)p->v[d][k] - drift[d]));
    CHECK(p->count > 0);
    CHECK_LESS(worst, 2e-6);
    for (int e = 0; e < DIM * DIM && f->s->affine; e++)
        for (uint32_t k = 0; k < p->count; k++)
            worst = fmax(worst, fabs((double)p->c[e][k]));
    CHECK_LESS(worst, 1e-5);
    report(transfer, kernel);
}

static void a_uniform_flow_passes_unchanged(void)
{
    for (int t = 0; t < TRANSFERS; t++)
        for (int kernel = 0; kernel < 3; kernel++) {
            fixture *f = full_box(DIM == 2 ? 33 : 9, transfers[t], (spate_kernel)kernel);
            if (f)
                check_uniform(f, transfers[t], kernel);
            fixture_destroy(f);
            f = ball(transfers[t], (spate_kernel)kernel, 0.9);
            if (f)
                check_uniform(f, transfers[t], kernel);
            fixture_destroy(f);
        }
}

/* ---- fields that are not uniform */

/* Everything around G2P that nothing happens in: the field on the faces is that of P2G. */
static void there_and_back(fixture *f)
{
    run_stages(f, SP_STAGE_SORT, SP_STAGE_FORCES, 0.01);
    run_stages(f, SP_STAGE_EXTRAPOLATE, SP_STAGE_G2P, 0.01);
}

static fixture *still_box(int n, spate_transfer transfer, double ratio, double jitter)
{
    const double low[3] = {0, 0, 0}, high[3] = {n, n, n};
    spate_scene *scene = scene_with(n, transfer, SPATE_KERNEL_LINEAR);
    scene->fluid.flip_ratio = ratio;
    scene->fluid.flip_step = 0;
    scene->fluid.jitter = jitter;
    make_periodic(scene);
    add_box(scene, SPATE_LIST_FILL, low, high);
    return fixture_create(scene);
}

/* Root mean square over the faces in the middle of the box of the error of u, once particles have
 * gone to the grid and back and there again: v_a = sum_b slope[a][b] (x_b - n / 2). */
static double error_of_slopes(spate_transfer transfer, const double slope[2][2])
{
    const int n = DIM == 2 ? 32 : 16;
    fixture *f = still_box(n, transfer, 0.97, 1);
    if (!f)
        return HUGE_VAL;
    X(particles) *p = &f->s->particles;
    for (uint32_t k = 0; k < p->count; k++)
        for (int a = 0; a < 2; a++)
            p->v[a][k] = (float)(slope[a][0] * ((double)p->x[0][k] - n / 2) +
                                 slope[a][1] * ((double)p->x[1][k] - n / 2));
    there_and_back(f);
    run_stages(f, SP_STAGE_SORT, SP_STAGE_P2G, 0.01);
    int c[DIM] = {0}, count = 0;
    double sum = 0;
    do {
        bool middle = true;
        FOR_DIM(a)
            middle = middle && c[a] >= 4 && c[a] < n - 4;
        for (int a = 0; a < 2 && middle; a++) {
            double x = c[0] + (a == 0 ? 0 : 0.5) - n / 2, y = c[1] + (a == 1 ? 0 : 0.5) - n / 2;
            double error = f->s->u[a][X(index)(&f->s->grid, c)] - slope[a][0] * x - slope[a][1] * y;
            sum += error * error;
            count++;
        }
    } while (next_cell(c, f->s->grid.n));
    fixture_destroy(f);
    return sqrt(sum / count);
}

/* Where particles lie at random, the mean of those around a face belongs to another place: FLIP is
 * wrong by the slope times the way there. AFLIP takes the slope from these faces: the particles on
 * the two sides of a face, a third of a cell away on the mean, have slopes that differ by about
 * twice the error of a face, and so about half of it is left. */
static void slopes_are_kept_better_than_by_flip(void)
{
    static const double slopes[2][2][2] = {{{0, -1}, {1, 0}}, {{0, 1}, {0, 0}}};
    static const char *const names[2] = {"rotation", "shear"};
    for (int k = 0; k < 2; k++) {
        double flip = error_of_slopes(SPATE_TRANSFER_FLIP, slopes[k]);
        double aflip = error_of_slopes(SPATE_TRANSFER_AFLIP, slopes[k]);
        printf("  %dD %s, a cell's difference 1: error of a face %.4f with flip, %.4f with aflip\n",
               DIM, names[k], flip, aflip);
        CHECK(flip > 0.01);
        CHECK_LESS(aflip, 0.6 * flip);
    }
}

#define SHEAR_CELLS 16
#define SHEAR_WAVE (2 * 3.14159265358979323846 / SHEAR_CELLS)

/* The amplitude of v_x = a sin(k y). */
static double shear_of(const X(particles) *p)
{
    double sum = 0, square = 0;
    for (uint32_t k = 0; k < p->count; k++) {
        double s = sin(SHEAR_WAVE * (double)p->x[1][k]);
        sum += s * p->v[0][k];
        square += s * s;
    }
    return sum / square;
}

/* The share that a shear loses in a step in which nothing happens on the grid. */
static double shear_loss(spate_transfer transfer, double ratio)
{
    const int steps = 6;
    fixture *f = still_box(SHEAR_CELLS, transfer, ratio, 0);
    if (!f)
        return 0;
    const X(particles) *p = &f->s->particles;
    for (uint32_t k = 0; k < p->count; k++)
        p->v[0][k] = (float)sin(SHEAR_WAVE * (double)p->x[1][k]);
    there_and_back(f); /* now particles have gradients */
    double before = shear_of(p);
    for (int k = 0; k < steps; k++)
        there_and_back(f);
    double loss = log(before / shear_of(p)) / steps;
    fixture_destroy(f);
    return loss;
}

/* Each way the linear kernel takes the share q = k^2 / 12 of a wave of k per cell, and FLIP gives
 * 1 - r of both to the particles: 2 (1 - r) q in a step. The gradient c gives back r times twice
 * that of P2G, so that AFLIP loses (1 - r) times as much as FLIP. */
static void a_shear_is_kept_by_theory(void)
{
    for (int k = 0; k < 2; k++) {
        const double r = k ? 0.9 : 0.75, theory = (1 - r) * SHEAR_WAVE * SHEAR_WAVE / 6;
        double flip = shear_loss(SPATE_TRANSFER_FLIP, r);
        double aflip = shear_loss(SPATE_TRANSFER_AFLIP, r);
        printf("  %dD r = %.2f: lost in a step %.2e with flip (%.2e), %.2e with aflip (%.2e)\n",
               DIM, r, flip, theory, aflip, (1 - r) * theory);
        CHECK_NEAR(flip, theory, 0.2 * theory);
        CHECK_NEAR(aflip, (1 - r) * theory, 0.1 * theory);
    }
}

/* Without a share of its own velocity a particle keeps none of its gradient. */
static void flip_ratio_0_is_pic(void)
{
    for (int kernel = 0; kernel < 3; kernel++) {
        fixture *one = ball(SPATE_TRANSFER_PIC, (spate_kernel)kernel, 0);
        fixture *two = ball(SPATE_TRANSFER_AFLIP, (spate_kernel)kernel, 0);
        double worst = 0;
        for (int step = 0; step < 5 && one && two; step++) {
            test_random_state = 3;
            for (int k = 0; k < 2 && step == 0; k++, test_random_state = 3)
                shake(k ? two : one, 3);
            run_steps(one, 1, 0.002);
            run_steps(two, 1, 0.002);
        }
        for (uint32_t k = 0; one && two && k < one->s->particles.count; k++)
            FOR_DIM(d)
                worst = fmax(worst, fabs((double)one->s->particles.v[d][k] -
                                         (double)two->s->particles.v[d][k]));
        CHECK_LESS(worst, 1e-4); /* the linear kernel's sums go in another order */
        report(SPATE_TRANSFER_AFLIP, kernel);
        fixture_destroy(one);
        fixture_destroy(two);
    }
}

/* Inside, c is r times the gradient of u; beside air it is 0. */
static void the_gradient_ends_beside_air(void)
{
    const double ratio = 0.8;
    for (int kernel = 0; kernel < 3; kernel++) {
        fixture *f = ball(SPATE_TRANSFER_AFLIP, (spate_kernel)kernel, ratio);
        if (!f)
            return;
        const X(particles) *p = &f->s->particles;
        shake(f, 3);
        run_stages(f, SP_STAGE_SORT, SP_STAGE_G2P, 0.004);
        X(fields) fields = X(fields_of)(f->s);
        double worst = 0;
        int count[2] = {0, 0};
        for (uint32_t k = 0; k < p->count; k++) {
            float x[DIM], c[DIM];
            int cell[DIM];
            FOR_DIM(d) {
                x[d] = p->x[d][k];
                cell[d] = X(floor)(x[d]);
            }
            bool air = X(is_beside_air)(&fields, cell);
            count[air]++;
            FOR_DIM(d) {
                X(stencil) stencil = X(stencil_at)(f->s->degree, x, d);
                X(gather_affine)(&f->s->grid, &stencil, f->s->degree, x, d, f->s->u[d], c);
                FOR_DIM(a)
                    worst = fmax(worst, fabs(p->c[d * DIM + a][k] - (air ? 0 : ratio * c[a])));
            }
        }
        CHECK(count[0] > 20 && count[1] > 20);
        CHECK_LESS(worst, 1e-5);
        report(SPATE_TRANSFER_AFLIP, kernel);
        fixture_destroy(f);
    }
}

TESTS(transfer)
{
    TEST(momentum_is_handed_over);
    TEST(momentum_is_kept_across_the_seam);
    TEST(apic_keeps_angular_momentum);
    TEST(a_uniform_flow_passes_unchanged);
    TEST(slopes_are_kept_better_than_by_flip);
    TEST(a_shear_is_kept_by_theory);
    TEST(flip_ratio_0_is_pic);
    TEST(the_gradient_ends_beside_air);
}
