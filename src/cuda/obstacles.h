/* obstacles.h -- what is in the way of a particle on the device (kernels/obstacles.h). */
#ifndef SPATE_CUDA_OBSTACLES_H
#define SPATE_CUDA_OBSTACLES_H

#include "kernels/obstacles.h"
#include "launch.h"

GPU_FN X(obstacles) X(obstacles_of)(const X(fields) *f, bool movers, const sp_clearance *room,
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

#endif
