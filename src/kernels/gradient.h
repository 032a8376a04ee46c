/* gradient.h -- the gradient of velocity that particles carry, per cell: the column c of
 * fields.def. With it a particle offers v + c (x_face - x) to a face in P2G, and so hands over what
 * the water around it does within a cell: rotation and shear that v alone loses in every step.
 *
 *   APIC    c <- grad f(x)     with v <- f(x), f: the field that G2P reads (g2p.h) for r = 0
 *   AFLIP   c <- s grad u(x)   with v <- r v + f(x), as with FLIP; s: the kept share r, in a gas 1
 *
 * (Jiang et al. 2015; Fei et al. 2021). AFLIP keeps the noise of FLIP's particles out of c, since
 * c is the grid's alone. The factor s = r makes it PIC for r = 0, which calms. Beside air c is 0:
 * there u is carried out of the liquid, and its gradient feeds the shortest waves of the surface.
 * Water at rest then moved at 0.014 sqrt(g h), with 3^DIM cells free of air around at 0.006 and,
 * where the surface lies half way in a cell, ever faster; with the second cells along the axes it
 * is as calm as with FLIP. A gas has no surface to be calmed: with s = 1 it keeps 97.2 % of the
 * energy of eddies of 32 cells in ten turns at CFL 1, with s = r 96.2 %. */
#ifndef SPATE_KERNELS_GRADIENT_H
#define SPATE_KERNELS_GRADIENT_H

#include "fields.h"
#include "transfer.h"

#include <spate/spate.h>

/* Values of `affine`. */
enum { AFFINE_NONE = 0, AFFINE_APIC, AFFINE_AFLIP };

/* Whether one of the 3^DIM cells around a cell of the domain or of the second ones along the axes
 * is air. What lies behind an open side is. */
SP_KERNEL bool X(is_beside_air)(const X(fields) *f, const int cell[DIM])
{
    const uint8_t *type = f->type + X(index)(&f->grid, cell);
    bool air = false;
    for (int k = DIM == 3 ? -1 : 0; k <= (DIM == 3 ? 1 : 0); k++)
        for (int j = -1; j <= 1; j++) {
            const uint8_t *row = type + j * (ptrdiff_t)f->grid.stride[1];
            row += k * (ptrdiff_t)f->grid.stride[2];
            air = air || row[-1] == SPATE_CELL_AIR || row[0] == SPATE_CELL_AIR ||
                  row[1] == SPATE_CELL_AIR;
        }
    FOR_DIM(d)
        for (int side = -2; side <= 2; side += 4)
            air = air || type[side * (ptrdiff_t)f->grid.stride[d]] == SPATE_CELL_AIR;
    return air;
}

/* The factor s, where the kept share is r. */
SP_KERNEL float X(share_of_gradient)(const X(fields) *f, float kept)
{
    return f->surface == SURFACE_NONE ? 1.0f : kept;
}

/* The share of the gradient that a particle at x gets. */
SP_KERNEL float X(gradient_share)(const X(fields) *f, const float x[DIM], float kept)
{
    int cell[DIM];
    if (f->affine != AFFINE_AFLIP)
        return 1.0f;
    FOR_DIM(d) {
        int i = X(floor)(x[d]), last = f->grid.n[d] - 1;
        cell[d] = i < 0 ? 0 : i > last ? last : i;
    }
    return X(is_beside_air)(f, cell) ? 0.0f : X(share_of_gradient)(f, kept);
}

/* Row d of c of particle k at x, with the stencil of component d; share: of gradient_share. */
SP_KERNEL void X(take_gradient)(const X(fields) *f, int degree, const X(stencil) *s,
                                const float x[DIM], int d, float share, size_t k)
{
    float c[DIM];
    if (f->affine != AFFINE_AFLIP)
        X(gather_affine)(&f->grid, s, degree, x, d, f->carried[d], c);
    else if (degree == KERNEL_LINEAR)
        X(gather_differences)(&f->grid, s, f->u[d], c);
    else
        X(gather_affine)(&f->grid, s, degree, x, d, f->u[d], c);
    FOR_DIM(a)
        f->particles.c[d * DIM + a][k] = share * c[a];
}

#endif
