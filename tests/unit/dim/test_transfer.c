/* test_transfer.c -- particles to grid and back: what must be kept.
 *
 * P2G followed by G2P without anything in between hands the momentum over exactly: the kernels are
 * partitions of unity, so sum_f W_f u_f = sum_p v_p in both directions (W_f the weight of a face).
 * With its affine part APIC also keeps the angular momentum: a particle's own is x x v plus what
 * its gradient c adds, D (c_ba - c_ab) for the axes a, b, with D the second moment of the kernel at
 * the particle along one axis. For the quadratic kernel D is 1/4 cell^2, for the cubic 1/3; for the
 * linear one it is f (1 - f), f the particle's fraction between the nodes of that component. */
#include "fixture.h"

static const spate_transfer transfers[] = {SPATE_TRANSFER_FLIP, SPATE_TRANSFER_PIC,
                                           SPATE_TRANSFER_APIC};

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
    for (int t = 0; t < 3; t++)
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
    for (int e = 0; e < DIM * DIM && f->s->apic; e++)
        for (uint32_t k = 0; k < p->count; k++)
            worst = fmax(worst, fabs((double)p->c[e][k]));
    CHECK_LESS(worst, 1e-5);
    report(transfer, kernel);
}

static void a_uniform_flow_passes_unchanged(void)
{
    for (int t = 0; t < 3; t++)
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

TESTS(transfer)
{
    TEST(momentum_is_handed_over);
    TEST(momentum_is_kept_across_the_seam);
    TEST(apic_keeps_angular_momentum);
    TEST(a_uniform_flow_passes_unchanged);
}
