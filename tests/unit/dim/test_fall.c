/* test_fall.c -- a drop that falls freely for one second, far from all walls.
 *
 * Nothing acts but gravity, so every particle must have the same velocity, that of the middle of
 * the last step, and be on its parabola, however the steps change:
 *
 *     v_n = v_0 + g (t - dt_n / 2),      x_n = x_0 + v_0 t + g t^2 / 2.
 *
 * Any loss in a transfer, the projection or the extrapolation, and any damping at the surface,
 * shows here. */
#include "fixture.h"

#define STEPS 40

static const double start_velocity[3] = {0.25, 0.5, -0.25}; /* m/s */
static const double gravity[3] = {0.3, -9.81, 0.2};         /* m/s^2 */

static fixture *drop(spate_transfer transfer, spate_kernel kernel)
{
    spate_scene *scene = scene_of_cells(0.25, 16, 32, 16);
    memcpy(scene->gravity, gravity, sizeof gravity);
    scene->fluid.transfer = transfer;
    scene->fluid.kernel = kernel;
    scene->volume.method = SPATE_VOLUME_NONE; /* every particle on its own parabola */
    const double center[3] = {6.8, 25.1, 8.2};
    spate_shape *ball = add_ball(scene, SPATE_LIST_FILL, center, 2.5);
    memcpy(ball->velocity, start_velocity, sizeof start_velocity);
    return fixture_create(scene);
}

static void fall(spate_transfer transfer, spate_kernel kernel)
{
    fixture *f = drop(transfer, kernel);
    if (!f)
        return;
    const X(particles) *p = &f->s->particles;
    uint32_t count = p->count;
    double dt = 1.0 / STEPS, speed = 0, worst_v = 0, worst_x = 0;
    double length[] = {1.4 * dt, 0.6 * dt}; /* of steps, by turns */
    float *x0[DIM];
    FOR_DIM(d) {
        x0[d] = malloc(count * sizeof(float));
        memcpy(x0[d], p->x[d], count * sizeof(float));
    }
    for (int step = 0; step < STEPS; step++)
        run_steps(f, 1, length[step % 2]);
    CHECK(count > 60 && p->count == count);
    FOR_DIM(d)
        speed = fmax(speed, fabs(start_velocity[d] + gravity[d]));
    for (uint32_t k = 0; k < p->count; k++)
        FOR_DIM(d) {
            double v = start_velocity[d] + gravity[d] * (1 - 0.5 * length[1]);
            double way = start_velocity[d] + 0.5 * gravity[d];
            worst_v = fmax(worst_v, fabs(p->v[d][k] - v) / speed);
            worst_x = fmax(worst_x, fabs(p->x[d][k] - (x0[d][p->id[0][k]] + way / f->s->grid.dx)));
        }
    CHECK_LESS(worst_v, 1e-5);
    CHECK_LESS(worst_x, 1e-3);
    if (test_failures)
        printf("  with transfer %d, kernel %s\n", transfer, kernel_name(kernel));
    FOR_DIM(d)
        free(x0[d]);
    fixture_destroy(f);
}

static void fall_with(spate_transfer transfer)
{
    fall(transfer, SPATE_KERNEL_LINEAR);
    fall(transfer, SPATE_KERNEL_QUADRATIC);
    fall(transfer, SPATE_KERNEL_CUBIC);
}

static void falls_with_flip(void)
{
    fall_with(SPATE_TRANSFER_FLIP);
}

static void falls_with_pic(void)
{
    fall_with(SPATE_TRANSFER_PIC);
}

static void falls_with_apic(void)
{
    fall_with(SPATE_TRANSFER_APIC);
}

static void falls_with_aflip(void)
{
    fall_with(SPATE_TRANSFER_AFLIP);
}

TESTS(fall)
{
    TEST(falls_with_flip);
    TEST(falls_with_pic);
    TEST(falls_with_apic);
    TEST(falls_with_aflip);
}
