/* emit.h -- the stage EMIT (stages/emit.c) for one particle, and for one place of the lattice of an
 * inflow. */
#ifndef SPATE_KERNELS_EMIT_H
#define SPATE_KERNELS_EMIT_H

#include "collide.h"
#include "fields.h"
#include "particle.h"
#include "random.h"
#include "sides.h"

#include <math.h>

/* ---- shapes */

/* Whether a point (cells) is inside a shape, its surface included. */
SP_KERNEL bool X(shape_holds)(const X(grid) *g, const sp_shape *form, const sp_pose *pose,
                              const double x[DIM])
{
    double world[3] = {0, 0, 0}, local[3];
    FOR_DIM(d)
        world[d] = x[d] * g->dx;
    sp_take_in(pose, world, local);
    return sp_form_distance(form, local, NULL) <= 0;
}

/* Whether a particle may stand at a place (cells). */
SP_KERNEL bool X(has_room)(const X(grid) *g, const sp_solids *solids, const double x[DIM])
{
    double world[3] = {0, 0, 0};
    for (int d = 0; d < DIM; d++) {
        if (!(x[d] >= (double)CLEARANCE && x[d] <= (double)((float)g->n[d] - CLEARANCE)))
            return false;
        world[d] = x[d] * g->dx;
    }
    return solids->live == 0 ||
           sp_bodies_distance(solids, world, NULL, NULL) >= (double)CLEARANCE * g->dx;
}

/* ---- outflows */

typedef struct X(outflows) {
    const sp_shape *shapes; /* at rest */
    const float *bounds;    /* cells: DIM low and DIM high numbers of each shape, a hair wider */
    int count;
} X(outflows);

SP_KERNEL bool X(is_between)(const float x[DIM], const float bounds[2 * DIM])
{
    bool between = true;
    FOR_DIM(d)
        between = between && x[d] >= bounds[d] && x[d] <= bounds[DIM + d];
    return between;
}

/* Whether a place (cells) is in an outflow. */
SP_KERNEL bool X(is_drained)(const X(grid) *g, const X(outflows) *outflows, const float x[DIM])
{
    double wide[DIM];
    FOR_DIM(d)
        wide[d] = (double)x[d];
    for (int n = 0; n < outflows->count; n++) {
        const sp_shape *shape = &outflows->shapes[n];
        if (X(is_between)(x, outflows->bounds + (size_t)n * 2 * DIM) &&
            X(shape_holds)(g, shape, &shape->rest, wide))
            return true;
    }
    return false;
}

/* Marks particle k DEAD if it is in an outflow; whether it did. */
SP_KERNEL bool X(drain)(const X(fields) *f, const X(outflows) *outflows, size_t k)
{
    float x[DIM];
    FOR_DIM(d)
        x[d] = f->particles.x[d][k];
    if (x[0] == DEAD || !X(is_drained)(&f->grid, outflows, x))
        return false;
    f->particles.x[0][k] = DEAD;
    return true;
}

/* ---- inflows */

/* A box of lattice places that may come into the shape during a step. */
typedef struct X(lattice) {
    const sp_shape *form; /* in the memory of the device that reads it */
    sp_pose pose;
    float velocity[DIM];                        /* m/s */
    double travelled[DIM], low[DIM], high[DIM]; /* sub-cells, see X(emitter) */
    int64_t first[DIM];                         /* lattice place at the corner of the box */
    int size[DIM];
    double way;   /* sub-cells, the farthest that the lattice moves in the step along an axis */
    double dt;    /* s */
    int parts;    /* moments of the step at which a place is looked up */
    int n;        /* places per cell and axis */
    bool started; /* has emitted before */
    bool refill;  /* places that were inside before give, too */
    int cells;    /* 1 + the inflow whose cells are meant instead of its shape; 0: the shape */
    uint64_t key; /* of its random numbers */
    double jitter;
} X(lattice);

/* An inflow that gives particles; the pointers are the device's. */
typedef struct X(inflow) {
    X(lattice) lattice;
    uint8_t *marks; /* of the places */
    X(newcomers) what;
} X(inflow);

/* The place that holds a particle at x (cells); false: none of the box. */
SP_KERNEL bool X(lattice_place)(const X(lattice) *l, const float x[DIM], size_t *place)
{
    *place = 0;
    for (int d = DIM - 1; d >= 0; d--) {
        double at = (double)x[d] * l->n;
        if (!(at >= l->low[d] - l->way - 1 && at <= l->high[d] + l->way + 1))
            return false;
        int64_t i = (int64_t)floor(at - l->travelled[d]) - l->first[d];
        if (i < 0 || i >= l->size[d])
            return false;
        *place = *place * (size_t)l->size[d] + (size_t)i;
    }
    return true;
}

/* Where a place is at the end of the step, in cells. */
SP_KERNEL void X(lattice_point)(const X(lattice) *l, size_t place, double x[DIM])
{
    uint64_t key = l->key;
    int64_t at[DIM];
    for (int d = 0; d < DIM; d++) {
        at[d] = l->first[d] + (int64_t)(place % (size_t)l->size[d]);
        place /= (size_t)l->size[d];
        key = sp_hash2(key, (uint64_t)at[d]);
    }
    for (int d = 0; d < DIM; d++) {
        double jitter = l->jitter * (sp_uniform(sp_hash2(key, (uint64_t)d)) - 0.5);
        x[d] = ((double)at[d] + 0.5 + jitter + l->travelled[d]) / l->n;
    }
}

/* Whether a place (cells) is in the inflow: in its shape, or in one of its cells. */
SP_KERNEL bool X(inflow_holds)(const X(fields) *f, const X(lattice) *l, const double x[DIM])
{
    int c[3] = {0, 0, 0};
    if (l->cells == 0)
        return X(shape_holds)(&f->grid, l->form, &l->pose, x);
    for (int d = 0; d < DIM; d++) {
        c[d] = (int)floor(x[d]);
        if (!(x[d] >= 0 && c[d] < f->grid.n[d]))
            return false;
    }
    size_t index = X(index)(&f->grid, c);
    return f->marks[index] & MARK_INFLOW && f->mark_of[index] == l->cells - 1;
}

/* Whether the lattice place that is at x at the end of the step has come in during it. */
SP_KERNEL bool X(comes_in)(const X(fields) *f, const X(lattice) *l, const double x[DIM])
{
    const X(grid) *g = &f->grid;
    double at[DIM];
    if (!X(has_room)(g, &f->solids, x))
        return false;
    for (int part = 0; part <= l->parts; part++) {
        FOR_DIM(d)
            at[d] = x[d] - l->velocity[d] * l->dt / g->dx * (l->parts - part) / l->parts;
        bool in = X(has_room)(g, &f->solids, at) && X(inflow_holds)(f, l, at);
        if (part == 0 && in && l->started && !l->refill)
            return false;
        if (part > 0 && in)
            return true;
    }
    return false;
}

/* The place that particle k is in; false: none. */
SP_KERNEL bool X(occupied_place)(const X(fields) *f, const X(lattice) *l, size_t k, size_t *place)
{
    float x[DIM];
    FOR_DIM(d)
        x[d] = f->particles.x[d][k];
    return X(lattice_place)(l, x, place);
}

/* Where a place is at the end of the step, as a particle has it. */
SP_KERNEL void X(place_point)(const X(lattice) *l, size_t place, float x[DIM])
{
    double wide[DIM];
    X(lattice_point)(l, place, wide);
    FOR_DIM(d)
        x[d] = (float)wide[d];
}

/* Whether a place that no particle is in gives one. */
SP_KERNEL bool X(place_gives)(const X(fields) *f, const X(lattice) *l, size_t place)
{
    double x[DIM];
    X(lattice_point)(l, place, x);
    return X(comes_in)(f, l, x);
}

#endif
