/* census.c -- statistics: what a device is to look for, and the numbers that are made of what it
 * finds. */
#include "state.h"

#include <math.h>

#define CLOSE 0.1   /* of the spacing at rest: closer pairs must not be missed */
#define SAMPLE 4096 /* particles, at least, whose nearest neighbour is looked for */

X(spacing_limits) X(limits_of_spacing)(const spate_scene *scene, size_t count)
{
    double n = scene->fluid.particles_per_axis, half = 0.5 * scene->volume.separation / n;
    size_t every = count / SAMPLE > 1 ? count / SAMPLE : 1;
    return (X(spacing_limits)){.close = (float)(CLOSE * CLOSE / (n * n)),
                               .half = (float)(half * half),
                               .every = every,
                               .looked_at = (count + every - 1) / every};
}

/* The smallest distance of two particles, m: that of close pairs, if it is closer than where the
 * search for those began. */
static double smallest_distance(const X(sim) *s, const X(census) *census)
{
    bool found = census->close < 0.9999 * CLOSE / s->common->scene->fluid.particles_per_axis;
    double nearest = found && census->close < census->usual ? census->close : census->usual;
    return (s->particles.count > 0 ? nearest : 1) * s->grid.dx;
}

static void fill_cells(const X(sim) *s, const X(census) *census, spate_stats *stats)
{
    const X(cell_census) *cells = &census->cells;
    stats->liquid_cells = cells->cells;
    uint64_t held = s->particles.count - census->flying;
    stats->ppc_mean = cells->cells ? (double)held / (double)cells->cells : 0;
    stats->ppc_max = cells->most;
    uint64_t interior = X(book_interior)(stats, cells->kinds);
    stats->interior_mean = interior ? (double)cells->held / (double)interior : 0;
    stats->interior_max = cells->interior_most;
}

/* From sums over particles and over cells to amounts: a particle stands for its volume. */
static void book_channels(const X(sim) *s, const X(census) *census)
{
    double cell = pow(s->grid.dx, DIM);
    for (int c = 0; c < s->particles.own_columns; c++)
        s->common->channels[c].sum = census->channels[c];
    for (int j = 0; j < s->on_grid; j++)
        s->common->channels[s->column_of[j]].cells = census->held[j] * cell;
}

void X(fill_stats)(const X(sim) *s, const X(census) *census, spate_stats *stats)
{
    const spate_scene *scene = s->common->scene;
    size_t count = s->particles.count, held = count - census->flying;
    size_t looked_at = X(limits_of_spacing)(scene, held).looked_at;
    double cell = pow(s->grid.dx, DIM), volume = cell / pow(scene->fluid.particles_per_axis, DIM);
    double mass = volume * scene->fluid.density;
    stats->particles = count;
    stats->flying = census->flying;
    fill_cells(s, census, stats);
    stats->volume = cell * (X(has_level_set)(s) ? census->volume : (double)census->cells.cells) +
                    (double)census->flying * volume;
    stats->volume_particles = (double)count * volume;
    stats->max_speed = census->max_speed;
    double *momentum[3] = {&stats->momentum_x, &stats->momentum_y, &stats->momentum_z};
    FOR_DIM(d)
        *momentum[d] = mass * census->particles.momentum[d];
    stats->kinetic_energy = 0.5 * mass * census->particles.squares;
    if (s->common->medium->falls)
        stats->potential_energy = mass * census->particles.heights;
    book_channels(s, census);
    stats->min_distance = smallest_distance(s, census);
    stats->overlaps = held > 0 ? (double)census->overlaps / (double)looked_at : 0;
    stats->in_solid = census->particles.in_solid;
}
