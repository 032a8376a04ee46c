/* forecast.c -- what a simulation will need, told before anything large is allocated. What its
 * output needs is src/io/forecast.c. */
#include "scene/sides.h"
#include "sim.h"
#include "state/arrays.h"

#include <string.h>

/* Measured on all presets with 1 to 32 threads: the program with its libraries and output buffers;
 * the stack and the small allocations of a thread. */
#define PROCESS_BYTES 5e6
#define THREAD_BYTES (DIM == 3 ? 1.3e5 : 6e4)
#define CHECKPOINT_FIXED 2e4
#define TILE_BYTES                                                                \
    40.0 /* of the lists of tiles and the values of each, beside those of threads \
          */

/* What a checkpoint holds of a particle. */
static int saved_bytes_per_particle(const spate_scene *scene)
{
    int columns = X(count_columns)(X(needs)(scene), false);
    for (int k = 0; k < scene->channel_count; k++)
        columns += scene->channels[k].components;
    return 4 * columns;
}

static double saved_bytes_per_cell(const spate_scene *scene)
{
    unsigned needs = X(needs)(scene);
    double bytes = 0;
    for (int k = 0; k < ARRAY_COUNT; k++) {
        const X(array) *a = &X(arrays)[k];
        bytes += a->saved && a->host & needs ? (double)a->item * a->pointers : 0;
    }
    return bytes;
}

/* Of the two that are kept, with the particles and the arrays that grid.def says. */
static uint64_t checkpoint_bytes(const spate_scene *scene, double particles)
{
    double liquid = particles;
    FOR_DIM(d)
        liquid /= scene->fluid.particles_per_axis;
    double saved = particles * saved_bytes_per_particle(scene) +
                   saved_bytes_per_cell(scene) * liquid + CHECKPOINT_FIXED;
    return (uint64_t)(2 * saved);
}

static int bytes_per_particle(const spate_scene *scene)
{
    return saved_bytes_per_particle(scene) + 4 * X(scratch_words)(X(needs)(scene));
}

/* Adds the particles and the checkpoints of the sets beside the fluid; returns bytes of memory. */
static double add_sets(const spate_scene *scene, const X(grid) *g, spate_forecast *forecast)
{
    uint64_t counts[SET_COUNT] = {0};
    bool some = false;
    double bytes = 0;
#define SET(NAME, name, place, by, on, ...)                                      \
    forecast->name = X(set_estimate)(SET_##NAME, scene, g, forecast->particles); \
    counts[SET_##NAME] = forecast->name;                                         \
    some = some || scene->on;
#include "kernels/sets.def"
    for (int number = SET_FLUID + 1; number < SET_COUNT; number++) {
        bytes += (double)counts[number] * (double)X(set_bytes)(number);
        forecast->checkpoint_bytes += 2 * counts[number] * X(set_saved_bytes)(number);
    }
    return bytes + (some ? X(cell_list_bytes)(g) : 0);
}

spate_status X(forecast)(const spate_scene *scene, const X(device) *device, int threads,
                         spate_forecast *forecast, spate_error *error)
{
    X(grid) g = X(grid_make)(scene);
    sp_solids solids = {.dim = DIM};
    memset(forecast, 0, sizeof *forecast);
    spate_status status = sp_solids_of_scene(&solids, scene, error);
    if (status == SPATE_OK)
        status = X(seed_count)(scene, &g, &solids, &forecast->particles, error);
    sp_solids_clear(&solids);
    TRY(status);
    for (int d = 0; d < 3; d++) {
        forecast->cells[d] = g.n[d];
        forecast->domain[d] = d < DIM ? sp_scene_extent(scene, d) : 0;
    }
    forecast->cell_size = g.dx;
    double bytes = PROCESS_BYTES + THREAD_BYTES * threads;
    bytes += (double)forecast->particles * bytes_per_particle(scene);
    X(device_memory) needs = device->needs(scene, &g, forecast->particles);
    bytes += X(arrays_bytes)(scene, &g) + (double)g.tile_count * (TILE_BYTES + 4.0 * threads);
    forecast->checkpoint_bytes = checkpoint_bytes(scene, (double)forecast->particles);
    bytes += add_sets(scene, &g, forecast);
    forecast->memory = (uint64_t)(bytes + needs.host);
    forecast->device_memory = needs.device;
    return SPATE_OK;
}
