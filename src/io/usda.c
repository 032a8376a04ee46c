/* usda.c -- a USD layer as text. The samples of an attribute stand together in the text, while they
 * come frame by frame: they wait in a nameless scratch file. */
#include "usd_layer.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"

enum { BLOCK = 4096, ELEMENT = 128 }; /* elements at a time; the most bytes of one */

static void indent(sp_usd *usd, int depth)
{
    for (int k = 0; k < depth; k++)
        sp_file_print(usd->file, "    ");
}

static void put_matrix(sp_usd *usd, const char *bytes)
{
    for (int k = 0; k < 16; k++) {
        double number;
        memcpy(&number, bytes + 8 * k, 8);
        sp_file_print(usd->file, k == 0 ? "((" : k % 4 ? ", " : "), (");
        sp_file_number(usd->file, number, true);
    }
    sp_file_print(usd->file, "))");
}

static void put_element(sp_usd *usd, const sp_usd_type_info *type, const char *bytes)
{
    if (type->single) {
        put_matrix(usd, bytes);
        return;
    }
    if (type->components > 1)
        sp_file_print(usd->file, "(");
    for (int c = 0; c < type->components; c++) {
        int32_t small;
        int64_t large;
        float number;
        sp_file_print(usd->file, c ? ", " : "");
        if (type->size == 8) {
            memcpy(&large, bytes, 8);
            sp_file_print(usd->file, "%lld", (long long)large);
        } else if (type == &sp_usd_types[SP_USD_INT]) {
            memcpy(&small, bytes, 4);
            sp_file_print(usd->file, "%d", (int)small);
        } else {
            memcpy(&number, bytes + 4 * c, 4);
            sp_file_number(usd->file, (double)number, false);
        }
    }
    if (type->components > 1)
        sp_file_print(usd->file, ")");
}

static void put_sample(sp_usd *usd, const sp_usd_type_info *type, const sp_usd_sample *sample)
{
    char bytes[16 * BLOCK];
    size_t size = type->size * (size_t)type->components, most = sizeof bytes / ELEMENT;
    sp_file_print(usd->file, type->single ? "" : "[");
    for (uint64_t begin = 0; begin < sample->count && usd->error.status == SPATE_OK;
         begin += most) {
        size_t count = (size_t)(sample->count - begin < most ? sample->count - begin : most);
        ssize_t got =
            pread(usd->scratch, bytes, count * size, (off_t)(sample->offset + begin * size));
        if (got != (ssize_t)(count * size)) {
            sp_fail(&usd->error, SPATE_ERROR_FILE, usd->path, "its samples cannot be read: %s",
                    got < 0 ? strerror(errno) : "they became shorter");
            return;
        }
        for (size_t k = 0; k < count; k++) {
            sp_file_print(usd->file, begin + k ? ", " : "");
            put_element(usd, type, bytes + k * size);
        }
    }
    sp_file_print(usd->file, type->single ? "" : "]");
}

static void put_attribute(sp_usd *usd, const sp_usd_attribute_data *attribute, int depth)
{
    const sp_usd_type_info *type = &sp_usd_types[attribute->type];
    indent(usd, depth);
    if (attribute->token[0]) {
        sp_file_print(usd->file,
                      attribute->list ? "uniform token[] %s = [\"%s\"]\n"
                                      : "uniform token %s = \"%s\"\n",
                      attribute->name, attribute->token);
        return;
    }
    if (attribute->interpolation[0]) { /* metadata stands with the declaration */
        sp_file_print(usd->file, "%s %s (\n", type->name, attribute->name);
        indent(usd, depth + 1);
        sp_file_print(usd->file, "interpolation = \"%s\"\n", attribute->interpolation);
        indent(usd, depth);
        sp_file_print(usd->file, ")\n");
        indent(usd, depth);
    }
    if (attribute->always) {
        sp_file_print(usd->file, "%s %s = ", type->name, attribute->name);
        put_sample(usd, type, &attribute->samples[0]);
        sp_file_print(usd->file, "\n");
        return;
    }
    sp_file_print(usd->file, "%s %s.timeSamples = {\n", type->name, attribute->name);
    for (size_t k = 0; k < attribute->sample_count; k++) {
        indent(usd, depth + 1);
        sp_file_number(usd->file, attribute->samples[k].time, true);
        sp_file_print(usd->file, ": ");
        put_sample(usd, type, &attribute->samples[k]);
        sp_file_print(usd->file, ",\n");
    }
    indent(usd, depth);
    sp_file_print(usd->file, "}\n");
}

static void put_prim(sp_usd *usd, int number, int depth)
{
    sp_file_print(usd->file, "\n");
    indent(usd, depth);
    sp_file_print(usd->file, "def %s \"%s\"\n", usd->prims[number].type, usd->prims[number].name);
    indent(usd, depth);
    sp_file_print(usd->file, "{\n");
    for (int k = 0; k < usd->attribute_count; k++)
        if (usd->attributes[k].prim == number)
            put_attribute(usd, &usd->attributes[k], depth + 1);
    for (int k = 0; k < usd->prim_count; k++)
        if (usd->prims[k].parent == number)
            put_prim(usd, k, depth + 1);
    indent(usd, depth);
    sp_file_print(usd->file, "}\n");
}

static void put_setting(sp_usd *usd, const char *name, double value)
{
    sp_file_print(usd->file, "    %s = ", name);
    sp_file_number(usd->file, value, true);
    sp_file_print(usd->file, "\n");
}

void sp_usda_write(sp_usd *usd)
{
    sp_file_print(usd->file, "#usda 1.0\n(\n    \"spate " SPATE_VERSION "\"\n");
    if (usd->prim_count > 0)
        sp_file_print(usd->file, "    defaultPrim = \"%s\"\n", usd->prims[0].name);
    put_setting(usd, "endTimeCode", usd->last);
    put_setting(usd, "framesPerSecond", usd->fps);
    sp_file_print(usd->file, "    metersPerUnit = 1\n");
    put_setting(usd, "startTimeCode", usd->first);
    put_setting(usd, "timeCodesPerSecond", usd->fps);
    sp_file_print(usd->file, "    upAxis = \"Y\"\n)\n");
    for (int k = 0; k < usd->prim_count; k++)
        if (usd->prims[k].parent < 0)
            put_prim(usd, k, 0);
}
