/* target_volume.c -- a volume file of a run of a gas: read, looked at as pictures do it, and
 * written again. */
#include "fuzz.h"

#include "io/vtk.h"
#include "render/gas.h"

static spate_scene *make_scene(void)
{
    spate_scene *scene = spate_scene_create();
    FUZZ_MUST(scene);
    scene->dim = 2;
    scene->domain.size[0] = scene->domain.size[1] = 1;
    scene->domain.cells = 4;
    scene->fluid.kind = SPATE_FLUID_GAS;
    return scene;
}

void fuzz_volume(const uint8_t *bytes, size_t size)
{
    static const char *const fields[] = {NULL, "vorticity", "velocity", "pressure", "type"};
    spate_error error = {.status = SPATE_OK};
    spate_scene *scene = make_scene();
    sp_field_set set = {.memory = NULL};
    sp_gas_plane plane = {.values = NULL};
    const char *path = fuzz_file("volume.0000.vti", bytes, size);
    bool probed = sp_field_set_probe(scene, path, &error) == SPATE_OK;
    bool good = sp_field_set_read(&set, scene, 0, path, &error) == SPATE_OK;
    FUZZ_MUST(good == probed);
    for (size_t k = 0; good && k < sizeof fields / sizeof *fields; k++)
        if (sp_gas_plane_take(&plane, &set, &(sp_look){.field = fields[k]}, &error) == SPATE_OK)
            FUZZ_MUST(plane.n[0] == 4 && plane.n[1] == 4);
    if (good) {
        FUZZ_MUST(sp_vtk_write_volume(NULL, &set, 0, path, &error) == SPATE_OK);
        FUZZ_MUST(sp_field_set_read(&set, scene, 0, path, &error) == SPATE_OK);
    }
    sp_gas_plane_clear(&plane);
    sp_field_set_clear(&set);
    spate_scene_destroy(scene);
}
