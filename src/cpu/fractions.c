/* fractions.c -- how much of each face and cell is free of solids, tile by tile; the maths stands
 * in kernels/fractions.h. */
#include "cpu.h"

#include "kernels/fractions.h"

typedef struct fraction_args {
    X(sim) *s;
    const int *tiles;
} fraction_args;

static void fraction_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const fraction_args *args = user;
    const X(fields) f = X(fields_of)(args->s);
    int cell[DIM];
    for (size_t k = begin; k < end; k++) {
        int tile = args->tiles ? args->tiles[k] : (int)k;
        bool far = X(is_far_from_solids)(&f, tile), cut = false;
        FOR_CELLS(&f.grid, tile, c, cell)
            cut |= X(cut_cell)(&f, c, cell, far);
        f.tiles.cut[tile] = cut;
    }
}

void X(update_fractions)(X(sim) *s, const int *tiles, int count)
{
    fraction_args args = {s, tiles};
    sp_parallel_for(s->common->pool, (size_t)count, 4, fraction_range, &args);
}
