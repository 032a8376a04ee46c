/* frame.c -- see frame.h. */
#include "frame.h"

#include "base/status.h"
#include "io/particle_table.h"
#include "scene/medium.h"
#include "scene/schema.h"
#include "scene/sides.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
    sp_particle_sets_clear(&frame->sets);
    sp_solids_clear(&frame->solids);
    sp_field_set_clear(&frame->fields);
    sp_gas_plane_clear(&frame->gas);
}

bool sp_frame_is_gas(const sp_frame *frame)
{
    return !sp_medium_of(frame->scene)->has_surface;
}

spate_status sp_frame_copy(sp_frame *frame, const sp_particles *particles, spate_error *error)
{
    sp_particles shown = *particles;
    shown.column_count = 0;
    TRY(sp_particles_copy(&frame->particles, &shown, "the particles of a picture", error));
    sp_solids_advance(&frame->solids, particles->time, 0);
    return SPATE_OK;
}

spate_status sp_frame_copy_sets(sp_frame *frame, const sp_particle_sets *sets, spate_error *error)
{
    return sp_particle_sets_copy(&frame->sets, sets, error);
}

spate_status sp_frame_copy_fields(sp_frame *frame, const sp_field_set *fields, const sp_look *look,
                                  spate_error *error)
{
    TRY(sp_gas_plane_take(&frame->gas, fields, look, error));
    frame->particles.frame = fields->frame;
    frame->particles.time = fields->time;
    sp_solids_advance(&frame->solids, fields->time, 0);
    return SPATE_OK;
}

spate_status sp_frame_read_fields(sp_frame *frame, int number, const char *path,
                                  const sp_look *look, spate_error *error)
{
    TRY(sp_field_set_read(&frame->fields, frame->scene, number, path, error));
    return sp_frame_copy_fields(frame, &frame->fields, look, error);
}

/* A particle file, with positions in cells. */
static spate_status read_file(const sp_frame *frame, sp_particles *p, int number, const char *path,
                              spate_error *error)
{
    sp_particle_table table;
    TRY(sp_particle_table_read(&table, p, frame->scene, number, path, error));
    float cells = (float)(1 / frame->domain.cell_size), *x = (float *)p->memory;
    for (size_t k = 0; k < (size_t)frame->scene->dim * p->view.count; k++)
        x[k] *= cells;
    p->view.scale = (float)frame->domain.cell_size;
    return SPATE_OK;
}

/* particles.0012.ply: NAME.0012.ply in the same folder. */
static bool find_set(const char *path, const char *set, char other[4096])
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (strncmp(name, "particles.", 10) != 0)
        return false;
    snprintf(other, 4096, "%.*s%s.%s", (int)(name - path), path, set, name + 10);
    return access(other, R_OK) == 0;
}

static spate_status read_set(sp_frame *frame, int set, int number, const char *path,
                             spate_error *error)
{
    sp_particles *p = &frame->sets.of[set];
    char other[4096];
    p->kind = NULL;
    if (!find_set(path, sp_set_name(set), other))
        return SPATE_OK;
    TRY(read_file(frame, p, number, other, error));
    p->kind = sp_set_kind_of(frame->scene->dim, set);
    return SPATE_OK;
}

spate_status sp_frame_read(sp_frame *frame, int number, const char *path, spate_error *error)
{
    TRY(read_file(frame, &frame->particles, number, path, error));
    for (int k = SET_FLUID + 1; k < SET_COUNT; k++)
        TRY(read_set(frame, k, number, path, error));
    sp_solids_advance(&frame->solids, frame->particles.time, 0);
    return SPATE_OK;
}

spate_status sp_frame_paint(const sp_frame *frame, const sp_look *look, sp_pool *pool,
                            sp_image *image, spate_error *error)
{
    sp_preview preview = {
        .scene = frame->scene,
        .particles = &frame->particles,
        .sets = &frame->sets,
        .gas = sp_frame_is_gas(frame) ? &frame->gas : NULL,
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
