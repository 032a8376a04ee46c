/* census.h -- what statistics ask of cells and of sorted particles (cpu/stats.c, cpu/spacing.c). */
#ifndef SPATE_KERNELS_CENSUS_H
#define SPATE_KERNELS_CENSUS_H

#include "fractions.h"

#include <spate/spate.h>

/* ---- cells */

/* How full an interior cell is: the rows interior_... of spate/stats.h, in their order. */
typedef enum sp_interior {
    SP_INTERIOR_EMPTY,
    SP_INTERIOR_FEW,
    SP_INTERIOR_LOW,
    SP_INTERIOR_GOOD,
    SP_INTERIOR_CROWDED,
    SP_INTERIOR_COUNT
} sp_interior;

/* The one that holds `count` particles, `full` at rest. */
SP_KERNEL sp_interior X(fullness)(uint32_t count, uint32_t full)
{
    if (count == 0)
        return SP_INTERIOR_EMPTY;
    if (8 * count < 3 * full)
        return SP_INTERIOR_FEW;
    if (4 * count < 3 * full)
        return SP_INTERIOR_LOW;
    return count <= 2 * full ? SP_INTERIOR_GOOD : SP_INTERIOR_CROWDED;
}

/* Books numbers of interior cells by how full they are; returns how many there are. */
static inline uint64_t X(book_interior)(spate_stats *stats, const uint64_t kinds[SP_INTERIOR_COUNT])
{
    stats->interior_empty = kinds[SP_INTERIOR_EMPTY];
    stats->interior_few = kinds[SP_INTERIOR_FEW];
    stats->interior_low = kinds[SP_INTERIOR_LOW];
    stats->interior_good = kinds[SP_INTERIOR_GOOD];
    stats->interior_crowded = kinds[SP_INTERIOR_CROWDED];
    return kinds[0] + kinds[1] + kinds[2] + kinds[3] + kinds[4];
}

/* Volume of the liquid in a cell, in cells: filled as far as a flat surface at phi would fill it;
 * phi_solid: NULL without solids. */
SP_KERNEL double X(liquid_share)(const X(grid) *g, const float *phi, const float *phi_solid,
                                 size_t index)
{
    double fill = 0.5 - phi[index] / g->dx;
    if (fill <= 0)
        return 0;
    return (fill < 1 ? fill : 1) * (double)(phi_solid ? X(free_share)(g, phi_solid, index) : 1.0f);
}

/* ---- neighbours, of sorted particles */

typedef struct X(crowd) {
    const X(grid) *grid;
    const float *x[DIM];
    const uint32_t *first, *count; /* of cells */
} X(crowd);

SP_KERNEL float X(square_distance)(const X(crowd) *p, uint32_t a, uint32_t b)
{
    float sum = 0.0f;
    FOR_DIM(d)
        sum += (p->x[d][a] - p->x[d][b]) * (p->x[d][a] - p->x[d][b]);
    return sum;
}

/* The smallest squared distance from particle a to those of the cells number `from` to `to` of the
 * 3 x 3 (x 3) around c, or `best`. */
SP_KERNEL float X(nearest_around)(const X(crowd) *p, uint32_t a, const int c[DIM], float best,
                                  int from, int to)
{
    size_t index = X(index)(p->grid, c);
    for (int k = from; k < to; k++) {
        int offset[3] = {k % 3 - 1, k / 3 % 3 - 1, DIM == 3 ? k / 9 - 1 : 0};
        ptrdiff_t near = (ptrdiff_t)index;
        float gap = 0.0f;
        FOR_DIM(d) {
            float f = p->x[d][a] - (float)c[d];
            float way = offset[d] < 0 ? f : offset[d] > 0 ? 1.0f - f : 0.0f;
            gap += way * way;
            near += offset[d] * (ptrdiff_t)p->grid->stride[d];
        }
        for (uint32_t b = p->first[near]; gap < best && b < p->first[near] + p->count[near]; b++) {
            float square = X(square_distance)(p, a, b);
            best = square < best ? square : best;
        }
    }
    return best;
}

/* Whether particle a is closer to a face of its cell than the root of `square`. */
SP_KERNEL bool X(is_near_face)(const X(crowd) *p, uint32_t a, const int c[DIM], float square)
{
    float least = 1.0f;
    FOR_DIM(d) {
        float f = p->x[d][a] - (float)c[d], gap = f < 0.5f ? f : 1.0f - f;
        least = gap < least ? gap : least;
    }
    return least < 0.0f || least * least < square;
}

/* The cell of a particle. */
SP_KERNEL void X(cell_of)(const X(crowd) *p, uint32_t a, int c[DIM])
{
    FOR_DIM(d) {
        c[d] = (int)p->x[d][a];
        c[d] = c[d] < p->grid->n[d] ? c[d] : p->grid->n[d] - 1;
    }
}

/* The square of the distance from particle a to its nearest neighbour, at most 1. */
SP_KERNEL float X(nearest_to)(const X(crowd) *p, uint32_t a)
{
    int c[DIM];
    float best = 1.0f;
    X(cell_of)(p, a, c);
    size_t index = X(index)(p->grid, c);
    for (uint32_t b = p->first[index]; b < p->first[index] + p->count[index]; b++) {
        float square = b == a ? 1.0f : X(square_distance)(p, a, b);
        best = square < best ? square : best;
    }
    best = X(nearest_around)(p, a, c, best, 0, DIM == 3 ? 13 : 4);
    return X(nearest_around)(p, a, c, best, DIM == 3 ? 14 : 5, DIM == 3 ? 27 : 9);
}

#endif
