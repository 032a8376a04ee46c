/* append.h -- a table that grows: a file whose first lines are complete under its name or not there
 * at all, and whose further lines reach it as they come and the disk when it is synchronised. It is
 * always a new file, never one that other names (links) lead to as well. */
#ifndef SPATE_IO_APPEND_H
#define SPATE_IO_APPEND_H

#include <spate/spate.h>

typedef struct sp_append {
    int descriptor; /* -1: not open */
    char *path;     /* own copy */
} sp_append;

spate_status sp_append_init(sp_append *file, const char *path, spate_error *error);
void sp_append_clear(sp_append *file); /* closes it; also of one that was never opened */
/* With its first lines, in place of what had the name before. */
spate_status sp_append_create(sp_append *file, const char *lines, size_t length,
                              spate_error *error);
spate_status sp_append_write(sp_append *file, const char *line, size_t length, spate_error *error);
spate_status sp_append_sync(sp_append *file, spate_error *error);

#endif
