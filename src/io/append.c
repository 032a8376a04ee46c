/* append.c -- tables that grow, see append.h. */
#include "append.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "file.h"

spate_status sp_append_init(sp_append *file, const char *path, spate_error *error)
{
    file->descriptor = -1;
    file->path = sp_alloc(strlen(path) + 1, 1);
    if (!file->path)
        return sp_fail_memory(error, path, strlen(path) + 1);
    strcpy(file->path, path);
    return SPATE_OK;
}

void sp_append_clear(sp_append *file)
{
    if (file->path && file->descriptor >= 0)
        close(file->descriptor);
    sp_free(file->path);
    file->path = NULL;
}

static spate_status cannot(const sp_append *file, const char *what, spate_error *error)
{
    return sp_fail(error, SPATE_ERROR_FILE, file->path, "cannot be %s: %s", what, strerror(errno));
}

spate_status sp_append_create(sp_append *file, const char *lines, size_t length, spate_error *error)
{
    TRY(sp_file_write_all(file->path, lines, length, error));
    file->descriptor = open(file->path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    return file->descriptor < 0 ? cannot(file, "opened", error) : SPATE_OK;
}

spate_status sp_append_write(sp_append *file, const char *line, size_t length, spate_error *error)
{
    for (size_t done = 0; done < length;) {
        ssize_t more = write(file->descriptor, line + done, length - done);
        if (more < 0 && errno == EINTR)
            continue;
        if (more <= 0)
            return cannot(file, "written", error); /* a torn line is cut away by the next resume */
        done += (size_t)more;
    }
    return SPATE_OK;
}

spate_status sp_append_sync(sp_append *file, spate_error *error)
{
    return fsync(file->descriptor) != 0 ? cannot(file, "written", error) : SPATE_OK;
}
