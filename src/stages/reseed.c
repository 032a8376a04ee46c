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
 * A gas has no surface, and all its cells are filled, with what the grid has there: after a step
 * each holds from `reseed_min` to `reseed_max` particles. Beside solids a cell counts by its free
 * share, and one that is less than a quarter free gets none. Of a close pair chance chooses the
 * loser.
 *
 * Without `fluid.reseed` a gas has a net: a cell that holds no particle, and across whose faces are
 * none, gets one in each step; within two cells of a solid every empty cell does. In a closed box
 * as many are taken out of the fullest cells, by lot, so that the number of particles stays.
 *
 * kernels/reseed.h has the maths of a cell; the order of it all is in state/emitters.c. */
#include "exec.h"

#include "kernels/reseed.h"

typedef struct reseed_args {
    X(reseeding) how;
    X(newcomers) what;
} reseed_args;

/* A cell with so many gets none. */
SP_KERNEL uint32_t least_of(const reseed_args *a)
{
    return a->how.net ? 1 : a->how.least;
}

SP_KERNEL uint32_t given_to(const X(fields) *f, const reseed_args *a, size_t c, const int cell[DIM])
{
    uint32_t number = 0;
    float x[DIM];
    if (f->count[c] >= least_of(a))
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
    if (f->count[c] >= least_of(a))
        return 0;
    X(filling) filling = X(fill_begin)(f, &a->how, cell);
    for (; X(fill_next)(f, &a->how, cell, &filling, x); number++)
        X(put_reseeded)(f, &a->how, a->what.first + number, a->what.first_id + number, cell, x,
                        a->what.initial);
    return number - before;
}

CELLS_APPEND(cells, reseed_args, given_to, put_into)

/* A gas can miss particles in tiles that hold none. */
static X(tile_list) tiles_of(X(exec) *e)
{
    return e->f.surface == SURFACE_NONE ? active_tiles(&e->f) : liquid_tiles(&e->f);
}

uint32_t ONCE(count_reseeded)(X(exec) *e, const X(reseeding) *how)
{
    reseed_args args;
    memset(&args, 0, sizeof args);
    args.how = *how;
    return cells_count(e, &args, tiles_of(e));
}

void ONCE(put_reseeded)(X(exec) *e, const X(reseeding) *how, const X(newcomers) *what)
{
    reseed_args args;
    args.how = *how;
    args.what = *what;
    cells_put(e, &args, tiles_of(e));
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

/* ---- as many fewer */

SP_KERNEL uint32_t is_full(const X(fields) *f, const X(pruning) *a, size_t c,
                           UNUSED const int cell[DIM])
{
    return X(is_pruned)(f, a, c);
}

SP_KERNEL uint32_t prune_one(const X(fields) *f, const X(pruning) *a, size_t c,
                             UNUSED const int cell[DIM], uint32_t before)
{
    if (!X(is_pruned)(f, a, c))
        return 0;
    if (before < a->quota)
        X(prune_cell)(f, a, c);
    return 1;
}

CELLS_APPEND(full, X(pruning), is_full, prune_one)

uint32_t ONCE(prune_cells)(X(exec) *e, const X(pruning) *how)
{
    uint32_t cells = full_count(e, how, liquid_tiles(&e->f));
    if (cells > 0)
        full_put(e, how, liquid_tiles(&e->f));
    return cells < how->quota ? cells : how->quota;
}
