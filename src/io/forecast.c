/* forecast.c -- what the output of a run will need: memory for pictures and surfaces, bytes on
 * disk. What the simulation itself needs is src/sim/forecast.c. */
#include "base/status.h"
#include "field_set.h"
#include "scene/attributes.h"
#include "scene/medium.h"
#include "state/particle_set.h"

#include <spate/spate_io.h>

#include <math.h>
#include <string.h>

static double cells_of(const spate_forecast *f)
{
    return (double)f->cells[0] * f->cells[1] * f->cells[2];
}

static double liquid_cells(const spate_scene *scene, uint64_t particles)
{
    double cells = (double)particles;
    for (int d = 0; d < scene->dim; d++)
        cells /= scene->fluid.particles_per_axis;
    return cells;
}

/* A frame's fields of the grid, which volume files and pictures of a gas are made of: one copy, and
 * for the last picture another one. */
static double fields_bytes(const spate_scene *scene, const spate_forecast *f)
{
    bool gas = !sp_medium_of(scene)->has_surface;
    bool file = scene->output.volume == SPATE_OUTPUT_VOLUME_VTK;
    double sets = (file || (gas && scene->output.preview_height > 0)) +
                  (gas && scene->output.preview ? 1 : 0);
    return sets * sp_field_set_bytes(scene, cells_of(f));
}

/* The picture of a gas has a plane of cells and no more than its pixels. */
static double gas_preview_bytes(const spate_scene *scene, const spate_forecast *f)
{
    double height = scene->output.preview_height, film = height * height * 16 / 9 * 15;
    double still = 1280.0 * 720 * 12, plane = 4.0 * f->cells[0] * f->cells[1];
    return plane + (film > still ? film : still);
}

/* The pictures of a run (src/render): the film while it goes on, with its copy of the particles,
 * then the picture of the last frame. Both have a field of two nodes per cell and axis. Where no
 * solid is seen, a third of what the pixels have is never touched; solids are taken to fill half of
 * the picture. */
static double preview_bytes(const spate_scene *scene, const spate_forecast *f)
{
    if (!scene->output.preview)
        return 0;
    if (!sp_medium_of(scene)->has_surface)
        return gas_preview_bytes(scene, f);
    bool flat = scene->dim == 2;
    double particles = (double)f->particles, cells = cells_of(f), nodes = flat ? 4 : 8;
    double height = scene->output.preview_height;
    double per_pixel = flat ? 12 : scene->solids.count > 0 ? 34 : 28;
    double field = cells * nodes * (flat ? 8 : 4.1);
    double still = 1280.0 * 720 * per_pixel, film = height * height * 16 / 9 * (per_pixel + 3);
    film = height > 0 ? film + particles * 8 * scene->dim * 1.125 : 0;
    return field + particles * 4 + (film > still ? film : still);
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
    double cells = liquid_cells(scene, particles);
    return scene->dim == 3 ? cbrt(cells) * cbrt(cells) : sqrt(cells);
}

/* Vertices of a surface, by that measure: what splashes have on average and at their wildest. */
#define VERTICES_MEAN 11.0
#define VERTICES_MOST 18.0

static double surface_vertices(const spate_scene *scene, uint64_t particles, double times)
{
    double vertices = times * face_of_liquid(scene, particles);
    for (int d = 1; d < scene->dim; d++)
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
 * those of the liquid and of blocks along its surface; beside them, in VTK, fields of the grid.
 * Films and pictures as measured on all presets. */
#define VERTEX_FILE_BYTES (36 + 2 * 13)
#define VERTEX_FILE_BYTES_2D (36 + 8)
#define VOLUME_CELL_BYTES 16
#define VDB_SURFACE_CELLS 70 /* by the measure of a surface */
#define VDB_FIXED_BYTES 1.3e5
#define FILM_PIXEL_BYTES 0.02
#define PICTURE_BYTES 6e5

/* Of the files of the sets beside the fluid: place, velocity, id and the columns that output has.
 */
static uint64_t set_file_bytes(const spate_scene *scene, const spate_forecast *simulation)
{
    uint64_t bytes = 0;
    for (int k = SET_FLUID + 1; k < SET_COUNT; k++) {
        const sp_set_kind *kind = sp_set_kind_of(scene->dim, k);
        uint64_t numbers = 7;
        for (int c = 0; c < kind->column_count; c++)
            numbers += kind->columns[c].name ? (uint64_t)kind->columns[c].components : 0;
        bytes += 4 * numbers * sp_forecast_of_set(simulation, k);
    }
    return bytes;
}

static void disk_bytes(const spate_scene *scene, const spate_forecast *f,
                       spate_output_forecast *out)
{
    bool has_surface = sp_medium_of(scene)->has_surface;
    double stored =
        liquid_cells(scene, f->particles) + VDB_SURFACE_CELLS * face_of_liquid(scene, f->particles);
    if (scene->output.volume == SPATE_OUTPUT_VOLUME_VTK)
        out->volume_bytes = (uint64_t)((has_surface ? VOLUME_CELL_BYTES * cells_of(f) : 0) +
                                       sp_field_set_bytes(scene, cells_of(f)));
    else if (scene->output.volume == SPATE_OUTPUT_VOLUME_VDB)
        out->volume_bytes = (uint64_t)(VOLUME_CELL_BYTES * stored + VDB_FIXED_BYTES);
    out->mesh_bytes = (uint64_t)((scene->dim == 3 ? VERTEX_FILE_BYTES : VERTEX_FILE_BYTES_2D) *
                                 surface_vertices(scene, f->particles, VERTICES_MEAN));
    double height = scene->output.preview_height, pixels = height * height * 16 / 9;
    double frames = scene->frames / scene->output.every + 1;
    if (scene->output.preview)
        out->film_bytes = (uint64_t)(PICTURE_BYTES + FILM_PIXEL_BYTES * pixels * frames);
}

static spate_status forecast_of(const spate_scene *scene, const spate_forecast *simulation,
                                spate_output_forecast *all, spate_error *error)
{
    all->memory = (uint64_t)(preview_bytes(scene, simulation) + fields_bytes(scene, simulation) +
                             surface_bytes(scene, simulation->particles));
    disk_bytes(scene, simulation, all);
    return file_bytes(scene, simulation->particles, &all->particles_bytes, error);
}

spate_status spate_output_forecast_sized(const spate_scene *scene, const spate_forecast *simulation,
                                         spate_output_forecast *forecast, size_t size,
                                         spate_error *error)
{
    spate_output_forecast all = {0};
    spate_scene *settled = spate_scene_copy(scene);
    if (!settled)
        return sp_fail_memory(error, "a forecast", sizeof *settled);
    spate_status status = spate_scene_settle(settled, error);
    if (status == SPATE_OK)
        status = forecast_of(settled, simulation, &all, error);
    spate_scene_destroy(settled);
    TRY(status);
    if (all.particles_bytes > 0)
        all.particles_bytes += set_file_bytes(scene, simulation);
    all.size = (uint32_t)(size < sizeof all ? size : sizeof all);
    memcpy(forecast, &all, all.size);
    return SPATE_OK;
}
