/* forecast.c -- what a scene will need, told before anything large is allocated. */
#include "arrays.h"
#include "pressure/pressure.h"
#include "scene/attributes.h"

#include <math.h>
#include <string.h>

/* Measured on all presets: the program with its libraries, stacks and output buffers. */
#define PROCESS_BYTES 3.2e6

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
                               (void **)&nobody.system.pockets; /* only where pockets have roots */
        if (scene->solids.count == 0) {
            unused = unused || arrays[k].block == (void **)&nobody.room;
            FOR_DIM(d)
                unused = unused || arrays[k].block == (void **)&nobody.w[d];
        }
        bytes += unused ? 0 : (double)arrays[k].item;
    }
    return bytes;
}

/* The pictures of a run (src/render): the film while it goes on, with its copy of the particles,
 * then the picture of the last frame. Both have a field of two nodes per cell and axis. */
static double preview_bytes(const spate_scene *scene, const X(grid) *g, double particles)
{
    if (!scene->output.preview)
        return 0;
    double cells = 1, height = scene->output.preview_height, nodes = DIM == 3 ? 8 : 4;
    FOR_DIM(d)
        cells *= g->n[d];
    double per_pixel = DIM == 2 ? 12 : scene->solids.count > 0 ? 40 : 28;
    double field = cells * nodes * (DIM == 3 ? 4.1 : 8);
    double still = 1280.0 * 720 * per_pixel, film = height * height * 16 / 9 * (per_pixel + 3);
    film = height > 0 ? film + particles * 8 * DIM * 1.125 : 0;
    return field + particles * 4 + (film > still ? film : still);
}

static int bytes_per_particle(const spate_scene *scene)
{
    bool apic = scene->liquid.transfer == SPATE_TRANSFER_APIC;
    int columns = 2 + 2 * X(pushes_apart)(scene); /* spare, order; rounded, between */
#define FIELD(name, components, type, when) columns += (when) ? (components) : 0;
#include "fields.def"
#undef FIELD
    for (int k = 0; k < scene->channel_count; k++)
        columns += scene->channels[k].components;
    return 4 * columns;
}

/* Of one frame of particles. Beside what is asked for, USD writes a width and ids of eight bytes,
 * VTK a cell for each particle. */
static spate_status file_bytes(const spate_scene *scene, uint64_t particles, uint64_t *bytes,
                               spate_error *error)
{
    sp_wish wishes[SP_MAX_ATTRIBUTES];
    int count;
    uint64_t numbers = 3;
    bool usd = scene->output.particles == SPATE_PARTICLES_USD;
    TRY(sp_attributes_parse(scene, scene->output.attributes, wishes, &count, error));
    for (int k = 0; k < count; k++)
        numbers += (uint64_t)wishes[k].components + (usd && strcmp(wishes[k].name, "id") == 0);
    numbers += usd ? 1 : scene->output.particles == SPATE_PARTICLES_VTK ? 2 : 0;
    *bytes = scene->output.particles == SPATE_PARTICLES_NONE ? 0 : 300 + 4 * numbers * particles;
    return SPATE_OK;
}

/* Of a surface, measured on a dam break at its wildest: a copy of the particles and their order,
 * and per vertex the blocks around it and the mesh. Vertices are guessed from the cells of liquid.
 */
#define SURFACE_PARTICLE_BYTES 32.0
#define SURFACE_VERTEX_BYTES 330.0
#define SURFACE_VERTICES 18.0 /* times the area of a face of a cube of as much liquid, in cells */

static double surface_bytes(const spate_scene *scene, uint64_t particles)
{
    double cells = (double)particles, area;
    if (scene->output.mesh == SPATE_MESH_NONE)
        return 0;
    FOR_DIM(d)
        cells /= scene->liquid.particles_per_axis;
    area = DIM == 3 ? cbrt(cells) * cbrt(cells) : sqrt(cells);
    FOR_DIM(d)
        area *= d > 0 ? scene->output.mesh_resolution : 1;
    return SURFACE_PARTICLE_BYTES * (double)particles +
           SURFACE_VERTEX_BYTES * SURFACE_VERTICES * area;
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
    spate_status status = X(seed_count)(scene, &g, &solids, &forecast->particles, error);
    sp_solids_clear(&solids);
    TRY(status);
    for (int d = 0; d < 3; d++) {
        forecast->cells[d] = g.n[d];
        forecast->size[d] = d < DIM ? (double)g.n[d] * g.dx : 0;
    }
    forecast->cell_size = g.dx;
    double bytes = PROCESS_BYTES + preview_bytes(scene, &g, (double)forecast->particles);
    bytes += (double)forecast->particles * bytes_per_particle(scene);
    bytes += (double)g.size * bytes_per_cell(scene, movers) +
             (double)g.tile_count * (40.0 + 4.0 * threads);
    if (scene->pressure.solver == SPATE_SOLVER_MULTIGRID)
        bytes += X(multigrid_bytes)(&g);
    bytes += surface_bytes(scene, forecast->particles);
    forecast->memory = (uint64_t)bytes;
    forecast->device_memory = X(device_forecast)(scene, &g, forecast->particles);
    return file_bytes(scene, forecast->particles, &forecast->bytes_per_frame, error);
}
