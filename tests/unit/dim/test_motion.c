/* test_motion.c -- how particles and grid exchange motion: the turned kick (kernels/g2p.h) keeps
 * the sum of momentum, a uniform motion is none to it, and slips (kernels/slip.h) are what
 * particles do. */
#include "fixture.h"

#include "kernels/slip.h"
#include "kernels/transfer.h"

#define DT 0.01

/* ---- the turned kick */

/* Sum over the faces of a box of n cells of what turning adds to component d, and of its size. */
static void sum_turned(const fixture *f, int n, int d, float kept, double *sum, double *size)
{
    const X(sim) *s = f->s;
    int cell[DIM] = {0}, cells[DIM];
    FOR_DIM(a)
        cells[a] = n;
    *sum = *size = 0;
    do {
        size_t c = X(index)(&s->grid, cell);
        double plain = (double)s->u[d][c] - (double)kept * (double)s->u_old[d][c];
        *sum += (double)s->carried[d][c] - plain;
        *size += fabs((double)s->carried[d][c] - plain);
    } while (next_cell(cell, cells));
}

/* A periodic box full of water in disorder: u has no divergence, and the kick is a gradient. */
static void turning_keeps_momentum(void)
{
    enum { N = 16 };
    fixture *f = full_box(N, SPATE_TRANSFER_FLIP, SPATE_KERNEL_LINEAR);
    if (!f)
        return;
    shake(f, 1);
    f->common.scene->pressure.tolerance = 1e-7;
    f->common.last_dt = DT;
    run_stages(f, SP_STAGE_SORT, SP_STAGE_EXTRAPOLATE, DT);
    DEV(carry_kick)(f->s, DT);
    for (int d = 0; d < DIM; d++) {
        double sum, size;
        sum_turned(f, N, d, X(kept_share)(f->s, DT), &sum, &size);
        CHECK_LESS(0.01, size); /* it does something */
        CHECK_LESS(fabs(sum), 1e-3 * size);
    }
    fixture_destroy(f);
}

/* A ball that flies as one, and is given a kick that is not uniform. */
static void uniform_motion_is_no_turn(void)
{
    fixture *f = ball(SPATE_TRANSFER_FLIP, SPATE_KERNEL_LINEAR, 1);
    if (!f)
        return;
    f->common.last_dt = DT;
    for (uint32_t k = 0; k < f->s->particles.count; k++)
        FOR_DIM(d)
            f->s->particles.v[d][k] = 3.0f;
    run_stages(f, SP_STAGE_SORT, SP_STAGE_EXTRAPOLATE, DT);
    for (size_t c = 0; c < f->s->grid.size; c++)
        f->s->u_old[0][c] -= f->s->known[0][c] ? 1e-3f * (float)(c % 97) : 0.0f;
    DEV(carry_kick)(f->s, DT);
    double worst = 0;
    for (uint32_t k = 0; k < f->s->tiles.first_flying; k++) {
        float x[DIM], carried, plain;
        FOR_DIM(d)
            x[d] = f->s->particles.x[d][k];
        X(stencil) at = X(stencil_at)(KERNEL_LINEAR, x, 0);
        carried = X(gather)(&f->s->grid, &at, KERNEL_LINEAR, f->s->carried[0]);
        plain = X(gather)(&f->s->grid, &at, KERNEL_LINEAR, f->s->u[0]) -
                X(gather)(&f->s->grid, &at, KERNEL_LINEAR, f->s->u_old[0]);
        worst = fmax(worst, fabs((double)carried - (double)plain));
    }
    CHECK_LESS(worst, 1e-5);
    fixture_destroy(f);
}

/* ---- slips */

static int larger_first(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* One step of a ball in disorder, in stages: the statistics against velocities and ways. */
static void slips_are_what_particles_do(void)
{
    double first[2] = {0, 0};
    for (int threads = 1; threads <= 3; threads += 2) {
        const double center[3] = {8.6, 9.3, 8.9};
        spate_scene *scene = scene_with(18, SPATE_TRANSFER_FLIP, SPATE_KERNEL_LINEAR);
        scene->volume.method = SPATE_VOLUME_NONE;
        add_ball(scene, SPATE_LIST_FILL, center, 4.5);
        fixture *f = fixture_create_with(scene, threads);
        if (!f)
            return;
        test_random_state = 1;
        shake(f, 0.5);
        run_stages(f, SP_STAGE_SORT, SP_STAGE_G2P, DT);
        const X(particles) *p = &f->s->particles;
        uint32_t count = f->s->tiles.first_flying;
        double *slip = calloc(count, sizeof *slip);
        float *x[DIM];
        FOR_DIM(d) {
            x[d] = malloc(count * sizeof(float));
            memcpy(x[d], p->x[d], count * sizeof(float));
        }
        spate_error error;
        CHECK(X(run_stage)(f->s, SP_STAGE_ADVECT, DT, &error) == SPATE_OK);
        for (uint32_t k = 0; k < count; k++) {
            FOR_DIM(d) {
                double off = (double)p->v[d][k] -
                             ((double)p->x[d][k] - (double)x[d][k]) * f->s->grid.dx / DT;
                slip[k] += off * off;
            }
            slip[k] = sqrt(slip[k]);
        }
        qsort(slip, count, sizeof *slip, larger_first);
        CHECK(count > 200 && slip[0] > 0.1);
        double most = slip[0], nearly = slip[count / 1000]; /* a thousandth is larger */
        CHECK_NEAR(f->common.slip_max, most, 1e-3 * most);
        CHECK_LESS(0.999 * nearly, f->common.slip_p999);
        CHECK_LESS(f->common.slip_p999, fmin(1.13 * nearly, 1.001 * most));
        CHECK(threads == 1 || (f->common.slip_max == first[0] && f->common.slip_p999 == first[1]));
        first[0] = f->common.slip_max;
        first[1] = f->common.slip_p999;
        FOR_DIM(d)
            free(x[d]);
        free(slip);
        fixture_destroy(f);
    }
}

/* Where all move alike there is none. */
static void uniform_motion_does_not_slip(void)
{
    fixture *f = ball(SPATE_TRANSFER_FLIP, SPATE_KERNEL_LINEAR, 0.97);
    if (!f)
        return;
    f->common.scene->volume.method = SPATE_VOLUME_NONE;
    for (uint32_t k = 0; k < f->s->particles.count; k++)
        FOR_DIM(d)
            f->s->particles.v[d][k] = 1.5f;
    run_stages(f, SP_STAGE_SORT, SP_STAGE_G2P, DT);
    run_stage(f, SP_STAGE_ADVECT, DT);
    CHECK_LESS(f->common.slip_max, 1e-5);
    CHECK(f->common.slip_p999 <= f->common.slip_max);
    fixture_destroy(f);
}

TESTS(motion)
{
    TEST(turning_keeps_momentum);
    TEST(uniform_motion_is_no_turn);
    TEST(slips_are_what_particles_do);
    TEST(uniform_motion_does_not_slip);
}
