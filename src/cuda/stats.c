/* stats.c -- what a frame looks like in numbers, taken where the particles are (cpu/stats.c). The
 * particles are sorted and the level set is made anew, as there. */
#include "residency.h"
#include "stages.h"

static bool take(X(sim) *s, spate_stats *stats)
{
    X(gpu) *g = s->gpu;
    if (s->solids_changed) /* not yet on the grid: that is the host's */
        return false;
    DEV(gpu_sort)(s);
    DEV(gpu_use)(s, GROUP_ALL & ~(unsigned)GROUP_SYSTEM);
    X(spacing_limits) limits = X(limits_of_spacing)(s->common->scene, g->f.tiles.first_flying);
    DEV(gpu_census) found = DEV(gpu_take_census)(g, &limits);
    DEV(gpu_wrote)(s, GROUP_SURFACE);
    X(census) census = {.cells = found.cells,
                        .most = found.most,
                        .held = found.held,
                        .interior_most = found.interior_most,
                        .volume = found.volume,
                        .max_speed = DEV(gpu_max_speed)(g),
                        .squares = DEV(gpu_sum_of_squares)(g),
                        .heights = DEV(gpu_sum_of_heights)(g, s->common->gravity),
                        .close = found.nearest_close,
                        .usual = found.nearest_usual,
                        .overlaps = found.overlaps,
                        .in_solid = found.in_solid,
                        .flying = s->particles.count - g->f.tiles.first_flying};
    memcpy(census.kinds, found.kinds, sizeof census.kinds);
    DEV(gpu_momentum)(g, g->f.particles.count, census.momentum);
    X(fill_stats)(s, &census, stats);
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
