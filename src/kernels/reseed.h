/* reseed.h -- which cells get or lose particles, and where (stages/reseed.c). Particles are
 * sorted. */
#ifndef SPATE_KERNELS_RESEED_H
#define SPATE_KERNELS_RESEED_H

#include "channels.h"
#include "fields.h"
#include "fractions.h"
#include "particle.h"
#include "random.h"
#include "sides.h"
#include "transfer.h"

#include <spate/spate.h>

#define NET_REACH 2.0f /* cells from a solid: there the net of a gas fills every empty cell */

typedef struct X(reseeding) {
    uint32_t full, least, most; /* particles of a cell: at rest, and the bounds */
    int n;                      /* sub-cells per axis */
    float jitter;
    float gradient; /* share of that of u that particles get, if they carry one */
    uint64_t key;   /* of random numbers: a hash of seed and step */
    bool net;       /* of a gas: cells far from all particles get one; bounds mean nothing here */
} X(reseeding);

/* Cells that hold so many particles lose one each, as many cells as the quota allows. */
typedef struct X(pruning) {
    uint32_t held, quota;
    uint64_t key; /* of random numbers */
} X(pruning);

/* Whether the cell at an offset counts as liquid; adds what it holds. Behind walls there is as much
 * as there should be, behind open sides nothing. */
SP_KERNEL bool X(is_wet)(const X(fields) *f, const X(reseeding) *r, const int c[DIM],
                         const int offset[3], uint64_t *held)
{
    int near[DIM];
    if (!X(neighbour)(&f->grid, c, offset, near)) {
        bool open = false;
        FOR_DIM(d)
            open = open || (near[d] < 0 && f->sides[d][0] == SPATE_SIDE_OPEN) ||
                   (near[d] >= f->grid.n[d] && f->sides[d][1] == SPATE_SIDE_OPEN);
        *held += r->full;
        return !open;
    }
    size_t index = X(index)(&f->grid, near);
    bool solid = f->solids.live > 0 && f->type[index] == SPATE_CELL_SOLID;
    *held += solid ? r->full : f->count[index];
    return solid || f->count[index] > 0;
}

/* Whether a cell may be filled up. */
SP_KERNEL bool X(is_well_inside)(const X(fields) *f, const X(reseeding) *r, const int c[DIM])
{
    uint64_t held = 0, more = 0;
    int cells = DIM == 3 ? 27 : 9;
    size_t index = X(index)(&f->grid, c);
    if (f->marks && f->marks[index])
        return false;
    if (f->solids.live > 0 && X(free_share)(&f->grid, f->phi_solid, index) < 0.999f)
        return false;
    for (int k = 0; k < cells; k++) {
        int offset[3] = {k % 3 - 1, k / 3 % 3 - 1, DIM == 3 ? k / 9 - 1 : 0};
        if (!X(is_wet)(f, r, c, offset, &held) && k != cells / 2)
            return false;
    }
    for (int k = 0; k < 2 * DIM; k++) {
        int offset[3] = {0, 0, 0};
        offset[k / 2] = k % 2 ? 2 : -2;
        if (!X(is_wet)(f, r, c, offset, &more))
            return false;
    }
    return 2 * held >= (uint64_t)cells * r->full;
}

/* Of a gas: whether particles may be put into a cell. Free of inflows and outflows, and not only a
 * sliver beside a solid. */
SP_KERNEL bool X(is_open_to_gas)(const X(fields) *f, const int c[DIM], float *share)
{
    size_t index = X(index)(&f->grid, c);
    if (!X(inside)(&f->grid, c) || f->type[index] != SPATE_CELL_LIQUID ||
        (f->marks && f->marks[index]))
        return false;
    *share = f->solids.live > 0 ? X(free_share)(&f->grid, f->phi_solid, index) : 1.0f;
    return *share > 0.25f;
}

/* Of a gas: whether a cell and those across its faces hold nothing. Beside a solid those do not
 * count: particles that leave its surface too soon leave cells empty there (docs/validation.md,
 * "A disc in a gas"), which nothing else refills. */
SP_KERNEL bool X(is_far_from_particles)(const X(fields) *f, const int c[DIM])
{
    float share;
    size_t index = X(index)(&f->grid, c);
    bool far = f->count[index] == 0 && X(is_open_to_gas)(f, c, &share);
    if (f->solids.live > 0 && X(middle_distance)(f, index) < NET_REACH * (float)f->grid.dx)
        return far;
    for (int k = 0; k < 2 * DIM && far; k++) {
        int offset[3] = {0, 0, 0}, near[DIM];
        offset[k / 2] = k % 2 ? 1 : -1;
        far = !X(neighbour)(&f->grid, c, offset, near) || f->count[X(index)(&f->grid, near)] == 0;
    }
    return far;
}

/* Whether a cell is to be filled up: of a liquid only well inside, of a gas anywhere, with as many
 * fewer beside a solid as there is less room. */
SP_KERNEL bool X(is_too_thin)(const X(fields) *f, const X(reseeding) *r, const int c[DIM])
{
    uint32_t count = f->count[X(index)(&f->grid, c)];
    float share;
    if (count >= r->least || !X(inside)(&f->grid, c))
        return false;
    if (f->surface != SURFACE_NONE)
        return X(is_well_inside)(f, r, c);
    return X(is_open_to_gas)(f, c, &share) && (float)count < share * (float)r->least;
}

/* ---- more */

/* The places that a cell gets a particle at, one after the other. */
typedef struct X(filling) {
    uint64_t key;
    uint32_t start, next, missing;
} X(filling);

SP_KERNEL X(filling) X(fill_begin)(const X(fields) *f, const X(reseeding) *r, const int c[DIM])
{
    X(filling) filling;
    uint32_t count = f->count[X(index)(&f->grid, c)];
    filling.key = r->key;
    FOR_DIM(d)
        filling.key = sp_hash2(filling.key, (uint64_t)c[d]);
    filling.start = (uint32_t)(sp_hash2(filling.key, UINT64_MAX) % r->full);
    filling.next = 0;
    if (r->net)
        filling.missing = X(is_far_from_particles)(f, c) ? 1 : 0;
    else
        filling.missing = X(is_too_thin)(f, r, c) ? r->full - count : 0;
    return filling;
}

/* Whether a sub-cell of a cell holds a particle. */
SP_KERNEL bool X(is_taken)(const X(fields) *f, const X(reseeding) *r, const int c[DIM],
                           uint32_t sub)
{
    size_t index = X(index)(&f->grid, c);
    for (uint32_t k = f->first[index]; k < f->first[index] + f->count[index]; k++) {
        uint32_t own = 0;
        for (int d = DIM - 1; d >= 0; d--) {
            int i = (int)((f->particles.x[d][k] - (float)c[d]) * (float)r->n);
            own = own * (uint32_t)r->n + (uint32_t)(i < 0 ? 0 : i >= r->n ? r->n - 1 : i);
        }
        if (own == sub)
            return true;
    }
    return false;
}

/* The next place (cells); false: that was all. Empty sub-cells in a solid count, and give none; the
 * net looks on for one that is free. */
SP_KERNEL bool X(fill_next)(const X(fields) *f, const X(reseeding) *r, const int c[DIM],
                            X(filling) *filling, float x[DIM])
{
    while (filling->next < r->full && filling->missing > 0) {
        uint32_t sub = (filling->start + filling->next++) % r->full, n = (uint32_t)r->n;
        if (X(is_taken)(f, r, c, sub))
            continue;
        uint32_t at[3] = {sub % n, sub / n % n, sub / n / n};
        double world[3] = {0, 0, 0};
        filling->missing -= r->net ? 0 : 1;
        FOR_DIM(d) {
            uint64_t key = sp_hash2(filling->key, 3 * (uint64_t)sub + (uint64_t)d);
            x[d] = (float)c[d] +
                   ((float)at[d] + 0.5f + r->jitter * (sp_uniform(key) - 0.5f)) / (float)r->n;
            world[d] = (double)x[d] * f->grid.dx;
        }
        if (f->solids.live == 0 ||
            sp_bodies_distance(&f->solids, world, NULL, NULL) >= (double)CLEARANCE * f->grid.dx) {
            filling->missing -= r->net ? 1 : 0;
            return true;
        }
    }
    return false;
}

/* The particle that is nearest to x in the cells around c; UINT32_MAX: none. */
SP_KERNEL uint32_t X(nearest_model)(const X(fields) *f, const int c[DIM], const float x[DIM])
{
    uint32_t best = UINT32_MAX;
    float least = 1e30f;
    for (int k = 0; k < (DIM == 3 ? 27 : 9); k++) {
        int near[DIM], offset[3] = {k % 3 - 1, k / 3 % 3 - 1, DIM == 3 ? k / 9 - 1 : 0};
        if (!X(neighbour)(&f->grid, c, offset, near))
            continue;
        size_t index = X(index)(&f->grid, near);
        for (uint32_t j = f->first[index]; j < f->first[index] + f->count[index]; j++) {
            float square = 0.0f;
            FOR_DIM(d) {
                /* seen from the cell, which may be across a side */
                float way =
                    f->particles.x[d][j] - (float)near[d] + (float)(c[d] + offset[d]) - x[d];
                square += way * way;
            }
            best = square < least ? j : best;
            least = square < least ? square : least;
        }
    }
    return best;
}

/* Particle k, new in cell c: the velocity of the grid at x, the channels of the nearest particle.
 */
SP_KERNEL void X(put_reseeded)(const X(fields) *f, const X(reseeding) *r, size_t k, uint32_t id,
                               const int c[DIM], const float x[DIM], const float *initial)
{
    const X(particles) *p = &f->particles;
    float v[DIM];
    X(velocity_at)(&f->grid, f->degree, f->u, x, v);
    X(put_particle)(p, k, id, x, v, initial);
    uint32_t model = X(nearest_model)(f, c, x);
    for (int e = 0; e < p->own_columns && model != UINT32_MAX; e++)
        p->own[e][k] = p->own[e][model];
    for (int j = 0; j < f->on_grid && f->surface == SURFACE_NONE; j++)
        p->own[f->column_of[j]][k] = X(channel_at)(f, j, x);
    for (int d = 0; d < DIM && f->affine; d++) {
        float gradient[DIM];
        X(stencil) stencil = X(stencil_at)(f->degree, x, d);
        X(gather_affine)(&f->grid, &stencil, f->degree, x, d, f->u[d], gradient);
        FOR_DIM(a)
            p->c[d * DIM + a][k] = r->gradient * gradient[a];
    }
}

/* ---- fewer */

/* A number by which chance chooses among particles, whatever their order. */
SP_KERNEL uint64_t X(lot_of)(const X(fields) *f, uint64_t key, uint32_t k)
{
    return sp_hash2(key, f->particles.id[0][k]);
}

/* Marks one of the closest pair of a cell, among those that are left: of a liquid the newer one, of
 * a gas the one that chance chooses. Ids go with the place at the start, and the newer ones would
 * all be those from above. */
SP_KERNEL void X(thin_by_one)(const X(fields) *f, uint64_t key, uint32_t first, uint32_t end)
{
    float *const *x = f->particles.x;
    uint32_t loser = first;
    float least = 1e30f;
    for (uint32_t a = first; a < end; a++)
        for (uint32_t b = a + 1; b < end && x[0][a] != DEAD; b++) {
            float square = 0.0f;
            FOR_DIM(d)
                square += (x[d][a] - x[d][b]) * (x[d][a] - x[d][b]);
            if (x[0][b] == DEAD || square >= least)
                continue;
            bool by_lot = f->surface == SURFACE_NONE;
            least = square;
            loser = by_lot && X(lot_of)(f, key, a) < X(lot_of)(f, key, b) ? a : b; /* by id */
        }
    x[0][loser] = DEAD;
}

/* Leaves a cell as many as it may have at most; returns how many it lost. */
SP_KERNEL uint32_t X(thin_cell)(const X(fields) *f, const X(reseeding) *r, size_t c)
{
    uint32_t first = f->first[c], count = f->count[c];
    for (uint32_t left = count; left > r->most; left--)
        X(thin_by_one)(f, r->key, first, first + count);
    return count > r->most ? count - r->most : 0;
}

/* Whether a cell has as many particles as are looked for, none of them DEAD. */
SP_KERNEL bool X(is_pruned)(const X(fields) *f, const X(pruning) *p, size_t c)
{
    bool all = f->count[c] == p->held;
    for (uint32_t k = f->first[c]; k < f->first[c] + f->count[c] && all; k++)
        all = f->particles.x[0][k] != DEAD;
    return all;
}

/* Marks the particle of a cell that chance chooses. */
SP_KERNEL void X(prune_cell)(const X(fields) *f, const X(pruning) *p, size_t c)
{
    uint32_t first = f->first[c], loser = first;
    for (uint32_t k = first + 1; k < first + f->count[c]; k++)
        loser = X(lot_of)(f, p->key, k) < X(lot_of)(f, p->key, loser) ? k : loser;
    f->particles.x[0][loser] = DEAD;
}

#endif
