/* medium.c -- the defaults that depend on the kind of fluid. */
#include "medium.h"

#include "base/status.h"
#include "channels.h"

#include <stdio.h>
#include <string.h>

/* What is taken for 0 and auto. */
typedef struct defaults {
    int per_axis[2]; /* in 2D and in 3D */
    double density;  /* kg/m^3 */
    double cfl;
    spate_transfer transfer;
    spate_volume_method method;
    spate_output_particles particles;
    spate_output_volume volume;
    spate_channel_transfer channels;
} defaults;

/* The density of a gas is that of air at 20 degrees Celsius. */
static const defaults taken[] = {
    [SPATE_FLUID_LIQUID] = {{2, 2},
                            1000,
                            2,
                            SPATE_TRANSFER_FLIP,
                            SPATE_VOLUME_DENSITY,
                            SPATE_OUTPUT_PARTICLES_PLY,
                            SPATE_OUTPUT_VOLUME_NONE,
                            SPATE_CHANNEL_NONE},
    [SPATE_FLUID_GAS] = {{3, 2},
                         1.2,
                         1,
                         SPATE_TRANSFER_AFLIP,
                         SPATE_VOLUME_SHIFT,
                         SPATE_OUTPUT_PARTICLES_NONE,
                         SPATE_OUTPUT_VOLUME_VTK,
                         SPATE_CHANNEL_FLIP},
};

void sp_settle_numbers(spate_scene *scene)
{
    if ((unsigned)scene->fluid.kind > SPATE_FLUID_GAS)
        return; /* no kind: spate_scene_check says so */
    const defaults *d = &taken[scene->fluid.kind];
    if (scene->fluid.particles_per_axis == 0)
        scene->fluid.particles_per_axis = d->per_axis[scene->dim == 3];
    if (scene->fluid.density == 0)
        scene->fluid.density = d->density;
    if (scene->fluid.expansion == 0 && !sp_medium_of(scene)->has_surface)
        scene->fluid.expansion = 1 / scene->fluid.temperature;
    if (scene->time.cfl == 0)
        scene->time.cfl = d->cfl;
    if (scene->fluid.transfer == SPATE_TRANSFER_AUTO)
        scene->fluid.transfer = d->transfer;
    if (scene->volume.method == SPATE_VOLUME_AUTO)
        scene->volume.method = d->method;
    if (scene->output.particles == SPATE_OUTPUT_PARTICLES_AUTO)
        scene->output.particles = d->particles;
    if (scene->output.volume == SPATE_OUTPUT_VOLUME_AUTO)
        scene->output.volume = d->volume;
}

static void settle_channel(const spate_scene *scene, spate_channel *channel)
{
    bool ours = sp_is_age(channel) || sp_is_source(channel);
    if (channel->transfer != SPATE_CHANNEL_AUTO)
        return;
    channel->transfer = channel->pic ? SPATE_CHANNEL_PIC
                        : ours       ? SPATE_CHANNEL_NONE
                        : sp_names_channel(scene, channel->name)
                            ? SPATE_CHANNEL_FLIP
                            : taken[scene->fluid.kind].channels;
}

/* Heat and smoke that something names are channels without an entry. */
static spate_status add_named(spate_scene *scene, const char *name, spate_error *error)
{
    bool there = !sp_names_channel(scene, name);
    for (int k = 0; k < scene->channel_count; k++)
        there = there || strcmp(scene->channels[k].name, name) == 0;
    if (there)
        return SPATE_OK;
    spate_channel *channel = spate_scene_add_channel(scene);
    if (!channel)
        return sp_fail_memory(error, "a channel", sizeof *channel);
    snprintf(channel->name, sizeof channel->name, "%s", name);
    return SPATE_OK;
}

spate_status spate_scene_settle(spate_scene *scene, spate_error *error)
{
    if ((unsigned)scene->fluid.kind > SPATE_FLUID_GAS)
        return sp_fail(error, SPATE_ERROR_SCENE, "fluid.kind",
                       "must be one of liquid, gas (got %d)", (int)scene->fluid.kind);
    sp_settle_numbers(scene);
    TRY(add_named(scene, SP_TEMPERATURE, error));
    TRY(add_named(scene, SP_SMOKE, error));
    for (int k = 0; k < scene->channel_count; k++)
        settle_channel(scene, &scene->channels[k]);
    return SPATE_OK;
}
