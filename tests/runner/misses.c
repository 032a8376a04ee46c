/* misses.c -- figures that are known to miss their limit (tests/validation/misses.csv).
 *
 * A row is `figure,ceiling,reason`. CHECK_FIGURE fails for a figure that misses its limit, unless a
 * row allows it and the figure is not above the row's ceiling. So `make validate` fails when
 * something gets worse, and it says when a row may go. tests/house.sh sees to it that rows only
 * leave the table or get a lower ceiling. */
#include <stdlib.h>
#include <string.h>

#include "runner.h"

/* The ceiling of a figure; below zero: it has no row. */
static double ceiling_of(const char *figure)
{
    FILE *file = fopen(SPATE_SOURCE "/tests/validation/misses.csv", "r");
    char line[512];
    double ceiling = -1;
    size_t length = strlen(figure);
    while (file && ceiling < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, figure, length) == 0 && line[length] == ',')
            ceiling = strtod(line + length + 1, NULL);
    if (file)
        fclose(file);
    return ceiling;
}

bool test_figure(const char *figure, double value, double limit)
{
    double ceiling = ceiling_of(figure);
    bool good = value < limit, known = !good && value <= ceiling;
    if (good && ceiling >= 0)
        printf("  no longer a miss: %s is %.6g, below %g: its row can leave misses.csv\n", figure,
               value, limit);
    else if (known)
        printf("  known miss: %s is %.6g, limit %g, ceiling %g\n", figure, value, limit, ceiling);
    else if (!good && ceiling >= 0)
        printf(
            "  %s is %.6g: it misses its limit %g, and now the ceiling %g of misses.csv as well\n",
            figure, value, limit, ceiling);
    else if (!good)
        printf("  %s is %.6g, must be below %g\n", figure, value, limit);
    return good || known;
}
