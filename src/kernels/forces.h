/* forces.h -- FORCES, for the faces of one cell: gravity, then the velocities that solids and
 * inflows prescribe. The body of gravity is one over lanes (lane.h). Walls that drag: walls.h. */
#ifndef SPATE_KERNELS_FORCES_H
#define SPATE_KERNELS_FORCES_H

#include "faces.h"
#include "fields.h"
#include "lane.h"
#include "walls.h"

/* What is lighter than the rest rises: heat by its expansion; smoke sinks by its own mass
 * (Boussinesq: the mass that is moved is that of the fluid). */
#define BUOYANT_COLUMNS 2
typedef struct X(buoyancy) {
    int count;                        /* channels that make the fluid lighter or heavier, */
    int on_grid[BUOYANT_COLUMNS];     /* of those that the grid holds */
    float lightness[BUOYANT_COLUMNS]; /* share by which one unit makes it lighter */
    float dv[DIM];                    /* m/s: of gravity in the step */
} X(buoyancy);

typedef struct X(forces) {
    float dv[DIM]; /* of gravity in the step, m/s */
    X(buoyancy) buoyancy;
    double dt;      /* s */
    X(walls) walls; /* that drag */
} X(forces);

/* ---- gravity */

/* The mean u_old of the faces d around one that particles reached; false: there is none. */
SP_KERNEL bool X(mean_around)(const X(fields) *f, int d, size_t face, float *mean)
{
    float sum = 0.0f, count = 0.0f;
    FOR_DIM(a) {
        size_t near[2] = {face - f->grid.stride[a], face + f->grid.stride[a]};
        for (int side = 0; side < 2; side++)
            if (f->weight[d][near[side]] > 0.0f) {
                sum += f->u_old[d][near[side]];
                count += 1.0f;
            }
    }
    *mean = count > 0.0f ? sum / count : 0.0f;
    return count > 0.0f;
}

/* Faces of LANES cells from c on. One beside the liquid that no particle reached first takes the
 * mean of its neighbours. */
SP_KERNEL void X(add_gravity)(const X(fields) *f, size_t c, const X(forces) *how)
{
    i8 here = is_equal(load_bytes(f->type + c), SPATE_CELL_LIQUID);
    FOR_DIM(d) {
        i8 there = is_equal(load_bytes(f->type + c - f->grid.stride[d]), SPATE_CELL_LIQUID);
        i8 wet = here | there, reached = is_positive(load(f->weight[d] + c));
        i8 missing = wet & ~reached, falls = wet | reached;
        if (!any(falls))
            continue;
        for (int i = 0; i < LANES && any(missing); i++) {
            float mean;
            size_t face = c + (size_t)i;
            if (lane(missing, i) && X(mean_around)(f, d, face, &mean))
                f->u[d][face] = f->u_old[d][face] = mean;
        }
        f8 u = load(f->u[d] + c);
        store(f->u[d] + c, choose(falls, u + how->dv[d], u));
    }
}

/* ---- buoyancy */

/* Share by which LANES cells from c on are lighter. */
SP_KERNEL f8 X(lightness)(const X(fields) *f, const X(buoyancy) *b, size_t c)
{
    f8 sum = f8_of(0.0f);
    for (int k = 0; k < b->count; k++)
        sum += b->lightness[k] * load(f->channel[b->on_grid[k]] + c);
    return sum;
}

/* What buoyancy takes from faces d of LANES cells from c on, whose lightness is `own`: by the mean
 * of the two cells, or by the one that is fluid. */
SP_KERNEL f8 X(lift)(const X(fields) *f, size_t c, int d, f8 own, const X(buoyancy) *b)
{
    size_t before = c - f->grid.stride[d];
    i8 here = is_equal(load_bytes(f->type + c), SPATE_CELL_LIQUID);
    i8 there = is_equal(load_bytes(f->type + before), SPATE_CELL_LIQUID);
    if (!any(here | there) || b->dv[d] == 0.0f)
        return f8_of(0.0f);
    f8 other = X(lightness)(f, b, before);
    f8 mean = choose(here & there, 0.5f * (own + other), choose(here, own, other));
    return where(here | there, b->dv[d] * mean);
}

SP_KERNEL void X(add_buoyancy)(const X(fields) *f, size_t c, const X(buoyancy) *b)
{
    f8 own = X(lightness)(f, b, c);
    FOR_DIM(d)
        store(f->u[d] + c, load(f->u[d] + c) - X(lift)(f, c, d, own, b));
}

/* ---- what is prescribed */

/* Voxel solids: faces between a solid and another cell have the solid's velocity. */
SP_KERNEL void X(hold_faces)(const X(fields) *f, size_t c, const int cell[DIM], double dt)
{
    const X(grid) *g = &f->grid;
    bool here = f->type[c] == SPATE_CELL_SOLID;
    for (int d = 0; d < DIM; d++) {
        int before[DIM];
        float v[DIM];
        if (here == (f->type[c - g->stride[d]] == SPATE_CELL_SOLID))
            continue;
        FOR_DIM(axis)
            before[axis] = cell[axis] - (axis == d);
        bool wall = !X(inside)(g, here ? cell : before) && !g->periodic[d];
        if (!wall)
            X(solid_velocity)(g, &f->solids, cell, d, dt, v);
        f->u[d][c] = wall ? 0.0f : v[d];
    }
}

/* The faces of an inflow cell have its velocity, at the walls of the domain too, wherever they cut
 * cells; only solids are stronger. */
SP_KERNEL void X(prescribe_faces)(const X(fields) *f, size_t c, const int cell[DIM])
{
    const X(grid) *g = &f->grid;
    if (!X(inside)(g, cell))
        return;
    for (int d = 0; d < DIM; d++) {
        size_t low = c - g->stride[d], high = c + g->stride[d];
        uint8_t here = f->type[c], there = f->type[low];
        bool wall_low = cell[d] == 0 && !g->periodic[d],
             wall_high = cell[d] == (int)ceil(g->end[d]) - 1 && !g->periodic[d];
        if (here == SPATE_CELL_INFLOW && (wall_low || there != SPATE_CELL_SOLID))
            f->u[d][c] = f->inflow_velocity[f->mark_of[c] * DIM + d];
        else if (there == SPATE_CELL_INFLOW && here != SPATE_CELL_SOLID)
            f->u[d][c] = f->inflow_velocity[f->mark_of[low] * DIM + d];
        if (here == SPATE_CELL_INFLOW && wall_high)
            f->u[d][high] = f->inflow_velocity[f->mark_of[c] * DIM + d];
    }
}

#endif
