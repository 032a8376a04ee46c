/* census.h -- what statistics ask of one cell and of one sorted particle (stages/stats.c,
 * cpu/spacing.c). */
#ifndef SPATE_KERNELS_CENSUS_H
#define SPATE_KERNELS_CENSUS_H

#include "fields.h"
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

/* What statistics count over all cells. */
typedef struct X(cell_census) {
    uint64_t cells;                    /* that hold particles */
    uint64_t kinds[SP_INTERIOR_COUNT]; /* interior cells, by how full they are */
    uint64_t held;                     /* particles in interior cells */
    uint32_t most, interior_most;      /* particles in one cell, in one interior cell */
} X(cell_census);

/* The kind of an interior cell that holds `count` particles where `full` are usual at rest. */
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

/* Writes the numbers of interior cells, by how full they are; returns how many cells these are. */
static inline uint64_t X(book_interior)(spate_stats *stats, const uint64_t kinds[SP_INTERIOR_COUNT])
{
    stats->interior_empty = kinds[SP_INTERIOR_EMPTY];
    stats->interior_few = kinds[SP_INTERIOR_FEW];
    stats->interior_low = kinds[SP_INTERIOR_LOW];
    stats->interior_good = kinds[SP_INTERIOR_GOOD];
    stats->interior_crowded = kinds[SP_INTERIOR_CROWDED];
    return kinds[0] + kinds[1] + kinds[2] + kinds[3] + kinds[4];
}

/* Whether a cell is interior: all cells around it hold particles, and none of those is outside of
 * the domain or at a solid. */
SP_KERNEL bool X(is_interior)(const X(fields) *f, const int cell[DIM], size_t c)
{
    const X(grid) *g = &f->grid;
    bool inside = true;
    FOR_DIM(d)
        inside = inside && cell[d] >= 1 && cell[d] < g->n[d] - 1;
    if (!inside || (f->solids.live > 0 && !(f->phi_solid[c] > 2.0f * (float)g->dx)))
        return false;
    const uint32_t *corner = f->count + c - g->stride[1] - g->stride[2];
    bool full = true;
    for (int k = 0; k < LAST(3); k++) {
        SP_UNROLL
        for (int j = 0; j < 3; j++) {
            const uint32_t *row = corner + (size_t)j * g->stride[1] + (size_t)k * g->stride[2];
            bool own = j == 1 && k == LAST(3) / 2;
            full = full && row[-1] > 0 && (own || row[0] > 0) && row[1] > 0;
        }
    }
    return full;
}

/* Volume of the liquid in a cell, in cells: filled as far as a flat surface at phi would fill it,
 * where there is no solid. */
SP_KERNEL double X(liquid_share)(const X(fields) *f, const int cell[DIM], size_t c)
{
    const X(grid) *g = &f->grid;
    double fill = X(inside)(g, cell) ? 0.5 - f->phi[c] / g->dx : 0;
    if (fill <= 0)
        return 0;
    float room = f->solids.live > 0 ? X(free_share)(g, f->phi_solid, c) : 1.0f;
    return (fill < 1 ? fill : 1) * (double)room;
}

/* ---- particles */

/* What statistics sum over all particles, each of mass 1. */
typedef struct X(particle_census) {
    double momentum[DIM], squares, heights; /* kernels/momentum.h */
    uint64_t in_solid;                      /* particles */
} X(particle_census);

/* Whether particle k is inside a solid, by the exact shapes, by more than 1e-4 dx; laid: phi_solid
 * knows of all solids. */
SP_KERNEL bool X(is_in_solid)(const X(fields) *f, size_t k, bool laid)
{
    int c[DIM];
    double x[3] = {0, 0, 0};
    FOR_DIM(d) {
        c[d] = (int)f->particles.x[d][k];
        x[d] = (double)f->particles.x[d][k] * f->grid.dx;
    }
    if (laid && f->phi_solid[X(index)(&f->grid, c)] > 2.0f * f->grid.dx)
        return false;
    return sp_bodies_distance(&f->solids, x, NULL, NULL) < -1e-4 * f->grid.dx;
}

/* ---- neighbours, of sorted particles */

/* What is looked for in the spacing of particles (state/census.c). */
typedef struct X(spacing_limits) {
    float close, half;       /* squares of the distances of close pairs and of overlaps, cells */
    size_t every, looked_at; /* of so many particles one, so many in all */
} X(spacing_limits);

SP_KERNEL float X(square_distance)(const X(fields) *f, uint32_t a, uint32_t b)
{
    float sum = 0.0f;
    FOR_DIM(d)
        sum += (f->particles.x[d][a] - f->particles.x[d][b]) *
               (f->particles.x[d][a] - f->particles.x[d][b]);
    return sum;
}

/* The smallest squared distance from particle a to those of the cells number `from` to `to` of the
 * 3 x 3 (x 3) around c, or `best`. */
SP_KERNEL float X(nearest_around)(const X(fields) *f, uint32_t a, const int c[DIM], float best,
                                  int from, int to)
{
    size_t index = X(index)(&f->grid, c);
    for (int k = from; k < to; k++) {
        int offset[3] = {k % 3 - 1, k / 3 % 3 - 1, DIM == 3 ? k / 9 - 1 : 0};
        ptrdiff_t near = (ptrdiff_t)index;
        float gap = 0.0f;
        FOR_DIM(d) {
            float at = f->particles.x[d][a] - (float)c[d];
            float way = offset[d] < 0 ? at : offset[d] > 0 ? 1.0f - at : 0.0f;
            gap += way * way;
            near += offset[d] * (ptrdiff_t)f->grid.stride[d];
        }
        for (uint32_t b = f->first[near]; gap < best && b < f->first[near] + f->count[near]; b++) {
            float square = X(square_distance)(f, a, b);
            best = square < best ? square : best;
        }
    }
    return best;
}

/* Whether particle a is closer to a face of its cell than the root of `square`. */
SP_KERNEL bool X(is_near_face)(const X(fields) *f, uint32_t a, const int c[DIM], float square)
{
    float least = 1.0f;
    FOR_DIM(d) {
        float at = f->particles.x[d][a] - (float)c[d], gap = at < 0.5f ? at : 1.0f - at;
        least = gap < least ? gap : least;
    }
    return least < 0.0f || least * least < square;
}

/* Numbers of the cells around one that come before it and after it. */
#define CELLS_BEFORE (DIM == 3 ? 13 : 4)
#define CELLS_AROUND (DIM == 3 ? 27 : 9)

/* The smallest squared distance of close pairs, or `best`: of particle a with those that follow it
 * in its cell, which ends before particle `end`; and with those of the cells that follow its cell,
 * c. So each pair is looked at once. */
SP_KERNEL float X(nearest_inside)(const X(fields) *f, uint32_t a, uint32_t end, float best)
{
    /* nothing is closer than 0: particles that coincide, however many, cost one look each */
    for (uint32_t b = best > 0.0f ? a + 1 : end; b < end; b++) {
        float square = X(square_distance)(f, a, b);
        best = square < best ? square : best;
    }
    return best;
}

SP_KERNEL float X(nearest_beyond)(const X(fields) *f, uint32_t a, const int c[DIM], float best)
{
    if (!X(is_near_face)(f, a, c, best))
        return best;
    return X(nearest_around)(f, a, c, best, CELLS_BEFORE + 1, CELLS_AROUND);
}

/* The cell of a particle. */
SP_KERNEL void X(cell_of)(const X(fields) *f, uint32_t a, int c[DIM])
{
    FOR_DIM(d) {
        c[d] = (int)f->particles.x[d][a];
        c[d] = c[d] < f->grid.n[d] ? c[d] : f->grid.n[d] - 1;
    }
}

/* The square of the distance from particle a to its nearest neighbour, at most 1. */
SP_KERNEL float X(nearest_to)(const X(fields) *f, uint32_t a)
{
    int c[DIM];
    float best = 1.0f;
    X(cell_of)(f, a, c);
    size_t index = X(index)(&f->grid, c);
    uint32_t end = f->first[index] + f->count[index];
    for (uint32_t b = f->first[index]; b < end && best > 0.0f; b++) {
        float square = b == a ? 1.0f : X(square_distance)(f, a, b);
        best = square < best ? square : best;
    }
    best = X(nearest_around)(f, a, c, best, 0, CELLS_BEFORE);
    return X(nearest_around)(f, a, c, best, CELLS_BEFORE + 1, CELLS_AROUND);
}

#endif
