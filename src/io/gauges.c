/* gauges.c -- writing gauges.csv and cutting it back. Numbers are printed so that different values
 * are told apart; they depend on the scene alone, so that a resumed run leaves the same file as one
 * that was never stopped. */
#include "gauges.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "append.h"
#include "base/memory.h"
#include "base/status.h"
#include "file.h"
#include "gauge_samples.h"
#include "scene/gauge.h"

#define CELL_SIZE (SP_GAUGE_HEADING + 1) /* bytes of a cell with its comma, heading or number */

struct sp_gauges {
    sp_append file;
    sp_gauge_samples *samples; /* NULL: none are asked for */
    size_t line_size;
    char *line;
};

/* ------------------------------------------------------------------ lines */

static size_t names_line(const spate_sim *sim, char *line, size_t size)
{
    const spate_scene *scene = spate_sim_scene(sim);
    size_t used = (size_t)snprintf(line, size, "time [s],step");
    for (int k = 0; k < scene->gauge_count; k++)
        for (int v = 0; v < sp_gauge_values(&scene->gauges[k], scene->dim); v++) {
            char heading[SP_GAUGE_HEADING];
            sp_gauge_heading(scene, k, v, heading);
            used += (size_t)snprintf(line + used, size - used, ",%s", heading);
        }
    line[used++] = '\n';
    return used;
}

static size_t values_line(spate_sim *sim, char *line, size_t size)
{
    size_t used = (size_t)snprintf(line, size, "%.12g,%llu", spate_sim_time(sim),
                                   (unsigned long long)spate_sim_steps(sim));
    for (int k = 0; k < spate_sim_gauge_count(sim); k++) {
        double values[3];
        int count = spate_sim_gauge_read(sim, k, values);
        for (int v = 0; v < count; v++)
            used += (size_t)snprintf(line + used, size - used, ",%.9g", values[v]);
    }
    line[used++] = '\n';
    return used;
}

/* ------------------------------------------------------------------ the file */

/* Slices alone have files of their own. */
static bool has_values(const spate_scene *scene)
{
    bool found = false;
    for (int k = 0; k < scene->gauge_count; k++)
        found = found || sp_gauge_values(&scene->gauges[k], scene->dim) > 0;
    return found;
}

/* Memory for the file's lines; *gauges stays NULL if the scene has no gauges with values. */
static spate_status make(const char *path, const spate_sim *sim, sp_gauges **gauges,
                         spate_error *error)
{
    *gauges = NULL;
    if (!has_values(spate_sim_scene(sim)))
        return SPATE_OK;
    sp_gauges *made = sp_alloc(1, sizeof *made);
    size_t size = (2 + 3 * (size_t)spate_sim_gauge_count(sim)) * CELL_SIZE;
    char *line = sp_alloc(size, 1);
    if (!made || !line) {
        sp_free(made);
        sp_free(line);
        return sp_fail_memory(error, path, size);
    }
    made->line_size = size;
    made->line = line;
    *gauges = made;
    TRY(sp_append_init(&made->file, path, error));
    names_line(sim, line, size);
    return sp_gauge_samples_create(path, spate_sim_scene(sim), line, &made->samples, error);
}

static spate_status write_names(sp_gauges *gauges, const spate_sim *sim, spate_error *error)
{
    size_t length = names_line(sim, gauges->line, gauges->line_size);
    return sp_append_create(&gauges->file, gauges->line, length, error);
}

static spate_status close_if_failed(spate_status status, sp_gauges **gauges)
{
    if (status != SPATE_OK) {
        sp_gauges_close(*gauges);
        *gauges = NULL;
    }
    return status;
}

spate_status sp_gauges_create(const char *path, spate_sim *sim, sp_gauges **gauges,
                              spate_error *error)
{
    spate_status status = make(path, sim, gauges, error);
    if (!*gauges)
        return status;
    if (status == SPATE_OK)
        status = write_names(*gauges, sim, error);
    if (status == SPATE_OK)
        status = sp_gauges_append(*gauges, sim, error);
    return close_if_failed(status, gauges);
}

/* Whether a row, up to its end, is of a step that the simulation has taken. */
static bool is_past(const spate_sim *sim, const char *row, const char *end)
{
    const char *comma = memchr(row, ',', (size_t)(end - row));
    double time, now = spate_sim_time(sim);
    return comma && strtoull(comma + 1, NULL, 10) <= spate_sim_steps(sim) &&
           sp_text_number(row, &time) == comma && time <= now + 1e-9 * now;
}

/* Removes the rows that the simulation is to write; those that stay are sampled again. */
static spate_status cut(sp_gauges *gauges, const spate_sim *sim, uint64_t *rows, spate_error *error)
{
    char *text;
    size_t size, keep = 0;
    uint64_t lines = 0; /* the line of names included */
    spate_status status = SPATE_OK;
    TRY(sp_file_read_all(gauges->file.path, &text, &size, error));
    for (char *line = text, *end;
         status == SPATE_OK && (end = memchr(line, '\n', size - (size_t)(line - text)));
         line = end + 1) {
        if (lines > 0 && !is_past(sim, line, end))
            break;
        if (lines > 0)
            status = sp_gauge_samples_add(gauges->samples, line, error);
        lines++;
        keep = (size_t)(end + 1 - text);
    }
    /* a file of its own: rows that are added from now on are not those of a copy by links */
    if (status == SPATE_OK && lines > 0)
        status = sp_append_create(&gauges->file, text, keep, error);
    sp_free(text);
    *rows = lines > 0 ? lines - 1 : 0;
    return status;
}

spate_status sp_gauges_resume(const char *path, spate_sim *sim, sp_gauges **gauges, uint64_t *rows,
                              spate_error *error)
{
    uint64_t found = 0;
    spate_status status = make(path, sim, gauges, error);
    if (rows)
        *rows = 0;
    if (!*gauges)
        return status;
    if (status == SPATE_OK && access(path, F_OK) == 0)
        status = cut(*gauges, sim, &found, error);
    if (status == SPATE_OK && (*gauges)->file.descriptor < 0)
        status = write_names(*gauges, sim, error);
    if (rows)
        *rows = found;
    return close_if_failed(status, gauges);
}

spate_status sp_gauges_append(sp_gauges *gauges, spate_sim *sim, spate_error *error)
{
    if (!gauges)
        return SPATE_OK;
    size_t length = values_line(sim, gauges->line, gauges->line_size);
    TRY(sp_append_write(&gauges->file, gauges->line, length, error));
    return sp_gauge_samples_add(gauges->samples, gauges->line, error);
}

spate_status sp_gauges_sync(sp_gauges *gauges, spate_error *error)
{
    if (!gauges)
        return SPATE_OK;
    TRY(sp_append_sync(&gauges->file, error));
    return sp_gauge_samples_sync(gauges->samples, error);
}

void sp_gauges_close(sp_gauges *gauges)
{
    if (!gauges)
        return;
    sp_gauge_samples_close(gauges->samples);
    sp_append_clear(&gauges->file);
    sp_free(gauges->line);
    sp_free(gauges);
}
