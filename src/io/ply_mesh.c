/* ply_mesh.c -- surfaces as binary little-endian PLY: vertices with normals and velocities, and
 * triangles; in 2D edges. */
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "file.h"

static unsigned char *store(unsigned char *bytes, uint32_t bits)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(bits >> (8 * i));
    return bytes + 4;
}

static unsigned char *store_floats(unsigned char *bytes, const float *values)
{
    for (int d = 0; d < 3; d++) {
        uint32_t bits;
        memcpy(&bits, &values[d], sizeof bits);
        bytes = store(bytes, bits);
    }
    return bytes;
}

static void put_header(sp_file *file, const spate_mesh_data *mesh)
{
    char text[640];
    int length = snprintf(
        text, sizeof text,
        "ply\nformat binary_little_endian 1.0\ncomment spate " SPATE_VERSION
        ", m and m/s\nelement vertex %zu\n"
        "property float x\nproperty float y\nproperty float z\n"
        "property float nx\nproperty float ny\nproperty float nz\n%selement %s %zu\n%send_header\n",
        mesh->vertices,
        mesh->velocities ? "property float vx\nproperty float vy\nproperty float vz\n" : "",
        mesh->dim == 2 ? "edge" : "face", mesh->triangles,
        mesh->dim == 2 ? "property int vertex1\nproperty int vertex2\n"
                       : "property list uchar int vertex_indices\n");
    sp_file_write(file, text, (size_t)length);
}

spate_status spate_mesh_write_ply(const spate_mesh_data *mesh, const char *path, spate_error *error)
{
    spate_error local;
    error = error ? error : &local;
    sp_file *file = sp_file_create(path, error);
    if (!file)
        return error->status;
    put_header(file, mesh);
    unsigned char row[40];
    for (size_t k = 0; k < mesh->vertices; k++) {
        unsigned char *end = store_floats(row, mesh->positions + 3 * k);
        end = store_floats(end, mesh->normals + 3 * k);
        if (mesh->velocities)
            end = store_floats(end, mesh->velocities + 3 * k);
        sp_file_write(file, row, (size_t)(end - row));
    }
    for (size_t k = 0; k < mesh->triangles; k++) {
        unsigned char *end = row;
        if (mesh->dim == 3)
            *end++ = 3;
        for (int c = 0; c < mesh->dim; c++)
            end = store(end, mesh->indices[(size_t)mesh->dim * k + (size_t)c]);
        sp_file_write(file, row, (size_t)(end - row));
    }
    return sp_file_close(file, error);
}
