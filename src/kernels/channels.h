/* channels.h -- quantities that particles carry and the grid changes: heat, smoke, dye.
 *
 * The particles give their values to the cell centres with linear weights, and each cell takes the
 * mean. What happens to it there comes back to the particles in one of two ways, as velocities do:
 * with PIC a particle takes the value of the grid where it is, so that the channel spreads like
 * dye; with FLIP it takes the change of the grid alone, and keeps what is its own. A value so
 * changed never leaves the range of its old value and the new ones of the cells around it: nothing
 * gets hotter than what heats it. */
#ifndef SPATE_KERNELS_CHANNELS_H
#define SPATE_KERNELS_CHANNELS_H

#include "fields.h"
#include "ledger.h"
#include "sources.h"
#include "transfer.h"

/* What the stage CHANNELS and G2P do in a step; the sums of all changes are added to `booked`. */
typedef struct X(channel_change) {
    int column;     /* of the particles */
    float kept, by; /* v <- kept v + by */
    double *booked;
} X(channel_change);
typedef struct X(channel_back) {
    int on_grid; /* which of the columns that the grid holds */
    float kept;  /* see take_from_cells */
    double *booked;
} X(channel_back);
typedef struct X(channel_step) {
    X(channel_change) changes[CHANNEL_COLUMNS];
    X(channel_back) back[GRID_COLUMNS];
    int change_count, back_count;
    const X(source) *sources; /* those that are on */
    int source_count;
    sp_channel_ledger *ledger; /* of each column */
} X(channel_step);

SP_KERNEL void X(place_of)(const X(fields) *f, size_t k, float x[DIM])
{
    FOR_DIM(d)
        x[d] = f->particles.x[d][k];
}

/* The weight of a particle with this stencil in the cell that is i, j, m cells after the first one.
 */
SP_KERNEL float X(centre_share)(const X(stencil) *s, int i, int j, int m)
{
    return s->w[0][i] * s->w[1][j] * (DIM == 3 ? s->w[DIM - 1][m] : 1.0f);
}

/* The cells around a particle: 2^DIM of them, with its shares. */
#define CENTRES (2 * 2 * LAST(2))
typedef struct X(around) {
    size_t cell[CENTRES];
    float share[CENTRES];
} X(around);

SP_KERNEL X(around) X(cells_around)(const X(fields) *f, size_t k)
{
    X(around) at;
    float x[DIM];
    int n = 0;
    X(place_of)(f, k, x);
    X(stencil) s = X(stencil_at)(KERNEL_LINEAR, x, -1);
    size_t corner = X(index)(&f->grid, s.first);
    for (int m = 0; m < LAST(2); m++)
        for (int j = 0; j < 2; j++)
            for (int i = 0; i < 2; i++, n++) {
                at.cell[n] = corner + (size_t)i + (size_t)j * f->grid.stride[1] +
                             (size_t)m * f->grid.stride[2];
                at.share[n] = X(centre_share)(&s, i, j, m);
            }
    return at;
}

/* Of column j of those that the grid holds, at a place in cells. */
SP_KERNEL float X(channel_at)(const X(fields) *f, int j, const float x[DIM])
{
    X(stencil) s = X(stencil_at)(KERNEL_LINEAR, x, -1);
    return X(gather)(&f->grid, &s, KERNEL_LINEAR, f->channel[j]);
}

/* Of all columns that the grid holds: the mean, as it came from the particles. */
SP_KERNEL void X(take_means)(const X(fields) *f, size_t c)
{
    float weight = f->channel_weight[c];
    for (int j = 0; j < f->on_grid; j++) {
        float mean = weight > 0.0f ? f->channel[j][c] / weight : 0.0f;
        f->channel[j][c] = f->channel_old[j][c] = mean;
    }
}

/* What comes back to particle k from column j: v <- kept v + (now - kept old)(x), in the range of
 * the old value and the cells'. FLIP keeps all of its own; PIC nothing, and takes a mean of the
 * cells. */
SP_KERNEL float X(take_from_cells)(const X(fields) *f, int j, float kept, size_t k)
{
    X(around) at = X(cells_around)(f, k);
    const float *now = f->channel[j], *old = f->channel_old[j];
    float own = f->particles.own[f->column_of[j]][k], low = own, high = own, sum = 0.0f;
    for (int n = 0; n < CENTRES; n++) {
        float value = now[at.cell[n]];
        sum += at.share[n] * (kept > 0.0f ? value - kept * old[at.cell[n]] : value);
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    float result = kept * own + sum;
    return kept == 0.0f ? sum : result < low ? low : result > high ? high : result;
}

#endif
