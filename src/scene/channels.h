/* channels.h -- what everyone needs to know of the channels of a scene: which of them change by
 * themselves, and which the grid holds. */
#ifndef SPATE_SCENE_CHANNELS_H
#define SPATE_SCENE_CHANNELS_H

#include <spate/spate.h>

#include <string.h>

#define SP_TEMPERATURE "temperature"
#define SP_SMOKE "smoke"

/* `age` grows by the time, `source` says which fill or inflow a particle came from. */
static inline bool sp_is_age(const spate_channel *channel)
{
    return strcmp(channel->name, "age") == 0;
}
static inline bool sp_is_source(const spate_channel *channel)
{
    return strcmp(channel->name, "source") == 0;
}

/* Heat and smoke make a fluid lighter and heavier. Particles hold the temperature above
 * fluid.temperature, so that slow heating is not lost in single precision. */
static inline bool sp_is_temperature(const spate_channel *channel)
{
    return strcmp(channel->name, SP_TEMPERATURE) == 0;
}
static inline bool sp_is_smoke(const spate_channel *channel)
{
    return strcmp(channel->name, SP_SMOKE) == 0;
}

/* One component of a channel that the grid holds. */
#define SP_GRID_COLUMNS 16
typedef struct sp_grid_column {
    int channel, component;
    int column; /* of the particles: components of all channels in order */
} sp_grid_column;

/* Lists them, in order; returns how many. A scene that has passed its check has no more than
 * SP_GRID_COLUMNS. */
int sp_grid_columns(const spate_scene *scene, sp_grid_column columns[SP_GRID_COLUMNS]);

/* What one of them is called: "smoke", and of several components "dye", "dye[1]", "dye[2]". */
#define SP_CHANNEL_LABEL 40
void sp_grid_column_label(const spate_scene *scene, int on_grid, char label[SP_CHANNEL_LABEL]);

/* Whether something in the scene sets or reads `smoke` or `temperature`, which then exists without
 * an entry in `channels`. */
bool sp_names_channel(const spate_scene *scene, const char *name);

/* What a shape says of the channels: column by column of the particles, in their units. Those that
 * it does not name are left out. Returns how many. */
#define SP_MOST_VALUES 8 /* of a shape */
typedef struct sp_shape_value {
    int column;
    double value;
} sp_shape_value;
int sp_shape_values(const spate_scene *scene, const spate_shape *shape, bool rate,
                    sp_shape_value values[SP_MOST_VALUES]);
/* The value of a component at the start, in the unit of the particles. */
double sp_channel_initial(const spate_scene *scene, int channel, int component);

/* Lighter by so much: 1/K of heat, m^3/kg of smoke; 0 for other channels. */
double sp_channel_lightness(const spate_scene *scene, int channel);
/* The largest acceleration that heat and smoke of the scene can give, m/s^2. */
double sp_most_buoyancy(const spate_scene *scene, double gravity);

#endif
