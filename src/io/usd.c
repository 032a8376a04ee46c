/* usd.c -- collecting a USD layer: prims, attributes, and samples on their way to the disk. */
#include "usd_layer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"

/* The numbers of the crate types: pxr/usd/sdf/crateDataTypes.h of OpenUSD. */
const sp_usd_type_info sp_usd_types[] = {
    [SP_USD_FLOAT] = {"float[]", 1, 4, 8, false},
    [SP_USD_FLOAT2] = {"float2[]", 2, 4, 20, false},
    [SP_USD_FLOAT3] = {"float3[]", 3, 4, 24, false},
    [SP_USD_FLOAT4] = {"float4[]", 4, 4, 28, false},
    [SP_USD_POINT3F] = {"point3f[]", 3, 4, 24, false},
    [SP_USD_VECTOR3F] = {"vector3f[]", 3, 4, 24, false},
    [SP_USD_NORMAL3F] = {"normal3f[]", 3, 4, 24, false},
    [SP_USD_INT] = {"int[]", 1, 4, 3, false},
    [SP_USD_INT64] = {"int64[]", 1, 8, 5, false},
    [SP_USD_MATRIX4D] = {"matrix4d", 16, 8, 15, true},
};

const char *sp_usd_type_name(sp_usd_type type)
{
    return sp_usd_types[type].name;
}

static void release(sp_usd *usd)
{
    for (int k = 0; k < usd->attribute_count; k++)
        sp_free(usd->attributes[k].samples);
    sp_free(usd->attributes);
    sp_free(usd->prims);
    if (usd->scratch >= 0)
        close(usd->scratch);
    sp_free(usd->path);
    sp_free(usd);
}

/* A file beside the target that has no name any more, so that it cannot be left behind. */
static int open_scratch(const char *path)
{
    char name[4096 + 16];
    if (snprintf(name, sizeof name, "%s.samples.tmp", path) >= (int)sizeof name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int descriptor = sp_file_open_new(name, O_RDWR, 0600);
    if (descriptor >= 0)
        unlink(name);
    return descriptor;
}

bool sp_usd_is_name(const char *path)
{
    static const char *const endings[] = {".usd", ".usda", ".usdc"};
    size_t length = strlen(path);
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        size_t ending = strlen(endings[k]);
        if (length > ending && strcmp(path + length - ending, endings[k]) == 0)
            return true;
    }
    return false;
}

sp_usd *sp_usd_create(const char *path, double fps, spate_error *error)
{
    sp_usd *usd = sp_alloc(1, sizeof *usd);
    size_t length = strlen(path);
    if (!usd || !(usd->path = sp_alloc(length + 1, 1))) {
        sp_free(usd);
        sp_fail_memory(error, path, sizeof *usd);
        return NULL;
    }
    memcpy(usd->path, path, length);
    usd->fps = fps;
    usd->crate = sp_usd_is_name(path) && path[length - 1] != 'a';
    usd->scratch = -1;
    usd->file = sp_file_create(path, error);
    if (usd->file && !usd->crate) {
        usd->scratch = open_scratch(path);
        if (usd->scratch < 0) {
            sp_fail(error, SPATE_ERROR_FILE, path, "cannot be created: %s", strerror(errno));
            sp_file_abandon(usd->file);
            usd->file = NULL;
        }
    }
    if (!usd->file) {
        release(usd);
        return NULL;
    }
    if (usd->crate)
        sp_usdc_begin(usd);
    return usd;
}

/* Room for one more element of a list; false, and the failure remembered, without memory. */
static bool reserve(sp_usd *usd, void **list, int count, int *room, size_t size)
{
    if (count < *room)
        return true;
    int larger = *room ? 2 * *room : 32;
    void *grown = sp_grow(*list, (size_t)count * size, (size_t)larger, size);
    if (!grown) {
        sp_fail_memory(&usd->error, usd->path, (size_t)larger * size);
        return false;
    }
    *list = grown;
    *room = larger;
    return true;
}

int sp_usd_prim(sp_usd *usd, int parent, const char *type, const char *name)
{
    void *prims = usd->prims;
    if (!reserve(usd, &prims, usd->prim_count, &usd->prim_room, sizeof *usd->prims))
        return 0;
    usd->prims = prims;
    sp_usd_prim_data *prim = &usd->prims[usd->prim_count];
    *prim = (sp_usd_prim_data){.parent = parent};
    snprintf(prim->type, sizeof prim->type, "%s", type);
    snprintf(prim->name, sizeof prim->name, "%s", name);
    return usd->prim_count++;
}

int sp_usd_attribute(sp_usd *usd, int prim, const char *name, sp_usd_type type,
                     const char *interpolation)
{
    void *attributes = usd->attributes;
    if (!reserve(usd, &attributes, usd->attribute_count, &usd->attribute_room,
                 sizeof *usd->attributes))
        return -1;
    usd->attributes = attributes;
    sp_usd_attribute_data *attribute = &usd->attributes[usd->attribute_count];
    *attribute = (sp_usd_attribute_data){.prim = prim, .type = type};
    snprintf(attribute->name, sizeof attribute->name, "%s", name);
    snprintf(attribute->interpolation, sizeof attribute->interpolation, "%s",
             interpolation ? interpolation : "");
    return usd->attribute_count++;
}

void sp_usd_token(sp_usd *usd, int prim, const char *name, const char *value)
{
    int number = sp_usd_attribute(usd, prim, name, SP_USD_FLOAT, NULL);
    if (number >= 0)
        snprintf(usd->attributes[number].token, sizeof usd->attributes[number].token, "%s", value);
}

void sp_usd_token_list(sp_usd *usd, int prim, const char *name, const char *value)
{
    sp_usd_token(usd, prim, name, value);
    if (usd->error.status == SPATE_OK)
        usd->attributes[usd->attribute_count - 1].list = true;
}

static sp_usd_sample *new_sample(sp_usd_attribute_data *attribute)
{
    if (attribute->sample_count == attribute->sample_room) {
        size_t room = attribute->sample_room ? 2 * attribute->sample_room : 16;
        sp_usd_sample *samples = sp_grow(
            attribute->samples, attribute->sample_count * sizeof *samples, room, sizeof *samples);
        if (!samples)
            return NULL;
        attribute->samples = samples;
        attribute->sample_room = room;
    }
    return &attribute->samples[attribute->sample_count++];
}

void sp_usd_sample_begin(sp_usd *usd, int attribute, double time, uint64_t count)
{
    usd->current = attribute;
    if (usd->error.status != SPATE_OK)
        return;
    bool always = isnan(time), array = !sp_usd_types[usd->attributes[attribute].type].single;
    usd->attributes[attribute].always = always;
    if (!always && (!usd->sampled || time < usd->first))
        usd->first = time;
    if (!always && (!usd->sampled || time > usd->last))
        usd->last = time;
    usd->sampled = usd->sampled || !always;
    if (usd->crate)
        sp_file_align(usd->file, 8);
    if (usd->crate && array) /* its length and its values */
        sp_file_write_numbers(usd->file, &count, 1, 8);
    sp_usd_sample *sample = new_sample(&usd->attributes[attribute]);
    if (!sample) {
        sp_fail_memory(&usd->error, usd->path, 0);
        return;
    }
    uint64_t offset = usd->crate ? sp_file_tell(usd->file) : usd->scratch_size;
    *sample = (sp_usd_sample){time, offset, count};
}

void sp_usd_sample_put(sp_usd *usd, const void *values, size_t count)
{
    if (usd->error.status != SPATE_OK)
        return;
    const sp_usd_type_info *type = &sp_usd_types[usd->attributes[usd->current].type];
    size_t numbers = count * (size_t)type->components;
    if (usd->crate) {
        sp_file_write_numbers(usd->file, values, numbers, type->size);
        return;
    }
    const char *bytes = values;
    for (size_t left = numbers * type->size; left > 0 && usd->error.status == SPATE_OK;) {
        ssize_t done = pwrite(usd->scratch, bytes, left, (off_t)usd->scratch_size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            sp_fail(&usd->error, SPATE_ERROR_FILE, usd->path, "cannot be written: %s",
                    done < 0 ? strerror(errno) : "nothing was taken");
            return;
        }
        bytes += done;
        left -= (size_t)done;
        usd->scratch_size += (uint64_t)done;
    }
}

void sp_usd_fail_memory(sp_usd *usd)
{
    sp_fail_memory(&usd->error, usd->path, 0);
}

spate_status sp_usd_close(sp_usd *usd, spate_error *error)
{
    spate_status status = usd->error.status;
    if (status == SPATE_OK) {
        if (usd->crate)
            sp_usdc_end(usd);
        else
            sp_usda_write(usd);
        status = usd->error.status;
    }
    if (status == SPATE_OK) {
        status = sp_file_close(usd->file, error);
    } else {
        *error = usd->error;
        sp_file_abandon(usd->file);
    }
    release(usd);
    return status;
}

void sp_usd_abandon(sp_usd *usd)
{
    if (!usd)
        return;
    sp_file_abandon(usd->file);
    release(usd);
}
