/* channels.c -- run-time quantities that particles carry: those that grow, and those that the grid
 * averages (kernels/channels.h). */
#include "cpu.h"

#include "kernels/channels.h"

#include <string.h>

typedef struct channel_args {
    X(sim) *s;
    float *column;
    const int *tiles;
    float dt;
} channel_args;

static void age_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const channel_args *args = user;
    for (size_t k = begin; k < end; k++)
        args->column[k] += args->dt;
}

static void clear_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = ((channel_args *)user)->s;
    for (size_t k = begin; k < end; k++) {
        size_t active = (size_t)s->tiles.active_count;
        size_t base =
            X(tile_index)(&s->grid, k < active ? s->tiles.active[k] : s->tiles.border[k - active]);
        for (int r = 0; r < TILE_ROWS; r++) {
            memset(s->channel_sum + base + X(row_offset)(&s->grid, r), 0, TILE * sizeof(float));
            memset(s->channel_weight + base + X(row_offset)(&s->grid, r), 0, TILE * sizeof(float));
        }
    }
}

static void give_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const channel_args args = *(const channel_args *)user;
    const X(fields) f = X(fields_of)(args.s);
    for (size_t t = begin; t < end; t++)
        for (uint32_t k = f.tiles.start[args.tiles[t]]; k < f.tiles.start[args.tiles[t] + 1]; k++)
            X(give_to_cells)(&f, k, args.column[k]);
}

static void mean_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const X(fields) f = X(fields_of)(((channel_args *)user)->s);
    for (size_t t = begin; t < end; t++)
        FOR_INDICES(&f.grid, f.tiles.active[t], c)
            X(take_mean)(&f, c);
}

static void take_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const channel_args args = *(const channel_args *)user;
    const X(fields) f = X(fields_of)(args.s);
    for (size_t t = begin; t < end; t++)
        for (uint32_t k = f.tiles.start[args.tiles[t]]; k < f.tiles.start[args.tiles[t] + 1]; k++)
            args.column[k] = X(take_from_cells)(&f, k);
}

static void average(X(sim) *s, int column)
{
    sp_pool *pool = s->common->pool;
    const X(tiles) *t = &s->tiles;
    channel_args args = {s, s->particles.channel[column], t->liquid, 0.0f};
    sp_parallel_for(pool, (size_t)(t->active_count + t->border_count), 8, clear_range, &args);
    sp_pool_work(pool)->passes++;
    for (int colour = 0; colour < COLOURS; colour++) {
        args.tiles = t->liquid + t->colour_start[colour];
        sp_parallel_for(pool, (size_t)(t->colour_start[colour + 1] - t->colour_start[colour]), 1,
                        give_range, &args);
    }
    X(fold_border)(s, s->channel_sum, s->channel_weight, -1);
    sp_parallel_for(pool, (size_t)t->active_count, 8, mean_range, &args);
    X(fill_border)(s, s->channel_sum, -1);
    args.tiles = t->liquid;
    sp_parallel_pass(pool, (size_t)t->liquid_count, 1, take_range, &args);
}

static void grow(X(sim) *s, int column, float dt)
{
    channel_args args = {s, s->particles.channel[column], NULL, dt};
    sp_parallel_pass(s->common->pool, s->particles.count, 16384, age_range, &args);
}

void X(channels_step)(X(sim) *s, double dt)
{
    X(step_channels)(s, dt, grow, average);
}
