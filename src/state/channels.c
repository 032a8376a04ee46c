/* channels.c -- the channels of a simulation: what a step does to them (stages/channels.c does it),
 * and their ledger, in which every change of the sum over the particles stands under its cause. */
#include "state.h"

#include "kernels/step_info.h"
#include "scene/channels.h"
#include "scene/timeline.h"

#include <math.h>

/* ---- sources and buoyancy */

spate_status X(sources_create)(X(sim) *s, spate_error *error)
{
    const spate_shape_list *list = &s->common->scene->sources;
    s->sources = sp_alloc((size_t)list->count + 1, sizeof *s->sources);
    s->source_forms = sp_alloc((size_t)list->count + 1, sizeof *s->source_forms);
    if (!s->sources || !s->source_forms)
        return sp_fail_memory(error, "the sources", 0);
    for (int k = 0; k < list->count; k++)
        sp_shape_prepare(&s->source_forms[k], &list->items[k], DIM);
    s->source_count = list->count;
    s->forms_there = s->source_forms;
    return SPATE_OK;
}

void X(sources_destroy)(X(sim) *s)
{
    sp_free(s->sources);
    sp_free(s->source_forms);
}

/* With the values that keyframes give it in the step. */
static spate_shape source_at(const spate_scene *scene, int k, double from, double to)
{
    spate_shape source = scene->sources.items[k];
    double value[3];
    if (sp_keys_mean(scene, SP_KEYED_SMOKE, k, from, to, value))
        source.smoke = value[0];
    if (sp_keys_mean(scene, SP_KEYED_TEMPERATURE, k, from, to, value))
        source.temperature = value[0];
    return source;
}

/* What a value must not fall below as a source takes: no smoke, and 0 K. */
static float least_of(const spate_scene *scene, int column)
{
    int first = 0;
    for (int k = 0; k < scene->channel_count; first += scene->channels[k++].components) {
        if (first == column && sp_is_smoke(&scene->channels[k]))
            return 0.0f;
        if (first == column && sp_is_temperature(&scene->channels[k]))
            return (float)-scene->fluid.temperature;
    }
    return -HUGE_VALF;
}

static int grid_column_of(const X(sim) *s, int column)
{
    for (int j = 0; j < s->on_grid; j++)
        if (s->column_of[j] == column)
            return j;
    return 0;
}

/* Those that are on in the step, into s->sources; returns how many. */
static int list_sources(const X(sim) *s, double dt)
{
    const spate_scene *scene = s->common->scene;
    double time = s->common->frame / scene->fps + s->common->inside, late = 2e-6 / scene->fps;
    int count = 0;
    for (int k = 0; k < s->source_count; k++) {
        spate_shape shape = source_at(scene, k, time, time + dt);
        sp_shape_value values[SP_MOST_VALUES];
        X(source) *source = &s->sources[count];
        if (!sp_is_open(&shape, time + late))
            continue;
        *source = (X(source)){.form = &s->forms_there[k], .rate = shape.mode == SPATE_SOURCE_RATE};
        X(bound_shape)(s->grid.dx, &s->source_forms[k], source->bounds);
        source->count = sp_shape_values(scene, &shape, source->rate, values);
        for (int v = 0; v < source->count; v++) {
            source->column[v] = values[v].column;
            source->on_grid[v] = grid_column_of(s, values[v].column);
            source->value[v] = (float)(values[v].value * (source->rate ? dt : 1));
            source->least[v] = least_of(scene, values[v].column);
        }
        count++;
    }
    return count;
}

X(buoyancy) X(buoyancy_of)(const X(sim) *s, double dt)
{
    const spate_scene *scene = s->common->scene;
    sp_grid_column columns[SP_GRID_COLUMNS];
    int on_grid = sp_grid_columns(scene, columns);
    X(buoyancy) b = {.count = 0};
    for (int j = 0; j < on_grid; j++) {
        double lightness = sp_channel_lightness(scene, columns[j].channel);
        if (lightness == 0 || b.count == BUOYANT_COLUMNS)
            continue;
        b.on_grid[b.count] = j;
        b.lightness[b.count++] = (float)lightness;
    }
    FOR_DIM(d)
        b.dv[d] = (float)(s->common->gravity[d] * X(kick_seconds)(s, dt));
    return b;
}

/* ---- a step */

/* Of their own value, that a transfer leaves to particles in a step. */
static float kept_of(const spate_channel *channel, double dt)
{
    if (channel->transfer == SPATE_CHANNEL_PIC)
        return 0.0f;
    return channel->pic_time > 0 ? (float)(channel->pic_time / (channel->pic_time + dt)) : 1.0f;
}

/* Columns that change on the grid: by PIC, or because a source gives. */
static void list_back(const X(sim) *s, double dt, X(channel_step) *step)
{
    const spate_scene *scene = s->common->scene;
    sp_grid_column columns[SP_GRID_COLUMNS];
    int on_grid = sp_grid_columns(scene, columns);
    for (int j = 0; j < on_grid; j++) {
        float kept = kept_of(&scene->channels[columns[j].channel], dt);
        sp_channel_ledger *ledger = &step->ledger[columns[j].column];
        bool given = false;
        for (int k = 0; k < step->source_count; k++)
            for (int v = 0; v < step->sources[k].count && step->sources[k].rate; v++)
                given = given || step->sources[k].on_grid[v] == j;
        if (kept < 1 || given)
            step->back[step->back_count++] =
                (X(channel_back)){j, kept, given ? &ledger->sources : &ledger->mixed};
    }
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
    step.sources = s->sources;
    step.source_count = list_sources(s, dt);
    step.ledger = ledger;
    list_back(s, dt, &step);
    return step;
}

double X(channel_origin)(const X(sim) *s, int on_grid)
{
    const spate_scene *scene = s->common->scene;
    sp_grid_column columns[SP_GRID_COLUMNS];
    int count = sp_grid_columns(scene, columns);
    bool heat = on_grid >= 0 && on_grid < count &&
                sp_is_temperature(&scene->channels[columns[on_grid].channel]);
    return heat ? scene->fluid.temperature : 0;
}

/* ---- the ledger */

double X(channel_sum)(const X(particles) *p, int column, uint32_t first, bool dead)
{
    double sum = 0;
    for (uint32_t k = first; k < p->count; k++)
        if (!dead || p->x[0][k] == DEAD)
            sum += (double)p->own[column][k];
    return sum;
}

void X(book_start)(X(sim) *s)
{
    for (int c = 0; c < s->particles.own_columns; c++)
        s->common->channels[c].start = X(channel_sum)(&s->particles, c, 0, false);
}

void X(book_arrivals)(X(sim) *s, uint32_t before)
{
    for (int c = 0; c < s->particles.own_columns; c++)
        s->common->channels[c].came += X(channel_sum)(&s->particles, c, before, false);
}

void X(remove_dead)(X(sim) *s)
{
    for (int c = 0; c < s->particles.own_columns; c++)
        s->common->channels[c].left -= X(channel_sum)(&s->particles, c, 0, true);
    X(particles_remove_dead)(&s->particles);
}
