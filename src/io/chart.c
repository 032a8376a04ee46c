/* chart.c -- see chart.h.
 *
 * Long runs have more rows than a chart has pixels: a line then goes through the least and the
 * greatest value of each pixel column, so that no peak is lost and the file stays small. */
#include "chart.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* ------------------------------------------------------------------ text */

void sp_text_add(sp_text *text, const char *bytes, size_t size)
{
    if (text->failed)
        return;
    if (text->size + size + 1 > text->capacity) {
        size_t capacity = 2 * (text->size + size + 1);
        char *larger = sp_grow(text->bytes, text->size, capacity, 1);
        if (!larger) {
            text->failed = true;
            return;
        }
        text->bytes = larger;
        text->capacity = capacity;
    }
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    text->bytes[text->size] = 0;
}

void sp_text_print(sp_text *text, const char *format, ...)
{
    char line[1024];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (length > 0)
        sp_text_add(text, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

void sp_text_escape(sp_text *text, const char *plain)
{
    for (const char *c = plain; *c; c++) {
        const char *name = *c == '&'   ? "&amp;"
                           : *c == '<' ? "&lt;"
                           : *c == '>' ? "&gt;"
                           : *c == '"' ? "&quot;"
                                       : NULL;
        sp_text_add(text, name ? name : c, name ? strlen(name) : 1);
    }
}

/* ------------------------------------------------------------------ axes */

enum { WIDTH = 520, HEIGHT = 290, LEFT = 56, RIGHT = 14, TOP = 66, BOTTOM = 46 };

/* Light on white and on black; the first eight differ for most kinds of colour blindness. */
static const char *const colors[SP_CHART_SERIES] = {
    "#2f7fd6", "#e0752d", "#2f9e6e", "#c4478f", "#8a6fd1", "#b08a1e", "#2aa3b8", "#d0504a",
    "#6f8f3f", "#7f7f8f", "#4f5fbf", "#bf6fbf", "#3f8f8f", "#af5f3f", "#5fa0ff", "#9f9f3f"};

typedef struct axis {
    double low, high, step;
    int decimals;      /* of its labels */
    double unit;       /* labels are divided by this power of a thousand */
    const char *times; /* "", "k", ...: that power in words */
} axis;

/* A round step with at most `most` of them between low and high: 1, 2 or 5 times a power of ten. */
static double round_step(double span, int most)
{
    double raw = span / most, power = pow(10, floor(log10(raw))), m = raw / power;
    return power * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
}

/* Beyond these a double can be read from a file, but its span or a tenth of it is none. */
#define LARGEST 1e300
#define SMALLEST 1e-280

static axis make_axis(double low, double high, int most, bool round_ends)
{
    low = isfinite(low) ? fmin(fmax(low, -LARGEST), LARGEST) : low;
    high = isfinite(high) ? fmin(fmax(high, -LARGEST), LARGEST) : high;
    /* a constant but for rounding, which has no room for steps, or nothing at all */
    if (!(high - low > fmax(1e-12 * fmax(fabs(low), fabs(high)), SMALLEST))) {
        double pad = isfinite(low) && fabs(low) > SMALLEST ? fabs(low) * 0.1 : 1;
        low = isfinite(low) ? low - pad : 0;
        high = low + 2 * pad;
    }
    axis a = {low, high, round_step(high - low, most), 0, 1, ""};
    if (round_ends) {
        a.low = floor(low / a.step + 1e-9) * a.step;
        a.high = ceil(high / a.step - 1e-9) * a.step;
    }
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1e9, "10^9"},   {1e6, "10^6"},   {1e3, "10^3"},  {1, ""},
                 {1e-3, "10^-3"}, {1e-6, "10^-6"}, {1e-9, "10^-9"}};
    double largest = fmax(fabs(a.low), fabs(a.high));
    for (int k = 0; k < 7; k++) {
        a.unit = units[k].unit;
        a.times = units[k].name;
        /* whole thousands are spelt out up to 10,000 and small numbers down to 0.01 */
        if (largest >= a.unit * (k < 3 ? 10 : k == 3 ? 0.01 : 1))
            break;
    }
    double shown = a.step / a.unit;
    a.decimals = shown >= 1 ? 0 : (int)ceil(-log10(shown) - 1e-9);
    a.decimals = a.decimals < 9 ? a.decimals : 9;
    return a;
}

static void add_label(sp_text *t, const axis *a, double value)
{
    value = fabs(value) < 1e-9 * a->step ? 0 : value / a->unit;
    if (fabs(value) < 1e7)
        sp_text_print(t, "%.*f", a->decimals, value);
    else
        sp_text_print(t, "%.3g", value);
}

typedef struct plot {
    const sp_chart *chart;
    axis x, y;
    int lower; /* pixels that all but title and legend is lower, for a legend of many lines */
} plot;

static double place_x(const plot *p, double x)
{
    return LEFT + (x - p->x.low) / (p->x.high - p->x.low) * (WIDTH - LEFT - RIGHT);
}

static double place_y(const plot *p, double y)
{
    return HEIGHT - BOTTOM - (y - p->y.low) / (p->y.high - p->y.low) * (HEIGHT - TOP - BOTTOM);
}

static double value(const sp_chart *c, int series, int row)
{
    double v = c->series[series].values[row];
    if (!c->stacked)
        return v;
    double sum = 0;
    for (int k = 0; k <= series; k++)
        sum += isfinite(c->series[k].values[row]) ? c->series[k].values[row] : 0;
    return sum;
}

static void find_ranges(plot *p)
{
    const sp_chart *c = p->chart;
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int s = 0; s < c->series_count; s++) {
        for (int k = 0; k < c->count; k++) {
            double v = value(c, s, k);
            if (!isfinite(v))
                continue;
            low = fmin(low, v);
            high = fmax(high, v);
        }
    }
    if (c->from_zero || c->stacked) {
        low = fmin(low, 0);
        high = fmax(high, 0);
    }
    p->y = make_axis(low, high, 5, true);
    p->x = make_axis(c->count > 0 ? c->x[0] : 0, c->count > 0 ? c->x[c->count - 1] : 1, 7, false);
}

static void draw_axes(const plot *p, sp_text *t)
{
    int lines = (int)lround((p->y.high - p->y.low) / p->y.step);
    for (int k = 0; k <= lines; k++) {
        double v = p->y.low + k * p->y.step, y = place_y(p, v);
        sp_text_print(t, "<path class='grid' d='M%d %.1fH%d'/>", LEFT, y, WIDTH - RIGHT);
        sp_text_print(t, "<text x='%d' y='%.1f' text-anchor='end'>", LEFT - 8, y + 4);
        add_label(t, &p->y, v);
        sp_text_print(t, "</text>\n");
    }
    for (double x = ceil(p->x.low / p->x.step - 1e-9) * p->x.step;
         x <= p->x.high + 1e-9 * p->x.step; x += p->x.step) {
        double at = place_x(p, x);
        sp_text_print(t, "<path class='grid' d='M%.1f %dv5'/>", at, HEIGHT - BOTTOM);
        sp_text_print(t, "<text x='%.1f' y='%d' text-anchor='middle'>", at, HEIGHT - BOTTOM + 19);
        add_label(t, &p->x, x);
        sp_text_print(t, "</text>\n");
    }
}

enum { LINE = 16, LINES = 2 }; /* pixels of a line of the legend; those that there is room for */

static double legend_width(const sp_chart *c, int series)
{
    return 28 + 6.8 * (double)strlen(c->series[series].name);
}

static int legend_lines(const sp_chart *c)
{
    double x = LEFT;
    int lines = 1;
    for (int s = 0; s < c->series_count; s++) {
        bool next = s > 0 && x + legend_width(c, s) > WIDTH - RIGHT;
        lines += next;
        x = (next ? LEFT : x) + legend_width(c, s);
    }
    return lines;
}

static void draw_labels(const plot *p, sp_text *t)
{
    const sp_chart *c = p->chart;
    sp_text_print(t, "<text class='title' x='%d' y='20'>", LEFT);
    sp_text_escape(t, c->title);
    sp_text_print(t, "</text>\n<text x='%d' y='%d' text-anchor='end'>", WIDTH - RIGHT,
                  HEIGHT + p->lower - 6);
    sp_text_escape(t, c->x_label);
    sp_text_print(t, "</text>\n<text x='%d' y='20' text-anchor='end'>", WIDTH - RIGHT);
    if (p->y.times[0])
        sp_text_print(t, "%s ", p->y.times);
    sp_text_escape(t, c->y_label);
    sp_text_print(t, "</text>\n");
    double x = LEFT, y = 36;
    for (int s = 0; s < c->series_count && c->series_count > 1; s++) {
        double width = legend_width(c, s);
        if (s > 0 && x + width > WIDTH - RIGHT) {
            x = LEFT;
            y += LINE;
        }
        sp_text_print(t, "<rect x='%.0f' y='%.0f' width='11' height='4' rx='2' fill='%s'/>", x,
                      y - 6, colors[s]);
        sp_text_print(t, "<text x='%.0f' y='%.0f'>", x + 16, y);
        sp_text_escape(t, c->series[s].name);
        sp_text_print(t, "</text>\n");
        x += width;
    }
}

/* ------------------------------------------------------------------ curves */

/* Points of a series from `first` to `last` (either way round) as "x,y x,y ...". */
static void add_points(const plot *p, int series, bool reverse, sp_text *t)
{
    const sp_chart *c = p->chart;
    int rows = c->count, columns = WIDTH - LEFT - RIGHT;
    int group = rows > 2 * columns ? (rows + columns - 1) / columns : 1;
    for (int k = 0; k < rows; k += group) {
        int begin = reverse ? rows - 1 - k : k, low = -1, high = -1;
        for (int m = 0; m < group && k + m < rows; m++) {
            int row = reverse ? begin - m : begin + m;
            double v = value(c, series, row);
            if (!isfinite(v) || !isfinite(c->x[row]))
                continue;
            low = low < 0 || v < value(c, series, low) ? row : low;
            high = high < 0 || v > value(c, series, high) ? row : high;
        }
        if (low < 0)
            continue;
        int first = (low < high) != reverse ? low : high, second = first == low ? high : low;
        sp_text_print(t, "%.1f,%.1f ", place_x(p, c->x[first]),
                      place_y(p, value(c, series, first)));
        if (second != first)
            sp_text_print(t, "%.1f,%.1f ", place_x(p, c->x[second]),
                          place_y(p, value(c, series, second)));
    }
}

static void draw_curves(const plot *p, sp_text *t)
{
    const sp_chart *c = p->chart;
    for (int k = c->series_count - 1; k >= 0; k--) {
        if (c->stacked) {
            sp_text_print(t, "<polygon fill='%s' points='", colors[k]);
            add_points(p, k, false, t);
            if (k > 0)
                add_points(p, k - 1, true, t);
            else if (c->count > 0)
                sp_text_print(t, "%.1f,%.1f %.1f,%.1f", place_x(p, c->x[c->count - 1]),
                              place_y(p, 0), place_x(p, c->x[0]), place_y(p, 0));
        } else {
            sp_text_print(t, "<polyline fill='none' stroke='%s' points='", colors[k]);
            add_points(p, k, false, t);
        }
        sp_text_print(t, "'/>\n");
    }
}

void sp_chart_draw(const sp_chart *chart, sp_text *text)
{
    plot p = {.chart = chart};
    find_ranges(&p);
    if (legend_lines(chart) > LINES)
        p.lower = LINE * (legend_lines(chart) - LINES);
    sp_text_print(text,
                  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' role='img' "
                  "font-family='system-ui,sans-serif' font-size='13'>\n<title>",
                  WIDTH, HEIGHT + p.lower);
    sp_text_escape(text, chart->title);
    sp_text_print(text, "</title>\n<style>svg{background:#fff;color:#333}"
                        "text{fill:currentColor}.title{font-size:15px;font-weight:600}"
                        ".grid{stroke:currentColor;stroke-opacity:.16;fill:none}"
                        "polyline{stroke-width:1.8;stroke-linejoin:round}"
                        "@media(prefers-color-scheme:dark){svg{background:#181c22;color:#d5dae0}}"
                        "</style>\n");
    if (p.lower > 0)
        sp_text_print(text, "<g transform='translate(0,%d)'>\n", p.lower);
    draw_axes(&p, text);
    draw_curves(&p, text);
    if (p.lower > 0)
        sp_text_print(text, "</g>\n");
    draw_labels(&p, text);
    sp_text_print(text, "</svg>\n");
}
