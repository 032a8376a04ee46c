/* forecast.c -- what a scene will need, told before anything large is allocated. */
#include "arrays.h"
#include "pressure/pressure.h"

#include <string.h>

/* Measured on all presets: the program with its libraries, stacks and output buffers; the preview
 * picture per pixel. */
#define PROCESS_BYTES 3.2e6
#define PREVIEW_PIXELS (1280.0 * 720.0)
#define PREVIEW_BYTES (DIM == 3 ? 33.0 : 14.0)

/* Bytes per cell of all arrays that a run writes. What no liquid ever reaches is not committed, but
 * border tiles and the rest of their pages are: together the whole array is a good estimate of what
 * a run touches. */
static double bytes_per_cell(const spate_scene *scene, bool movers)
{
    static X(sim) nobody; /* only the addresses of its members are taken */
    X(array) arrays[MAX_ARRAYS];
    int count = X(arrays)(&nobody, scene, arrays);
    double bytes = 0;
    for (int k = 0; k < count; k++) {
        bool unused = arrays[k].block == (void **)&nobody.phi_static && !movers;
        unused = unused || arrays[k].block ==
                               (void **)&nobody.system.queue; /* as long as the largest pocket */
        if (scene->solids.count == 0) {
            unused = unused || arrays[k].block == (void **)&nobody.room;
            FOR_DIM(d)
                unused = unused || arrays[k].block == (void **)&nobody.w[d];
        }
        bytes += unused ? 0 : (double)arrays[k].item;
    }
    return bytes;
}

static int bytes_per_particle(const spate_scene *scene)
{
    bool apic = scene->liquid.transfer == SPATE_TRANSFER_APIC;
    int columns = 3 + X(pushes_apart)(scene); /* spare, order, place, rounded */
#define FIELD(name, components, type, when) columns += (when) ? (components) : 0;
#include "fields.def"
#undef FIELD
    for (int k = 0; k < scene->channel_count; k++)
        columns += scene->channels[k].components;
    return 4 * columns;
}

spate_status X(forecast)(const spate_scene *scene, int threads, spate_forecast *forecast,
                         spate_error *error)
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
    for (int d = 0; d < 3; d++) {
        forecast->cells[d] = g.n[d];
        forecast->size[d] = d < DIM ? (double)g.n[d] * g.dx : 0;
    }
    forecast->cell_size = g.dx;
    double bytes = PROCESS_BYTES + (scene->output.preview ? PREVIEW_PIXELS * PREVIEW_BYTES : 0);
    bytes += (double)forecast->particles * bytes_per_particle(scene);
    bytes += (double)g.size * bytes_per_cell(scene, movers) +
             (double)g.tile_count * (40.0 + 4.0 * threads);
    if (scene->pressure.solver == SPATE_SOLVER_MULTIGRID)
        bytes += X(multigrid_bytes)(&g);
    forecast->memory = (uint64_t)bytes;
    int outputs = 7; /* x y z vx vy vz id */
    for (int k = 0; k < scene->channel_count; k++)
        outputs += scene->channels[k].components;
    forecast->bytes_per_frame = scene->output.particles == SPATE_PARTICLES_PLY
                                    ? 300 + 4 * (uint64_t)outputs * forecast->particles
                                    : 0;
    return SPATE_OK;
}
