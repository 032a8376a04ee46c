/* stats.c -- the list of stats.h at run time, and the numbers of a simulation. */
#include "facade.h"

#include "base/sized.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
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

/* ---- the sets of particles */

/* Whether two counts are in one column of stats.csv. */
static bool share_stat(const sp_set_kind *kind, int a, int b)
{
    const char *first = kind->counts[a].stat, *second = kind->counts[b].stat;
    return first && second && strcmp(first, second) == 0;
}

/* The sum over the classes of count k and those behind it that are in its column. */
static uint64_t sum_of_stat(const sp_set_kind *kind, const sp_set_ledger *ledger, int k)
{
    int64_t sum = 0;
    for (int c = k; c < kind->count_count && share_stat(kind, k, c); c++)
        for (int n = 0; n < kind->class_count; n++)
            sum += ledger->counts[n][c];
    return (uint64_t)sum;
}

bool spate_sim_particles_stat(const spate_sim *sim, const char *set, int stat, char *name,
                              size_t size, uint64_t *value)
{
    int number = sp_sim_find_set(sim, set);
    if (number < 0 || stat < 0)
        return false;
    const sp_set_kind *kind = sim->table->set_kind(sim->instance, number);
    const sp_set_ledger *ledger = sim->table->set_ledger(sim->instance, number);
    if (stat < kind->class_count) {
        snprintf(name, size, "%s", kind->classes[stat]);
        *value = (uint64_t)sp_set_booked(kind, ledger, stat);
        return true;
    }
    stat -= kind->class_count;
    for (int k = 0; k < kind->count_count; k++) {
        bool begins = kind->counts[k].stat && !(k > 0 && share_stat(kind, k - 1, k));
        if (!begins || stat-- > 0)
            continue;
        snprintf(name, size, "%s_%s", kind->name, kind->counts[k].stat);
        *value = sum_of_stat(kind, ledger, k);
        return true;
    }
    return false;
}

/* The numbers of sets that are rows of stats.h. */
static void add_sets(const spate_sim *sim, spate_stats *stats)
{
    char name[SPATE_STAT_NAME];
    uint64_t value;
    for (int set = 0; set < spate_sim_particle_set_count(sim); set++) {
        const char *of = spate_sim_particle_set_name(sim, set);
        for (int k = 0; spate_sim_particles_stat(sim, of, k, name, sizeof name, &value); k++) {
            int row = spate_stat_find(name);
            if (row < 0)
                continue;
            assert(table[row].type == SPATE_STAT_UINT64);
            memcpy((char *)stats + table[row].offset, &value, sizeof value);
        }
    }
}

/* ---- the channels */

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

/* ---- the numbers of a simulation */

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
    add_sets(sim, &stats);
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
