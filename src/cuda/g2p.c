/* g2p.c -- G2P on the device: the order of its parts, as step.c has it, and what they do to
 * momentum (cpu/momentum.c). */
#include "stages.h"

#include <string.h>

static bool is_age(const spate_channel *channel)
{
    return strcmp(channel->name, "age") == 0;
}

/* As X(channels_step) does. */
static void step_channels(X(sim) *s, double dt)
{
    const spate_scene *scene = s->common->scene;
    float **columns = s->gpu->f.particles.channel;
    for (int c = 0; c < scene->channel_count; columns += scene->channels[c++].components) {
        if (is_age(&scene->channels[c]))
            DEV(gpu_add)(s->gpu, columns[0], (float)dt);
        for (int e = 0; e < scene->channels[c].components && scene->channels[c].pic; e++)
            DEV(gpu_average)(s->gpu, columns[e]);
    }
}

void DEV(gpu_transfer_back)(X(sim) *s, double dt)
{
    X(gpu) *g = s->gpu;
    bool measured = s->common->substeps == 0; /* the first step of a frame */
    float kept = X(kept_share)(s);
    double before[DIM], after[DIM];
    DEV(gpu_carry_kick)(g, X(half_way)(s), kept);
    if (measured)
        DEV(gpu_momentum_to_be)(g, 1.0f - kept, before);
    DEV(gpu_grid_to_particles)(g, kept);
    step_channels(s, dt);
    if (!measured)
        return;
    double speeds = DEV(gpu_momentum)(g, after);
    X(book_momentum)(s, dt, before, after, speeds);
}
