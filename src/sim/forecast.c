/* forecast.c -- what a scene will need, told before anything large is allocated. */
#include "arrays.h"

#include <string.h>

#define PROCESS_BYTES 6e6 /* the program, its libraries, stacks and output buffers */

/* Bytes per cell of the arrays that are written in all active cells, and of those written everywhere. */
static void bytes_per_cell(const spate_scene *scene, bool movers, double *moving, double *fixed)
{
    static X(sim) nobody; /* only the addresses of its members are taken */
    X(array) arrays[MAX_ARRAYS];
    int count = X(arrays)(&nobody, scene, arrays);
    *moving = *fixed = 0;
    for (int k = 0; k < count; k++) {
        bool unused = arrays[k].block == (void **)&nobody.phi_static && !movers;
        *(arrays[k].moving ? moving : fixed) += unused ? 0 : (double)arrays[k].item;
    }
}

static int bytes_per_particle(const spate_scene *scene)
{
    bool apic = scene->liquid.transfer == SPATE_TRANSFER_APIC;
    int columns = 3; /* spare, order, place */
#define FIELD(name, components, type, when) columns += (when) ? (components) : 0;
#include "fields.def"
#undef FIELD
    for (int k = 0; k < scene->channel_count; k++)
        columns += scene->channels[k].components;
    return 4 * columns;
}

spate_status X(forecast)(const spate_scene *scene, int threads, spate_forecast *forecast, spate_error *error)
{
    X(grid) g = X(grid_make)(scene);
    sp_solids solids = {.dim = DIM};
    bool movers = false;
    for (int k = 0; k < scene->solids.count; k++) {
        spate_status status = sp_solids_add(&solids, &scene->solids.items[k], 0, NULL, error);
        if (status != SPATE_OK) {
            sp_solids_clear(&solids);
            return status;
        }
        movers = movers || sp_shape_moves(&solids.items[k].form);
    }
    memset(forecast, 0, sizeof *forecast);
    spate_status status = X(seed)(scene, &g, &solids, NULL, NULL, &forecast->particles, error);
    sp_solids_clear(&solids);
    TRY(status);
    double cells = 1, moving, fixed;
    for (int d = 0; d < 3; d++) {
        forecast->cells[d] = g.n[d];
        forecast->size[d] = d < DIM ? (double)g.n[d] * g.dx : 0;
        cells *= g.n[d];
    }
    forecast->cell_size = g.dx;
    bytes_per_cell(scene, movers, &moving, &fixed);
    forecast->memory = (uint64_t)(PROCESS_BYTES + (double)forecast->particles * bytes_per_particle(scene) +
                                  moving * cells + fixed * (double)g.size +
                                  (double)g.tile_count * (40.0 + 4.0 * threads));
    int outputs = 7; /* x y z vx vy vz id */
    for (int k = 0; k < scene->channel_count; k++)
        outputs += scene->channels[k].components;
    forecast->bytes_per_frame = scene->output.particles == SPATE_PARTICLES_PLY ? 300 + 4 * (uint64_t)outputs * forecast->particles : 0;
    return SPATE_OK;
}
