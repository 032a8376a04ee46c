/* run_charts.c -- see run_charts.h. */
#include "run_charts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "scene/gauge.h"
#include "scene/medium.h"
#include "stats.h"

/* Columns by name, and columns made of others. */
typedef struct source {
    sp_stats_table table;
    double *made; /* MADE columns of table.rows */
    int used;
} source;

enum { MADE = 48 };

static bool has(const source *s, const char *name)
{
    for (int k = 0; k < s->table.columns; k++)
        if (strcmp(s->table.names[k], name) == 0)
            return true;
    return false;
}

static double *new_column(source *s)
{
    return s->made + (size_t)s->used++ * (size_t)s->table.rows;
}

static double *column(source *s, const char *name)
{
    double *values = new_column(s);
    for (int k = 0; k < s->table.rows; k++)
        values[k] = sp_stats_value(&s->table, k, name);
    return values;
}

static void add_series(sp_chart *chart, const char *name, const double *values)
{
    if (chart->series_count < SP_CHART_SERIES)
        chart->series[chart->series_count++] = (sp_series){name, values};
}

static void finish(sp_run_charts *charts, const sp_chart *chart, const char *name)
{
    if (charts->count == SP_RUN_CHARTS || chart->series_count == 0)
        return;
    sp_run_chart *c = &charts->charts[charts->count++];
    snprintf(c->name, sizeof c->name, "%s", name);
    sp_chart_draw(chart, &c->svg);
}

static sp_chart new_chart(source *s, const double *time, const char *title, const char *unit)
{
    return (sp_chart){
        .title = title, .x_label = "time (s)", .y_label = unit, .x = time, .count = s->table.rows};
}

/* ------------------------------------------------------------------ stats.csv */

/* A gas has no weight of its own: all its energy is that of its motion. */
static void draw_motion(sp_run_charts *charts, source *s, const double *time, bool flat)
{
    sp_chart chart = new_chart(s, time, "Energy of motion", flat ? "J per m of depth" : "J");
    chart.from_zero = true;
    add_series(&chart, "kinetic", column(s, "kinetic_energy"));
    finish(charts, &chart, "energy");
}

/* A chart for each channel that the grid holds: those with a column NAME_booked. */
static void draw_channels(sp_run_charts *charts, source *s, const double *time)
{
    static const char suffix[] = "_booked";
    for (int k = 0; k < s->table.columns; k++) {
        char name[48], title[96], cells[48], file[48];
        size_t length = strlen(s->table.names[k]), tail = sizeof suffix - 1;
        if (length <= tail || length - tail > 31 ||
            strcmp(s->table.names[k] + length - tail, suffix) != 0)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(length - tail), s->table.names[k]);
        snprintf(cells, sizeof cells, "%.31s_cells", name);
        snprintf(title, sizeof title, "Amount of %.31s", name);
        snprintf(file, sizeof file, "channel_%.31s", name);
        s->used = 1; /* the charts before are drawn; the first is the time */
        sp_chart chart = new_chart(s, time, title, "its unit times volume");
        add_series(&chart, "on the particles", column(s, name));
        add_series(&chart, "on the cells", column(s, cells));
        finish(charts, &chart, file);
    }
}

static void draw_energy(sp_run_charts *charts, source *s, const double *time, bool flat)
{
    sp_chart chart = new_chart(s, time, "Energy", flat ? "J per m of depth" : "J");
    double *kinetic = column(s, "kinetic_energy"), *potential = column(s, "potential_energy");
    double *total = new_column(s);
    for (int k = 0; k < s->table.rows; k++)
        total[k] = kinetic[k] + potential[k];
    chart.from_zero = true;
    add_series(&chart, "total", total);
    add_series(&chart, "potential", potential);
    add_series(&chart, "kinetic", kinetic);
    finish(charts, &chart, "energy");
}

/* Of a fixed amount of liquid the change since the start, else the amount. */
static void draw_volume(sp_run_charts *charts, source *s, const double *time, bool flat)
{
    double *volume = column(s, "volume"), *particles = column(s, "volume_particles");
    int last = s->table.rows - 1;
    bool fixed = sp_stats_value(&s->table, last, "added") == 0 &&
                 sp_stats_value(&s->table, last, "removed") == 0 && volume[0] > 0;
    sp_chart chart = new_chart(s, time, fixed ? "Volume since the start" : "Volume",
                               fixed  ? "%"
                               : flat ? "m² (per m of depth: m³)"
                                      : "m³");
    for (int k = last; k >= 0 && fixed; k--) {
        volume[k] = 100 * (volume[k] / volume[0] - 1);
        particles[k] = 100 * (particles[k] / particles[0] - 1);
    }
    add_series(&chart, "inside the surface", volume);
    add_series(&chart, "of the particles", particles);
    finish(charts, &chart, "volume");
}

static void draw_momentum(sp_run_charts *charts, source *s, const double *time, bool flat)
{
    sp_chart chart = new_chart(s, time, "Momentum", flat ? "kg m/s per m of depth" : "kg m/s");
    add_series(&chart, "x", column(s, "momentum_x"));
    add_series(&chart, "y", column(s, "momentum_y"));
    if (!flat)
        add_series(&chart, "z", column(s, "momentum_z"));
    finish(charts, &chart, "momentum");
}

static void draw_solver(sp_run_charts *charts, source *s, const double *time)
{
    sp_chart chart = new_chart(s, time, "Steps and solver", "count");
    double *iterations = column(s, "solver_iterations"), *steps = column(s, "substeps");
    for (int k = 0; k < s->table.rows; k++)
        iterations[k] = steps[k] > 0 ? iterations[k] / steps[k] : NAN;
    chart.from_zero = true;
    add_series(&chart, "solver iterations per step", iterations);
    add_series(&chart, "steps per frame", steps);
    finish(charts, &chart, "solver");
}

static void draw_speed(sp_run_charts *charts, source *s, const double *time)
{
    sp_chart chart = new_chart(s, time, "Highest speed", "m/s");
    chart.from_zero = true;
    add_series(&chart, "highest speed", column(s, "max_speed"));
    finish(charts, &chart, "speed");
}

static void draw_seconds(sp_run_charts *charts, source *s, const double *time)
{
    sp_chart chart = new_chart(s, time, "Computing time per frame, by stage", "s");
    chart.stacked = true;
    for (int k = 0; k < s->table.columns && s->used < MADE; k++) {
        const char *name = s->table.names[k];
        if (strncmp(name, "t_", 2) == 0)
            add_series(&chart, name + 2, column(s, name));
    }
    finish(charts, &chart, "time");
}

/* ------------------------------------------------------------------ gauges.csv */

static const struct {
    spate_gauge_kind kind;
    const char *name, *title, *unit, *flat_unit;
} kinds[] = {
    {SPATE_GAUGE_HEIGHT, "height", "Gauges: height of the water", "m", "m"},
    {SPATE_GAUGE_PRESSURE, "pressure", "Gauges: pressure", "Pa", "Pa"},
    {SPATE_GAUGE_VELOCITY, "velocity", "Gauges: velocity", "m/s", "m/s"},
    {SPATE_GAUGE_FLUX, "flux", "Gauges: flux", "m³/s", "m²/s"},
    {SPATE_GAUGE_FORCE, "force", "Gauges: force", "N", "N/m"},
    {SPATE_GAUGE_MOMENT, "moment", "Gauges: moment", "N m", "N"},
    {SPATE_GAUGE_FRONT, "front", "Gauges: front", "m", "m"},
    {SPATE_GAUGE_CHANNEL, "channel", "Gauges: channels", "", ""},
};

static void draw_gauges(sp_run_charts *charts, source *s, const spate_scene *scene)
{
    static char names[SP_CHART_SERIES][SP_GAUGE_LABEL];
    for (size_t n = 0; n < sizeof kinds / sizeof *kinds; n++) {
        s->used = 0;
        sp_chart chart = new_chart(s, column(s, "time"), kinds[n].title,
                                   scene->dim == 2 ? kinds[n].flat_unit : kinds[n].unit);
        for (int k = 0; k < scene->gauge_count; k++) {
            if (scene->gauges[k].kind != kinds[n].kind)
                continue;
            for (int v = 0; v < sp_gauge_values(&scene->gauges[k], scene->dim); v++) {
                if (chart.series_count == SP_CHART_SERIES)
                    continue;
                char *name = names[chart.series_count];
                sp_gauge_column(scene, k, v, name);
                if (has(s, name))
                    add_series(&chart, name, column(s, name));
            }
        }
        finish(charts, &chart, kinds[n].name);
    }
}

/* ------------------------------------------------------------------ both */

static spate_status open_source(source *s, const char *path, spate_error *error)
{
    *s = (source){.used = 0};
    TRY(sp_stats_read(path, &s->table, error));
    size_t numbers = (size_t)MADE * (size_t)s->table.rows;
    s->made = sp_alloc(numbers, sizeof *s->made);
    if (s->made)
        return SPATE_OK;
    sp_stats_clear(&s->table);
    return sp_fail_memory(error, path, numbers * sizeof *s->made);
}

static void close_source(source *s)
{
    sp_free(s->made);
    sp_stats_clear(&s->table);
}

spate_status sp_run_charts_make(sp_run_charts *charts, const sp_run_folder *folder,
                                const spate_scene *scene, spate_error *error)
{
    *charts = (sp_run_charts){.count = 0};
    source s;
    char path[SP_PATH_SIZE];
    TRY(open_source(&s, sp_run_folder_path(folder, "stats.csv", path), error));
    if (s.table.rows == 0) {
        close_source(&s);
        return sp_fail(error, SPATE_ERROR_FILE, path, "has no rows yet");
    }
    const double *time = column(&s, "time");
    bool flat = scene->dim == 2;
    if (sp_medium_of(scene)->has_surface) {
        draw_energy(charts, &s, time, flat);
        draw_volume(charts, &s, time, flat);
    } else {
        draw_motion(charts, &s, time, flat);
    }
    draw_momentum(charts, &s, time, flat);
    draw_speed(charts, &s, time);
    draw_solver(charts, &s, time);
    draw_seconds(charts, &s, time);
    draw_channels(charts, &s, time);
    close_source(&s);
    if (scene->gauge_count > 0 && sp_run_folder_has(folder, "gauges.csv")) {
        TRY(open_source(&s, sp_run_folder_path(folder, "gauges.csv", path), error));
        if (s.table.rows > 0)
            draw_gauges(charts, &s, scene);
        close_source(&s);
    }
    for (int k = 0; k < charts->count; k++)
        if (charts->charts[k].svg.failed)
            return sp_fail_memory(error, "a chart", 0);
    return SPATE_OK;
}

void sp_run_charts_clear(sp_run_charts *charts)
{
    for (int k = 0; k < charts->count; k++)
        sp_free(charts->charts[k].svg.bytes);
    charts->count = 0;
}
