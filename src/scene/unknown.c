/* unknown.c -- messages for names that mean nothing, with the name that was probably meant. */
#include "unknown.h"

#include "base/status.h"
#include "schema.h"

#include <stdio.h>
#include <string.h>

#define WORD 64

/* Edits (insert, delete, replace, swap neighbours) that turn `a` into `b`: optimal string
 * alignment, three rows of the table at a time. Words too long to be slips of a name count as far
 * away. */
static int distance(const char *a, const char *b)
{
    int la = (int)strlen(a), lb = (int)strlen(b);
    if (la >= WORD || lb >= WORD)
        return WORD;
    int table[3][WORD];
    for (int j = 0; j <= lb; j++)
        table[0][j] = j;
    for (int i = 1; i <= la; i++) {
        int *now = table[i % 3], *before = table[(i + 2) % 3], *older = table[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= lb; j++) {
            int best = before[j - 1] + (a[i - 1] != b[j - 1]);
            best = before[j] + 1 < best ? before[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                older[j - 2] + 1 < best)
                best = older[j - 2] + 1;
            now[j] = best;
        }
    }
    return table[la % 3][lb];
}

void sp_nearest_offer(sp_nearest *nearest, const char *candidate)
{
    int d = distance(nearest->word, candidate);
    size_t length = strlen(nearest->word);
    int limit = length <= 3 ? 1 : length <= 6 ? 2 : 3;
    if (d > limit || (nearest->name[0] && d >= nearest->distance))
        return;
    nearest->distance = d;
    snprintf(nearest->name, sizeof nearest->name, "%s", candidate);
}

/* Calls for each different name directly below `parent` ("", "fluid.", "solids[]."): offers it,
 * and writes the list of all into `known`. */
static void offer_children(const char *parent, sp_nearest *nearest, char *known, size_t size)
{
    size_t skip = strlen(parent), used = 0;
    char last[WORD] = "";
    known[0] = 0;
    for (int k = 0; k < sp_row_count(); k++) {
        const char *path = sp_row_at(k)->setting.path;
        if (strncmp(path, parent, skip) != 0)
            continue;
        char name[WORD];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(path + skip, ".["), path + skip);
        if (strcmp(name, last) == 0)
            continue;
        strcpy(last, name);
        sp_nearest_offer(nearest, name);
        if (used < size)
            used += (size_t)snprintf(known + used, size - used, "%s%s", used ? ", " : "", name);
    }
}

/* A setting of the same name that stands elsewhere. */
static const char *elsewhere(const char *word)
{
    for (int k = 0; k < sp_row_count(); k++) {
        const char *path = sp_row_at(k)->setting.path, *dot = strrchr(path, '.');
        if (strcmp(dot ? dot + 1 : path, word) == 0)
            return path;
    }
    return NULL;
}

/* `parent` (with its dot) is known, `word` below it is not. */
static spate_status fail_word(const char *path, const char *parent, const char *word,
                              spate_error *error)
{
    char above[256], known[400];
    snprintf(above, sizeof above, "%.*s", (int)strlen(parent) - (parent[0] != 0), parent);
    const sp_row *row = NULL;
    if (sp_schema_find(above, &row) == SP_NODE_ROW && row->type == SP_LIST)
        return sp_fail(error, SPATE_ERROR_SCENE, path,
                       "unknown setting; '%s' is a list: name one of its items, such as %s[0].%s",
                       above, above, word);
    if (row)
        return sp_fail(error, SPATE_ERROR_SCENE, path,
                       "unknown setting; '%s' is a single setting and has no parts", above);
    sp_nearest nearest = {.word = word};
    offer_children(parent, &nearest, known, sizeof known);
    if (nearest.name[0] &&
        nearest.distance == 0) /* the name is known: the brackets are wrong, "fluid[0]" */
        return sp_fail(error, SPATE_ERROR_SCENE, path,
                       "unknown setting; '%s' cannot be numbered like this", word);
    if (nearest.name[0])
        return sp_fail(error, SPATE_ERROR_SCENE, path, "unknown setting; did you mean '%s'?",
                       nearest.name);
    const char *other = elsewhere(word);
    if (other)
        return sp_fail(error, SPATE_ERROR_SCENE, path, "unknown setting; did you mean '%s'?",
                       other);
    return sp_fail(error, SPATE_ERROR_SCENE, path, "unknown setting; known here: %s", known);
}

/* Settings that were there before 0.3, and what to write now; NULL: it is none of them. */
static const char *instead_of(const char *plain)
{
    if (strcmp(plain, "domain.friction") == 0)
        return "is gone, it depended on the cells: give a side a wall that is \"no_slip\", or "
               "\"rough\" with a roughness in metres, such as domain.wall.bottom = \"rough\" and "
               "domain.roughness.bottom = 0.002";
    if (strcmp(plain, "solids[].friction") == 0)
        return "is gone, it depended on the cells: write wall \"no_slip\", or \"rough\" with a "
               "roughness in metres, such as \"wall\": \"rough\", \"roughness\": 0.002";
    return NULL;
}

spate_status sp_fail_unknown(const char *path, spate_error *error)
{
    char plain[256], parent[256], word[256];
    if (!sp_path_strip(path, plain, sizeof plain))
        return sp_fail(
            error, SPATE_ERROR_SCENE, path,
            "is not the path of a setting: write it like fluid.flip_ratio or solids[2].radius");
    const char *instead = instead_of(plain);
    if (instead)
        return sp_fail(error, SPATE_ERROR_SCENE, path, "%s", instead);
    /* walk down to the first part that is not known */
    for (size_t begin = 0;;) {
        size_t end = begin + strcspn(plain + begin, ".");
        snprintf(word, sizeof word, "%.*s", (int)end, plain);
        if (sp_schema_find(word, NULL) == SP_NODE_NONE || !plain[end]) {
            snprintf(parent, sizeof parent, "%.*s", (int)begin, plain);
            snprintf(word, sizeof word, "%.*s", (int)(end - begin), plain + begin);
            word[strcspn(word, "[")] = 0;
            return fail_word(path, parent, word, error);
        }
        begin = end + 1;
    }
}
