/* device_test.h -- what the tests of devices beside the CPU share: which device, how a simulation
 * starts on it, and a checkpoint in memory.
 *
 * In the ordinary tests the device is "check" (src/cuda/gpu.h), whose memory holds NaN
 * wherever something was not copied; with SPATE_TEST_DEVICE=cuda it is a GPU (make test-cuda). */
#ifndef SPATE_DEVICE_TEST_H
#define SPATE_DEVICE_TEST_H

#include "test.h"
#include "values.h"

#include "sim/table.h"

#include <spate/spate.h>
#include <stdlib.h>
#include <string.h>

extern const struct sp2_device sp2_check_device;
extern const struct sp3_device sp3_check_device;
extern uint64_t sp2_check_memory_bytes, sp3_check_memory_bytes;

static uint64_t check_free_bytes = UINT64_MAX;

static inline bool check_is_there(char *note, size_t size)
{
    snprintf(note, size, "poses as a GPU");
    return true;
}

static inline uint64_t check_bytes(void)
{
    return check_free_bytes;
}

static inline void add_check_device(void)
{
    const sp_device check = {"check", &sp2_check_device, &sp3_check_device, check_is_there,
                             check_bytes};
    sp_device_add(&check);
}

static inline const char *device_name(void)
{
    const char *name = getenv("SPATE_TEST_DEVICE");
    return name ? name : "check";
}

/* NULL, with `error` filled, if it cannot be. */
static inline spate_sim *start_on(const spate_scene *scene, const char *device, spate_error *error)
{
    spate_options options = sample_options();
    options.device = device;
    options.threads = 2;
    return spate_sim_create(scene, &options, error);
}

/* The same; that it cannot be is a failed check. */
static inline spate_sim *start(const spate_scene *scene, const char *device)
{
    spate_error error = {0};
    spate_sim *sim = start_on(scene, device, &error);
    CHECK(sim != NULL);
    if (!sim)
        printf("  %s: %s\n", error.where, error.message);
    return sim;
}

/* ---- a checkpoint in memory */

typedef struct buffer {
    char *bytes;
    size_t size, room, place;
} buffer;

static inline spate_status put(void *user, const void *bytes, size_t size)
{
    buffer *b = user;
    if (b->size + size > b->room) {
        b->room = 2 * (b->size + size);
        b->bytes = realloc(b->bytes, b->room);
    }
    memcpy(b->bytes + b->size, bytes, size);
    b->size += size;
    return SPATE_OK;
}

static inline spate_status take(void *user, void *bytes, size_t size)
{
    buffer *b = user;
    if (b->place + size > b->size)
        return SPATE_ERROR_FILE;
    memcpy(bytes, b->bytes + b->place, size);
    b->place += size;
    return SPATE_OK;
}

#endif
