/* forecast.c -- what a scene will need, told before anything large is allocated. */
#include "scene/attributes.h"
#include "sim.h"
#include "state/arrays.h"

#include <math.h>
#include <string.h>

/* Measured on all presets with 1 to 32 threads: the program with its libraries and output buffers;
 * the stack and the small allocations of a thread. */
#define PROCESS_BYTES 5e6
#define THREAD_BYTES (DIM == 3 ? 1.3e5 : 6e4)
#define TILE_BYTES                                                                \
    40.0 /* of the lists of tiles and the values of each, beside those of threads \
          */

/* The pictures of a run (src/render): the film while it goes on, with its copy of the particles,
 * then the picture of the last frame. Both have a field of two nodes per cell and axis. Where no
 * solid is seen, a third of what the pixels have is never touched; solids are taken to fill half of
 * the picture. */
static double preview_bytes(const spate_scene *scene, const X(grid) *g, double particles)
{
    if (!scene->output.preview)
        return 0;
    double cells = 1, height = scene->output.preview_height, nodes = DIM == 3 ? 8 : 4;
    FOR_DIM(d)
        cells *= g->n[d];
    double per_pixel = DIM == 2 ? 12 : scene->solids.count > 0 ? 34 : 28;
    double field = cells * nodes * (DIM == 3 ? 4.1 : 8);
    double still = 1280.0 * 720 * per_pixel, film = height * height * 16 / 9 * (per_pixel + 3);
    film = height > 0 ? film + particles * 8 * DIM * 1.125 : 0;
    return field + particles * 4 + (film > still ? film : still);
}

/* What a checkpoint holds of a particle. */
static int saved_bytes_per_particle(const spate_scene *scene)
{
    int columns = X(count_columns)(X(needs)(scene), false);
    for (int k = 0; k < scene->channel_count; k++)
        columns += scene->channels[k].components;
    return 4 * columns;
}

static double saved_bytes_per_cell(void)
{
    double bytes = 0;
    for (int k = 0; k < ARRAY_COUNT; k++)
        bytes += X(arrays)[k].saved ? (double)X(arrays)[k].item * X(arrays)[k].pointers : 0;
    return bytes;
}

static int bytes_per_particle(const spate_scene *scene)
{
    return saved_bytes_per_particle(scene) + 4 * X(scratch_words)(X(needs)(scene));
}

/* Of one frame of particles. Beside what is asked for, USD writes a width and ids of eight bytes,
 * VTK a cell for each particle. */
static spate_status file_bytes(const spate_scene *scene, uint64_t particles, uint64_t *bytes,
                               spate_error *error)
{
    sp_wish wishes[SP_MAX_ATTRIBUTES];
    int count;
    uint64_t numbers = 3;
    bool usd = scene->output.particles == SPATE_OUTPUT_PARTICLES_USD;
    TRY(sp_attributes_parse(scene, scene->output.attributes, wishes, &count, error));
    for (int k = 0; k < count; k++)
        numbers += (uint64_t)wishes[k].components + (usd && strcmp(wishes[k].name, "id") == 0);
    numbers += usd ? 1 : scene->output.particles == SPATE_OUTPUT_PARTICLES_VTK ? 2 : 0;
    *bytes =
        scene->output.particles == SPATE_OUTPUT_PARTICLES_NONE ? 0 : 300 + 4 * numbers * particles;
    return SPATE_OK;
}

/* Faces of a cube (2D: of a square) of as much liquid, in cells: the measure of a surface. */
static double face_of_liquid(const spate_scene *scene, uint64_t particles)
{
    double cells = (double)particles;
    FOR_DIM(d)
        cells /= scene->fluid.particles_per_axis;
    return DIM == 3 ? cbrt(cells) * cbrt(cells) : sqrt(cells);
}

/* Vertices of a surface, by that measure: what splashes have on average and at their wildest. */
#define VERTICES_MEAN 11.0
#define VERTICES_MOST 18.0

static double surface_vertices(const spate_scene *scene, uint64_t particles, double times)
{
    double vertices = times * face_of_liquid(scene, particles);
    for (int d = 1; d < DIM; d++)
        vertices *= scene->output.mesh_resolution;
    return scene->output.mesh == SPATE_OUTPUT_MESH_NONE ? 0 : vertices;
}

/* In memory, measured on a dam break: a copy of the particles and their order, and per vertex the
 * blocks around it and the mesh. */
#define SURFACE_PARTICLE_BYTES 32.0
#define SURFACE_VERTEX_BYTES 330.0

static double surface_bytes(const spate_scene *scene, uint64_t particles)
{
    if (scene->output.mesh == SPATE_OUTPUT_MESH_NONE)
        return 0;
    return SURFACE_PARTICLE_BYTES * (double)particles +
           SURFACE_VERTEX_BYTES * surface_vertices(scene, particles, VERTICES_MOST);
}

/* ------------------------------------------------------------------ disk */

/* Beside the particles. A mesh file has 9 numbers per vertex, and two triangles of 13 bytes (2D: a
 * segment of 8). A volume has a distance and a velocity per cell: in VTK of all cells, in VDB of
 * those of the liquid and of blocks along its surface. A checkpoint, of which two are kept, has the
 * particles and the pressure. Films and pictures as measured on all presets. */
#define VERTEX_FILE_BYTES (DIM == 3 ? 36 + 2 * 13 : 36 + 8)
#define VOLUME_CELL_BYTES 16
#define VDB_SURFACE_CELLS 70 /* by the measure of a surface */
#define VDB_FIXED_BYTES 1.3e5
#define FILM_PIXEL_BYTES 0.02
#define PICTURE_BYTES 6e5
#define CHECKPOINT_FIXED 2e4

static void disk_bytes(const spate_scene *scene, const X(grid) *g, spate_forecast *forecast)
{
    double particles = (double)forecast->particles, cells = 1, liquid = particles;
    FOR_DIM(d) {
        cells *= g->n[d];
        liquid /= scene->fluid.particles_per_axis;
    }
    double stored = liquid + VDB_SURFACE_CELLS * face_of_liquid(scene, forecast->particles);
    if (scene->output.volume == SPATE_OUTPUT_VOLUME_VTK)
        forecast->volume_bytes = (uint64_t)(VOLUME_CELL_BYTES * cells);
    else if (scene->output.volume == SPATE_OUTPUT_VOLUME_VDB)
        forecast->volume_bytes = (uint64_t)(VOLUME_CELL_BYTES * stored + VDB_FIXED_BYTES);
    forecast->mesh_bytes =
        (uint64_t)(VERTEX_FILE_BYTES * surface_vertices(scene, forecast->particles, VERTICES_MEAN));
    double height = scene->output.preview_height, pixels = height * height * 16 / 9;
    double frames = scene->frames / scene->output.every + 1;
    if (scene->output.preview)
        forecast->film_bytes = (uint64_t)(PICTURE_BYTES + FILM_PIXEL_BYTES * pixels * frames);
    double saved = particles * saved_bytes_per_particle(scene) + saved_bytes_per_cell() * liquid +
                   CHECKPOINT_FIXED;
    forecast->checkpoint_bytes = (uint64_t)(2 * saved);
}

spate_status X(forecast)(const spate_scene *scene, const X(device) *device, int threads,
                         spate_forecast *forecast, spate_error *error)
{
    X(grid) g = X(grid_make)(scene);
    sp_solids solids = {.dim = DIM};
    for (int k = 0; k < scene->solids.count; k++) {
        spate_status status = sp_solids_add(&solids, &scene->solids.items[k], 0, NULL, error);
        if (status != SPATE_OK) {
            sp_solids_clear(&solids);
            return status;
        }
    }
    memset(forecast, 0, sizeof *forecast);
    spate_status status = X(seed_count)(scene, &g, &solids, &forecast->particles, error);
    sp_solids_clear(&solids);
    TRY(status);
    for (int d = 0; d < 3; d++) {
        forecast->cells[d] = g.n[d];
        forecast->domain[d] = d < DIM ? (double)g.n[d] * g.dx : 0;
    }
    forecast->cell_size = g.dx;
    double bytes = PROCESS_BYTES + THREAD_BYTES * threads +
                   preview_bytes(scene, &g, (double)forecast->particles);
    bytes += (double)forecast->particles * bytes_per_particle(scene);
    X(device_memory) needs = device->needs(scene, &g, forecast->particles);
    bytes +=
        X(arrays_bytes)(X(needs)(scene), &g) + (double)g.tile_count * (TILE_BYTES + 4.0 * threads);
    bytes += surface_bytes(scene, forecast->particles) + needs.host;
    disk_bytes(scene, &g, forecast);
    forecast->memory = (uint64_t)bytes;
    forecast->device_memory = needs.device;
    return file_bytes(scene, forecast->particles, &forecast->bytes_per_frame, error);
}
