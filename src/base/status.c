#include "status.h"

#include "text.h"

#include <stdarg.h>
#include <stdio.h>

spate_status sp_fail(spate_error *error, spate_status status, const char *where, const char *format,
                     ...)
{
    if (error) {
        va_list list;
        va_start(list, format);
        error->status = status;
        snprintf(error->where, sizeof error->where, "%s", where ? where : "");
        vsnprintf(error->message, sizeof error->message, format, list);
        va_end(list);
        sp_plain_text(error->where); /* names of files and keys are in them */
        sp_plain_text(error->message);
    }
    return status;
}

spate_status sp_fail_memory(spate_error *error, const char *what, uint64_t bytes)
{
    if (bytes == 0)
        return sp_fail(error, SPATE_ERROR_MEMORY, NULL, "out of memory for %s", what);
    return sp_fail(error, SPATE_ERROR_MEMORY, NULL, "out of memory: %s needs %.1f MB", what,
                   (double)bytes / 1e6);
}

void sp_log(spate_log_fn *log, void *user, spate_log_level level, const char *where,
            const char *format, ...)
{
    if (!log)
        return;
    char message[512];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    log(user, level, where ? where : "", sp_plain_text(message));
}

spate_status sp_fail_device_memory(spate_error *error, uint64_t needed, uint64_t available)
{
    return sp_fail(
        error, SPATE_ERROR_DEVICE, "device",
        "needs %llu bytes (%.2f GB) of the GPU's memory, %llu (%.2f GB) are available: "
        "use fewer cells, a smaller domain or fewer particles per axis, or the device cpu",
        (unsigned long long)needed, (double)needed * 1e-9, (unsigned long long)available,
        (double)available * 1e-9);
}
