/* test_checkpoint_file.c -- checkpoint files: what is written is what is read, a failure at any
 * write leaves what was there, and damage is seen. */
#include <spate/spate_io.h>

#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/file.h"
#include "io/run_folder.h"
#include "test.h"

static char folder_name[] = "/tmp/spate-test-XXXXXX";
static char path[128];

static spate_sim *make_sim(int dim, double size, spate_error *error)
{
    spate_scene *scene = spate_scene_create();
    scene->dim = dim;
    for (int d = 0; d < dim; d++)
        scene->domain.size[d] = size * (d == 0 ? 2 : 1);
    scene->domain.cells = 12;
    spate_shape *column = spate_scene_add_shape(scene, SPATE_LIST_FILL);
    for (int d = 0; d < 3; d++) {
        column->min[d] = 0;
        column->max[d] = 0.75 * size;
    }
    spate_sim *sim = spate_sim_create(scene, NULL, error);
    spate_scene_destroy(scene);
    return sim;
}

/* Steps into the middle of a frame where there is one. */
static void advance(spate_sim *sim, int steps)
{
    spate_error error = {0};
    for (int k = 0; k < steps; k++)
        CHECK(spate_sim_step(sim, 0, &error) == SPATE_OK);
}

static void comes_back(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_error error = {0};
        spate_sim *first = make_sim(dim, 0.3, &error), *second = make_sim(dim, 0.3, &error);
        advance(first, 5);
        CHECK(spate_sim_checkpoint_write(first, path, &error) == SPATE_OK);
        CHECK(spate_sim_checkpoint_read(second, path, &error) == SPATE_OK);
        CHECK(spate_sim_hash(first) == spate_sim_hash(second));
        CHECK(spate_sim_steps(second) == 5);
        CHECK(spate_sim_time(first) == spate_sim_time(second));
        advance(first, 5);
        advance(second, 5);
        CHECK(spate_sim_hash(first) == spate_sim_hash(second));
        spate_sim_destroy(first);
        spate_sim_destroy(second);
    }
}

static bool loads(int dim, double size, spate_error *error)
{
    spate_sim *sim = make_sim(dim, size, error);
    bool good = spate_sim_checkpoint_read(sim, path, error) == SPATE_OK;
    spate_sim_destroy(sim);
    return good;
}

static void refuses_others(void)
{
    spate_error error = {0};
    spate_sim *sim = make_sim(2, 0.3, &error);
    CHECK(spate_sim_checkpoint_write(sim, path, &error) == SPATE_OK);
    spate_sim_destroy(sim);
    CHECK(loads(2, 0.3, &error));
    CHECK(!loads(3, 0.3, &error));
    CHECK(!loads(2, 0.4, &error));
    CHECK_TEXT(error.where, path);
    CHECK(error.message[0] != 0);
    unlink(path);
    CHECK(!loads(2, 0.3, &error));
    CHECK_TEXT(error.message, "cannot be opened: No such file or directory");
    CHECK(error.status == SPATE_ERROR_FILE);
}

static void write_bytes(const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, size, file) == size);
    fclose(file);
}

/* One byte changed, anywhere, or any number cut off or added. */
static void sees_damage(void)
{
    spate_error error = {0};
    spate_sim *sim = make_sim(2, 0.3, &error);
    advance(sim, 2);
    CHECK(spate_sim_checkpoint_write(sim, path, &error) == SPATE_OK);
    spate_sim_destroy(sim);
    char *bytes;
    size_t size;
    CHECK(sp_file_read_all(path, &bytes, &size, &error) == SPATE_OK);
    char *copy = malloc(size + 1);
    for (size_t at = 0; at < size; at += at < 256 ? 1 : 1 + size / 97) {
        memcpy(copy, bytes, size);
        copy[at] ^= 0x10;
        write_bytes(copy, size);
        if (loads(2, 0.3, &error))
            printf("  byte %zu of %zu does not matter\n", at, size);
        CHECK(!loads(2, 0.3, &error));
    }
    for (size_t cut = 0; cut < size; cut += 1 + size / 61) {
        write_bytes(bytes, cut);
        CHECK(!loads(2, 0.3, &error));
        CHECK_TEXT(error.message, "is damaged: it ends too early");
    }
    memcpy(copy, bytes, size);
    copy[size] = 0;
    write_bytes(copy, size + 1);
    CHECK(!loads(2, 0.3, &error));
    CHECK_TEXT(error.message, "is damaged: it goes on after its end");
    write_bytes(bytes, size);
    CHECK(loads(2, 0.3, &error));
    free(copy);
    sp_free(bytes);
}

/* The hash that a checkpoint in the folder gives, 0 if it cannot be read. */
static uint64_t hash_of(const sp_run_folder *folder, const char *name)
{
    spate_error error = {0};
    char file[SP_PATH_SIZE];
    spate_sim *sim = make_sim(2, 0.3, &error);
    uint64_t hash = 0;
    if (spate_sim_checkpoint_read(sim, sp_run_folder_path(folder, name, file), &error) == SPATE_OK)
        hash = spate_sim_hash(sim);
    spate_sim_destroy(sim);
    return hash;
}

static void keeps_two(void)
{
    spate_error error = {0};
    sp_run_folder folder;
    CHECK(sp_run_folder_open(&folder, folder_name, false, &error) == SPATE_OK);
    spate_sim *sim = make_sim(2, 0.3, &error);
    uint64_t before = 0, last = 0;
    for (int k = 0; k < 3; k++) {
        advance(sim, 1);
        CHECK(sp_run_folder_save(&folder, sim, &error) == SPATE_OK);
        before = last;
        last = spate_sim_hash(sim);
        CHECK(hash_of(&folder, "checkpoint.spate") == last);
        CHECK(hash_of(&folder, "checkpoint.prev.spate") == before);
    }
    /* whichever write fails, both stay as they are */
    advance(sim, 1);
    int failures = 0;
    for (bool done = false; !done && failures < 1000; failures += !done) {
        sp_file_fail_at((uint64_t)failures + 1);
        done = sp_run_folder_save(&folder, sim, &error) == SPATE_OK;
        sp_file_fail_at(0);
        if (done)
            break;
        CHECK(strstr(error.message, "No space left on device") != NULL);
        CHECK(hash_of(&folder, "checkpoint.spate") == last);
        CHECK(hash_of(&folder, "checkpoint.prev.spate") == before);
        CHECK(!sp_run_folder_has(&folder, "checkpoint.new.spate"));
        CHECK(!sp_run_folder_has(&folder, "checkpoint.new.spate.tmp"));
    }
    CHECK(failures >= 3); /* the bytes, the fsync, the rename */
    CHECK(hash_of(&folder, "checkpoint.prev.spate") == last);
    CHECK(sp_run_folder_step_back(&folder, &error) == SPATE_OK);
    CHECK(hash_of(&folder, "checkpoint.spate") == last);
    CHECK(sp_run_folder_step_back(&folder, &error) != SPATE_OK);
    spate_sim_destroy(sim);
    CHECK(sp_run_folder_remove(&folder, -1, &error) == SPATE_OK);
    sp_run_folder_close(&folder);
}

static void set_up(void)
{
    CHECK(mkdtemp(folder_name) != NULL);
    snprintf(path, sizeof path, "%s/state", folder_name);
}

static void tear_down(void)
{
}

TESTS(checkpoint_file)
{
    SETUP(set_up);
    TEARDOWN(tear_down);
    TEST(comes_back);
    TEST(refuses_others);
    TEST(sees_damage);
    TEST(keeps_two);
    unlink(path);
    rmdir(folder_name);
}
