/* ply.c -- the PLY reader; point sets from PLY. */
#include "ply.h"

#include <spate/spate_io.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "file.h"

static const size_t TYPE_SIZE[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};

static sp_ply_type type_named(const char *name)
{
    static const struct {
        const char *name;
        sp_ply_type type;
    } names[] = {
        {"char", SP_PLY_INT8},       {"int8", SP_PLY_INT8},       {"uchar", SP_PLY_UINT8},
        {"uint8", SP_PLY_UINT8},     {"short", SP_PLY_INT16},     {"int16", SP_PLY_INT16},
        {"ushort", SP_PLY_UINT16},   {"uint16", SP_PLY_UINT16},   {"int", SP_PLY_INT32},
        {"int32", SP_PLY_INT32},     {"uint", SP_PLY_UINT32},     {"uint32", SP_PLY_UINT32},
        {"float", SP_PLY_FLOAT32},   {"float32", SP_PLY_FLOAT32}, {"double", SP_PLY_FLOAT64},
        {"float64", SP_PLY_FLOAT64},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i].name) == 0)
            return names[i].type;
    return SP_PLY_NONE;
}

/* ------------------------------------------------------------------ header */

static spate_status fail_line(const sp_ply *ply, const char *line, spate_error *error)
{
    return sp_fail(error, SPATE_ERROR_FILE, ply->path,
                   "the PLY header has a line that makes no sense: '%.80s'", line);
}

static spate_status add_element(sp_ply *ply, const char *name, const char *count, const char *line,
                                spate_error *error)
{
    char *end;
    uint64_t rows = strtoull(count, &end, 10);
    if (*count < '0' || *count > '9' || *end)
        return fail_line(ply, line, error);
    size_t used = ply->element_count;
    if ((used & (used - 1)) == 0) { /* full at the powers of two */
        sp_ply_element *larger =
            sp_grow(ply->elements, used * sizeof *larger, used ? 2 * used : 1, sizeof *larger);
        if (!larger)
            return sp_fail_memory(error, ply->path, 0);
        ply->elements = larger;
    }
    sp_ply_element *element = &ply->elements[ply->element_count++];
    *element = (sp_ply_element){.count = rows, .first = ply->property_count};
    snprintf(element->name, sizeof element->name, "%s", name);
    return SPATE_OK;
}

static spate_status add_property(sp_ply *ply, const char *type, const char *count_type,
                                 const char *name, const char *line, spate_error *error)
{
    sp_ply_property property = {.type = type_named(type)};
    if (count_type)
        property.count_type = type_named(count_type);
    bool bad_list =
        count_type && (property.count_type == SP_PLY_NONE || property.count_type >= SP_PLY_FLOAT32);
    if (property.type == SP_PLY_NONE || bad_list || ply->element_count == 0)
        return fail_line(ply, line, error);
    snprintf(property.name, sizeof property.name, "%s", name);
    size_t used = ply->property_count;
    if ((used & (used - 1)) == 0) {
        sp_ply_property *larger =
            sp_grow(ply->properties, used * sizeof *larger, used ? 2 * used : 1, sizeof *larger);
        if (!larger)
            return sp_fail_memory(error, ply->path, 0);
        ply->properties = larger;
    }
    ply->properties[ply->property_count++] = property;
    ply->elements[ply->element_count - 1].property_count++;
    return SPATE_OK;
}

static spate_status read_format(sp_ply *ply, const char *name, const char *line, spate_error *error)
{
    if (strcmp(name, "ascii") == 0)
        ply->format = SP_PLY_ASCII;
    else if (strcmp(name, "binary_little_endian") == 0)
        ply->format = SP_PLY_LITTLE;
    else if (strcmp(name, "binary_big_endian") == 0)
        ply->format = SP_PLY_BIG;
    else
        return fail_line(ply, line, error);
    return SPATE_OK;
}

static spate_status read_header_line(sp_ply *ply, const char *line, bool *has_format,
                                     spate_error *error)
{
    char word[5][64];
    int words =
        sscanf(line, "%63s %63s %63s %63s %63s", word[0], word[1], word[2], word[3], word[4]);
    if (words <= 0 || strcmp(word[0], "comment") == 0 || strcmp(word[0], "obj_info") == 0)
        return SPATE_OK;
    if (strcmp(word[0], "format") == 0 && words >= 2) {
        *has_format = true;
        return read_format(ply, word[1], line, error);
    }
    if (strcmp(word[0], "element") == 0 && words == 3)
        return add_element(ply, word[1], word[2], line, error);
    if (strcmp(word[0], "property") == 0 && words == 3)
        return add_property(ply, word[1], NULL, word[2], line, error);
    if (strcmp(word[0], "property") == 0 && words == 5 && strcmp(word[1], "list") == 0)
        return add_property(ply, word[3], word[2], word[4], line, error);
    return fail_line(ply, line, error);
}

/* Lines up to end_header; leaves ply->next at the first byte behind it. */
static spate_status read_header(sp_ply *ply, spate_error *error)
{
    bool has_format = false;
    for (bool first = true;; first = false) {
        const char *stop = memchr(ply->next, '\n', (size_t)(ply->end - ply->next));
        if (!stop)
            return sp_fail(error, SPATE_ERROR_FILE, ply->path,
                           "the PLY header has no end_header: the file is cut short");
        char line[320];
        size_t length = (size_t)(stop - ply->next);
        length = length < sizeof line - 1 ? length : sizeof line - 1; /* only comments are longer */
        memcpy(line, ply->next, length);
        line[length] = 0;
        while (length > 0 && (line[length - 1] == '\r' || line[length - 1] == ' '))
            line[--length] = 0;
        ply->next = stop + 1;
        if (first && strcmp(line, "ply") != 0)
            return sp_fail(error, SPATE_ERROR_FILE, ply->path,
                           "is not a PLY file: it does not start with 'ply'");
        if (first)
            continue;
        if (strcmp(line, "end_header") == 0)
            break;
        TRY(read_header_line(ply, line, &has_format, error));
    }
    if (!has_format)
        return sp_fail(error, SPATE_ERROR_FILE, ply->path, "the PLY header has no format line");
    return SPATE_OK;
}

/* The fewest bytes that a row can take. In ASCII every number is a digit and a separator. */
static size_t least_row(const sp_ply *ply, const sp_ply_element *element)
{
    if (ply->format == SP_PLY_ASCII)
        return 2 * element->property_count;
    size_t bytes = 0;
    for (size_t k = 0; k < element->property_count; k++) {
        const sp_ply_property *property = &ply->properties[element->first + k];
        bytes += TYPE_SIZE[property->count_type ? property->count_type : property->type];
    }
    return bytes;
}

static spate_status check_counts(const sp_ply *ply, spate_error *error)
{
    /* the last ASCII number needs no separator */
    uint64_t left = (uint64_t)(ply->end - ply->next) + (ply->format == SP_PLY_ASCII);
    for (size_t i = 0; i < ply->element_count; i++) {
        const sp_ply_element *element = &ply->elements[i];
        size_t least = least_row(ply, element);
        if (least > 0 && element->count > left / least)
            return sp_fail(
                error, SPATE_ERROR_FILE, ply->path,
                "the PLY header promises %llu of element '%s', more than the file holds: it is cut short",
                (unsigned long long)element->count, element->name);
        left -= least * element->count;
    }
    return SPATE_OK;
}

spate_status sp_ply_open_header(sp_ply *ply, const char *bytes, size_t size, const char *path,
                                spate_error *error)
{
    *ply = (sp_ply){.path = path, .next = bytes, .end = bytes + size};
    spate_status status = read_header(ply, error);
    if (status == SPATE_OK) {
        ply->row = sp_alloc(ply->property_count, sizeof *ply->row);
        if (!ply->row)
            status = sp_fail_memory(error, path, ply->property_count * sizeof *ply->row);
    }
    if (status != SPATE_OK)
        sp_ply_close(ply);
    return status;
}

spate_status sp_ply_open(sp_ply *ply, const char *bytes, size_t size, const char *path,
                         spate_error *error)
{
    TRY(sp_ply_open_header(ply, bytes, size, path, error));
    spate_status status = check_counts(ply, error);
    if (status != SPATE_OK)
        sp_ply_close(ply);
    return status;
}

void sp_ply_close(sp_ply *ply)
{
    sp_free(ply->elements);
    sp_free(ply->properties);
    sp_free(ply->row);
    sp_free(ply->list);
    memset(ply, 0, sizeof *ply);
}

/* ------------------------------------------------------------------ rows */

int sp_ply_find(const sp_ply *ply, const sp_ply_element *element, const char *name)
{
    for (size_t k = 0; k < element->property_count; k++)
        if (strcmp(ply->properties[element->first + k].name, name) == 0)
            return (int)k;
    return -1;
}

static bool read_text(sp_ply *ply, double *value)
{
    while (ply->next < ply->end && strchr(" \t\r\n", *ply->next) && *ply->next)
        ply->next++;
    const char *after = ply->next < ply->end ? sp_text_number(ply->next, value) : NULL;
    if (!after)
        return false;
    ply->next = after;
    return true;
}

static bool read_binary(sp_ply *ply, sp_ply_type type, double *value)
{
    size_t size = TYPE_SIZE[type];
    if ((size_t)(ply->end - ply->next) < size)
        return false;
    uint64_t bits =
        0; /* assembled by value, so that the order of bytes in this machine does not matter */
    for (size_t i = 0; i < size; i++) {
        size_t place = ply->format == SP_PLY_LITTLE ? i : size - 1 - i;
        bits |= (uint64_t)(unsigned char)ply->next[i] << (8 * place);
    }
    ply->next += size;
    uint32_t low = (uint32_t)bits;
    float single;
    switch (type) {
    case SP_PLY_INT8: *value = (int8_t)low; break;
    case SP_PLY_INT16: *value = (int16_t)low; break;
    case SP_PLY_INT32: *value = (int32_t)low; break;
    case SP_PLY_FLOAT32:
        memcpy(&single, &low, sizeof single);
        *value = single;
        break;
    case SP_PLY_FLOAT64: memcpy(value, &bits, sizeof *value); break;
    case SP_PLY_NONE:
    case SP_PLY_UINT8:
    case SP_PLY_UINT16:
    case SP_PLY_UINT32: *value = low; break;
    }
    return true;
}

static bool read_value(sp_ply *ply, sp_ply_type type, double *value)
{
    return ply->format == SP_PLY_ASCII ? read_text(ply, value) : read_binary(ply, type, value);
}

static spate_status fail_row(const sp_ply *ply, const sp_ply_element *element, spate_error *error)
{
    return sp_fail(error, SPATE_ERROR_FILE, ply->path,
                   "the rows of PLY element '%s' end early or hold something that is not a number",
                   element->name);
}

static spate_status read_list(sp_ply *ply, const sp_ply_element *element,
                              const sp_ply_property *property, double count, bool keep,
                              spate_error *error)
{
    /* no item takes less than one byte, which bounds what a lying count can make us allocate */
    if (!(count >= 0 && count <= (double)(ply->end - ply->next)) || count != floor(count))
        return fail_row(ply, element, error);
    size_t length = (size_t)count;
    if (keep && length > ply->list_capacity) {
        double *larger = sp_grow(ply->list, 0, 2 * length, sizeof *larger);
        if (!larger)
            return sp_fail_memory(error, ply->path, 2 * length * sizeof *larger);
        ply->list = larger;
        ply->list_capacity = 2 * length;
    }
    for (size_t i = 0; i < length; i++) {
        double value;
        if (!read_value(ply, property->type, &value))
            return fail_row(ply, element, error);
        if (keep)
            ply->list[i] = value;
    }
    if (keep)
        ply->list_count = length;
    return SPATE_OK;
}

spate_status sp_ply_read_row(sp_ply *ply, const sp_ply_element *element, int list,
                             spate_error *error)
{
    ply->list_count = 0;
    for (size_t k = 0; k < element->property_count; k++) {
        const sp_ply_property *property = &ply->properties[element->first + k];
        bool is_list = property->count_type != SP_PLY_NONE;
        if (!read_value(ply, is_list ? property->count_type : property->type, &ply->row[k]))
            return fail_row(ply, element, error);
        if (is_list)
            TRY(read_list(ply, element, property, ply->row[k], (int)k == list, error));
    }
    return SPATE_OK;
}

spate_status sp_ply_skip(sp_ply *ply, const sp_ply_element *element, spate_error *error)
{
    if (element->property_count == 0) /* whose count nothing bounds */
        return SPATE_OK;
    for (uint64_t i = 0; i < element->count; i++)
        TRY(sp_ply_read_row(ply, element, -1, error));
    return SPATE_OK;
}

/* ------------------------------------------------------------------ points */

static spate_status read_points(sp_ply *ply, const sp_ply_element *element, float *columns[2],
                                spate_error *error)
{
    static const char *const names[6] = {"x", "y", "z", "vx", "vy", "vz"};
    int place[6];
    for (int k = 0; k < 6; k++)
        place[k] = sp_ply_find(ply, element, names[k]);
    if (place[0] < 0 || place[1] < 0)
        return sp_fail(error, SPATE_ERROR_FILE, ply->path,
                       "the vertices of the PLY file have no properties x and y");
    columns[0] = sp_alloc((size_t)element->count, 3 * sizeof(float));
    columns[1] = sp_alloc((size_t)element->count, 3 * sizeof(float));
    if (!columns[0] || !columns[1])
        return sp_fail_memory(error, ply->path, element->count * 6 * sizeof(float));
    for (uint64_t i = 0; i < element->count; i++) {
        TRY(sp_ply_read_row(ply, element, -1, error));
        for (uint64_t k = 0; k < 6; k++) {
            double value = place[k] < 0 ? 0 : ply->row[place[k]];
            if (!(fabs(value) <= FLT_MAX))
                return sp_fail(error, SPATE_ERROR_FILE, ply->path,
                               "%s of point %llu is not a finite number", names[k],
                               (unsigned long long)i + 1);
            columns[k / 3][3 * i + k % 3] = (float)value;
        }
    }
    return SPATE_OK;
}

static spate_points *points_from(sp_ply *ply, spate_error *error)
{
    for (size_t i = 0; i < ply->element_count; i++) {
        const sp_ply_element *element = &ply->elements[i];
        if (strcmp(element->name, "vertex") != 0) {
            if (sp_ply_skip(ply, element, error) != SPATE_OK)
                return NULL;
            continue;
        }
        float *columns[2] = {NULL, NULL};
        spate_points *points = NULL;
        if (read_points(ply, element, columns, error) == SPATE_OK)
            points = spate_points_create(columns[0], columns[1], (size_t)element->count, error);
        sp_free(columns[0]);
        sp_free(columns[1]);
        return points;
    }
    sp_fail(error, SPATE_ERROR_FILE, ply->path, "the PLY file has no element 'vertex'");
    return NULL;
}

spate_points *spate_points_read(const char *path, spate_error *error)
{
    char *bytes;
    size_t size;
    sp_ply ply;
    spate_points *points = NULL;
    if (sp_file_read_all(path, &bytes, &size, error) != SPATE_OK)
        return NULL;
    if (sp_ply_open(&ply, bytes, size, path, error) == SPATE_OK) {
        points = points_from(&ply, error);
        sp_ply_close(&ply);
    }
    sp_free(bytes);
    return points;
}
