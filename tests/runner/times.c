/* times.c -- see runner.h. A row of the table is `name,seconds`; lines that begin with # are
 * comments. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runner.h"

typedef struct row {
    char *name;
    double seconds;
} row;

static row *rows;
static size_t row_count;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const row *)a)->name, ((const row *)b)->name);
}

bool times_read(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[256];
    size_t room = 0;
    if (!file)
        return false;
    while (fgets(line, sizeof line, file)) {
        char *comma = strrchr(line, ',');
        if (line[0] == '#' || !comma)
            continue;
        if (row_count == room)
            rows = realloc(rows, (room = 2 * room + 256) * sizeof *rows);
        if (!rows)
            abort();
        *comma = 0;
        rows[row_count++] = (row){strdup(line), strtod(comma + 1, NULL)};
    }
    fclose(file);
    if (row_count > 0)
        qsort(rows, row_count, sizeof *rows, by_name);
    return true;
}

double times_find(const char *name)
{
    const row key = {(char *)name, 0};
    const row *found = rows ? bsearch(&key, rows, row_count, sizeof *rows, by_name) : NULL;
    return found ? found->seconds : -1;
}

double tier_limit(double seconds)
{
    return seconds < QUICK_SECONDS ? QUICK_SECONDS : SLOW_SECONDS;
}

/* A chain of multiplications takes as long as the processor needs for each, whatever the compiler
 * does. The reference is what it takes on the machine that the table is for. */
static double chain_seconds(void)
{
    struct timespec begin, end;
    unsigned long long x = 1;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    for (int k = 0; k < 20000000; k++)
        x = x * 6364136223846793005ULL + 1442695040888963407ULL;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    if (x == 0) /* never: so the loop has a use */
        return 0;
    return (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}

double times_scale(void)
{
    const double reference = 0.03;
    double least = 1e9;
    for (int k = 0; k < 3; k++) {
        double seconds = chain_seconds();
        least = seconds < least ? seconds : least;
    }
    return least > 0 ? reference / least : 1;
}
