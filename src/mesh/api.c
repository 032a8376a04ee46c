/* api.c -- surfaces as spate.h knows them: checks what is asked for and hands over to the 2D or 3D
 * instance. */
#include "mesh.h"

#include "base/memory.h"
#include "base/sized.h"
#include "base/status.h"
#include "scene/medium.h"
#include "scene/schema.h"
#include "scene/sides.h"
#include "sim/table.h"

#include <math.h>
#include <string.h>

static spate_surface_options defaults_of(const spate_scene *scene)
{
    spate_surface_options options = {.dim = 3, .particles_per_axis = 2, .resolution = 2};
    if (!scene)
        return options;
    spate_scene settled = sp_settled(scene);
    options.dim = scene->dim;
    options.scene = scene;
    options.particles_per_axis = settled.fluid.particles_per_axis;
    options.resolution = scene->output.mesh_resolution;
    options.gap = scene->output.mesh_gap;
    options.cell_size = sp_scene_cell_size(scene);
    for (int d = 0; d < scene->dim; d++)
        options.domain[d] = sp_scene_extent(scene, d);
    return options;
}

void spate_surface_options_default_sized(spate_surface_options *options, const spate_scene *scene,
                                         size_t size)
{
    spate_surface_options all = defaults_of(scene);
    sp_sized_out(options, size, &all, sizeof all);
}

/* The caller's options, which may be of another size, over the defaults. */
static spate_status take_options(const spate_surface_options *options, spate_surface_options *taken,
                                 spate_error *error)
{
    *taken = defaults_of(NULL);
    if (options->size < offsetof(spate_surface_options, cell_size))
        return sp_fail(error, SPATE_ERROR_USAGE, "options",
                       "were not filled by spate_surface_options_default");
    sp_sized_in(taken, sizeof *taken, options);
    return SPATE_OK;
}

static spate_status check(const sp_mesh_input *input, spate_error *error)
{
    const spate_surface_options *o = input->options;
    if (o->dim != 2 && o->dim != 3)
        return sp_fail(error, SPATE_ERROR_USAGE, "dim", "must be 2 or 3 (got %d)", o->dim);
    if (!(o->cell_size > 0) || !isfinite(o->cell_size))
        return sp_fail(error, SPATE_ERROR_USAGE, "cell_size", "must be positive (got %g)",
                       o->cell_size);
    if (o->particles_per_axis < 1 || o->particles_per_axis > 16)
        return sp_fail(error, SPATE_ERROR_USAGE, "particles_per_axis", "must be 1 .. 16 (got %d)",
                       o->particles_per_axis);
    if (o->resolution < 1 || o->resolution > SPATE_SURFACE_RESOLUTION_MAX)
        return sp_fail(error, SPATE_ERROR_USAGE, "resolution", "must be 1 .. %d (got %d)",
                       SPATE_SURFACE_RESOLUTION_MAX, o->resolution);
    if (!(o->gap >= 0 && o->gap <= SPATE_SURFACE_GAP_MAX))
        return sp_fail(error, SPATE_ERROR_USAGE, "gap", "must be 0 .. %g cells (got %g)",
                       SPATE_SURFACE_GAP_MAX, o->gap);
    for (int d = 0; d < o->dim; d++)
        if (!(o->domain[d] >= 0) || !isfinite(o->domain[d]) ||
            (o->domain[d] > 0) != (o->domain[0] > 0))
            return sp_fail(error, SPATE_ERROR_USAGE, "domain",
                           "must be positive along all axes, or 0 for no walls");
    if (o->scene && o->scene->dim != o->dim)
        return sp_fail(error, SPATE_ERROR_USAGE, "scene", "is %dD, but the surface is %dD",
                       o->scene->dim, o->dim);
    if (input->count > UINT32_MAX - 2)
        return sp_fail(error, SPATE_ERROR_USAGE, "surface", "more than 4,294,967,293 particles");
    return SPATE_OK;
}

spate_surface *sp_mesh_create(const sp_mesh_input *input, spate_error *error)
{
    if (check(input, error) != SPATE_OK)
        return NULL;
    spate_surface *surface = sp_alloc(1, sizeof *surface);
    if (!surface) {
        sp_fail_memory(error, "a surface", sizeof *surface);
        return NULL;
    }
    surface->dim = input->options->dim;
    spate_status status = surface->dim == 2 ? sp2_mesh_make(input, surface, error)
                                            : sp3_mesh_make(input, surface, error);
    if (status == SPATE_OK)
        return surface;
    spate_surface_destroy(surface);
    return NULL;
}

spate_surface *spate_surface_create(const float *positions, const float *velocities, size_t count,
                                    const spate_surface_options *options, spate_error *error)
{
    spate_surface_options given;
    if (take_options(options, &given, error) != SPATE_OK)
        return NULL;
    sp_pool *pool = sp_pool_create(given.threads, NULL, NULL);
    if (!pool) {
        sp_fail_memory(error, "a surface", 0);
        return NULL;
    }
    sp_mesh_input input = {positions, velocities, count, &given, pool, NULL};
    spate_surface *surface = sp_mesh_create(&input, error);
    sp_pool_destroy(pool);
    return surface;
}

spate_surface *spate_sim_surface(spate_sim *sim, const spate_surface_options *options,
                                 spate_error *error)
{
    spate_surface_options own = defaults_of(spate_sim_scene(sim)), given;
    if (options && take_options(options, &given, error) != SPATE_OK)
        return NULL;
    if (options) {
        own.resolution = given.resolution;
        own.gap = given.gap;
    }
    size_t count = spate_sim_particles_count(sim, "fluid");
    float *numbers = sp_alloc(6 * count, sizeof *numbers);
    if (!numbers) {
        sp_fail_memory(error, "a surface", 24 * (uint64_t)count);
        return NULL;
    }
    spate_sim_particles_read(sim, "fluid", numbers, numbers + 3 * count, NULL);
    sp_mesh_input input = {numbers, numbers + 3 * count, count,
                           &own,    sp_sim_pool(sim),    sp_sim_solids(sim)};
    spate_surface *surface = sp_mesh_create(&input, error);
    sp_free(numbers);
    return surface;
}

void spate_surface_destroy(spate_surface *surface)
{
    if (!surface)
        return;
    sp_free(surface->positions);
    sp_free(surface->normals);
    sp_free(surface->velocities);
    sp_free(surface->indices);
    sp_free(surface);
}
