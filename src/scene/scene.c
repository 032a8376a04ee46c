/* scene.c -- making, copying and destroying scenes; their lists.
 *
 * The public structs hold a count but no capacity. A list has room for the next power of two of its
 * count, so it grows only when the count is a power of two, and memory moves a logarithmic number
 * of times. */
#include "schema.h"

#include "base/memory.h"
#include "base/status.h"
#include "lists.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Numbers of the rows of lists.h. */
enum {
#define ROW(NAME, member) ROW_##NAME,
    SP_SHAPE_LISTS(ROW)
#undef ROW
};
#define IN_ORDER(NAME, member) \
    _Static_assert((int)ROW_##NAME == (int)SPATE_LIST_##NAME, "lists.h: the order of spate_list");
SP_SHAPE_LISTS(IN_ORDER)
#undef IN_ORDER

static int capacity(int count)
{
    int room = 1;
    while (room < count)
        room *= 2;
    return room;
}

/* Room for one more item behind `count`; NULL without memory, and the old block stays. */
static void *grow_list(void *items, int count, size_t size)
{
    if (count > 0 && capacity(count) > count)
        return items;
    return sp_grow(items, (size_t)count * size, (size_t)capacity(count + 1), size);
}

static void clear_shape(spate_shape *shape)
{
    sp_free(shape->motion);
    sp_free(shape->values);
    spate_mesh_destroy(shape->mesh);
    spate_points_destroy(shape->points);
}

void spate_shape_default(spate_shape *shape)
{
    memset(shape, 0, sizeof *shape);
    for (int k = 0; k < SP_SHAPE_LIST_COUNT; k++) { /* together they have all members of shapes */
        char prefix[64];
        snprintf(prefix, sizeof prefix, "%s[].", sp_shape_list_name(k));
        sp_schema_defaults(prefix, shape);
    }
}

spate_scene *spate_scene_create(void)
{
    spate_scene *scene = sp_alloc(1, sizeof *scene);
    if (!scene)
        return NULL;
    scene->dim = 3;
    sp_schema_defaults("", scene);
    return scene;
}

static void destroy_list(spate_shape_list *list)
{
    for (int k = 0; k < list->count; k++)
        clear_shape(&list->items[k]);
    sp_free(list->items);
}

void spate_scene_destroy(spate_scene *scene)
{
    if (!scene)
        return;
    for (int k = 0; k < SP_SHAPE_LIST_COUNT; k++)
        destroy_list(sp_shape_list_edit(scene, k));
    sp_free(scene->channels);
    sp_free(scene->gauges);
    sp_free(scene->keyframes);
    sp_free(scene);
}

/* ------------------------------------------------------------------ copying */

static void *copy_items(const void *items, int count, size_t size)
{
    void *copy = sp_alloc((size_t)capacity(count), size);
    if (copy && count > 0)
        memcpy(copy, items, (size_t)count * size);
    return copy;
}

static bool copy_shapes(spate_shape_list *copy, const spate_shape_list *list)
{
    if (list->count == 0)
        return true;
    copy->items = sp_alloc((size_t)capacity(list->count), sizeof *copy->items);
    if (!copy->items)
        return false;
    for (int k = 0; k < list->count; k++) {
        spate_shape *shape = &copy->items[k];
        *shape = list->items[k];
        shape->motion = NULL;
        shape->values = NULL;
        shape->mesh = shape->mesh ? spate_mesh_retain(shape->mesh) : NULL;
        shape->points = shape->points ? spate_points_retain(shape->points) : NULL;
        copy->count = k + 1;
        if (shape->motion_count > 0) {
            shape->motion =
                copy_items(list->items[k].motion, shape->motion_count, sizeof *shape->motion);
            if (!shape->motion)
                return false;
        }
        if (shape->value_count > 0) {
            shape->values =
                copy_items(list->items[k].values, shape->value_count, sizeof *shape->values);
            if (!shape->values)
                return false;
        }
    }
    return true;
}

/* In 2D the third number of a vector and two angles of a rotation mean nothing: they read as 0 in a
 * copy, so that what a caller left there cannot matter. */
static spate_status flatten(void *user, const sp_row *row, const void *owner, const char *key,
                            const char *path)
{
    (void)user, (void)key, (void)path;
    double *v = (double *)((char *)owner + row->offset);
    if (row->type == SP_VECTOR && row->size == 0 && !isnan(v[0]))
        v[2] = 0;
    if (row->type == SP_ROTATION)
        v[0] = v[1] = 0;
    return SPATE_OK;
}

spate_scene *spate_scene_copy(const spate_scene *scene)
{
    if (!scene)
        return NULL;
    spate_scene *copy = sp_alloc(1, sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *scene;
    for (int k = 0; k < SP_SHAPE_LIST_COUNT; k++)
        *sp_shape_list_edit(copy, k) = (spate_shape_list){0};
    copy->channels = scene->channel_count > 0
                         ? copy_items(scene->channels, scene->channel_count, sizeof *copy->channels)
                         : NULL;
    copy->gauges = scene->gauge_count > 0
                       ? copy_items(scene->gauges, scene->gauge_count, sizeof *copy->gauges)
                       : NULL;
    copy->keyframes =
        scene->keyframe_count > 0
            ? copy_items(scene->keyframes, scene->keyframe_count, sizeof *copy->keyframes)
            : NULL;
    bool done = (copy->channels || scene->channel_count <= 0) &&
                (copy->gauges || scene->gauge_count <= 0) &&
                (copy->keyframes || scene->keyframe_count <= 0);
    for (int k = 0; k < SP_SHAPE_LIST_COUNT && done; k++)
        done = copy_shapes(sp_shape_list_edit(copy, k), sp_shape_list(scene, k));
    if (!done) {
        spate_scene_destroy(copy);
        return NULL;
    }
    if (copy->dim == 2)
        sp_scene_walk(copy, &(sp_walk){.setting = flatten});
    return copy;
}

/* ------------------------------------------------------------------ lists */

static spate_shape *add_shape(spate_shape_list *list)
{
    void *items = grow_list(list->items, list->count, sizeof *list->items);
    if (!items)
        return NULL;
    list->items = items;
    spate_shape_default(&list->items[list->count]);
    return &list->items[list->count++];
}

spate_shape *spate_scene_add_shape(spate_scene *scene, spate_list list)
{
    spate_shape_list *shapes = sp_shape_list_edit(scene, (int)list);
    return shapes ? add_shape(shapes) : NULL;
}

spate_keyframe *spate_shape_add_keyframe(spate_shape *shape)
{
    void *items = grow_list(shape->motion, shape->motion_count, sizeof *shape->motion);
    if (!items)
        return NULL;
    shape->motion = items;
    spate_keyframe *key = &shape->motion[shape->motion_count++];
    memset(key, 0, sizeof *key);
    sp_schema_defaults("solids[].motion[].", key);
    return key;
}

spate_channel_value *spate_shape_add_value(spate_shape *shape)
{
    void *items = grow_list(shape->values, shape->value_count, sizeof *shape->values);
    if (!items)
        return NULL;
    shape->values = items;
    spate_channel_value *value = &shape->values[shape->value_count++];
    *value = (spate_channel_value){.value = {0, NAN, NAN, NAN}};
    return value;
}

spate_channel *spate_scene_add_channel(spate_scene *scene)
{
    void *items = grow_list(scene->channels, scene->channel_count, sizeof *scene->channels);
    if (!items)
        return NULL;
    scene->channels = items;
    spate_channel *channel = &scene->channels[scene->channel_count++];
    memset(channel, 0, sizeof *channel);
    sp_schema_defaults("channels[].", channel);
    return channel;
}

spate_gauge *spate_scene_add_gauge(spate_scene *scene)
{
    void *items = grow_list(scene->gauges, scene->gauge_count, sizeof *scene->gauges);
    if (!items)
        return NULL;
    scene->gauges = items;
    spate_gauge *gauge = &scene->gauges[scene->gauge_count++];
    memset(gauge, 0, sizeof *gauge);
    sp_schema_defaults("gauges[].", gauge);
    return gauge;
}

spate_key *spate_scene_add_key(spate_scene *scene)
{
    void *items = grow_list(scene->keyframes, scene->keyframe_count, sizeof *scene->keyframes);
    if (!items)
        return NULL;
    scene->keyframes = items;
    spate_key *key = &scene->keyframes[scene->keyframe_count++];
    memset(key, 0, sizeof *key);
    sp_schema_defaults("keyframes[].", key);
    return key;
}

int sp_list_count(const sp_row *row, const void *owner)
{
    switch (row->item) {
    case SP_ITEM_SHAPE:
        return ((const spate_shape_list *)((const char *)owner + row->offset))->count;
    case SP_ITEM_KEYFRAME: return ((const spate_shape *)owner)->motion_count;
    case SP_ITEM_CHANNEL: return ((const spate_scene *)owner)->channel_count;
    case SP_ITEM_GAUGE: return ((const spate_scene *)owner)->gauge_count;
    case SP_ITEM_KEY: return ((const spate_scene *)owner)->keyframe_count;
    case SP_ITEM_VALUE: return ((const spate_shape *)owner)->value_count;
    }
    return 0;
}

void *sp_list_item(const sp_row *row, const void *owner, int index)
{
    switch (row->item) {
    case SP_ITEM_SHAPE:
        return ((const spate_shape_list *)((const char *)owner + row->offset))->items + index;
    case SP_ITEM_KEYFRAME: return ((const spate_shape *)owner)->motion + index;
    case SP_ITEM_CHANNEL: return ((const spate_scene *)owner)->channels + index;
    case SP_ITEM_GAUGE: return ((const spate_scene *)owner)->gauges + index;
    case SP_ITEM_KEY: return ((const spate_scene *)owner)->keyframes + index;
    case SP_ITEM_VALUE: return ((const spate_shape *)owner)->values + index;
    }
    return NULL;
}

void *sp_list_append(const sp_row *row, void *owner)
{
    switch (row->item) {
    case SP_ITEM_SHAPE: return add_shape((spate_shape_list *)((char *)owner + row->offset));
    case SP_ITEM_KEYFRAME: return spate_shape_add_keyframe(owner);
    case SP_ITEM_CHANNEL: return spate_scene_add_channel(owner);
    case SP_ITEM_GAUGE: return spate_scene_add_gauge(owner);
    case SP_ITEM_KEY: return spate_scene_add_key(owner);
    case SP_ITEM_VALUE: return spate_shape_add_value(owner);
    }
    return NULL;
}

void sp_list_pop(const sp_row *row, void *owner)
{
    switch (row->item) {
    case SP_ITEM_SHAPE: {
        spate_shape_list *list = (spate_shape_list *)((char *)owner + row->offset);
        clear_shape(&list->items[--list->count]);
        break;
    }
    case SP_ITEM_KEYFRAME: ((spate_shape *)owner)->motion_count--; break;
    case SP_ITEM_CHANNEL: ((spate_scene *)owner)->channel_count--; break;
    case SP_ITEM_GAUGE: ((spate_scene *)owner)->gauge_count--; break;
    case SP_ITEM_KEY: ((spate_scene *)owner)->keyframe_count--; break;
    case SP_ITEM_VALUE: ((spate_shape *)owner)->value_count--; break;
    }
}
