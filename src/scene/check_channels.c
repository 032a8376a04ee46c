/* check_channels.c -- whether the channels of a scene have names of their own, and transfers that
 * make sense. */
#include "check.h"

#include "base/status.h"
#include "channels.h"

#include <stdio.h>
#include <string.h>

static spate_status check_transfer(const sp_checker *c, int index)
{
    const spate_channel *channel = &c->scene->channels[index];
    char where[64];
    snprintf(where, sizeof where, "channels[%d].transfer", index);
    if (channel->pic && channel->transfer != SPATE_CHANNEL_PIC)
        return sp_fail(c->error, SPATE_ERROR_SCENE, where,
                       "is not pic, but `pic` is true: leave `pic` out");
    if (sp_is_source(channel) && channel->dissipation > 0)
        return sp_fail(c->error, SPATE_ERROR_SCENE, where,
                       "\"source\" says where a particle came from and cannot dissipate");
    snprintf(where, sizeof where, "channels[%d].pic_time", index);
    if (channel->pic_time > 0 && channel->transfer != SPATE_CHANNEL_FLIP)
        sp_log(c->log, c->user, SPATE_LOG_WARNING, where, "means nothing without transfer flip");
    return SPATE_OK;
}

static bool is_identifier(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return name[strspn(name, letters)] == 0 && !(name[0] >= '0' && name[0] <= '9');
}

static spate_status check_channel(sp_checker *c, int index)
{
    static const char *const taken[] = {"x",        "y",     "z",         "vx",
                                        "vy",       "vz",    "id",        "position",
                                        "velocity", "speed", "vorticity", "channels"};
    const spate_channel *channel = &c->scene->channels[index];
    char where[64];
    snprintf(where, sizeof where, "channels[%d].name", index);
    if (!channel->name[0])
        return sp_fail(c->error, SPATE_ERROR_SCENE, where, "is required");
    if (!is_identifier(channel->name))
        return sp_fail(c->error, SPATE_ERROR_SCENE, where,
                       "must be letters, digits and _, and not begin with a digit (got \"%s\")",
                       channel->name);
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
        if (strcmp(channel->name, taken[k]) == 0)
            return sp_fail(c->error, SPATE_ERROR_SCENE, where,
                           "all particles have \"%s\" already: choose another name", channel->name);
    for (int k = 0; k < index; k++)
        if (strcmp(channel->name, c->scene->channels[k].name) == 0)
            return sp_fail(c->error, SPATE_ERROR_SCENE, where,
                           "is the name of channels[%d] already (\"%s\")", k, channel->name);
    bool ours = sp_is_age(channel) || sp_is_source(channel);
    snprintf(where, sizeof where, "channels[%d].components", index);
    if (ours && channel->components != 1)
        return sp_fail(c->error, SPATE_ERROR_SCENE, where, "must be 1 for \"%s\" (got %d)",
                       channel->name, channel->components);
    snprintf(where, sizeof where, "channels[%d].initial", index);
    for (int k = channel->components; k < 4; k++)
        if (channel->initial[k] != 0)
            return sp_fail(c->error, SPATE_ERROR_SCENE, where,
                           "has more numbers than the channel has components (%d)",
                           channel->components);
    return check_transfer(c, index);
}

spate_status sp_check_channels(sp_checker *c)
{
    const spate_scene *scene = c->scene;
    int on_grid = 0;
    for (int k = 0; k < scene->channel_count; k++) {
        TRY(check_channel(c, k));
        on_grid +=
            scene->channels[k].transfer != SPATE_CHANNEL_NONE ? scene->channels[k].components : 0;
        if (on_grid > SP_GRID_COLUMNS) {
            char where[64];
            snprintf(where, sizeof where, "channels[%d].transfer", k);
            return sp_fail(c->error, SPATE_ERROR_SCENE, where,
                           "the grid holds at most %d numbers of channels, and this makes %d: use "
                           "\"none\" for what is only carried",
                           SP_GRID_COLUMNS, on_grid);
        }
    }
    return SPATE_OK;
}
