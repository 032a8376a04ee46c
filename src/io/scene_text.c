/* scene_text.c -- a scene as JSON text: every setting, one per line, in the order of the table.
 *
 * Numbers are written with the fewest digits that read back to the same bits, so the text is the
 * scene. Lengths that are not given, and settings that mean nothing to their shape and were never
 * touched, are left out. */
#include "base/memory.h"
#include "base/text.h"

#include "scene/schema.h"
#include <spate/spate_io.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
    char *text;
    size_t used, room;
    bool failed; /* no memory: the rest is dropped */
    bool first;  /* in the object or list that is open: no comma yet */
    int depth;
    int dim;
} writer;

static void put(writer *w, const char *bytes, size_t length)
{
    if (w->failed)
        return;
    if (w->used + length + 1 > w->room) {
        size_t room = 2 * (w->used + length + 1) + 4096;
        char *text = sp_grow(w->text, w->used, room, 1);
        if (!text) {
            w->failed = true;
            return;
        }
        w->text = text;
        w->room = room;
    }
    memcpy(w->text + w->used, bytes, length);
    w->used += length;
    w->text[w->used] = 0;
}

static void put_text(writer *w, const char *text)
{
    put(w, text, strlen(text));
}

static void put_line(writer *w)
{
    put_text(w, "\n");
    for (int k = 0; k < w->depth; k++)
        put_text(w, "  ");
}

static void put_number(writer *w, double value)
{
    char text[40];
    if (value == 0 && signbit(value)) {
        put_text(w, "-0.0"); /* "-0" would read as an integer, without its sign */
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    /* the process may have a locale with another decimal point, of one or more bytes */
    size_t used = strspn(text, "+-0123456789"), point = strcspn(text + used, "0123456789e");
    put(w, text, used);
    if (point > 0)
        put_text(w, ".");
    put_text(w, text + used + point);
}

static void put_string(writer *w, const char *text, size_t size)
{
    put_text(w, "\"");
    for (const char *end = text + strnlen(text, size); text < end;) {
        int length = sp_utf8_length(text);
        char escape[8];
        if ((unsigned char)*text < 0x20) {
            snprintf(escape, sizeof escape, "\\u%04x", *text);
            put_text(w, escape);
        } else if (*text == '"' || *text == '\\') {
            put_text(w, "\\");
            put(w, text, 1);
        } else {
            put(w, length ? text : "?", length ? (size_t)length : 1);
        }
        text += length ? length : 1;
    }
    put_text(w, "\"");
}

static void put_vector(writer *w, const double *v, int count)
{
    put_text(w, "[");
    for (int k = 0; k < count; k++) {
        put_text(w, k ? ", " : "");
        put_number(w, v[k]);
    }
    put_text(w, "]");
}

/* The comma and the line break that go before anything, and its key. */
static void begin(writer *w, const char *key)
{
    put_text(w, w->first ? "" : ",");
    put_line(w);
    w->first = false;
    if (key) {
        put_string(w, key, strlen(key));
        put_text(w, ": ");
    }
}

static void open_group(void *user, const char *key, bool list)
{
    writer *w = user;
    begin(w, key);
    put_text(w, list ? "[" : "{");
    w->first = true;
    w->depth++;
}

static void close_group(void *user, bool list)
{
    writer *w = user;
    w->depth--;
    if (!w->first) /* not empty */
        put_line(w);
    put_text(w, list ? "]" : "}");
    w->first = false;
}

static bool is_finite(const sp_row *row, const double *v, int count)
{
    if (row->type == SP_ROTATION && count == 1)
        return isfinite(v[2]);
    for (int k = 0; k < count; k++)
        if (!isfinite(v[k]))
            return false;
    return true;
}

static spate_status put_setting(void *user, const sp_row *row, const void *owner, const char *key,
                                const char *path)
{
    (void)path;
    writer *w = user;
    const void *at = (const char *)owner + row->offset;
    char text[64];
    if (row->type == SP_LIST || (row->only_3d && w->dim == 2) || !sp_row_given(row, owner) ||
        (!sp_row_used(row, owner) && sp_row_untouched(row, owner)))
        return SPATE_OK;
    bool numbers = row->type == SP_NUMBER || row->type == SP_VECTOR || row->type == SP_ROTATION;
    int count = numbers ? sp_row_given_numbers(row, owner, w->dim) : 0;
    if (numbers && !is_finite(row, at, count))
        return SPATE_OK; /* a scene that does not pass its check */
    if (row->type == SP_ENUM && !sp_choice_name(row, *(const int *)at, text, sizeof text))
        return SPATE_OK;
    begin(w, key);
    switch (row->type) {
    case SP_NUMBER: put_number(w, *(const double *)at); break;
    case SP_INTEGER:
        snprintf(text, sizeof text, "%d", *(const int *)at);
        put_text(w, text);
        break;
    case SP_SEED:
        snprintf(text, sizeof text, "%llu", (unsigned long long)*(const uint64_t *)at);
        put_text(w, text);
        break;
    case SP_BOOL: put_text(w, *(const bool *)at ? "true" : "false"); break;
    case SP_STRING: put_string(w, at, (size_t)row->size); break;
    case SP_ENUM: put_string(w, text, sizeof text); break;
    case SP_VECTOR: put_vector(w, at, count); break;
    case SP_ROTATION:
        if (count == 1)
            put_number(w, ((const double *)at)[2]);
        else
            put_vector(w, at, count);
        break;
    case SP_LIST: break;
    }
    return SPATE_OK;
}

char *spate_scene_text(const spate_scene *scene)
{
    writer w = {.first = true, .depth = 1, .dim = scene->dim};
    sp_walk walk = {.setting = put_setting, .open = open_group, .close = close_group, .user = &w};
    put_text(&w, "{");
    sp_scene_walk(scene, &walk);
    put_text(&w, "\n}\n");
    if (!w.failed)
        return w.text;
    sp_free(w.text);
    return NULL;
}
