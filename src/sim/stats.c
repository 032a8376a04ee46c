/* stats.c -- the list of stats.h at run time, and the numbers of a simulation. */
#include "facade.h"

#include "base/sized.h"

#include <math.h>
#include <string.h>

/* The member's type as spate_stat_type. */
#define TYPE_int SPATE_STAT_INT
#define TYPE_uint64_t SPATE_STAT_UINT64
#define TYPE_double SPATE_STAT_DOUBLE

static const spate_stat table[] = {
#define ROW(type, name, unit, when, help) \
    {#name, unit, help, TYPE_##type, SPATE_STAT_##when, offsetof(spate_stats, name)},
    SPATE_STATS(ROW)
#undef ROW
};

int spate_stat_count(void)
{
    return (int)(sizeof table / sizeof *table);
}

const spate_stat *spate_stat_info(int stat)
{
    return stat >= 0 && stat < spate_stat_count() ? &table[stat] : NULL;
}

int spate_stat_find(const char *name)
{
    for (int k = 0; k < spate_stat_count(); k++)
        if (strcmp(table[k].name, name) == 0)
            return k;
    return -1;
}

double spate_stats_value(const spate_stats *stats, int stat)
{
    const spate_stat *info = spate_stat_info(stat);
    if (!info)
        return 0;
    const void *at = (const char *)stats + info->offset;
    switch (info->type) {
    case SPATE_STAT_INT: return *(const int *)at;
    case SPATE_STAT_UINT64: return (double)*(const uint64_t *)at;
    case SPATE_STAT_DOUBLE: break;
    }
    return *(const double *)at;
}

/* Bins go from 0 to four times the upper limit. */
static void find_quantiles(const uint64_t *histogram, double limit, double values[3])
{
    static const double shares[3] = {0.5, 0.9, 0.99};
    uint64_t total = 0;
    for (int bin = 0; bin < SP_WHITE_BINS; bin++)
        total += histogram[bin];
    for (int n = 0; n < 3 && total > 0; n++) {
        uint64_t sum = 0;
        int bin = 0;
        while (bin < SP_WHITE_BINS - 1 &&
               (double)(sum += histogram[bin]) < shares[n] * (double)total)
            bin++;
        values[n] = 4 * limit * (bin + 1) / SP_WHITE_BINS;
    }
}

bool spate_sim_whitewater_sized(const spate_sim *sim, spate_whitewater_ledger *ledger, size_t size)
{
    const sp_white_ledger *from = &sim->common.white;
    spate_whitewater_ledger all = {.keep = from->keep};
    memcpy(all.emitted, from->emitted, sizeof all.emitted);
    memcpy(all.removed, from->removed, sizeof all.removed);
    all.lifted = from->turned[0]; /* in the order of WHITE_LIFTED, ... */
    all.landed = from->turned[1];
    all.risen = from->turned[2];
    all.dragged = from->turned[3];
    const spate_scene *scene = sim->common.scene;
    find_quantiles(from->histogram[0], scene->whitewater.speed_high, all.speed);
    find_quantiles(from->histogram[1], scene->whitewater.curvature_high, all.curvature);
    find_quantiles(from->histogram[2], scene->whitewater.strain_high, all.strain);
    sp_sized_out(ledger, size, &all, sizeof all);
    return scene->whitewater.on;
}

/* The column of a component of a channel; -1: there is none. */
static int column_of(const spate_scene *scene, const char *name, int component)
{
    int column = 0;
    for (int k = 0; k < scene->channel_count; column += scene->channels[k++].components)
        if (strcmp(scene->channels[k].name, name) == 0)
            return component >= 0 && component < scene->channels[k].components ? column + component
                                                                               : -1;
    return -1;
}

bool spate_sim_channel_sums_sized(const spate_sim *sim, const char *name, int component,
                                  spate_channel_sums *sums, size_t size)
{
    const spate_scene *scene = sim->common.scene;
    spate_channel_sums all = {0};
    int column = column_of(scene, name, component);
    if (column >= 0) {
        const sp_channel_ledger *from = &sim->common.channels[column];
        double spacing = sim->table->cell_size(sim->instance) / scene->fluid.particles_per_axis;
        double one = pow(spacing, scene->dim); /* volume of a particle */
        all.particles = one * from->sum;
        all.cells = from->cells;
        all.start = one * from->start;
        all.sources = one * from->sources;
        all.dissipated = one * from->dissipated;
        all.mixed = one * from->mixed;
        all.came = one * from->came;
        all.left = one * from->left;
    }
    sp_sized_out(sums, size, &all, sizeof all);
    return column >= 0;
}

static uint64_t removed(const sp_white_ledger *ledger, spate_whitewater_cause cause)
{
    uint64_t sum = 0;
    for (int kind = 0; kind < SPATE_WHITEWATER_CLASSES; kind++)
        sum += ledger->removed[kind][cause];
    return sum;
}

static void add_whitewater(const sp_common *common, spate_stats *stats)
{
    const sp_white_ledger *w = &common->white;
    uint64_t now[SPATE_WHITEWATER_CLASSES];
    uint64_t lifted = w->turned[0], landed = w->turned[1], risen = w->turned[2],
             dragged = w->turned[3];
    for (int kind = 0; kind < SPATE_WHITEWATER_CLASSES; kind++) {
        now[kind] = w->emitted[kind];
        stats->whitewater_emitted += w->emitted[kind];
        for (int cause = 0; cause < SPATE_WHITEWATER_CAUSES; cause++)
            now[kind] -= w->removed[kind][cause];
    }
    stats->spray = now[SPATE_WHITEWATER_SPRAY] + lifted - landed;
    stats->foam = now[SPATE_WHITEWATER_FOAM] + landed + risen - lifted - dragged;
    stats->bubbles = now[SPATE_WHITEWATER_BUBBLE] + dragged - risen;
    stats->dust = now[SPATE_WHITEWATER_DUST];
    stats->whitewater_aged = removed(w, SPATE_WHITEWATER_AGED);
    stats->whitewater_merged = removed(w, SPATE_WHITEWATER_MERGED);
    stats->whitewater_left = removed(w, SPATE_WHITEWATER_OPEN) +
                             removed(w, SPATE_WHITEWATER_OUTFLOW) +
                             removed(w, SPATE_WHITEWATER_KILLED);
    stats->whitewater_crushed = removed(w, SPATE_WHITEWATER_CRUSHED);
    stats->whitewater_thinned = removed(w, SPATE_WHITEWATER_THINNED);
    stats->whitewater_off = removed(w, SPATE_WHITEWATER_OFF);
}

/* All but what is measured. */
static spate_stats progress(const spate_sim *sim)
{
    const sp_common *common = &sim->common;
    spate_stats stats = {.frame = common->frame, .time = spate_sim_time(sim)};
#define COPY(type, name) stats.name = common->name;
#define ROW(type, name, unit, when, help) SP_KEPT_##when(COPY, type, name)
    SPATE_STATS(ROW)
#undef ROW
#undef COPY
    stats.removed = stats.removed_open + stats.removed_outflow + stats.removed_crushed +
                    stats.removed_user + stats.removed_reseed;
    stats.converged = stats.solver_failures == 0;
    add_whitewater(common, &stats);
    return stats;
}

void spate_sim_progress_sized(const spate_sim *sim, spate_stats *stats, size_t size)
{
    spate_stats all = progress(sim);
    sp_sized_out(stats, size, &all, sizeof all);
}

bool spate_sim_stats_sized(spate_sim *sim, spate_stats *stats, size_t size)
{
    spate_stats all = progress(sim);
    bool measured = !sim->common.in_callback; /* it sorts the particles */
    if (measured) {
        sim->table->stats(sim->instance, &all);
        sim->common.grid_known = false;
    }
    sp_sized_out(stats, size, &all, sizeof all);
    return measured;
}
