/* momentum.c -- what the transfers do to momentum.
 *
 * Between P2G and G2P the grid changes the velocity that a particle sees by
 *
 *     k = u_carried(x) - u_old(x),
 *
 * gravity, pressure and friction, taken where they acted (kick.c). G2P is to hand exactly that to
 * the particles, all together. What is missing in sum of v after it, against sum of v before it
 * plus sum of k, has been lost inside the liquid: by damping at the surface, say, or where u_old is
 * not what the particles gave because the grid does not resolve them. k is taken at the particles,
 * not from the sums of P2G on the faces, whose memory other stages need before G2P. It is measured
 * in the first step of each frame, as a share of the sum of m |v|, per second. */
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

/* Sum of k over the particles of some tiles. */
static double kick_partial(void *user, size_t begin, size_t end)
{
    const momentum_args *args = user;
    const X(sim) *s = args->s;
    double sum = 0;
    for (size_t t = begin; t < end; t++) {
        int tile = s->tiles.liquid[t];
        for (uint32_t k = s->tiles.start[tile]; k < s->tiles.start[tile + 1]; k++) {
            float x[DIM];
            FOR_DIM(d)
                x[d] = s->particles.x[d][k];
            X(stencil) stencil = X(stencil_at)(s->degree, x, args->axis);
            float now = X(gather)(&s->grid, &stencil, s->degree, s->u_carried[args->axis]);
            sum += (double)(now - X(gather)(&s->grid, &stencil, s->degree, s->u_old[args->axis]));
        }
    }
    return sum;
}

void X(before_transfer)(X(sim) *s, double momentum[DIM])
{
    momentum_args args = {.s = s};
    for (args.axis = 0; args.axis < DIM; args.axis++)
        momentum[args.axis] = X(sum)(s, s->particles.count, 4096, velocity_partial, &args) +
                              X(sum)(s, (size_t)s->tiles.liquid_count, 1, kick_partial, &args);
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
