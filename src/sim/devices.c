/* devices.c -- the devices of this build, and which of them a simulation runs on. */
#include "facade.h"

#include "base/cpu.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

/* The devices of this build, by name: the one place that knows them. */
#define DEVICE(variant)                                    \
    extern const struct sp2_device sp2_##variant##_device; \
    extern const struct sp3_device sp3_##variant##_device
DEVICE(base);
#ifdef SPATE_LEVELS
DEVICE(v3);
DEVICE(v4);
#endif
#ifdef SPATE_CUDA
DEVICE(cuda);
bool sp_cuda_available(char *note, size_t size);
uint64_t sp_cuda_free_bytes(void);
#endif

#define MAX_DEVICES 4
static sp_device devices[MAX_DEVICES] = {
#ifdef SPATE_CUDA
    {"cuda", &sp2_cuda_device, &sp3_cuda_device, sp_cuda_available, sp_cuda_free_bytes},
#endif
};

void sp_device_add(const sp_device *device)
{
    for (int k = 0; k < MAX_DEVICES; k++)
        if (!devices[k].name || strcmp(devices[k].name, device->name) == 0) {
            devices[k] = *device;
            return;
        }
}

/* NULL: the CPU. */
static const sp_device *find_device(const char *name)
{
    for (int k = 0; k < MAX_DEVICES && devices[k].name; k++)
        if (strcmp(devices[k].name, name) == 0)
            return &devices[k];
    return NULL;
}

/* The CPU's device, by what the processor can. */
static const void *host_of(const spate_scene *scene)
{
    bool flat = scene->dim == 2;
#ifdef SPATE_LEVELS
    sp_cpu cpu = sp_cpu_level();
    if (cpu == SP_CPU_V4)
        return flat ? (const void *)&sp2_v4_device : &sp3_v4_device;
    if (cpu == SP_CPU_V3)
        return flat ? (const void *)&sp2_v3_device : &sp3_v3_device;
#endif
    return flat ? (const void *)&sp2_base_device : &sp3_base_device;
}

const void *sp_device_of(const spate_scene *scene, const sp_device *device)
{
    return !device ? host_of(scene) : scene->dim == 2 ? device->flat : device->solid;
}

const sp_table *sp_device_table(const spate_scene *scene)
{
    return scene->dim == 2 ? &sp2_table : &sp3_table;
}

const char *spate_instruction_set(void)
{
    return sp_cpu_name(sp_cpu_level());
}

int spate_device_list(const char **names, int capacity)
{
    int count = 0;
    if (count++ < capacity)
        names[0] = "cpu";
    for (int k = 0; k < MAX_DEVICES && devices[k].name; k++)
        if (count++ < capacity)
            names[count - 1] = devices[k].name;
    return count;
}

bool spate_device_available(const char *name, char *note, size_t size)
{
    const sp_device *device = find_device(name);
    if (device)
        return device->available(note, size);
    bool cpu = strcmp(name, "cpu") == 0;
    snprintf(note, size, "%s", cpu ? spate_instruction_set() : "not in this build");
    return cpu;
}

spate_status sp_device_choose(const spate_options *options, const sp_device **device,
                              spate_error *error)
{
    const char *name = options->device ? options->device : "cpu";
    char note[200];
    *device = NULL;
    if (strcmp(name, "cpu") == 0)
        return SPATE_OK;
    if (strcmp(name, "auto") == 0) {
        for (int k = 0; k < MAX_DEVICES && devices[k].name && !*device; k++)
            if (devices[k].available(note, sizeof note))
                *device = &devices[k];
        return SPATE_OK;
    }
    *device = find_device(name);
    if (!*device)
        return sp_fail(error, SPATE_ERROR_DEVICE, "device",
                       "there is no device '%s' in this build; there is: cpu%s%s", name,
                       devices[0].name ? ", " : "", devices[0].name ? devices[0].name : "");
    if (!(*device)->available(note, sizeof note))
        return sp_fail(error, SPATE_ERROR_DEVICE, "device", "%s cannot be used: %s", name, note);
    return SPATE_OK;
}
