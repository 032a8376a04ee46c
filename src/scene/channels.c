/* channels.c -- see channels.h. */
#include "channels.h"

#include "timeline.h"

#include <math.h>
#include <stdio.h>

int sp_grid_columns(const spate_scene *scene, sp_grid_column columns[SP_GRID_COLUMNS])
{
    int column = 0, count = 0;
    for (int k = 0; k < scene->channel_count; k++)
        for (int e = 0; e < scene->channels[k].components; e++, column++)
            if (scene->channels[k].transfer != SPATE_CHANNEL_NONE && count < SP_GRID_COLUMNS)
                columns[count++] = (sp_grid_column){k, e, column};
    return count;
}

void sp_grid_column_label(const spate_scene *scene, int on_grid, char label[SP_CHANNEL_LABEL])
{
    sp_grid_column columns[SP_GRID_COLUMNS];
    int count = sp_grid_columns(scene, columns);
    label[0] = 0;
    if (on_grid < 0 || on_grid >= count)
        return;
    const char *name = scene->channels[columns[on_grid].channel].name;
    int component = columns[on_grid].component;
    if (component == 0)
        snprintf(label, SP_CHANNEL_LABEL, "%.31s", name);
    else
        snprintf(label, SP_CHANNEL_LABEL, "%.31s[%d]", name, component);
}

/* ---- heat and smoke */

static bool shape_names(const spate_shape *shape, const char *name)
{
    bool found = !isnan(strcmp(name, SP_SMOKE) == 0 ? shape->smoke : shape->temperature);
    for (int k = 0; k < shape->value_count; k++)
        found = found || strcmp(shape->values[k].name, name) == 0;
    return found;
}

bool sp_names_channel(const spate_scene *scene, const char *name)
{
    const spate_shape_list *lists[] = {&scene->fill, &scene->inflows, &scene->sources};
    bool found = false;
    for (int l = 0; l < 3; l++)
        for (int k = 0; k < lists[l]->count; k++)
            found = found || shape_names(&lists[l]->items[k], name);
    for (int k = 0; k < scene->gauge_count; k++)
        found = found || strcmp(scene->gauges[k].channel, name) == 0;
    return found;
}

/* Adds a value of one number, of a channel by its name. */
static int add_value(const spate_scene *scene, const char *name, int component, double value,
                     bool rate, sp_shape_value *to)
{
    int column = 0;
    for (int k = 0; k < scene->channel_count; column += scene->channels[k++].components) {
        const spate_channel *channel = &scene->channels[k];
        if (strcmp(channel->name, name) != 0 || component >= channel->components)
            continue;
        double origin = sp_is_temperature(channel) && !rate ? scene->fluid.temperature : 0;
        *to = (sp_shape_value){column + component, value - origin};
        return 1;
    }
    return 0;
}

int sp_shape_values(const spate_scene *scene, const spate_shape *shape, bool rate,
                    sp_shape_value values[SP_MOST_VALUES])
{
    int count = 0;
    if (!isnan(shape->smoke))
        count += add_value(scene, SP_SMOKE, 0, shape->smoke, rate, &values[count]);
    if (!isnan(shape->temperature))
        count += add_value(scene, SP_TEMPERATURE, 0, shape->temperature, rate, &values[count]);
    for (int k = 0; k < shape->value_count; k++)
        for (int e = 0; e < 4 && count < SP_MOST_VALUES; e++)
            if (!isnan(shape->values[k].value[e]))
                count += add_value(scene, shape->values[k].name, e, shape->values[k].value[e], rate,
                                   &values[count]);
    return count;
}

double sp_channel_initial(const spate_scene *scene, int channel, int component)
{
    const spate_channel *c = &scene->channels[channel];
    double value = c->initial[component];
    return sp_is_temperature(c) && value != 0 ? value - scene->fluid.temperature : value;
}

double sp_channel_lightness(const spate_scene *scene, int channel)
{
    const spate_channel *c = &scene->channels[channel];
    if (sp_is_temperature(c))
        return scene->fluid.expansion;
    return sp_is_smoke(c) ? -1 / scene->fluid.density : 0;
}

double sp_most_buoyancy(const spate_scene *scene, double gravity)
{
    const spate_shape_list *lists[] = {&scene->fill, &scene->inflows, &scene->sources};
    double heat = 0, smoke = 0;
    for (int l = 0; l < 3; l++)
        for (int k = 0; k < lists[l]->count; k++) {
            const spate_shape *shape = &lists[l]->items[k];
            bool rate = l == 2 && shape->mode == SPATE_SOURCE_RATE; /* in a second */
            double origin = rate ? 0 : scene->fluid.temperature;
            heat = fmax(heat, isnan(shape->temperature) ? 0 : fabs(shape->temperature - origin));
            smoke = fmax(smoke, isnan(shape->smoke) ? 0 : fabs(shape->smoke));
        }
    return gravity * (scene->fluid.expansion * heat + smoke / scene->fluid.density);
}
