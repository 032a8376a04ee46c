/* residual.c -- the true residual r = b - A q, in fp64, and the size of the right side. */
#include "block.h"

#include "device/device.h"

static double largest_partial(void *user, size_t begin, size_t end)
{
    X(sim) *s = user;
    lane_mask most = {0};
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&s->grid, s->system.levels[0].tiles[k]);
        for (int r = 0; r < TILE_ROWS; r++)
            most = larger(most, load(s->system.b + base + X(row_offset)(&s->grid, r)));
    }
    return largest(most);
}

double X(system_largest_b)(X(sim) *s)
{
    ON_DEVICE(s, return X(gpu_largest_b)(s->gpu));
    return X(maximum)(s, (size_t)s->system.levels[0].tile_count, 4, largest_partial, s);
}

typedef struct residual_args {
    X(sim) *s;
    const float *q;
    const double *q_sum;
} residual_args;

/* A row of the solution; one of the two is NULL. */
SP_INLINE wide solution(const float *q, const double *q_sum, size_t c)
{
    return q_sum ? load_wide(q_sum + c) : widen(load(q + c));
}

/* cut: some off-diagonal between two unknowns is not 1. There is no pressure where there is no
 * unknown. */
SP_INLINE wide residual_row(const X(sim) *s, size_t c, const float *q, const double *q_sum,
                            bool cut)
{
    const X(system) *y = &s->system;
    wide diagonal = widen(load(y->diagonal + c));
    wide r = widen(load(y->b + c)) - diagonal * solution(q, q_sum, c);
    FOR_DIM(d) {
        size_t step = s->grid.stride[d];
        wide low = solution(q, q_sum, c - step), high = solution(q, q_sum, c + step);
        if (cut) {
            low *= widen(load(y->a[d] + c));
            high *= widen(load(y->a[d] + c + step));
        }
        r += low + high;
    }
    return (wide)((wide_mask)r & (diagonal > 0.0));
}

/* A tile of r, in rows; `most` as in larger_wide. */
SP_INLINE wide_mask residual_tile(const X(sim) *s, int tile, const float *q, const double *q_sum,
                                  bool cut, float *rows, wide_mask most)
{
    size_t base = X(tile_index)(&s->grid, tile);
    for (int row = 0; row < TILE_ROWS; row++) {
        wide r = residual_row(s, base + X(row_offset)(&s->grid, row), q, q_sum, cut);
        most = larger_wide(most, r);
        store(rows + row * TILE, __builtin_convertvector(r, lanes));
    }
    return most;
}

static double residual_partial(void *user, size_t begin, size_t end)
{
    const residual_args *args = user;
    X(sim) *s = args->s;
    wide_mask most = {0};
    for (size_t k = begin; k < end; k++) {
        int tile = s->system.levels[0].tiles[k];
        bool cut = s->system.unknown[tile] == UNKNOWN_CUT || s->system.r;
        float rows[TILE_CELLS];
        if (!args->q_sum)
            most = residual_tile(s, tile, args->q, NULL, true, rows, most);
        else if (cut)
            most = residual_tile(s, tile, NULL, args->q_sum, true, rows, most);
        else
            most = residual_tile(s, tile, NULL, args->q_sum, false, rows, most);
        if (!s->system.r) {
            weave_tile(block(s->system.levels[0].b, (int)k + 1), rows);
            continue;
        }
        size_t base = X(tile_index)(&s->grid, tile);
        for (int row = 0; row < TILE_ROWS; row++)
            store(s->system.r + base + X(row_offset)(&s->grid, row), load(rows + row * TILE));
    }
    return largest_wide(most);
}

double X(system_residual)(X(sim) *s, float *q, const double *q_sum)
{
    ON_DEVICE(s, return X(gpu_residual)(s->gpu));
    residual_args args = {s, q, q_sum};
    if (q)
        X(fill_border_periodic)(s, q);
    return X(maximum)(s, (size_t)s->system.levels[0].tile_count, 4, residual_partial, &args);
}
