/* contact.c -- the cells that part from a wall (kernels/contact.h), and the faces of walls there.
 */
#include "kernels/contact.h"
#include "cpu.h"

#include <string.h>

typedef struct contact_args {
    X(fields) f;
    X(contact) how;
} contact_args;

/* Before any cell parts or comes back: who may. */
static void candidate_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const X(fields) *f = &((const contact_args *)user)->f;
    for (size_t k = begin; k < end; k++) {
        int tile = f->tiles.active[k], cell[DIM];
        if (!X(may_have_walls)(f, tile))
            continue;
        FOR_CELLS(&f->grid, tile, c, cell)
            f->candidate[c] = X(inside)(&f->grid, cell) && X(may_part)(f, c);
    }
}

/* A tile that has no walls now may have had some. */
static int clear_tile(const X(fields) *f, int tile)
{
    size_t base = X(tile_index)(&f->grid, tile);
    int contact = CONTACT_WHOLE;
    for (int r = 0; r < TILE_ROWS; r++) {
        uint8_t *parted = f->parted + base + X(row_offset)(&f->grid, r);
        for (int i = 0; i < TILE; i++)
            contact = parted[i] ? CONTACT_CHANGED : contact;
        if (contact == CONTACT_CHANGED)
            memset(parted, 0, TILE);
    }
    return contact;
}

static double part_partial(void *user, size_t begin, size_t end)
{
    const contact_args *args = user;
    const X(fields) *f = &args->f;
    int most = CONTACT_WHOLE, cell[DIM];
    for (size_t k = begin; k < end; k++) {
        int tile = f->tiles.active[k], contact = CONTACT_WHOLE;
        if (!X(may_have_walls)(f, tile)) {
            contact = clear_tile(f, tile);
            most = contact > most ? contact : most;
            continue;
        }
        FOR_CELLS(&f->grid, tile, c, cell)
            if (f->candidate[c] | f->parted[c]) {
                contact = X(part_cell)(f, c, cell, &args->how);
                most = contact > most ? contact : most;
            }
    }
    return most;
}

bool X(part)(X(sim) *s, const X(contact) *how)
{
    contact_args args = {X(fields_of)(s), *how};
    size_t tiles = (size_t)s->tiles.active_count;
    FOR_DIM(d)
        X(fill_border_periodic)(&s->domain, s->u[d], d);
    X(fill_border_periodic)(&s->domain, s->p, -1);
    sp_parallel_for(s->common->pool, tiles, 4, candidate_range, &args);
    int contact = (int)X(maximum)(s, tiles, 4, part_partial, &args);
    if (contact == CONTACT_CHANGED)
        X(fill_border_bytes)(s, s->parted);
    s->parts = contact != CONTACT_WHOLE;
    return contact == CONTACT_CHANGED;
}

static void wall_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const X(fields) *f = &((const contact_args *)user)->f;
    int cell[DIM];
    for (size_t k = begin; k < end; k++)
        if (X(may_have_walls)(f, f->tiles.active[k]))
            FOR_CELLS(&f->grid, f->tiles.active[k], c, cell)
                X(part_wall_faces)(f, c, cell);
}

void X(part_walls)(X(sim) *s)
{
    contact_args args = {.f = X(fields_of)(s)};
    if (s->parts)
        sp_parallel_for(s->common->pool, (size_t)s->tiles.active_count, 4, wall_range, &args);
}
