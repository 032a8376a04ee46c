/* gzip.c -- see gzip.h. */
#include "gzip.h"

#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "bytes.h"

/* Positions and velocities hardly shrink by more effort: the quickest level, as Blender's own cache
 * has it. Text and programs do. */
enum { LEVEL_NUMBERS = 1, LEVEL_TEXT = 6, AS_GZIP = 15 + 16, MEMORY_LEVEL = 8 };

struct sp_gzip {
    sp_file *file;
    z_stream stream;
    unsigned char packed[1 << 16];
};

/* All memory of the library comes from one place. */
static void *take(void *user, unsigned items, unsigned size)
{
    (void)user;
    return sp_alloc(items, size);
}

static void give_back(void *user, void *memory)
{
    (void)user;
    sp_free(memory);
}

static bool begin(z_stream *stream, int level)
{
    *stream = (z_stream){.zalloc = take, .zfree = give_back};
    return deflateInit2(stream, level, Z_DEFLATED, AS_GZIP, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) ==
           Z_OK;
}

sp_gzip *sp_gzip_create(const char *path, spate_error *error)
{
    sp_gzip *gzip = sp_alloc(1, sizeof *gzip);
    if (!gzip || !begin(&gzip->stream, LEVEL_NUMBERS)) {
        sp_free(gzip);
        sp_fail_memory(error, path, sizeof *gzip);
        return NULL;
    }
    gzip->file = sp_file_create(path, error);
    if (!gzip->file) {
        deflateEnd(&gzip->stream);
        sp_free(gzip);
        return NULL;
    }
    return gzip;
}

static void pack(sp_gzip *gzip, const void *bytes, unsigned size, int flush)
{
    z_stream *stream = &gzip->stream;
    stream->next_in = (unsigned char *)(uintptr_t)bytes;
    stream->avail_in = size;
    do {
        stream->next_out = gzip->packed;
        stream->avail_out = sizeof gzip->packed;
        deflate(stream, flush);
        sp_file_write(gzip->file, gzip->packed, sizeof gzip->packed - stream->avail_out);
    } while (stream->avail_out == 0);
}

void sp_gzip_put(sp_gzip *gzip, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size > 0) {
        unsigned part = size < 1u << 30 ? (unsigned)size : 1u << 30;
        pack(gzip, from, part, Z_NO_FLUSH);
        from += part;
        size -= part;
    }
}

void sp_gzip_put32(sp_gzip *gzip, const void *values, size_t count)
{
    unsigned char bytes[1024];
    const uint32_t *from = values;
    while (count > 0) {
        size_t part = count < sizeof bytes / 4 ? count : sizeof bytes / 4;
        for (size_t k = 0; k < part; k++)
            sp_store32(bytes + 4 * k, from[k]);
        sp_gzip_put(gzip, bytes, 4 * part);
        from += part;
        count -= part;
    }
}

spate_status sp_gzip_close(sp_gzip *gzip, spate_error *error)
{
    pack(gzip, NULL, 0, Z_FINISH);
    deflateEnd(&gzip->stream);
    spate_status status = sp_file_close(gzip->file, error);
    sp_free(gzip);
    return status;
}

void *sp_gzip_bytes(const void *bytes, size_t size, size_t *packed)
{
    z_stream stream;
    if (size > 1u << 30 || !begin(&stream, LEVEL_TEXT))
        return NULL;
    size_t most = deflateBound(&stream, (unsigned)size);
    unsigned char *out = sp_alloc(most, 1);
    if (out) {
        stream.next_in = (unsigned char *)(uintptr_t)bytes;
        stream.avail_in = (unsigned)size;
        stream.next_out = out;
        stream.avail_out = (unsigned)most;
        deflate(&stream, Z_FINISH); /* at once: there is room for all of it */
        *packed = most - stream.avail_out;
    }
    deflateEnd(&stream);
    return out;
}
