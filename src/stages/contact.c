/* contact.c -- part of PRESSURE: finds the cells whose liquid separates from a wall, and sets the
 * velocities of the wall faces there. kernels/contact.h has the maths of a cell. */
#include "exec.h"

#include "kernels/contact.h"

/* Marks the cells that may separate, before any cell separates or comes back. */
CELLS(find_candidates, sp_nothing)
{
    if (!X(may_have_walls)(f, tile))
        return;
    bool cuts = X(has_cuts)(f, tile);
    FOR_EACH_LANES(c, cell) {
        store_bytes(f->candidate + c, i8_of(0));
        if (!cuts && !X(are_at_sides)(&f->grid, cell))
            continue;
        FOR_LANES(k, cell, at)
            f->candidate[c + k] = X(inside)(&f->grid, at) && X(may_part)(f, c + k);
    }
}

SP_KERNEL void keep_larger(int *most, const int *contact)
{
    *most = *contact > *most ? *contact : *most;
}

/* Finds the largest CONTACT_... of all cells. A tile that has no walls now may have had some, with
 * a solid that moved away. */
CELLS_FOLD(part_cells, X(contact), int, keep_larger)
{
    bool walls = X(may_have_walls)(f, tile);
    FOR_EACH_LANES(c, cell) {
        bool parted = any_byte(f->parted + c);
        if (!walls && parted) {
            store_bytes(f->parted + c, i8_of(0));
            *part = CONTACT_CHANGED;
        }
        if (!walls || !(parted || any_byte(f->candidate + c)))
            continue;
        FOR_LANES(k, cell, at)
            if (f->candidate[c + k] | f->parted[c + k]) {
                int contact = X(part_cell)(f, c + k, at, a);
                keep_larger(part, &contact);
            }
    }
}

int DEV(part)(X(exec) *e, const X(contact) *how)
{
    FOR_DIM(d)
        fill_border_periodic(e, e->f.u[d], d);
    fill_border_periodic(e, e->f.p, -1);
    find_candidates(e, &NOTHING, active_tiles(&e->f));
    int contact = part_cells(e, how, active_tiles(&e->f));
    if (contact == CONTACT_CHANGED)
        fill_border_bytes(e, e->f.parted);
    return contact;
}

CELLS(part_wall_faces, sp_nothing)
{
    if (X(may_have_walls)(f, tile))
        FOR_EACH_LANES(c, cell) {
            if (!X(are_at_sides)(&f->grid, cell))
                continue;
            FOR_LANES(k, cell, at)
                X(part_wall_faces)(f, c + k, at);
        }
}

void DEV(part_walls)(X(exec) *e)
{
    if (e->f.contact)
        part_wall_faces(e, &NOTHING, active_tiles(&e->f));
}
