/* make.c -- the stages from particles to a surface, on one screen. */
#include "surface.h"

#include "base/memory.h"
#include "base/status.h"

static spate_status run_stages(X(surface) *s, spate_error *error)
{
    TRY(X(surface_solids)(s, error));
    TRY(X(surface_bin)(s, error));
    TRY(X(surface_field)(s, error));
    TRY(X(surface_regions)(s, error));
    TRY(X(surface_contour)(s, error));
    TRY(X(surface_fans)(s, error));
    X(surface_meet)(s);
    X(surface_measure)(s);
    TRY(X(surface_relax)(s, error));
    X(surface_volume)(s);
    return SPATE_OK;
}

static void clear(X(surface) *s)
{
    void *blocks[] = {s->distance, s->table,  s->block, s->colour_list, s->order,
                      s->share,    s->number, s->field, s->phi,         s->thin,
                      s->label,    s->edge,   s->cases, s->region,      s->regions,
                      s->wall,     s->slim,   s->fan,   s->fan_start,   s->vertex_region};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        sp_free(blocks[k]);
    FOR_DIM(d)
        sp_free(s->momentum[d]);
    sp_solids_clear(&s->solids);
}

spate_status X(mesh_make)(const sp_mesh_input *input, spate_mesh_data *mesh, spate_error *error)
{
    const spate_mesh_options *options = input->options;
    X(surface) s = {.positions = input->positions,
                    .velocities = input->velocities,
                    .count = input->count,
                    .options = options,
                    .pool = input->pool,
                    .cell = options->resolution,
                    .h = (float)(options->cell_size / options->resolution),
                    .scale = (float)(options->resolution / options->cell_size),
                    .mesh = mesh};
    spate_status status = run_stages(&s, error);
    clear(&s);
    return status;
}
