/* g2p.c -- G2P on the device: the order of its parts, as step.c has it, and what they do to
 * momentum (cpu/momentum.c). */
#include "stages.h"

#include <math.h>

static void grow(X(sim) *s, int column, float by)
{
    DEV(gpu_add)(s->gpu, s->gpu->f.particles.channel[column], by);
}

static void average(X(sim) *s, int column)
{
    DEV(gpu_average)(s->gpu, s->gpu->f.particles.channel[column]);
}

void DEV(gpu_transfer_back)(X(sim) *s, double dt)
{
    X(gpu) *g = s->gpu;
    bool measured = s->common->substeps == 0; /* the first step of a frame */
    float kept = X(kept_share)(s);
    double before[DIM], after[DIM], square = 0;
    DEV(gpu_carry_kick)(g, (float)(0.5 * s->common->last_dt / s->grid.dx), kept);
    if (measured)
        DEV(gpu_momentum_to_be)(g, 1.0f - kept, before);
    DEV(gpu_grid_to_particles)(g, kept);
    X(step_channels)(s, dt, grow, average);
    if (!measured)
        return;
    double speed = DEV(gpu_momentum)(g, after);
    FOR_DIM(d)
        square += (before[d] - after[d]) * (before[d] - after[d]);
    s->common->momentum_lost = speed > 0 && dt > 0 ? sqrt(square) / (speed * dt) : 0;
}
