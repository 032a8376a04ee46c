/* scene_builder.c -- a scene from (path, value) pairs, and the table of settings as JSON. */
#include "web.h"

#include "base/status.h"
#include "scene/schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static spate_scene *draft;

const spate_scene *web_draft_scene(void)
{
    return draft;
}

EMSCRIPTEN_KEEPALIVE spate_status web_draft_begin(void)
{
    spate_scene_destroy(draft);
    draft = spate_scene_create();
    return draft ? SPATE_OK : sp_fail_memory(&web_error, "the scene", 0);
}

EMSCRIPTEN_KEEPALIVE int web_draft_node(const char *path)
{
    const sp_row *row = NULL;
    switch (sp_schema_find_place(path, &row)) {
    case SP_NODE_NONE: return 0;
    case SP_NODE_GROUP: return 1;
    case SP_NODE_ITEM: return 2;
    case SP_NODE_ROW: break;
    }
    return row->type == SP_LIST ? 4 : 3;
}

static spate_status set(const char *path, const spate_value *value)
{
    return spate_scene_set(draft, path, value, &web_error);
}

EMSCRIPTEN_KEEPALIVE spate_status web_draft_number(const char *path, double number)
{
    return set(path, &(spate_value){.kind = SPATE_VALUE_NUMBER, .number = number});
}

EMSCRIPTEN_KEEPALIVE spate_status web_draft_bool(const char *path, int on)
{
    return set(path, &(spate_value){.kind = SPATE_VALUE_BOOL, .number = on != 0});
}

EMSCRIPTEN_KEEPALIVE spate_status web_draft_string(const char *path, const char *string)
{
    return set(path, &(spate_value){.kind = SPATE_VALUE_STRING, .string = string});
}

EMSCRIPTEN_KEEPALIVE spate_status web_draft_vector(const char *path, const double *values,
                                                   int count)
{
    spate_value value = {.kind = SPATE_VALUE_VECTOR, .count = count};
    for (int k = 0; k < count && k < (int)(sizeof value.vector / sizeof *value.vector); k++)
        value.vector[k] = values[k];
    return set(path, &value);
}

EMSCRIPTEN_KEEPALIVE spate_status web_draft_clear(const char *list)
{
    sp_scene_clear_list(draft, list);
    return SPATE_OK;
}

EMSCRIPTEN_KEEPALIVE spate_status web_draft_append(const char *list)
{
    return sp_scene_append(draft, list, &web_error);
}

EMSCRIPTEN_KEEPALIVE spate_status web_draft_unknown(const char *path)
{
    return sp_fail_unknown(path, &web_error);
}

EMSCRIPTEN_KEEPALIVE spate_status web_draft_wrong_type(const char *path, const char *got)
{
    const sp_row *row = NULL;
    if (sp_schema_find_place(path, &row) == SP_NODE_ROW)
        return sp_fail_type(row, draft->dim, path, got, &web_error);
    return sp_fail(&web_error, SPATE_ERROR_SCENE, path, "%smust be an object (got %s)",
                   path[0] ? "" : "a scene ", got);
}

EMSCRIPTEN_KEEPALIVE spate_status web_draft_mesh(const char *path, const double *vertices,
                                                 int vertex_count, const uint32_t *triangles,
                                                 int triangle_count)
{
    char member[300];
    snprintf(member, sizeof member, "%s.file", path);
    spate_shape *shape = sp_scene_owner(draft, member);
    if (!shape)
        return sp_fail(&web_error, SPATE_ERROR_SCENE, path, "there is no such shape");
    spate_error inner = {0};
    shape->mesh = spate_mesh_create(vertices, (size_t)vertex_count, triangles,
                                    (size_t)triangle_count, &inner);
    if (shape->mesh)
        return SPATE_OK;
    return sp_fail(&web_error, inner.status, member, "%s", inner.message);
}

/* ------------------------------------------------------------------ the table as JSON */

typedef struct text {
    char *at, *end;
} text;

static void put(text *t, const char *format, const char *value)
{
    int length = snprintf(t->at, (size_t)(t->end - t->at), format, value);
    t->at += length < t->end - t->at ? length : t->end - t->at - 1;
}

static void put_string(text *t, const char *key, const char *value)
{
    put(t, "\"%s\":\"", key);
    for (; *value; value++) {
        char letter[3] = {*value, 0};
        if (*value == '"' || *value == '\\')
            memcpy(letter, (char[3]){'\\', *value, 0}, sizeof letter);
        put(t, "%s", letter);
    }
    put(t, "%s", "\",");
}

static void put_limit(text *t, const char *key, double limit)
{
    char number[40];
    snprintf(number, sizeof number, isfinite(limit) ? "%.17g" : "null", limit);
    put(t, "\"%s\":", key);
    put(t, "%s", number);
}

EMSCRIPTEN_KEEPALIVE const char *web_schema(void)
{
    static char json[65536];
    text t = {json, json + sizeof json};
    put(&t, "%s", "[");
    for (int k = 0; k < spate_setting_count(); k++) {
        const spate_setting *s = spate_setting_at(k);
        put(&t, "%s{", k ? "," : "");
        put_string(&t, "path", s->path);
        put_string(&t, "type", s->type);
        put_string(&t, "fallback", s->fallback);
        put_string(&t, "unit", s->unit);
        put_string(&t, "choices", s->choices);
        put_string(&t, "help", s->help);
        put_limit(&t, "low", s->low);
        put(&t, "%s", ",");
        put_limit(&t, "high", s->high);
        put(&t, "%s", "}");
    }
    put(&t, "%s", "]");
    return json;
}
