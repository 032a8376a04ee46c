/* momentum.c -- what the transfers do to momentum.
 *
 * Between P2G and G2P the grid changes the momentum of the liquid by
 *
 *     J = m sum over faces of weight (u - u_old),
 *
 * gravity, pressure and friction. G2P is to hand exactly that to the particles. What is missing in
 * sum of v after it, against sum of v before it plus J, has been lost inside the liquid: by damping
 * at the surface, say, or by faces that were overwritten. It is measured in the first step of each
 * frame, as a share of the sum of m |v|, per second. */
#include "device/device.h"

#include <math.h>

typedef struct momentum_args {
    X(sim) *s;
    int axis;
} momentum_args;

static double velocity_partial(void *user, size_t begin, size_t end)
{
    const momentum_args *args = user;
    const float *v = args->s->particles.v[args->axis];
    double sum = 0;
    for (size_t k = begin; k < end; k++)
        sum += (double)v[k];
    return sum;
}

static double speed_partial(void *user, size_t begin, size_t end)
{
    const X(particles) *p = &((momentum_args *)user)->s->particles;
    double sum = 0;
    for (size_t k = begin; k < end; k++) {
        float square = 0.0f;
        FOR_DIM(d)
            square += p->v[d][k] * p->v[d][k];
        sum += (double)__builtin_sqrtf(square);
    }
    return sum;
}

static double impulse_partial(void *user, size_t begin, size_t end)
{
    const momentum_args *args = user;
    const X(sim) *s = args->s;
    const float *u = s->u[args->axis], *old = s->u_old[args->axis], *w = s->weight[args->axis];
    double sum = 0;
    for (size_t t = begin; t < end; t++) {
        size_t base = X(tile_index)(&s->grid, s->tiles.faces[t]);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                size_t k = base + X(row_offset)(&s->grid, r) + (size_t)i;
                sum += (double)w[k] * ((double)u[k] - (double)old[k]);
            }
    }
    return sum;
}

void X(before_transfer)(X(sim) *s, double momentum[DIM])
{
    momentum_args args = {.s = s};
    for (args.axis = 0; args.axis < DIM; args.axis++)
        momentum[args.axis] = X(sum)(s, s->particles.count, 4096, velocity_partial, &args) +
                              X(sum)(s, (size_t)s->tiles.face_count, 1, impulse_partial, &args);
}

void X(after_transfer)(X(sim) *s, double dt, const double momentum[DIM])
{
    momentum_args args = {.s = s};
    double square = 0, speed = X(sum)(s, s->particles.count, 4096, speed_partial, &args);
    for (args.axis = 0; args.axis < DIM; args.axis++) {
        double lost =
            momentum[args.axis] - X(sum)(s, s->particles.count, 4096, velocity_partial, &args);
        square += lost * lost;
    }
    s->common->momentum_lost = speed > 0 && dt > 0 ? sqrt(square) / (speed * dt) : 0;
}
