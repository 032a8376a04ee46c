/* particle_table_read.c -- a particle file of a run as particles, a block of rows at a time: the
 * file is never in memory as a whole beside what is made of it.
 *
 * Only the PLY that spate writes is read here (binary little-endian, all properties of four bytes);
 * ply.c reads any other. Properties are taken together to attributes by their names: x y z,
 * vx vy vz, name_x name_y name_z, name_0 name_1 ... */
#include "particle_table.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "ply.h"

enum { HEADER_SIZE = 1 << 15, BLOCK_SIZE = 1 << 18 };

typedef struct particle_file {
    const char *path;
    int descriptor;
    char *bytes; /* HEADER_SIZE or BLOCK_SIZE of them, with a 0 behind */
    sp_ply ply;
    const sp_ply_element *vertices;
    size_t first_row; /* where the rows begin */
} particle_file;

static void close_file(particle_file *file)
{
    sp_ply_close(&file->ply);
    sp_free(file->bytes);
    if (file->descriptor >= 0)
        close(file->descriptor);
}

/* `size` bytes at `offset`, or less at the end of the file; -1 with errno. */
static ssize_t read_at(int descriptor, char *bytes, size_t size, size_t offset)
{
    size_t used = 0;
    while (used < size) {
        ssize_t got = pread(descriptor, bytes + used, size - used, (off_t)(offset + used));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        used += (size_t)got;
    }
    return (ssize_t)used;
}

static spate_status check_layout(particle_file *file, uint64_t file_size, spate_error *error)
{
    const sp_ply *ply = &file->ply;
    bool good = ply->format == SP_PLY_LITTLE && ply->element_count == 1 &&
                strcmp(ply->elements[0].name, "vertex") == 0 && ply->property_count >= 3;
    for (size_t k = 0; good && k < ply->property_count; k++) {
        const sp_ply_property *property = &ply->properties[k];
        good = property->count_type == SP_PLY_NONE &&
               (property->type == SP_PLY_FLOAT32 || property->type == SP_PLY_UINT32);
    }
    if (!good || sp_ply_find(ply, &ply->elements[0], "x") != 0)
        return sp_fail(error, SPATE_ERROR_FILE, file->path,
                       "is a PLY file, but not one of spate's particles");
    file->vertices = &ply->elements[0];
    uint64_t rows = (file_size - file->first_row) / (4 * ply->property_count);
    if (file->vertices->count != rows || (file_size - file->first_row) % (4 * ply->property_count))
        return sp_fail(error, SPATE_ERROR_FILE, file->path,
                       "holds %llu of the %llu particles that its header promises: it is %s",
                       (unsigned long long)rows, (unsigned long long)file->vertices->count,
                       rows < file->vertices->count ? "cut short" : "damaged");
    return SPATE_OK;
}

static spate_status open_file(particle_file *file, const char *path, spate_error *error)
{
    struct stat about;
    *file = (particle_file){.path = path};
    file->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (file->descriptor < 0)
        return sp_fail(error, SPATE_ERROR_FILE, path, "cannot be opened: %s", strerror(errno));
    file->bytes = sp_alloc(BLOCK_SIZE + 1, 1);
    if (!file->bytes)
        return sp_fail_memory(error, path, BLOCK_SIZE);
    ssize_t got = read_at(file->descriptor, file->bytes, HEADER_SIZE, 0);
    if (got < 0 || fstat(file->descriptor, &about) != 0)
        return sp_fail(error, SPATE_ERROR_FILE, path, "cannot be read: %s", strerror(errno));
    TRY(sp_ply_open_header(&file->ply, file->bytes, (size_t)got, path, error));
    file->first_row = (size_t)(file->ply.next - file->bytes);
    return check_layout(file, (uint64_t)about.st_size, error);
}

spate_status sp_particle_table_probe(const char *path, spate_error *error)
{
    particle_file file;
    spate_status status = open_file(&file, path, error);
    close_file(&file);
    return status;
}

/* ------------------------------------------------------------------ attributes */

/* The attribute and the component that a property is of; true if it goes on with the one before. */
static bool split_name(const char *property, char name[40], int component)
{
    static const char *const whole[2][3] = {{"x", "y", "z"}, {"vx", "vy", "vz"}};
    static const char *const names[2] = {"position", "velocity"};
    for (int k = 0; k < 2; k++)
        if (component < 3 && strcmp(property, whole[k][component]) == 0) {
            snprintf(name, 40, "%s", names[k]);
            return true;
        }
    size_t length = strlen(property);
    snprintf(name, 40, "%.39s", property);
    if (length < 3 || length > 39 || property[length - 2] != '_')
        return component == 0;
    bool next = property[length - 1] == "0123"[component] ||
                (component < 3 && property[length - 1] == "xyz"[component]);
    if (next)
        name[length - 2] = 0;
    return next || component == 0;
}

typedef struct column_list {
    sp_column items[SP_MAX_ATTRIBUTES + 1];
    int count;
} column_list;

/* Groups properties to attributes. */
static spate_status list_columns(const particle_file *file, column_list *list, spate_error *error)
{
    const sp_ply *ply = &file->ply;
    sp_column *last = NULL;
    for (size_t k = 0; k < ply->property_count; k++) {
        char name[40];
        const sp_ply_property *property = &ply->properties[k];
        bool integer = property->type == SP_PLY_UINT32;
        if (last && last->components < 4 && split_name(property->name, name, last->components) &&
            strcmp(name, last->name) == 0 && integer == last->integer) {
            last->components++;
            continue;
        }
        if (list->count > SP_MAX_ATTRIBUTES)
            return sp_fail(error, SPATE_ERROR_FILE, file->path,
                           "has more properties than spate writes");
        last = &list->items[list->count++];
        *last = (sp_column){.components = 1, .integer = integer};
        split_name(property->name, last->name, 0);
    }
    const sp_column *first = &list->items[0];
    if (strcmp(first->name, "position") != 0 || first->components != 3 || first->integer)
        return sp_fail(error, SPATE_ERROR_FILE, file->path, "does not begin with x y z");
    return SPATE_OK;
}

/* Shows a column of the file, whose values begin at `values`; false: it has the name of one of the
 * view's, but is of another kind or there twice. */
static bool show_column(sp_particles *particles, const sp_column *column, int dim,
                        const uint32_t *values)
{
    spate_particles_view *view = &particles->view;
    bool x = strcmp(column->name, "position") == 0, v = strcmp(column->name, "velocity") == 0;
    if (x || v) {
        const float **to = x ? view->x : view->v;
        if (to[0] || column->components != 3 || column->integer)
            return false;
        for (int c = 0; c < dim; c++)
            to[c] = (const float *)values + (size_t)c * view->count;
        return true;
    }
    if (strcmp(column->name, "id") == 0) {
        if (view->id || column->components != 1 || !column->integer)
            return false;
        view->id = values;
        return true;
    }
    sp_column *own =
        sp_particles_add_column(particles, column->name, column->components, column->integer);
    for (int c = 0; c < column->components; c++)
        own->values[c] = values + (size_t)c * view->count;
    return true;
}

static uint32_t load(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

/* The properties as arrays, one after the other. */
static spate_status read_rows(particle_file *file, size_t count, uint32_t *values,
                              spate_error *error)
{
    size_t properties = file->ply.property_count, stride = 4 * properties;
    size_t most = BLOCK_SIZE / stride;
    for (size_t begin = 0; begin < count; begin += most) {
        size_t rows = count - begin < most ? count - begin : most;
        ssize_t got =
            read_at(file->descriptor, file->bytes, rows * stride, file->first_row + begin * stride);
        if (got < 0 || (size_t)got != rows * stride)
            return sp_fail(error, SPATE_ERROR_FILE, file->path, "cannot be read: %s",
                           got < 0 ? strerror(errno) : "it became shorter");
        const unsigned char *row = (const unsigned char *)file->bytes;
        for (size_t k = 0; k < properties; k++)
            for (size_t i = 0; i < rows; i++)
                values[k * count + begin + i] = load(row + i * stride + 4 * k);
    }
    return SPATE_OK;
}

/* Every float must be a finite number, and small enough to be squared; a position must lie in the
 * domain, or a cell beside it: writers make indices and boxes of it. */
#define LARGEST 1e18

static spate_status check_values(const sp_particle_table *table, const sp_column *column,
                                 const uint32_t *values, size_t count, const char *path,
                                 spate_error *error)
{
    bool position = strcmp(column->name, "position") == 0;
    for (int c = 0; c < column->components && !column->integer; c++) {
        double low = -LARGEST, high = LARGEST;
        if (position) {
            low = c < table->dim ? -table->cell_size : 0;
            high = c < table->dim ? table->size[c] + table->cell_size : 0;
        }
        for (size_t i = 0; i < count; i++) {
            float value;
            memcpy(&value, &values[(size_t)c * count + i], sizeof value);
            if (!((double)value >= low && (double)value <= high))
                return sp_fail(error, SPATE_ERROR_FILE, path, "the %s of particle %zu is %s",
                               column->name, i + 1,
                               !isfinite(value) ? "not a finite number"
                               : position       ? "outside of the domain"
                                                : "too large");
        }
    }
    return SPATE_OK;
}

static spate_status read_particles(sp_particle_table *table, sp_particles *particles,
                                   particle_file *file, spate_error *error)
{
    column_list list = {.count = 0};
    size_t count = (size_t)file->vertices->count;
    TRY(list_columns(file, &list, error));
    TRY(sp_particles_reserve(particles, count * file->ply.property_count, file->path, error));
    TRY(read_rows(file, count, particles->memory, error));
    const uint32_t *values = particles->memory;
    particles->kind = sp_set_kind_of(table->dim, SET_FLUID);
    particles->view.count = count;
    particles->view.scale = 1;
    for (int k = 0; k < list.count; k++) {
        const sp_column *column = &list.items[k];
        spate_status status = SPATE_OK;
        if (!show_column(particles, column, table->dim, values))
            status = sp_fail(error, SPATE_ERROR_FILE, file->path,
                             "its '%s' is not as spate writes it", column->name);
        else
            status = check_values(table, column, values, count, file->path, error);
        if (status != SPATE_OK) {
            particles->view.count = 0;
            return status;
        }
        values += (size_t)column->components * count;
        sp_particle_table_add(table, column->name, column->components);
    }
    return SPATE_OK;
}

spate_status sp_particle_table_read(sp_particle_table *table, sp_particles *particles,
                                    const spate_scene *scene, int frame, const char *path,
                                    spate_error *error)
{
    particle_file file;
    *table = sp_particle_table_of_scene(scene);
    table->particles = particles;
    particles->view.count = 0;
    spate_status status = open_file(&file, path, error);
    if (status == SPATE_OK)
        status = read_particles(table, particles, &file, error);
    close_file(&file);
    particles->frame = frame;
    particles->time = frame / scene->fps;
    return status;
}
