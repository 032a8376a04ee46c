/* channels.c -- the stage CHANNELS, and the part of G2P that brings channels back.
 *
 * A channel is a quantity that particles carry: heat, smoke, dye, their age. The stage first
 * changes what changes on the particles themselves: `age` grows, what dissipates gets less, and
 * sources hold what is in them. Then the particles give the values of those channels that the grid
 * holds to the cells, which take what other sources give. What the grid has changed comes back in
 * G2P. kernels/channels.h and kernels/sources.h have the maths of a particle and of a cell.
 *
 * Each change of the sum over the particles is booked under its cause, so that the sum is at any
 * time what was there at the start and what is booked. */
#include "exec.h"

#include "kernels/fractions.h"
#include "kernels/holes.h"
#include "kernels/step_info.h"

SP_KERNEL void add_number(double *sum, const double *part)
{
    *sum += *part;
}

/* ---- on the particles */

typedef struct change_args {
    int column;
    float kept, by; /* what becomes of a value: kept times it, and `by` more */
} change_args;

EACH_PARTICLE_FOLD(change_each, change_args, double, add_number)
{
    float *value = f->particles.own[a->column] + i, before = *value;
    *value = a->kept * before + a->by;
    *part += (double)*value - (double)before;
}

/* ---- sources */

typedef struct source_sums {
    double sum[SOURCE_VALUES]; /* that were added, value by value */
} source_sums;

SP_KERNEL void add_sums(source_sums *sum, const source_sums *part)
{
    for (int v = 0; v < SOURCE_VALUES; v++)
        sum->sum[v] += part->sum[v];
}

SP_KERNEL void hold_particle(const X(fields) *f, const X(source) *a, size_t k, source_sums *part)
{
    float x[DIM];
    X(place_of)(f, k, x);
    if (!X(source_holds)(f, a, x))
        return;
    for (int v = 0; v < a->count; v++) {
        float *value = f->particles.own[a->column[v]] + k;
        part->sum[v] += (double)a->value[v] - (double)*value;
        *value = a->value[v];
    }
}

CELLS_FOLD(hold_cells, X(source), source_sums, add_sums)
{
    if (X(meets_source)(f, a, tile))
        FOR_EACH_CELL(c, cell)
            for (uint32_t k = f->first[c]; k < f->first[c] + f->count[c]; k++)
                hold_particle(f, a, k, part);
}

SP_KERNEL void give_rate(const X(fields) *f, const X(source) *a, size_t c, float share)
{
    for (int v = 0; v < a->count; v++) {
        float *value = f->channel[a->on_grid[v]] + c, more = *value + share * a->value[v];
        float least = *value < a->least[v] ? *value : a->least[v];
        *value = more < least ? least : more;
    }
}

CELLS(give_rates, X(source))
{
    if (X(meets_source)(f, a, tile))
        FOR_EACH_CELL(c, cell)
            if (X(inside)(&f->grid, cell))
                give_rate(f, a, c, X(source_share)(f, a, cell));
}

static void hold_values(X(exec) *e, const X(channel_step) *how)
{
    for (int k = 0; k < how->source_count; k++) {
        const X(source) *source = &how->sources[k];
        if (source->rate)
            continue;
        source_sums sums = hold_cells(e, source, liquid_tiles(&e->f));
        for (int v = 0; v < source->count; v++)
            how->ledger[source->column[v]].sources += sums.sum[v];
    }
}

/* ---- to the cells and back */

CELLS(take_means, sp_nothing)
{
    FOR_EACH_CELL(c, cell)
        X(take_means)(f, c);
}

CELLS(fill_empty_cells, sp_nothing)
{
    FOR_EACH_CELL(c, cell)
        if (X(inside)(&f->grid, cell))
            X(fill_empty_cell)(f, c, cell);
}

typedef struct back_args {
    int on_grid; /* which of the columns that the grid holds */
    float kept;
} back_args;

EACH_PARTICLE_FOLD(bring_back, back_args, double, add_number)
{
    float *value = f->particles.own[f->column_of[a->on_grid]] + i, before = *value;
    *value = X(take_from_cells)(f, a->on_grid, a->kept, i);
    *part += (double)*value - (double)before;
}

static void give_to_cells(X(exec) *e)
{
    DEV(deposit)(e);
    for (int j = 0; j < e->f.on_grid; j++)
        fold_border(e, e->f.channel[j], j == 0 ? e->f.channel_weight : NULL, -1);
    take_means(e, &NOTHING, active_tiles(&e->f));
    if (e->f.surface == SURFACE_NONE)
        fill_empty_cells(e, &NOTHING, active_tiles(&e->f));
}

void DEV(channels)(X(exec) *e, const X(step_info) *step)
{
    const X(channel_step) *how = &step->channels;
    for (int k = 0; k < how->change_count; k++) {
        const X(channel_change) *change = &how->changes[k];
        change_args args = {change->column, change->kept, change->by};
        *change->booked += change_each(e, &args, e->f.particles.count);
    }
    hold_values(e, how);
    if (e->f.on_grid == 0)
        return;
    give_to_cells(e);
    for (int k = 0; k < how->source_count; k++)
        if (how->sources[k].rate)
            give_rates(e, &how->sources[k], active_tiles(&e->f));
    for (int j = 0; j < e->f.on_grid; j++)
        fill_border(e, e->f.channel[j], -1);
}

void DEV(bring_back_channels)(X(exec) *e, const X(channel_step) *how)
{
    for (int k = 0; k < how->back_count; k++) {
        const X(channel_back) *back = &how->back[k];
        back_args args = {back->on_grid, back->kept};
        if (back->kept > 0)
            fill_border(e, e->f.channel_old[back->on_grid], -1);
        *back->booked += bring_back(e, &args, e->f.tiles.first_flying);
    }
}

/* ---- sums */

typedef struct sum_args {
    int column;
    uint32_t first;
    bool dead; /* of the particles that are DEAD alone */
} sum_args;

EACH_PARTICLE_FOLD(sum_each, sum_args, double, add_number)
{
    size_t k = a->first + i;
    if (!a->dead || f->particles.x[0][k] == DEAD)
        *part += (double)f->particles.own[a->column][k];
}

double DEV(sum_channel)(X(exec) *e, int column, uint32_t first, uint32_t count, bool dead)
{
    sum_args args = {column, first, dead};
    return sum_each(e, &args, count);
}

typedef struct held_args {
    int on_grid;
} held_args;

CELLS_FOLD(sum_cells, held_args, double, add_number)
{
    FOR_EACH_CELL(c, cell) {
        bool inside = X(inside)(&f->grid, cell);
        float room = f->solids.live > 0 ? X(free_share)(&f->grid, f->phi_solid, c) : 1.0f;
        *part += inside ? (double)room * (double)f->channel[a->on_grid][c] : 0;
    }
}

void DEV(measure_channels)(X(exec) *e, double particles[CHANNEL_COLUMNS],
                           double cells[GRID_COLUMNS])
{
    for (int c = 0; c < e->f.particles.own_columns; c++)
        particles[c] = DEV(sum_channel)(e, c, 0, e->f.particles.count, false);
    if (e->f.on_grid > 0)
        give_to_cells(e);
    for (int j = 0; j < e->f.on_grid; j++) {
        fill_border(e, e->f.channel[j], -1);
        held_args args = {j};
        cells[j] = sum_cells(e, &args, active_tiles(&e->f));
    }
}
