/* check_gauges.c -- whether the gauges of a scene can be read: each has what its kind needs, lies
 * in the domain, and has columns of its own in gauges.csv. */
#include "check.h"

#include "base/memory.h"
#include "base/status.h"
#include "channels.h"
#include "gauge.h"
#include "schema.h"
#include "sides.h"
#include "unknown.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char axis_names[] = "xyz";

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

static spate_status fail_missing(place *p, const char *key)
{
    return sp_fail(p->c->error, SPATE_ERROR_SCENE, member(p, key), "is required for a %s gauge",
                   sp_gauge_kind_name(p->gauge->kind));
}

/* A point that the kind needs, inside the domain as the grid will have it. */
static spate_status check_point(place *p, const double v[3], const char *key)
{
    const spate_scene *scene = p->c->scene;
    if (!is_given(v))
        return fail_missing(p, key);
    for (int d = 0; d < scene->dim; d++) {
        double size = sp_scene_extent(scene, d), slack = 1e-6 * p->c->dx;
        if (v[d] < -slack || v[d] > size + slack)
            return sp_fail(p->c->error, SPATE_ERROR_SCENE, member(p, key),
                           "is outside the domain along %c: must be 0 to %.6g (got %.6g)",
                           axis_names[d], size, v[d]);
    }
    return SPATE_OK;
}

/* Corners that the kind needs; *flat: along how many axes they are equal. */
static spate_status check_corners(place *p, int *flat)
{
    const spate_gauge *g = p->gauge;
    TRY(check_point(p, g->min, "min"));
    TRY(check_point(p, g->max, "max"));
    *flat = 0;
    for (int d = 0; d < p->c->scene->dim; d++) {
        *flat += g->min[d] == g->max[d];
        if (g->min[d] > g->max[d])
            return sp_fail(p->c->error, SPATE_ERROR_SCENE, member(p, "max"),
                           "must not be less than min along %c (min %.6g, max %.6g)", axis_names[d],
                           g->min[d], g->max[d]);
    }
    return SPATE_OK;
}

static spate_status check_rectangle(place *p)
{
    const spate_gauge *g = p->gauge;
    int flat;
    TRY(check_corners(p, &flat));
    if (flat == 1)
        return SPATE_OK;
    if (g->kind == SPATE_GAUGE_SLICE && flat == 2 && p->c->scene->dim == 3)
        return SPATE_OK;
    return sp_fail(
        p->c->error, SPATE_ERROR_SCENE, member(p, "max"),
        g->kind == SPATE_GAUGE_SLICE
            ? "must be equal to min along one axis, or in 3D two, a line (it is along "
              "%d): %s"
            : "must be equal to min along exactly one axis, the one that the flux goes along "
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
                       "is required for a %s gauge: the name of a solid, or solids[0]",
                       sp_gauge_kind_name(p->gauge->kind));
    if (sp_gauge_solid(scene, p->gauge) >= 0)
        return SPATE_OK;
    sp_nearest nearest = {.word = name};
    char label[64];
    for (int k = 0; k < scene->solids.count; k++) {
        sp_gauge_solid_label(scene, k, label);
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
               "means nothing to a %s gauge and is ignored", sp_gauge_kind_name(p->gauge->kind));
}

/* Its way is across gravity (+y is up without gravity): along it there is no depth. */
static spate_status check_front(place *p)
{
    const spate_scene *scene = p->c->scene;
    const double *gravity = scene->gravity;
    int axis = (int)p->gauge->axis / 2, up = 1, flat;
    for (int d = 0; d < scene->dim; d++)
        up = fabs(gravity[d]) > fabs(gravity[up]) ? d : up;
    if (axis >= scene->dim)
        return sp_fail(p->c->error, SPATE_ERROR_SCENE, member(p, "axis"),
                       "there is no axis z in 2D");
    if (axis == up)
        return sp_fail(p->c->error, SPATE_ERROR_SCENE, member(p, "axis"),
                       "must be across gravity, which is along %c: a height gauge measures there",
                       axis_names[up]);
    if (!is_given(p->gauge->min) && !is_given(p->gauge->max))
        return SPATE_OK;
    TRY(check_corners(p, &flat));
    if (p->gauge->min[axis] < p->gauge->max[axis] && p->gauge->min[up] < p->gauge->max[up])
        return SPATE_OK;
    return sp_fail(p->c->error, SPATE_ERROR_SCENE, member(p, "max"),
                   "must be greater than min along %c and %c", axis_names[axis], axis_names[up]);
}

/* Names of columns; a slice is the name of a file. */
static spate_status check_name(place *p)
{
    const char *name = p->gauge->name;
    for (const char *c = name; *c; c++)
        if (strchr(",\"", *c) || (unsigned char)*c < ' ' || *c == 127)
            return sp_fail(p->c->error, SPATE_ERROR_SCENE, member(p, "name"),
                           "must not hold commas, quotes or control characters: it names a column "
                           "of gauges.csv (got '%s')",
                           name);
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    if (p->gauge->kind == SPATE_GAUGE_SLICE && strspn(name, letters) != strlen(name))
        return sp_fail(p->c->error, SPATE_ERROR_SCENE, member(p, "name"),
                       "of a slice must be letters, digits, _ and -: it names files (got '%s')",
                       name);
    return SPATE_OK;
}

static spate_status check_channel(place *p)
{
    const spate_scene *scene = p->c->scene;
    const char *name = p->gauge->channel;
    sp_nearest nearest = {.word = name};
    char label[SP_CHANNEL_LABEL];
    sp_grid_column columns[SP_GRID_COLUMNS];
    int count = sp_grid_columns(scene, columns);
    if (!name[0])
        return fail_missing(p, "channel");
    if (sp_gauge_grid_column(scene, p->gauge) >= 0)
        return SPATE_OK;
    for (int j = 0; j < count; j++) {
        sp_grid_column_label(scene, j, label);
        sp_nearest_offer(&nearest, label);
    }
    if (nearest.name[0])
        return sp_fail(p->c->error, SPATE_ERROR_SCENE, member(p, "channel"),
                       "the grid holds no channel \"%s\"; did you mean \"%s\"?", name,
                       nearest.name);
    return sp_fail(
        p->c->error, SPATE_ERROR_SCENE, member(p, "channel"),
        "the grid holds no channel \"%s\": give it a transfer of flip or pic in channels", name);
}

static spate_status check_gauge(place *p)
{
    const spate_gauge *g = p->gauge;
    bool channel = g->kind == SPATE_GAUGE_CHANNEL;
    bool point = g->kind <= SPATE_GAUGE_VELOCITY || channel, front = g->kind == SPATE_GAUGE_FRONT;
    bool rectangle = g->kind == SPATE_GAUGE_FLUX || g->kind == SPATE_GAUGE_SLICE;
    bool moment = g->kind == SPATE_GAUGE_MOMENT;
    bool solid = g->kind == SPATE_GAUGE_FORCE || moment;
    warn_if_unused(p, is_given(g->at), point || moment, "at");
    warn_if_unused(p, g->radius > 0, g->kind == SPATE_GAUGE_PRESSURE || channel, "radius");
    warn_if_unused(p, g->channel[0], channel || g->kind == SPATE_GAUGE_FLUX, "channel");
    warn_if_unused(p, is_given(g->min), rectangle || front, "min");
    warn_if_unused(p, is_given(g->max), rectangle || front, "max");
    warn_if_unused(p, g->solid[0], solid, "solid");
    warn_if_unused(p, g->axis != SPATE_DIRECTION_X, front, "axis");
    warn_if_unused(p, g->depth > 0, front, "depth");
    TRY(check_name(p));
    if (channel || (g->kind == SPATE_GAUGE_FLUX && g->channel[0]))
        TRY(check_channel(p));
    if (point)
        return check_point(p, g->at, "at");
    if (moment && !is_given(g->at))
        return fail_missing(p, "at");
    return rectangle ? check_rectangle(p) : front ? check_front(p) : check_solid(p);
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
