/* reseed.h -- which cells get or lose particles, and where (cpu/reseed.c). Particles are sorted. */
#ifndef SPATE_KERNELS_RESEED_H
#define SPATE_KERNELS_RESEED_H

#include "fractions.h"
#include "random.h"
#include "sides.h"

#include <spate/spate.h>

typedef struct X(reseeding) {
    const X(grid) *grid;
    const spate_side (*sides)[2];
    const sp_solids *solids;
    const float *phi_solid;        /* read where there are solids */
    const uint8_t *type, *marks;   /* marks: NULL without inflows and outflows */
    const uint32_t *first, *count; /* of cells */
    const float *x[DIM];           /* columns */
    uint32_t full, least, most;    /* particles of a cell: at rest, and the bounds */
    int n;                         /* sub-cells per axis */
    float jitter;
    uint64_t key; /* of random numbers: a hash of seed and step */
} X(reseeding);

/* Where a cell's neighbour is, across periodic sides; false: outside of the domain. */
SP_KERNEL bool X(neighbour)(const X(grid) *g, const int c[DIM], const int offset[3], int near[DIM])
{
    bool inside = true;
    FOR_DIM(d) {
        int n = g->n[d], at = c[d] + offset[d];
        if (g->periodic[d])
            at = at < 0 ? at + n : at >= n ? at - n : at;
        near[d] = at;
        inside = inside && at >= 0 && at < n;
    }
    return inside;
}

/* Whether the cell at an offset counts as liquid; adds what it holds. Behind walls there is as much
 * as there should be, behind open sides nothing. */
SP_KERNEL bool X(is_wet)(const X(reseeding) *r, const int c[DIM], const int offset[3],
                         uint64_t *held)
{
    int near[DIM];
    if (!X(neighbour)(r->grid, c, offset, near)) {
        bool open = false;
        FOR_DIM(d)
            open = open || (near[d] < 0 && r->sides[d][0] == SPATE_SIDE_OPEN) ||
                   (near[d] >= r->grid->n[d] && r->sides[d][1] == SPATE_SIDE_OPEN);
        *held += r->full;
        return !open;
    }
    size_t index = X(index)(r->grid, near);
    bool solid = r->solids->live > 0 && r->type[index] == SPATE_CELL_SOLID;
    *held += solid ? r->full : r->count[index];
    return solid || r->count[index] > 0;
}

/* Whether a cell may be filled up. */
SP_KERNEL bool X(is_well_inside)(const X(reseeding) *r, const int c[DIM])
{
    uint64_t held = 0, more = 0;
    int cells = DIM == 3 ? 27 : 9;
    size_t index = X(index)(r->grid, c);
    if (r->marks && r->marks[index])
        return false;
    if (r->solids->live > 0 && X(free_share)(r->grid, r->phi_solid, index) < 0.999f)
        return false;
    for (int k = 0; k < cells; k++) {
        int offset[3] = {k % 3 - 1, k / 3 % 3 - 1, DIM == 3 ? k / 9 - 1 : 0};
        if (!X(is_wet)(r, c, offset, &held) && k != cells / 2)
            return false;
    }
    for (int k = 0; k < 2 * DIM; k++) {
        int offset[3] = {0, 0, 0};
        offset[k / 2] = k % 2 ? 2 : -2;
        if (!X(is_wet)(r, c, offset, &more))
            return false;
    }
    return 2 * held >= (uint64_t)cells * r->full;
}

/* ---- more */

/* The places that a cell gets a particle at, one after the other. */
typedef struct X(filling) {
    uint64_t key;
    uint32_t start, next, missing;
} X(filling);

SP_KERNEL X(filling) X(fill_begin)(const X(reseeding) *r, const int c[DIM])
{
    X(filling) f;
    uint32_t count = r->count[X(index)(r->grid, c)];
    f.key = r->key;
    FOR_DIM(d)
        f.key = sp_hash2(f.key, (uint64_t)c[d]);
    f.start = (uint32_t)(sp_hash2(f.key, UINT64_MAX) % r->full);
    f.next = 0;
    f.missing =
        count < r->least && X(inside)(r->grid, c) && X(is_well_inside)(r, c) ? r->full - count : 0;
    return f;
}

/* Whether a sub-cell of a cell holds a particle. */
SP_KERNEL bool X(is_taken)(const X(reseeding) *r, const int c[DIM], uint32_t sub)
{
    size_t index = X(index)(r->grid, c);
    for (uint32_t k = r->first[index]; k < r->first[index] + r->count[index]; k++) {
        uint32_t own = 0;
        for (int d = DIM - 1; d >= 0; d--) {
            int i = (int)((r->x[d][k] - (float)c[d]) * (float)r->n);
            own = own * (uint32_t)r->n + (uint32_t)(i < 0 ? 0 : i >= r->n ? r->n - 1 : i);
        }
        if (own == sub)
            return true;
    }
    return false;
}

/* The next place (cells); false: that was all. Empty sub-cells in a solid count, and give none. */
SP_KERNEL bool X(fill_next)(const X(reseeding) *r, const int c[DIM], X(filling) *f, float x[DIM])
{
    while (f->next < r->full && f->missing > 0) {
        uint32_t sub = (f->start + f->next++) % r->full, n = (uint32_t)r->n;
        if (X(is_taken)(r, c, sub))
            continue;
        uint32_t at[3] = {sub % n, sub / n % n, sub / n / n};
        double world[3] = {0, 0, 0};
        f->missing--;
        FOR_DIM(d) {
            uint64_t key = sp_hash2(f->key, 3 * (uint64_t)sub + (uint64_t)d);
            x[d] = (float)c[d] +
                   ((float)at[d] + 0.5f + r->jitter * (sp_uniform(key) - 0.5f)) / (float)r->n;
            world[d] = (double)x[d] * r->grid->dx;
        }
        if (r->solids->live == 0 ||
            sp_bodies_distance(r->solids, world, NULL, NULL) >= (double)CLEARANCE * r->grid->dx)
            return true;
    }
    return false;
}

/* The particle that is nearest to x in the cells around c; UINT32_MAX: none. */
SP_KERNEL uint32_t X(nearest_model)(const X(reseeding) *r, const int c[DIM], const float x[DIM])
{
    uint32_t best = UINT32_MAX;
    float least = 1e30f;
    for (int k = 0; k < (DIM == 3 ? 27 : 9); k++) {
        int near[DIM], offset[3] = {k % 3 - 1, k / 3 % 3 - 1, DIM == 3 ? k / 9 - 1 : 0};
        if (!X(neighbour)(r->grid, c, offset, near))
            continue;
        size_t index = X(index)(r->grid, near);
        for (uint32_t j = r->first[index]; j < r->first[index] + r->count[index]; j++) {
            float square = 0.0f;
            FOR_DIM(d) {
                /* seen from the cell, which may be across a side */
                float way = r->x[d][j] - (float)near[d] + (float)(c[d] + offset[d]) - x[d];
                square += way * way;
            }
            best = square < least ? j : best;
            least = square < least ? square : least;
        }
    }
    return best;
}

/* ---- fewer */

/* Marks the newer one of the closest pair of a cell, among those that are left. */
SP_KERNEL void X(thin_cell)(float *const x[DIM], uint32_t first, uint32_t end)
{
    uint32_t loser = first;
    float least = 1e30f;
    for (uint32_t a = first; a < end; a++)
        for (uint32_t b = a + 1; b < end && x[0][a] != DEAD; b++) {
            float square = 0.0f;
            FOR_DIM(d)
                square += (x[d][a] - x[d][b]) * (x[d][a] - x[d][b]);
            if (x[0][b] == DEAD || square >= least)
                continue;
            least = square;
            loser = b; /* by id inside the cell */
        }
    x[0][loser] = DEAD;
}

#endif
