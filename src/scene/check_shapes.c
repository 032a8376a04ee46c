/* check_shapes.c -- whether the shapes of a scene have what they need, and sizes that the grid can
 * see. */
#include "check.h"

#include "base/memory.h"
#include "base/status.h"
#include "lists.h"
#include "mesh.h"
#include "points.h"
#include "schema.h"
#include "shapes.h"
#include "sides.h"
#include "timeline.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = {"a box",   "a sphere", "a capsule", "a cylinder",
                                         "a plane", "a mesh",   "particles"};
static const char axis_names[] = "xyz";

/* ------------------------------------------------------------------ what each kind needs, from the
 * table */

/* A setting that the kind cannot do without is missing, or one is given that means nothing to it.
 */
static spate_status check_needs(void *user, const sp_row *row, const void *owner, const char *key,
                                const char *path)
{
    (void)key;
    sp_checker *c = user;
    if (row->kinds == 0)
        return SPATE_OK;
    const spate_shape *shape = owner;
    bool used = sp_row_used(row, shape);
    if (used && row->needed && !sp_row_given(row, shape))
        return sp_fail(c->error, SPATE_ERROR_SCENE, path, "is required for %s",
                       kind_names[shape->shape]);
    if (!used && !sp_row_untouched(row, shape))
        sp_log(c->log, c->user, SPATE_LOG_WARNING, path, "means nothing to %s and is ignored",
               kind_names[shape->shape]);
    return SPATE_OK;
}

/* ------------------------------------------------------------------ geometry */

static double squared(const double *a, const double *b, int dim)
{
    double sum = 0;
    for (int d = 0; d < dim; d++)
        sum += (a[d] - (b ? b[d] : 0)) * (a[d] - (b ? b[d] : 0));
    return sum;
}

#define PATH_SIZE 128

/* path becomes "solids[2].radius" */
static const char *member(char path[PATH_SIZE], const char *item, const char *key)
{
    snprintf(path, PATH_SIZE, "%s.%s", item, key);
    return path;
}

static spate_status check_geometry(sp_checker *c, const spate_shape *shape, const char *item)
{
    int dim = c->scene->dim;
    char path[PATH_SIZE];
    switch (shape->shape) {
    case SPATE_SHAPE_BOX:
        for (int d = 0; d < dim; d++)
            if (!(shape->min[d] < shape->max[d]))
                return sp_fail(c->error, SPATE_ERROR_SCENE, member(path, item, "max"),
                               "must be greater than min along %c (min %.6g, max %.6g)",
                               axis_names[d], shape->min[d], shape->max[d]);
        return SPATE_OK;
    case SPATE_SHAPE_SPHERE: return SPATE_OK;
    case SPATE_SHAPE_CAPSULE:
    case SPATE_SHAPE_CYLINDER:
        if (!(squared(shape->from, shape->to, dim) >= DBL_MIN))
            return sp_fail(c->error, SPATE_ERROR_SCENE, member(path, item, "to"),
                           "must differ from `from`: they are the ends of the axis");
        return SPATE_OK;
    case SPATE_SHAPE_PLANE:
        if (!(squared(shape->normal, NULL, dim) >= DBL_MIN))
            return sp_fail(c->error, SPATE_ERROR_SCENE, member(path, item, "normal"),
                           "must not be zero");
        return SPATE_OK;
    case SPATE_SHAPE_MESH:
        if (dim != 3)
            return sp_fail(c->error, SPATE_ERROR_SCENE, member(path, item, "shape"),
                           "a mesh needs a 3D scene, and this one is 2D");
        if (!shape->mesh)
            return sp_fail(c->error, SPATE_ERROR_SCENE, member(path, item, "file"), "%s",
                           shape->file[0] ? "its mesh has not been loaded"
                                          : "is required for a mesh");
        return SPATE_OK;
    case SPATE_SHAPE_PARTICLES:
        if (!shape->points)
            return sp_fail(c->error, SPATE_ERROR_SCENE, member(path, item, "file"), "%s",
                           shape->file[0] ? "its particles have not been loaded"
                                          : "is required for particles");
        return SPATE_OK;
    }
    return SPATE_OK;
}

double sp_thickness(const spate_shape *shape, int dim)
{
    double low[3], high[3], thin = HUGE_VAL;
    switch (shape->shape) {
    case SPATE_SHAPE_BOX:
        memcpy(low, shape->min, sizeof low);
        memcpy(high, shape->max, sizeof high);
        break;
    case SPATE_SHAPE_SPHERE:
    case SPATE_SHAPE_CAPSULE: return 2 * shape->radius;
    case SPATE_SHAPE_CYLINDER: {
        double length = sqrt(squared(shape->from, shape->to, dim));
        return length < 2 * shape->radius ? length : 2 * shape->radius;
    }
    case SPATE_SHAPE_MESH:
        sp_mesh_bounds(shape->mesh, low, high);
        for (int d = 0; d < dim; d++)
            low[d] *= shape->scale, high[d] *= shape->scale;
        break;
    case SPATE_SHAPE_PLANE:
    case SPATE_SHAPE_PARTICLES: return HUGE_VAL;
    }
    for (int d = 0; d < dim; d++)
        thin = high[d] - low[d] < thin ? high[d] - low[d] : thin;
    return thin;
}

static void warn_if_thin(const sp_checker *c, const spate_shape *shape, const char *item,
                         bool solid)
{
    double cells = sp_thickness(shape, c->scene->dim) / c->dx;
    if (shape->invert || cells >= 2 - 1e-9)
        return;
    sp_log(c->log, c->user, SPATE_LOG_WARNING, item, "is %.2g cells thick, less than 2: %s", cells,
           solid ? "velocities may mix across it; use smaller cells or a thicker shape"
                 : "the grid hardly sees it; use smaller cells or a larger shape");
}

/* Whether a shape that rests has no part in the domain. */
static bool is_outside(const sp_checker *c, const spate_shape *shape, bool solid)
{
    int dim = c->scene->dim;
    double size[3] = {0, 0, 0}, low[3], high[3];
    sp_shape placed;
    for (int d = 0; d < dim; d++)
        size[d] = sp_scene_extent(c->scene, d);
    if (shape->shape == SPATE_SHAPE_PARTICLES) {
        const float *x = sp_points_positions(shape->points);
        size_t count = sp_points_count(shape->points);
        for (size_t k = 0; k < count; k++) {
            bool inside = true;
            for (int d = 0; d < dim; d++)
                inside = inside && x[3 * k + (size_t)d] >= 0 && x[3 * k + (size_t)d] <= size[d];
            if (inside)
                return false;
        }
        return count > 0;
    }
    sp_shape_prepare(&placed, shape, dim);
    if (solid && sp_shape_moves(&placed))
        return false;
    if (shape->shape == SPATE_SHAPE_PLANE) {
        bool outside = true;
        for (int corner = 0; corner < 1 << dim; corner++) {
            double world[3] = {0, 0, 0};
            for (int d = 0; d < dim; d++)
                world[d] = corner >> d & 1 ? size[d] : 0;
            outside = outside && !sp_shape_holds(&placed, &placed.rest, world);
        }
        return outside;
    }
    bool outside = false;
    sp_shape_bounds_at(&placed, &placed.rest, low, high);
    for (int d = 0; d < dim; d++)
        outside = outside || high[d] <= 0 || low[d] >= size[d];
    return outside;
}

/* ------------------------------------------------------------------ motion */

static spate_status check_motion(sp_checker *c, const spate_shape *shape, const char *item)
{
    char path[PATH_SIZE];
    for (int k = 1; k < shape->motion_count; k++) {
        const spate_keyframe *key = &shape->motion[k], *last = key - 1;
        snprintf(path, sizeof path, "%s.motion[%d].time", item, k);
        if (!(key->time > last->time))
            return sp_fail(c->error, SPATE_ERROR_SCENE, path,
                           "must be later than the key before it (%g s; got %g s)", last->time,
                           key->time);
    }
    return SPATE_OK;
}

/* ------------------------------------------------------------------ lists */

typedef struct named {
    const char *name;
    int list, index; /* list: a spate_list */
} named;

static int by_name(const void *a, const void *b)
{
    const named *p = a, *q = b;
    int order = strcmp(p->name, q->name);
    return order ? order : p->list == q->list ? p->index - q->index : p->list - q->list;
}

/* Once for all solids that are alike, such as the copies of a `repeat`. */
static void warn_if_rough(const sp_checker *c, const spate_shape_list *list, int k)
{
    const spate_shape *shape = &list->items[k];
    char where[64];
    int alike = 0;
    for (int j = 0; j < list->count; j++) {
        bool same =
            list->items[j].wall == shape->wall && list->items[j].roughness == shape->roughness;
        if (same && j < k)
            return;
        alike += same;
    }
    snprintf(where, sizeof where, "%s[%d].roughness", sp_shape_list_name(SPATE_LIST_SOLIDS), k);
    sp_warn_if_rough(c, shape->wall, shape->roughness, alike, where);
}

static spate_status check_list(sp_checker *c, int which, named *names, int *used)
{
    const spate_shape_list *list = sp_shape_list(c->scene, which);
    bool solids = which == SPATE_LIST_SOLIDS, inflows = which == SPATE_LIST_INFLOWS;
    for (int k = 0; k < list->count; k++) {
        const spate_shape *shape = &list->items[k];
        char item[96], path[PATH_SIZE];
        snprintf(item, sizeof item, "%s[%d]", sp_shape_list_name(which), k);
        TRY(check_geometry(c, shape, item));
        if (which != SPATE_LIST_TRACERS) /* they are points, which no grid has to see */
            warn_if_thin(c, shape, item, solids);
        if (is_outside(c, shape, solids))
            sp_log(c->log, c->user, SPATE_LOG_WARNING, item,
                   "lies wholly outside of the domain and does nothing: are its lengths metres "
                   "from the corner of the domain?");
        if (shape->motion_count > 0 && !solids)
            return sp_fail(c->error, SPATE_ERROR_SCENE, member(path, item, "motion"),
                           "only solids can move");
        TRY(check_motion(c, shape, item));
        TRY(sp_check_wall(c, shape->wall, shape->roughness, member(path, item, "roughness")));
        if (solids)
            warn_if_rough(c, list, k);
        double keyed[3];
        if (inflows && squared(shape->velocity, NULL, c->scene->dim) == 0 &&
            !sp_keys_mean(c->scene, SP_KEYED_VELOCITY, k, 0, 0, keyed))
            sp_log(c->log, c->user, SPATE_LOG_WARNING, member(path, item, "velocity"),
                   "is zero: nothing flows in, the shape is only filled once");
        if (shape->name[0])
            names[(*used)++] = (named){shape->name, which, k};
    }
    return SPATE_OK;
}

static spate_status check_names(sp_checker *c, named *names, int count)
{
    qsort(names, (size_t)count, sizeof *names, by_name);
    for (int k = 1; k < count; k++) {
        if (strcmp(names[k].name, names[k - 1].name) != 0)
            continue;
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%s[%d].name", sp_shape_list_name(names[k].list),
                 names[k].index);
        return sp_fail(c->error, SPATE_ERROR_SCENE, path, "is the name of %s[%d] already (\"%s\")",
                       sp_shape_list_name(names[k - 1].list), names[k - 1].index, names[k].name);
    }
    return SPATE_OK;
}

static spate_status check_lists(sp_checker *c, named *names)
{
    int used = 0;
    TRY(sp_scene_walk(c->scene, &(sp_walk){.setting = check_needs, .user = c}));
    for (int k = 0; k < SP_SHAPE_LIST_COUNT; k++)
        TRY(check_list(c, k, names, &used));
    return check_names(c, names, used);
}

spate_status sp_check_shapes(sp_checker *c)
{
    int count = 0;
    for (int k = 0; k < SP_SHAPE_LIST_COUNT; k++)
        count += sp_shape_list(c->scene, k)->count;
    named *names = sp_alloc((size_t)count, sizeof *names);
    if (!names)
        return sp_fail_memory(c->error, "the check of the scene", (uint64_t)count * sizeof *names);
    spate_status status = check_lists(c, names);
    sp_free(names);
    return status;
}
