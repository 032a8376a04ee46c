/* checkpoint.c -- the state of a simulation in a file.
 *
 * The bytes, with their version, layout hash and checksum, are those of spate_sim_save; the file
 * adds only that it is complete under its name, and that nothing may follow. */
#include <spate/spate_io.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "file.h"

static spate_status write_bytes(void *user, const void *bytes, size_t size)
{
    return sp_file_write(user, bytes, size);
}

spate_status spate_sim_checkpoint_write(spate_sim *sim, const char *path, spate_error *error)
{
    sp_file *file = sp_file_create(path, error);
    if (!file)
        return error ? error->status : SPATE_ERROR_FILE;
    spate_status status = spate_sim_save(sim, write_bytes, file, error);
    if (status != SPATE_OK && status != SPATE_ERROR_FILE) {
        sp_file_abandon(file);
        return status;
    }
    /* a write that failed is reported here, with the reason the system gave */
    return sp_file_close(file, error);
}

typedef struct reader {
    FILE *file;
    int failure; /* errno of a read that failed */
    bool ended;  /* the file was shorter than its content says */
} reader;

static spate_status read_bytes(void *user, void *bytes, size_t size)
{
    reader *r = user;
    if (fread(bytes, 1, size, r->file) == size)
        return SPATE_OK;
    r->ended = feof(r->file);
    r->failure = r->ended ? 0 : errno;
    return SPATE_ERROR_FILE;
}

spate_status spate_sim_checkpoint_read(spate_sim *sim, const char *path, spate_error *error)
{
    reader r = {fopen(path, "rbe"), 0, false};
    if (!r.file)
        return sp_fail(error, SPATE_ERROR_FILE, path, "cannot be opened: %s", strerror(errno));
    spate_error inner = {0};
    spate_status status = spate_sim_load(sim, read_bytes, &r, &inner);
    bool longer = status == SPATE_OK && fgetc(r.file) != EOF;
    fclose(r.file);
    if (r.failure)
        return sp_fail(error, SPATE_ERROR_FILE, path, "cannot be read: %s", strerror(r.failure));
    if (r.ended)
        return sp_fail(error, SPATE_ERROR_FILE, path, "is damaged: it ends too early");
    if (longer)
        return sp_fail(error, SPATE_ERROR_FILE, path, "is damaged: it goes on after its end");
    if (status != SPATE_OK)
        return sp_fail(error, status, path, "%s", inner.message);
    return SPATE_OK;
}
