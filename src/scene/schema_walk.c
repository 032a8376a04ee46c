/* schema_walk.c -- from paths to places: visiting every setting of a scene, and finding one by its
 * path.
 */
#include "schema.h"

#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 256 /* as spate_error.where */

/* ------------------------------------------------------------------ visiting */

typedef struct walker {
    const sp_walk *walk;
    char path[PATH_SIZE]; /* of what is being visited, with numbers */
} walker;

static spate_status walk_rows(walker *w, int begin, int end, size_t skip, const void *owner);

/* The end of the run of rows from `begin` whose paths start with the first `length` characters of
 * `path`. */
static int rows_below(const char *path, size_t length, int begin, int end)
{
    int k = begin;
    while (k < end && strncmp(sp_row_at(k)->setting.path, path, length) == 0)
        k++;
    return k;
}

static void open_group(walker *w, const char *key, bool list)
{
    if (w->walk->open)
        w->walk->open(w->walk->user, key, list);
}

static void close_group(walker *w, bool list)
{
    if (w->walk->close)
        w->walk->close(w->walk->user, list);
}

/* Rows begin..end are the settings of the items of `row`, `skip` characters into their paths. */
static spate_status walk_list(walker *w, const sp_row *row, int begin, int end, size_t skip,
                              const void *owner)
{
    size_t length = strlen(w->path);
    int count = sp_list_count(row, owner);
    for (int k = 0; k < count; k++) {
        snprintf(w->path + length, sizeof w->path - length, "[%d].", k);
        open_group(w, NULL, false);
        TRY(walk_rows(w, begin, end, skip, sp_list_item(row, owner, k)));
        close_group(w, false);
        w->path[length] = 0;
    }
    return SPATE_OK;
}

/* Rows begin..end share the first `skip` characters of their paths and the owner. */
static spate_status walk_rows(walker *w, int begin, int end, size_t skip, const void *owner)
{
    size_t length = strlen(w->path);
    for (int k = begin; k < end;) {
        const sp_row *row = sp_row_at(k);
        const char *rest = row->setting.path + skip;
        size_t part = strcspn(rest, ".");
        char key[64];
        snprintf(key, sizeof key, "%.*s", (int)part, rest);
        snprintf(w->path + length, sizeof w->path - length, "%s", key);
        int next = k + 1;
        if (rest[part] == '.') {
            next = rows_below(row->setting.path, skip + part + 1, k, end);
            open_group(w, key, false);
            snprintf(w->path + length, sizeof w->path - length, "%s.", key);
            TRY(walk_rows(w, k, next, skip + part + 1, owner));
            close_group(w, false);
        } else {
            TRY(w->walk->setting(w->walk->user, row, owner, key, w->path));
            if (row->type == SP_LIST) {
                char prefix[PATH_SIZE];
                int prefix_length = snprintf(prefix, sizeof prefix, "%s[].", row->setting.path);
                next = rows_below(prefix, (size_t)prefix_length, k + 1, end);
                open_group(w, key, true);
                TRY(walk_list(w, row, k + 1, next, (size_t)prefix_length, owner));
                close_group(w, true);
            }
        }
        w->path[length] = 0;
        k = next;
    }
    return SPATE_OK;
}

spate_status sp_scene_walk(const spate_scene *scene, const sp_walk *walk)
{
    walker w = {.walk = walk};
    return walk_rows(&w, 0, sp_row_count(), 0, scene);
}

/* ------------------------------------------------------------------ finding */

static void use_present_name(char *plain)
{
    const char *rest = plain + strlen(SP_OLD_FLUID);
    if (strncmp(plain, SP_OLD_FLUID, strlen(SP_OLD_FLUID)) == 0 && (!*rest || *rest == '.')) {
        memmove(plain + strlen("fluid"), rest, strlen(rest) + 1); /* it is shorter */
        memcpy(plain, "fluid", strlen("fluid"));
    }
}

bool sp_path_strip(const char *path, char *plain, size_t size)
{
    size_t used = 0;
    while (*path) {
        if (used + 1 >= size)
            return false;
        plain[used++] = *path;
        if (*path++ == '[') {
            size_t digits = strspn(path, "0123456789");
            if (digits == 0 || digits > 9 || path[digits] != ']')
                return false;
            path += digits;
        }
    }
    plain[used] = 0;
    use_present_name(plain);
    return true;
}

sp_node sp_schema_find_place(const char *path, const sp_row **row)
{
    char plain[PATH_SIZE];
    if (!sp_path_strip(path, plain, sizeof plain))
        return SP_NODE_NONE;
    return sp_schema_find(plain, row);
}

void *sp_scene_owner(spate_scene *scene, const char *path)
{
    void *owner = scene;
    char list[PATH_SIZE];
    for (const char *bracket = strchr(path, '['); bracket; bracket = strchr(bracket + 1, '[')) {
        const char *close = strchr(bracket, ']');
        if (!close || !close[1])
            break; /* the path ends in an item */
        const sp_row *row = NULL;
        snprintf(list, sizeof list, "%.*s", (int)(bracket - path), path);
        if (sp_schema_find_place(list, &row) != SP_NODE_ROW || row->type != SP_LIST)
            return NULL;
        int index = atoi(bracket + 1);
        if (index >= sp_list_count(row, owner))
            return NULL;
        owner = sp_list_item(row, owner, index);
    }
    return owner;
}

spate_status sp_scene_append(spate_scene *scene, const char *path, spate_error *error)
{
    const sp_row *row = NULL;
    if (sp_schema_find_place(path, &row) != SP_NODE_ROW || row->type != SP_LIST)
        return sp_fail_unknown(path, error);
    void *owner = sp_scene_owner(scene, path);
    if (!owner)
        return sp_fail(error, SPATE_ERROR_SCENE, path, "there is no such list yet");
    if (sp_list_count(row, owner) >= row->setting.high)
        return sp_fail(error, SPATE_ERROR_SCENE, path, "has too many items: at most %g",
                       row->setting.high);
    if (!sp_list_append(row, owner))
        return sp_fail_memory(error, path, 0);
    return SPATE_OK;
}

void sp_scene_clear_list(spate_scene *scene, const char *path)
{
    const sp_row *row = NULL;
    if (sp_schema_find_place(path, &row) != SP_NODE_ROW || row->type != SP_LIST)
        return;
    void *owner = sp_scene_owner(scene, path);
    while (owner && sp_list_count(row, owner) > 0)
        sp_list_pop(row, owner);
}
