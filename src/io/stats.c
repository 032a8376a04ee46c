/* stats.c -- writing, cutting and reading stats.csv. */
#include "stats.h"

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

static sp_stats_cell *add_count(sp_stats_cell *cell, const char *name, uint64_t value)
{
    cell->name = name;
    snprintf(cell->text, sizeof cell->text, "%llu", (unsigned long long)value);
    return cell + 1;
}

static sp_stats_cell *add_number(sp_stats_cell *cell, const char *name, double value)
{
    cell->name = name;
    snprintf(cell->text, sizeof cell->text, "%.9g", value);
    return cell + 1;
}

static sp_stats_cell *add_seconds(sp_stats_cell *cell, const char *name, double value)
{
    cell->name = name;
    snprintf(cell->text, sizeof cell->text, "%.6f", value);
    return cell + 1;
}

/* "t_sort" and so on, from the names of the stages */
static const char *stage_column(int stage)
{
    static char names[SPATE_STAGE_COUNT][32];
    snprintf(names[stage], sizeof names[stage], "t_%s", spate_stage_name((spate_stage)stage));
    return names[stage];
}

int sp_stats_cells(const spate_stats *s, double seconds, sp_stats_cell cells[SP_STATS_CELLS])
{
    sp_stats_cell *c = cells;
    c = add_count(c, "frame", (uint64_t)s->frame);
    c = add_number(c, "time", s->time);
    c = add_count(c, "substeps", (uint64_t)s->substeps);
    c = add_number(c, "cfl", s->cfl);
    c = add_count(c, "particles", s->particles);
    c = add_count(c, "seeded", s->seeded);
    c = add_count(c, "added", s->added);
    c = add_count(c, "added_reseed", s->added_reseed);
    c = add_count(c, "removed", s->removed);
    c = add_count(c, "removed_open", s->removed_open);
    c = add_count(c, "removed_outflow", s->removed_outflow);
    c = add_count(c, "removed_crushed", s->removed_crushed);
    c = add_count(c, "removed_user", s->removed_user);
    c = add_count(c, "removed_reseed", s->removed_reseed);
    c = add_count(c, "liquid_cells", s->liquid_cells);
    c = add_number(c, "ppc_mean", s->ppc_mean);
    c = add_count(c, "ppc_max", s->ppc_max);
    c = add_count(c, "interior_empty", s->interior[SPATE_INTERIOR_EMPTY]);
    c = add_count(c, "interior_few", s->interior[SPATE_INTERIOR_FEW]);
    c = add_count(c, "interior_low", s->interior[SPATE_INTERIOR_LOW]);
    c = add_count(c, "interior_good", s->interior[SPATE_INTERIOR_GOOD]);
    c = add_count(c, "interior_crowded", s->interior[SPATE_INTERIOR_CROWDED]);
    c = add_number(c, "interior_mean", s->interior_mean);
    c = add_count(c, "interior_max", s->interior_max);
    c = add_number(c, "volume", s->volume);
    c = add_number(c, "volume_particles", s->volume_particles);
    c = add_number(c, "max_speed", s->max_speed);
    c = add_number(c, "momentum_x", s->momentum[0]);
    c = add_number(c, "momentum_y", s->momentum[1]);
    c = add_number(c, "momentum_z", s->momentum[2]);
    c = add_number(c, "kinetic_energy", s->kinetic_energy);
    c = add_number(c, "potential_energy", s->potential_energy);
    c = add_number(c, "divergence_before", s->divergence_before);
    c = add_number(c, "divergence_after", s->divergence_after);
    c = add_count(c, "solver_iterations", (uint64_t)s->solver_iterations);
    c = add_count(c, "density_iterations", (uint64_t)s->density_iterations);
    c = add_number(c, "solver_residual", s->solver_residual);
    c = add_count(c, "solver_failures", (uint64_t)s->solver_failures);
    c = add_count(c, "converged", s->solver_failures == 0);
    c = add_number(c, "momentum_lost", s->momentum_lost);
    c = add_count(c, "collisions", s->collisions);
    c = add_count(c, "long_pushes", s->long_pushes);
    c = add_count(c, "in_solid", s->in_solid);
    c = add_number(c, "separate_energy", s->separate_energy);
    c = add_number(c, "min_distance", s->min_distance);
    c = add_number(c, "overlaps", s->overlaps);
    c = add_count(c, "allocations", s->allocations);
    double stages = 0;
    for (int k = 0; k < SPATE_STAGE_COUNT; k++) {
        c = add_seconds(c, stage_column(k), s->seconds[k]);
        stages += s->seconds[k];
    }
    c = add_seconds(c, "t_other", seconds > stages ? seconds - stages : 0);
    c = add_seconds(c, "seconds", seconds > stages ? seconds : stages);
    return (int)(c - cells);
}

/* The cells joined by commas, values or names; the length. */
#define LINE_SIZE (SP_STATS_CELLS * 33 + 1)

static size_t join(const sp_stats_cell *cells, int count, bool names, char line[LINE_SIZE])
{
    size_t used = 0;
    for (int k = 0; k < count; k++) {
        const char *text = names ? cells[k].name : cells[k].text;
        used += (size_t)snprintf(line + used, LINE_SIZE - used, "%.31s%c", text,
                                 k + 1 < count ? ',' : '\n');
    }
    return used;
}

/* ------------------------------------------------------------------ the file */

spate_status sp_stats_create(const char *path, spate_error *error)
{
    static const spate_stats none;
    sp_stats_cell cells[SP_STATS_CELLS];
    char line[LINE_SIZE];
    size_t length = join(cells, sp_stats_cells(&none, 0, cells), true, line);
    sp_file *file = sp_file_create(path, error);
    if (!file)
        return error ? error->status : SPATE_ERROR_FILE;
    sp_file_write(file, line, length);
    return sp_file_close(file, error);
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

spate_status sp_stats_append(const char *path, const spate_stats *stats, double seconds,
                             spate_error *error)
{
    sp_stats_cell cells[SP_STATS_CELLS];
    char line[LINE_SIZE];
    size_t length = join(cells, sp_stats_cells(stats, seconds, cells), false, line);
    int descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
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
    sp_free(text);
    if (rows)
        *rows = lines > 0 ? lines - 1 : 0;
    if (keep == size)
        return SPATE_OK;
    if (truncate(path, (off_t)keep) != 0)
        return sp_fail(error, SPATE_ERROR_FILE, path, "cannot be cut back: %s", strerror(errno));
    return SPATE_OK;
}

/* ------------------------------------------------------------------ reading */

static int count_of(const char *text, char wanted, char stop)
{
    int count = 0;
    for (; *text && *text != stop; text++)
        count += *text == wanted;
    return count;
}

/* Cuts the first line into names; returns what follows it. */
static char *take_names(sp_stats_table *table)
{
    char *cursor = table->text;
    for (int k = 0; k < table->columns; k++) {
        table->names[k] = cursor;
        cursor += strcspn(cursor, ",\n");
        *cursor++ = 0;
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
