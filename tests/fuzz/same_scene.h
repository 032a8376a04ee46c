/* same_scene.h -- whether two scenes have the same values, each to the last bit.
 *
 * The comparison goes through the table of settings, so a new setting is compared without a change
 * here. It looks at all numbers that a vector has room for, and asks no one how many of them count:
 * the text of a scene is made with such counts, and may be wrong about them. */
#ifndef SPATE_SAME_SCENE_H
#define SPATE_SAME_SCENE_H

#include "scene/schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct same_scene_walk {
    spate_scene *other;
    char *different; /* path of the first setting that differs; empty: none yet */
    size_t size;
} same_scene_walk;

/* Where the number of components is free, a number that is not given (NaN) means 0. */
static inline bool same_numbers(const double *a, const double *b, int count, bool free_count)
{
    for (int k = 0; k < count; k++) {
        double x = free_count && isnan(a[k]) ? 0 : a[k], y = free_count && isnan(b[k]) ? 0 : b[k];
        if (!(isnan(x) && isnan(y)) && memcmp(&x, &y, sizeof x) != 0)
            return false;
    }
    return true;
}

static inline bool same_value(const sp_row *row, const void *owner, const void *other)
{
    const void *a = (const char *)owner + row->offset, *b = (const char *)other + row->offset;
    switch (row->type) {
    case SP_NUMBER: return same_numbers(a, b, 1, false);
    case SP_INTEGER:
    case SP_ENUM: return *(const int *)a == *(const int *)b;
    case SP_SEED: return *(const uint64_t *)a == *(const uint64_t *)b;
    case SP_BOOL: return *(const bool *)a == *(const bool *)b;
    case SP_STRING: return strcmp(a, b) == 0;
    case SP_VECTOR:
    case SP_ROTATION: return same_numbers(a, b, row->size > 0 ? row->size : 3, row->size > 0);
    case SP_LIST: return sp_list_count(row, owner) == sp_list_count(row, other);
    }
    return false;
}

static inline spate_status same_setting(void *user, const sp_row *row, const void *owner,
                                        const char *key, const char *path)
{
    same_scene_walk *w = user;
    (void)key;
    const void *other = sp_scene_owner(w->other, path);
    if (other && same_value(row, owner, other))
        return SPATE_OK;
    snprintf(w->different, w->size, "%s", path);
    return SPATE_ERROR_SCENE;
}

/* Puts the path of the first setting that differs into `different`. */
static inline bool same_scene(const spate_scene *a, spate_scene *b, char *different, size_t size)
{
    same_scene_walk w = {.other = b, .different = different, .size = size};
    different[0] = 0;
    if (a->dim != b->dim)
        snprintf(different, size, "domain.size");
    else
        sp_scene_walk(a, &(sp_walk){.setting = same_setting, .user = &w});
    return different[0] == 0;
}

#endif
