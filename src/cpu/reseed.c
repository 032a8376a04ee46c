/* reseed.c -- keeps the number of particles per cell in bounds, as a part of EMIT; off by default.
 *
 * FLIP needs some particles in every cell of the liquid to carry its velocity, and gains nothing
 * from very many. With `fluid.reseed`, a cell well inside the liquid that holds fewer than
 * `reseed_min` is filled up to the rest density, n^DIM: one particle in each of its sub-cells that
 * is empty, in an order that a hash of (seed, cell, step) gives, with the velocity of the grid
 * there and the channels of the nearest particle. A cell with more than `reseed_max` loses the
 * newer one of its closest pair until it has so many, after all cells are filled. Both change the
 * amount of liquid, so each particle is counted, under its own cause.
 *
 * Well inside: the cell is free of solids, inflows and outflows, all cells around it and the two
 * nearest along each axis hold particles or are behind a wall, and together the cells around it are
 * at least half full. So drops, sheets and the surface itself are left alone.
 *
 * One cell is in kernels/reseed.h, the order of all in state/emitters.c. */
#include "cpu.h"

#include "kernels/reseed.h"

static spate_status fill_cell(X(sim) *s, X(fields) *f, const X(reseeding) *how, const int c[DIM],
                              const float *initial, spate_error *error)
{
    X(particles) *p = &s->particles;
    X(filling) filling = X(fill_begin)(f, how, c);
    float x[DIM];
    if (filling.missing == 0)
        return SPATE_OK;
    TRY(X(make_room)(s, (uint64_t)p->count + filling.missing, error));
    f->particles = *p; /* they may have moved */
    p->sorted = false;
    p->fastest = -1.0f;
    while (X(fill_next)(f, how, c, &filling, x))
        X(put_reseeded)(f, p->count++, p->next_id++, c, x, initial);
    return SPATE_OK;
}

spate_status X(fill_cells)(X(sim) *s, const X(reseeding) *how, spate_error *error)
{
    float initial[CHANNEL_COLUMNS];
    X(fields) f = X(fields_of)(s);
    X(initial_channels)(s->common->scene, -1, initial);
    for (int t = 0; t < s->tiles.liquid_count; t++) {
        int cell[DIM];
        FOR_CELLS(&s->grid, s->tiles.liquid[t], c, cell)
            if (s->count[c] < how->least)
                TRY(fill_cell(s, &f, how, cell, initial, error));
    }
    return SPATE_OK;
}

uint64_t X(thin_cells)(X(sim) *s, const X(reseeding) *how)
{
    X(fields) f = X(fields_of)(s);
    uint64_t removed = 0;
    for (int t = 0; t < s->tiles.liquid_count; t++)
        FOR_INDICES(&s->grid, s->tiles.liquid[t], c)
            removed += X(thin_cell)(&f, how, c);
    return removed;
}
