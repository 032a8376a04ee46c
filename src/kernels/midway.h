/* midway.h -- the velocity in the middle of a step, with which a gas moves its particles.
 *
 * The velocity u of a step is that of its beginning, as far as the flow itself changes it: eddies
 * that travel have moved on when the particles that they carry arrive, and so they lag behind. With
 * u_last, the projected velocity of the last step,
 *
 *     u_mid = u + dt / (2 dt_last) (u - u_last)
 *
 * is that of the middle of the step to second order, and free of divergence as both are. A pair of
 * eddies of 8 cells then travels 7 % too slowly instead of 20 %.
 *
 * What buoyancy does is left out of the difference. Its kicks are those of a leapfrog: they take a
 * velocity to the middle of the step already (X(kick_seconds)), and to extrapolate them once more
 * would damp every wave of frequency w by exp(-w^2 dt t / 4). So with heat or smoke
 *
 *     u_mid = u + dt / (2 dt_last) (u - u_last - G),      G = k - grad q,   div G = 0,
 *
 * where k is the kick of the step and q, a second solve of the step's system, is the part of its
 * pressure that k makes (sim/pressure.c). Liquids, with gravity and a free surface, move with u.
 *
 * On faces where one of the two is not the velocity of the flow, particles move with u: those that
 * are closed or nearly so, and those of the first step. Only ADVECT reads u_mid. The velocities and
 * the gradients that G2P gives to particles are those of the beginning of the step, and so is what
 * a velocity gains on the way of kernels/shift.h. */
#ifndef SPATE_KERNELS_MIDWAY_H
#define SPATE_KERNELS_MIDWAY_H

#include "faces.h"
#include "forces.h"
#include "lane.h"

#include <spate/spate.h>

/* In u_last, of a face that was none of the flow: no velocity is below it. */
#define NO_VELOCITY MOST_SPEED

/* The velocity that moves particles. */
SP_KERNEL float *const *X(flow_of)(const X(fields) *f)
{
    return f->u_mid[0] ? f->u_mid : f->u;
}

typedef struct X(midway) {
    float share;      /* dt / (2 dt_last), at most 1; 0 in the first step */
    float to_q;       /* m/s for each Pa of p_gravity */
    X(buoyancy) lift; /* count 0: there is none */
} X(midway);

/* u_mid on the low faces of LANES cells from c on, and u_last for the next step. */
SP_KERNEL void X(midway_faces)(const X(fields) *f, size_t c, const X(midway) *how)
{
    bool lifts = how->lift.count > 0;
    f8 own = X(lightness)(f, &how->lift, c);
    i8 gas = is_equal(load_bytes(f->type + c), SPATE_CELL_LIQUID);
    FOR_DIM(d) {
        const uint8_t *before = f->type + c - f->grid.stride[d];
        i8 flows = gas & is_equal(load_bytes(before), SPATE_CELL_LIQUID);
        if (f->has_solids)
            flows = flows & is_less(f8_of(NARROW), load(f->w[d] + c));
        f8 now = load(f->u[d] + c), last = load(f->u_last[d] + c);
        i8 both = flows & is_less(last, f8_of(NO_VELOCITY));
        f8 change = now - last;
        if (lifts) {
            f8 step = load(f->p_gravity + c) - load(f->p_gravity + c - f->grid.stride[d]);
            change += X(lift)(f, c, d, own, &how->lift) + how->to_q * step;
        }
        store(f->u_mid[d] + c, now + where(both, how->share * change));
        store(f->u_last[d] + c, choose(flows, now, f8_of(NO_VELOCITY)));
    }
}

#endif
