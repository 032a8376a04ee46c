/* check_channels.c -- whether the channels of a scene have names of their own, and transfers that
 * make sense. */
#include "check.h"

#include "base/status.h"
#include "channels.h"

#include "shapes.h"
#include "unknown.h"

#include <math.h>
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

/* Fields of the grid and of volume files go by these names. */
static spate_status check_grid_name(const sp_checker *c, int index)
{
    static const char *const taken[] = {"u",     "v",      "w",        "p",     "phi",
                                        "solid", "type",   "pressure", "vel",   "surface",
                                        "open",  "open_u", "open_v",   "open_w"};
    const spate_channel *channel = &c->scene->channels[index];
    char where[64];
    snprintf(where, sizeof where, "channels[%d].name", index);
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
        if (channel->transfer != SPATE_CHANNEL_NONE && strcmp(channel->name, taken[k]) == 0)
            return sp_fail(c->error, SPATE_ERROR_SCENE, where,
                           "the grid has \"%s\" already: choose another name, or transfer none",
                           channel->name);
    return SPATE_OK;
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
    TRY(check_grid_name(c, index));
    return check_transfer(c, index);
}

/* ---- values of shapes */

/* The channel of a name; -1: there is none. */
static int find_channel(const spate_scene *scene, const char *name)
{
    for (int k = 0; k < scene->channel_count; k++)
        if (strcmp(scene->channels[k].name, name) == 0)
            return k;
    return -1;
}

static spate_status fail_no_channel(const sp_checker *c, const char *where, const char *name)
{
    sp_nearest nearest = {.word = name};
    for (int k = 0; k < c->scene->channel_count; k++)
        sp_nearest_offer(&nearest, c->scene->channels[k].name);
    if (nearest.name[0])
        return sp_fail(c->error, SPATE_ERROR_SCENE, where,
                       "there is no channel \"%s\"; did you mean \"%s\"?", name, nearest.name);
    return sp_fail(c->error, SPATE_ERROR_SCENE, where,
                   "there is no channel \"%s\": add { \"name\": \"%s\" } to channels", name, name);
}

static spate_status check_value(const sp_checker *c, const spate_channel_value *value,
                                const char *item, int index, int *numbers)
{
    const spate_scene *scene = c->scene;
    int channel = find_channel(scene, value->name), given = 0;
    char where[128];
    snprintf(where, sizeof where, "%s.channels[%d].name", item, index);
    if (!value->name[0])
        return sp_fail(c->error, SPATE_ERROR_SCENE, where, "is required");
    if (channel < 0)
        return fail_no_channel(c, where, value->name);
    if (sp_is_age(&scene->channels[channel]) || sp_is_source(&scene->channels[channel]))
        return sp_fail(c->error, SPATE_ERROR_SCENE, where,
                       "\"%s\" is kept up to date by spate and cannot be set", value->name);
    for (int e = 0; e < 4; e++)
        given += !isnan(value->value[e]);
    snprintf(where, sizeof where, "%s.channels[%d].value", item, index);
    if (given > scene->channels[channel].components)
        return sp_fail(c->error, SPATE_ERROR_SCENE, where,
                       "has more numbers than the channel has components (%d)",
                       scene->channels[channel].components);
    *numbers += given;
    return SPATE_OK;
}

static spate_status check_values(const sp_checker *c, const spate_shape *shape, const char *item)
{
    int numbers = !isnan(shape->smoke) + !isnan(shape->temperature);
    for (int k = 0; k < shape->value_count; k++)
        TRY(check_value(c, &shape->values[k], item, k, &numbers));
    if (numbers > SP_MOST_VALUES)
        return sp_fail(c->error, SPATE_ERROR_SCENE, item,
                       "names %d numbers of channels, at most %d are possible in one shape",
                       numbers, SP_MOST_VALUES);
    return SPATE_OK;
}

/* Whether a shape is wholly inside one of the solids, as its middle and its extents tell. */
static bool is_buried(const sp_checker *c, const spate_shape *shape)
{
    sp_shape placed, solid;
    double low[3], high[3], square = 0, middle[3] = {0, 0, 0}, local[3];
    sp_shape_prepare(&placed, shape, c->scene->dim);
    sp_shape_bounds_at(&placed, &placed.rest, low, high);
    for (int d = 0; d < c->scene->dim; d++) {
        middle[d] = 0.5 * (low[d] + high[d]);
        square += 0.25 * (high[d] - low[d]) * (high[d] - low[d]);
    }
    for (int k = 0; k < c->scene->solids.count; k++) {
        sp_shape_prepare(&solid, &c->scene->solids.items[k], c->scene->dim);
        if (sp_shape_moves(&solid))
            continue;
        sp_pose_to_local(&solid.rest, middle, local);
        if (sp_shape_distance(&solid, local, NULL) < -sqrt(square))
            return true;
    }
    return false;
}

/* Rates act on the grid, which must hold the channels. */
static spate_status check_rates(const sp_checker *c, const char *item, const sp_shape_value *values,
                                int count)
{
    sp_grid_column columns[SP_GRID_COLUMNS];
    int on_grid = sp_grid_columns(c->scene, columns);
    for (int k = 0; k < count; k++) {
        bool found = false;
        for (int j = 0; j < on_grid; j++)
            found = found || columns[j].column == values[k].column;
        if (!found)
            return sp_fail(c->error, SPATE_ERROR_SCENE, item,
                           "gives rates on the grid, which does not hold one of its channels: set "
                           "its transfer to flip or pic, or use mode hold");
    }
    return SPATE_OK;
}

static spate_status check_source(const sp_checker *c, int index)
{
    const spate_scene *scene = c->scene;
    const spate_shape *source = &scene->sources.items[index];
    sp_shape_value values[SP_MOST_VALUES];
    bool rate = source->mode == SPATE_SOURCE_RATE;
    char item[64], where[96];
    snprintf(item, sizeof item, "sources[%d]", index);
    TRY(check_values(c, source, item));
    int count = sp_shape_values(scene, source, rate, values);
    if (count == 0)
        return sp_fail(c->error, SPATE_ERROR_SCENE, item,
                       "names nothing that it holds or gives: smoke, temperature, or channels");
    snprintf(where, sizeof where, "%s.temperature", item);
    if (!rate && source->temperature < 0)
        return sp_fail(c->error, SPATE_ERROR_SCENE, where, "must be in kelvin, at least 0 (got %g)",
                       source->temperature);
    snprintf(where, sizeof where, "%s.smoke", item);
    if (!rate && source->smoke < 0)
        return sp_fail(c->error, SPATE_ERROR_SCENE, where, "must be at least 0 kg/m^3 (got %g)",
                       source->smoke);
    if (rate)
        TRY(check_rates(c, item, values, count));
    if (is_buried(c, source))
        sp_log(c->log, c->user, SPATE_LOG_WARNING, item,
               "lies inside a solid: there is nothing in it");
    return SPATE_OK;
}

static spate_status check_contents(const sp_checker *c, const spate_shape_list *list,
                                   const char *name)
{
    for (int k = 0; k < list->count; k++) {
        char item[64];
        snprintf(item, sizeof item, "%s[%d]", name, k);
        TRY(check_values(c, &list->items[k], item));
    }
    return SPATE_OK;
}

/* Heat in kelvin, and no cooler than nothing; smoke in kg/m^3. */
static spate_status check_heat(const sp_checker *c)
{
    for (int k = 0; k < c->scene->channel_count; k++) {
        const spate_channel *channel = &c->scene->channels[k];
        char where[64];
        if (!sp_is_temperature(channel) && !sp_is_smoke(channel))
            continue;
        snprintf(where, sizeof where, "channels[%d].components", k);
        if (channel->components != 1)
            return sp_fail(c->error, SPATE_ERROR_SCENE, where, "must be 1 for \"%s\" (got %d)",
                           channel->name, channel->components);
        snprintf(where, sizeof where, "channels[%d].initial", k);
        if (channel->initial[0] < 0)
            return sp_fail(c->error, SPATE_ERROR_SCENE, where, "must be in %s, at least 0 (got %g)",
                           sp_is_smoke(channel) ? "kg/m^3" : "kelvin", channel->initial[0]);
    }
    return SPATE_OK;
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
    TRY(check_heat(c));
    TRY(check_contents(c, &scene->fill, "fill"));
    TRY(check_contents(c, &scene->inflows, "inflows"));
    for (int k = 0; k < scene->sources.count; k++)
        TRY(check_source(c, k));
    return SPATE_OK;
}
