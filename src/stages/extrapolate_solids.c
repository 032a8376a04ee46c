/* extrapolate_solids.c -- the end of EXTRAPOLATE: the velocities of the faces that solids, walls
 * and inflows close or prescribe, once the velocity of the liquid is known around them.
 * kernels/faces.h has the maths of a face. */
#include "exec.h"

#include "kernels/contact.h"
#include "kernels/faces.h"
#include "kernels/lay_solids.h"

typedef struct slide_args {
    double dt; /* s */
} slide_args;

/* Two loops, because the one for solids at rest needs fewer registers of a GPU. Both leave the new
 * velocities in `weight`, so that no face reads what another one wrote. */
CELLS(slide_at_rest, slide_args)
{
    if (!X(is_far_from_solids)(f, tile))
        FOR_EACH_CELL(c, cell)
            X(slide_closed_faces)(f, c, cell, false, a->dt);
}

CELLS(slide_moving, slide_args)
{
    if (!X(is_far_from_solids)(f, tile))
        FOR_EACH_CELL(c, cell)
            X(slide_closed_faces)(f, c, cell, true, a->dt);
}

CELLS(take_slid, sp_nothing)
{
    if (!X(is_far_from_solids)(f, tile))
        FOR_EACH_LANES(c, cell)
            FOR_DIM(d)
                store(f->u[d] + c, load(f->weight[d] + c));
}

void DEV(extrapolate_solids)(X(exec) *e, double dt)
{
    X(tile_list) active = active_tiles(&e->f);
    float *const *const velocities[] = {e->f.u, e->f.u_old};
    slide_args args = {dt};
    if (e->f.cut) {
        fill_border_faces(e, velocities, 1);
        if (e->f.solids.any_moving)
            slide_moving(e, &args, active);
        else
            slide_at_rest(e, &args, active);
        take_slid(e, &NOTHING, active);
        close_walls(e);
        DEV(prescribe_inflow)(e);
    }
    DEV(part_walls)(e);
    fill_border_faces(e, velocities, 2);
}
