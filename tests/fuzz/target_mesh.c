/* target_mesh.c -- meshes: OBJ, STL, PLY; what is accepted answers questions of distance. The same
 * bytes as a surface file of a run. */
#include "fuzz.h"

#include <math.h>

#include "io/surface_read.h"
#include "scene/mesh.h"

void fuzz_mesh(const uint8_t *bytes, size_t size)
{
    spate_error error = {.status = SPATE_OK};
    const char *path = fuzz_file("mesh", bytes, size);
    spate_mesh *mesh = spate_mesh_read(path, &error);
    FUZZ_MUST(mesh || (error.status != SPATE_OK && error.message[0]));
    if (mesh) {
        static const double points[3][3] = {{0, 0, 0}, {0.3, 0.2, 0.1}, {-5, 2, 100}};
        for (int k = 0; k < 3; k++) {
            double normal[3];
            FUZZ_MUST(!isnan(sp_mesh_distance(mesh, points[k], normal)));
        }
        spate_mesh_destroy(mesh);
    }
    spate_surface surface;
    if (sp_surface_file_read(&surface, path, &error) == SPATE_OK)
        sp_surface_file_clear(&surface);
}
