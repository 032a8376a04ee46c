/* status.h -- filling a spate_error, and passing a status on. */
#ifndef SPATE_BASE_STATUS_H
#define SPATE_BASE_STATUS_H

#include <spate/spate.h>

/* Returns from the enclosing function when a call did not succeed. */
#define TRY(call)                         \
    do {                                  \
        spate_status try_status = (call); \
        if (try_status != SPATE_OK)       \
            return try_status;            \
    } while (0)

/* Fills `error` (may be NULL) and returns `status`. `where` may be NULL. */
spate_status sp_fail(spate_error *error, spate_status status, const char *where, const char *format,
                     ...) __attribute__((format(printf, 4, 5)));

/* Out of memory while making `what` (bytes may be 0 if unknown). */
spate_status sp_fail_memory(spate_error *error, const char *what, uint64_t bytes);

/* The same on a device: how much would be needed, how much is there. */
spate_status sp_fail_device_memory(spate_error *error, uint64_t needed, uint64_t available);

/* Sends a formatted warning to a log callback that may be NULL. */
void sp_log(spate_log_fn *log, void *user, spate_log_level level, const char *where,
            const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
