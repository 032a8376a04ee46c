/* channels.c -- see channels.h. */
#include "channels.h"

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
