/* check_device.c -- libspate with the device "check", the CPU posing as a GPU (src/cuda/gpu.h), so
 * that the tests of the Python package can look at views of a device where there is no GPU. */
#include "sim/table.h"

#include <stdio.h>

extern const struct sp2_device sp2_check_device;
extern const struct sp3_device sp3_check_device;

static bool is_there(char *note, size_t size)
{
    snprintf(note, size, "poses as a GPU");
    return true;
}

static uint64_t free_bytes(void)
{
    return UINT64_MAX;
}

__attribute__((constructor)) static void add_check_device(void)
{
    const sp_device check = {"check", &sp2_check_device, &sp3_check_device, is_there, free_bytes};
    sp_device_add(&check);
}
