/* stats.c -- writing, cutting and reading stats.csv. */
#include "stats.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "file.h"

/* ------------------------------------------------------------------ one row */

static void put_stat(sp_stats_cell *cell, const spate_stats *stats, const spate_stat *stat)
{
    const void *at = (const char *)stats + stat->offset;
    snprintf(cell->name, sizeof cell->name, "%s", stat->name);
    switch (stat->type) {
    case SPATE_STAT_INT: snprintf(cell->text, sizeof cell->text, "%d", *(const int *)at); break;
    case SPATE_STAT_UINT64:
        snprintf(cell->text, sizeof cell->text, "%llu", (unsigned long long)*(const uint64_t *)at);
        break;
    case SPATE_STAT_DOUBLE:
        snprintf(cell->text, sizeof cell->text, "%.9g", *(const double *)at);
        break;
    }
}

static sp_stats_cell *add_seconds(sp_stats_cell *cell, const char *prefix, const char *name,
                                  double value)
{
    snprintf(cell->name, sizeof cell->name, "%s%s", prefix, name);
    snprintf(cell->text, sizeof cell->text, "%.6f", value);
    return cell + 1;
}

static void name_channels(const spate_sim *sim, sp_stats_row *row)
{
    const spate_scene *scene = spate_sim_scene(sim);
    row->channel_count = 0;
    for (int k = 0; k < scene->channel_count; k++) {
        const spate_channel *c = &scene->channels[k];
        for (int e = 0; e < c->components && c->transfer != SPATE_CHANNEL_NONE; e++) {
            int n = row->channel_count++;
            if (c->components == 1)
                snprintf(row->channels[n].name, SP_STATS_NAME, "%s", c->name);
            else
                snprintf(row->channels[n].name, SP_STATS_NAME, "%s_%d", c->name, e);
            spate_sim_channel_sums(sim, c->name, e, &row->channels[n].sums);
        }
    }
}

static void name_sets(const spate_sim *sim, sp_stats_row *row)
{
    char name[SPATE_STAT_NAME];
    uint64_t value;
    row->set_count = 0;
    for (int set = 0; set < spate_sim_particle_set_count(sim); set++) {
        const char *of = spate_sim_particle_set_name(sim, set);
        for (int k = 0; spate_sim_particles_stat(sim, of, k, name, sizeof name, &value); k++) {
            if (spate_stat_find(name) >= 0)
                continue;
            assert(row->set_count < SP_STATS_OF_SETS);
            memcpy(row->sets[row->set_count].name, name, sizeof name);
            row->sets[row->set_count++].value = value;
        }
    }
}

void sp_stats_name(const spate_sim *sim, sp_stats_row *row)
{
    name_channels(sim, row);
    name_sets(sim, row);
}

void sp_stats_take(spate_sim *sim, sp_stats_row *row)
{
    spate_sim_stats(sim, &row->stats);
    sp_stats_name(sim, row);
    for (int k = 0; k < SP_STAGE_COUNT; k++)
        row->stages[k] = spate_sim_stage_seconds(sim, k);
}

/* The amount over the particles and over the cells, and what the ledger says of the first. */
static sp_stats_cell *put_channel(sp_stats_cell *cell, const char *name,
                                  const spate_channel_sums *sums)
{
    const struct {
        const char *suffix;
        double value;
    } columns[SP_STATS_OF_CHANNEL] = {
        {"", sums->particles},
        {"_cells", sums->cells},
        {"_start", sums->start},
        {"_sources", sums->sources},
        {"_booked", sums->dissipated + sums->mixed + sums->came + sums->left}};
    for (int k = 0; k < SP_STATS_OF_CHANNEL; k++, cell++) {
        snprintf(cell->name, sizeof cell->name, "%.31s%s", name, columns[k].suffix);
        snprintf(cell->text, sizeof cell->text, "%.15g", columns[k].value);
    }
    return cell;
}

int sp_stats_cells(const sp_stats_row *row, sp_stats_cell cells[SP_STATS_MOST])
{
    sp_stats_cell *c = cells;
    for (int k = 0; k < spate_stat_count(); k++)
        put_stat(c++, &row->stats, spate_stat_info(k));
    double stages = 0, seconds = row->seconds;
    for (int k = 0; k < SP_STAGE_COUNT; k++) {
        c = add_seconds(c, "t_", spate_stage_name(k), row->stages[k]);
        stages += row->stages[k];
    }
    c = add_seconds(c, "t_", "other", seconds > stages ? seconds - stages : 0);
    c = add_seconds(c, "", "seconds", seconds > stages ? seconds : stages);
    for (int k = 0; k < row->channel_count; k++)
        c = put_channel(c, row->channels[k].name, &row->channels[k].sums);
    for (int k = 0; k < row->set_count; k++, c++) {
        snprintf(c->name, sizeof c->name, "%s", row->sets[k].name);
        snprintf(c->text, sizeof c->text, "%llu", (unsigned long long)row->sets[k].value);
    }
    return (int)(c - cells);
}

/* The cells joined by commas, values or names; the length. */
#define LINE_SIZE (SP_STATS_MOST * (SP_STATS_NAME + 1) + 1)

static size_t join(const sp_stats_cell *cells, int count, bool names, char line[LINE_SIZE])
{
    size_t used = 0;
    for (int k = 0; k < count; k++) {
        const char *text = names ? cells[k].name : cells[k].text;
        used += (size_t)snprintf(line + used, LINE_SIZE - used, "%.47s%c", text,
                                 k + 1 < count ? ',' : '\n');
    }
    return used;
}

/* ------------------------------------------------------------------ the file */

/* The line of names. */
static size_t join_names(const sp_stats_row *row, char line[LINE_SIZE])
{
    sp_stats_cell cells[SP_STATS_MOST];
    return join(cells, sp_stats_cells(row, cells), true, line);
}

spate_status sp_stats_create(const char *path, const sp_stats_row *row, spate_error *error)
{
    char line[LINE_SIZE];
    size_t length = join_names(row, line);
    return sp_file_write_all(path, line, length, error);
}

static bool write_all(int descriptor, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t done = write(descriptor, bytes, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        bytes += done;
        size -= (size_t)done;
    }
    return true;
}

spate_status sp_stats_append(const char *path, const sp_stats_row *row, spate_error *error)
{
    sp_stats_cell cells[SP_STATS_MOST];
    char line[LINE_SIZE];
    size_t length = join(cells, sp_stats_cells(row, cells), false, line);
    int descriptor = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0)
        return sp_fail(error, SPATE_ERROR_FILE, path, "cannot be opened: %s", strerror(errno));
    off_t before = lseek(descriptor, 0, SEEK_END);
    spate_status status = SPATE_OK;
    if (!write_all(descriptor, line, length) || fsync(descriptor) != 0) {
        status = sp_fail(error, SPATE_ERROR_FILE, path, "cannot be written: %s", strerror(errno));
        if (before >= 0 && ftruncate(descriptor, before) != 0)
            status =
                sp_fail(error, SPATE_ERROR_FILE, path, "cannot be written; its last line is torn");
    }
    if (close(descriptor) != 0 && status == SPATE_OK)
        status = sp_fail(error, SPATE_ERROR_FILE, path, "cannot be written: %s", strerror(errno));
    return status;
}

spate_status sp_stats_resume(const char *path, const sp_stats_row *row, spate_error *error)
{
    char *text, line[LINE_SIZE];
    size_t size, length = join_names(row, line);
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return sp_stats_create(path, row, error);
    TRY(sp_file_read_all(path, &text, &size, error));
    bool named = memchr(text, '\n', size), same = size >= length && !memcmp(text, line, length);
    sp_free(text);
    if (!named) /* empty, or torn in the first line */
        return sp_stats_create(path, row, error);
    if (!same)
        return sp_fail(
            error, SPATE_ERROR_FILE, path,
            "has other columns than this version of spate writes: move it away to go on");
    return SPATE_OK;
}

spate_status sp_stats_cut(const char *path, int last_frame, int *rows, spate_error *error)
{
    char *text;
    size_t size;
    TRY(sp_file_read_all(path, &text, &size, error));
    size_t keep = 0;
    int lines = 0; /* the line of names included */
    for (char *line = text, *end; (end = memchr(line, '\n', size - (size_t)(line - text)));
         line = end + 1) {
        if (lines > 0 && strtol(line, NULL, 10) > last_frame)
            break;
        lines++;
        keep = (size_t)(end + 1 - text);
    }
    if (rows)
        *rows = lines > 0 ? lines - 1 : 0;
    /* a file of its own: rows that are added from now on are not those of a copy by links */
    spate_status status = sp_file_write_all(path, text, keep, error);
    sp_free(text);
    return status;
}

/* ------------------------------------------------------------------ reading */

static int count_of(const char *text, char wanted, char stop)
{
    int count = 0;
    for (; *text && *text != stop; text++)
        count += *text == wanted;
    return count;
}

/* Cuts the first line into names, without unit and place (sp_gauge_heading); returns what follows
 * it. */
static char *take_names(sp_stats_table *table)
{
    char *cursor = table->text;
    for (int k = 0; k < table->columns; k++) {
        char *name = cursor, *unit = NULL;
        table->names[k] = name;
        cursor += strcspn(cursor, ",\n");
        *cursor++ = 0;
        for (; (name = strstr(name, " [")); name++)
            unit = name;
        if (unit)
            *unit = 0;
    }
    return cursor;
}

static bool take_row(const char *line, const char *end, double *values, int columns)
{
    for (int k = 0; k < columns; k++) {
        const char *after = sp_text_number(line, &values[k]);
        const char *stop = k + 1 < columns ? memchr(line, ',', (size_t)(end - line)) : end;
        if (!after || after != stop)
            return false;
        line = after + 1;
    }
    return true;
}

static spate_status parse_table(sp_stats_table *table, const char *path, spate_error *error)
{
    int lines = count_of(table->text, '\n', 0); /* a line without an end is torn */
    if (lines == 0)
        return sp_fail(error, SPATE_ERROR_FILE, path, "is empty");
    table->columns = count_of(table->text, ',', '\n') + 1;
    table->names = sp_alloc((size_t)table->columns, sizeof *table->names);
    table->values = sp_alloc((size_t)table->columns * (size_t)lines, sizeof *table->values);
    if (!table->names || !table->values)
        return sp_fail_memory(error, path, 0);
    char *line = take_names(table);
    for (int row = 0; row < lines - 1; row++) {
        char *end = strchr(line, '\n');
        if (!take_row(line, end, table->values + (size_t)row * (size_t)table->columns,
                      table->columns))
            return sp_fail(error, SPATE_ERROR_FILE, path, "line %d is not a row of %d numbers",
                           row + 2, table->columns);
        line = end + 1;
    }
    table->rows = lines - 1;
    return SPATE_OK;
}

spate_status sp_stats_read(const char *path, sp_stats_table *table, spate_error *error)
{
    *table = (sp_stats_table){0};
    size_t size;
    TRY(sp_file_read_all(path, &table->text, &size, error));
    spate_status status = parse_table(table, path, error);
    if (status != SPATE_OK)
        sp_stats_clear(table);
    return status;
}

void sp_stats_clear(sp_stats_table *table)
{
    sp_free(table->text);
    sp_free(table->names);
    sp_free(table->values);
    *table = (sp_stats_table){0};
}

double sp_stats_value(const sp_stats_table *table, int row, const char *name)
{
    if (row < 0 || row >= table->rows)
        return NAN;
    for (int k = 0; k < table->columns; k++)
        if (strcmp(table->names[k], name) == 0)
            return table->values[(size_t)row * (size_t)table->columns + (size_t)k];
    return NAN;
}
