/* target_particles.c -- a particle file of a run, read and written again as `spate export` does it;
 * the length of the input says in which format. */
#include "fuzz.h"

#include <stdio.h>

#include "io/export.h"
#include "io/particle_table.h"
#include "io/usd_file.h"

static spate_scene *make_scene(void)
{
    spate_scene *scene = spate_scene_create();
    FUZZ_MUST(scene);
    for (int d = 0; d < 3; d++)
        scene->domain.size[d] = 1;
    scene->domain.cells = 6;
    return scene;
}

static void export_all(const sp_particle_table *table, sp_format format, const char *path)
{
    spate_error error;
    fuzz_remove(path);
    sp_export *out = sp_export_create(path, format, table->fps, &error);
    FUZZ_MUST(out);
    if (format == SP_FORMAT_VDB || sp_export_particles(out, table, &error) == SPATE_OK)
        if (format == SP_FORMAT_VDB || format == SP_FORMAT_VTK)
            sp_export_volume(out, table, NULL, &error);
    sp_export_collect(out, &error);
    sp_export_destroy(out);
}

static void export_usd(const sp_particle_table *table, const char *path)
{
    spate_error error;
    sp_usd_file *file = sp_usd_file_create(path, table->fps, &error);
    FUZZ_MUST(file);
    sp_usd_file_particles(file, table, 0);
    sp_usd_file_close(file, &error);
}

void fuzz_particles(const uint8_t *bytes, size_t size)
{
    spate_error error = {.status = SPATE_OK};
    spate_scene *scene = make_scene();
    sp_particles particles = {.memory = NULL};
    sp_particle_table table;
    const char *path = fuzz_file("particles.0000.ply", bytes, size);
    if (sp_particle_table_read(&table, &particles, scene, 0, path, &error) == SPATE_OK) {
        FUZZ_MUST(sp_particle_table_probe(path, &error) == SPATE_OK);
        char target[512];
        float low[3], high[3];
        sp_particle_table_bounds(&table, 0.1, low, high);
        snprintf(target, sizeof target, "%s/out", fuzz_folder());
        if (size % (SP_FORMAT_COUNT + 1) < SP_FORMAT_COUNT)
            export_all(&table, (sp_format)(size % (SP_FORMAT_COUNT + 1)), target);
        else
            export_usd(&table, fuzz_file("all.usdc", "", 0));
        if (sp_particle_table_choose(&table, "velocity id speed", &error) == SPATE_OK)
            FUZZ_MUST(sp_particle_table_find(&table, "speed"));
    }
    sp_particles_clear(&particles);
    spate_scene_destroy(scene);
}
