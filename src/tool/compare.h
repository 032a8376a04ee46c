/* compare.h -- several runs on one page (compare.c), for `spate plot A B` and `spate sweep`. */
#ifndef SPATE_TOOL_COMPARE_H
#define SPATE_TOOL_COMPARE_H

#include "io/compare.h"
#include "tool.h"

/* A column of the table that does not come from the runs: what a sweep has set. */
typedef struct compare_column {
    const char *name;
    const char **values; /* one per run */
} compare_column;

/* Writes the page, and with `table` a CSV with the same numbers. failed (may be NULL): per run, why
 * it has no numbers, or NULL. Returns an exit code, having printed what went wrong. */
int compare_write(const char *page, const char *table, const char *title, const sp_compared *runs,
                  int count, const compare_column *columns, int column_count,
                  const char *const *failed);
/* `spate plot A B ...`. */
int compare_folders(const char *const *folders, int count, const char *page, bool say);

#endif
