/* frame.c -- see moment.h. */
#include "frame.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "io/particle_table.h"

spate_status sp_moment_create(sp_moment *moment, const spate_scene *scene, spate_error *error)
{
    *moment = (sp_moment){.scene = scene, .solids = {.dim = scene->dim}};
    TRY(spate_scene_forecast(scene, NULL, &moment->domain, error));
    for (int k = 0; k < scene->solids.count; k++) {
        spate_status status =
            sp_solids_add(&moment->solids, &scene->solids.items[k], 0, NULL, error);
        if (status != SPATE_OK) {
            sp_moment_destroy(moment);
            return status;
        }
    }
    return SPATE_OK;
}

static void free_columns(sp_moment *moment)
{
    for (int d = 0; d < 3; d++) {
        sp_free(moment->x[d]);
        sp_free(moment->v[d]);
        moment->x[d] = moment->v[d] = NULL;
    }
    moment->count = moment->capacity = 0;
}

void sp_moment_destroy(sp_moment *moment)
{
    free_columns(moment);
    sp_solids_clear(&moment->solids);
}

/* Room for `count` particles; what was there is lost. */
static spate_status make_room(sp_moment *moment, size_t count, spate_error *error)
{
    if (count > moment->capacity || moment->capacity == 0) {
        free_columns(moment);
        size_t capacity = count + count / 8 + 1;
        bool all = true;
        for (int d = 0; d < moment->scene->dim; d++) {
            moment->x[d] = sp_alloc(capacity, sizeof *moment->x[d]);
            moment->v[d] = sp_alloc(capacity, sizeof *moment->v[d]);
            all = all && moment->x[d] && moment->v[d];
        }
        if (!all) {
            free_columns(moment);
            return sp_fail_memory(error, "the particles of a picture",
                                  capacity * 2 * (size_t)moment->scene->dim * sizeof(float));
        }
        moment->capacity = capacity;
    }
    moment->count = count;
    return SPATE_OK;
}

spate_status sp_moment_copy(sp_moment *moment, const spate_particles_view_data *view, double time,
                            spate_error *error)
{
    TRY(make_room(moment, view->count, error));
    for (int d = 0; d < moment->scene->dim; d++) {
        memcpy(moment->x[d], view->x[d], view->count * sizeof(float));
        memcpy(moment->v[d], view->v[d], view->count * sizeof(float));
    }
    moment->time = time;
    sp_solids_advance(&moment->solids, moment->time, 0);
    return SPATE_OK;
}

spate_status sp_moment_take(sp_moment *moment, const spate_sim *sim, spate_error *error)
{
    spate_particles_view_data view = spate_particles_view(sim);
    return sp_moment_copy(moment, &view, spate_sim_time(sim), error);
}

/* One component of an attribute; zeros where the file has none. False if a number is not finite. */
static bool copy_column(const sp_cloud *cloud, const char *name, int component, float *to)
{
    const sp_attribute *from = sp_cloud_find(cloud, name);
    if (!from || from->integer || component >= from->components) {
        memset(to, 0, cloud->count * sizeof *to);
        return true;
    }
    const float *value = (const float *)from->block + component;
    float wrong = 0;
    for (size_t k = 0; k < cloud->count; k++) {
        to[k] = value[k * (size_t)from->components];
        wrong += to[k] * 0; /* stays 0 as long as all are finite */
    }
    return wrong == 0;
}

spate_status sp_moment_read(sp_moment *moment, const char *path, double time, spate_error *error)
{
    sp_cloud cloud;
    moment->count = 0;
    TRY(sp_cloud_read(&cloud, moment->scene, 0, path, error));
    spate_status status = make_room(moment, cloud.count, error);
    for (int d = 0; d < moment->scene->dim && status == SPATE_OK; d++)
        if (!copy_column(&cloud, "position", d, moment->x[d]) ||
            !copy_column(&cloud, "velocity", d, moment->v[d]))
            status = sp_fail(error, SPATE_ERROR_FILE, path,
                             "a position or velocity along %c is not a finite number", "xyz"[d]);
    sp_cloud_clear(&cloud);
    if (status != SPATE_OK) {
        moment->count = 0; /* what was made room for */
        return status;
    }
    float cells = (float)(1 / moment->domain.cell_size);
    for (int d = 0; d < moment->scene->dim; d++)
        for (size_t k = 0; k < moment->count; k++)
            moment->x[d][k] *= cells;
    moment->time = time;
    sp_solids_advance(&moment->solids, time, 0);
    return SPATE_OK;
}

static double solid_distance(const void *user, const double point[3], int *solid)
{
    return sp_solids_distance(user, point, NULL, solid);
}

spate_status sp_moment_paint(const sp_moment *moment, const sp_look *look, sp_pool *pool,
                             sp_image *image, spate_error *error)
{
    sp_preview preview = {
        .scene = moment->scene,
        .particles = {.count = moment->count, .scale = moment->domain.cell_size},
        .dx = moment->domain.cell_size,
        .time = moment->time,
        .distance = solid_distance,
        .distance_user = &moment->solids,
        .pool = pool,
        .look = *look,
    };
    for (int d = 0; d < 3; d++) {
        preview.particles.x[d] = moment->x[d];
        preview.particles.v[d] = moment->v[d];
        preview.size[d] = moment->domain.size[d];
    }
    sp_preview_complete(&preview);
    return sp_preview_paint(&preview, image, error);
}
