/* surface.h -- SURFACE: a level set from the density of particles, and the type of every cell. The
 * bodies of distances and types are ones over lanes (lane.h).
 *
 * Level set. The density of particles around a cell's middle, taken with the linear kernel (support
 * two cells) and measured against rest density times the free room there, is 1 in full water and 0
 * far from it. Across a flat surface, t cells above it,
 *
 *     density(t) = (1 - t)^2 / 2  for 0 <= t <= 1,    1 - (1 + t)^2 / 2  for -1 <= t < 0,
 *
 * which is turned round to give phi = t dx, cut off at one dx. By its symmetry the surface lies
 * where the water ends, however the particles are jittered: density 1/2 is the surface, not the
 * outermost particle. Beside thin solids only what the cell's middle sees counts (thin.h). Only
 * tiles near an empty cell are computed; elsewhere phi = -dx.
 *
 * Types. A cell is solid if none of its faces is open (voxel: if its middle is inside a solid), an
 * inflow or outflow if its middle is inside one, liquid if its middle is deeper than SHALLOW (voxel
 * surface: if it holds a particle, or if solids leave it little room and its neighbours do), and
 * air otherwise. Outflow cells are air: what enters them leaves. A gas has no surface: all its
 * cells are of the type that says liquid, and phi is -dx in all of them. */
#ifndef SPATE_KERNELS_SURFACE_H
#define SPATE_KERNELS_SURFACE_H

#include "fields.h"
#include "lane.h"
#include "thin.h"

/* ---- tiles near the surface: those with an empty cell, their neighbours, and the neighbours of
 * those */

/* Whether a tile counts as one with an empty cell whatever its cells hold. Across periodic sides
 * nothing is looked up: tiles there always count. */
SP_KERNEL bool X(counts_as_empty)(const X(fields) *f, int tile)
{
    const X(grid) *g = &f->grid;
    int at[DIM];
    bool empty = !(f->tiles.state[tile] & TILE_LIQUID);
    X(tile_coordinates)(g, tile, at);
    FOR_DIM(d)
        empty = empty || (g->periodic[d] && (at[d] == 1 || at[d] >= g->tiles[d] - 3));
    return empty;
}

/* Tiles with the first mark next to them get the second one, too. */
typedef struct X(near_pass) {
    const uint8_t *from; /* per tile: NEAR_... so far */
    uint8_t *to;
    uint8_t looked_for, mark;
} X(near_pass);

/* The first pass goes from `near` to `other`, the second one back. */
#define NEAR_PASSES 2
SP_KERNEL X(near_pass) X(near_pass_at)(int pass, uint8_t *near, uint8_t *other)
{
    X(near_pass) first = {near, other, NEAR_EMPTY, NEAR_SURFACE};
    X(near_pass) second = {other, near, NEAR_SURFACE, NEAR_GIVES};
    return pass == 0 ? first : second;
}

SP_KERNEL void X(spread_marks)(const X(fields) *f, const X(near_pass) *pass, int tile)
{
    int at[DIM], near[DIM];
    uint8_t marks = pass->from[tile];
    X(tile_coordinates)(&f->grid, tile, at);
    for (int c = 0; c < 9 * LAST(3); c++) {
        int offset[3] = {c % 3 - 1, c / 3 % 3 - 1, c / 9 - 1};
        FOR_DIM(d)
            near[d] = at[d] + offset[d];
        int other = X(tile_number)(&f->grid, near);
        if ((f->tiles.state[other] & TILE_ACTIVE) && (pass->from[other] & pass->looked_for))
            marks |= pass->mark;
    }
    pass->to[tile] = marks;
}

/* ---- level set */

/* Below this share of free room the density means little, and the neighbours have a say in phi. */
#define LEAST_ROOM 0.5f
#define NO_ROOM 0.02f /* what the density of cells with less is taken of */

/* Beside thin solids the sum is one over the particles that the cell's middle sees. */
SP_KERNEL bool X(has_thin)(const X(fields) *f, int tile)
{
    return f->has_solids && (f->tiles.cut[tile] & CUT_THIN);
}

SP_KERNEL void X(see_density)(const X(fields) *f, size_t c, const int cell[DIM], float *sums)
{
    if (f->thin[c] && X(inside)(&f->grid, cell))
        sums[c] = X(visible_sum)(f, c, cell);
}

/* LANES cells from c on, of a tile that is near the surface or not; sums: of particles around their
 * middles, which may be the memory of what is written. */
SP_KERNEL void X(find_distance)(const X(fields) *f, size_t c, const float *sums, bool near)
{
    f8 one = f8_of(1.0f), phi = -one;
    if (near || f->density) {
        f8 room = f->has_solids ? load(f->room + c) : one;
        i8 enough = is_less(f8_of(LEAST_ROOM), room);
        f8 density = load(sums + c) /
                     (f->rest * choose(is_less(f8_of(NO_ROOM), room), room, f8_of(NO_ROOM)));
        i8 outside = ~is_less(f8_of(0.5f), density);
        f8 root = f8_sqrt(2.0f * choose(outside, density, one - density));
        if (near)
            phi = choose(outside, one - root, where(is_less(density, one), root) - one);
        if (f->density)
            store(f->density + c, choose(enough, density, one));
    }
    store(f->phi + c, (float)f->grid.dx * phi);
}

/* A cell with little room asks the neighbours that have more, through its open faces, so that no
 * film of air lies on solids and nothing leaks into them. What phi would be here as it goes on
 * along the line through a neighbour and the cell behind that: a surface that is level under an
 * overhang stays so up to it. Their mean is taken if it is nearer to the liquid than the cell's own
 * density says, and by as much as little room leaves that in doubt: a jet along a wall that fills
 * it stays liquid, and one that is empty takes nothing from a neighbour that is not. In a narrow
 * gap no neighbour has more room: there a cell is full if liquid is in it or beside it, and keeps
 * its own phi otherwise. Near the surface the doubt begins with nothing at LEAST_ROOM, or an empty
 * corner would be liquid; below it a full cell may read half a cell too little by chance. In bands
 * of room, each from the ones above it. */
#define ROOM_BANDS                             \
    {                                          \
        LEAST_ROOM, 0.2f, 0.05f, 0.005f, -1.0f \
    }
#define ROOM_BAND_COUNT 4

/* Whether a cell around c that has more room than that is outside of the liquid. */
SP_KERNEL bool X(has_surface_around)(const X(fields) *f, size_t c, float room)
{
    bool found = false;
    for (int k = 0; k < 9 * LAST(3); k++) {
        const int offset[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        ptrdiff_t at = (ptrdiff_t)c;
        FOR_DIM(d)
            at += offset[d] * (ptrdiff_t)f->grid.stride[d];
        found = found || (f->room[at] > room && f->phi[at] > 0.0f);
    }
    return found;
}

SP_KERNEL bool X(is_closed)(const X(fields) *f, size_t c)
{
    float open = 0.0f;
    FOR_DIM(d)
        open += f->w[d][c] + f->w[d][c + f->grid.stride[d]];
    return open == 0.0f;
}

/* Whether a cell that no neighbour tells of its phi is in liquid, or beside it: its own density
 * says so, or one of the two next cells along an axis that open faces lead to holds particles. A
 * cell without open faces asks all of those cells: liquid on a solid goes on in it. */
SP_KERNEL bool X(is_near_liquid)(const X(fields) *f, size_t c, const int cell[DIM])
{
    const X(grid) *g = &f->grid;
    if (f->phi[c] < (float)g->dx)
        return true;
    bool closed = X(is_closed)(f, c);
    FOR_DIM(d)
        for (int side = 0; side < 2; side++) {
            size_t at = c;
            int place = cell[d];
            for (int k = 0; k < 2; k++) {
                int next = side ? place + 1 : place - 1;
                if (g->periodic[d])
                    next = next < 0 ? g->n[d] - 1 : next >= g->n[d] ? 0 : next;
                else if (next < 0 || next >= g->n[d])
                    break;
                size_t near = at + (size_t)(next - place) * g->stride[d];
                if (!closed && !(f->w[d][side ? near : at] > 0.0f))
                    break;
                if (f->count[near] > 0)
                    return true;
                at = near;
                place = next;
            }
        }
    return false;
}

/* A cell whose room is at most `high` and more than `low`; others stay. */
SP_KERNEL void X(extend_cell)(const X(fields) *f, size_t c, const int cell[DIM], float high,
                              float low)
{
    float sum = 0.0f, count = 0.0f, own = f->phi[c], dx = (float)f->grid.dx;
    if (!(f->room[c] <= high && f->room[c] > low))
        return;
    FOR_DIM(d) {
        size_t step = f->grid.stride[d];
        for (int side = 0; side < 2; side++) {
            size_t near = side ? c + step : c - step, behind = side ? near + step : near - step;
            float w = f->w[d][side ? near : c], w_behind = f->w[d][side ? behind : near];
            if (!(w > 0.0f && f->room[near] > high))
                continue;
            bool goes_on = w_behind > 0.0f && f->room[behind] > high;
            sum += w * (goes_on ? 2.0f * f->phi[near] - f->phi[behind] : f->phi[near]);
            count += w;
        }
    }
    float room = f->room[c] > NO_ROOM ? f->room[c] : NO_ROOM;
    float sure = X(has_surface_around)(f, c, high) ? 1.0f : 0.0f;
    float around = count > 0.0f                    ? sum / count
                   : X(is_near_liquid)(f, c, cell) ? -dx
                                                   : own,
          least = own - 0.5f * dx * (LEAST_ROOM / room - sure);
    least = least > -dx ? least : -dx;
    around = around > least ? around : least;
    f->phi[c] = around < own ? around : own;
}

/* Without a level set phi is only a mark: -dx in the fluid, which with a voxel surface is where a
 * cell holds a particle, and dx elsewhere. */
SP_KERNEL void X(mark_cell)(const X(fields) *f, size_t c)
{
    float dx = (float)f->grid.dx;
    f->phi[c] = f->surface == SURFACE_NONE || f->count[c] > 0 ? -dx : dx;
}

/* ---- types */

/* dx: a cell whose middle is less deep is air that keeps its phi, see surface_factors. */
#define SHALLOW 0.01f

/* How many times the difference of q between a liquid cell and the air cell beside it the pressure
 * changes along dx: p is linear with p = 0 where phi = 0, so that the air cell has p_c phi_n /
 * phi_c, on whichever side of the surface its middle is. The liquid one is at least SHALLOW deep,
 * so this has a bound without a clamp, which would bend the pressure along one axis and not along
 * another, and stir water at rest. Air deep in the liquid is an open side or an outflow: p = 0 on
 * the face. */
SP_KERNEL f8 X(surface_factors)(int surface, float dx, f8 liquid, f8 air)
{
    f8 one = f8_of(1.0f);
    if (surface == SURFACE_VOXEL)
        return one;
    return choose(is_less(f8_of(-SHALLOW * dx), air), one - air / liquid, one + one);
}

/* Whether a tile may have cells without an open face; what is outside of the domain has none. */
SP_KERNEL bool X(may_have_solids)(const X(fields) *f, int tile)
{
    int first[DIM];
    if (!f->has_solids)
        return false;
    bool solids = f->tiles.cut[tile];
    X(tile_cell)(&f->grid, tile, first);
    FOR_DIM(d)
        solids = solids || first[d] + TILE > f->grid.n[d];
    return solids;
}

/* LANES cells from c on; solids: may_have_solids of their tile. */
SP_KERNEL void X(find_types)(const X(fields) *f, size_t c, bool solids)
{
    f8 least = f8_of(-SHALLOW * (float)f->grid.dx);
    store_bytes(f->type + c, is_less(load(f->phi + c), least) & SPATE_CELL_LIQUID);
    if (!f->marks && !solids)
        return;
    for (size_t k = c; k < c + LANES; k++) {
        if (f->marks && f->marks[k])
            f->type[k] = f->marks[k] & MARK_INFLOW ? SPATE_CELL_INFLOW : SPATE_CELL_AIR;
        if (solids && X(is_closed)(f, k))
            f->type[k] = SPATE_CELL_SOLID;
    }
}

#endif
