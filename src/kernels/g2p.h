/* g2p.h -- the field that G2P reads: the change of velocity of a step, turned with the water.
 *
 * A step first takes a particle along its path to x, with its velocity as it was, and then gives it
 * the kick k = u - u_old (pressure, gravity) that the grid finds at x. But the force acted along
 * the path, while the water turned. In water that turns as one body by an angle a per step, the
 * kick found at x points to the axis while the mean of the true one is turned back by a / 2; so
 * every step keeps only cos(a) of the angular momentum, and 100 steps per turn lose 18 % in each
 * turn: the projection takes the energy |k|^2 / 2 away, and no other force is there to return it.
 *
 * The kick is a gradient, k = grad q, and what a particle sees of it changes along the path by
 *
 *     Dk/Dt = grad (Dq/Dt) - (grad u)^T k,      ((grad u)^T k)_i = sum_j (d u_j / d x_i) k_j.
 *
 * The first part is a pressure that is zero at the surface, which moves with the water: the next
 * projection finds it. So the mean over the path is, for all that follows,
 *
 *     k + dt/2 (grad u)^T k,      dt: of the step that led to x.
 *
 * That returns dt/2 u . (grad u)^T k = dt/2 (u . grad u) . k, the energy that the projection took.
 * It does not see a uniform motion, and it keeps the sum of momentum: for k = grad q and div u = 0
 *
 *     integral of (grad u)^T k = integral over the surface of  n (u . k) - (u . n) k,
 *
 * which is zero where k is normal to it, as the pressure's part is at a free surface. (The kick
 * from the place half way back, k - dt/2 (u . grad) k, differs by grad (u . k): it turns with the
 * water as well, but takes k from where the surface was, and in impacts momentum is lost.) Water at
 * rest and small waves do not notice: the change is one of second order in the motion.
 *
 * On the faces, (d u_j / d x_i) k_j is the difference of two faces j times the mean of their kicks,
 * in the middle between them: the sum over all faces is zero to the last term where k is the
 * gradient that the solve has subtracted. */
#ifndef SPATE_KERNELS_G2P_H
#define SPATE_KERNELS_G2P_H

#include "fields.h"
#include "lane.h"

/* Two numbers of a step. half: dt / (2 dx) of the last step. most: of dt/2 d u_j / d x_i; beyond it
 * the series along the path does not hold. 0.1 is what water has that turns as one body in 30
 * steps: where it turns faster, at a surface that breaks, the grid does not resolve the flow. A gas
 * has 0.3, for its smallest eddies turn as fast at CFL 1. */
typedef struct sp_turn {
    float half, most;
} sp_turn;

/* Faces j at `face` and `step` before it: dt/2 times their difference, times the sum of their
 * kicks. */
SP_KERNEL f8 X(turned_kick)(const X(fields) *f, int j, size_t face, size_t step, sp_turn how)
{
    const float *u = f->u[j] + face, *old = f->u_old[j] + face;
    f8 high = load(u), low = load(u - step), turn = how.half * (high - low);
    turn = f8_max(f8_min(turn, f8_of(how.most)), f8_of(-how.most));
    return turn * ((high - load(old)) + (low - load(old - step)));
}

/* Where both have a velocity of the liquid. */
SP_KERNEL i8 X(both_known)(const X(fields) *f, int j, size_t face, size_t step)
{
    i8 high = load_bytes(f->known[j] + face), low = load_bytes(f->known[j] + face - step);
    return ~(is_equal(high, FACE_UNKNOWN) | is_equal(high, FACE_FIXED) |
             is_equal(low, FACE_UNKNOWN) | is_equal(low, FACE_FIXED));
}

/* A particle keeps the share r of what its velocity differs from u_old (cpu/g2p.c), v <- r v +
 * f(x): f = u - r u_old with the kick so turned, of LANES faces i from c on. kept: r, deep: all
 * faces around are known. */
SP_KERNEL void X(carry_faces)(const X(fields) *f, size_t c, int i, sp_turn how, float kept,
                              bool deep)
{
    size_t step = f->grid.stride[i];
    f8 low = X(turned_kick)(f, i, c, step, how), high = X(turned_kick)(f, i, c + step, step, how);
    f8 change = low + high;
    if (!deep)
        change = where(X(both_known)(f, i, c, step) & X(both_known)(f, i, c + step, step), change);
    for (int j = 0; j < DIM; j++)
        for (int side = 0; side < 2 && j != i; side++) {
            size_t face = side ? c + f->grid.stride[j] : c;
            f8 turned = X(turned_kick)(f, j, face, step, how);
            change += deep ? turned : where(X(both_known)(f, j, face, step), turned);
        }
    f8 now = load(f->u[i] + c) + 0.25f * change;
    store(f->carried[i] + c, now - kept * load(f->u_old[i] + c));
}

#endif
