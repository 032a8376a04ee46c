/* channels.c -- the channels of a simulation: what a step does to them (stages/channels.c does it),
 * and their ledger, in which every change of the sum over the particles stands under its cause. */
#include "state.h"

#include "kernels/step_info.h"
#include "scene/channels.h"

#include <math.h>

/* ---- a step */

/* Of their own value, that a transfer leaves to particles in a step. */
static float kept_of(const spate_channel *channel, double dt)
{
    if (channel->transfer == SPATE_CHANNEL_PIC)
        return 0.0f;
    return channel->pic_time > 0 ? (float)(channel->pic_time / (channel->pic_time + dt)) : 1.0f;
}

X(channel_step) X(channels_of)(const X(sim) *s, double dt)
{
    const spate_scene *scene = s->common->scene;
    sp_channel_ledger *ledger = s->common->channels;
    X(channel_step) step = {.change_count = 0};
    int column = 0;
    for (int k = 0; k < scene->channel_count; k++) {
        const spate_channel *c = &scene->channels[k];
        for (int e = 0; e < c->components; e++, column++) {
            X(channel_change) *change = &step.changes[step.change_count];
            *change = (X(channel_change)){.column = column, .kept = 1};
            if (sp_is_age(c)) {
                change->by = (float)dt;
                change->booked = &ledger[column].sources;
                step.change_count++;
            } else if (c->dissipation > 0) {
                change->kept = (float)exp(-dt / c->dissipation);
                change->booked = &ledger[column].dissipated;
                step.change_count++;
            }
        }
    }
    sp_grid_column columns[SP_GRID_COLUMNS];
    int on_grid = sp_grid_columns(scene, columns);
    for (int j = 0; j < on_grid; j++) {
        float kept = kept_of(&scene->channels[columns[j].channel], dt);
        if (kept < 1)
            step.back[step.back_count++] =
                (X(channel_back)){j, kept, &ledger[columns[j].column].mixed};
    }
    return step;
}

/* ---- the ledger */

double X(channel_sum)(const X(particles) *p, int column, uint32_t first, bool dead)
{
    double sum = 0;
    for (uint32_t k = first; k < p->count; k++)
        if (!dead || p->x[0][k] == DEAD)
            sum += (double)p->channel[column][k];
    return sum;
}

void X(book_start)(X(sim) *s)
{
    for (int c = 0; c < s->particles.channel_columns; c++)
        s->common->channels[c].start = X(channel_sum)(&s->particles, c, 0, false);
}

void X(book_arrivals)(X(sim) *s, uint32_t before)
{
    for (int c = 0; c < s->particles.channel_columns; c++)
        s->common->channels[c].came += X(channel_sum)(&s->particles, c, before, false);
}

void X(remove_dead)(X(sim) *s)
{
    for (int c = 0; c < s->particles.channel_columns; c++)
        s->common->channels[c].left -= X(channel_sum)(&s->particles, c, 0, true);
    X(particles_remove_dead)(&s->particles);
}
