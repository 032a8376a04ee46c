/* shift.h -- `volume.method` shift, which evens out the particles of a gas.
 *
 * A gas fills all that is open, so its particles have no surface to be kept inside of. They gather
 * all the same: a flow that is free of divergence and mixes leaves as many in a cell as chance
 * would. So in each step every particle also moves down the gradient of the density rho of
 * particles around the middles of the cells (SURFACE: 1 where there are as many as at the start),
 * by
 *
 *     d = -(s/4) (rho_c - rho_(c-1))  cells,    s = min(1, CFL / 2),
 *
 * on the face between the cells c and c - 1. CFL is that of the step, by the largest speed of the
 * gas, so a gas at rest stays as it is. There is no solve: each step evens out neighbours, and the
 * faster the flow crowds particles, the larger d is.
 *
 * d is 0 on faces that are closed, and beside what is no cell of the gas: solids, walls, inflows,
 * outflows and open sides.
 *
 * The velocity rides along, v += u(x + d) - u(x), or the particles would smear the velocity as they
 * are moved from the place that it belongs to. Channels do not ride: particles keep their values,
 * and so their sum and range are exact. */
#ifndef SPATE_KERNELS_SHIFT_H
#define SPATE_KERNELS_SHIFT_H

#include "fields.h"
#include "lane.h"
#include "rk.h"

#include <spate/spate.h>

/* The displacement on the low faces of LANES cells from c on; rate: s/4. */
SP_KERNEL void X(shift_faces)(const X(fields) *f, size_t c, float rate)
{
    i8 gas = is_equal(load_bytes(f->type + c), SPATE_CELL_LIQUID);
    f8 density = load(f->density + c);
    FOR_DIM(d) {
        size_t before = c - f->grid.stride[d];
        i8 open = gas & is_equal(load_bytes(f->type + before), SPATE_CELL_LIQUID);
        if (f->has_solids)
            open = open & is_positive(load(f->w[d] + c));
        store(f->away[d] + c, where(open, rate * (load(f->density + before) - density)));
    }
}

/* The velocity v of a particle that is displaced from x by `way` (cells). */
SP_KERNEL void X(ride)(const X(grid) *g, int degree, float *const u[DIM], const float x[DIM],
                       const float way[DIM], float v[DIM])
{
    float place[DIM], here[DIM], there[DIM];
    FOR_DIM(d)
        place[d] = x[d] + way[d];
    X(bring_in)(g, place);
    X(velocity_at)(g, degree, u, x, here);
    X(velocity_at)(g, degree, u, place, there);
    FOR_DIM(d)
        v[d] += there[d] - here[d];
}

#endif
