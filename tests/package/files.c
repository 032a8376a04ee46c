/* files.c -- a user's program that needs libspate_io too: reads a scene, writes it out, reads that
 * again. */
#include <spate/spate_io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    spate_error error = {SPATE_ERROR_USAGE, "", "give a scene file"};
    spate_scene *scene = argc > 1 ? spate_scene_read(argv[1], &error) : NULL;
    char *text = scene ? spate_scene_text(scene) : NULL;
    spate_scene *again = text ? spate_scene_parse(text, strlen(text), ".", &error) : NULL;
    int same = again && again->dim == scene->dim && again->fill.count == scene->fill.count;
    if (!same)
        fprintf(stderr, "files: %s: %s\n", error.where, error.message);
    spate_scene_destroy(again);
    spate_free(text);
    spate_scene_destroy(scene);
    return !same;
}
