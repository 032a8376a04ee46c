/* preview.c -- see preview.h. */
#include "preview.h"

#include <spate/spate_io.h>

#include <math.h>

#include "base/status.h"
#include "gas.h"
#include "png.h"
#include "scene/medium.h"
#include "scene/sides.h"
#include "sim/table.h"
#include "text.h"

float sp_preview_speed(const sp_preview *preview, size_t k)
{
    float sum = 0;
    for (int d = 0; d < 3; d++) {
        const float *v = preview->particles->view.v[d];
        sum += v ? v[k] * v[k] : 0;
    }
    return sqrtf(sum);
}

static double rays_distance(const void *user, const double point[3])
{
    return sp_solid_rays_distance(user, point);
}

void sp_preview_set_solids(sp_preview *preview, const sp_solid_rays *rays)
{
    if (rays->count == 0)
        return;
    preview->distance = rays_distance;
    preview->distance_user = preview->rays = rays;
}

static double length(const double v[3], int dim)
{
    double sum = 0;
    for (int d = 0; d < dim; d++)
        sum += v[d] * v[d];
    return sqrt(sum);
}

/* The speed that is drawn as fast. It comes from the scene, so that the pictures of one run
 * compare: a good part of that of a fall through the domain, or what fills and inflows start with.
 * Without either, the fastest particle. */
static double fast_speed(const sp_preview *preview, int dim)
{
    const spate_scene *scene = preview->scene;
    double fall = 0;
    for (int d = 0; d < dim; d++)
        fall += fabs(scene->gravity[d]) * preview->size[d];
    double speed = 0.7 * sqrt(2 * fall);
    const spate_shape_list *lists[] = {&scene->fill, &scene->inflows};
    for (int n = 0; n < 2; n++)
        for (int k = 0; k < lists[n]->count; k++)
            speed = fmax(speed, length(lists[n]->items[k].velocity, dim));
    if (speed <= 0)
        for (size_t k = 0; k < preview->particles->view.count; k++)
            speed = fmax(speed, sp_preview_speed(preview, k));
    return speed > 1e-12 && isfinite(speed) ? speed : 1;
}

void sp_preview_complete(sp_preview *preview)
{
    int dim = preview->size[2] > 0 ? 3 : 2;
    preview->per_axis = preview->scene->fluid.particles_per_axis;
    preview->speed = fast_speed(preview, dim);
}

spate_status sp_preview_paint(const sp_preview *preview, sp_image *image, spate_error *error)
{
    if (preview->gas) {
        sp_preview_draw_gas(preview, image);
        return SPATE_OK;
    }
    TRY(preview->size[2] > 0 ? sp_preview_draw_3d(preview, image, error)
                             : sp_preview_draw_2d(preview, image, error));
    if (preview->look.stamp)
        sp_text_draw_time(image, preview->particles->time);
    return SPATE_OK;
}

/* The plane of a gas as it is: the grid has what a step left there, which need not be in memory. */
static spate_status take_gas(sp_gas_plane *plane, spate_sim *sim, const sp_look *look,
                             spate_error *error)
{
    sp_field_set fields = {.memory = NULL};
    spate_stats stats;
    spate_sim_stats(sim, &stats); /* the channels of the cells are those of the particles now */
    TRY(spate_sim_sample(sim, NULL, 0, NULL, NULL, NULL, error));
    spate_status status = sp_field_set_take(&fields, sim, error);
    if (status == SPATE_OK)
        status = sp_gas_plane_take(plane, &fields, look, error);
    sp_field_set_clear(&fields);
    return status;
}

spate_status sp_preview_draw(spate_sim *sim, sp_image *image, spate_error *error)
{
    spate_field_view cells;
    if (!spate_sim_field_view(sim, "type", &cells))
        return sp_fail(error, SPATE_ERROR_SIMULATION, "preview",
                       "the simulation has no cells to draw");
    sp_particles now;
    sp_particle_sets sets;
    sp_gas_plane plane = {.values = NULL};
    bool gas = !sp_medium_of(spate_sim_scene(sim))->has_surface;
    if (gas)
        TRY(take_gas(&plane, sim, &(sp_look){.stamp = false}, error));
    sp_sim_particles(sim, SP_FLUID, &now);
    sp_sim_particle_sets(sim, &sets);
    sp_preview preview = {
        .scene = spate_sim_scene(sim),
        .particles = &now,
        .sets = &sets,
        .gas = gas ? &plane : NULL,
        .dx = cells.cell_size,
        .pool = sp_pool_create(spate_sim_threads(sim), NULL, NULL),
    };
    if (!preview.pool) {
        sp_gas_plane_clear(&plane);
        return sp_fail_memory(error, "the threads of a picture", 0);
    }
    sp_solid_rays rays;
    spate_status status = sp_solid_rays_create(&rays, sp_sim_solids(sim), error);
    if (status == SPATE_OK)
        sp_preview_set_solids(&preview, &rays);
    for (int d = 0; d < spate_sim_dim(sim); d++) {
        preview.low[d] = now.view.origin[d];
        preview.size[d] = sp_scene_extent(preview.scene, d);
    }
    sp_preview_complete(&preview);
    if (status == SPATE_OK)
        status = sp_preview_paint(&preview, image, error);
    sp_solid_rays_destroy(&rays);
    sp_pool_destroy(preview.pool);
    sp_gas_plane_clear(&plane);
    return status;
}

spate_status spate_sim_preview_write_png(spate_sim *sim, const char *path, int width, int height,
                                         spate_error *error)
{
    if (!sim || !path || !path[0])
        return sp_fail(error, SPATE_ERROR_USAGE, "preview",
                       "a picture needs a simulation and a file name");
    sp_image image;
    TRY(sp_image_create(&image, width, height, error));
    spate_status status = sp_preview_draw(sim, &image, error);
    if (status == SPATE_OK)
        status = sp_png_write(&image, path, error);
    sp_image_destroy(&image);
    return status;
}
