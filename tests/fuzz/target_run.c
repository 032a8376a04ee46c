/* target_run.c -- run.json, as `export`, `info` and --resume read it. */
#include "fuzz.h"

#include <string.h>

#include "base/memory.h"
#include "io/particle_table.h"
#include "io/run_folder.h"

void fuzz_run(const uint8_t *bytes, size_t size)
{
    static const char other[] =
        "{\"domain\": {\"size\": [1, 1]}, \"fps\": 30, \"fill\": [{\"name\": \"\"}]}";
    spate_error error = {.status = SPATE_OK};
    sp_run_folder folder = {.descriptor = -1};
    sp_run_info info;
    fuzz_file("run.json", bytes, size);
    FUZZ_MUST(sp_run_folder_open_to_read(&folder, fuzz_folder(), &error) == SPATE_OK);
    if (sp_run_info_read(&folder, &info, &error) == SPATE_OK) {
        sp_difference difference;
        bool differ;
        FUZZ_MUST(sp_scene_difference(info.scene, info.scene, &differ, &difference, &error) ==
                  SPATE_OK);
        FUZZ_MUST(!differ);
        sp_scene_difference(info.scene, other, &differ, &difference, &error);
        sp_scene_difference(other, info.scene, &differ, &difference, &error);
        spate_scene *scene = sp_run_info_scene(&folder, &info, &error);
        if (scene)
            FUZZ_MUST(sp_particle_table_of_scene(scene).dim == scene->dim);
        spate_scene_destroy(scene);
        spate_scene_destroy(spate_scene_parse(info.scene, strlen(info.scene), ".", &error));
        sp_free(info.scene);
    }
    sp_run_folder_close(&folder);
}
