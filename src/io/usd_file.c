/* usd_file.c -- which attributes particles and surfaces have in USD, and their samples.
 *
 * velocities are per second, as UsdGeomPointBased has it; widths are diameters; ids have 64 bits.
 * What USD has no name for becomes a primvar, one value per particle. */
#include "usd_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "usd.h"
#include "usd_names.h"

struct sp_usd_file {
    sp_usd *usd;
    int particles, surface;                /* prims, -1: none yet */
    int attributes[SP_MAX_ATTRIBUTES + 1]; /* of the table */
    int widths, extent;
    int mesh_points, mesh_normals, mesh_velocities, mesh_counts, mesh_indices, mesh_extent;
    double fps;
    const sp_solid_meshes *solids; /* NULL: none */
    int *poses;                    /* attributes, of the solids that move */
    double posed;                  /* time of the last poses */
};

sp_usd_file *sp_usd_file_create(const char *path, double fps, spate_error *error)
{
    sp_usd_file *file = sp_alloc(1, sizeof *file);
    if (!file) {
        sp_fail_memory(error, path, sizeof *file);
        return NULL;
    }
    file->usd = sp_usd_create(path, fps, error);
    if (!file->usd) {
        sp_free(file);
        return NULL;
    }
    file->fps = fps;
    file->posed = -HUGE_VAL;
    sp_usd_prim(file->usd, -1, "Xform", "spate");
    file->particles = file->surface = -1;
    return file;
}

spate_status sp_usd_file_close(sp_usd_file *file, spate_error *error)
{
    spate_status status = sp_usd_close(file->usd, error);
    sp_free(file->poses);
    sp_free(file);
    return status;
}

void sp_usd_file_abandon(sp_usd_file *file)
{
    if (file) {
        sp_usd_abandon(file->usd);
        sp_free(file->poses);
    }
    sp_free(file);
}

/* ------------------------------------------------------------------ particles */

sp_usd_name sp_usd_name_of(const sp_attribute *attribute)
{
    static const struct {
        const char *ours;
        sp_usd_name theirs;
    } known[] = {{"position", {"points", SP_USD_POINT3F, NULL}},
                 {"velocity", {"velocities", SP_USD_VECTOR3F, NULL}},
                 {"id", {"ids", SP_USD_INT64, NULL}},
                 {"vorticity", {"primvars:vorticity", SP_USD_VECTOR3F, "vertex"}}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(attribute->name, known[k].ours) == 0)
            return known[k].theirs;
    sp_usd_name name = {"", (sp_usd_type)(SP_USD_FLOAT + attribute->components - 1), "vertex"};
    if (attribute->integer)
        name.type = SP_USD_INT64;
    snprintf(name.name, sizeof name.name, "primvars:%s", attribute->name);
    return name;
}

static void declare_cloud(sp_usd_file *file, const sp_particle_table *table)
{
    file->particles = sp_usd_prim(file->usd, 0, "Points", "particles");
    for (int k = 0; k < table->attribute_count; k++) {
        sp_usd_name name = sp_usd_name_of(&table->attributes[k]);
        file->attributes[k] =
            sp_usd_attribute(file->usd, file->particles, name.name, name.type, name.interpolation);
    }
    file->widths = sp_usd_attribute(file->usd, file->particles, "widths", SP_USD_FLOAT, "vertex");
    file->extent = sp_usd_attribute(file->usd, file->particles, "extent", SP_USD_FLOAT3, NULL);
}

static void put_integers(sp_usd *usd, const uint32_t *values, size_t count)
{
    int64_t wide[SP_TABLE_BLOCK];
    for (size_t k = 0; k < count; k++)
        wide[k] = values[k];
    sp_usd_sample_put(usd, wide, count);
}

static void put_attribute(sp_usd *usd, const sp_particle_table *table,
                          const sp_attribute *attribute)
{
    sp_particle_table_buffer buffer;
    for (size_t begin = 0, count; (count = sp_particle_table_block(table, begin)) > 0;
         begin += count) {
        const void *values = sp_particle_table_values(table, attribute, begin, count, &buffer);
        if (attribute->integer)
            put_integers(usd, values, count);
        else
            sp_usd_sample_put(usd, values, count);
    }
}

static void put_constant(sp_usd *usd, float value, size_t count)
{
    float values[SP_TABLE_BLOCK];
    for (int k = 0; k < SP_TABLE_BLOCK; k++)
        values[k] = value;
    for (; count > SP_TABLE_BLOCK; count -= SP_TABLE_BLOCK)
        sp_usd_sample_put(usd, values, SP_TABLE_BLOCK);
    sp_usd_sample_put(usd, values, count);
}

void sp_usd_file_particles(sp_usd_file *file, const sp_particle_table *table, double time)
{
    sp_usd *usd = file->usd;
    float box[2][3];
    sp_usd_file_poses(file, time);
    if (file->particles < 0)
        declare_cloud(file, table);
    for (int k = 0; k < table->attribute_count; k++) {
        sp_usd_sample_begin(usd, file->attributes[k], time, table->particles->view.count);
        put_attribute(usd, table, &table->attributes[k]);
    }
    sp_usd_sample_begin(usd, file->widths, time, table->particles->view.count);
    put_constant(usd, (float)(2 * table->radius), table->particles->view.count);
    sp_particle_table_bounds(table, table->radius, box[0], box[1]);
    sp_usd_sample_begin(usd, file->extent, time, 2);
    sp_usd_sample_put(usd, box, 2);
}

/* ------------------------------------------------------------------ surfaces */

static void declare_mesh(sp_usd_file *file, const spate_surface *mesh)
{
    sp_usd *usd = file->usd;
    bool flat = mesh->dim == 2;
    int prim = file->surface = sp_usd_prim(usd, 0, flat ? "BasisCurves" : "Mesh", "surface");
    file->mesh_points = sp_usd_attribute(usd, prim, "points", SP_USD_POINT3F, NULL);
    if (mesh->normals)
        file->mesh_normals = sp_usd_attribute(usd, prim, "normals", SP_USD_NORMAL3F, "vertex");
    if (mesh->velocities)
        file->mesh_velocities = sp_usd_attribute(usd, prim, "velocities", SP_USD_VECTOR3F, NULL);
    file->mesh_counts = sp_usd_attribute(usd, prim, flat ? "curveVertexCounts" : "faceVertexCounts",
                                         SP_USD_INT, NULL);
    if (flat) {
        sp_usd_token(usd, prim, "type", "linear");
        sp_usd_token(usd, prim, "wrap", "nonperiodic");
    } else {
        file->mesh_indices = sp_usd_attribute(usd, prim, "faceVertexIndices", SP_USD_INT, NULL);
        sp_usd_token(usd, prim, "subdivisionScheme", "none");
    }
    file->mesh_extent = sp_usd_attribute(usd, prim, "extent", SP_USD_FLOAT3, NULL);
}

/* Vectors of vertices; of segments both ends, since curves share no points. */
static void put_vectors(sp_usd *usd, int attribute, const spate_surface *mesh, const float *vectors,
                        double time)
{
    size_t count = mesh->dim == 2 ? 2 * mesh->triangles : mesh->vertices;
    sp_usd_sample_begin(usd, attribute, time, count);
    if (mesh->dim == 3) {
        sp_usd_sample_put(usd, vectors, count);
        return;
    }
    for (size_t k = 0; k < count; k++)
        sp_usd_sample_put(usd, vectors + 3 * (size_t)mesh->indices[k], 1);
}

static void put_counts(sp_usd *usd, int32_t value, size_t count)
{
    int32_t values[SP_TABLE_BLOCK];
    for (int k = 0; k < SP_TABLE_BLOCK; k++)
        values[k] = value;
    for (; count > SP_TABLE_BLOCK; count -= SP_TABLE_BLOCK)
        sp_usd_sample_put(usd, values, SP_TABLE_BLOCK);
    sp_usd_sample_put(usd, values, count);
}

static void put_box(sp_usd *usd, int attribute, const spate_surface *mesh, double time)
{
    float box[2][3] = {{0}};
    for (size_t k = 0; k < mesh->vertices; k++)
        for (size_t d = 0; d < 3; d++) {
            float x = mesh->positions[3 * k + d];
            box[0][d] = k == 0 || x < box[0][d] ? x : box[0][d];
            box[1][d] = k == 0 || x > box[1][d] ? x : box[1][d];
        }
    sp_usd_sample_begin(usd, attribute, time, 2);
    sp_usd_sample_put(usd, box, 2);
}

void sp_usd_file_mesh(sp_usd_file *file, const spate_surface *mesh, double time)
{
    sp_usd *usd = file->usd;
    sp_usd_file_poses(file, time);
    if (file->surface < 0)
        declare_mesh(file, mesh);
    put_vectors(usd, file->mesh_points, mesh, mesh->positions, time);
    if (mesh->normals && file->mesh_normals)
        put_vectors(usd, file->mesh_normals, mesh, mesh->normals, time);
    if (mesh->velocities && file->mesh_velocities)
        put_vectors(usd, file->mesh_velocities, mesh, mesh->velocities, time);
    sp_usd_sample_begin(usd, file->mesh_counts, time, mesh->triangles);
    put_counts(usd, mesh->dim == 2 ? 2 : 3, mesh->triangles);
    if (mesh->dim == 3) {
        sp_usd_sample_begin(usd, file->mesh_indices, time, 3 * mesh->triangles);
        sp_usd_sample_put(usd, mesh->indices, 3 * mesh->triangles);
    }
    put_box(usd, file->mesh_extent, mesh, time);
}

/* ------------------------------------------------------------------ solids */

static void declare_solid(sp_usd_file *file, int parent, int index)
{
    sp_usd *usd = file->usd;
    const sp_solid_mesh *solid = &file->solids->items[index];
    const spate_surface *mesh = &solid->mesh;
    bool flat = mesh->dim == 2;
    int prim = sp_usd_prim(usd, parent, flat ? "BasisCurves" : "Mesh", solid->name);
    int points = sp_usd_attribute(usd, prim, "points", SP_USD_POINT3F, NULL);
    put_vectors(usd, points, mesh, mesh->positions, SP_USD_ALWAYS);
    int normals = sp_usd_attribute(usd, prim, "normals", SP_USD_NORMAL3F, "vertex");
    put_vectors(usd, normals, mesh, mesh->normals, SP_USD_ALWAYS);
    int counts = sp_usd_attribute(usd, prim, flat ? "curveVertexCounts" : "faceVertexCounts",
                                  SP_USD_INT, NULL);
    sp_usd_sample_begin(usd, counts, SP_USD_ALWAYS, mesh->triangles);
    put_counts(usd, flat ? 2 : 3, mesh->triangles);
    if (flat) {
        sp_usd_token(usd, prim, "type", "linear");
        sp_usd_token(usd, prim, "wrap", "nonperiodic");
    } else {
        int indices = sp_usd_attribute(usd, prim, "faceVertexIndices", SP_USD_INT, NULL);
        sp_usd_sample_begin(usd, indices, SP_USD_ALWAYS, 3 * mesh->triangles);
        sp_usd_sample_put(usd, mesh->indices, 3 * mesh->triangles);
        sp_usd_token(usd, prim, "subdivisionScheme", "none");
    }
    put_box(usd, sp_usd_attribute(usd, prim, "extent", SP_USD_FLOAT3, NULL), mesh, SP_USD_ALWAYS);
    file->poses[index] = sp_usd_attribute(usd, prim, "xformOp:transform", SP_USD_MATRIX4D, NULL);
    sp_usd_token_list(usd, prim, "xformOpOrder", "xformOp:transform");
}

static void put_pose(sp_usd_file *file, int index, double time)
{
    const sp_solid_mesh *solid = &file->solids->items[index];
    sp_pose pose = sp_shape_pose(&solid->form, isnan(time) ? 0 : time / file->fps);
    double rows[16] = {[15] = 1};
    for (int row = 0; row < 3; row++)
        for (int d = 0; d < 3; d++) {
            rows[4 * row + d] = pose.axes[3 * d + row];
            rows[12 + d] = pose.origin[d];
        }
    sp_usd_sample_begin(file->usd, file->poses[index], time, 1);
    sp_usd_sample_put(file->usd, rows, 1);
}

void sp_usd_file_solids(sp_usd_file *file, const sp_solid_meshes *solids)
{
    if (solids->count == 0)
        return;
    file->poses = sp_alloc((size_t)solids->count, sizeof *file->poses);
    if (!file->poses) {
        sp_usd_fail_memory(file->usd);
        return;
    }
    file->solids = solids;
    int parent = sp_usd_prim(file->usd, 0, "Xform", "solids");
    for (int k = 0; k < solids->count; k++) {
        declare_solid(file, parent, k);
        if (!solids->items[k].moves)
            put_pose(file, k, SP_USD_ALWAYS);
    }
}

void sp_usd_file_poses(sp_usd_file *file, double time)
{
    if (!file->solids || !(time > file->posed))
        return;
    file->posed = time;
    for (int k = 0; k < file->solids->count; k++)
        if (file->solids->items[k].moves)
            put_pose(file, k, time);
}
