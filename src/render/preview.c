/* preview.c -- see preview.h. */
#include "preview.h"

#include <math.h>

#include "base/status.h"
#include "png.h"

float sp_preview_speed(const sp_preview *preview, size_t k)
{
    const spate_particles_view_data *p = &preview->particles;
    float vz = p->v[2] ? p->v[2][k] : 0;
    return sqrtf(p->v[0][k] * p->v[0][k] + p->v[1][k] * p->v[1][k] + vz * vz);
}

bool sp_preview_is_vessel(const sp_preview *preview, int solid)
{
    const spate_shape_list *solids = &preview->scene->solids;
    return solid >= 0 && solid < solids->count && solids->items[solid].invert;
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
        for (size_t k = 0; k < preview->particles.count; k++)
            speed = fmax(speed, sp_preview_speed(preview, k));
    return speed > 1e-12 && isfinite(speed) ? speed : 1;
}

spate_status sp_preview_draw(spate_sim *sim, sp_image *image, spate_error *error)
{
    int dim = spate_sim_dim(sim);
    spate_field_view_data cells;
    if (!spate_field_view(sim, "type", &cells))
        return sp_fail(error, SPATE_ERROR_SIMULATION, "preview",
                       "the simulation has no cells to draw");
    sp_preview preview = {
        .sim = sim,
        .scene = spate_sim_scene(sim),
        .particles = spate_particles_view(sim),
        .dx = cells.cell_size,
    };
    preview.per_axis = preview.scene->liquid.particles_per_axis;
    for (int d = 0; d < dim; d++) {
        preview.low[d] = preview.particles.origin[d];
        preview.size[d] = cells.count[d] * cells.cell_size;
    }
    preview.speed = fast_speed(&preview, dim);
    int solid = -1;
    spate_sim_solid_distance(sim, preview.low, &solid);
    preview.solids = solid >= 0;
    return dim == 2 ? sp_preview_draw_2d(&preview, image, error)
                    : sp_preview_draw_3d(&preview, image, error);
}

spate_status spate_preview_write_png(spate_sim *sim, const char *path, int width, int height,
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
