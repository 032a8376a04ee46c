/* show.c -- the columns of a simulation's particles, as those see them who know no dimension. */
#include "state.h"

#include "scene/channels.h"

_Static_assert(MAX_CHANNELS <= SP_MAX_ATTRIBUTES, "channels of a set");

void X(show_particles)(const X(sim) *s, const X(particles) *p, sp_particles *out)
{
    const spate_scene *scene = s->common->scene;
    *out = (sp_particles){.view = {.count = p->count, .scale = s->grid.dx, .id = p->id[0]}};
    FOR_DIM(d) {
        out->view.x[d] = p->x[d];
        out->view.v[d] = p->v[d];
    }
    int column = 0;
    for (int k = 0; k < scene->channel_count; k++) {
        const spate_channel *channel = &scene->channels[k];
        sp_column *shown = sp_particles_add_column(out, channel->name, channel->components, false);
        shown->origin = sp_is_temperature(channel) ? (float)scene->fluid.temperature : 0;
        for (int c = 0; c < channel->components; c++)
            shown->values[c] = p->own[column++];
    }
}
