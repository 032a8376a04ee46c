/* run_info.c -- run.json: what was run, by what, on what; and whether two scenes are the same. */
#include "run_folder.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"
#include "file.h"
#include "json.h"
#include "scene/schema.h"

/* ------------------------------------------------------------------ writing */

static void put(sp_file *file, const char *text)
{
    sp_file_write(file, text, strlen(text));
}

static void put_string(sp_file *file, const char *name, const char *text)
{
    put(file, "  \"");
    put(file, name);
    put(file, "\": \"");
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        char escaped[8];
        if (*c == '"' || *c == '\\')
            snprintf(escaped, sizeof escaped, "\\%c", *c);
        else if (*c < 0x20)
            snprintf(escaped, sizeof escaped, "\\u%04x", *c);
        else
            snprintf(escaped, sizeof escaped, "%c", *c);
        put(file, escaped);
    }
    put(file, "\",\n");
}

/* File names need not be UTF-8, JSON must be: bytes that are not become question marks. */
static void make_utf8(char *text)
{
    json_t *string = json_string(text);
    if (string)
        json_decref(string);
    else
        for (; *text; text++)
            if ((unsigned char)*text >= 0x80)
                *text = '?';
}

spate_status sp_run_info_write(const sp_run_folder *folder, const sp_run_info *info,
                               spate_error *error)
{
    char path[SP_PATH_SIZE], numbers[128], scene_file[sizeof info->scene_file];
    sp_file *file = sp_file_create(sp_run_folder_path(folder, "run.json", path), error);
    if (!file)
        return error ? error->status : SPATE_ERROR_FILE;
    snprintf(scene_file, sizeof scene_file, "%s", info->scene_file);
    make_utf8(scene_file);
    snprintf(numbers, sizeof numbers,
             "  \"threads\": %d,\n  \"particles\": %llu,\n  \"scene\": ", info->threads,
             (unsigned long long)info->particles);
    put(file, "{\n");
    put_string(file, "spate", info->version);
    put_string(file, "scene_file", scene_file);
    put_string(file, "device", info->device);
    put(file, numbers);
    /* the scene word for word, two blanks further in */
    size_t length = strlen(info->scene);
    while (length > 0 && info->scene[length - 1] == '\n')
        length--;
    for (size_t k = 0; k < length; k++) {
        sp_file_write(file, &info->scene[k], 1);
        if (info->scene[k] == '\n')
            put(file, "  ");
    }
    put(file, "\n}\n");
    return sp_file_close(file, error);
}

/* ------------------------------------------------------------------ reading */

/* The scene of a run of an older version. */
static void use_present_names(json_t *scene)
{
    json_t *fluid = json_object_get(scene, SP_OLD_FLUID);
    if (fluid)
        json_object_set(scene, "fluid", fluid);
    json_object_del(scene, SP_OLD_FLUID);
}

static spate_status unpack(json_t *root, const char *path, sp_run_info *info, spate_error *error)
{
    const char *version = NULL, *device = NULL, *scene_file = NULL;
    json_t *scene = NULL;
    json_int_t particles = 0, threads = 0;
    json_error_t wrong;
    bool read = json_unpack_ex(root, &wrong, 0, "{s:s, s:s, s:s, s:I, s:I, s:o}", "spate", &version,
                               "scene_file", &scene_file, "device", &device, "threads", &threads,
                               "particles", &particles, "scene", &scene) == 0;
    if (!read && sp_json_no_memory(&wrong, sizeof *info))
        return sp_fail_memory(error, path, 0);
    if (!read || !json_is_object(scene) || particles < 0 || threads < 0 || threads > INT_MAX)
        return sp_fail(error, SPATE_ERROR_FILE, path, "is not the run.json of a spate run");
    snprintf(info->version, sizeof info->version, "%s", version);
    snprintf(info->device, sizeof info->device, "%s", device);
    snprintf(info->scene_file, sizeof info->scene_file, "%s", scene_file);
    sp_plain_text(info->version); /* they are printed */
    sp_plain_text(info->device);
    sp_plain_text(info->scene_file);
    info->threads = (int)threads;
    info->particles = (uint64_t)particles;
    use_present_names(scene);
    char *text = json_dumps(scene, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    info->scene = text ? sp_alloc(strlen(text) + 1, 1) : NULL;
    if (info->scene)
        memcpy(info->scene, text, strlen(text));
    free(text);
    return info->scene ? SPATE_OK : sp_fail_memory(error, path, 0);
}

/* Its files may mean something else by then. */
static spate_status refuse_newer(const sp_run_folder *folder, const sp_run_info *info,
                                 spate_error *error)
{
    int major = 0, minor = 0;
    if (sscanf(info->version, "%d.%d", &major, &minor) != 2 || major < SPATE_VERSION_MAJOR ||
        (major == SPATE_VERSION_MAJOR && minor <= SPATE_VERSION_MINOR))
        return SPATE_OK;
    return sp_fail(error, SPATE_ERROR_FILE, folder->path,
                   "was written by spate %s, which is newer than this one (%s): use that version",
                   info->version, spate_version());
}

spate_status sp_run_info_read(const sp_run_folder *folder, sp_run_info *info, spate_error *error)
{
    *info = (sp_run_info){.threads = 0};
    char path[SP_PATH_SIZE], *text;
    size_t size;
    TRY(sp_file_read_all(sp_run_folder_path(folder, "run.json", path), &text, &size, error));
    json_error_t wrong;
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &wrong);
    sp_free(text);
    if (!root && sp_json_no_memory(&wrong, size))
        return sp_fail_memory(error, path, 0);
    if (!root)
        return sp_fail(error, SPATE_ERROR_FILE, path, "is damaged: line %d, column %d: %s",
                       wrong.line, wrong.column, wrong.text);
    spate_status status = unpack(root, path, info, error);
    json_decref(root);
    if (status == SPATE_OK)
        status = refuse_newer(folder, info, error);
    if (status != SPATE_OK) {
        sp_free(info->scene);
        info->scene = NULL;
    }
    return status;
}

static bool is_text(json_t *value, const char *text)
{
    return json_is_string(value) && strcmp(json_string_value(value), text) == 0;
}

/* What decides where the sides stand, if they are between faces of the grid. */
static void unpack_sides(json_t *root, spate_scene *scene)
{
    static const char *const high[3] = {"right", "top", "front"};
    json_t *sides = json_object_get(json_object_get(root, "domain"), "sides");
    json_t *solids = json_object_get(json_object_get(root, "pressure"), "solids");
    for (int d = 0; d < scene->dim; d++) {
        json_t *side = json_object_get(sides, high[d]);
        scene->domain.sides[d][1] = is_text(side, "open")       ? SPATE_SIDE_OPEN
                                    : is_text(side, "periodic") ? SPATE_SIDE_PERIODIC
                                                                : SPATE_SIDE_WALL;
    }
    if (is_text(solids, "voxel"))
        scene->pressure.solids = SPATE_SOLID_MODEL_VOXEL;
}

static bool unpack_scene(json_t *root, spate_scene *scene)
{
    json_t *size = NULL;
    const char *name = "";
    const char *kind = "liquid";
    json_int_t frames = 0, cells = scene->domain.cells, per_axis = 0;
    if (json_unpack(root, "{s?s, s:I, s:F, s:{s:o, s?I, s?F}, s:{s?s, s:I}}", "name", &name,
                    "frames", &frames, "fps", &scene->fps, "domain", "size", &size, "cells", &cells,
                    "cell_size", &scene->domain.cell_size, "fluid", "kind", &kind,
                    "particles_per_axis", &per_axis) != 0)
        return false;
    size_t dim = json_array_size(size);
    if ((dim != 2 && dim != 3) || llabs(frames) > INT_MAX || llabs(cells) > INT_MAX ||
        per_axis < 1 || per_axis > INT_MAX)
        return false;
    scene->dim = (int)dim;
    for (size_t d = 0; d < dim; d++)
        scene->domain.size[d] = json_number_value(json_array_get(size, d));
    scene->frames = (int)frames;
    scene->domain.cells = (int)cells;
    scene->fluid.particles_per_axis = (int)per_axis;
    scene->fluid.kind = strcmp(kind, "gas") == 0 ? SPATE_FLUID_GAS : SPATE_FLUID_LIQUID;
    unpack_sides(root, scene);
    snprintf(scene->name, sizeof scene->name, "%s", name);
    sp_plain_text(scene->name);
    return true;
}

spate_scene *sp_run_info_scene(const sp_run_folder *folder, const sp_run_info *info,
                               spate_error *error)
{
    char path[SP_PATH_SIZE];
    spate_error found = {.status = SPATE_OK};
    spate_scene *scene = spate_scene_create();
    json_t *root = json_loads(info->scene, 0, NULL);
    sp_run_folder_path(folder, "run.json", path);
    if (!scene || !root) {
        sp_fail_memory(error, path, 0);
    } else if (!unpack_scene(root, scene)) {
        sp_fail(error, SPATE_ERROR_FILE, path,
                "the scene in it lacks domain.size, domain.cells, frames, fps or "
                "fluid.particles_per_axis, or they make no sense");
    } else if (sp_scene_check_size(scene, &found) != SPATE_OK) {
        sp_fail(error, SPATE_ERROR_FILE, path, "the scene in it: %s: %s", found.where,
                found.message);
    } else {
        json_decref(root);
        return scene;
    }
    json_decref(root);
    spate_scene_destroy(scene);
    return NULL;
}

static bool moves(json_t *solid)
{
    size_t k;
    json_t *part, *velocity = json_object_get(solid, "velocity");
    if (json_array_size(json_object_get(solid, "motion")) > 0)
        return true;
    json_array_foreach(velocity, k, part)
    {
        if (json_number_value(part) != 0)
            return true;
    }
    return false;
}

bool sp_run_info_is_driven(const sp_run_info *info)
{
    static const char *const lists[] = {"inflows", "outflows", "sources", "keyframes"};
    json_t *root = json_loads(info->scene, 0, NULL), *item;
    bool driven = false;
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        driven = driven || json_array_size(json_object_get(root, lists[k])) > 0;
    size_t k;
    json_array_foreach(json_object_get(root, "solids"), k, item)
    {
        driven = driven || moves(item);
    }
    json_array_foreach(json_object_get(root, "channels"), k, item)
    {
        json_t *name = json_object_get(item, "name");
        driven = driven || is_text(name, "temperature") || is_text(name, "smoke");
    }
    const char *side;
    json_object_foreach(json_object_get(json_object_get(root, "domain"), "sides"), side, item)
    {
        driven = driven || is_text(item, "open");
    }
    json_decref(root);
    return driven;
}

/* ------------------------------------------------------------------ comparing scenes */

/* The same file may be named from here or from there. */
static bool same_file(const char *first, const char *second)
{
    char *a = realpath(first, NULL), *b = realpath(second, NULL);
    bool same = a && b && strcmp(a, b) == 0;
    free(a);
    free(b);
    return same;
}

static bool same_value(const json_t *first, const json_t *second, const char *key)
{
    if (json_is_integer(first) && json_is_integer(second))
        return json_integer_value(first) == json_integer_value(second);
    if (json_is_number(first) && json_is_number(second))
        return json_number_value(first) == json_number_value(second);
    if (json_is_string(first) && json_is_string(second) && strcmp(key, "file") == 0)
        return json_equal(first, second) ||
               same_file(json_string_value(first), json_string_value(second));
    return json_equal(first, second);
}

static void value_text(const json_t *value, char *text, size_t size)
{
    char *dumped =
        value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    snprintf(text, size, "%s", dumped ? dumped : "nothing");
    free(dumped);
}

static bool found(const json_t *first, const json_t *second, const char *where,
                  sp_difference *difference)
{
    snprintf(difference->where, sizeof difference->where, "%s", where);
    value_text(first, difference->first, sizeof difference->first);
    value_text(second, difference->second, sizeof difference->second);
    return true;
}

static bool differ_at(json_t *first, json_t *second, const char *where, const char *key,
                      sp_difference *difference);

static bool differ_in_object(json_t *first, json_t *second, const char *where,
                             sp_difference *difference)
{
    const char *key;
    json_t *value;
    char below[256];
    bool top = !where[0];
    json_object_foreach(first, key, value)
    {
        if (top && (strcmp(key, "frames") == 0 || strcmp(key, "output") == 0))
            continue;
        snprintf(below, sizeof below, "%.190s%s%.60s", where, top ? "" : ".", key);
        if (differ_at(value, json_object_get(second, key), below, key, difference))
            return true;
    }
    json_object_foreach(second, key, value)
    {
        snprintf(below, sizeof below, "%.190s%s%.60s", where, top ? "" : ".", key);
        if (!json_object_get(first, key))
            return found(NULL, value, below, difference);
    }
    return false;
}

/* Lists of numbers are one setting; lists of objects are looked into. */
static bool differ_in_array(json_t *first, json_t *second, const char *where, const char *key,
                            sp_difference *difference)
{
    size_t count = json_array_size(first), other = json_array_size(second);
    bool vector =
        !json_is_object(json_array_get(first, 0)) && !json_is_object(json_array_get(second, 0));
    for (size_t k = 0; k < count || k < other; k++) {
        json_t *a = json_array_get(first, k), *b = json_array_get(second, k);
        char below[256];
        snprintf(below, sizeof below, "%.230s[%zu]", where, k);
        if (vector && (!a || !b || !same_value(a, b, key)))
            return found(first, second, where, difference);
        if (!vector && differ_at(a, b, below, key, difference))
            return true;
    }
    return false;
}

static bool differ_at(json_t *first, json_t *second, const char *where, const char *key,
                      sp_difference *difference)
{
    if (json_is_object(first) && json_is_object(second))
        return differ_in_object(first, second, where, difference);
    if (json_is_array(first) && json_is_array(second))
        return differ_in_array(first, second, where, key, difference);
    if (first && second && same_value(first, second, key))
        return false;
    return found(first, second, where, difference);
}

spate_status sp_scene_difference(const char *first, const char *second, bool *differ,
                                 sp_difference *difference, spate_error *error)
{
    json_error_t wrong[2];
    json_t *a = json_loads(first, 0, &wrong[0]), *b = json_loads(second, 0, &wrong[1]);
    bool read = a && b;
    bool memory = (!a && sp_json_no_memory(&wrong[0], strlen(first))) ||
                  (!b && sp_json_no_memory(&wrong[1], strlen(second)));
    *differ = read && differ_at(a, b, "", "", difference);
    json_decref(a);
    json_decref(b);
    if (memory)
        return sp_fail_memory(error, "the text of a scene", 0);
    if (!read)
        return sp_fail(error, SPATE_ERROR_FILE, NULL, "the text of a scene is not JSON");
    return SPATE_OK;
}
