/* chart.h -- line charts and stacked areas as SVG text, from columns of numbers.
 *
 * The text stands alone as a file and inside an HTML page. Colours follow the reader's light or
 * dark setting. */
#ifndef SPATE_IO_CHART_H
#define SPATE_IO_CHART_H

#include <spate/spate.h>

/* A growing text. After a failure (no memory) it stays as it was and `failed` is set. */
typedef struct sp_text {
    char *bytes; /* sp_free it */
    size_t size, capacity;
    bool failed;
} sp_text;

void sp_text_add(sp_text *text, const char *bytes, size_t size);
void sp_text_print(sp_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* With &, <, > and quotes as HTML and SVG want them. */
void sp_text_escape(sp_text *text, const char *plain);

#define SP_CHART_SERIES 16

typedef struct sp_series {
    const char *name;
    const double *values; /* `count` of the chart; what is not finite is left out */
} sp_series;

typedef struct sp_chart {
    const char *title;
    const char *x_label, *y_label; /* with units */
    const double *x;
    int count; /* of points */
    int series_count;
    sp_series series[SP_CHART_SERIES];
    bool stacked;   /* areas on top of each other */
    bool from_zero; /* the axis includes 0 */
} sp_chart;

/* Appends one <svg> element. */
void sp_chart_draw(const sp_chart *chart, sp_text *text);

#endif
