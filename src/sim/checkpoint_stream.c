/* checkpoint_stream.c -- a checkpoint as a stream of bytes: magic, body, checksum. The body is
 * checkpoint.c's. */
#include "facade.h"

#include "base/status.h"
#include "kernels/random.h"

#include <string.h>

/* The last one is the layout; version 0.2 had 3. */
static const char magic[8] = {'s', 'p', 'a', 't', 'e', 'c', 'p', '4'};

/* Mixes bytes into the checksum, eight at a time; the split of a message into calls matters, and is
 * the same in both directions. */
static void mix_bytes(sp_stream *stream, const void *bytes, size_t size)
{
    const unsigned char *next = bytes;
    for (; size > 0; size -= size < 8 ? size : 8, next += 8) {
        uint64_t word = 0;
        memcpy(&word, next, size < 8 ? size : 8);
        stream->sum = sp_mix(stream->sum ^ word);
    }
}

spate_status sp_stream_write(sp_stream *stream, const void *bytes, size_t size)
{
    mix_bytes(stream, bytes, size);
    return stream->write(stream->user, bytes, size);
}

spate_status sp_stream_read(sp_stream *stream, void *bytes, size_t size)
{
    TRY(stream->read(stream->user, bytes, size));
    mix_bytes(stream, bytes, size);
    return SPATE_OK;
}

spate_status sp_stream_seal(sp_stream *stream)
{
    uint64_t sum = stream->sum;
    return sp_stream_write(stream, &sum, sizeof sum);
}

spate_status sp_stream_check(sp_stream *stream, spate_error *error)
{
    uint64_t sum = stream->sum, written;
    TRY(sp_stream_read(stream, &written, sizeof written));
    if (written != sum)
        return sp_fail(error, SPATE_ERROR_FILE, NULL, "the checkpoint is damaged");
    return SPATE_OK;
}

static spate_status save(spate_sim *sim, sp_stream *stream)
{
    TRY(sp_stream_write(stream, magic, sizeof magic));
    TRY(sim->table->save(sim->instance, stream));
    return sp_stream_seal(stream);
}

spate_status spate_sim_save(spate_sim *sim, spate_write_fn *write, void *user, spate_error *error)
{
    TRY(sp_sim_may_change(sim, "spate_sim_save",
                          error)); /* inside a step there is nothing to save */
    sp_stream stream = {.write = write, .user = user};
    spate_status status = save(sim, &stream);
    return status == SPATE_OK ? status
                              : sp_fail(error, status, NULL, "the checkpoint could not be written");
}

static spate_status check_magic(const char found[sizeof magic], spate_error *error)
{
    size_t last = sizeof magic - 1;
    if (memcmp(found, magic, last) != 0 || found[last] < '1' || found[last] > '9')
        return sp_fail(error, SPATE_ERROR_FILE, NULL, "not a checkpoint of spate");
    if (found[last] == magic[last])
        return SPATE_OK;
    return sp_fail(error, SPATE_ERROR_FILE, NULL,
                   "made by %s: it cannot be continued by this version",
                   found[last] < magic[last] ? "version 0.2 or an older one" : "a later version");
}

static spate_status load(spate_sim *sim, sp_stream *stream, spate_error *error)
{
    char found[sizeof magic];
    TRY(sp_stream_read(stream, found, sizeof found));
    TRY(check_magic(found, error));
    TRY(sim->table->load(sim->instance, stream, error));
    return sp_stream_check(stream, error);
}

spate_status spate_sim_load(spate_sim *sim, spate_read_fn *read, void *user, spate_error *error)
{
    sp_stream stream = {.read = read, .user = user};
    TRY(sp_sim_may_change(sim, "spate_sim_load", error));
    sim->common.gauges_known = sim->common.grid_known = sim->common.mid_step = false;
    spate_error found = {.status = SPATE_OK};
    spate_status status = load(sim, &stream, &found);
    if (status == SPATE_OK)
        return status;
    return sp_fail(error, status, found.where, "%s",
                   found.message[0] ? found.message : "the checkpoint ends too early");
}
