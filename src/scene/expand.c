/* expand.c -- shapes that stand several times: `repeat` becomes shapes of their own, behind all
 * others of their list, so that solids[0], solids[1], ... stay what they are in the file. */
#include "lists.h"

#include "base/memory.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

static void move_by(double x[3], const double step[3], int k)
{
    for (int d = 0; d < 3; d++)
        x[d] += k * step[d]; /* NaN, "not given", stays */
}

/* Copy number k of a shape, of which list->items[0] and so on may move in memory. */
static spate_status append_copy(spate_scene *scene, int which, int from, int k, spate_error *error)
{
    const spate_shape_list *list = sp_shape_list(scene, which);
    if (!spate_scene_add_shape(scene, (spate_list)which))
        return sp_fail_memory(error, sp_shape_list_name(which), 0);
    const spate_shape *original = &list->items[from];
    spate_shape *copy = &list->items[list->count - 1];
    *copy = *original;
    copy->motion = NULL;
    copy->motion_count = 0;
    copy->values = NULL;
    copy->value_count = 0;
    copy->mesh = original->mesh ? spate_mesh_retain(original->mesh) : NULL;
    copy->points = original->points ? spate_points_retain(original->points) : NULL;
    copy->repeat.count = 1;
    memset(copy->repeat.step, 0, sizeof copy->repeat.step);
    if (copy->name[0]) { /* a long name gives way to its number */
        size_t length = strnlen(copy->name, sizeof copy->name - 12);
        snprintf(copy->name + length, sizeof copy->name - length, "_%d", k + 1);
    }
    double *places[] = {copy->min, copy->max,   copy->center,   copy->from,
                        copy->to,  copy->point, copy->position, copy->initial.center};
    for (size_t p = 0; p < sizeof places / sizeof *places; p++)
        if (places[p] != copy->position || copy->shape == SPATE_SHAPE_MESH)
            move_by(places[p], original->repeat.step, k);
    for (int key = 0; key < original->motion_count; key++) {
        spate_keyframe *added = spate_shape_add_keyframe(copy);
        if (!added)
            return sp_fail_memory(error, sp_shape_list_name(which), 0);
        *added = original->motion[key];
    }
    for (int value = 0; value < original->value_count; value++) {
        spate_channel_value *added = spate_shape_add_value(copy);
        if (!added)
            return sp_fail_memory(error, sp_shape_list_name(which), 0);
        *added = original->values[value];
    }
    return SPATE_OK;
}

spate_status spate_scene_expand(spate_scene *scene, spate_error *error)
{
    for (int l = 0; l < SP_SHAPE_LIST_COUNT; l++) {
        const spate_shape_list *list = sp_shape_list(scene, l);
        int originals = list->count;
        double all = 0;
        for (int k = 0; k < originals; k++) {
            all += list->items[k].repeat.count;
            if (all > 4096) {
                char where[64];
                snprintf(where, sizeof where, "%s[%d].repeat.count", sp_shape_list_name(l), k);
                return sp_fail(error, SPATE_ERROR_SCENE, where,
                               "makes %.0f shapes of the list, at most 4096 are possible", all);
            }
        }
        for (int k = 0; k < originals; k++) {
            int count = list->items[k].repeat.count;
            for (int copy = 1; copy < count; copy++)
                TRY(append_copy(scene, l, k, copy, error));
            list->items[k].repeat.count = 1;
            memset(list->items[k].repeat.step, 0, sizeof list->items[k].repeat.step);
        }
    }
    return SPATE_OK;
}
