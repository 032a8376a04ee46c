/* stats.c -- what a frame looks like in numbers, taken where the particles are (cpu/stats.c). The
 * particles are sorted and the level set is made anew, as there. */
#include "residency.h"
#include "stages.h"

#include <math.h>

static void fill_cells(const X(sim) *s, const DEV(gpu_census) * census, spate_stats *stats)
{
    stats->liquid_cells = census->cells;
    stats->ppc_mean = census->cells ? (double)s->particles.count / (double)census->cells : 0;
    stats->ppc_max = census->most;
    uint64_t interior = X(book_interior)(stats, census->kinds);
    stats->interior_mean = interior ? (double)census->held / (double)interior : 0;
    stats->interior_max = census->interior_most;
}

static bool take(X(sim) *s, spate_stats *stats)
{
    X(gpu) *g = s->gpu;
    const spate_scene *scene = s->common->scene;
    size_t count = s->particles.count;
    double cell = pow(s->grid.dx, DIM), volume = cell / pow(scene->fluid.particles_per_axis, DIM);
    double mass = volume * scene->fluid.density, momentum[DIM];
    if (s->solids_changed) /* not yet on the grid: that is the host's */
        return false;
    DEV(gpu_sort)(s);
    DEV(gpu_use)(s, GROUP_ALL & ~(unsigned)GROUP_SYSTEM);
    X(spacing_limits) limits = X(limits_of_spacing)(scene, count);
    DEV(gpu_question)
    question = {.full = (uint32_t)g->f.rest,
                .close = limits.close,
                .half = limits.half,
                .every = limits.every,
                .looked_at = limits.looked_at};
    DEV(gpu_census) census = DEV(gpu_take_census)(g, &question);
    DEV(gpu_wrote)(s, GROUP_SURFACE);
    stats->particles = count;
    fill_cells(s, &census, stats);
    stats->volume = cell * (g->f.ghost ? census.volume : (double)census.cells);
    stats->volume_particles = (double)count * volume;
    stats->max_speed = DEV(gpu_max_speed)(g);
    DEV(gpu_momentum)(g, momentum);
    double *out[3] = {&stats->momentum_x, &stats->momentum_y, &stats->momentum_z};
    FOR_DIM(d)
        *out[d] = mass * momentum[d];
    stats->kinetic_energy = 0.5 * mass * DEV(gpu_sum_of_squares)(g);
    stats->potential_energy = mass * DEV(gpu_sum_of_heights)(g, s->common->gravity);
    X(spacing) spacing = {1, 0};
    if (count > 0)
        spacing = X(spacing_of)(scene, &limits, census.nearest_close, census.nearest_usual,
                                census.overlaps);
    stats->min_distance = spacing.nearest * s->grid.dx;
    stats->overlaps = spacing.overlaps;
    stats->in_solid = census.in_solid;
    return !g->failure[0];
}

void DEV(gpu_stats)(X(sim) *s, spate_stats *stats)
{
    if (take(s, stats))
        return;
    X(fetch)(s, GROUP_PARTICLES | GROUP_TILES | GROUP_SOLIDS); /* the host makes the rest anew */
    s->host->stats(s, stats);
    X(discard)(s, GROUP_GRID);
}
