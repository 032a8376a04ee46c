/* channels.c -- part of G2P: the channels of the particles that change in every step. `age` grows,
 * and the others are averaged by the grid: the particles give their values to the cells, each cell
 * takes the mean, and the particles read it back, so the channel spreads like dye. Each device has
 * its own way to give values to cells (deposit). kernels/channels.h has the maths of a cell and of
 * a particle. */
#include "exec.h"

#include "kernels/channels.h"

typedef struct channel_args {
    float *column;
    float by;
} channel_args;

EACH_PARTICLE(add_to_each, channel_args)
{
    (void)f;
    a->column[i] += a->by;
}

void ONCE(grow_channel)(X(exec) *e, int column, float by)
{
    channel_args args = {e->f.particles.channel[column], by};
    add_to_each(e, &args, e->f.particles.count);
}

CELLS(take_means, sp_nothing)
{
    FOR_EACH_CELL(c, cell)
        X(take_mean)(f, c);
}

EACH_PARTICLE(take_from_cells, channel_args)
{
    a->column[i] = X(take_from_cells)(f, i);
}

void ONCE(average_channel)(X(exec) *e, int column)
{
    channel_args args = {e->f.particles.channel[column], 0.0f};
    DEV(deposit)(e, args.column, e->f.channel_sum, e->f.channel_weight);
    fold_border(e, e->f.channel_sum, e->f.channel_weight, -1);
    take_means(e, &NOTHING, active_tiles(&e->f));
    fill_border(e, e->f.channel_sum, -1);
    take_from_cells(e, &args, e->f.tiles.first_flying);
}
