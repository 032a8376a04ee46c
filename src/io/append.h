/* append.h -- a table that grows: a file whose first line is complete under its name or not there
 * at all, and whose further lines reach it as they come and the disk when it is synchronised. */
#ifndef SPATE_IO_APPEND_H
#define SPATE_IO_APPEND_H

#include <spate/spate.h>

typedef struct sp_append {
    int descriptor; /* -1: not open */
    char *path;     /* own copy */
} sp_append;

spate_status sp_append_init(sp_append *file, const char *path, spate_error *error);
void sp_append_clear(sp_append *file); /* closes it; also of one that was never opened */
/* A new file with its first line; one that is there already. */
spate_status sp_append_create(sp_append *file, const char *line, size_t length, spate_error *error);
spate_status sp_append_open(sp_append *file, spate_error *error);
spate_status sp_append_write(sp_append *file, const char *line, size_t length, spate_error *error);
spate_status sp_append_sync(sp_append *file, spate_error *error);
/* SPATE_ERROR_FILE: the file cannot be `what`, as errno says. */
spate_status sp_append_cannot(const sp_append *file, const char *what, spate_error *error);

#endif
