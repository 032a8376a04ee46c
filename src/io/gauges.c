/* gauges.c -- writing gauges.csv and cutting it back. Numbers are printed so that different values
 * are told apart; they depend on the scene alone, so that a resumed run leaves the same file as one
 * that was never stopped. */
#include "gauges.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "file.h"
#include "scene/gauge.h"

#define CELL_SIZE (SP_GAUGE_LABEL + 1) /* bytes of a cell with its comma, name or number */

struct sp_gauges {
    int descriptor;
    size_t line_size;
    char *line;
    char path[]; /* for messages */
};

/* ------------------------------------------------------------------ lines */

static size_t names_line(const spate_sim *sim, char *line, size_t size)
{
    const spate_scene *scene = spate_sim_scene(sim);
    size_t used = (size_t)snprintf(line, size, "time,step");
    for (int k = 0; k < scene->gauge_count; k++)
        for (int v = 0; v < sp_gauge_values(&scene->gauges[k], scene->dim); v++) {
            char column[SP_GAUGE_LABEL];
            sp_gauge_column(scene, k, v, column);
            used += (size_t)snprintf(line + used, size - used, ",%s", column);
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

static spate_status cannot(const sp_gauges *gauges, const char *what, spate_error *error)
{
    return sp_fail(error, SPATE_ERROR_FILE, gauges->path, "cannot be %s: %s", what,
                   strerror(errno));
}

static spate_status write_line(sp_gauges *gauges, size_t length, spate_error *error)
{
    for (size_t done = 0; done < length;) {
        ssize_t more = write(gauges->descriptor, gauges->line + done, length - done);
        if (more < 0 && errno == EINTR)
            continue;
        if (more <= 0)
            return cannot(gauges, "written",
                          error); /* a torn line is cut away by the next resume */
        done += (size_t)more;
    }
    return SPATE_OK;
}

/* Memory for the file's lines; *gauges stays NULL if the scene has no gauges. */
static spate_status make(const char *path, const spate_sim *sim, sp_gauges **gauges,
                         spate_error *error)
{
    *gauges = NULL;
    if (spate_sim_gauge_count(sim) == 0)
        return SPATE_OK;
    sp_gauges *made = sp_alloc(1, sizeof *made + strlen(path) + 1);
    size_t size = (2 + 3 * (size_t)spate_sim_gauge_count(sim)) * CELL_SIZE;
    char *line = sp_alloc(size, 1);
    if (!made || !line) {
        sp_free(made);
        sp_free(line);
        return sp_fail_memory(error, path, size);
    }
    strcpy(made->path, path);
    made->descriptor = -1;
    made->line_size = size;
    made->line = line;
    *gauges = made;
    return SPATE_OK;
}

static spate_status open_to_append(sp_gauges *gauges, spate_error *error)
{
    gauges->descriptor = open(gauges->path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    return gauges->descriptor < 0 ? cannot(gauges, "opened", error) : SPATE_OK;
}

/* The line of names, complete under the file's name or not there at all. */
static spate_status write_names(sp_gauges *gauges, const spate_sim *sim, spate_error *error)
{
    size_t length = names_line(sim, gauges->line, gauges->line_size);
    TRY(sp_file_write_all(gauges->path, gauges->line, length, error));
    return open_to_append(gauges, error);
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
    TRY(make(path, sim, gauges, error));
    if (!*gauges)
        return SPATE_OK;
    spate_status status = write_names(*gauges, sim, error);
    if (status == SPATE_OK)
        status = sp_gauges_append(*gauges, sim, error);
    return close_if_failed(status, gauges);
}

/* Removes what comes after the row of step `last`. */
static spate_status cut(sp_gauges *gauges, uint64_t last, uint64_t *rows, spate_error *error)
{
    char *text;
    size_t size, keep = 0;
    uint64_t lines = 0; /* the line of names included */
    TRY(sp_file_read_all(gauges->path, &text, &size, error));
    for (char *line = text, *end; (end = memchr(line, '\n', size - (size_t)(line - text)));
         line = end + 1) {
        char *comma = memchr(line, ',', (size_t)(end - line));
        if (lines > 0 && (!comma || strtoull(comma + 1, NULL, 10) > last))
            break;
        lines++;
        keep = (size_t)(end + 1 - text);
    }
    *rows = lines > 0 ? lines - 1 : 0;
    /* a file of its own: rows that are added from now on are not those of a copy by links */
    spate_status status = sp_file_write_all(gauges->path, text, keep, error);
    sp_free(text);
    TRY(status);
    return lines > 0 ? open_to_append(gauges, error) : SPATE_OK;
}

spate_status sp_gauges_resume(const char *path, spate_sim *sim, sp_gauges **gauges, uint64_t *rows,
                              spate_error *error)
{
    uint64_t found = 0;
    TRY(make(path, sim, gauges, error));
    if (rows)
        *rows = 0;
    if (!*gauges)
        return SPATE_OK;
    spate_status status = SPATE_OK;
    if (access(path, F_OK) == 0)
        status = cut(*gauges, spate_sim_steps(sim), &found, error);
    if (status == SPATE_OK && (*gauges)->descriptor < 0)
        status = write_names(*gauges, sim, error);
    if (rows)
        *rows = found;
    return close_if_failed(status, gauges);
}

spate_status sp_gauges_append(sp_gauges *gauges, spate_sim *sim, spate_error *error)
{
    return gauges ? write_line(gauges, values_line(sim, gauges->line, gauges->line_size), error)
                  : SPATE_OK;
}

spate_status sp_gauges_sync(sp_gauges *gauges, spate_error *error)
{
    return gauges && fsync(gauges->descriptor) != 0 ? cannot(gauges, "written", error) : SPATE_OK;
}

void sp_gauges_close(sp_gauges *gauges)
{
    if (!gauges)
        return;
    if (gauges->descriptor >= 0)
        close(gauges->descriptor);
    sp_free(gauges->line);
    sp_free(gauges);
}
