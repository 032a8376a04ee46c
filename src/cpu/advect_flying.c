/* advect_flying.c -- ADVECT of the particles in free flight, on their parabolas (kernels/flight.h).
 */
#include "advect.h"
#include "cpu.h"
#include "kernels/flight.h"

typedef struct fly_args {
    X(advection) *advection;
    X(fields) f;
    float dv[DIM];
} fly_args;

static double fly_partial(void *user, size_t begin, size_t end)
{
    const fly_args *args = user;
    const X(fields) *f = &args->f;
    float fastest = 0.0f;
    for (size_t n = begin; n < end; n++) {
        uint32_t k = f->tiles.first_flying + (uint32_t)n;
        float x[DIM], to[DIM], square = 0.0f;
        X(fall)(f, k, args->advection->h, args->dv, x, to);
        X(advect_one)(args->advection, k, x, to);
        FOR_DIM(d)
            square += f->particles.v[d][k] * f->particles.v[d][k];
        fastest = square <= fastest ? fastest : square; /* a NaN stays */
    }
    return (double)fastest;
}

float X(advect_flying)(X(advection) *advection, double dt)
{
    X(sim) *s = advection->s;
    fly_args args = {.advection = advection, .f = X(fields_of)(s)};
    FOR_DIM(d)
        args.dv[d] = X(gravity_kick)(s, d, dt);
    return (float)X(maximum)(s, s->particles.count - s->tiles.first_flying, 1024, fly_partial,
                             &args);
}
