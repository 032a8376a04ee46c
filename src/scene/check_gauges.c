/* check_gauges.c -- whether the gauges of a scene can be read: each has what its kind needs, lies
 * in the domain, and has columns of its own in gauges.csv. */
#include "check.h"

#include "base/memory.h"
#include "base/status.h"
#include "gauge.h"
#include "schema.h"
#include "sides.h"
#include "unknown.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = {"height", "pressure", "velocity", "flux", "force"};
static const char axis_names[] = "xyz";

/* ------------------------------------------------------------------ what others need to know */

int sp_gauge_values(const spate_gauge *gauge, int dim)
{
    return gauge->kind == SPATE_GAUGE_VELOCITY || gauge->kind == SPATE_GAUGE_FORCE ? dim : 1;
}

void sp_gauge_column(const spate_scene *scene, int gauge, int value, char column[SP_GAUGE_LABEL])
{
    const spate_gauge *g = &scene->gauges[gauge];
    int used = g->name[0] ? snprintf(column, SP_GAUGE_LABEL, "%.63s", g->name)
                          : snprintf(column, SP_GAUGE_LABEL, "gauges[%d]", gauge);
    if (sp_gauge_values(g, scene->dim) > 1)
        snprintf(column + used, SP_GAUGE_LABEL - (size_t)used, "_%c", axis_names[value]);
}

static void solid_label(const spate_scene *scene, int solid, char label[64])
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
        solid_label(scene, k, label);
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

/* ------------------------------------------------------------------ places */

typedef struct place {
    sp_checker *c;
    int index;
    const spate_gauge *gauge;
    char path[96];
} place;

static const char *member(place *p, const char *key)
{
    snprintf(p->path, sizeof p->path, "gauges[%d].%s", p->index, key);
    return p->path;
}

static bool is_given(const double v[3])
{
    return !(isnan(v[0]) && isnan(v[1]));
}

/* A point that the kind needs, inside the domain as the grid will have it. */
static spate_status check_point(place *p, const double v[3], const char *key)
{
    const spate_scene *scene = p->c->scene;
    if (!is_given(v))
        return sp_fail(p->c->error, SPATE_ERROR_SCENE, member(p, key), "is required for a %s gauge",
                       kind_names[p->gauge->kind]);
    for (int d = 0; d < scene->dim; d++) {
        double size = sp_scene_extent(scene, d), slack = 1e-6 * p->c->dx;
        if (v[d] < -slack || v[d] > size + slack)
            return sp_fail(p->c->error, SPATE_ERROR_SCENE, member(p, key),
                           "is outside the domain along %c: must be 0 to %.6g (got %.6g)",
                           axis_names[d], size, v[d]);
    }
    return SPATE_OK;
}

static spate_status check_rectangle(place *p)
{
    const spate_gauge *g = p->gauge;
    int flat = 0;
    TRY(check_point(p, g->min, "min"));
    TRY(check_point(p, g->max, "max"));
    for (int d = 0; d < p->c->scene->dim; d++) {
        flat += g->min[d] == g->max[d];
        if (g->min[d] > g->max[d])
            return sp_fail(p->c->error, SPATE_ERROR_SCENE, member(p, "max"),
                           "must not be less than min along %c (min %.6g, max %.6g)", axis_names[d],
                           g->min[d], g->max[d]);
    }
    if (flat == 1)
        return SPATE_OK;
    return sp_fail(p->c->error, SPATE_ERROR_SCENE, member(p, "max"),
                   "must be equal to min along exactly one axis, the one that the flux goes along "
                   "(it is along %d): %s",
                   flat,
                   p->c->scene->dim == 2 ? "the two are the ends of a line parallel to an axis"
                                         : "the two are corners of a rectangle");
}

static spate_status check_solid(place *p)
{
    const spate_scene *scene = p->c->scene;
    const char *name = p->gauge->solid;
    if (!name[0])
        return sp_fail(p->c->error, SPATE_ERROR_SCENE, member(p, "solid"),
                       "is required for a force gauge: the name of a solid, or solids[0]");
    if (sp_gauge_solid(scene, p->gauge) >= 0)
        return SPATE_OK;
    sp_nearest nearest = {.word = name};
    char label[64];
    for (int k = 0; k < scene->solids.count; k++) {
        solid_label(scene, k, label);
        sp_nearest_offer(&nearest, label);
    }
    if (nearest.name[0])
        return sp_fail(p->c->error, SPATE_ERROR_SCENE, member(p, "solid"),
                       "there is no solid \"%s\"; did you mean \"%s\"?", name, nearest.name);
    return sp_fail(p->c->error, SPATE_ERROR_SCENE, member(p, "solid"),
                   "there is no solid \"%s\": give one of the solids this name", name);
}

static void warn_if_unused(place *p, bool given, bool used, const char *key)
{
    if (given && !used)
        sp_log(p->c->log, p->c->user, SPATE_LOG_WARNING, member(p, key),
               "means nothing to a %s gauge and is ignored", kind_names[p->gauge->kind]);
}

static spate_status check_gauge(place *p)
{
    const spate_gauge *g = p->gauge;
    bool point = g->kind <= SPATE_GAUGE_VELOCITY, flux = g->kind == SPATE_GAUGE_FLUX;
    warn_if_unused(p, is_given(g->at), point, "at");
    warn_if_unused(p, g->radius > 0, g->kind == SPATE_GAUGE_PRESSURE, "radius");
    warn_if_unused(p, is_given(g->min), flux, "min");
    warn_if_unused(p, is_given(g->max), flux, "max");
    warn_if_unused(p, g->solid[0], g->kind == SPATE_GAUGE_FORCE, "solid");
    if (strpbrk(g->name, ",\""))
        return sp_fail(p->c->error, SPATE_ERROR_SCENE, member(p, "name"),
                       "must not hold commas or quotes: it names a column of gauges.csv (got '%s')",
                       g->name);
    if (point)
        return check_point(p, g->at, "at");
    return flux ? check_rectangle(p) : check_solid(p);
}

/* ------------------------------------------------------------------ columns */

typedef struct column {
    char name[SP_GAUGE_LABEL];
    int gauge; /* -1: one that the file has anyway */
} column;

static int by_name(const void *a, const void *b)
{
    const column *p = a, *q = b;
    int order = strcmp(p->name, q->name);
    return order ? order : p->gauge - q->gauge;
}

static spate_status check_columns(sp_checker *c, column *columns)
{
    const spate_scene *scene = c->scene;
    int count = 2;
    columns[0] = (column){"time", -1};
    columns[1] = (column){"step", -1};
    for (int k = 0; k < scene->gauge_count; k++)
        for (int v = 0; v < sp_gauge_values(&scene->gauges[k], scene->dim); v++) {
            columns[count].gauge = k;
            sp_gauge_column(scene, k, v, columns[count++].name);
        }
    qsort(columns, (size_t)count, sizeof *columns, by_name);
    for (int k = 1; k < count; k++) {
        if (strcmp(columns[k].name, columns[k - 1].name) != 0)
            continue;
        char path[96], other[32];
        snprintf(path, sizeof path, "gauges[%d].name", columns[k].gauge);
        snprintf(other, sizeof other, "of gauges[%d]", columns[k - 1].gauge);
        return sp_fail(c->error, SPATE_ERROR_SCENE, path,
                       "there is a column \"%s\" %s already: choose another name", columns[k].name,
                       columns[k - 1].gauge < 0 ? "in gauges.csv" : other);
    }
    return SPATE_OK;
}

spate_status sp_check_gauges(sp_checker *c)
{
    int count = c->scene->gauge_count;
    if (count == 0 && c->scene->output.gauge_rate > 0)
        sp_log(c->log, c->user, SPATE_LOG_WARNING, "output.gauge_rate",
               "means nothing without gauges and is ignored");
    if (count == 0)
        return SPATE_OK;
    for (int k = 0; k < count; k++) {
        place p = {.c = c, .index = k, .gauge = &c->scene->gauges[k]};
        TRY(check_gauge(&p));
    }
    size_t most = 2 + 3 * (size_t)count;
    column *columns = sp_alloc(most, sizeof *columns);
    if (!columns)
        return sp_fail_memory(c->error, "the check of the scene", most * sizeof *columns);
    spate_status status = check_columns(c, columns);
    sp_free(columns);
    return status;
}
