/* attributes.c -- the words of output.attributes. */
#include "attributes.h"

#include "base/status.h"
#include "unknown.h"

#include <stdio.h>
#include <string.h>

static const sp_wish known[] = {{"velocity", 3}, {"id", 1}, {"speed", 1}, {"vorticity", 3}};
#define KNOWN (sizeof known / sizeof *known)

static void add(sp_wish wishes[SP_MAX_ATTRIBUTES], int *count, const char *name, int components)
{
    for (int k = 0; k < *count; k++)
        if (strcmp(wishes[k].name, name) == 0)
            return;
    if (*count == SP_MAX_ATTRIBUTES) /* more channels than a scene may have */
        return;
    sp_wish *wish = &wishes[(*count)++];
    snprintf(wish->name, sizeof wish->name, "%.31s", name);
    wish->components = components;
}

static spate_status fail_word(const spate_scene *scene, const char *word, spate_error *error)
{
    static const char where[] = "output.attributes";
    if (strcmp(word, "age") == 0 || strcmp(word, "source") == 0)
        return sp_fail(error, SPATE_ERROR_SCENE, where,
                       "\"%s\" is a channel that particles must carry: add { \"name\": \"%s\" } to "
                       "channels",
                       word, word);
    sp_nearest nearest = {.word = word};
    for (size_t k = 0; k < KNOWN; k++)
        sp_nearest_offer(&nearest, known[k].name);
    sp_nearest_offer(&nearest, "channels");
    for (int k = 0; k < scene->channel_count; k++)
        sp_nearest_offer(&nearest, scene->channels[k].name);
    if (nearest.name[0])
        return sp_fail(error, SPATE_ERROR_SCENE, where,
                       "particles have no \"%.40s\"; did you mean \"%s\"?", word, nearest.name);
    return sp_fail(error, SPATE_ERROR_SCENE, where,
                   "particles have no \"%.40s\": there are velocity, id, speed, vorticity, "
                   "channels and the name of each channel",
                   word);
}

static spate_status add_word(const spate_scene *scene, const char *word,
                             sp_wish wishes[SP_MAX_ATTRIBUTES], int *count, spate_error *error)
{
    bool all = strcmp(word, "channels") == 0, found = all;
    for (size_t k = 0; k < KNOWN; k++)
        if (strcmp(word, known[k].name) == 0) {
            add(wishes, count, word, known[k].components);
            return SPATE_OK;
        }
    for (int k = 0; k < scene->channel_count; k++) {
        const spate_channel *channel = &scene->channels[k];
        if (!all && strcmp(word, channel->name) != 0)
            continue;
        add(wishes, count, channel->name, channel->components);
        found = true;
    }
    return found ? SPATE_OK : fail_word(scene, word, error);
}

spate_status sp_attributes_parse(const spate_scene *scene, const char *text,
                                 sp_wish wishes[SP_MAX_ATTRIBUTES], int *count, spate_error *error)
{
    *count = 0;
    for (;;) {
        char word[64];
        text += strspn(text, " ,");
        size_t length = strcspn(text, " ,");
        if (length == 0)
            return SPATE_OK;
        snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), text);
        TRY(add_word(scene, word, wishes, count, error));
        text += length;
    }
}
