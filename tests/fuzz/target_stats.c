/* target_stats.c -- stats.csv and gauges.csv, as `info`, `plot` and --resume read them. */
#include "fuzz.h"

#include <stdio.h>

#include "io/diagnosis.h"
#include "io/run_charts.h"
#include "io/stats.h"

static spate_scene *make_scene(void)
{
    spate_scene *scene = spate_scene_create();
    FUZZ_MUST(scene && spate_scene_add_gauge(scene) && spate_scene_add_gauge(scene));
    scene->dim = 2;
    scene->gauges[1].kind = SPATE_GAUGE_VELOCITY;
    return scene;
}

void fuzz_stats(const uint8_t *bytes, size_t size)
{
    spate_error error = {.status = SPATE_OK};
    spate_scene *scene = make_scene();
    sp_run_folder folder = {.descriptor = -1};
    sp_run_charts charts;
    sp_stats_table table;
    sp_diagnosis verdicts[SP_VERDICTS];
    int rows;
    fuzz_file("gauges.csv", bytes, size);
    const char *path = fuzz_file("stats.csv", bytes, size);
    FUZZ_MUST(sp_run_folder_open_to_read(&folder, fuzz_folder(), &error) == SPATE_OK);
    bool good = sp_stats_read(path, &table, &error) == SPATE_OK;
    if (good) {
        for (int gas = 0; gas < 2; gas++)
            sp_diagnose(&table, &(sp_run_kind){.spacing = 0.01, .gas = gas}, verdicts);
        sp_stats_clear(&table);
    }
    if (sp_run_charts_make(&charts, &folder, scene, &error) == SPATE_OK)
        FUZZ_MUST(good);
    sp_run_charts_clear(&charts);
    FUZZ_MUST(sp_stats_cut(path, 2, &rows, &error) == SPATE_OK);
    if (good && sp_stats_read(path, &table, &error) == SPATE_OK) {
        FUZZ_MUST(table.rows <= rows); /* fewer behind a 0 byte */
        sp_stats_clear(&table);
    }
    sp_run_folder_close(&folder);
    spate_scene_destroy(scene);
}
