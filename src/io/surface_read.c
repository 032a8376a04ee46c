/* surface_read.c -- a PLY file with triangles or edges, normals and velocities. */
#include "surface_read.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "file.h"
#include "ply.h"

void sp_surface_file_clear(spate_surface *mesh)
{
    sp_free(mesh->positions);
    sp_free(mesh->normals);
    sp_free(mesh->velocities);
    sp_free(mesh->indices);
    *mesh = (spate_surface){.dim = mesh->dim};
}

static spate_status read_vertices(spate_surface *mesh, sp_ply *ply, const sp_ply_element *element,
                                  spate_error *error)
{
    static const char *const names[3][3] = {
        {"x", "y", "z"}, {"nx", "ny", "nz"}, {"vx", "vy", "vz"}};
    float **columns[3] = {&mesh->positions, &mesh->normals, &mesh->velocities};
    int place[3][3];
    mesh->vertices = (size_t)element->count;
    for (int c = 0; c < 3; c++) {
        bool there = true;
        for (int d = 0; d < 3; d++) {
            place[c][d] = sp_ply_find(ply, element, names[c][d]);
            there = there && place[c][d] >= 0;
        }
        if (!there && c == 0)
            return sp_fail(error, SPATE_ERROR_FILE, ply->path, "has vertices without x, y and z");
        *columns[c] = there ? sp_alloc(mesh->vertices, 3 * sizeof(float)) : NULL;
        if (there && !*columns[c])
            return sp_fail_memory(error, ply->path, mesh->vertices * 36);
    }
    for (size_t k = 0; k < mesh->vertices; k++) {
        TRY(sp_ply_read_row(ply, element, -1, error));
        for (int c = 0; c < 3; c++)
            for (int d = 0; *columns[c] && d < 3; d++) {
                double value = ply->row[place[c][d]];
                if (!(fabs(value) <= FLT_MAX))
                    return sp_fail(error, SPATE_ERROR_FILE, ply->path,
                                   "%s of vertex %zu is not a finite number", names[c][d], k + 1);
                (*columns[c])[3 * k + (size_t)d] = (float)value;
            }
    }
    return SPATE_OK;
}

static spate_status read_corners(spate_surface *mesh, sp_ply *ply, const sp_ply_element *element,
                                 spate_error *error)
{
    bool flat = strcmp(element->name, "edge") == 0;
    int list = flat ? -1 : sp_ply_find(ply, element, "vertex_indices");
    int ends[2] = {sp_ply_find(ply, element, "vertex1"), sp_ply_find(ply, element, "vertex2")};
    mesh->dim = flat ? 2 : 3;
    mesh->triangles = (size_t)element->count;
    mesh->indices = sp_alloc(mesh->triangles, (size_t)mesh->dim * sizeof *mesh->indices);
    if (!mesh->indices)
        return sp_fail_memory(error, ply->path, mesh->triangles * 12);
    if (flat ? ends[0] < 0 || ends[1] < 0 : list < 0)
        return sp_fail(error, SPATE_ERROR_FILE, ply->path,
                       "has no vertex_indices, or no vertex1 "
                       "and vertex2");
    for (size_t k = 0; k < mesh->triangles; k++) {
        TRY(sp_ply_read_row(ply, element, list, error));
        if (!flat && ply->list_count != 3)
            return sp_fail(error, SPATE_ERROR_FILE, ply->path, "has faces that are no triangles");
        for (int c = 0; c < mesh->dim; c++) {
            double corner = flat ? ply->row[ends[c]] : ply->list[c];
            if (!(corner >= 0 && corner < (double)mesh->vertices))
                return sp_fail(error, SPATE_ERROR_FILE, ply->path,
                               "names vertices that it has not");
            mesh->indices[(size_t)mesh->dim * k + (size_t)c] = (uint32_t)corner;
        }
    }
    return SPATE_OK;
}

static spate_status read_elements(spate_surface *mesh, sp_ply *ply, spate_error *error)
{
    for (size_t k = 0; k < ply->element_count; k++) {
        const sp_ply_element *element = &ply->elements[k];
        if (strcmp(element->name, "vertex") == 0 && !mesh->positions)
            TRY(read_vertices(mesh, ply, element, error));
        else if ((strcmp(element->name, "face") == 0 || strcmp(element->name, "edge") == 0) &&
                 !mesh->indices)
            TRY(read_corners(mesh, ply, element, error));
        else
            TRY(sp_ply_skip(ply, element, error));
    }
    if (!mesh->positions || !mesh->indices)
        return sp_fail(error, SPATE_ERROR_FILE, ply->path,
                       "is no surface: it has no vertices, or "
                       "neither faces nor edges");
    return SPATE_OK;
}

spate_status sp_surface_file_read(spate_surface *mesh, const char *path, spate_error *error)
{
    char *bytes;
    size_t size;
    sp_ply ply;
    *mesh = (spate_surface){.dim = 3};
    TRY(sp_file_read_all(path, &bytes, &size, error));
    spate_status status = sp_ply_open(&ply, bytes, size, path, error);
    if (status == SPATE_OK) {
        status = read_elements(mesh, &ply, error);
        sp_ply_close(&ply);
    }
    sp_free(bytes);
    if (status != SPATE_OK)
        sp_surface_file_clear(mesh);
    return status;
}
