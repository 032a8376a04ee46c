/* set.c -- setting one value by its path, and the checks that a single value can fail. */
#include "schema.h"

#include "base/status.h"
#include "base/text.h"
#include "lists.h"
#include "unknown.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 256

/* ------------------------------------------------------------------ what is wrong with a value */

static void describe_type(const sp_row *row, int dim, char *text, size_t size)
{
    char choices[256];
    switch (row->type) {
    case SP_NUMBER: snprintf(text, size, "a number"); break;
    case SP_INTEGER:
    case SP_SEED: snprintf(text, size, "a whole number"); break;
    case SP_BOOL: snprintf(text, size, "true or false"); break;
    case SP_STRING: snprintf(text, size, "a string"); break;
    case SP_VECTOR:
        if (row->size > 0)
            snprintf(text, size, "a list of up to %d numbers", row->size);
        else if (strcmp(row->setting.path, "domain.size") == 0)
            snprintf(text, size, "a list of 2 or 3 numbers");
        else
            snprintf(text, size, "a list of %d numbers", dim);
        break;
    case SP_ROTATION:
        snprintf(text, size, dim == 2 ? "a number, in degrees" : "a list of 3 numbers, in degrees");
        break;
    case SP_ENUM:
        sp_row_choices(row, choices, sizeof choices);
        snprintf(text, size, "one of %s", choices);
        break;
    case SP_LIST: snprintf(text, size, "a list"); break;
    }
}

spate_status sp_fail_type(const sp_row *row, int dim, const char *where, const char *got,
                          spate_error *error)
{
    char wanted[300];
    describe_type(row, dim, wanted, sizeof wanted);
    return sp_fail(error, SPATE_ERROR_SCENE, where, "must be %s (got %s)", wanted, got);
}

static spate_status check_number(const sp_row *row, double value, const char *where,
                                 spate_error *error)
{
    double low = row->setting.low, high = row->setting.high;
    if (!isfinite(value))
        return sp_fail(error, SPATE_ERROR_SCENE, where, "must be a finite number (got %s)",
                       isnan(value) ? "nan"
                       : value > 0  ? "inf"
                                    : "-inf");
    if (value >= low && value <= high)
        return SPATE_OK;
    if (value <= 0 && low > 0 && row->type != SP_INTEGER)
        return sp_fail(error, SPATE_ERROR_SCENE, where, "must be positive (got %.10g)", value);
    if (value < low)
        return sp_fail(error, SPATE_ERROR_SCENE, where, "must be at least %.10g (got %.10g)", low,
                       value);
    return sp_fail(error, SPATE_ERROR_SCENE, where, "must be at most %.16g (got %.16g)", high,
                   value);
}

static spate_status check_choice(const sp_row *row, const char *name, const char *where,
                                 spate_error *error)
{
    if (sp_choice_index(row, name) >= 0)
        return SPATE_OK;
    sp_nearest nearest = {.word = name};
    char choice[64], wanted[300];
    for (int k = 0; sp_choice_name(row, k, choice, sizeof choice); k++)
        sp_nearest_offer(&nearest, choice);
    sp_row_choices(row, wanted, sizeof wanted);
    if (!nearest.name[0])
        return sp_fail(error, SPATE_ERROR_SCENE, where, "must be one of %s (got \"%.80s\")", wanted,
                       name);
    return sp_fail(error, SPATE_ERROR_SCENE, where,
                   "must be one of %s (got \"%s\"; did you mean \"%s\"?)", wanted, name,
                   nearest.name);
}

static spate_status check_string(const sp_row *row, const char *text, const char *where,
                                 spate_error *error)
{
    size_t length = strnlen(text, (size_t)row->size);
    if (length >= (size_t)row->size)
        return sp_fail(error, SPATE_ERROR_SCENE, where, "is too long: at most %d bytes",
                       row->size - 1);
    for (const char *c = text; *c;) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return sp_fail(error, SPATE_ERROR_SCENE, where,
                           "must not hold control characters such as a line break");
        int step = sp_utf8_length(c);
        if (step == 0)
            return sp_fail(error, SPATE_ERROR_SCENE, where, "must be UTF-8 text");
        c += step;
    }
    return SPATE_OK;
}

bool sp_row_given(const sp_row *row, const void *owner)
{
    const double *v = (const double *)((const char *)owner + row->offset);
    if (!row->needed)
        return true;
    if (row->type == SP_NUMBER)
        return !isnan(v[0]);
    return !(isnan(v[0]) && isnan(v[1]));
}

bool sp_row_untouched(const sp_row *row, const void *owner)
{
    const void *at = (const char *)owner + row->offset;
    if (row->needed)
        return !sp_row_given(row, owner);
    if (row->type == SP_STRING)
        return *(const char *)at == 0;
    if (row->type == SP_BOOL)
        return *(const bool *)at == (row->initial[0] != 0);
    return memcmp(at, row->initial, (row->type == SP_NUMBER ? 1 : 3) * sizeof(double)) == 0;
}

static spate_status check_vector(const sp_row *row, const void *owner, int dim, const char *where,
                                 spate_error *error)
{
    const double *v = (const double *)((const char *)owner + row->offset);
    if (row->type == SP_ROTATION && dim == 2)
        return check_number(row, v[2], where, error);
    int count = sp_row_numbers(row, dim);
    for (int k = 0; k < (count < 0 ? sp_row_stored(row, owner) : count); k++)
        TRY(check_number(row, v[k], where, error));
    return SPATE_OK;
}

spate_status sp_row_check(const sp_row *row, const void *owner, int dim, const char *where,
                          spate_error *error)
{
    const void *at = (const char *)owner + row->offset;
    if (!sp_row_given(row, owner) || (row->only_3d && dim == 2))
        return SPATE_OK;
    switch (row->type) {
    case SP_NUMBER: return check_number(row, *(const double *)at, where, error);
    case SP_INTEGER: return check_number(row, *(const int *)at, where, error);
    case SP_SEED: return check_number(row, (double)*(const uint64_t *)at, where, error);
    case SP_BOOL: return SPATE_OK;
    case SP_STRING: return check_string(row, at, where, error);
    case SP_VECTOR:
    case SP_ROTATION: return check_vector(row, owner, dim, where, error);
    case SP_ENUM: {
        char name[64], got[32];
        if (sp_choice_name(row, *(const int *)at, name, sizeof name))
            return SPATE_OK;
        snprintf(got, sizeof got, "%d", *(const int *)at);
        return sp_fail_type(row, dim, where, got, error);
    }
    case SP_LIST: {
        int count = sp_list_count(row, owner);
        if (count < 0 || count > row->setting.high)
            return sp_fail(error, SPATE_ERROR_SCENE, where, "must have at most %g items (got %d)",
                           row->setting.high, count);
        return SPATE_OK;
    }
    }
    return SPATE_OK;
}

/* ------------------------------------------------------------------ storing */

static const char *kind_text(const spate_value *value)
{
    switch (value->kind) {
    case SPATE_VALUE_NUMBER: return "a number";
    case SPATE_VALUE_BOOL: return value->number != 0 ? "true" : "false";
    case SPATE_VALUE_STRING: return "a string";
    case SPATE_VALUE_VECTOR: return "a list";
    }
    return "something else";
}

/* Whether a value of this kind can go into the row at all. */
static bool kind_fits(const sp_row *row, int dim, const spate_value *value)
{
    switch (row->type) {
    case SP_NUMBER:
    case SP_INTEGER:
    case SP_SEED: return value->kind == SPATE_VALUE_NUMBER;
    case SP_BOOL: return value->kind == SPATE_VALUE_BOOL;
    case SP_STRING:
    case SP_ENUM: return value->kind == SPATE_VALUE_STRING && value->string;
    case SP_VECTOR: /* a number is a list of one, where the length is free */
        return value->kind == SPATE_VALUE_VECTOR ||
               (row->size > 0 && value->kind == SPATE_VALUE_NUMBER);
    case SP_ROTATION: return value->kind == (dim == 2 ? SPATE_VALUE_NUMBER : SPATE_VALUE_VECTOR);
    case SP_LIST: return false;
    }
    return false;
}

static spate_status store_vector(const sp_row *row, int dim, double *at, const spate_value *value,
                                 const char *where, spate_error *error)
{
    double numbers[8] = {0};
    int count = 1, wanted = sp_row_numbers(row, dim), room = row->size > 0 ? row->size : 3;
    if (value->kind == SPATE_VALUE_NUMBER) {
        TRY(check_number(row, value->number, where, error));
        numbers[row->size > 0 ? 0 : 2] = value->number; /* the rotation of a 2D scene */
    } else {
        count = value->count;
        if (wanted < 0 ? count < 1 || count > row->size : count != wanted) {
            if (wanted < 0)
                return sp_fail(error, SPATE_ERROR_SCENE, where,
                               "must have 1 to %d numbers (got %d)", row->size, count);
            return sp_fail(error, SPATE_ERROR_SCENE, where,
                           "must have %d numbers in a %dD scene (got %d)", wanted, dim, count);
        }
        for (int k = 0; k < count; k++) {
            TRY(check_number(row, value->vector[k], where, error));
            numbers[k] = value->vector[k];
        }
    }
    for (int k = 0; k < room; k++)
        at[k] = k >= count && sp_row_has_gaps(row) ? NAN : numbers[k];
    return SPATE_OK;
}

/* domain.size decides the dimension, which is fixed as soon as there are shapes. */
static spate_status store_size(spate_scene *scene, const sp_row *row, const spate_value *value,
                               const char *where, spate_error *error)
{
    int count = value->count;
    bool shapes = false;
    for (int k = 0; k < SP_SHAPE_LIST_COUNT; k++)
        shapes = shapes || sp_shape_list(scene, k)->count;
    if (count != 2 && count != 3)
        return sp_fail(error, SPATE_ERROR_SCENE, where,
                       "must have 2 numbers (2D) or 3 (3D) (got %d)", count);
    if (shapes && count != scene->dim)
        return sp_fail(
            error, SPATE_ERROR_SCENE, where,
            "must have %d numbers (got %d): a scene that has shapes cannot change its dimension",
            scene->dim, count);
    TRY(store_vector(row, count, scene->domain.size, value, where, error));
    scene->dim = count;
    return SPATE_OK;
}

static spate_status store(spate_scene *scene, const sp_row *row, void *owner,
                          const spate_value *value, const char *where, spate_error *error)
{
    void *at = (char *)owner + row->offset;
    if (row->type == SP_LIST && value->kind == SPATE_VALUE_VECTOR)
        return sp_fail(error, SPATE_ERROR_SCENE, where,
                       "is a list of objects: set what is in them, such as %s[0].%s", where,
                       row->item == SP_ITEM_SHAPE     ? "shape"
                       : row->item == SP_ITEM_CHANNEL ? "name"
                       : row->item == SP_ITEM_GAUGE   ? "kind"
                       : row->item == SP_ITEM_KEY     ? "setting"
                       : row->item == SP_ITEM_VALUE   ? "name"
                                                      : "time");
    if (!kind_fits(row, scene->dim, value))
        return sp_fail_type(row, scene->dim, where, kind_text(value), error);
    if (row->only_3d && scene->dim == 2)
        return sp_fail(error, SPATE_ERROR_SCENE, where, "is for 3D scenes only: this one is 2D");
    switch (row->type) {
    case SP_NUMBER:
        TRY(check_number(row, value->number, where, error));
        *(double *)at = value->number;
        break;
    case SP_INTEGER:
    case SP_SEED:
        TRY(check_number(row, value->number, where, error));
        if (value->number != floor(value->number))
            return sp_fail(error, SPATE_ERROR_SCENE, where, "must be a whole number (got %.10g)",
                           value->number);
        if (row->type == SP_SEED)
            *(uint64_t *)at = (uint64_t)value->number;
        else
            *(int *)at = (int)value->number;
        break;
    case SP_BOOL: *(bool *)at = value->number != 0; break;
    case SP_STRING:
        TRY(check_string(row, value->string, where, error));
        snprintf(at, (size_t)row->size, "%s", value->string);
        break;
    case SP_ENUM:
        TRY(check_choice(row, value->string, where, error));
        *(int *)at = sp_choice_index(row, value->string);
        break;
    case SP_VECTOR:
    case SP_ROTATION:
        if (at == scene->domain.size)
            return store_size(scene, row, value, where, error);
        return store_vector(row, scene->dim, at, value, where, error);
    case SP_LIST: break;
    }
    return SPATE_OK;
}

/* What had been read from the old file is not what the new name means. */
static void forget_file(spate_shape *shape)
{
    spate_mesh_destroy(shape->mesh);
    spate_points_destroy(shape->points);
    shape->mesh = NULL;
    shape->points = NULL;
}

/* ------------------------------------------------------------------ finding the place */

/* Lists that grew on the way to a setting, so that a failure can take it back. */
typedef struct growth {
    char list[2][PATH_SIZE];
    int count;
} growth;

/* Appends the items that `path` names one behind the end of their lists. */
static spate_status grow_lists(spate_scene *scene, const char *path, growth *grown,
                               spate_error *error)
{
    for (const char *bracket = strchr(path, '['); bracket; bracket = strchr(bracket + 1, '[')) {
        const sp_row *row = NULL;
        char *list = grown->list[grown->count];
        snprintf(list, PATH_SIZE, "%.*s", (int)(bracket - path), path);
        sp_schema_find_place(list, &row);
        int count = sp_list_count(row, sp_scene_owner(scene, list)), index = atoi(bracket + 1);
        if (index > count)
            return sp_fail(error, SPATE_ERROR_SCENE, path,
                           "there is no %s[%d]: the next new one is %s[%d]", list, index, list,
                           count);
        if (index == count) {
            TRY(sp_scene_append(scene, list, error));
            grown->count++;
        }
    }
    return SPATE_OK;
}

static void shrink_lists(spate_scene *scene, const growth *grown)
{
    for (int k = grown->count - 1; k >= 0; k--) {
        const sp_row *row = NULL;
        sp_schema_find_place(grown->list[k], &row);
        sp_list_pop(row, sp_scene_owner(scene, grown->list[k]));
    }
}

spate_status spate_scene_set(spate_scene *scene, const char *path, const spate_value *value,
                             spate_error *error)
{
    const sp_row *row = NULL;
    switch (sp_schema_find_place(path, &row)) {
    case SP_NODE_NONE: return sp_fail_unknown(path, error);
    case SP_NODE_GROUP:
    case SP_NODE_ITEM:
        return sp_fail(error, SPATE_ERROR_SCENE, path, "must be an object with settings (got %s)",
                       kind_text(value));
    case SP_NODE_ROW: break;
    }
    growth grown = {0};
    spate_status status = grow_lists(scene, path, &grown, error);
    if (status == SPATE_OK) {
        void *owner = sp_scene_owner(scene, path);
        status = store(scene, row, owner, value, path, error);
        if (status == SPATE_OK &&
            strcmp(strrchr(path, ']') ? strrchr(path, ']') : "", "].file") == 0)
            forget_file(owner);
    }
    if (status != SPATE_OK)
        shrink_lists(scene, &grown);
    return status;
}
