/* contact.c -- the cells that part from a wall (kernels/contact.h), and the faces of walls there.
 */
#include "kernels/contact.h"
#include "cpu.h"

#include <string.h>

typedef struct contact_args {
    X(fields) f;
    X(contact) how;
} contact_args;

/* Whether solids cut the cells of a tile or their high faces. */
static bool has_cuts(const X(fields) *f, int tile)
{
    bool cuts = f->has_solids && f->tiles.cut[tile];
    int step = 1;
    FOR_DIM(d) {
        cuts = cuts || (f->has_solids && f->tiles.cut[tile + step]);
        step *= f->grid.tiles[d];
    }
    return cuts;
}

/* Whether a row that begins at this cell has cells at sides of the domain. */
static bool is_at_sides(const X(grid) *g, const int cell[DIM])
{
    bool found = cell[0] == 0 || cell[0] + TILE >= g->n[0];
    for (int d = 1; d < DIM; d++)
        found = found || cell[d] == 0 || cell[d] >= g->n[d] - 1;
    return found;
}

/* Before any cell parts or comes back: who may. */
static void candidate_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const X(fields) *f = &((const contact_args *)user)->f;
    for (size_t k = begin; k < end; k++) {
        int tile = f->tiles.active[k], first[DIM], cell[DIM];
        if (!X(may_have_walls)(f, tile))
            continue;
        bool cuts = has_cuts(f, tile);
        X(tile_cell)(&f->grid, tile, first);
        for (int r = 0; r < TILE_ROWS; r++) {
            X(row_cell)(first, r, cell);
            size_t c = X(index)(&f->grid, cell);
            memset(f->candidate + c, 0, TILE);
            if (!cuts && !is_at_sides(&f->grid, cell))
                continue;
            for (int i = 0; i < TILE; i++, c++, cell[0]++)
                f->candidate[c] = X(inside)(&f->grid, cell) && X(may_part)(f, c);
        }
    }
}

static bool any_byte(const uint8_t row[TILE])
{
    uint64_t words[TILE / 8], any = 0;
    memcpy(words, row, sizeof words);
    for (int k = 0; k < TILE / 8; k++)
        any |= words[k];
    return any != 0;
}

/* A tile that has no walls now may have had some. */
static int clear_tile(const X(fields) *f, int tile)
{
    size_t base = X(tile_index)(&f->grid, tile);
    int contact = CONTACT_WHOLE;
    for (int r = 0; r < TILE_ROWS; r++) {
        uint8_t *parted = f->parted + base + X(row_offset)(&f->grid, r);
        if (!any_byte(parted))
            continue;
        contact = CONTACT_CHANGED;
        memset(parted, 0, TILE);
    }
    return contact;
}

static double part_partial(void *user, size_t begin, size_t end)
{
    const contact_args *args = user;
    const X(fields) *f = &args->f;
    int most = CONTACT_WHOLE, first[DIM], cell[DIM];
    for (size_t k = begin; k < end; k++) {
        int tile = f->tiles.active[k], contact = CONTACT_WHOLE;
        if (!X(may_have_walls)(f, tile)) {
            contact = clear_tile(f, tile);
            most = contact > most ? contact : most;
            continue;
        }
        X(tile_cell)(&f->grid, tile, first);
        for (int r = 0; r < TILE_ROWS; r++) {
            X(row_cell)(first, r, cell);
            size_t c = X(index)(&f->grid, cell);
            if (!any_byte(f->candidate + c) && !any_byte(f->parted + c))
                continue;
            for (int i = 0; i < TILE; i++, c++, cell[0]++)
                if (f->candidate[c] | f->parted[c]) {
                    contact = X(part_cell)(f, c, cell, &args->how);
                    most = contact > most ? contact : most;
                }
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
