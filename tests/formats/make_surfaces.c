/* make_surfaces.c -- writes small surfaces in all formats, for the readers of tests/formats: a
 * tetrahedron, the outline of a square (2D), and one without vertices.
 *
 *     formats_surfaces FOLDER [CACHE]
 *
 * CACHE becomes a fluid cache of Blender with the tetrahedron in a domain of 1 x 0.75 x 0.5 m. */
#include "io/blender.h"

#include <spate/spate_io.h>

#include <stdio.h>

static int write_all(const spate_surface *mesh, const char *folder, const char *name)
{
    static const char *const endings[] = {"ply", "vtp", "usda", "usdc", "bobj.gz"};
    for (int k = 0; k < (mesh->dim == 2 ? 4 : 5); k++) {
        char path[1024];
        spate_error error = {0};
        snprintf(path, sizeof path, "%s/%s.%s", folder, name, endings[k]);
        if (spate_surface_write(mesh, path, &error) == SPATE_OK)
            continue;
        fprintf(stderr, "%s: %s\n", error.where, error.message);
        return 1;
    }
    return 0;
}

static int write_cache(const spate_surface *mesh, const char *folder)
{
    float moved[12];
    spate_error error = {0};
    const sp_particles none = {.frame = 0};
    sp_particle_table table = {.particles = &none,
                               .dim = 3,
                               .fps = 25,
                               .cell_size = 0.125,
                               .cells = {8, 6, 4},
                               .size = {1, 0.75, 0.5},
                               .radius = 0.03,
                               .attributes = {{.name = "position", .components = 3}},
                               .attribute_count = 1};
    const sp_blender_scene cache = {.domain = &table, .particles = true, .surface = true};
    for (int k = 0; k < 12; k++)
        moved[k] = mesh->positions[k] + 0.125f;
    spate_surface inside = *mesh;
    inside.positions = moved;
    if (sp_blender_begin(folder, &error) == SPATE_OK &&
        sp_blender_particles(folder, &table, &error) == SPATE_OK &&
        sp_blender_surface(folder, &table, &inside, 0, &error) == SPATE_OK &&
        sp_blender_end(folder, &cache, &error) == SPATE_OK)
        return 0;
    fprintf(stderr, "%s: %s\n", error.where, error.message);
    return 1;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    float corners[] = {0, 0, 0, 0.75f, 0, 0, 0, 0.5f, 0, 0, 0, 0.25f};
    float square[] = {0, 0, 0, 0.75f, 0, 0, 0.75f, 0.5f, 0, 0, 0.5f, 0};
    float normals[] = {-0.6f, -0.8f, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    float velocities[12];
    for (int k = 0; k < 4; k++) {
        velocities[3 * k] = (float)k;
        velocities[3 * k + 1] = 10 * (float)k;
        velocities[3 * k + 2] = 100 * (float)k;
    }
    uint32_t triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}, edges[] = {0, 1, 1, 2, 2, 3, 3, 0};
    const spate_surface tetrahedron = {4, 4, corners, normals, velocities, triangles, 3};
    const spate_surface outline = {4, 4, square, normals, velocities, edges, 2};
    const spate_surface nothing = {0, 0, corners, normals, velocities, triangles, 3};
    if (argc > 2 && write_cache(&tetrahedron, argv[2]) != 0)
        return 1;
    return write_all(&tetrahedron, argv[1], "tetrahedron") ||
           write_all(&outline, argv[1], "outline") || write_all(&nothing, argv[1], "nothing");
}
