/* make.c -- the stages from particles to a surface, on one screen. */
#include "surface.h"

#include "base/memory.h"
#include "base/status.h"

#define DROP(block) (sp_free(block), (block) = NULL)

/* What belongs to nodes: with the contour it has served. */
static void drop_nodes(X(surface) *s)
{
    DROP(s->share), DROP(s->number), DROP(s->field), DROP(s->phi);
    DROP(s->thin), DROP(s->label), DROP(s->edge);
    FOR_DIM(d)
        DROP(s->momentum[d]);
}

static spate_status run_stages(X(surface) *s, spate_error *error)
{
    TRY(X(surface_solids)(s, error));
    TRY(X(surface_bin)(s, error));
    TRY(X(surface_field)(s, error));
    TRY(X(surface_regions)(s, error));
    TRY(X(surface_contour)(s, error));
    drop_nodes(s);
    TRY(X(surface_cells)(s, error));
    DROP(s->order);
    TRY(X(surface_rings)(s, error));
    X(surface_meet)(s);
    X(surface_hold)(s);
    X(surface_measure)(s);
    TRY(X(surface_relax)(s, error));
    X(surface_volume)(s);
    return SPATE_OK;
}

static void clear(X(surface) *s)
{
    drop_nodes(s);
    DROP(s->order), DROP(s->distance), DROP(s->table), DROP(s->block), DROP(s->colour_list),
        DROP(s->cases);
    DROP(s->region), DROP(s->regions), DROP(s->wall), DROP(s->slim), DROP(s->vertex_region);
    DROP(s->ring), DROP(s->ring_start), DROP(s->by_cell), DROP(s->cell_start);
    sp_solids_clear(&s->solids);
}

spate_status X(mesh_make)(const sp_mesh_input *input, spate_surface *mesh, spate_error *error)
{
    const spate_surface_options *options = input->options;
    X(surface) s = {.positions = input->positions,
                    .velocities = input->velocities,
                    .count = input->count,
                    .options = options,
                    .pool = input->pool,
                    .given = input->solids,
                    .cell = options->resolution,
                    .h = (float)(options->cell_size / options->resolution),
                    .scale = (float)(options->resolution / options->cell_size),
                    .gap = options->gap * options->cell_size,
                    .mesh = mesh};
    spate_status status = run_stages(&s, error);
    clear(&s);
    return status;
}
