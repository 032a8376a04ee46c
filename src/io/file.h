/* file.h -- whole files: written so that they are complete under their name or not there at all,
 * and read at once.
 *
 * A file is written under a temporary name beside the target (path + ".tmp"), synchronised to the
 * disk and renamed. A process that is killed leaves at most the temporary one, which the next
 * writer of the same path replaces. What a name pointed to before, as a link, is never written to.
 */
#ifndef SPATE_IO_FILE_H
#define SPATE_IO_FILE_H

#include <spate/spate.h>

#include <sys/types.h>

typedef struct sp_file sp_file;

/* Opens a file that is new under this name, in place of what had the name before: a link that
 * stands there is removed and not followed. `access`: O_WRONLY or O_RDWR. -1 and errno on failure.
 */
int sp_file_open_new(const char *path, int access, mode_t mode);

/* NULL on failure. */
sp_file *sp_file_create(const char *path, spate_error *error);
/* Buffered. Remembers the first failure, which sp_file_close reports: a caller may check only
 * there. */
spate_status sp_file_write(sp_file *file, const void *bytes, size_t size);
/* Text made as by printf, of any length; never with %g and the like, whose decimal point depends on
 * the locale: see sp_file_number. */
spate_status sp_file_print(sp_file *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The fewest digits that read back as the same float, or double if `exact`, with a point whatever
 * the locale. */
spate_status sp_file_number(sp_file *file, double value, bool exact);
/* 2, 4 or 8 byte numbers as they lie in memory, `count` of `size` bytes, little-endian in the file.
 */
spate_status sp_file_write_numbers(sp_file *file, const void *values, size_t count, size_t size);
/* Bytes written so far. */
uint64_t sp_file_tell(const sp_file *file);
/* Zero bytes up to the next multiple of `alignment`. */
spate_status sp_file_align(sp_file *file, size_t alignment);
/* Writes over bytes that are there already. */
spate_status sp_file_patch(sp_file *file, uint64_t offset, const void *bytes, size_t size);
/* Flush, fsync, rename to `path`; on any failure, also of an earlier write, the temporary file is
 * removed and `path` is as it was. Frees `file` in every case. */
spate_status sp_file_close(sp_file *file, spate_error *error);
/* Removes the temporary file and frees `file`; NULL is fine. */
void sp_file_abandon(sp_file *file);

/* A whole file at once. */
spate_status sp_file_write_all(const char *path, const void *bytes, size_t size,
                               spate_error *error);

/* The whole file in memory, with a 0 byte behind the last one; sp_free it. `size` does not count
 * that byte. */
spate_status sp_file_read_all(const char *path, char **bytes, size_t *size, spate_error *error);

/* A decimal number as in C, whatever the locale of the process. Returns where it ends, NULL if
 * there is none at `text` (which ends with a 0 byte somewhere). Does not cross a line end to find
 * one. */
const char *sp_text_number(const char *text, double *value);

/* The n-th write to the disk from now (1 = the next) and all after it fail as if the disk were
 * full; 0 turns this off. A flush of the buffer, the fsync and the rename each count as one write.
 * For tests. */
void sp_file_fail_at(uint64_t n);

#endif
