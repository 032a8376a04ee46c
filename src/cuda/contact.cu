/* contact.cu -- the cells that part from a wall, and the faces of walls there, on the device
 * (cpu/contact.c; one cell is in kernels/contact.h). */
#include "kernels/contact.h"
#include "launch.h"

typedef struct contact_args {
    X(fields) f;
    DEV(gpu_counters) * counters;
    X(contact) how;
} contact_args;

/* Before any cell parts or comes back: who may. */
MAP(find_candidates, contact_args)
{
    const X(fields) *f = &a->f;
    int cell[DIM];
    size_t c = X(active_place)(f, i, cell);
    bool walls = X(may_have_walls)(f, f->tiles.active[i / TILE_CELLS]);
    f->candidate[c] = walls && X(inside)(&f->grid, cell) && X(may_part)(f, c);
}

MAP(part_cells, contact_args)
{
    const X(fields) *f = &a->f;
    int cell[DIM];
    size_t c = X(active_place)(f, i, cell);
    if (!(f->candidate[c] | f->parted[c]))
        return;
    uint32_t contact = (uint32_t)X(part_cell)(f, c, cell, &a->how);
    if (contact > a->counters->contact)
        GPU_MAX32(&a->counters->contact, contact);
}

MAP(part_wall_faces, contact_args)
{
    const X(fields) *f = &a->f;
    int cell[DIM];
    size_t c = X(active_place)(f, i, cell);
    X(part_wall_faces)(f, c, cell);
}

bool DEV(gpu_part)(X(gpu) *g, const X(contact) *how)
{
    contact_args args = {g->f, g->counters, *how};
    size_t cells = (size_t)g->f.tiles.active_count * TILE_CELLS;
    uint32_t contact = CONTACT_WHOLE;
    FOR_DIM(d)
        DEV(gpu_fill_border_periodic)(g, g->f.u[d], d);
    DEV(gpu_fill_border_periodic)(g, g->f.p, -1);
    DEV(gpu_set)(g, &g->counters->contact, 0, sizeof contact);
    find_candidates(g, args, cells);
    part_cells(g, args, cells);
    DEV(gpu_download)(g, &contact, &g->counters->contact, sizeof contact);
    if (contact == CONTACT_CHANGED)
        DEV(gpu_fill_border_bytes)(g, g->f.parted);
    g->f.parts = contact != CONTACT_WHOLE;
    return contact == CONTACT_CHANGED;
}

void DEV(gpu_part_walls)(X(gpu) *g)
{
    contact_args args = {g->f, g->counters, {0, 0, 0, false}};
    if (g->f.parts)
        part_wall_faces(g, args, (size_t)g->f.tiles.active_count * TILE_CELLS);
}
