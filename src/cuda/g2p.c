/* g2p.c -- G2P on the device: the order of its parts, as step.c has it, and what they do to
 * momentum (cpu/momentum.c). */
#include "kernels/g2p.h"
#include "kernels/step_info.h"
#include "stages.h"
#include "stages/stages.h"

#include <string.h>

void DEV(gpu_transfer_back)(X(sim) *s, double dt)
{
    X(gpu) *g = s->gpu;
    bool measured = s->common->substeps == 0; /* the first step of a frame */
    float kept = X(kept_share)(s, dt);
    double before[DIM], after[DIM];
    uint32_t count = g->f.tiles.first_flying;
    sp_turn turn = X(turn_of)(s);
    DEV(gpu_carry_kick)(g, &turn, kept);
    if (measured)
        DEV(gpu_momentum_to_be)(g, count, 1.0f - kept, before);
    DEV(gpu_grid_to_particles)(g, kept);
    X(channel_step) channels = X(channels_of)(s, dt);
    DEV(bring_back_channels)(g, &channels);
    if (!measured)
        return;
    double speeds = DEV(gpu_momentum)(g, count, after);
    X(book_momentum)(s, dt, before, after, speeds);
}
