/* api.c -- surfaces as spate.h knows them: checks what is asked for and hands over to the 2D or 3D
 * instance. */
#include "mesh.h"

#include "base/memory.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

spate_mesh_options spate_mesh_options_default(const spate_scene *scene)
{
    spate_mesh_options options = {.dim = 3, .particles_per_axis = 2, .resolution = 2};
    if (!scene)
        return options;
    options.dim = scene->dim;
    options.scene = scene;
    options.particles_per_axis = scene->fluid.particles_per_axis;
    options.resolution = scene->output.mesh_resolution;
    double longest = 0;
    for (int d = 0; d < scene->dim; d++)
        longest = scene->domain.size[d] > longest ? scene->domain.size[d] : longest;
    options.cell_size =
        scene->domain.cell_size > 0 ? scene->domain.cell_size : longest / scene->domain.cells;
    for (int d = 0; d < scene->dim; d++) { /* whole cells, as the simulation has them */
        double cells = floor(scene->domain.size[d] / options.cell_size + 0.5);
        options.size[d] = (cells < 1 ? 1 : cells) * options.cell_size;
    }
    return options;
}

static spate_status check(const sp_mesh_input *input, spate_error *error)
{
    const spate_mesh_options *o = input->options;
    if (o->dim != 2 && o->dim != 3)
        return sp_fail(error, SPATE_ERROR_USAGE, "dim", "must be 2 or 3 (got %d)", o->dim);
    if (!(o->cell_size > 0) || !isfinite(o->cell_size))
        return sp_fail(error, SPATE_ERROR_USAGE, "cell_size", "must be positive (got %g)",
                       o->cell_size);
    if (o->particles_per_axis < 1 || o->particles_per_axis > 16)
        return sp_fail(error, SPATE_ERROR_USAGE, "particles_per_axis", "must be 1 .. 16 (got %d)",
                       o->particles_per_axis);
    if (o->resolution < 1 || o->resolution > SPATE_MESH_RESOLUTION_MAX)
        return sp_fail(error, SPATE_ERROR_USAGE, "resolution", "must be 1 .. %d (got %d)",
                       SPATE_MESH_RESOLUTION_MAX, o->resolution);
    for (int d = 0; d < o->dim; d++)
        if (!(o->size[d] >= 0) || !isfinite(o->size[d]) || (o->size[d] > 0) != (o->size[0] > 0))
            return sp_fail(error, SPATE_ERROR_USAGE, "size",
                           "must be positive along all axes, or 0 for no walls");
    if (o->scene && o->scene->dim != o->dim)
        return sp_fail(error, SPATE_ERROR_USAGE, "scene", "is %dD, but the surface is %dD",
                       o->scene->dim, o->dim);
    if (input->count > UINT32_MAX - 2)
        return sp_fail(error, SPATE_ERROR_USAGE, "surface", "more than 4,294,967,293 particles");
    return SPATE_OK;
}

spate_mesh_data *sp_mesh_create(const sp_mesh_input *input, spate_error *error)
{
    if (check(input, error) != SPATE_OK)
        return NULL;
    spate_mesh_data *mesh = sp_alloc(1, sizeof *mesh);
    if (!mesh) {
        sp_fail_memory(error, "a surface", sizeof *mesh);
        return NULL;
    }
    mesh->dim = input->options->dim;
    spate_status status =
        mesh->dim == 2 ? sp2_mesh_make(input, mesh, error) : sp3_mesh_make(input, mesh, error);
    if (status == SPATE_OK)
        return mesh;
    spate_mesh_data_destroy(mesh);
    return NULL;
}

spate_mesh_data *spate_mesh_data_create(const float *positions, const float *velocities,
                                        size_t count, const spate_mesh_options *options,
                                        spate_error *error)
{
    sp_pool *pool = sp_pool_create(options->threads, NULL, NULL);
    if (!pool) {
        sp_fail_memory(error, "a surface", 0);
        return NULL;
    }
    sp_mesh_input input = {positions, velocities, count, options, pool};
    spate_mesh_data *mesh = sp_mesh_create(&input, error);
    sp_pool_destroy(pool);
    return mesh;
}

void spate_mesh_data_destroy(spate_mesh_data *mesh)
{
    if (!mesh)
        return;
    sp_free(mesh->positions);
    sp_free(mesh->normals);
    sp_free(mesh->velocities);
    sp_free(mesh->indices);
    sp_free(mesh);
}
