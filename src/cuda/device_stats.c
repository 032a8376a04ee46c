/* device_stats.c -- the statistics of a frame, taken on the device (stages/stats.c, spacing.cu).
 * The particles are sorted and the level set is made anew, as the CPU does it. */
#include "residency.h"
#include "stages.h"
#include "stages/stages.h"

static bool take(X(sim) *s, spate_stats *stats)
{
    X(gpu) *g = s->gpu;
    if (s->solids_changed) /* not yet on the grid: that is the host's */
        return false;
    DEV(gpu_sort)(s);
    DEV(gpu_use)(s, GROUP_ALL & ~(unsigned)GROUP_SYSTEM);
    X(spacing_limits) limits = X(limits_of_spacing)(s->common->scene, g->f.tiles.first_flying);
    DEV(gpu_census) spacing = DEV(gpu_measure_spacing)(g, &limits);
    X(census) census = {.cells = ONCE(count_cells)(g),
                        .particles = ONCE(measure_particles)(g, s->common->gravity, true),
                        .volume = ONCE(measure_volume)(g),
                        .max_speed = DEV(gpu_max_speed)(g),
                        .close = spacing.nearest_close,
                        .usual = spacing.nearest_usual,
                        .overlaps = spacing.overlaps,
                        .flying = s->particles.count - g->f.tiles.first_flying};
    DEV(measure_channels)(g, census.channels, census.held);
    DEV(gpu_wrote)(s, GROUP_SURFACE | GROUP_CHANNELS);
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
