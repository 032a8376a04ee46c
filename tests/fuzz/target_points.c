/* target_points.c -- sets of points from PLY files: those that are accepted are finite. */
#include "fuzz.h"

#include <math.h>

#include "scene/points.h"

void fuzz_points(const uint8_t *bytes, size_t size)
{
    spate_error error = {.status = SPATE_OK};
    spate_points *points = spate_points_read(fuzz_file("points", bytes, size), &error);
    FUZZ_MUST(points || (error.status != SPATE_OK && error.message[0]));
    for (size_t k = 0; points && k < 3 * sp_points_count(points); k++)
        FUZZ_MUST(isfinite(sp_points_positions(points)[k]) &&
                  isfinite(sp_points_velocities(points)[k]));
    spate_points_destroy(points);
}
