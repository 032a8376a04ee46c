/* obstacles.h -- takes a particle from one place to another, past solids and walls (cpu/collide.c).
 */
#ifndef SPATE_KERNELS_OBSTACLES_H
#define SPATE_KERNELS_OBSTACLES_H

#include "collide.h"
#include "fields.h"
#include "sides.h"

#include <math.h>

/* What is in the way. */
typedef struct X(obstacles) {
    const X(grid) *grid;
    const spate_side (*sides)[2];
    const sp_solids *solids;
    const float *phi_solid;
    bool movers; /* solids may move: phi_solid knows of them within SOLID_BAND only */
    sp_clearance room;
    double dt;     /* s; 0: places are corrected, with the solids where the step began */
    double travel; /* m, how far solids go in the step: phi_solid is that of its end */
} X(obstacles);

/* What is in the way in the arrays of f. travel: how far solids go in the step, m. */
SP_KERNEL X(obstacles) X(obstacles_of)(const X(fields) *f, bool movers, const sp_clearance *room,
                                       double dt, double travel)
{
    X(obstacles) o;
    o.grid = &f->grid;
    o.sides = f->sides;
    o.solids = &f->solids;
    o.phi_solid = f->phi_solid;
    o.movers = movers;
    o.room = *room;
    o.dt = dt;
    o.travel = travel;
    return o;
}

/* What has happened to a particle, to be counted. */
typedef struct X(fate) {
    int collisions, far; /* far: pushed farther than it or the solids went */
    bool open, crushed;  /* left through an open side; has no place left */
} X(fate);

/* Whether a particle that goes `way` cells from x could meet a solid. */
SP_KERNEL bool X(is_near_solid)(const X(obstacles) *o, const float x[DIM], float way)
{
    const X(grid) *g = o->grid;
    int c[DIM];
    if (o->movers && way + 2.0f > (float)SOLID_BAND)
        return true;
    FOR_DIM(d) {
        c[d] = X(floor)(x[d] + 0.5f);
        c[d] = c[d] < 0 ? 0 : c[d] > g->n[d] ? g->n[d] : c[d];
    }
    return o->phi_solid[X(index)(g, c)] < (way + 2.0f) * g->dx + o->travel;
}

SP_KERNEL double X(way_between)(const double a[3], const double b[3])
{
    double sum = 0;
    for (int d = 0; d < DIM; d++)
        sum += (b[d] - a[d]) * (b[d] - a[d]);
    return sqrt(sum);
}

/* false: there is no place for it */
SP_KERNEL bool X(pass_solids)(const X(obstacles) *o, const float from[DIM], float to[DIM],
                              float v[DIM], X(fate) *fate)
{
    double dx = o->grid->dx, x0[3] = {0, 0, 0}, x1[3] = {0, 0, 0}, velocity[3] = {0, 0, 0};
    FOR_DIM(d) {
        x0[d] = (double)from[d] * dx;
        x1[d] = (double)to[d] * dx;
        velocity[d] = v[d];
    }
    double wanted = X(way_between)(x0, x1);
    sp_contact contact = sp_bodies_sweep(o->solids, &o->room, x0, x1, velocity, o->dt);
    if (contact == SP_CONTACT_NONE)
        return true;
    fate->collisions++;
    fate->far += X(way_between)(x0, x1) > wanted + o->solids->travel + 0.5 * dx;
    FOR_DIM(d) {
        to[d] = (float)(x1[d] / dx);
        v[d] = (float)velocity[d];
    }
    return contact != SP_CONTACT_CRUSHED;
}

/* A way with no place at its end: ADVECT loses the particle, a correction is not made. Returns
 * whether the particle stays. */
SP_KERNEL bool X(give_up)(const X(obstacles) *o, bool *lost, const float x[DIM], float to[DIM])
{
    *lost = o->dt != 0;
    if (*lost)
        return false;
    FOR_DIM(d)
        to[d] = x[d];
    return true;
}

/* Takes a particle from x to `to` (cells), which becomes where it may be, and takes what goes into
 * walls and solids out of v; false: it is lost. */
SP_KERNEL bool X(collide_particle)(const X(obstacles) *o, const float x[DIM], float to[DIM],
                                   float v[DIM], X(fate) *fate)
{
    float way = 0.0f, shift[DIM], start[DIM];
    bool wrapped = false, solids = o->solids->live > 0;
    FOR_DIM(d)
        way += (to[d] - x[d]) * (to[d] - x[d]);
    way = sqrtf(way);
    if (solids && X(is_near_solid)(o, x, way) && !X(pass_solids)(o, x, to, v, fate))
        return X(give_up)(o, &fate->crushed, x, to);
    if (!X(pass_sides)(o->grid, o->sides, to, v, shift, &wrapped))
        return X(give_up)(o, &fate->open, x, to);
    if (!solids || !wrapped || !X(is_near_solid)(o, to, way))
        return true;
    /* the solids behind a periodic side are met on the way that leads there, perhaps before it */
    FOR_DIM(d)
        start[d] = x[d] + shift[d];
    if (!X(pass_solids)(o, start, to, v, fate))
        return X(give_up)(o, &fate->crushed, x, to);
    return X(pass_sides)(o->grid, o->sides, to, v, shift, &wrapped) ||
           X(give_up)(o, &fate->open, x, to);
}

#endif
