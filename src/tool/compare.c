/* compare.c -- see compare.h. The page stands alone: charts as SVG, one table, no scripts. */
#include "compare.h"

#include "base/memory.h"
#include "io/file.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct comparison {
    const sp_compared *runs;
    const char *const *failed;
    const compare_column *columns;
    int count, column_count;
    sp_result (*results)[SP_RESULTS]; /* per run */
    int *result_counts;
    char (*names)[112]; /* of the columns of numbers, in the order in which they are met */
    int name_count;
} comparison;

static const sp_result *find_result(const comparison *c, int run, const char *name)
{
    for (int k = 0; k < c->result_counts[run]; k++)
        if (strcmp(c->results[run][k].name, name) == 0)
            return &c->results[run][k];
    return NULL;
}

static void gather(comparison *c)
{
    for (int run = 0; run < c->count; run++) {
        if (c->runs[run].stats.rows == 0)
            continue; /* it failed */
        c->result_counts[run] = sp_compare_results(&c->runs[run], c->results[run]);
        for (int k = 0; k < c->result_counts[run]; k++) {
            const char *name = c->results[run][k].name;
            bool seen = false;
            for (int n = 0; n < c->name_count && !seen; n++)
                seen = strcmp(c->names[n], name) == 0;
            if (!seen && c->name_count < SP_RESULTS)
                snprintf(c->names[c->name_count++], sizeof *c->names, "%s", name);
        }
    }
}

static const char *unit_of(const comparison *c, const char *name)
{
    for (int run = 0; run < c->count; run++) {
        const sp_result *found = find_result(c, run, name);
        if (found)
            return found->unit;
    }
    return "";
}

/* ------------------------------------------------------------------ the table as CSV */

static void add_cell(sp_text *t, const char *text)
{
    if (!strpbrk(text, ",\"\n")) {
        sp_text_print(t, "%s", text);
        return;
    }
    sp_text_print(t, "\"");
    for (const char *c = text; *c; c++)
        sp_text_print(t, *c == '"' ? "\"\"" : "%c", *c);
    sp_text_print(t, "\"");
}

static void add_csv(sp_text *t, const comparison *c)
{
    sp_text_print(t, "run");
    for (int k = 0; k < c->column_count; k++) {
        sp_text_print(t, ",");
        add_cell(t, c->columns[k].name);
    }
    sp_text_print(t, ",status");
    for (int n = 0; n < c->name_count; n++) {
        sp_text_print(t, ",");
        add_cell(t, c->names[n]);
    }
    sp_text_print(t, "\n");
    for (int run = 0; run < c->count; run++) {
        add_cell(t, c->runs[run].name);
        for (int k = 0; k < c->column_count; k++) {
            sp_text_print(t, ",");
            add_cell(t, c->columns[k].values[run]);
        }
        sp_text_print(t, ",");
        add_cell(t, c->failed && c->failed[run] ? c->failed[run] : "done");
        for (int n = 0; n < c->name_count; n++) {
            const sp_result *found = find_result(c, run, c->names[n]);
            sp_text_print(t, ",");
            if (found && isfinite(found->value))
                sp_text_print(t, "%.9g", found->value);
        }
        sp_text_print(t, "\n");
    }
}

/* ------------------------------------------------------------------ the page */

static const char table_style[] =
    "<style>.wide{overflow-x:auto}table{border-collapse:collapse;font-size:14px}"
    "th,td{padding:4px 10px;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}"
    "th:first-child,td:first-child{text-align:left}th{color:var(--soft);font-weight:600}"
    "td.bad{color:#c0392b;text-align:left}</style>\n";

static void add_table(sp_text *t, const comparison *c)
{
    sp_text_print(t, "<div class='wide'><table><tr><th>run</th>");
    for (int k = 0; k < c->column_count; k++) {
        sp_text_print(t, "<th>");
        sp_text_escape(t, c->columns[k].name);
        sp_text_print(t, "</th>");
    }
    for (int n = 0; n < c->name_count; n++) {
        const char *unit = unit_of(c, c->names[n]);
        sp_text_print(t, "<th>");
        sp_text_escape(t, c->names[n]);
        if (unit[0])
            sp_text_print(t, " (%s)", unit);
        sp_text_print(t, "</th>");
    }
    sp_text_print(t, "</tr>\n");
    for (int run = 0; run < c->count; run++) {
        sp_text_print(t, "<tr><td>");
        sp_text_escape(t, c->runs[run].name);
        sp_text_print(t, "</td>");
        for (int k = 0; k < c->column_count; k++) {
            sp_text_print(t, "<td>");
            sp_text_escape(t, c->columns[k].values[run]);
            sp_text_print(t, "</td>");
        }
        if (c->failed && c->failed[run]) {
            sp_text_print(t, "<td class='bad' colspan='%d'>", c->name_count ? c->name_count : 1);
            sp_text_escape(t, c->failed[run]);
            sp_text_print(t, "</td>");
        }
        for (int n = 0; n < c->name_count && !(c->failed && c->failed[run]); n++) {
            const sp_result *found = find_result(c, run, c->names[n]);
            sp_text_print(t, "<td>");
            if (found && isfinite(found->value))
                sp_text_print(t, fabs(found->value) >= 1e5 ? "%.0f" : "%.4g", found->value);
            sp_text_print(t, "</td>");
        }
        sp_text_print(t, "</tr>\n");
    }
    sp_text_print(t, "</table></div>\n");
}

static void add_page(sp_text *t, const comparison *c, const char *title,
                     const sp_run_charts *charts, int drawn)
{
    sp_text_print(t,
                  "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>\n"
                  "<meta name='viewport' content='width=device-width,initial-scale=1'>\n<title>");
    sp_text_escape(t, title);
    sp_text_print(t, "</title>\n");
    sp_text_add(t, page_style, strlen(page_style));
    sp_text_add(t, table_style, strlen(table_style));
    sp_text_print(t, "</head><body><main>\n<h1>");
    sp_text_escape(t, title);
    sp_text_print(t,
                  "</h1>\n<p class='sub'>%d runs. Gauges: the greatest value, and the mean over "
                  "the second half of the time.</p>\n",
                  c->count);
    add_table(t, c);
    if (drawn > SP_CHART_SERIES)
        sp_text_print(t, "<p class='sub'>The charts show the first %d runs.</p>\n",
                      SP_CHART_SERIES);
    sp_text_print(t, "<h2>Charts</h2>\n<div class='charts'>\n");
    for (int k = 0; k < charts->count; k++) {
        sp_text_print(t, "<figure>");
        sp_text_add(t, charts->charts[k].svg.bytes, charts->charts[k].svg.size);
        sp_text_print(t, "</figure>\n");
    }
    sp_text_print(t, "</div>\n</main></body></html>\n");
}

static int write_text(const char *path, const sp_text *text)
{
    spate_error error = {0};
    if (text->failed)
        return tool_say_error(EXIT_MEMORY, "out of memory");
    return sp_file_write_all(path, text->bytes, text->size, &error) == SPATE_OK
               ? EXIT_DONE
               : tool_fail(&error, NULL);
}

/* Charts of the runs that have numbers. */
static int draw_charts(const comparison *c, sp_run_charts *charts, int *drawn)
{
    spate_error error = {0};
    sp_compared *some = sp_alloc((size_t)c->count + 1, sizeof *some);
    if (!some)
        return tool_say_error(EXIT_MEMORY, "out of memory");
    *drawn = 0;
    for (int run = 0; run < c->count; run++)
        if (c->runs[run].stats.rows > 0)
            some[(*drawn)++] = c->runs[run];
    spate_status status = *drawn > 0 ? sp_compare_charts(charts, some, *drawn, &error) : SPATE_OK;
    sp_free(some);
    return status == SPATE_OK ? EXIT_DONE : tool_fail(&error, NULL);
}

int compare_write(const char *page, const char *table, const char *title, const sp_compared *runs,
                  int count, const compare_column *columns, int column_count,
                  const char *const *failed)
{
    comparison c = {runs, failed, columns, count, column_count, NULL, NULL, NULL, 0};
    sp_run_charts charts = {.count = 0};
    sp_text text = {.size = 0};
    int drawn = 0, code = EXIT_DONE;
    c.results = sp_alloc((size_t)count + 1, sizeof *c.results);
    c.result_counts = sp_alloc((size_t)count + 1, sizeof *c.result_counts);
    c.names = sp_alloc(SP_RESULTS, sizeof *c.names);
    if (!c.results || !c.result_counts || !c.names)
        code = tool_say_error(EXIT_MEMORY, "out of memory");
    if (code == EXIT_DONE) {
        gather(&c);
        code = draw_charts(&c, &charts, &drawn);
    }
    if (code == EXIT_DONE) {
        add_page(&text, &c, title, &charts, drawn);
        code = write_text(page, &text);
    }
    text.size = 0;
    if (code == EXIT_DONE && table) {
        add_csv(&text, &c);
        code = write_text(table, &text);
    }
    sp_free(text.bytes);
    sp_run_charts_clear(&charts);
    sp_free(c.results);
    sp_free(c.result_counts);
    sp_free(c.names);
    return code;
}

int compare_folders(const char *const *folders, int count, const char *page, bool say)
{
    spate_error error = {0};
    int code = EXIT_DONE, read = 0;
    sp_compared *runs = sp_alloc((size_t)count + 1, sizeof *runs);
    if (!runs)
        return tool_say_error(EXIT_MEMORY, "out of memory");
    for (; read < count && code == EXIT_DONE; read++)
        if (sp_compared_read(&runs[read], folders[read], &error) != SPATE_OK)
            code = tool_fail(&error, NULL);
    if (code == EXIT_DONE)
        code = compare_write(page, NULL, "Comparison", runs, count, NULL, 0, NULL);
    if (code == EXIT_DONE && say)
        fprintf(stderr, "%d runs are compared in %s\n", count, page);
    for (int k = 0; k < read; k++)
        sp_compared_clear(&runs[k]);
    sp_free(runs);
    return code;
}
