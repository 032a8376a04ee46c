/* fuzz.c -- what the targets share. */
#include "fuzz.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "scene/schema.h"

void fuzz_broken(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    abort();
}

const char *fuzz_folder(void)
{
    static char folder[256];
    const char *above = getenv("TMPDIR");
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "%s/spate-fuzz-XXXXXX", above ? above : "/tmp");
        FUZZ_MUST(mkdtemp(folder) != NULL);
    }
    return folder;
}

const char *fuzz_file(const char *name, const void *bytes, size_t size)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
    FILE *file = fopen(path, "wb");
    FUZZ_MUST(file && fwrite(bytes, 1, size, file) == size);
    fclose(file);
    return path;
}

void fuzz_remove(const char *path)
{
    DIR *list = opendir(path);
    struct dirent *entry;
    while (list && (entry = readdir(list)))
        if (entry->d_name[0] != '.' && unlinkat(dirfd(list), entry->d_name, 0) != 0) {
            char below[1024];
            snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
            fuzz_remove(below);
        }
    if (list)
        closedir(list);
    rmdir(path);
}

bool fuzz_is_small(const spate_scene *scene)
{
    double n = pow(scene->fluid.particles_per_axis, scene->dim);
    for (int d = 0; d < scene->dim; d++)
        n *= fmax(sp_scene_cells(scene, d), 1);
    return n <= 1 << 16;
}
