/* target_scene.c -- scene JSON, as `spate check` takes it. A scene that is good must have a text,
 * which is a scene again, with the same values and the same text. */
#include "fuzz.h"
#include "same_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/gauge.h"
#include "scene/solid_mesh.h"

/* Files that a scene may name. */
static const char *make_folder(void)
{
    static const char box[] =
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    static const char dots[] = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\n"
                               "property float y\nproperty float z\nend_header\n.1 .1 .1\n";
    static bool made;
    if (!made) {
        fuzz_file("m.obj", box, sizeof box - 1);
        fuzz_file("p.ply", dots, sizeof dots - 1);
        made = true;
    }
    return fuzz_folder();
}

/* What exports and tables make of a good scene: meshes of its solids, headings of its gauges. */
static void show(const spate_scene *scene)
{
    sp_solid_meshes solids;
    spate_surface all;
    spate_error error = {.status = SPATE_OK};
    if (sp_solid_meshes_create(&solids, scene, &error) == SPATE_OK) {
        if (sp_solid_meshes_at(&solids, 0.3, &all, &error) == SPATE_OK) {
            for (size_t k = 0; k < 3 * all.vertices; k++)
                FUZZ_MUST(isfinite(all.positions[k]) && isfinite(all.normals[k]));
            sp_solid_mesh_free(&all);
        }
        sp_solid_meshes_clear(&solids);
    }
    for (int k = 0; k < scene->gauge_count; k++)
        for (int v = 0; v < sp_gauge_values(&scene->gauges[k], scene->dim); v++) {
            char heading[SP_GAUGE_HEADING];
            sp_gauge_heading(scene, k, v, heading);
            FUZZ_MUST(!strpbrk(heading, ",\"\n") && strstr(heading, " ["));
        }
}

void fuzz_scene(const uint8_t *bytes, size_t size)
{
    spate_error error = {.status = SPATE_OK};
    const char *folder = make_folder();
    spate_scene *scene = spate_scene_parse((const char *)bytes, size, folder, &error);
    FUZZ_MUST(scene || (error.status != SPATE_OK && error.message[0]));
    if (!scene)
        return;
    if (spate_scene_check(scene, NULL, NULL, &error) == SPATE_OK) {
        char *text = spate_scene_text(scene);
        spate_scene *again = spate_scene_parse(text, strlen(text), folder, &error);
        FUZZ_MUST(again && spate_scene_check(again, NULL, NULL, &error) == SPATE_OK);
        char different[256];
        if (!same_scene(scene, again, different, sizeof different))
            fuzz_broken(__FILE__, __LINE__, different);
        char *second = spate_scene_text(again);
        FUZZ_MUST(strcmp(text, second) == 0);
        spate_free(text);
        spate_free(second);
        spate_scene_destroy(again);
        show(scene);
        spate_forecast forecast;
        if (fuzz_is_small(scene))
            spate_scene_forecast(scene, NULL, &forecast, &error);
    }
    spate_scene_destroy(scene);
}
