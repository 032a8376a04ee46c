/* reseed.c -- part of EMIT: keeps the number of particles per cell in bounds; off by default.
 *
 * FLIP needs some particles in every cell of the liquid to carry its velocity, and gains nothing
 * from very many. With `fluid.reseed`, a cell well inside the liquid that holds fewer than
 * `reseed_min` is filled up to the density at rest, n^DIM: one particle in each of its sub-cells
 * that is empty, in an order that a hash of (seed, cell, step) gives, with the velocity of the grid
 * there and the channels of the nearest particle. A cell with more than `reseed_max` loses the
 * newer one of its closest pair until it has no more than that, after all cells are filled. Both
 * change the amount of liquid, so each particle is counted, under its own cause.
 *
 * A cell is well inside if it is free of solids, inflows and outflows, if all cells around it and
 * the two nearest along each axis hold particles or are behind a wall, and if the cells around it
 * are at least half full together. So drops, sheets and the surface itself stay as they are.
 *
 * kernels/reseed.h has the maths of a cell; the order of it all is in state/emitters.c. */
#include "exec.h"

#include "kernels/reseed.h"

typedef struct reseed_args {
    X(reseeding) how;
    X(newcomers) what;
} reseed_args;

SP_KERNEL uint32_t given_to(const X(fields) *f, const reseed_args *a, size_t c, const int cell[DIM])
{
    uint32_t number = 0;
    float x[DIM];
    if (f->count[c] >= a->how.least)
        return 0;
    X(filling) filling = X(fill_begin)(f, &a->how, cell);
    while (X(fill_next)(f, &a->how, cell, &filling, x))
        number++;
    return number;
}

SP_KERNEL uint32_t put_into(const X(fields) *f, const reseed_args *a, size_t c, const int cell[DIM],
                            uint32_t before)
{
    uint32_t number = before;
    float x[DIM];
    if (f->count[c] >= a->how.least)
        return 0;
    X(filling) filling = X(fill_begin)(f, &a->how, cell);
    for (; X(fill_next)(f, &a->how, cell, &filling, x); number++)
        X(put_reseeded)(f, &a->how, a->what.first + number, a->what.first_id + number, cell, x,
                        a->what.initial);
    return number - before;
}

CELLS_APPEND(cells, reseed_args, given_to, put_into)

uint32_t ONCE(count_reseeded)(X(exec) *e, const X(reseeding) *how)
{
    reseed_args args;
    memset(&args, 0, sizeof args);
    args.how = *how;
    return cells_count(e, &args, liquid_tiles(&e->f));
}

void ONCE(put_reseeded)(X(exec) *e, const X(reseeding) *how, const X(newcomers) *what)
{
    reseed_args args;
    args.how = *how;
    args.what = *what;
    cells_put(e, &args, liquid_tiles(&e->f));
}

SP_KERNEL void add_number(uint32_t *sum, const uint32_t *part)
{
    *sum += *part;
}

CELLS_FOLD(thin_cells, X(reseeding), uint32_t, add_number)
{
    FOR_EACH_CELL(c, cell)
        *part += X(thin_cell)(f, a, c);
}

uint32_t ONCE(thin_cells)(X(exec) *e, const X(reseeding) *how)
{
    return thin_cells(e, how, liquid_tiles(&e->f));
}
