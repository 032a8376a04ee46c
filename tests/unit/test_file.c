/* test_file.c -- files are complete under their name or not there, whichever system call fails. */
#include "test.h"

#include <dirent.h>
#include <signal.h>
#include <spate/spate.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/file.h"

static char folder[64], path[128];

static int files_in_folder(void)
{
    int count = 0;
    DIR *d = opendir(folder);
    while (d && readdir(d))
        count++;
    if (d)
        closedir(d);
    return count - 2; /* . and .. */
}

/* `total` bytes in pieces of `piece`, each byte telling its place. */
static spate_status write_pattern(size_t total, size_t piece, spate_error *error)
{
    static unsigned char block[1 << 20];
    sp_file *file = sp_file_create(path, error);
    if (!file)
        return SPATE_ERROR_FILE;
    for (size_t done = 0; done < total; done += piece) {
        size_t now = total - done < piece ? total - done : piece;
        for (size_t i = 0; i < now; i++)
            block[i] = (unsigned char)((done + i) * 2654435761u >> 13);
        sp_file_write(file, block, now);
    }
    return sp_file_close(file, error);
}

static void check_pattern(size_t total)
{
    char *bytes;
    size_t size, wrong = 0;
    CHECK(sp_file_read_all(path, &bytes, &size, NULL) == SPATE_OK);
    CHECK(size == total && bytes[size] == 0);
    for (size_t i = 0; i < size; i++)
        wrong += (unsigned char)bytes[i] != (unsigned char)(i * 2654435761u >> 13);
    CHECK(wrong == 0);
    sp_free(bytes);
}

static void what_is_written_is_read(void)
{
    static const size_t totals[] = {0, 1, 4095, 262143, 262144, 262145, 1000000},
                        pieces[] = {1000, 262144, 300000, 7};
    for (size_t t = 0; t < sizeof totals / sizeof *totals; t++)
        for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
            CHECK(write_pattern(totals[t], pieces[p], NULL) == SPATE_OK);
            check_pattern(totals[t]);
            CHECK(files_in_folder() == 1);
            unlink(path);
        }
}

static void a_full_disk_leaves_the_old_file(void)
{
    CHECK(write_pattern(5000, 1000, NULL) == SPATE_OK);
    bool written = false;
    int failures = 0;
    for (; !written && failures < 100; failures++) {
        spate_error error = {0};
        sp_file_fail_at((uint64_t)failures + 1);
        written = write_pattern(900000, 1000, &error) == SPATE_OK;
        sp_file_fail_at(0);
        CHECK(files_in_folder() == 1);
        if (written)
            break;
        CHECK(error.status == SPATE_ERROR_FILE);
        CHECK_TEXT(error.where, path);
        CHECK_TEXT(error.message, "cannot be written: No space left on device");
        check_pattern(5000);
    }
    CHECK(failures == 6); /* four flushes, fsync, rename */
    check_pattern(900000);
    unlink(path);
}

static void a_file_that_cannot_grow(void)
{
    struct rlimit before, less;
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    less = before;
    less.rlim_cur = 300000;
    signal(SIGXFSZ, SIG_IGN);
    CHECK(setrlimit(RLIMIT_FSIZE, &less) == 0);
    spate_error error = {0};
    CHECK(write_pattern(900000, 1000, &error) == SPATE_ERROR_FILE);
    CHECK_TEXT(error.message, "cannot be written: File too large");
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK(files_in_folder() == 0);
}

static void links_are_replaced_not_followed(void)
{
    char temporary[160], other[160], *bytes;
    size_t size;
    snprintf(temporary, sizeof temporary, "%s.tmp", path);
    snprintf(other, sizeof other, "%s/other", folder);
    FILE *precious = fopen(other, "w");
    CHECK(precious && fputs("precious", precious) >= 0 && fclose(precious) == 0);
    CHECK(symlink(other, temporary) == 0 && symlink(other, path) == 0);
    CHECK(write_pattern(5000, 1000, NULL) == SPATE_OK);
    check_pattern(5000);
    CHECK(sp_file_read_all(other, &bytes, &size, NULL) == SPATE_OK);
    CHECK_TEXT(bytes, "precious");
    sp_free(bytes);
    unlink(other);
    unlink(path);
}

/* Two writers of one path: the second has the name, and the first must not give it away. */
static void another_writer_keeps_its_file(void)
{
    spate_error error = {0};
    sp_file *first = sp_file_create(path, NULL), *second = sp_file_create(path, NULL);
    CHECK(first && second);
    sp_file_write(first, "first", 5);
    sp_file_write(second, "second", 6);
    CHECK(sp_file_close(first, &error) == SPATE_ERROR_FILE);
    CHECK_TEXT(error.message, "cannot be written: Device or resource busy");
    CHECK(sp_file_close(second, &error) == SPATE_OK);
    char *bytes;
    size_t size;
    CHECK(sp_file_read_all(path, &bytes, &size, NULL) == SPATE_OK);
    CHECK_TEXT(bytes, "second");
    sp_free(bytes);
    unlink(path);
}

static void abandoned_files_leave_nothing(void)
{
    sp_file *file = sp_file_create(path, NULL);
    CHECK(file && sp_file_write(file, "abc", 3) == SPATE_OK);
    CHECK(files_in_folder() == 1);
    CHECK(access(path, F_OK) != 0); /* not under its name before it is complete */
    sp_file_abandon(file);
    sp_file_abandon(NULL);
    CHECK(files_in_folder() == 0);
}

static void failures_have_a_reason(void)
{
    spate_error error = {0};
    char *bytes;
    size_t size;
    CHECK(sp_file_create("/no/such/folder/x", &error) == NULL);
    CHECK(error.status == SPATE_ERROR_FILE);
    CHECK_TEXT(error.where, "/no/such/folder/x");
    CHECK_TEXT(error.message, "cannot be created: No such file or directory");
    CHECK(sp_file_read_all("/no/such/file", &bytes, &size, &error) == SPATE_ERROR_FILE);
    CHECK(bytes == NULL && size == 0);
    CHECK_TEXT(error.message, "cannot be opened: No such file or directory");
    CHECK(sp_file_read_all("/dev/zero", &bytes, &size, &error) == SPATE_ERROR_FILE);
    CHECK_TEXT(error.message, "is not a regular file");
    for (int n = 1; n <= 4; n++) {
        sp_alloc_fail_at((uint64_t)n);
        CHECK(sp_file_create(path, &error) == NULL);
        CHECK(error.status == SPATE_ERROR_MEMORY);
    }
    sp_alloc_fail_at(0);
    CHECK(files_in_folder() == 0);
}

static void a_pipe_is_read_to_its_end(void)
{
    int ends[2];
    char name[64], *bytes;
    size_t size;
    static char block[60000];
    CHECK(pipe(ends) == 0);
    memset(block, 'x', sizeof block);
    CHECK(write(ends[1], block, sizeof block) == (ssize_t)sizeof block);
    close(ends[1]);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    CHECK(sp_file_read_all(name, &bytes, &size, NULL) == SPATE_OK);
    CHECK(size == sizeof block && memcmp(bytes, block, size) == 0);
    sp_free(bytes);
    close(ends[0]);
}

static void numbers_in_text(void)
{
    double x = 0;
    const char *line = " 1.5e2 -3";
    CHECK(sp_text_number(line, &x) == line + 6 && x == 150);
    CHECK(sp_text_number(line + 6, &x) == line + 9 && x == -3);
    CHECK(sp_text_number("\n4", &x) == NULL);
    CHECK(sp_text_number(" \r\n4", &x) == NULL);
    CHECK(sp_text_number("abc", &x) == NULL);
    CHECK(sp_text_number("", &x) == NULL);
}

static void set_up(void)
{
    snprintf(folder, sizeof folder, "/tmp/spate_test_file_XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/data", folder);
}

static void tear_down(void)
{
}

TESTS(file)
{
    SETUP(set_up);
    TEARDOWN(tear_down);
    TEST(what_is_written_is_read);
    TEST(a_full_disk_leaves_the_old_file);
    TEST(a_file_that_cannot_grow);
    TEST(links_are_replaced_not_followed);
    TEST(another_writer_keeps_its_file);
    TEST(abandoned_files_leave_nothing);
    TEST(failures_have_a_reason);
    TEST(a_pipe_is_read_to_its_end);
    TEST(numbers_in_text);
    rmdir(folder);
}
