/* stats.h -- stats.csv: one row of numbers per frame, row 0 the start.
 *
 * The same cells, by name, make the rows of stats.csv and the objects that `spate run --json`
 * prints. All columns but `allocations` and those of time (t_..., seconds) depend on the scene
 * alone, not on threads, machine or interruptions; they are printed so that different values are
 * told apart. */
#ifndef SPATE_IO_STATS_H
#define SPATE_IO_STATS_H

#include "state/stage.h"

#include <spate/spate.h>

#define SP_STATS_NAME 48
#define SP_STATS_CHANNELS 16
#define SP_STATS_OF_CHANNEL 5 /* columns of each */
#define SP_STATS_OF_SETS 32

typedef struct sp_stats_cell {
    char name[SP_STATS_NAME]; /* of the column */
    char text[32];            /* a number as C writes it; may be nan or inf */
} sp_stats_cell;

/* What a row is made of. */
typedef struct sp_stats_row {
    spate_stats stats;
    double stages[SP_STAGE_COUNT]; /* s, of the frame */
    struct {
        char name[SP_STATS_NAME];
        spate_channel_sums sums;
    } channels[SP_STATS_CHANNELS]; /* those that the grid holds, component by component */
    int channel_count;
    struct {
        char name[SPATE_STAT_NAME];
        uint64_t value;
    } sets[SP_STATS_OF_SETS]; /* the numbers of sets of particles that stats.h has no row for */
    int set_count;
    double seconds; /* wall time of the whole frame, output included; what the stages leave of it is
                       t_other */
} sp_stats_row;

#define SP_ONE(type, name, unit, when, help) +1
enum {
    SP_STATS_CELLS = 0 SPATE_STATS(SP_ONE) + SP_STAGE_COUNT + 2,
    SP_STATS_MOST = SP_STATS_CELLS + SP_STATS_CHANNELS * SP_STATS_OF_CHANNEL + SP_STATS_OF_SETS
};

/* The names of the channels and of the numbers of sets that a simulation has columns for. */
void sp_stats_name(const spate_sim *sim, sp_stats_row *row);
/* The numbers of a simulation and the seconds of its stages. */
void sp_stats_take(spate_sim *sim, sp_stats_row *row);
/* Fills `cells`, in the order of the columns, and returns how many: SP_STATS_CELLS, then those of
 * the channels and of the sets. */
int sp_stats_cells(const sp_stats_row *row, sp_stats_cell cells[SP_STATS_MOST]);

/* A new stats.csv with the line of names only, which are those of the row. */
spate_status sp_stats_create(const char *path, const sp_stats_row *row, spate_error *error);
/* One more row, on the disk when it returns. A row that could not be written whole is taken back.
 */
spate_status sp_stats_append(const char *path, const sp_stats_row *row, spate_error *error);
/* Makes the file fit to go on with: writes the line of names where there is none, and refuses other
 * names than those of the row. */
spate_status sp_stats_resume(const char *path, const sp_stats_row *row, spate_error *error);
/* Removes the rows after `last_frame` and a torn last line; *rows (may be NULL) is how many stay.
 */
spate_status sp_stats_cut(const char *path, int last_frame, int *rows, spate_error *error);

/* A stats.csv in memory. */
typedef struct sp_stats_table {
    char *text;         /* the file, cut into cells */
    const char **names; /* columns */
    double *values;     /* rows * columns */
    int rows, columns;
} sp_stats_table;

/* A torn last line is left out. Error when it is no table of numbers. */
spate_status sp_stats_read(const char *path, sp_stats_table *table, spate_error *error);
void sp_stats_clear(sp_stats_table *table);
/* NaN if there is no such row or column. */
double sp_stats_value(const sp_stats_table *table, int row, const char *name);

#endif
