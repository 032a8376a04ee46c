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
 * at least half full. So drops, sheets and the surface itself are left alone. */
#include "cpu.h"

#include "kernels/reseed.h"

static spate_status add_one(X(sim) *s, X(reseeding) *r, const int c[DIM], const float x[DIM],
                            spate_error *error)
{
    X(particles) *p = &s->particles;
    float v[DIM];
    X(velocity_at)(&s->grid, s->degree, s->u, x, v);
    uint32_t model = X(nearest_model)(r, c, x);
    TRY(X(particles_reserve)(s, (uint64_t)p->count + 1, error));
    FOR_DIM(d)
        r->x[d] = p->x[d]; /* they may have moved */
    X(particles_append)(s, x, v, -1);
    uint32_t k = p->count - 1;
    for (int column = 0; column < p->channel_columns && model != UINT32_MAX; column++)
        p->channel[column][k] = p->channel[column][model];
    for (int d = 0; d < DIM && s->apic; d++) {
        float gradient[DIM];
        X(stencil) stencil = X(stencil_at)(s->degree, x, d);
        X(gather_affine)(&s->grid, &stencil, s->degree, x, d, s->u[d], gradient);
        FOR_DIM(a)
            p->c[d * DIM + a][k] = gradient[a];
    }
    s->common->added++;
    s->common->added_reseed++;
    return SPATE_OK;
}

/* Cell k of liquid tile t. */
static size_t cell_at(const X(sim) *s, int t, int k, int c[DIM])
{
    int first[DIM];
    X(tile_cell)(&s->grid, s->tiles.liquid[t], first);
    X(row_cell)(first, k / TILE, c);
    c[0] += k % TILE;
    return X(index)(&s->grid, c);
}

static spate_status fill_cells(X(sim) *s, X(reseeding) *r, spate_error *error)
{
    for (int t = 0; t < s->tiles.liquid_count; t++)
        for (int k = 0; k < TILE_CELLS; k++) {
            int c[DIM];
            float x[DIM];
            if (s->count[cell_at(s, t, k, c)] >= r->least)
                continue;
            X(filling) filling = X(fill_begin)(r, c);
            while (X(fill_next)(r, c, &filling, x))
                TRY(add_one(s, r, c, x, error));
        }
    return SPATE_OK;
}

static void thin_cells(X(sim) *s, const X(reseeding) *r)
{
    for (int t = 0; t < s->tiles.liquid_count; t++)
        for (int k = 0; k < TILE_CELLS; k++) {
            int c[DIM];
            size_t index = cell_at(s, t, k, c);
            uint32_t first = s->first[index], count = s->count[index];
            for (uint32_t left = count; left > r->most; left--) {
                X(thin_cell)(s->particles.x, first, first + count);
                s->dead++;
                s->common->removed_reseed++;
            }
        }
}

spate_status X(reseed)(X(sim) *s, spate_error *error)
{
    if (!s->common->scene->fluid.reseed)
        return SPATE_OK;
    s->host->plan(s, false)->stage[SP_STAGE_SORT](
        s, 0, NULL); /* where ADVECT has left them; the grid keeps its fields */
    X(reseeding) r = X(reseeding_of)(s);
    TRY(fill_cells(s, &r, error));
    thin_cells(s, &r);
    if (s->dead > 0)
        X(particles_remove_dead)(s);
    s->dead = 0;
    return SPATE_OK;
}
