/* gauge_samples.c -- gauges at a fixed rate, see gauge_samples.h. */
#include "gauge_samples.h"

#include <stdio.h>
#include <string.h>

#include "append.h"
#include "base/memory.h"
#include "base/status.h"
#include "file.h"
#include "scene/gauge.h"

#define NAME "gauge_samples.csv"
#define NUMBER_SIZE 32 /* bytes of a number with its comma */
/* Of the time between samples: rows print 12 digits of the time, and a step that ends this near to
 * a sample ends there. */
#define SAME_TIME 1e-6

typedef struct column {
    bool mean;
    double value, last; /* of the row at hand, and of the one before */
    double sum;         /* of value times time since the last sample */
} column;

struct sp_gauge_samples {
    sp_append file;
    double rate;
    uint64_t next;     /* number of the next sample */
    double last;       /* s: the row before */
    double begin, end; /* s: of what `sum` holds; it begins at the last sample */
    bool started;
    int count;
    char *line;
    column columns[];
};

static bool is_mean(spate_gauge_kind kind)
{
    return sp_gauge_is_load(kind) || kind == SPATE_GAUGE_FLUX;
}

static spate_status make(const char *gauges_path, const spate_scene *scene,
                         sp_gauge_samples **samples, spate_error *error)
{
    size_t columns = 3 * (size_t)scene->gauge_count;
    const char *slash = strrchr(gauges_path, '/');
    size_t folder = slash ? (size_t)(slash + 1 - gauges_path) : 0;
    char *path = sp_alloc(folder + sizeof NAME, 1);
    sp_gauge_samples *made = sp_alloc(1, sizeof *made + columns * sizeof *made->columns);
    char *line = sp_alloc((2 + columns) * NUMBER_SIZE, 1);
    *samples = made;
    if (made)
        made->line = line;
    else
        sp_free(line);
    if (!path || !made || !line) {
        sp_free(path);
        return sp_fail_memory(error, NAME, columns * NUMBER_SIZE);
    }
    memcpy(path, gauges_path, folder);
    strcpy(path + folder, NAME);
    spate_status status = sp_append_init(&made->file, path, error);
    sp_free(path);
    made->rate = scene->output.gauge_rate;
    for (int k = 0; k < scene->gauge_count; k++)
        for (int v = 0; v < sp_gauge_values(&scene->gauges[k], scene->dim); v++)
            made->columns[made->count++].mean = is_mean(scene->gauges[k].kind);
    return status;
}

/* The names of gauges.csv without "step", the second one. */
static spate_status write_names(sp_gauge_samples *s, const char *names, spate_error *error)
{
    size_t time = strcspn(names, ","), step = 1 + strcspn(names + time + 1, ",");
    size_t rest = strcspn(names + time + step, "\n"), length = time + rest + 1;
    char *line = sp_alloc(length + 1, 1);
    if (!line)
        return sp_fail_memory(error, NAME, length);
    memcpy(line, names, time);
    memcpy(line + time, names + time + step, rest);
    line[length - 1] = '\n';
    spate_status status = sp_append_create(&s->file, line, length, error);
    sp_free(line);
    return status;
}

spate_status sp_gauge_samples_create(const char *gauges_path, const spate_scene *scene,
                                     const char *names, sp_gauge_samples **samples,
                                     spate_error *error)
{
    *samples = NULL;
    if (!(scene->output.gauge_rate > 0))
        return SPATE_OK;
    spate_status status = make(gauges_path, scene, samples, error);
    if (status == SPATE_OK)
        status = write_names(*samples, names, error);
    if (status == SPATE_OK)
        return status;
    sp_gauge_samples_close(*samples);
    *samples = NULL;
    return status;
}

/* The next sample, at a time inside the step from the row before to that at hand, at `time`. */
static spate_status write_sample(sp_gauge_samples *s, double at, double time, spate_error *error)
{
    size_t used = (size_t)snprintf(s->line, NUMBER_SIZE, "%.12g", (double)s->next / s->rate);
    double share = time > s->last ? (at - s->last) / (time - s->last) : 1;
    for (int k = 0; k < s->count; k++) {
        column *c = &s->columns[k];
        double value = c->last + share * (c->value - c->last);
        if (c->mean && at > s->begin)
            value = (c->sum + c->value * (at - s->end)) / (at - s->begin);
        used += (size_t)snprintf(s->line + used, NUMBER_SIZE, ",%.9g", value);
        c->sum = 0;
    }
    s->line[used++] = '\n';
    s->begin = s->end = at;
    s->next++;
    return sp_append_write(&s->file, s->line, used, error);
}

/* A file that was begun late has the samples from there on. */
static void start(sp_gauge_samples *s, double time)
{
    s->next = time * s->rate > SAME_TIME ? (uint64_t)(time * s->rate) + 1 : 0;
    s->last = s->begin = s->end = time;
    s->started = true;
    for (int k = 0; k < s->count; k++)
        s->columns[k].last = s->columns[k].value;
}

static spate_status add(sp_gauge_samples *s, double time, spate_error *error)
{
    if (!s->started)
        start(s, time);
    for (double at; (at = (double)s->next / s->rate) <= time + SAME_TIME / s->rate;)
        TRY(write_sample(s, at < time ? at : time, time, error));
    for (int k = 0; k < s->count; k++) {
        column *c = &s->columns[k];
        c->sum += c->value * (time - s->end);
        c->last = c->value;
    }
    s->last = s->end = time;
    return SPATE_OK;
}

spate_status sp_gauge_samples_add(sp_gauge_samples *samples, const char *row, spate_error *error)
{
    double time = 0, step;
    if (!samples)
        return SPATE_OK;
    const char *at = sp_text_number(row, &time);
    at = at && *at == ',' ? sp_text_number(at + 1, &step) : NULL;
    for (int k = 0; k < samples->count && at; k++)
        at = *at == ',' ? sp_text_number(at + 1, &samples->columns[k].value) : NULL;
    if (!at)
        return sp_fail(error, SPATE_ERROR_FILE, samples->file.path,
                       "cannot be made of gauges.csv: a row of it does not fit to the scene");
    return add(samples, time, error);
}

spate_status sp_gauge_samples_sync(sp_gauge_samples *samples, spate_error *error)
{
    return samples ? sp_append_sync(&samples->file, error) : SPATE_OK;
}

void sp_gauge_samples_close(sp_gauge_samples *samples)
{
    if (!samples)
        return;
    sp_append_clear(&samples->file);
    sp_free(samples->line);
    sp_free(samples);
}
