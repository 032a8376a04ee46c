/* frame.c -- see frame.h. */
#include "frame.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "io/particle_table.h"

spate_status sp_frame_create(sp_frame *frame, const spate_scene *scene, spate_error *error)
{
    *frame = (sp_frame){.scene = scene, .solids = {.dim = scene->dim}};
    TRY(spate_scene_forecast(scene, NULL, &frame->domain, error));
    for (int k = 0; k < scene->solids.count; k++) {
        spate_status status =
            sp_solids_add(&frame->solids, &scene->solids.items[k], 0, NULL, error);
        if (status != SPATE_OK) {
            sp_frame_destroy(frame);
            return status;
        }
    }
    return SPATE_OK;
}

static void free_columns(sp_frame *frame)
{
    for (int d = 0; d < 3; d++) {
        sp_free(frame->x[d]);
        sp_free(frame->v[d]);
        frame->x[d] = frame->v[d] = NULL;
    }
    frame->count = frame->capacity = 0;
}

void sp_frame_destroy(sp_frame *frame)
{
    free_columns(frame);
    sp_solids_clear(&frame->solids);
}

/* Room for `count` particles; what was there is lost. */
static spate_status reserve(sp_frame *frame, size_t count, spate_error *error)
{
    if (count > frame->capacity || frame->capacity == 0) {
        free_columns(frame);
        size_t capacity = count + count / 8 + 1;
        bool all = true;
        for (int d = 0; d < frame->scene->dim; d++) {
            frame->x[d] = sp_alloc(capacity, sizeof *frame->x[d]);
            frame->v[d] = sp_alloc(capacity, sizeof *frame->v[d]);
            all = all && frame->x[d] && frame->v[d];
        }
        if (!all) {
            free_columns(frame);
            return sp_fail_memory(error, "the particles of a picture",
                                  capacity * 2 * (size_t)frame->scene->dim * sizeof(float));
        }
        frame->capacity = capacity;
    }
    frame->count = count;
    return SPATE_OK;
}

spate_status sp_frame_copy(sp_frame *frame, const spate_particles_view *view, double time,
                           spate_error *error)
{
    TRY(reserve(frame, view->count, error));
    for (int d = 0; d < frame->scene->dim; d++) {
        memcpy(frame->x[d], view->x[d], view->count * sizeof(float));
        memcpy(frame->v[d], view->v[d], view->count * sizeof(float));
    }
    frame->time = time;
    sp_solids_advance(&frame->solids, frame->time, 0);
    return SPATE_OK;
}

spate_status sp_frame_take(sp_frame *frame, spate_sim *sim, spate_error *error)
{
    spate_particles_view view;
    spate_sim_particles_view(sim, "fluid", &view);
    return sp_frame_copy(frame, &view, spate_sim_time(sim), error);
}

/* One component of an attribute; zeros where the file has none. False if a number is not finite. */
static bool copy_column(const sp_particle_table *table, const char *name, int component, float *to)
{
    const sp_attribute *from = sp_particle_table_find(table, name);
    if (!from || from->integer || component >= from->components) {
        memset(to, 0, table->count * sizeof *to);
        return true;
    }
    const float *value = (const float *)from->block + component;
    float wrong = 0;
    for (size_t k = 0; k < table->count; k++) {
        to[k] = value[k * (size_t)from->components];
        wrong += to[k] * 0; /* stays 0 as long as all are finite */
    }
    return wrong == 0;
}

spate_status sp_frame_read(sp_frame *frame, const char *path, double time, spate_error *error)
{
    sp_particle_table table;
    frame->count = 0;
    TRY(sp_particle_table_read(&table, frame->scene, 0, path, error));
    spate_status status = reserve(frame, table.count, error);
    for (int d = 0; d < frame->scene->dim && status == SPATE_OK; d++)
        if (!copy_column(&table, "position", d, frame->x[d]) ||
            !copy_column(&table, "velocity", d, frame->v[d]))
            status = sp_fail(error, SPATE_ERROR_FILE, path,
                             "a position or velocity along %c is not a finite number", "xyz"[d]);
    sp_particle_table_clear(&table);
    if (status != SPATE_OK) {
        frame->count = 0; /* what was made room for */
        return status;
    }
    float cells = (float)(1 / frame->domain.cell_size);
    for (int d = 0; d < frame->scene->dim; d++)
        for (size_t k = 0; k < frame->count; k++)
            frame->x[d][k] *= cells;
    frame->time = time;
    sp_solids_advance(&frame->solids, time, 0);
    return SPATE_OK;
}

static double solid_distance(const void *user, const double point[3], int *solid)
{
    return sp_solids_distance(user, point, NULL, solid);
}

spate_status sp_frame_paint(const sp_frame *frame, const sp_look *look, sp_pool *pool,
                            sp_image *image, spate_error *error)
{
    sp_preview preview = {
        .scene = frame->scene,
        .particles = {.count = frame->count, .scale = frame->domain.cell_size},
        .dx = frame->domain.cell_size,
        .time = frame->time,
        .distance = solid_distance,
        .distance_user = &frame->solids,
        .pool = pool,
        .look = *look,
    };
    for (int d = 0; d < 3; d++) {
        preview.particles.x[d] = frame->x[d];
        preview.particles.v[d] = frame->v[d];
        preview.size[d] = frame->domain.domain[d];
    }
    sp_preview_complete(&preview);
    return sp_preview_paint(&preview, image, error);
}
