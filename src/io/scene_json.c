/* scene_json.c -- scenes from JSON, by Jansson.
 *
 * The reader knows no setting by name: it walks the objects, asks the table what each path is, and
 * hands (path, value) pairs to spate_scene_set. Two exceptions: domain.size goes first, because it
 * decides how many numbers a vector has; and shapes that name a file get it loaded at the end. */
#include "base/memory.h"

#include "base/status.h"
#include "course.h"
#include "file.h"
#include "json.h"
#include "scene/lists.h"
#include "scene/schema.h"
#include <spate/spate_io.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 256
#define MAX_TEXT ((size_t)64 << 20) /* bytes of a scene file; more is a mistake */

static spate_status read_value(spate_scene *scene, const char *path, json_t *json,
                               spate_error *error);

static const char *kind_text(const json_t *json)
{
    switch (json_typeof(json)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "a list";
    case JSON_STRING: return "a string";
    case JSON_INTEGER:
    case JSON_REAL: return "a number";
    case JSON_TRUE: return "true";
    case JSON_FALSE: return "false";
    case JSON_NULL: return "null";
    }
    return "something else";
}

/* ------------------------------------------------------------------ objects */

static void join(char path[PATH_SIZE], const char *above, const char *key)
{
    snprintf(path, PATH_SIZE, "%s%s%s", above, above[0] ? "." : "", key);
}

/* Takes a problem of one setting to those before it, a line each, as far as there is room: whoever
 * writes a scene wants to know all of them. What is not the scene's fault ends the reading. */
static spate_status gather(spate_status status, const spate_error *one, spate_error *all,
                           spate_status *worst)
{
    static const char more[] = "\n... and more";
    if (status == SPATE_OK)
        return SPATE_OK;
    if (!all || status != SPATE_ERROR_SCENE || *worst == SPATE_OK) {
        if (all)
            *all = *one;
        *worst = status;
        return status == SPATE_ERROR_SCENE ? SPATE_OK : status;
    }
    size_t used = strlen(all->message), room = sizeof all->message - used;
    bool full = used >= sizeof more && strcmp(all->message + used + 1 - sizeof more, more) == 0;
    if (strlen(one->where) + strlen(one->message) + sizeof more + 4 < room && !full)
        snprintf(all->message + used, room, "\n%s: %s", one->where, one->message);
    else if (!full && room > sizeof more)
        strcpy(all->message + used, more);
    return SPATE_OK;
}

static spate_status check_keys(const char *path, json_t *json, spate_error *error);

static spate_status check_key(const char *path, json_t *json, const char *key, json_t *value,
                              spate_error *error)
{
    char below[PATH_SIZE];
    join(below, path, key);
    if (!key[0] || strpbrk(key, ".[]"))
        return sp_fail(
            error, SPATE_ERROR_SCENE, below,
            "unknown setting; a key is one name, and the settings of a group stand in an object");
    const sp_row *row = NULL;
    sp_node node = sp_schema_find_place(below, &row);
    if (node == SP_NODE_NONE)
        return sp_fail_unknown(below, error);
    if (!path[0] && strcmp(key, SP_OLD_FLUID) == 0 && json_object_get(json, "fluid"))
        return sp_fail(error, SPATE_ERROR_SCENE, key,
                       "is the old name of fluid, which is there too: write one of them");
    if ((json_is_object(value) && node == SP_NODE_GROUP) ||
        (json_is_array(value) && row && row->type == SP_LIST))
        return check_keys(below, value, error);
    return SPATE_OK;
}

/* All keys of an object are known; this goes first, so that a misspelt key is named before anything
 * that follows from it. */
static spate_status check_keys(const char *path, json_t *json, spate_error *error)
{
    const char *key;
    json_t *value;
    size_t index;
    char below[PATH_SIZE];
    spate_error one;
    spate_status worst = SPATE_OK;
    json_array_foreach(json, index, value)
    {
        snprintf(below, sizeof below, "%s[%zu]", path, index);
        if (json_is_object(value))
            TRY(gather(check_keys(below, value, &one), &one, error, &worst));
    }
    json_object_foreach(json, key, value)
        TRY(gather(check_key(path, json, key, value, &one), &one, error, &worst));
    return worst;
}

static spate_status read_members(spate_scene *scene, const char *path, json_t *json,
                                 spate_error *error)
{
    const char *key;
    json_t *value;
    char below[PATH_SIZE];
    if (!json_is_object(json))
        return sp_fail(error, SPATE_ERROR_SCENE, path, "%smust be an object (got %s)",
                       path[0] ? "" : "a scene ", kind_text(json));
    spate_error one;
    spate_status worst = SPATE_OK;
    json_object_foreach(json, key, value)
    {
        join(below, path, key);
        TRY(gather(read_value(scene, below, value, &one), &one, error, &worst));
    }
    return worst;
}

static spate_status read_list(spate_scene *scene, const char *path, json_t *json,
                              spate_error *error)
{
    char item[PATH_SIZE];
    json_t *value;
    size_t index;
    spate_error one;
    spate_status worst = SPATE_OK;
    sp_scene_clear_list(scene, path);
    json_array_foreach(json, index, value)
    {
        snprintf(item, sizeof item, "%s[%zu]", path, index);
        TRY(sp_scene_append(scene, path, error));
        TRY(gather(read_members(scene, item, value, &one), &one, error, &worst));
    }
    return worst;
}

/* "solids[2]" from the command line: an item that is there, or the next. */
static spate_status read_item(spate_scene *scene, const char *path, json_t *json,
                              spate_error *error)
{
    char list[PATH_SIZE];
    const sp_row *row = NULL;
    const char *bracket = strrchr(path, '[');
    snprintf(list, sizeof list, "%.*s", (int)(bracket - path), path);
    sp_schema_find_place(list, &row);
    void *owner = sp_scene_owner(scene, list);
    int count = owner ? sp_list_count(row, owner) : 0, index = atoi(bracket + 1);
    if (!owner || index > count)
        return sp_fail(error, SPATE_ERROR_SCENE, path, "there is no such item: the list has %d",
                       count);
    if (index == count)
        TRY(sp_scene_append(scene, list, error));
    return read_members(scene, path, json, error);
}

/* ------------------------------------------------------------------ values */

static spate_status read_numbers(const sp_row *row, int dim, const char *path, json_t *json,
                                 spate_value *value, spate_error *error)
{
    size_t count = json_array_size(json);
    value->kind = SPATE_VALUE_VECTOR;
    value->count = count > INT_MAX ? INT_MAX : (int)count;
    for (size_t k = 0; k < count && k < sizeof value->vector / sizeof *value->vector; k++) {
        json_t *number = json_array_get(json, k);
        char got[64];
        snprintf(got, sizeof got, "a list that holds %s", kind_text(number));
        if (!json_is_number(number))
            return sp_fail_type(row, dim, path, got, error);
        value->vector[k] = json_number_value(number);
    }
    return SPATE_OK;
}

static spate_status read_setting(spate_scene *scene, const sp_row *row, const char *path,
                                 json_t *json, spate_error *error)
{
    spate_value value = {0};
    switch (json_typeof(json)) {
    case JSON_INTEGER:
    case JSON_REAL:
        value.kind = SPATE_VALUE_NUMBER;
        value.number = json_number_value(json);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        value.kind = SPATE_VALUE_BOOL;
        value.number = json_is_true(json);
        break;
    case JSON_STRING:
        value.kind = SPATE_VALUE_STRING;
        value.string = json_string_value(json);
        break;
    case JSON_ARRAY: TRY(read_numbers(row, scene->dim, path, json, &value, error)); break;
    case JSON_OBJECT:
    case JSON_NULL: return sp_fail_type(row, scene->dim, path, kind_text(json), error);
    }
    return spate_scene_set(scene, path, &value, error);
}

static spate_status read_value(spate_scene *scene, const char *path, json_t *json,
                               spate_error *error)
{
    const sp_row *row = NULL;
    switch (sp_schema_find_place(path, &row)) {
    case SP_NODE_NONE: return sp_fail_unknown(path, error);
    case SP_NODE_GROUP: return read_members(scene, path, json, error);
    case SP_NODE_ITEM: return read_item(scene, path, json, error);
    case SP_NODE_ROW: break;
    }
    if (row->type == SP_LIST && json_is_array(json) && sp_scene_owner(scene, path))
        return read_list(scene, path, json, error);
    return read_setting(scene, row, path, json, error);
}

static spate_status read_root(spate_scene *scene, json_t *root, spate_error *error)
{
    if (json_is_object(root))
        TRY(check_keys("", root, error));
    json_t *size = json_object_get(json_object_get(root, "domain"), "size");
    if (size)
        TRY(read_value(scene, "domain.size", size, error));
    else if (json_is_object(root))
        return sp_fail(
            error, SPATE_ERROR_SCENE, "domain.size",
            "is required: [width, height] in metres for 2D, [width, height, depth] for 3D");
    return read_value(scene, "", root, error);
}

/* ------------------------------------------------------------------ files that shapes name */

/* Another shape that has loaded the same file for the same use; NULL if there is none. */
static const spate_shape *find_loaded(const spate_scene *scene, const spate_shape *like,
                                      const char *file)
{
    for (int l = 0; l < SP_SHAPE_LIST_COUNT; l++) {
        const spate_shape_list *list = sp_shape_list(scene, l);
        for (int k = 0; k < list->count; k++) {
            const spate_shape *shape = &list->items[k];
            if (shape != like && shape->shape == like->shape && (shape->mesh || shape->points) &&
                strcmp(shape->file, file) == 0)
                return shape;
        }
    }
    return NULL;
}

static spate_status load_file(const spate_scene *scene, spate_shape *shape, const char *folder,
                              const char *where, spate_error *error)
{
    char path[PATH_MAX], full[PATH_MAX];
    bool relative = shape->file[0] != '/' && folder[0];
    int length = snprintf(path, sizeof path, "%s%s%s", relative ? folder : "",
                          relative && folder[strlen(folder) - 1] != '/' ? "/" : "", shape->file);
    if (length >= (int)sizeof path)
        return sp_fail(error, SPATE_ERROR_FILE, where, "its path is too long");
    bool found = realpath(path, full) != NULL; /* if not, the reader says why */
    const spate_shape *other = found ? find_loaded(scene, shape, full) : NULL;
    spate_error inner = {0};
    if (shape->shape == SPATE_SHAPE_MESH)
        shape->mesh = other ? spate_mesh_retain(other->mesh) : spate_mesh_read(path, &inner);
    else
        shape->points =
            other ? spate_points_retain(other->points) : spate_points_read(path, &inner);
    if (!shape->mesh && !shape->points)
        return sp_fail(error, inner.status, where, "%s: %s", inner.where[0] ? inner.where : path,
                       inner.message);
    if (!found || strlen(full) >= sizeof shape->file)
        return sp_fail(error, SPATE_ERROR_FILE, where,
                       "its full path is longer than %zu bytes: move it", sizeof shape->file - 1);
    strcpy(shape->file, full); /* a resolved scene can be read from any folder */
    return SPATE_OK;
}

static spate_status load_files(spate_scene *scene, const char *folder, spate_error *error)
{
    for (int l = 0; l < SP_SHAPE_LIST_COUNT; l++) {
        const spate_shape_list *list = sp_shape_list(scene, l);
        for (int k = 0; k < list->count; k++) {
            spate_shape *shape = &list->items[k];
            bool wanted =
                shape->file[0] && ((shape->shape == SPATE_SHAPE_MESH && !shape->mesh) ||
                                   (shape->shape == SPATE_SHAPE_PARTICLES && !shape->points));
            char where[64];
            snprintf(where, sizeof where, "%s[%d].file", sp_shape_list_name(l), k);
            if (wanted)
                TRY(load_file(scene, shape, folder, where, error));
        }
    }
    return SPATE_OK;
}

/* ------------------------------------------------------------------ text */

/* Jansson gives the column where the token that it quotes ends; editors want the one where it
 * begins. */
static int first_column(const json_error_t *problem)
{
    const char *quoted = strstr(problem->text, " near '"), *end = strrchr(problem->text, '\'');
    int column = problem->column;
    if (!quoted || end <= quoted + 6 || end[1])
        return column; /* at the end of the text, or a token too long to be quoted whole */
    for (const char *c = quoted + 7; c < end; c++)
        column -= (*c & 0xc0) != 0x80; /* characters, not bytes */
    return column < 0 ? problem->column : column + 1;
}

static spate_status fail_json(const json_error_t *problem, size_t length, spate_error *error)
{
    char where[64], text[JSON_ERROR_TEXT_LENGTH];
    if (sp_json_no_memory(problem, length))
        return sp_fail_memory(error, "the scene", 0);
    snprintf(where, sizeof where, "line %d, column %d", problem->line, first_column(problem));
    snprintf(text, sizeof text, "%s", problem->text);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20) /* Jansson quotes the text as it stands */
            *c = ' ';
    return sp_fail(error, SPATE_ERROR_SCENE, where, "%s", text);
}

spate_scene *spate_scene_parse(const char *text, size_t length, const char *folder,
                               spate_error *error)
{
    json_error_t problem;
    if (length > MAX_TEXT) {
        sp_fail(error, SPATE_ERROR_SCENE, NULL, "is too large for a scene: %zu bytes, at most %zu",
                length, MAX_TEXT);
        return NULL;
    }
    if (length >= 3 &&
        memcmp(text, "\xef\xbb\xbf", 3) == 0) /* the mark that some editors put before UTF-8 text */
        text += 3, length -= 3;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);
    if (!root) {
        fail_json(&problem, length, error);
        return NULL;
    }
    if (sp_course_is(root)) { /* of the PIC-FLIP course */
        spate_scene *theirs = sp_course_scene(root, NULL, NULL, error);
        json_decref(root);
        return theirs;
    }
    spate_scene *scene = spate_scene_create();
    spate_status status =
        scene ? read_root(scene, root, error) : sp_fail_memory(error, "the scene", 0);
    json_decref(root);
    if (status == SPATE_OK)
        status = load_files(scene, folder ? folder : "", error);
    if (status == SPATE_OK)
        status = spate_scene_expand(scene, error);
    if (status == SPATE_OK)
        return scene;
    spate_scene_destroy(scene);
    return NULL;
}

spate_scene *spate_scene_read(const char *path, spate_error *error)
{
    char *text, folder[PATH_MAX];
    size_t length;
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 0, path);
    if (sp_file_read_all(path, &text, &length, error) != SPATE_OK)
        return NULL;
    spate_scene *scene = spate_scene_parse(text, length, folder, error);
    sp_free(text);
    return scene;
}

/* A value that is not JSON: a number in another spelling (.5, inf), else a bare word where a string
 * is meant. */
static spate_status assign_word(spate_scene *scene, const sp_row *row, const char *path,
                                const char *text, spate_error *error)
{
    spate_value value = {.kind = SPATE_VALUE_STRING, .string = text};
    bool numeric = row->type == SP_NUMBER || row->type == SP_INTEGER || row->type == SP_SEED;
    const char *end = numeric ? sp_text_number(text, &value.number) : NULL;
    if (end && *end == 0)
        value.kind = SPATE_VALUE_NUMBER;
    return spate_scene_set(scene, path, &value, error);
}

static spate_status assign(spate_scene *scene, const char *path, const char *text,
                           spate_error *error)
{
    const sp_row *row = NULL;
    json_error_t problem;
    if (sp_schema_find_place(path, &row) == SP_NODE_NONE)
        return sp_fail_unknown(path, error);
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &problem);
    bool word = row && (!json || (row->type == SP_STRING && !json_is_string(json)));
    if (!json && sp_json_no_memory(&problem, strlen(text)))
        return sp_fail_memory(error, path, 0);
    if (!json && (!word || (text[0] && strchr("[{\"", text[0]))))
        return sp_fail(error, SPATE_ERROR_SCENE, path, "its value is not valid JSON: %s",
                       problem.text);
    spate_status status = SPATE_OK;
    if (word)
        status = assign_word(scene, row, path, text, error);
    else if (json_is_object(json) || (json_is_array(json) && row && row->type == SP_LIST))
        status = check_keys(path, json, error);
    if (status == SPATE_OK && !word)
        status = read_value(scene, path, json, error);
    json_decref(json);
    return status;
}

spate_status spate_scene_assign(spate_scene *scene, const char *assignment, spate_error *error)
{
    char path[PATH_SIZE];
    const char *equals = strchr(assignment, '=');
    size_t length = equals ? (size_t)(equals - assignment) : 0;
    if (length == 0 || length >= sizeof path)
        return sp_fail(error, SPATE_ERROR_USAGE, assignment, "must be written as path=value");
    snprintf(path, sizeof path, "%.*s", (int)length, assignment);
    TRY(assign(scene, path, equals + 1, error));
    return load_files(scene, "", error);
}
