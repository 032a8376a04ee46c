/* gauge.c -- names, units and columns of gauges. */
#include "gauge.h"

#include "channels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char axis_names[] = "xyz";

static const struct {
    const char *name, *unit, *flat_unit;
} kinds[] = {
    [SPATE_GAUGE_HEIGHT] = {"height", "m", "m"},
    [SPATE_GAUGE_PRESSURE] = {"pressure", "Pa", "Pa"},
    [SPATE_GAUGE_VELOCITY] = {"velocity", "m/s", "m/s"},
    [SPATE_GAUGE_FLUX] = {"flux", "m^3/s", "m^2/s"},
    [SPATE_GAUGE_FORCE] = {"force", "N", "N/m"},
    [SPATE_GAUGE_MOMENT] = {"moment", "N m", "N"},
    [SPATE_GAUGE_FRONT] = {"front", "m", "m"},
    [SPATE_GAUGE_SLICE] = {"slice", "", ""},
    [SPATE_GAUGE_CHANNEL] = {"channel", "", ""},
};

const char *sp_gauge_kind_name(spate_gauge_kind kind)
{
    return kinds[kind].name;
}

int sp_gauge_values(const spate_gauge *gauge, int dim)
{
    switch (gauge->kind) {
    case SPATE_GAUGE_VELOCITY:
    case SPATE_GAUGE_FORCE: return dim;
    case SPATE_GAUGE_MOMENT: return dim == 3 ? 3 : 1;
    case SPATE_GAUGE_SLICE: return 0;
    case SPATE_GAUGE_HEIGHT:
    case SPATE_GAUGE_PRESSURE:
    case SPATE_GAUGE_FLUX:
    case SPATE_GAUGE_FRONT:
    case SPATE_GAUGE_CHANNEL: break;
    }
    return 1;
}

void sp_gauge_column(const spate_scene *scene, int gauge, int value, char column[SP_GAUGE_LABEL])
{
    const spate_gauge *g = &scene->gauges[gauge];
    int used = g->name[0] ? snprintf(column, SP_GAUGE_LABEL, "%.63s", g->name)
                          : snprintf(column, SP_GAUGE_LABEL, "gauges[%d]", gauge);
    if (sp_gauge_values(g, scene->dim) > 1)
        snprintf(column + used, SP_GAUGE_LABEL - (size_t)used, "_%c", axis_names[value]);
}

/* ------------------------------------------------------------------ units */

/* Of a channel: its own unit, and of a flux of it what that is in a second. */
static const char *unit_of(const spate_scene *scene, const spate_gauge *gauge)
{
    bool flat = scene->dim == 2, flux = gauge->kind == SPATE_GAUGE_FLUX;
    if (strcmp(gauge->channel, SP_SMOKE) == 0)
        return !flux ? "kg/m^3" : flat ? "kg/(m s)" : "kg/s";
    if (strcmp(gauge->channel, SP_TEMPERATURE) == 0)
        return !flux ? "K" : flat ? "K m^2/s" : "K m^3/s";
    return flat ? kinds[gauge->kind].flat_unit : kinds[gauge->kind].unit;
}

int sp_gauge_grid_column(const spate_scene *scene, const spate_gauge *gauge)
{
    sp_grid_column columns[SP_GRID_COLUMNS];
    int count = sp_grid_columns(scene, columns);
    for (int j = 0; j < count && gauge->channel[0]; j++) {
        char label[SP_CHANNEL_LABEL];
        sp_grid_column_label(scene, j, label);
        if (strcmp(label, gauge->channel) == 0)
            return j;
    }
    return -1;
}

/* ------------------------------------------------------------------ headings */

typedef struct heading {
    char *text;
    size_t used;
    int dim;
} heading;

static void add(heading *h, const char *words)
{
    h->used += (size_t)snprintf(h->text + h->used, SP_GAUGE_HEADING - h->used, "%s", words);
}

static void add_point(heading *h, const char *words, const double x[3])
{
    add(h, words);
    for (int d = 0; d < h->dim; d++) {
        char number[24];
        snprintf(number, sizeof number, " %.6g", x[d]);
        add(h, number);
    }
}

/* A name of the scene's: what would end a cell, or look like a unit, becomes _. */
static void add_solid(heading *h, const spate_scene *scene, const spate_gauge *gauge)
{
    char label[64];
    int solid = sp_gauge_solid(scene, gauge);
    snprintf(label, sizeof label, "%s", gauge->solid);
    if (solid >= 0)
        sp_gauge_solid_label(scene, solid, label);
    for (char *c = label; *c; c++)
        if (strchr(",\"", *c) || (unsigned char)*c < ' ' || (*c == ' ' && c[1] == '['))
            *c = '_';
    add(h, " on ");
    add(h, label);
}

static void add_front(heading *h, const spate_gauge *gauge)
{
    static const char *const ways[] = {"+x", "-x", "+y", "-y", "+z", "-z"};
    char depth[32];
    add(h, " along ");
    add(h, ways[gauge->axis]);
    snprintf(depth, sizeof depth, " at depth %.6g", gauge->depth);
    if (gauge->depth > 0)
        add(h, depth);
    if (isnan(gauge->min[0]))
        return;
    add_point(h, " in", gauge->min);
    add_point(h, " to", gauge->max);
}

void sp_gauge_heading(const spate_scene *scene, int gauge, int value,
                      char heading_text[SP_GAUGE_HEADING])
{
    const spate_gauge *g = &scene->gauges[gauge];
    heading h = {heading_text, 0, scene->dim};
    char column[SP_GAUGE_LABEL];
    sp_gauge_column(scene, gauge, value, column);
    add(&h, column);
    add(&h, " [");
    add(&h, unit_of(scene, g));
    add(&h, "]");
    switch (g->kind) {
    case SPATE_GAUGE_HEIGHT:
    case SPATE_GAUGE_PRESSURE:
    case SPATE_GAUGE_VELOCITY: add_point(&h, " at", g->at); break;
    case SPATE_GAUGE_CHANNEL:
        add(&h, " of ");
        add(&h, g->channel);
        add_point(&h, " at", g->at);
        break;
    case SPATE_GAUGE_FLUX:
        add(&h, g->channel[0] ? " of " : "");
        add(&h, g->channel);
        add_point(&h, " through", g->min);
        add_point(&h, " to", g->max);
        break;
    case SPATE_GAUGE_FORCE: add_solid(&h, scene, g); break;
    case SPATE_GAUGE_MOMENT:
        add_solid(&h, scene, g);
        add_point(&h, " about", g->at);
        break;
    case SPATE_GAUGE_FRONT: add_front(&h, g); break;
    case SPATE_GAUGE_SLICE: break;
    }
}

/* ------------------------------------------------------------------ solids */

void sp_gauge_solid_label(const spate_scene *scene, int solid, char label[64])
{
    const char *name = scene->solids.items[solid].name;
    if (name[0])
        snprintf(label, 64, "%.63s", name);
    else
        snprintf(label, 64, "solids[%d]", solid);
}

int sp_gauge_solid(const spate_scene *scene, const spate_gauge *gauge)
{
    char label[64];
    for (int k = 0; k < scene->solids.count; k++) {
        sp_gauge_solid_label(scene, k, label);
        if (strcmp(label, gauge->solid) == 0)
            return k;
    }
    for (int k = 0; k < scene->solids.count; k++) { /* a solid with a name has its number too */
        snprintf(label, sizeof label, "solids[%d]", k);
        if (strcmp(label, gauge->solid) == 0)
            return k;
    }
    return -1;
}
