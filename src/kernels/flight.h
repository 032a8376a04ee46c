/* flight.h -- free flight: particles that touch no liquid obey gravity alone.
 *
 * Who flies. The density of the particles at a place x is summed over them, and measured against
 * that at rest, n per cell, and the free room there:
 *
 *     density(x) = sum_j prod_d max(0, 1 - |x - x_j|_d) / (n room(x)),
 *     room(x)    = prod (1 - (1 - h)^2 / 2) over the walls and the solid closer than a cell, at h.
 *
 * Over a flat surface it is (1 - t)^2 / 2 at t cells, whatever the place against the grid. A
 * particle is *dense* if the density where it is, itself included, is at least DENSE: then it is
 * liquid. One that is not, and where the density of the dense ones is below TOUCH, touches no
 * liquid and flies. TOUCH of 1/8 is half a cell above a flat surface. With two particles per axis a
 * sheet or thread one particle thick and a lone full cell (0.5 .. 0.56) fly, a sheet of two layers
 * (0.75) is liquid.
 *
 * Particles count as dense, without a look, in inflows, and where the 3^DIM cells around theirs are
 * half full or more, as far as they are in the domain, so that in and on water only counts of cells
 * are read.
 *
 * How they fly. A parabola, exact for any step, past walls and solids (collide.h):
 *
 *     v' = v + g (dt_last + dt) / 2,    x' = x + dt v',
 *
 * up to the first place less than half a cell from the liquid, by the level set of the step and the
 * velocity with which it moves: there they wait for the next SORT, which sees that they touch. They
 * keep v', and P2G hands it over. */
#ifndef SPATE_KERNELS_FLIGHT_H
#define SPATE_KERNELS_FLIGHT_H

#include "census.h"
#include "collide.h"
#include "fields.h"
#include "rk.h"
#include "sides.h"

#define DENSE 0.625f
#define TOUCH 0.125f
#define FLIGHT_UNIT \
    65536.0f /* sums of weights are whole numbers of 1 / this: the same in any order */

/* What SORT looks at: particles by tile, cell and id through `order`. */
typedef struct X(flight) {
    const X(grid) *grid;
    const spate_side (*sides)[2];
    const sp_solids *solids;
    const uint32_t *first, *count, *order;
    const float *x[DIM];  /* in the order before SORT */
    const uint8_t *marks; /* of cells: inflows; NULL without */
    float rest;           /* particles of a full cell */
} X(flight);

enum { PARTICLE_LOOSE, PARTICLE_DENSE }; /* kinds of particles */

/* With one particle per axis the kernel does not see the neighbours of a lattice: nobody flies. */
SP_KERNEL bool X(may_fly)(float rest)
{
    return rest >= (float)(1 << DIM);
}

/* The most particles in the cells around c with which its own are looked at: half of what those
 * hold that are in the domain. */
SP_KERNEL uint32_t X(sparse_limit)(const X(grid) *g, const int c[DIM], float rest)
{
    int cells = 1;
    FOR_DIM(d)
        cells *= 3 - (!g->periodic[d] && c[d] == 0) - (!g->periodic[d] && c[d] == g->n[d] - 1);
    return (uint32_t)(0.5f * (float)cells * rest);
}

/* Cell number n of those around c, the own one first and the nearer ones before the others: its
 * index, and how far a periodic side takes its particles (cells); false: there is none. */
SP_KERNEL bool X(cell_around)(const X(grid) *g, const int c[DIM], int n, size_t *index,
                              float shift[DIM])
{
    const uint8_t numbers[27] = {13, 4,  10, 12, 14, 16, 22, 1, 3, 5,  7,  9,  11, 15,
                                 17, 19, 21, 23, 25, 0,  2,  6, 8, 18, 20, 24, 26};
    const uint8_t flat[9] = {4, 1, 3, 5, 7, 0, 2, 6, 8};
    int number = DIM == 3 ? numbers[n] : flat[n % 9];
    int offset[3] = {number % 3 - 1, number / 3 % 3 - 1, DIM == 3 ? number / 9 - 1 : 0}, near[DIM];
    bool there = true;
    FOR_DIM(d) {
        near[d] = c[d] + offset[d];
        shift[d] = 0.0f;
        if (near[d] >= 0 && near[d] < g->n[d])
            continue;
        there = there && g->periodic[d];
        shift[d] = near[d] < 0 ? -(float)g->n[d] : (float)g->n[d];
        near[d] += near[d] < 0 ? g->n[d] : -g->n[d];
    }
    if (there)
        *index = X(index)(g, near);
    return there;
}

/* Particles in the cells around c. */
SP_KERNEL uint32_t X(count_around)(const X(flight) *f, const int c[DIM])
{
    uint32_t sum = 0;
    for (int n = 0; n < CELLS_AROUND; n++) {
        size_t index = 0;
        float shift[DIM];
        if (X(cell_around)(f->grid, c, n, &index, shift))
            sum += f->count[index];
    }
    return sum;
}

/* What the particles of one cell give to the density at x; kinds: only those that are dense, or
 * NULL. */
SP_KERNEL uint32_t X(add_cell)(const X(flight) *f, size_t index, const float shift[DIM],
                               const float x[DIM], const uint8_t *kinds, uint32_t sum)
{
    for (uint32_t j = f->first[index], end = j + f->count[index]; j < end; j++) {
        float weight = 1.0f;
        if (kinds && kinds[j] != PARTICLE_DENSE)
            continue;
        FOR_DIM(d) {
            float gap = f->x[d][f->order[j]] + shift[d] - x[d];
            gap = 1.0f - (gap < 0.0f ? -gap : gap);
            weight *= gap > 0.0f ? gap : 0.0f;
        }
        sum += (uint32_t)(weight * FLIGHT_UNIT);
    }
    return sum;
}

/* Share of the kernel around x that walls and solids leave. */
SP_KERNEL float X(room_around)(const X(flight) *f, const float x[DIM])
{
    float room = 1.0f;
    double world[3] = {0, 0, 0};
    FOR_DIM(d) {
        float low = 1.0f - x[d], high = 1.0f - ((float)f->grid->n[d] - x[d]), share = 1.0f;
        if (f->sides[d][0] == SPATE_SIDE_WALL && low > 0.0f)
            share -= 0.5f * low * low;
        if (f->sides[d][1] == SPATE_SIDE_WALL && high > 0.0f)
            share -= 0.5f * high * high;
        room *= share;
        world[d] = (double)x[d] * f->grid->dx;
    }
    if (f->solids->live > 0) {
        double h = sp_bodies_distance(f->solids, world, NULL, NULL) / f->grid->dx;
        float in = h > 0 ? (float)(h < 1 ? 1 - h : 0) : 1.0f;
        room *= 1.0f - 0.5f * in * in;
    }
    return room;
}

/* Whether the density at the place of particle k, in cell c, is at least `share`: of all, itself
 * included, or of the dense ones, of which a loose one is none. The room, which is never above 1,
 * is found only where the sum leaves it open. */
SP_KERNEL bool X(is_filled)(const X(flight) *f, const int c[DIM], uint32_t k, const uint8_t *kinds,
                            float share)
{
    float x[DIM], full = share * f->rest * FLIGHT_UNIT;
    uint32_t sum = 0;
    FOR_DIM(d)
        x[d] = f->x[d][f->order[k]];
    for (int n = 0; n < CELLS_AROUND && (float)sum < full; n++) {
        size_t index = 0;
        float shift[DIM];
        if (X(cell_around)(f->grid, c, n, &index, shift))
            sum = X(add_cell)(f, index, shift, x, kinds, sum);
    }
    return (float)sum >= full || (sum > 0 && (float)sum >= full * X(room_around)(f, x));
}

/* Whether particle k, in cell c at index `cell`, is not dense. In an inflow all count as dense:
 * they travel with its lattice. */
SP_KERNEL bool X(is_loose)(const X(flight) *f, const int c[DIM], size_t cell, uint32_t k)
{
    return !(f->marks && f->marks[cell] & MARK_INFLOW) && !X(is_filled)(f, c, k, NULL, DENSE);
}

/* ---- the motion */

/* Cells: how far places on the way are apart that are looked at. A sheet of liquid cells one cell
 * thick is nearer than half a cell along more than that. */
#define FLIGHT_PIECE 1.0f

SP_KERNEL bool X(knows_level_set)(const X(fields) *f, const int tile[DIM])
{
    return f->tiles.state[X(tile_number)(&f->grid, tile)] & (TILE_ACTIVE | TILE_BORDER);
}

/* Distance of a place to the liquid, cells: the level set of the step, at most 1. */
SP_KERNEL float X(liquid_distance)(const X(fields) *f, const float x[DIM])
{
    X(stencil) s = X(stencil_at)(KERNEL_LINEAR, x, -1);
    float sum = 0.0f, dx = (float)f->grid.dx;
    size_t first = X(index)(&f->grid, s.first);
    int tile[DIM];
    bool one = true; /* tile holds all of the cells */
    FOR_DIM(d) {
        tile[d] = (s.first[d] + TILE) >> TILE_SHIFT;
        one = one && (s.first[d] & (TILE - 1)) != TILE - 1;
    }
    bool known = X(knows_level_set)(f, tile);
    if (one && !known)
        return 1.0f;
    for (int n = 0; n < (1 << DIM); n++) {
        size_t cell = first;
        float weight = 1.0f;
        FOR_DIM(d) {
            int far = n >> d & 1;
            cell += far ? f->grid.stride[d] : 0;
            weight *= s.w[d][far];
            tile[d] = (s.first[d] + far + TILE) >> TILE_SHIFT;
        }
        known = one ? known : X(knows_level_set)(f, tile);
        sum += weight * (known ? f->phi[cell] : dx);
    }
    return sum / dx;
}

/* The same at a moment of the step, h of it (s/m) after the beginning: liquid that is at x then has
 * come with the velocity there. Only near it the velocity is known, and asked for. */
SP_KERNEL float X(liquid_distance_later)(const X(fields) *f, float x[DIM], float h, float limit)
{
    float v[DIM], distance;
    X(bring_in)(&f->grid, x);
    distance = X(liquid_distance)(f, x);
    if (!(distance < limit))
        return distance;
    X(velocity_at)(&f->grid, KERNEL_LINEAR, f->u, x, v);
    FOR_DIM(d)
        x[d] -= h * v[d];
    X(bring_in)(&f->grid, x);
    return X(liquid_distance)(f, x);
}

/* Shortens the way from x to `to` (cells) where it comes to the liquid, h: dt / dx. What begins
 * near it, by a level set that knows the particles less well than SORT, may leave, go along with
 * it, and come nearer by 0.1 cells and a little in each step. */
SP_KERNEL void X(stop_at_liquid)(const X(fields) *f, const float x[DIM], float h, float to[DIM])
{
    float way[DIM], square = 0.0f, free = 0.0f, place[DIM];
    FOR_DIM(d) {
        way[d] = to[d] - x[d];
        square += way[d] * way[d];
    }
    if (!(square < 1e8f))
        return;
    float begin = X(liquid_distance)(f, x), limit = begin < 0.6f ? begin - 0.1f : 0.5f;
    int pieces = (int)(sqrtf(square) / FLIGHT_PIECE) + 1;
    for (int n = 1; n <= pieces; n++) {
        float share = (float)n / (float)pieces;
        FOR_DIM(d)
            place[d] = x[d] + share * way[d];
        if (!(X(liquid_distance_later)(f, place, h * share, limit) < limit)) {
            free = share;
            continue;
        }
        for (int turn = 0; turn < 3; turn++) { /* nearer to where it comes there */
            float middle = 0.5f * (free + share);
            FOR_DIM(d)
                place[d] = x[d] + middle * way[d];
            if (X(liquid_distance_later)(f, place, h * middle, limit) < limit)
                share = middle;
            else
                free = middle;
        }
        FOR_DIM(d)
            to[d] = x[d] + share * way[d];
        return;
    }
}

/* Particle k falls for a step: its new velocity, and where it goes from x (h: dt / dx, dv: m/s). */
SP_KERNEL void X(fall)(const X(fields) *f, size_t k, float h, const float dv[DIM], float x[DIM],
                       float to[DIM])
{
    const X(particles) *p = &f->particles;
    FOR_DIM(d) {
        x[d] = p->x[d][k];
        p->v[d][k] += dv[d];
        to[d] = x[d] + h * p->v[d][k];
    }
    for (int e = 0; e < DIM * DIM && f->affine; e++)
        p->c[e][k] = 0.0f;
    X(stop_at_liquid)(f, x, h, to);
}

#endif
