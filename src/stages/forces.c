/* forces.c -- the stage FORCES: gives a velocity to the faces of a gas that no particle reaches
 * (kernels/holes.h), adds gravity and buoyancy to the faces and lets walls drag
 * (walls.c), then sets the velocities that solids, walls and inflows prescribe. kernels/forces.h
 * has the maths of a face. */
#include "exec.h"

#include "kernels/holes.h"
#include "kernels/step_info.h" /* over the lanes of exec.h */

CELLS(add_gravity, X(forces))
{
    FOR_EACH_LANES(c, cell)
        if (X(may_have_faces)(&f->grid, cell))
            X(add_gravity)(f, c, a);
}

CELLS(add_buoyancy, X(buoyancy))
{
    FOR_EACH_LANES(c, cell)
        if (X(may_have_faces)(&f->grid, cell))
            X(add_buoyancy)(f, c, a);
}

CELLS(hold_faces, X(forces))
{
    FOR_EACH_CELL(c, cell)
        X(hold_faces)(f, c, cell, a->dt);
}

CELLS(prescribe_faces, sp_nothing)
{
    FOR_EACH_CELL(c, cell)
        X(prescribe_faces)(f, c, cell);
}

void DEV(prescribe_inflow)(X(exec) *e)
{
    if (e->f.mark_of && e->f.inflow_velocity)
        prescribe_faces(e, &NOTHING, active_tiles(&e->f));
}

CELLS(fill_empty_faces, sp_nothing)
{
    FOR_EACH_LANES(c, cell)
        FOR_DIM(d)
            X(fill_empty_faces)(f, c, cell, d);
}

void DEV(forces)(X(exec) *e, const X(step_info) *step)
{
    const X(forces) *how = &step->forces;
    if (e->f.surface == SURFACE_NONE)
        fill_empty_faces(e, &NOTHING, active_tiles(&e->f));
    add_gravity(e, how, face_tiles(&e->f));
    if (how->buoyancy.count > 0)
        add_buoyancy(e, &how->buoyancy, face_tiles(&e->f));
    if (how->walls.any)
        DEV(drag_at_walls)(e, &how->walls);
    if (e->f.has_solids && !e->f.cut)
        hold_faces(e, how, active_tiles(&e->f));
    close_walls(e);
    DEV(prescribe_inflow)(e);
}
