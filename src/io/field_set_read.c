/* field_set_read.c -- a volume file of a run (vtk.c) as fields.
 *
 * Only the .vti that spate writes is read here: an XML head with one array in each line, in the
 * order of their values, then the mark `_` and each array as its length in bytes (UInt64) and its
 * values, little-endian. */
#include "field_set.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "bytes.h"
#include "file.h"
#include "scene/schema.h"
#include "scene/sides.h"

enum { HEAD_SIZE = 1 << 15 };
#define MARK "<AppendedData encoding=\"raw\">\n_"

typedef struct volume_file {
    const char *path;
    int descriptor;
    char *head; /* text, ended by a 0 */
    uint64_t values_at, size;
    uint64_t offsets[SP_CELL_FIELDS]; /* of each field, from values_at */
} volume_file;

static void close_file(volume_file *file)
{
    sp_free(file->head);
    if (file->descriptor >= 0)
        close(file->descriptor);
}

static bool read_at(int descriptor, void *bytes, size_t size, uint64_t offset)
{
    size_t used = 0;
    while (used < size) {
        ssize_t got = pread(descriptor, (char *)bytes + used, size - used, (off_t)(offset + used));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        used += (size_t)got;
    }
    return true;
}

static spate_status damaged(const volume_file *file, const char *what, spate_error *error)
{
    return sp_fail(error, SPATE_ERROR_FILE, file->path, "is no volume file of this run: %s", what);
}

static spate_status open_file(volume_file *file, const char *path, spate_error *error)
{
    struct stat about;
    *file = (volume_file){.path = path};
    file->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (file->descriptor < 0 || fstat(file->descriptor, &about) != 0)
        return sp_fail(error, SPATE_ERROR_FILE, path, "cannot be opened: %s", strerror(errno));
    file->size = (uint64_t)about.st_size;
    size_t wanted = file->size < HEAD_SIZE ? (size_t)file->size : HEAD_SIZE;
    file->head = sp_alloc(wanted + 1, 1);
    if (!file->head)
        return sp_fail_memory(error, path, wanted);
    if (!read_at(file->descriptor, file->head, wanted, 0))
        return sp_fail(error, SPATE_ERROR_FILE, path, "cannot be read: %s", strerror(errno));
    char *mark = strstr(file->head, MARK); /* what is before it has no byte 0 */
    if (!mark)
        return damaged(file, "its head has no end", error);
    file->values_at = (uint64_t)(mark - file->head) + strlen(MARK);
    *mark = 0;
    return SPATE_OK;
}

/* The text behind ` name="`, NULL without it before `end`. */
static const char *value_of(const char *begin, const char *end, const char *name)
{
    char wanted[48];
    int length = snprintf(wanted, sizeof wanted, " %s=\"", name);
    const char *found = strstr(begin, wanted);
    return found && found < end ? found + length : NULL;
}

/* The domain must be that of the run. */
static spate_status check_extent(const volume_file *file, const sp_field_set *set,
                                 spate_error *error)
{
    char wanted[96];
    const char *extent = value_of(file->head, file->head + strlen(file->head), "WholeExtent");
    snprintf(wanted, sizeof wanted, "0 %d 0 %d 0 %d\"", set->cells[0] - 1, set->cells[1] - 1,
             set->cells[2] - 1);
    if (!extent || strncmp(extent, wanted, strlen(wanted)) != 0)
        return damaged(file, "it has other cells", error);
    return SPATE_OK;
}

/* One line of the head, <DataArray type=... offset=.../>. */
static bool parse_array(const char *line, const char *end, sp_cell_field *field, uint64_t *offset)
{
    const char *type = value_of(line, end, "type"), *name = value_of(line, end, "Name"),
               *components = value_of(line, end, "NumberOfComponents"),
               *at = value_of(line, end, "offset");
    if (!type || !name || !components || !at)
        return false;
    size_t length = strcspn(name, "\"");
    if (length == 0 || length >= sizeof field->name)
        return false;
    *field = (sp_cell_field){.components = atoi(components)};
    memcpy(field->name, name, length);
    *offset = strtoull(at, NULL, 10);
    bool bytes = strncmp(type, "UInt8\"", 6) == 0;
    return (bytes || strncmp(type, "Float32\"", 8) == 0) && field->components >= 1 &&
           field->components <= 4 && bytes == (strcmp(field->name, "type") == 0) &&
           !(bytes && field->components != 1);
}

static spate_status list_arrays(volume_file *file, sp_field_set *set, spate_error *error)
{
    uint64_t cells = sp_field_set_cells(set), expected = 0;
    const char *line = strstr(file->head, "<PointData");
    set->field_count = 0;
    while (line && (line = strstr(line, "<DataArray"))) {
        const char *end = strchr(line, '>');
        if (set->field_count == SP_CELL_FIELDS)
            return damaged(file, "it has more arrays than spate writes", error);
        int k = set->field_count++;
        sp_cell_field *field = &set->fields[k];
        if (!end || !parse_array(line, end, field, &file->offsets[k]) ||
            file->offsets[k] != expected)
            return damaged(file, "an array in it is not as spate writes it", error);
        expected +=
            8 + cells * (strcmp(field->name, "type") == 0 ? 1 : 4 * (uint64_t)field->components);
        line = end;
    }
    if (set->field_count == 0)
        return damaged(file, "it has no arrays", error);
    if (file->size < file->values_at + expected)
        return damaged(file, "it is cut short", error);
    return SPATE_OK;
}

static spate_status look_at(volume_file *file, sp_field_set *set, const spate_scene *scene,
                            const char *path, spate_error *error)
{
    sp_field_set_begin(set, scene);
    TRY(open_file(file, path, error));
    TRY(check_extent(file, set, error));
    return list_arrays(file, set, error);
}

static spate_status read_arrays(const volume_file *file, sp_field_set *set, spate_error *error)
{
    size_t cells = sp_field_set_cells(set);
    TRY(sp_field_set_place(set, error));
    for (int k = 0; k < set->field_count; k++) {
        const sp_cell_field *field = &set->fields[k];
        unsigned char *bytes = field->bytes ? field->bytes : (unsigned char *)field->values;
        size_t count = field->bytes ? cells : cells * (size_t)field->components;
        size_t size = field->bytes ? 1 : 4;
        if (!read_at(file->descriptor, bytes, count * size,
                     file->values_at + file->offsets[k] + 8)) {
            set->field_count = 0;
            return sp_fail(error, SPATE_ERROR_FILE, file->path, "cannot be read: %s",
                           strerror(errno));
        }
        for (size_t i = 0; i < count && !field->bytes; i++) {
            uint32_t bits = (uint32_t)sp_load_bits(bytes + 4 * i, 4);
            memcpy(&field->values[i], &bits, 4);
        }
    }
    return SPATE_OK;
}

spate_status sp_field_set_read(sp_field_set *set, const spate_scene *scene, int frame,
                               const char *path, spate_error *error)
{
    volume_file file;
    spate_status status = look_at(&file, set, scene, path, error);
    if (status == SPATE_OK)
        status = read_arrays(&file, set, error);
    else
        set->field_count = 0;
    close_file(&file);
    set->frame = frame;
    set->time = frame / scene->fps;
    return status;
}

spate_status sp_field_set_probe(const spate_scene *scene, const char *path, spate_error *error)
{
    volume_file file;
    sp_field_set set = {.memory = NULL};
    spate_status status = look_at(&file, &set, scene, path, error);
    close_file(&file);
    return status;
}
