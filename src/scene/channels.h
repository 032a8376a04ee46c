/* channels.h -- what everyone needs to know of the channels of a scene: which of them change by
 * themselves, and which the grid holds. */
#ifndef SPATE_SCENE_CHANNELS_H
#define SPATE_SCENE_CHANNELS_H

#include <spate/spate.h>

#include <string.h>

/* `age` grows by the time, `source` says which fill or inflow a particle came from. */
static inline bool sp_is_age(const spate_channel *channel)
{
    return strcmp(channel->name, "age") == 0;
}
static inline bool sp_is_source(const spate_channel *channel)
{
    return strcmp(channel->name, "source") == 0;
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

#endif
