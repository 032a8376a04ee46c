/* frame.c -- see frame.h. */
#include "frame.h"

#include "base/status.h"
#include "io/particle_table.h"
#include "scene/schema.h"
#include "scene/sides.h"

spate_status sp_frame_create(sp_frame *frame, const spate_scene *scene, spate_error *error)
{
    *frame = (sp_frame){.scene = scene, .solids = {.dim = scene->dim}};
    TRY(spate_scene_check(scene, NULL, NULL, error));
    for (int d = 0; d < scene->dim; d++) {
        frame->domain.cells[d] = (int)sp_scene_cells(scene, d);
        frame->domain.domain[d] = sp_scene_extent(scene, d);
    }
    frame->domain.cell_size = sp_scene_cell_size(scene);
    for (int k = 0; k < scene->solids.count; k++) {
        spate_status status =
            sp_solids_add(&frame->solids, &scene->solids.items[k], 0, NULL, error);
        if (status != SPATE_OK) {
            sp_frame_destroy(frame);
            return status;
        }
    }
    spate_status status = sp_solid_rays_create(&frame->rays, &frame->solids, error);
    if (status != SPATE_OK)
        sp_frame_destroy(frame);
    return status;
}

void sp_frame_destroy(sp_frame *frame)
{
    sp_particles_clear(&frame->particles);
    sp_solid_rays_destroy(&frame->rays);
    sp_solids_clear(&frame->solids);
}

spate_status sp_frame_copy(sp_frame *frame, const sp_particles *particles, spate_error *error)
{
    sp_particles shown = *particles;
    shown.column_count = 0;
    TRY(sp_particles_copy(&frame->particles, &shown, "the particles of a picture", error));
    sp_solids_advance(&frame->solids, particles->time, 0);
    return SPATE_OK;
}

spate_status sp_frame_read(sp_frame *frame, int number, const char *path, spate_error *error)
{
    sp_particles *p = &frame->particles;
    sp_particle_table table;
    int dim = frame->scene->dim;
    TRY(sp_particle_table_read(&table, p, frame->scene, number, path, error));
    float cells = (float)(1 / frame->domain.cell_size), *x = (float *)p->memory;
    for (size_t k = 0; k < (size_t)dim * p->view.count; k++)
        x[k] *= cells;
    p->view.scale = (float)frame->domain.cell_size;
    sp_solids_advance(&frame->solids, p->time, 0);
    return SPATE_OK;
}

spate_status sp_frame_paint(const sp_frame *frame, const sp_look *look, sp_pool *pool,
                            sp_image *image, spate_error *error)
{
    sp_preview preview = {
        .scene = frame->scene,
        .particles = &frame->particles,
        .dx = frame->domain.cell_size,
        .pool = pool,
        .look = *look,
    };
    for (int d = 0; d < 3; d++)
        preview.size[d] = frame->domain.domain[d];
    sp_preview_set_solids(&preview, &frame->rays);
    sp_preview_complete(&preview);
    return sp_preview_paint(&preview, image, error);
}
