/* midway.h -- the velocity in the middle of a step, with which a gas moves its particles.
 *
 * The velocity u of a step is that of its beginning, as far as the flow itself changes it: eddies
 * that travel have moved on when the particles that they carry arrive, and so they lag behind. With
 * u_last, the projected velocity of the last step,
 *
 *     u_mid = u + dt / (2 dt_last) (u - u_last)
 *
 * is that of the middle of the step to second order, and free of divergence as both are. A pair of
 * eddies of 8 cells then travels 7 % too slowly instead of 20 %. (A free surface is another matter:
 * gravity kicks velocities to the middle of the step already, and what is extrapolated once more
 * damps every wave by exp(-w^2 dt t / 4). So liquids move with u.)
 *
 * On faces where one of the two is not the velocity of the flow, particles move with u: those that
 * are closed or nearly so, and those of the first step. Only ADVECT reads u_mid. The velocities and
 * the gradients that G2P gives to particles are those of the beginning of the step, and so is what
 * a velocity gains on the way of kernels/shift.h. */
#ifndef SPATE_KERNELS_MIDWAY_H
#define SPATE_KERNELS_MIDWAY_H

#include "faces.h"
#include "lane.h"

#include <spate/spate.h>

/* In u_last, of a face that was none of the flow: no velocity is below it. */
#define NO_VELOCITY MOST_SPEED

/* The velocity that moves particles. */
SP_KERNEL float *const *X(flow_of)(const X(fields) *f)
{
    return f->u_mid[0] ? f->u_mid : f->u;
}

/* u_mid on the low faces of LANES cells from c on, and u_last for the next step; share: dt / (2
 * dt_last). */
SP_KERNEL void X(midway_faces)(const X(fields) *f, size_t c, float share)
{
    i8 gas = is_equal(load_bytes(f->type + c), SPATE_CELL_LIQUID);
    FOR_DIM(d) {
        const uint8_t *before = f->type + c - f->grid.stride[d];
        i8 flows = gas & is_equal(load_bytes(before), SPATE_CELL_LIQUID);
        if (f->has_solids)
            flows = flows & is_less(f8_of(NARROW), load(f->w[d] + c));
        f8 now = load(f->u[d] + c), last = load(f->u_last[d] + c);
        i8 both = flows & is_less(last, f8_of(NO_VELOCITY));
        store(f->u_mid[d] + c, now + where(both, share * (now - last)));
        store(f->u_last[d] + c, choose(flows, now, f8_of(NO_VELOCITY)));
    }
}

#endif
