/* channels.c -- run-time quantities that particles carry.
 *
 * "age" grows by dt in every step. A channel with `pic` is averaged over the cells around each
 * particle: handed to the cell centres with the linear kernel and taken back from there, so that it
 * spreads like dye. All others are only carried. */
#include "cpu.h"

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

/* Visits the cells around particle k: gives to them, or takes their mean. */
static float visit(X(sim) *s, uint32_t k, float value, bool give)
{
    float x[DIM], sum = 0.0f;
    FOR_DIM(d)
        x[d] = s->particles.x[d][k];
    X(stencil) stencil = X(stencil_at)(KERNEL_LINEAR, x, -1);
    size_t corner = X(index)(&s->grid, stencil.first);
    for (int m = 0; m < LAST(2); m++)
        for (int j = 0; j < 2; j++)
            for (int i = 0; i < 2; i++) {
                float w =
                    stencil.w[0][i] * stencil.w[1][j] * (DIM == 3 ? stencil.w[DIM - 1][m] : 1.0f);
                size_t c = corner + (size_t)i + (size_t)j * s->grid.stride[1] +
                           (size_t)m * s->grid.stride[2];
                if (give) {
                    s->channel_sum[c] += w * value;
                    s->channel_weight[c] += w;
                } else {
                    sum += w * s->channel_sum[c];
                }
            }
    return sum;
}

static void give_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const channel_args *args = user;
    X(sim) *s = args->s;
    for (size_t t = begin; t < end; t++)
        for (uint32_t k = s->tiles.start[args->tiles[t]]; k < s->tiles.start[args->tiles[t] + 1];
             k++)
            visit(s, k, args->column[k], true);
}

static void mean_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = ((channel_args *)user)->s;
    for (size_t t = begin; t < end; t++) {
        size_t base = X(tile_index)(&s->grid, s->tiles.active[t]);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                size_t c = base + X(row_offset)(&s->grid, r) + (size_t)i;
                s->channel_sum[c] =
                    s->channel_weight[c] > 0.0f ? s->channel_sum[c] / s->channel_weight[c] : 0.0f;
            }
    }
}

static void take_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const channel_args *args = user;
    X(sim) *s = args->s;
    for (size_t t = begin; t < end; t++)
        for (uint32_t k = s->tiles.start[args->tiles[t]]; k < s->tiles.start[args->tiles[t] + 1];
             k++)
            args->column[k] = visit(s, k, 0.0f, false);
}

static void average(X(sim) *s, float *column)
{
    sp_pool *pool = s->common->pool;
    const X(tiles) *t = &s->tiles;
    channel_args args = {s, column, t->liquid, 0.0f};
    sp_parallel_for(pool, (size_t)(t->active_count + t->border_count), 8, clear_range, &args);
    for (int colour = 0; colour < COLOURS; colour++) {
        args.tiles = t->liquid + t->colour_start[colour];
        sp_parallel_for(pool, (size_t)(t->colour_start[colour + 1] - t->colour_start[colour]), 1,
                        give_range, &args);
    }
    X(fold_border)(s, s->channel_sum, s->channel_weight, -1);
    sp_parallel_for(pool, (size_t)t->active_count, 8, mean_range, &args);
    X(fill_border)(s, s->channel_sum, -1);
    args.tiles = t->liquid;
    sp_parallel_for(pool, (size_t)t->liquid_count, 1, take_range, &args);
}

void X(channels_step)(X(sim) *s, double dt)
{
    const spate_scene *scene = s->common->scene;
    int column = 0;
    for (int c = 0; c < scene->channel_count; column += scene->channels[c++].components) {
        if (strcmp(scene->channels[c].name, "age") == 0) {
            channel_args args = {s, s->particles.channel[column], NULL, (float)dt};
            sp_parallel_for(s->common->pool, s->particles.count, 16384, age_range, &args);
        }
        for (int e = 0; e < scene->channels[c].components && scene->channels[c].pic; e++)
            average(s, s->particles.channel[column + e]);
    }
}
