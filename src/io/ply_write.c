/* ply_write.c -- particles and surface meshes as binary little-endian PLY.
 *
 * Every number has four bytes and a property with a name, so that a row is a record of fixed size:
 * numpy reads it with one dtype (docs/formats.md). */
#include "ply_write.h"

#include <spate/spate_io.h>

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "bytes.h"
#include "file.h"

enum { ROWS = 1024 }; /* built at a time */

static void put_header(sp_file *file, const sp_particle_table *table)
{
    static const char *const axes[3] = {"x", "y", "z"};
    sp_file_print(file,
                  "ply\nformat binary_little_endian 1.0\ncomment spate " SPATE_VERSION
                  ", m and m/s\nelement vertex %zu\n",
                  table->particles->view.count);
    for (int k = 0; k < table->attribute_count; k++) {
        const sp_attribute *attribute = &table->attributes[k];
        const char *type = attribute->integer ? "uint" : "float";
        for (int c = 0; c < attribute->components; c++) {
            if (strcmp(attribute->name, "position") == 0)
                sp_file_print(file, "property %s %s\n", type, axes[c]);
            else if (strcmp(attribute->name, "velocity") == 0)
                sp_file_print(file, "property %s v%s\n", type, axes[c]);
            else if (strcmp(attribute->name, "vorticity") == 0)
                sp_file_print(file, "property %s vorticity_%s\n", type, axes[c]);
            else if (attribute->components == 1)
                sp_file_print(file, "property %s %s\n", type, attribute->name);
            else
                sp_file_print(file, "property %s %s_%d\n", type, attribute->name, c);
        }
    }
    sp_file_print(file, "end_header\n");
}

static void put_rows(sp_file *file, const sp_particle_table *table, size_t stride,
                     unsigned char *rows)
{
    sp_particle_table_buffer buffer;
    for (size_t begin = 0, all = table->particles->view.count; begin < all; begin += ROWS) {
        size_t count = all - begin < ROWS ? all - begin : ROWS;
        unsigned char *column = rows;
        for (int k = 0; k < table->attribute_count; k++) {
            const sp_attribute *attribute = &table->attributes[k];
            size_t n = (size_t)attribute->components;
            const uint32_t *values =
                sp_particle_table_values(table, attribute, begin, count, &buffer);
            for (size_t i = 0; i < count; i++)
                for (size_t c = 0; c < n; c++)
                    sp_store32(column + i * stride + 4 * c, values[i * n + c]);
            column += 4 * n;
        }
        if (sp_file_write(file, rows, count * stride) != SPATE_OK)
            return; /* sp_file_close says why */
    }
}

spate_status sp_ply_write(const sp_particle_table *table, const char *path, spate_error *error)
{
    size_t stride = 0;
    for (int k = 0; k < table->attribute_count; k++)
        stride += 4 * (size_t)table->attributes[k].components;
    unsigned char *rows = sp_alloc(ROWS, stride);
    if (!rows)
        return sp_fail_memory(error, "particle output", ROWS * stride);
    sp_file *file = sp_file_create(path, error);
    if (!file) {
        sp_free(rows);
        return error->status;
    }
    put_header(file, table);
    put_rows(file, table, stride, rows);
    sp_free(rows);
    return sp_file_close(file, error);
}

spate_status spate_sim_particles_write_ply(spate_sim *sim, const char *path, spate_error *error)
{
    sp_particles particles;
    sp_particle_table table;
    spate_error local;
    error = error ? error : &local;
    TRY(sp_particle_table_of_sim(&table, &particles, sim, error));
    return sp_ply_write(&table, path, error);
}

/* ------------------------------------------------------------------ surfaces */

static void put_mesh_header(sp_file *file, const spate_surface *mesh)
{
    sp_file_print(file,
                  "ply\nformat binary_little_endian 1.0\ncomment spate " SPATE_VERSION
                  ", m and m/s\nelement vertex %zu\n",
                  mesh->vertices);
    sp_file_print(file, "property float x\nproperty float y\nproperty float z\n");
    if (mesh->normals)
        sp_file_print(file, "property float nx\nproperty float ny\nproperty float nz\n");
    if (mesh->velocities)
        sp_file_print(file, "property float vx\nproperty float vy\nproperty float vz\n");
    if (mesh->dim == 2)
        sp_file_print(file, "element edge %zu\nproperty int vertex1\nproperty int vertex2\n",
                      mesh->triangles);
    else
        sp_file_print(file, "element face %zu\nproperty list uchar int vertex_indices\n",
                      mesh->triangles);
    sp_file_print(file, "end_header\n");
}

spate_status sp_ply_write_mesh(const spate_surface *mesh, const char *path, spate_error *error)
{
    const float *columns[3] = {mesh->positions, mesh->normals, mesh->velocities};
    sp_file *file = sp_file_create(path, error);
    if (!file)
        return error->status;
    put_mesh_header(file, mesh);
    for (size_t k = 0; k < mesh->vertices; k++)
        for (int c = 0; c < 3; c++)
            if (columns[c])
                sp_file_write_numbers(file, columns[c] + 3 * k, 3, 4);
    if (mesh->dim == 2)
        sp_file_write_numbers(file, mesh->indices, 2 * mesh->triangles, 4);
    for (size_t k = 0; mesh->dim == 3 && k < mesh->triangles; k++) {
        unsigned char row[13] = {3};
        for (size_t c = 0; c < 3; c++)
            sp_store32(row + 1 + 4 * c, mesh->indices[3 * k + c]);
        sp_file_write(file, row, sizeof row);
    }
    return sp_file_close(file, error);
}
