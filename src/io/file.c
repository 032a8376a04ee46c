/* file.c -- atomic writing (temporary name, fsync, rename) with every system call checked, and
 * reading at once. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"

#define BUFFER_SIZE ((size_t)1 << 18)

struct sp_file {
    int descriptor;
    int failure; /* errno of the first write that failed, 0 so far */
    size_t used; /* bytes in the buffer */
    uint64_t written;
    char *path, *temporary;
    char *buffer;
};

static _Atomic uint64_t operations;
static _Atomic uint64_t fail_at;

void sp_file_fail_at(uint64_t n)
{
    atomic_store(&fail_at, n ? atomic_load(&operations) + n : 0);
}

static bool made_to_fail(void)
{
    uint64_t number = atomic_fetch_add(&operations, 1) + 1;
    uint64_t limit = atomic_load(&fail_at);
    if (!limit || number < limit)
        return false;
    errno = ENOSPC;
    return true;
}

/* ------------------------------------------------------------------ writing */

static void release(sp_file *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    sp_free(file->path);
    sp_free(file->temporary);
    sp_free(file->buffer);
    sp_free(file);
}

int sp_file_open_new(const char *path, int access, mode_t mode)
{
    if (unlink(path) != 0 && errno != ENOENT)
        return -1;
    return open(path, access | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
}

/* Whether the temporary name is still that of our file, and not of one that another process has put
 * in its place. */
static bool is_still_ours(const sp_file *file)
{
    struct stat ours, named;
    if (fstat(file->descriptor, &ours) != 0 || lstat(file->temporary, &named) != 0)
        return false;
    if (ours.st_dev == named.st_dev && ours.st_ino == named.st_ino)
        return true;
    errno = EBUSY;
    return false;
}

sp_file *sp_file_create(const char *path, spate_error *error)
{
    size_t length = strlen(path);
    sp_file *file = sp_alloc(1, sizeof *file);
    if (file) {
        file->descriptor = -1;
        file->path = sp_alloc(length + 1, 1);
        file->temporary = sp_alloc(length + sizeof ".tmp", 1);
        file->buffer = sp_alloc(BUFFER_SIZE, 1);
    }
    if (!file || !file->path || !file->temporary || !file->buffer) {
        sp_fail_memory(error, "a file buffer", BUFFER_SIZE);
        if (file)
            release(file);
        return NULL;
    }
    memcpy(file->path, path, length);
    memcpy(file->temporary, path, length);
    memcpy(file->temporary + length, ".tmp", sizeof ".tmp");

    file->descriptor = sp_file_open_new(file->temporary, O_WRONLY, 0666);
    if (file->descriptor < 0) {
        sp_fail(error, SPATE_ERROR_FILE, path, "cannot be created: %s", strerror(errno));
        release(file);
        return NULL;
    }
    return file;
}

/* All `size` bytes to the disk, or the reason in file->failure. */
static void put(sp_file *file, const char *bytes, size_t size)
{
    while (size > 0 && !file->failure) {
        ssize_t done = made_to_fail() ? -1 : write(file->descriptor, bytes, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            file->failure = done < 0 ? errno : EIO;
            return;
        }
        bytes += done;
        size -= (size_t)done;
    }
}

static void flush(sp_file *file)
{
    put(file, file->buffer, file->used);
    file->used = 0;
}

spate_status sp_file_write(sp_file *file, const void *bytes, size_t size)
{
    file->written += size;
    if (size > BUFFER_SIZE - file->used)
        flush(file);
    if (size >= BUFFER_SIZE) {
        put(file, bytes, size);
    } else if (!file->failure && size > 0) {
        memcpy(file->buffer + file->used, bytes, size);
        file->used += size;
    }
    return file->failure ? SPATE_ERROR_FILE : SPATE_OK;
}

spate_status sp_file_print(sp_file *file, const char *format, ...)
{
    char text[1024];
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (length >= 0 && (size_t)length < sizeof text) {
        sp_file_write(file, text, (size_t)length);
    } else {
        char *longer = length < 0 ? NULL : sp_alloc((size_t)length + 1, 1);
        if (!longer && !file->failure)
            file->failure = ENOMEM;
        if (longer && vsnprintf(longer, (size_t)length + 1, format, again) == length)
            sp_file_write(file, longer, (size_t)length);
        sp_free(longer);
    }
    va_end(again);
    return file->failure ? SPATE_ERROR_FILE : SPATE_OK;
}

spate_status sp_file_number(sp_file *file, double value, bool exact)
{
    char text[40];
    for (int digits = exact ? 15 : 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        double back = strtod(text, NULL);
        if (exact ? back == value : (float)back == (float)value)
            break;
    }
    /* the process may have a locale with another decimal point, of one or more bytes */
    size_t used = strspn(text, "+-0123456789"), point = strcspn(text + used, "0123456789e");
    bool word = text[used] >= 'a' && text[used] <= 'z' && text[used] != 'e'; /* inf, nan */
    sp_file_write(file, text, used);
    if (point > 0 && !word)
        sp_file_write(file, ".", 1);
    const char *rest = text + used + (word ? 0 : point);
    return sp_file_write(file, rest, strlen(rest));
}

spate_status sp_file_write_numbers(sp_file *file, const void *values, size_t count, size_t size)
{
    const uint16_t one = 1;
    if (*(const unsigned char *)&one == 1)
        return sp_file_write(file, values, count * size);
    const unsigned char *bytes = values;
    for (size_t k = 0; k < count; k++) {
        unsigned char turned[8];
        for (size_t i = 0; i < size; i++)
            turned[i] = bytes[k * size + size - 1 - i];
        sp_file_write(file, turned, size);
    }
    return file->failure ? SPATE_ERROR_FILE : SPATE_OK;
}

uint64_t sp_file_tell(const sp_file *file)
{
    return file->written;
}

spate_status sp_file_align(sp_file *file, size_t alignment)
{
    static const char zeros[64];
    size_t over = (size_t)(file->written % alignment);
    return sp_file_write(file, zeros, over ? alignment - over : 0);
}

spate_status sp_file_patch(sp_file *file, uint64_t offset, const void *bytes, size_t size)
{
    flush(file);
    if (!file->failure &&
        (made_to_fail() || pwrite(file->descriptor, bytes, size, (off_t)offset) != (ssize_t)size))
        file->failure = errno ? errno : EIO;
    return file->failure ? SPATE_ERROR_FILE : SPATE_OK;
}

spate_status sp_file_close(sp_file *file, spate_error *error)
{
    flush(file);
    if (!file->failure && (made_to_fail() || fsync(file->descriptor) != 0))
        file->failure = errno;
    bool ours = is_still_ours(file);
    if (!ours && !file->failure)
        file->failure = errno;
    /* some file systems (NFS) report a full disk only here */
    if (close(file->descriptor) != 0 && !file->failure)
        file->failure = errno;
    file->descriptor = -1;
    if (!file->failure && (made_to_fail() || rename(file->temporary, file->path) != 0))
        file->failure = errno;

    spate_status status = SPATE_OK;
    if (file->failure) {
        if (ours)
            unlink(file->temporary);
        status = sp_fail(error, SPATE_ERROR_FILE, file->path, "cannot be written: %s",
                         strerror(file->failure));
    }
    release(file);
    return status;
}

void sp_file_abandon(sp_file *file)
{
    if (!file)
        return;
    if (is_still_ours(file))
        unlink(file->temporary);
    release(file);
}

spate_status sp_file_write_all(const char *path, const void *bytes, size_t size, spate_error *error)
{
    sp_file *file = sp_file_create(path, error);
    if (!file)
        return error ? error->status : SPATE_ERROR_FILE;
    sp_file_write(file, bytes, size);
    return sp_file_close(file, error);
}

/* ------------------------------------------------------------------ reading */

/* Reads on to the end of the file, whatever its size was said to be: a pipe has none. */
static spate_status read_descriptor(int descriptor, size_t expected, const char *path, char **bytes,
                                    size_t *size, spate_error *error)
{
    size_t capacity = expected + 2, used = 0;
    char *text = sp_alloc(capacity, 1);
    if (!text)
        return sp_fail_memory(error, path, capacity);
    for (;;) {
        if (used + 1 == capacity) {
            char *larger = sp_grow(text, used, 2 * capacity, 1);
            if (!larger) {
                sp_free(text);
                return sp_fail_memory(error, path, 2 * capacity);
            }
            text = larger;
            capacity *= 2;
        }
        ssize_t got = read(descriptor, text + used, capacity - used - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            sp_free(text);
            return sp_fail(error, SPATE_ERROR_FILE, path, "cannot be read: %s", strerror(errno));
        }
        if (got == 0)
            break;
        used += (size_t)got;
    }
    text[used] = 0;
    *bytes = text;
    *size = used;
    return SPATE_OK;
}

spate_status sp_file_read_all(const char *path, char **bytes, size_t *size, spate_error *error)
{
    *bytes = NULL;
    *size = 0;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return sp_fail(error, SPATE_ERROR_FILE, path, "cannot be opened: %s", strerror(errno));

    struct stat about;
    spate_status status;
    if (fstat(descriptor, &about) != 0)
        status = sp_fail(error, SPATE_ERROR_FILE, path, "cannot be read: %s", strerror(errno));
    else if (S_ISDIR(about.st_mode))
        status = sp_fail(error, SPATE_ERROR_FILE, path, "is a folder, not a file");
    else if (!S_ISREG(about.st_mode) && !S_ISFIFO(about.st_mode)) /* a device may have no end */
        status = sp_fail(error, SPATE_ERROR_FILE, path, "is not a regular file");
    else
        status = read_descriptor(descriptor, S_ISREG(about.st_mode) ? (size_t)about.st_size : 4096,
                                 path, bytes, size, error);
    close(descriptor);
    return status;
}

const char *sp_text_number(const char *text, double *value)
{
    while (*text == ' ' || *text == '\t' || *text == '\v' || *text == '\f')
        text++;
    if (*text == '\n' || *text == '\r')
        return NULL;
    locale_t plain =
        newlocale(LC_ALL_MASK, "C", (locale_t)0); /* in glibc a constant: no allocation */
    if (!plain)
        return NULL;
    char *end;
    *value = strtod_l(text, &end, plain);
    freelocale(plain);
    return end == text ? NULL : end;
}
