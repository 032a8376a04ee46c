/* test_run_folder.c -- run folders: stats.csv, run.json, what is removed and what is not, and which
 * scenes are the same. */
#include "io/run_folder.h"

#include <jansson.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/file.h"
#include "io/stats.h"
#include "test.h"

#include <spate/spate_io.h>

static char folder_name[] = "/tmp/spate-test-XXXXXX";
static sp_run_folder folder;

static const char *file_path(const char *name)
{
    static char path[SP_PATH_SIZE];
    return sp_run_folder_path(&folder, name, path);
}

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(file_path(name), "w");
    CHECK(file != NULL);
    fputs(text, file);
    fclose(file);
}

static sp_stats_row row(int frame)
{
    sp_stats_row row = {.stats = {.frame = frame,
                                  .time = frame / 30.0,
                                  .particles = 1000000007,
                                  .momentum_x = -1.23456789e-7,
                                  .min_distance = INFINITY},
                        .seconds = 1};
    row.stages[SP_STAGE_P2G] = 0.25;
    return row;
}

static void write_five_rows(void)
{
    spate_error error = {0};
    sp_stats_row names = row(0);
    CHECK(sp_stats_create(file_path("stats.csv"), &names, &error) == SPATE_OK);
    for (int frame = 0; frame < 5; frame++) {
        sp_stats_row one = row(frame);
        CHECK(sp_stats_append(file_path("stats.csv"), &one, &error) == SPATE_OK);
    }
}

static void stats_come_back(void)
{
    spate_error error = {0};
    write_five_rows();
    sp_stats_table table;
    CHECK(sp_stats_read(file_path("stats.csv"), &table, &error) == SPATE_OK);
    CHECK(table.rows == 5 && table.columns == SP_STATS_CELLS);
    CHECK(sp_stats_value(&table, 3, "frame") == 3);
    CHECK(sp_stats_value(&table, 3, "particles") == 1000000007);
    CHECK_NEAR(sp_stats_value(&table, 3, "momentum_x"), -1.23456789e-7, 1e-16);
    CHECK(isinf(sp_stats_value(&table, 3, "min_distance")));
    CHECK_NEAR(sp_stats_value(&table, 3, "t_other"), 0.75, 1e-9);
    CHECK(isnan(sp_stats_value(&table, 5, "frame")));
    CHECK(isnan(sp_stats_value(&table, 0, "fame")));
    sp_stats_clear(&table);
    sp_stats_cell cells[SP_STATS_MOST];
    sp_stats_row with_sets = row(0);
    with_sets.set_count = 2;
    with_sets.sets[1].value = 17;
    snprintf(with_sets.sets[1].name, sizeof with_sets.sets[1].name, "tracers_emitted");
    CHECK(sp_stats_cells(&with_sets, cells) == SP_STATS_CELLS + 2);
    CHECK_TEXT(cells[SP_STATS_CELLS + 1].name, "tracers_emitted");
    CHECK_TEXT(cells[SP_STATS_CELLS + 1].text, "17");
}

static void stats_are_cut(void)
{
    spate_error error = {0};
    int rows = -1;
    write_five_rows();
    CHECK(sp_stats_cut(file_path("stats.csv"), 9, &rows, &error) == SPATE_OK && rows == 5);
    FILE *file = fopen(file_path("stats.csv"), "a");
    fputs("5,0.1,tor", file);
    fclose(file);
    sp_stats_table table;
    CHECK(sp_stats_read(file_path("stats.csv"), &table, &error) == SPATE_OK && table.rows == 5);
    sp_stats_clear(&table);
    CHECK(sp_stats_cut(file_path("stats.csv"), 2, &rows, &error) == SPATE_OK && rows == 3);
    sp_stats_row one = row(3);
    CHECK(sp_stats_append(file_path("stats.csv"), &one, &error) == SPATE_OK);
    CHECK(sp_stats_read(file_path("stats.csv"), &table, &error) == SPATE_OK && table.rows == 4);
    CHECK(sp_stats_value(&table, 3, "frame") == 3);
    sp_stats_clear(&table);
    CHECK(sp_stats_cut(file_path("stats.csv"), -1, &rows, &error) == SPATE_OK && rows == 0);
    CHECK(sp_stats_cut(file_path("none.csv"), 0, &rows, &error) == SPATE_ERROR_FILE);
}

static void bad_stats(void)
{
    spate_error error = {0};
    sp_stats_table table;
    const char *bad[] = {
        "", "frame,time", "frame,time\n1\n", "frame,time\n1,2,3\n", "frame,time\n1,x\n", "a\n\n"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        write_text("bad.csv", bad[k]);
        CHECK(sp_stats_read(file_path("bad.csv"), &table, &error) == SPATE_ERROR_FILE);
        CHECK(table.rows == 0 && !table.values);
    }
    write_text("bad.csv", "frame,time\n1,nan\n2,-inf\n");
    CHECK(sp_stats_read(file_path("bad.csv"), &table, &error) == SPATE_OK && table.rows == 2);
    sp_stats_clear(&table);
    for (uint64_t n = 1; n <= 4; n++) {
        sp_alloc_fail_at(n);
        spate_status status = sp_stats_read(file_path("bad.csv"), &table, &error);
        sp_alloc_fail_at(0);
        CHECK(status == (n <= 3 ? SPATE_ERROR_MEMORY : SPATE_OK));
        sp_stats_clear(&table);
    }
    unlink(file_path("bad.csv"));
}

static void run_json_comes_back(void)
{
    spate_error error = {0};
    char scene[] = "{\n  \"name\": \"a \\\"b\\\"\",\n  \"fps\": 0.10000000000000001\n}\n";
    sp_run_info info = {"0.1.0", "cpu", "dir \"x\"\\\xff.json", 3, 12345678901, scene}, back;
    CHECK(sp_run_info_write(&folder, &info, &error) == SPATE_OK);
    CHECK(sp_run_info_read(&folder, &back, &error) == SPATE_OK);
    CHECK_TEXT(back.version, "0.1.0");
    CHECK_TEXT(back.scene_file, "dir \"x\"\\?.json");
    CHECK(back.threads == 3 && back.particles == 12345678901);
    bool differ = true;
    sp_difference difference;
    CHECK(sp_scene_difference(scene, back.scene, &differ, &difference, &error) == SPATE_OK &&
          !differ);
    sp_free(back.scene);
    write_text("run.json", "{\"spate\": 1}");
    CHECK(sp_run_info_read(&folder, &back, &error) == SPATE_ERROR_FILE);
    CHECK(back.scene == NULL);
    write_text("run.json", "{\"spate\"");
    CHECK(sp_run_info_read(&folder, &back, &error) == SPATE_ERROR_FILE);
}

static const char *difference_of(const char *first, const char *second)
{
    static char text[512];
    spate_error error = {0};
    bool differ = false;
    sp_difference d;
    CHECK(sp_scene_difference(first, second, &differ, &d, &error) == SPATE_OK);
    if (differ)
        snprintf(text, sizeof text, "%s: %s, %s", d.where, d.first, d.second);
    return differ ? text : "none";
}

static void differences(void)
{
    CHECK_TEXT(difference_of("{\"frames\": 1, \"output\": {\"every\": 1}}",
                             "{\"frames\": 2, \"output\": {}}"),
               "none");
    CHECK_TEXT(difference_of("{\"a\": {\"frames\": 1}}", "{\"a\": {\"frames\": 2}}"),
               "a.frames: 1, 2");
    CHECK_TEXT(difference_of("{\"a\": 1, \"b\": 2}", "{\"b\": 2.0, \"a\": 1}"), "none");
    CHECK_TEXT(difference_of("{\"a\": [1, 2]}", "{\"a\": [1, 3]}"), "a: [1,2], [1,3]");
    CHECK_TEXT(difference_of("{\"a\": [1, 2]}", "{\"a\": [1, 2, 3]}"), "a: [1,2], [1,2,3]");
    CHECK_TEXT(
        difference_of("{\"s\": [{\"r\": 1}, {\"r\": 2}]}", "{\"s\": [{\"r\": 1}, {\"r\": 3}]}"),
        "s[1].r: 2, 3");
    CHECK_TEXT(difference_of("{\"s\": [{\"r\": 1}]}", "{\"s\": []}"), "s[0]: {\"r\":1}, nothing");
    CHECK_TEXT(difference_of("{}", "{\"x\": true}"), "x: nothing, true");
    CHECK_TEXT(difference_of("{\"x\": 9007199254740993}", "{\"x\": 9007199254740992}"),
               "x: 9007199254740993, 9007199254740992");
    CHECK_TEXT(difference_of("{\"file\": \"/tmp\"}", "{\"file\": \"/tmp/../tmp\"}"), "none");
    CHECK_TEXT(difference_of("{\"file\": \"/tmp/a\"}", "{\"file\": \"/tmp/b\"}"),
               "file: \"/tmp/a\", \"/tmp/b\"");
}

static void removes_only_its_own(void)
{
    static const char *const ours[] = {"run.json",
                                       "stats.csv",
                                       "preview.png",
                                       "checkpoint.spate",
                                       "checkpoint.prev.spate",
                                       "checkpoint.new.spate",
                                       "particles.0000.ply",
                                       "particles.12345.ply",
                                       "particles.0007.ply.tmp",
                                       "checkpoint.new.spate.tmp"};
    static const char *const theirs[] = {"notes.txt",
                                         "particles.7.ply",
                                         "particles.000x.ply",
                                         "particles.0000.plyx",
                                         "xparticles.0000.ply",
                                         "run.json.bak",
                                         "particles..ply",
                                         ".tmp",
                                         "particles.00000000000.ply"};
    spate_error error = {0};
    int files, last;
    for (size_t k = 0; k < sizeof ours / sizeof *ours; k++)
        write_text(ours[k], "x");
    for (size_t k = 0; k < sizeof theirs / sizeof *theirs; k++)
        write_text(theirs[k], "x");
    CHECK(sp_run_folder_count(&folder, &files, &last, &error) == SPATE_OK && files == 8 &&
          last == 12345);
    CHECK(sp_run_folder_remove(&folder, 0, &error) == SPATE_OK);
    CHECK(!sp_run_folder_has(&folder, "particles.12345.ply") &&
          !sp_run_folder_has(&folder, "particles.0007.ply.tmp"));
    CHECK(sp_run_folder_has(&folder, "particles.0000.ply") &&
          sp_run_folder_has(&folder, "checkpoint.spate"));
    CHECK(sp_run_folder_remove(&folder, -1, &error) == SPATE_OK);
    CHECK(sp_run_folder_count(&folder, &files, &last, &error) == SPATE_OK && files == 0 &&
          last == -1);
    for (size_t k = 0; k < sizeof ours / sizeof *ours; k++)
        CHECK(!sp_run_folder_has(&folder, ours[k]));
    for (size_t k = 0; k < sizeof theirs / sizeof *theirs; k++) {
        CHECK(sp_run_folder_has(&folder, theirs[k]));
        unlink(file_path(theirs[k]));
    }
    /* a folder of that name is not a file of ours to remove */
    CHECK(mkdir(file_path("preview.png"), 0777) == 0);
    CHECK(sp_run_folder_remove(&folder, -1, &error) == SPATE_ERROR_FILE);
    CHECK(rmdir(file_path("preview.png")) == 0);
}

static void opening(void)
{
    spate_error error = {0};
    sp_run_folder other;
    char path[256];
    CHECK(sp_run_folder_open(&other, folder_name, false, &error) ==
          SPATE_ERROR_FILE); /* locked by `folder` */
    CHECK(sp_run_folder_open_to_read(&other, folder_name, &error) == SPATE_OK);
    sp_run_folder_close(&other);
    snprintf(path, sizeof path, "%s/a/b//c/", folder_name);
    CHECK(sp_run_folder_open(&other, path, false, &error) == SPATE_ERROR_FILE);
    CHECK(sp_run_folder_open(&other, path, true, &error) == SPATE_OK);
    path[strlen(path) - 1] = 0;
    CHECK_TEXT(other.path, path);
    CHECK(access(path, F_OK) == 0);
    sp_run_folder_close(&other); /* made for nothing: gone again */
    CHECK(access(path, F_OK) != 0);
    snprintf(path, sizeof path, "%s/a/b", folder_name);
    rmdir(path);
    snprintf(path, sizeof path, "%s/a", folder_name);
    CHECK(sp_run_folder_open(&other, path, true, &error) == SPATE_OK);
    sp_run_folder_close(&other); /* was there before: stays */
    CHECK(rmdir(path) == 0);
    CHECK(sp_run_folder_open(&other, "", true, &error) == SPATE_ERROR_FILE);
    char *long_name = malloc(5001);
    memset(long_name, 'x', 5000);
    long_name[5000] = 0;
    CHECK(sp_run_folder_open(&other, long_name, true, &error) == SPATE_ERROR_FILE);
    free(long_name);
}

static int allocations_left;

static void *few_allocations(size_t size)
{
    return allocations_left-- > 0 ? malloc(size) : NULL;
}

/* Want of memory inside Jansson is no damage of the file. */
static void jansson_without_memory(void)
{
    const char *text = "{\"spate\": \"0.1.0\", \"scene_file\": \"a\", \"device\": \"cpu\", "
                       "\"threads\": 1, \"particles\": 8, \"scene\": {\"frames\": [1, 2.5]}}";
    write_text("run.json", text);
    bool done = false;
    int failed = 0;
    for (; !done && failed < 1000; failed++) {
        sp_run_info info = {0};
        spate_error error = {0};
        allocations_left = failed;
        json_set_alloc_funcs(few_allocations, free);
        done = sp_run_info_read(&folder, &info, &error) == SPATE_OK;
        if (!done)
            CHECK(error.status == SPATE_ERROR_MEMORY);
        bool differ;
        sp_difference difference;
        allocations_left = failed;
        if (sp_scene_difference(text, text, &differ, &difference, &error) != SPATE_OK)
            CHECK(error.status == SPATE_ERROR_MEMORY);
        allocations_left = failed;
        spate_scene *scene = spate_scene_parse(text, strlen(text), NULL, &error);
        CHECK(!scene && (error.status == SPATE_ERROR_MEMORY) == (allocations_left < 0));
        json_set_alloc_funcs(malloc, free);
        sp_free(info.scene);
    }
    CHECK(done && failed > 10);
    unlink(file_path("run.json"));
}

static void set_up(void)
{
    spate_error error = {0};
    CHECK(mkdtemp(folder_name) != NULL);
    CHECK(sp_run_folder_open(&folder, folder_name, false, &error) == SPATE_OK);
}

static void tear_down(void)
{
    spate_error error = {0};
    sp_run_folder_remove(&folder, -1, &error);
    sp_run_folder_close(&folder);
    rmdir(folder_name);
}

TESTS(run_folder)
{
    SETUP(set_up);
    TEARDOWN(tear_down);
    TEST(stats_come_back);
    TEST(stats_are_cut);
    TEST(bad_stats);
    TEST(run_json_comes_back);
    TEST(differences);
    TEST(removes_only_its_own);
    TEST(opening);
    TEST(jansson_without_memory);
}
