/* target_set.c -- lines of PATH=VALUE, each as after --set, on a scene that has one of everything.
 * A line that is refused leaves a scene that can be asked and checked. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char base[] =
    "{\"domain\": {\"size\": [1, 1, 1], \"cells\": 8}, \"fill\": [{\"min\": [0, 0, 0], \"max\": [1, 0.5, 1]}],"
    "\"solids\": [{\"shape\": \"sphere\", \"center\": [0.5, 0.5, 0.5], \"radius\": 0.1,"
    "\"motion\": [{\"time\": 1}]}], \"channels\": [{\"name\": \"age\"}],"
    "\"gauges\": [{\"at\": [0.5, 0, 0.5]}]}";

void fuzz_set(const uint8_t *bytes, size_t size)
{
    spate_error error = {.status = SPATE_OK};
    spate_scene *scene = spate_scene_parse(base, sizeof base - 1, NULL, &error);
    char *lines = malloc(size + 1);
    FUZZ_MUST(scene && lines);
    memcpy(lines, bytes, size);
    lines[size] = 0;
    char *rest = lines;
    for (char *line; (line = strsep(&rest, "\n"));)
        if (!strstr(line, "file")) /* of the file system this is not about */
            spate_scene_assign(scene, line, &error);
    spate_scene_check(scene, NULL, NULL, &error);
    char *text = spate_scene_text(scene);
    FUZZ_MUST(text);
    spate_free(text);
    free(lines);
    spate_scene_destroy(scene);
}
