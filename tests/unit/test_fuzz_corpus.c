/* test_fuzz_corpus.c -- every file of tests/fuzz/corpus through its fuzz target, each in a process
 * of its own, so that one that crashes or hangs is named and the others are still tried. Those in
 * tests/fuzz/open are reported and not mended yet: they are skipped, and move when they are. */
#include "../fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/file.h"

static int failures;

typedef void target_fn(const uint8_t *bytes, size_t size);

static int run_file(target_fn *target, const char *path)
{
    char *bytes;
    size_t size;
    int code = -1;
    if (sp_file_read_all(path, &bytes, &size, NULL) != SPATE_OK)
        return -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        target((const uint8_t *)bytes, size);
        exit(0);
    }
    if (child < 0 || waitpid(child, &code, 0) != child)
        code = -1;
    sp_free(bytes);
    return code;
}

/* `kind` is corpus or open. */
static void run_folder(const char *kind, const char *name, target_fn *target)
{
    char folder[512], path[1024];
    struct dirent **list;
    snprintf(folder, sizeof folder, SPATE_SOURCE "/tests/fuzz/%s/%s", kind, name);
    int count = scandir(folder, &list, NULL, alphasort);
    for (int k = 0; k < count; k++) {
        const char *file = list[k]->d_name;
        snprintf(path, sizeof path, "%s/%s", folder, file);
        if (file[0] == '.') {
        } else if (strcmp(kind, "open") == 0) {
            printf("skip %s/%s\n  skipped: known, see tests/fuzz/README.md\n", name, file);
        } else {
            int code = run_file(target, path);
            failures += code != 0;
            printf("%s %s/%s\n", code ? "FAIL" : "ok", name, file);
            if (WIFSIGNALED(code))
                printf("  ended by signal %d\n", WTERMSIG(code));
        }
        free(list[k]);
    }
    if (count >= 0)
        free(list);
    else if (strcmp(kind, "corpus") == 0) {
        failures++;
        printf("FAIL %s\n  there is no folder %s\n", name, folder);
    }
}

int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : NULL;
    fuzz_folder();
#define F(name)                                   \
    if (!only || strcmp(only, #name) == 0) {      \
        run_folder("corpus", #name, fuzz_##name); \
        run_folder("open", #name, fuzz_##name);   \
    }
    FUZZ_TARGETS(F)
#undef F
    fuzz_remove(fuzz_folder());
    return failures != 0;
}
