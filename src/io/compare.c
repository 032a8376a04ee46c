/* compare.c -- see compare.h.
 *
 * Runs have rows at times of their own. A chart has one axis: the times of all runs in order, and a
 * line leaves out those at which its run has no row. */
#include "compare.h"

#include "base/memory.h"
#include "base/status.h"
#include <spate/spate_io.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ reading */

spate_status sp_compared_read(sp_compared *run, const char *folder_name, spate_error *error)
{
    sp_run_folder folder;
    sp_run_info info = {0};
    char path[SP_PATH_SIZE];
    *run = (sp_compared){.scene = NULL};
    snprintf(run->name, sizeof run->name, "%s", folder_name);
    TRY(sp_run_folder_open_to_read(&folder, folder_name, error));
    spate_status status = SPATE_OK;
    if (!sp_run_folder_has(&folder, "run.json"))
        status =
            sp_fail(error, SPATE_ERROR_FILE, folder_name, "holds no run (there is no run.json)");
    if (status == SPATE_OK)
        status = sp_run_info_read(&folder, &info, error);
    if (status == SPATE_OK) {
        run->scene = spate_scene_parse(info.scene, strlen(info.scene), ".", error);
        status = run->scene ? SPATE_OK : error->status;
    }
    if (status == SPATE_OK)
        status = sp_stats_read(sp_run_folder_path(&folder, "stats.csv", path), &run->stats, error);
    if (status == SPATE_OK && run->stats.rows == 0)
        status = sp_fail(error, SPATE_ERROR_FILE, path, "has no rows yet");
    if (status == SPATE_OK && sp_run_folder_has(&folder, "gauges.csv"))
        status =
            sp_stats_read(sp_run_folder_path(&folder, "gauges.csv", path), &run->gauges, error);
    sp_free(info.scene);
    sp_run_folder_close(&folder);
    if (status != SPATE_OK)
        sp_compared_clear(run);
    return status;
}

void sp_compared_clear(sp_compared *run)
{
    sp_stats_clear(&run->stats);
    sp_stats_clear(&run->gauges);
    spate_scene_destroy(run->scene);
    run->scene = NULL;
}

static int column_of(const sp_stats_table *table, const char *name)
{
    for (int k = 0; k < table->columns; k++)
        if (strcmp(table->names[k], name) == 0)
            return k;
    return -1;
}

static double cell(const sp_stats_table *table, int row, int column)
{
    return column < 0 ? NAN : table->values[(size_t)row * (size_t)table->columns + (size_t)column];
}

/* ------------------------------------------------------------------ charts */

typedef double quantity_fn(const sp_stats_table *table, int row, const char *name);

static double as_it_is(const sp_stats_table *table, int row, const char *name)
{
    return cell(table, row, column_of(table, name));
}

static double energy(const sp_stats_table *table, int row, const char *name)
{
    (void)name;
    return as_it_is(table, row, "kinetic_energy") + as_it_is(table, row, "potential_energy");
}

/* Of what the liquid has, by the ledger, in percent. */
static double volume_kept(const sp_stats_table *table, int row, const char *name)
{
    (void)name;
    double particles = as_it_is(table, row, "volume_particles");
    return particles > 0 ? 100 * (as_it_is(table, row, "volume") / particles - 1) : NAN;
}

/* Where a run's rows go on the common axis. */
typedef struct moment {
    double time;
    int run, row;
} moment;

static int by_time(const void *a, const void *b)
{
    const moment *p = a, *q = b;
    if (p->time != q->time)
        return p->time < q->time ? -1 : 1;
    return p->run != q->run ? p->run - q->run : p->row - q->row;
}

typedef struct overlay {
    const sp_compared *runs;
    int count;
    bool gauges; /* their tables; else those of stats */
    moment *moments;
    double *numbers; /* the axis, then a line for each run */
    int rows;
} overlay;

static const sp_stats_table *table_of(const overlay *o, int run)
{
    return o->gauges ? &o->runs[run].gauges : &o->runs[run].stats;
}

static spate_status overlay_begin(overlay *o, spate_error *error)
{
    size_t rows = 0;
    for (int k = 0; k < o->count; k++)
        rows += (size_t)table_of(o, k)->rows;
    o->moments = sp_alloc(rows + 1, sizeof *o->moments);
    o->numbers = sp_alloc((rows + 1) * (size_t)(o->count + 1), sizeof *o->numbers);
    if (!o->moments || !o->numbers || rows > 100000000)
        return sp_fail_memory(error, "the charts", rows * sizeof(double) * (size_t)(o->count + 1));
    o->rows = 0;
    for (int k = 0; k < o->count; k++)
        for (int row = 0; row < table_of(o, k)->rows; row++)
            o->moments[o->rows++] = (moment){as_it_is(table_of(o, k), row, "time"), k, row};
    qsort(o->moments, (size_t)o->rows, sizeof *o->moments, by_time);
    for (int row = 0; row < o->rows; row++)
        o->numbers[row] = o->moments[row].time;
    return SPATE_OK;
}

static void overlay_end(overlay *o)
{
    sp_free(o->moments);
    sp_free(o->numbers);
}

static void draw(const overlay *o, sp_run_charts *charts, const char *name, const char *title,
                 const char *unit, quantity_fn *quantity)
{
    sp_chart chart = {.title = title, .x_label = "time (s)", .y_label = unit};
    bool any = false;
    if (charts->count == SP_RUN_CHARTS)
        return;
    for (int k = 0; k < o->count; k++) {
        double *line = o->numbers + (size_t)(k + 1) * (size_t)o->rows;
        for (int row = 0; row < o->rows; row++) {
            const moment *m = &o->moments[row];
            line[row] = m->run == k ? quantity(table_of(o, k), m->row, name) : NAN;
            any = any || isfinite(line[row]);
        }
        chart.series[chart.series_count++] = (sp_series){o->runs[k].name, line};
    }
    chart.x = o->numbers;
    chart.count = o->rows;
    sp_run_chart *c = &charts->charts[charts->count];
    if (!any)
        return;
    charts->count++;
    snprintf(c->name, sizeof c->name, "%.31s", name);
    sp_chart_draw(&chart, &c->svg);
}

/* Each column of the gauges once, in the order in which they are met. */
static void draw_gauges(const overlay *o, sp_run_charts *charts)
{
    for (int k = 0; k < o->count; k++) {
        const sp_stats_table *table = table_of(o, k);
        for (int c = 0; c < table->columns; c++) {
            const char *name = table->names[c];
            bool seen = strcmp(name, "time") == 0 || strcmp(name, "step") == 0;
            for (int before = 0; before < k && !seen; before++)
                seen = column_of(table_of(o, before), name) >= 0;
            if (!seen)
                draw(o, charts, name, name, "", as_it_is);
        }
    }
}

spate_status sp_compare_charts(sp_run_charts *charts, const sp_compared *runs, int count,
                               spate_error *error)
{
    *charts = (sp_run_charts){.count = 0};
    overlay o = {.runs = runs, .count = count < SP_CHART_SERIES ? count : SP_CHART_SERIES};
    spate_status status = overlay_begin(&o, error);
    if (status == SPATE_OK) {
        draw(&o, charts, "energy", "Energy", "J (2D: per m of depth)", energy);
        draw(&o, charts, "kinetic_energy", "Kinetic energy", "J (2D: per m of depth)", as_it_is);
        draw(&o, charts, "volume", "Volume inside the surface, against the particles'", "%",
             volume_kept);
        draw(&o, charts, "max_speed", "Highest speed", "m/s", as_it_is);
        draw(&o, charts, "substeps", "Steps per frame", "", as_it_is);
        draw(&o, charts, "seconds", "Computing time per frame", "s", as_it_is);
    }
    overlay_end(&o);
    overlay g = {.runs = runs, .count = o.count, .gauges = true};
    if (status == SPATE_OK)
        status = overlay_begin(&g, error);
    if (status == SPATE_OK)
        draw_gauges(&g, charts);
    overlay_end(&g);
    for (int k = 0; k < charts->count && status == SPATE_OK; k++)
        if (charts->charts[k].svg.failed)
            status = sp_fail_memory(error, "a chart", 0);
    if (status != SPATE_OK)
        sp_run_charts_clear(charts);
    return status;
}

/* ------------------------------------------------------------------ numbers */

static void put(sp_result results[SP_RESULTS], int *count, const char *name, const char *unit,
                double value)
{
    if (*count == SP_RESULTS)
        return;
    sp_result *r = &results[(*count)++];
    snprintf(r->name, sizeof r->name, "%s", name);
    snprintf(r->unit, sizeof r->unit, "%s", unit);
    r->value = value;
}

/* Over the steps in the second half of the time, each as long as it is. */
static double mean_of_half(const sp_stats_table *t, int column)
{
    int clock = column_of(t, "time");
    double sum = 0, length = 0, half = t->rows > 0 ? 0.5 * cell(t, t->rows - 1, clock) : 0;
    for (int row = 1; row < t->rows; row++) {
        double dt = cell(t, row, clock) - cell(t, row - 1, clock);
        if (cell(t, row, clock) <= half || !isfinite(cell(t, row, column)))
            continue;
        sum += dt * cell(t, row, column);
        length += dt;
    }
    return length > 0 ? sum / length : NAN;
}

static double most_of(const sp_stats_table *t, int column)
{
    double most = -HUGE_VAL;
    for (int row = 0; row < t->rows; row++)
        most = cell(t, row, column) > most ? cell(t, row, column) : most;
    return most > -HUGE_VAL ? most : NAN;
}

static double sum_of(const sp_stats_table *t, const char *name)
{
    int column = column_of(t, name);
    double sum = 0;
    for (int row = 0; row < t->rows; row++)
        sum += cell(t, row, column);
    return sum;
}

int sp_compare_results(const sp_compared *run, sp_result results[SP_RESULTS])
{
    const sp_stats_table *s = &run->stats, *g = &run->gauges;
    int count = 0, last = s->rows - 1;
    put(results, &count, "frames", "", as_it_is(s, last, "frame"));
    put(results, &count, "particles", "", as_it_is(s, last, "particles"));
    put(results, &count, "steps", "", sum_of(s, "substeps"));
    put(results, &count, "seconds", "s", sum_of(s, "seconds"));
    put(results, &count, "volume_change", "%", volume_kept(s, last, ""));
    put(results, &count, "energy", "J", energy(s, last, ""));
    put(results, &count, "max_speed", "m/s", most_of(s, column_of(s, "max_speed")));
    for (int c = 0; c < g->columns; c++) {
        char name[96];
        if (strcmp(g->names[c], "time") == 0 || strcmp(g->names[c], "step") == 0)
            continue;
        snprintf(name, sizeof name, "%.85s max", g->names[c]);
        put(results, &count, name, "", most_of(g, c));
        snprintf(name, sizeof name, "%.85s mean", g->names[c]);
        put(results, &count, name, "", mean_of_half(g, c));
    }
    return count;
}
