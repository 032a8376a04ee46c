/* test_fuzz_corpus.c -- every file of tests/fuzz/corpus through its fuzz target, each in a process
 * of its own, so that one that crashes or hangs is named and the others are still tried. Those in
 * tests/fuzz/open are reported and not mended yet: they are skipped, and move when they are. */
#include "../fuzz/fuzz.h"
#include "test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/file.h"

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
            printf("  %s/%s: left out: known, see tests/fuzz/README.md\n", name, file);
        } else {
            int code = run_file(target, path);
            test_failures += code != 0;
            if (WIFSIGNALED(code))
                printf("  %s/%s: ended by signal %d\n", name, file, WTERMSIG(code));
            else if (code)
                printf("  %s/%s: refused\n", name, file);
        }
        free(list[k]);
    }
    if (count >= 0)
        free(list);
    else if (strcmp(kind, "corpus") == 0) {
        test_failures++;
        printf("  there is no folder %s\n", folder);
    }
}

#define F(name)                                   \
    static void name(void)                        \
    {                                             \
        run_folder("corpus", #name, fuzz_##name); \
        run_folder("open", #name, fuzz_##name);   \
    }
FUZZ_TARGETS(F)
#undef F

static void set_up(void)
{
    fuzz_folder();
}

static void tear_down(void)
{
    fuzz_remove(fuzz_folder());
}

TESTS(fuzz_corpus)
{
    SETUP(set_up);
    TEARDOWN(tear_down);
#define F(name) TEST(name);
    FUZZ_TARGETS(F)
#undef F
}
