/* vtk.c -- VTK XML with appended raw data.
 *
 * An XML head names the arrays and where each begins behind the mark `_`; there every array is its
 * length in bytes (UInt64) and its values, little-endian. So the head is written first, from the
 * lengths alone, and the values follow in one pass. */
#include "vtk.h"

#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "file.h"

enum { MAX_ARRAYS = (SP_MAX_ATTRIBUTES > SP_CELL_FIELDS ? SP_MAX_ATTRIBUTES : SP_CELL_FIELDS) + 8 };

typedef struct array array;
/* Writes all values of an array. */
typedef void put_fn(sp_file *file, const array *what);

struct array {
    const char *type; /* VTK's name of it */
    char name[40];
    int components;
    uint64_t values; /* all components */
    size_t size;     /* bytes of a value */
    put_fn *put;
    const void *source; /* for `put` */
    const sp_attribute *attribute;
};

typedef struct vtk_file {
    sp_file *file;
    array arrays[MAX_ARRAYS];
    int count;
    uint64_t offset; /* where the next array will begin */
} vtk_file;

/* ------------------------------------------------------------------ values */

static void put_memory(sp_file *file, const array *what)
{
    sp_file_write_numbers(file, what->source, what->values, what->size);
}

static void put_attribute(sp_file *file, const array *what)
{
    const sp_particle_table *table = what->source;
    sp_particle_table_buffer buffer;
    for (size_t begin = 0, count; (count = sp_particle_table_block(table, begin)) > 0;
         begin += count) {
        const void *values =
            sp_particle_table_values(table, what->attribute, begin, count, &buffer);
        if (sp_file_write_numbers(file, values, count * (size_t)what->components, 4) != SPATE_OK)
            return;
    }
}

/* first, first + step, first + 2 step, ... with {first, step} at `source` */
static void put_sequence(sp_file *file, const array *what)
{
    const uint64_t *rule = what->source;
    uint32_t small[SP_TABLE_BLOCK];
    uint64_t large[SP_TABLE_BLOCK];
    for (uint64_t begin = 0; begin < what->values; begin += SP_TABLE_BLOCK) {
        uint64_t left = what->values - begin, count = left < SP_TABLE_BLOCK ? left : SP_TABLE_BLOCK;
        for (uint64_t k = 0; k < count; k++) {
            large[k] = rule[0] + rule[1] * (begin + k);
            small[k] = (uint32_t)large[k];
        }
        const void *values = what->size == 4 ? (const void *)small : (const void *)large;
        if (sp_file_write_numbers(file, values, (size_t)count, what->size) != SPATE_OK)
            return;
    }
}

static void put_rows(sp_file *file, const array *what)
{
    const sp_volume *volume = what->source;
    float row[3 * SP_VOLUME_ROW];
    for (int z = 0; z < volume->cells[2]; z++)
        for (int y = 0; y < volume->cells[1]; y++)
            for (int x = 0; x < volume->cells[0]; x += SP_VOLUME_ROW) {
                int left = volume->cells[0] - x,
                    count = left < SP_VOLUME_ROW ? left : SP_VOLUME_ROW;
                const int at[3] = {x, y, z};
                if (what->components == 1)
                    sp_volume_distances(volume, at, count, row);
                else
                    sp_volume_velocities(volume, at, count, row);
                if (sp_file_write_numbers(file, row, (size_t)(count * what->components), 4) !=
                    SPATE_OK)
                    return;
            }
}

/* Doubles as floats. */
static void put_doubles(sp_file *file, const array *what)
{
    const double *values = what->source;
    float small[SP_TABLE_BLOCK];
    for (uint64_t begin = 0; begin < what->values; begin += SP_TABLE_BLOCK) {
        uint64_t left = what->values - begin, count = left < SP_TABLE_BLOCK ? left : SP_TABLE_BLOCK;
        for (uint64_t k = 0; k < count; k++)
            small[k] = (float)values[begin + k];
        if (sp_file_write_numbers(file, small, (size_t)count, 4) != SPATE_OK)
            return;
    }
}

static void put_bytes(sp_file *file, const array *what)
{
    sp_file_write(file, what->source, what->values);
}

/* ------------------------------------------------------------------ the XML */

static array *declare(vtk_file *vtk, const char *type, const char *name, int components,
                      uint64_t tuples, size_t size, put_fn *put, const void *source)
{
    array *a = &vtk->arrays[vtk->count++];
    *a = (array){type, "", components, tuples * (uint64_t)components, size, put, source, NULL};
    snprintf(a->name, sizeof a->name, "%s", name);
    sp_file_print(vtk->file,
                  "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
                  "format=\"appended\" offset=\"%llu\"/>\n",
                  type, name, components, (unsigned long long)vtk->offset);
    vtk->offset += 8 + a->values * size;
    return a;
}

static void declare_attribute(vtk_file *vtk, const sp_particle_table *table,
                              const sp_attribute *attribute)
{
    declare(vtk, attribute->integer ? "UInt32" : "Float32", attribute->name, attribute->components,
            table->particles->view.count, 4, put_attribute, table)
        ->attribute = attribute;
}

/* connectivity and offsets of `cells` cells with `corners` points each: the k-th cell has the
 * points corners * k, ... or those in `indices` */
static void declare_cells(vtk_file *vtk, const char *kind, uint64_t cells, uint64_t corners,
                          const uint32_t *indices, const uint64_t rules[2][2])
{
    bool wide = cells * corners > INT32_MAX;
    const char *type = wide ? "Int64" : "Int32";
    size_t size = wide ? 8 : 4;
    sp_file_print(vtk->file, "<%s>\n", kind);
    if (indices)
        declare(vtk, "UInt32", "connectivity", 1, cells * corners, 4, put_memory, indices);
    else
        declare(vtk, type, "connectivity", 1, cells * corners, size, put_sequence, rules[0]);
    declare(vtk, type, "offsets", 1, cells, size, put_sequence, rules[1]);
    sp_file_print(vtk->file, "</%s>\n", kind);
}

static void begin_file(vtk_file *vtk, const char *kind)
{
    sp_file_print(vtk->file,
                  "<?xml version=\"1.0\"?>\n<!-- spate " SPATE_VERSION ", m and m/s -->\n"
                  "<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"LittleEndian\" "
                  "header_type=\"UInt64\">\n",
                  kind);
}

static void put_time(vtk_file *vtk, double time)
{
    sp_file_print(vtk->file, "<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" "
                             "NumberOfTuples=\"1\" format=\"ascii\">");
    sp_file_number(vtk->file, time, true);
    sp_file_print(vtk->file, "</DataArray></FieldData>\n");
}

static spate_status end_file(vtk_file *vtk, const char *kind, spate_error *error)
{
    sp_file_print(vtk->file, "</Piece>\n</%s>\n<AppendedData encoding=\"raw\">\n_", kind);
    for (int k = 0; k < vtk->count; k++) {
        uint64_t bytes = vtk->arrays[k].values * vtk->arrays[k].size;
        sp_file_write_numbers(vtk->file, &bytes, 1, 8);
        vtk->arrays[k].put(vtk->file, &vtk->arrays[k]);
    }
    sp_file_print(vtk->file, "\n</AppendedData>\n</VTKFile>\n");
    return sp_file_close(vtk->file, error);
}

static void begin_piece(vtk_file *vtk, size_t points, size_t verts, size_t lines, size_t polys)
{
    sp_file_print(vtk->file,
                  "<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" NumberOfLines=\"%zu\" "
                  "NumberOfStrips=\"0\" NumberOfPolys=\"%zu\">\n",
                  points, verts, lines, polys);
}

/* ------------------------------------------------------------------ files */

spate_status sp_vtk_write_particles(const sp_particle_table *table, const char *path,
                                    spate_error *error)
{
    /* a cell of its own for each particle, without which ParaView shows nothing */
    static const uint64_t rules[2][2] = {{0, 1}, {1, 1}};
    vtk_file vtk = {.file = sp_file_create(path, error)};
    if (!vtk.file)
        return error->status;
    begin_file(&vtk, "PolyData");
    sp_file_print(vtk.file, "<PolyData>\n");
    put_time(&vtk, table->particles->time);
    begin_piece(&vtk, table->particles->view.count, table->particles->view.count, 0, 0);
    sp_file_print(vtk.file, "<PointData%s>\n",
                  sp_particle_table_find(table, "velocity") ? " Vectors=\"velocity\"" : "");
    for (int k = 1; k < table->attribute_count; k++)
        declare_attribute(&vtk, table, &table->attributes[k]);
    sp_file_print(vtk.file, "</PointData>\n<Points>\n");
    declare_attribute(&vtk, table, &table->attributes[0]);
    sp_file_print(vtk.file, "</Points>\n");
    declare_cells(&vtk, "Verts", table->particles->view.count, 1, NULL, rules);
    return end_file(&vtk, "PolyData", error);
}

spate_status sp_vtk_write_mesh(const spate_surface *mesh, double time, const char *path,
                               spate_error *error)
{
    uint64_t corners = mesh->dim == 2 ? 2 : 3;
    const uint64_t rules[2][2] = {{0, 1}, {corners, corners}};
    vtk_file vtk = {.file = sp_file_create(path, error)};
    if (!vtk.file)
        return error->status;
    begin_file(&vtk, "PolyData");
    sp_file_print(vtk.file, "<PolyData>\n");
    put_time(&vtk, time);
    begin_piece(&vtk, mesh->vertices, 0, mesh->dim == 2 ? mesh->triangles : 0,
                mesh->dim == 2 ? 0 : mesh->triangles);
    sp_file_print(vtk.file, "<PointData%s%s>\n", mesh->normals ? " Normals=\"normal\"" : "",
                  mesh->velocities ? " Vectors=\"velocity\"" : "");
    if (mesh->normals)
        declare(&vtk, "Float32", "normal", 3, mesh->vertices, 4, put_memory, mesh->normals);
    if (mesh->velocities)
        declare(&vtk, "Float32", "velocity", 3, mesh->vertices, 4, put_memory, mesh->velocities);
    sp_file_print(vtk.file, "</PointData>\n<Points>\n");
    declare(&vtk, "Float32", "position", 3, mesh->vertices, 4, put_memory, mesh->positions);
    sp_file_print(vtk.file, "</Points>\n");
    declare_cells(&vtk, mesh->dim == 2 ? "Lines" : "Polys", mesh->triangles, corners, mesh->indices,
                  rules);
    return end_file(&vtk, "PolyData", error);
}

static void begin_image(vtk_file *vtk, const int n[3], const double origin[3],
                        const double spacing[3], double time)
{
    begin_file(vtk, "ImageData");
    sp_file_print(vtk->file, "<ImageData WholeExtent=\"0 %d 0 %d 0 %d\" Origin=\"", n[0] - 1,
                  n[1] - 1, n[2] - 1);
    for (int d = 0; d < 3; d++) {
        sp_file_number(vtk->file, origin[d], true);
        sp_file_print(vtk->file, d < 2 ? " " : "\" Spacing=\"");
    }
    for (int d = 0; d < 3; d++) {
        sp_file_number(vtk->file, spacing[d], true);
        sp_file_print(vtk->file, d < 2 ? " " : "\">\n");
    }
    put_time(vtk, time);
    sp_file_print(vtk->file, "<Piece Extent=\"0 %d 0 %d 0 %d\">\n", n[0] - 1, n[1] - 1, n[2] - 1);
}

/* Points of the image are the middles of the cells, so that contours work without a conversion. */
spate_status sp_vtk_write_volume(const sp_volume *volume, const sp_field_set *fields, double time,
                                 const char *path, spate_error *error)
{
    vtk_file vtk = {.file = sp_file_create(path, error)};
    if (!vtk.file)
        return error->status;
    const int *n = volume ? volume->cells : fields->cells, dim = volume ? volume->dim : fields->dim;
    uint64_t cells = (uint64_t)n[0] * (uint64_t)n[1] * (uint64_t)n[2];
    double dx = volume ? volume->cell_size : fields->cell_size, half = 0.5 * dx;
    const double origin[3] = {half, half, dim == 3 ? half : 0}, spacing[3] = {dx, dx, dx};
    begin_image(&vtk, n, origin, spacing, time);
    sp_file_print(vtk.file, "<PointData%s Vectors=\"vel\">\n",
                  volume ? " Scalars=\"surface\"" : "");
    if (volume) {
        declare(&vtk, "Float32", "surface", 1, cells, 4, put_rows, volume);
        declare(&vtk, "Float32", "vel", 3, cells, 4, put_rows, volume);
    }
    for (int k = 0; fields && k < fields->field_count; k++) {
        const sp_cell_field *f = &fields->fields[k];
        if (f->bytes)
            declare(&vtk, "UInt8", f->name, f->components, cells, 1, put_bytes, f->bytes);
        else
            declare(&vtk, "Float32", f->name, f->components, cells, 4, put_memory, f->values);
    }
    sp_file_print(vtk.file, "</PointData>\n");
    return end_file(&vtk, "ImageData", error);
}

spate_status sp_vtk_write_image(const sp_vtk_image *image, const char *path, spate_error *error)
{
    vtk_file vtk = {.file = sp_file_create(path, error)};
    if (!vtk.file)
        return error->status;
    const int *n = image->count;
    uint64_t points = (uint64_t)n[0] * (uint64_t)n[1] * (uint64_t)n[2];
    begin_image(&vtk, n, image->origin, image->spacing, image->time);
    sp_file_print(vtk.file, "<PointData>\n");
    for (int k = 0; k < image->array_count; k++)
        declare(&vtk, "Float32", image->arrays[k].name, image->arrays[k].components, points, 4,
                put_doubles, image->arrays[k].values);
    sp_file_print(vtk.file, "</PointData>\n");
    return end_file(&vtk, "ImageData", error);
}

spate_status sp_vtk_write_collection(const char *path, const char *name, const char *ending,
                                     const int *frames, int count, double fps, spate_error *error)
{
    sp_file *file = sp_file_create(path, error);
    if (!file)
        return error->status;
    sp_file_print(file, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
                        "byte_order=\"LittleEndian\">\n<Collection>\n");
    for (int k = 0; k < count; k++) {
        sp_file_print(file, "<DataSet timestep=\"");
        sp_file_number(file, frames[k] / fps, true);
        sp_file_print(file, "\" part=\"0\" file=\"%s.%04d.%s\"/>\n", name, frames[k], ending);
    }
    sp_file_print(file, "</Collection>\n</VTKFile>\n");
    return sp_file_close(file, error);
}
