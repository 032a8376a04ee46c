/* timeline.c -- see timeline.h. */
#include "timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The number in "inflows[3].velocity" if that is what the text is; -1: it is not. */
static int index_in(const char *text, const char *list, const char *member)
{
    size_t length = strlen(list);
    char *end;
    if (strncmp(text, list, length) != 0 || text[length] != '[' || text[length + 1] < '0' ||
        text[length + 1] > '9')
        return -1;
    long index = strtol(text + length + 1, &end, 10);
    return index < 100000 && *end == ']' && end[1] == '.' && strcmp(end + 2, member) == 0
               ? (int)index
               : -1;
}

sp_keyed sp_key_target(const spate_key *key, int *index)
{
    static const char *const sides[] = {"left", "right", "bottom", "top", "back", "front"};
    static const char roughness[] = "domain.roughness.";
    const char *name = key->setting;
    *index = 0;
    if (strcmp(name, "gravity") == 0)
        return SP_KEYED_GRAVITY;
    if (strcmp(name, "fluid.flip_ratio") == 0)
        return SP_KEYED_FLIP_RATIO;
    for (int k = 0; k < 6; k++)
        if (strncmp(name, roughness, sizeof roughness - 1) == 0 &&
            strcmp(name + sizeof roughness - 1, sides[k]) == 0) {
            *index = k;
            return SP_KEYED_ROUGHNESS;
        }
    if ((*index = index_in(name, "inflows", "velocity")) >= 0)
        return SP_KEYED_VELOCITY;
    if ((*index = index_in(name, "inflows", "flow")) >= 0)
        return SP_KEYED_FLOW;
    if ((*index = index_in(name, "sources", "smoke")) >= 0)
        return SP_KEYED_SMOKE;
    if ((*index = index_in(name, "sources", "temperature")) >= 0)
        return SP_KEYED_TEMPERATURE;
    return SP_KEYED_NONE;
}

int sp_key_numbers(const spate_key *key, int dim)
{
    int index;
    switch (sp_key_target(key, &index)) {
    case SP_KEYED_GRAVITY:
    case SP_KEYED_VELOCITY: return dim;
    case SP_KEYED_FLIP_RATIO:
    case SP_KEYED_ROUGHNESS:
    case SP_KEYED_FLOW:
    case SP_KEYED_SMOKE:
    case SP_KEYED_TEMPERATURE:
    case SP_KEYED_NONE: return 1;
    }
    return 1;
}

/* The integral of the line through a and b over [from, to]. */
static void add_line(const spate_key *a, const spate_key *b, double from, double to, double sum[3])
{
    double middle = 0.5 * (from + to), share = 0;
    if (b->time > a->time)
        share = (middle - a->time) / (b->time - a->time);
    for (int d = 0; d < 3; d++)
        sum[d] += (to - from) * (a->value[d] + share * (b->value[d] - a->value[d]));
}

bool sp_keys_mean(const spate_scene *scene, sp_keyed what, int index, double from, double to,
                  double value[3])
{
    const spate_key *last = NULL;
    double sum[3] = {0, 0, 0}, length = to - from;
    if (!(length > 0)) { /* a moment */
        length = 1e-9;
        from -= 0.5 * length;
        to = from + length;
    }
    double done = from;
    for (int k = 0; k < scene->keyframe_count; k++) {
        int other;
        const spate_key *key = &scene->keyframes[k];
        if (sp_key_target(key, &other) != what || other != index)
            continue;
        double end = fmin(key->time, to);
        if (end > done) {
            add_line(last ? last : key, key, done, end, sum);
            done = end;
        }
        last = key;
    }
    if (!last)
        return false;
    if (to > done)
        add_line(last, last, done, to, sum);
    for (int d = 0; d < 3; d++)
        value[d] = sum[d] / (to - from);
    return true;
}

bool sp_is_open(const spate_shape *flow, double time)
{
    return time >= flow->start && !(flow->until > 0 && time >= flow->until);
}

static void offer(double *next, double event, double time, double least)
{
    if (event > time + least && event < *next)
        *next = event;
}

double sp_next_event(const spate_scene *scene, double time, double least)
{
    const spate_shape_list *lists[] = {&scene->fill, &scene->inflows, &scene->outflows,
                                       &scene->sources};
    double next = HUGE_VAL;
    for (int l = 0; l < 4; l++)
        for (int k = 0; k < lists[l]->count; k++) {
            offer(&next, lists[l]->items[k].start, time, least);
            if (l > 0)
                offer(&next, lists[l]->items[k].until, time, least);
        }
    return next;
}
