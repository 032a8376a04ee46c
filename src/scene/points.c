/* points.c -- a set of particles that several owners share. */
#include "points.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

struct spate_points {
    _Atomic int owners;
    size_t count;
    float *positions, *velocities; /* [3 * count] */
};

spate_points *spate_points_create(const float *positions, const float *velocities, size_t count,
                                  spate_error *error)
{
    for (size_t i = 0; i < 3 * count; i++)
        if (!isfinite(positions[i]) || (velocities && !isfinite(velocities[i]))) {
            sp_fail(error, SPATE_ERROR_SCENE, NULL, "the %s of point %zu is not a finite number",
                    isfinite(positions[i]) ? "velocity" : "position", i / 3 + 1);
            return NULL;
        }
    spate_points *points = sp_alloc(1, sizeof *points);
    if (points) {
        atomic_init(&points->owners, 1);
        points->count = count;
        points->positions = sp_alloc(count, 3 * sizeof(float));
        points->velocities = sp_alloc(count, 3 * sizeof(float));
    }
    if (!points || !points->positions || !points->velocities) {
        sp_fail_memory(error, "a set of points", count * 6 * sizeof(float));
        spate_points_destroy(points);
        return NULL;
    }
    if (count > 0)
        memcpy(points->positions, positions, count * 3 * sizeof(float));
    if (count > 0 && velocities)
        memcpy(points->velocities, velocities, count * 3 * sizeof(float));
    return points;
}

spate_points *spate_points_retain(spate_points *points)
{
    if (points)
        atomic_fetch_add(&points->owners, 1);
    return points;
}

void spate_points_destroy(spate_points *points)
{
    if (!points || atomic_fetch_sub(&points->owners, 1) > 1)
        return;
    sp_free(points->positions);
    sp_free(points->velocities);
    sp_free(points);
}

size_t sp_points_count(const spate_points *points)
{
    return points->count;
}

const float *sp_points_positions(const spate_points *points)
{
    return points->positions;
}

const float *sp_points_velocities(const spate_points *points)
{
    return points->velocities;
}
