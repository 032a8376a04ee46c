/* residual.c -- the true residual r = b - A q, in fp64, and the size of the right side. */
#include "block.h"

#include "cpu/cpu.h"

static double largest_partial(void *user, size_t begin, size_t end)
{
    X(system) *sys = user;
    i8 most = {0};
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&sys->grid, sys->levels[0].tiles[k]);
        FOR_TILE_EIGHTS(r, i)
            most = larger(most, load(sys->b + base + X(row_offset)(&sys->grid, r) + i));
    }
    return largest(most);
}

double DEV(system_largest_b)(X(system) *sys)
{
    return X(system_maximum)(sys, 4, largest_partial, sys);
}

typedef struct residual_args {
    X(system) *sys;
    const float *q;
    const double *q_sum;
} residual_args;

/* Four values of the solution; one of the two is NULL. */
SIMD_FN d4 solution(const float *q, const double *q_sum, size_t c)
{
    return q_sum ? d4_load(q_sum + c) : d4_load_floats(q + c);
}

/* Four values of r. unknown: as of the tile. Off-diagonals between two unknowns are 1 unless there
 * are solids near, and there is no pressure where there is no unknown. Only the result is rounded
 * to fp32. */
SIMD_FN f4 residual_four(const X(system) *sys, size_t c, const float *q, const double *q_sum,
                         int unknown)
{
    d4 diagonal = unknown == UNKNOWN_DEEP ? (d4){0} + 2 * DIM : d4_load_floats(sys->diagonal + c);
    d4 r = d4_load_floats(sys->b + c) - diagonal * solution(q, q_sum, c);
    FOR_DIM(d) {
        size_t step = sys->grid.stride[d];
        d4 low = solution(q, q_sum, c - step), high = solution(q, q_sum, c + step);
        if (unknown == UNKNOWN_CUT) {
            low *= d4_load_floats(sys->a[d] + c);
            high *= d4_load_floats(sys->a[d] + c + step);
        }
        r += low + high;
    }
    return convert(r, f4);
}

/* Eight values, 0 where there is no unknown. */
SIMD_FN f8 residual_part(const X(system) *sys, size_t c, const float *q, const double *q_sum,
                         int unknown)
{
    f4 low = residual_four(sys, c, q, q_sum, unknown),
       high = residual_four(sys, c + 4, q, q_sum, unknown);
    f8 r = shuffle(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
    return unknown == UNKNOWN_DEEP ? r : where_positive(load(sys->diagonal + c), r);
}

/* A tile of r, in rows; `most` as in larger. */
SIMD_FN i8 residual_rows(const X(system) *sys, int tile, const float *q, const double *q_sum,
                         int unknown, float *rows, i8 most)
{
    size_t base = X(tile_index)(&sys->grid, tile);
    uint64_t some = sys->rows[tile];
    FOR_TILE_EIGHTS(row, i) {
        f8 r = {0};
        if (unknown == UNKNOWN_DEEP || some >> row & 1)
            r = residual_part(sys, base + X(row_offset)(&sys->grid, row) + (size_t)i, q, q_sum,
                              unknown);
        most = larger(most, r);
        store(rows + row * TILE + i, r);
    }
    return most;
}

/* q and q_sum: one of them NULL, and known to be so when this is compiled. */
SIMD_FN i8 residual_tile(const X(system) *sys, int tile, const float *q, const double *q_sum,
                         float *rows, i8 most)
{
    /* the other solvers leave something where there is no unknown */
    switch (sys->r ? UNKNOWN_CUT : sys->unknown[tile]) {
    case UNKNOWN_DEEP: return residual_rows(sys, tile, q, q_sum, UNKNOWN_DEEP, rows, most);
    case UNKNOWN_PLAIN: return residual_rows(sys, tile, q, q_sum, UNKNOWN_PLAIN, rows, most);
    default: return residual_rows(sys, tile, q, q_sum, UNKNOWN_CUT, rows, most);
    }
}

static double residual_partial(void *user, size_t begin, size_t end)
{
    const residual_args *args = user;
    X(system) *sys = args->sys;
    i8 most = {0};
    for (size_t k = begin; k < end; k++) {
        int tile = sys->levels[0].tiles[k];
        float rows[TILE_CELLS];
        most = args->q_sum ? residual_tile(sys, tile, NULL, args->q_sum, rows, most)
                           : residual_tile(sys, tile, args->q, NULL, rows, most);
        if (!sys->r) {
            weave_tile(block(sys->levels[0].b, (int)k + 1), rows);
            continue;
        }
        size_t base = X(tile_index)(&sys->grid, tile);
        for (int row = 0; row < TILE_ROWS; row++)
            memcpy(sys->r + base + X(row_offset)(&sys->grid, row), rows + row * TILE,
                   TILE * sizeof *rows);
    }
    return largest(most);
}

double DEV(system_residual)(X(system) *sys, float *q, const double *q_sum)
{
    residual_args args = {sys, q, q_sum};
    if (q)
        X(fill_border_periodic)(sys->domain, q, -1);
    return X(system_maximum)(sys, 4, residual_partial, &args);
}
