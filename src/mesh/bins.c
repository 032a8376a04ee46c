/* bins.c -- particles into blocks, and which blocks the surface can run through.
 *
 * The field of field.c is near 1 wherever no cell within a cell's distance is empty of particles.
 * So a block gets node values only if such an empty cell lies in it or next to it; blocks that no
 * particle is near do not exist, and those inside the liquid only say so. */
#include "surface.h"

#include "base/memory.h"
#include "base/status.h"
#include "scene/sides.h"

#include <math.h>
#include <string.h>

#define RING UINT32_MAX /* in the table, while it is made: no particles, but a neighbour has */
#define MAX_BLOCKS ((size_t)1 << 31)
#define MARGIN 4 /* cells around the particles where there are no walls */

typedef struct bounds {
    float low[DIM], high[DIM];
} bounds;

static spate_status find_bounds(const X(surface) *s, bounds *b, spate_error *error)
{
    FOR_DIM(d) {
        b->low[d] = s->count ? INFINITY : 0.0f;
        b->high[d] = s->count ? -INFINITY : 0.0f;
    }
    for (size_t k = 0; k < s->count; k++)
        FOR_DIM(d) {
            float x = s->positions[3 * k + (size_t)d];
            if (!(x - x == 0.0f))
                return sp_fail(error, SPATE_ERROR_USAGE, "surface",
                               "the position of particle %zu is not a finite number", k);
            b->low[d] = x < b->low[d] ? x : b->low[d];
            b->high[d] = x > b->high[d] ? x : b->high[d];
        }
    return SPATE_OK;
}

#define BEHIND 2 /* cells behind a wall that is a solid: the field does not reach the next one */

/* Where the lattice ends, of a wall at `end`; cells. One between two cells is a solid (contact.c).
 */
static double last_cell(double end)
{
    double near = floor(end + 0.5);
    return fabs(end - near) > SP_FITS ? floor(end) + 1 + BEHIND : near;
}

static spate_status lay_out(X(surface) *s, spate_error *error)
{
    bounds b;
    TRY(find_bounds(s, &b, error));
    double dx = s->options->cell_size;
    size_t total = 1;
    s->walls = s->options->domain[0] > 0;
    s->side = s->cell == 3 ? MAX_SIDE : DIM == 3 ? 8 : 16;
    s->nodes = s->edge_nodes = 1;
    FOR_DIM(d) {
        double first = s->walls ? 0 : floor((double)b.low[d] / dx) - MARGIN;
        double last = s->walls ? last_cell(s->options->domain[d] / dx)
                               : floor((double)b.high[d] / dx) + 1 + MARGIN;
        double nodes = (last - first) * s->cell, blocks = ceil(nodes / s->side);
        if (!(nodes < 0x1p24) || !(blocks * (double)total < (double)MAX_BLOCKS))
            return sp_fail(error, SPATE_ERROR_USAGE, "surface",
                           "the particles lie %g cells apart: too far for a surface", last - first);
        s->origin[d] = first * dx;
        s->n[d] = (int)nodes;
        s->blocks[d] = (int)blocks;
        total *= (size_t)blocks;
        s->nodes *= (size_t)s->side;
        s->edge_nodes *= (size_t)s->side + 1;
    }
    s->table = sp_alloc(total, sizeof *s->table);
    return s->table ? SPATE_OK : sp_fail_memory(error, "a surface", total * sizeof *s->table);
}

static size_t table_size(const X(surface) *s)
{
    size_t total = 1;
    FOR_DIM(d)
        total *= (size_t)s->blocks[d];
    return total;
}

static size_t home(const X(surface) *s, uint32_t particle)
{
    float x[DIM];
    X(surface_place)(s, particle, x);
    size_t index = 0;
    for (int d = DIM - 1; d >= 0; d--)
        index = index * (size_t)s->blocks[d] + (size_t)((int)x[d] / s->side);
    return index;
}

static void coordinates(const X(surface) *s, size_t index, int at[DIM])
{
    FOR_DIM(d) {
        at[d] = (int)(index % (size_t)s->blocks[d]);
        index /= (size_t)s->blocks[d];
    }
}

/* Marks the blocks around one with particles; returns how many of them are new. */
static uint32_t mark_ring(X(surface) *s, size_t index)
{
    int at[DIM], offset[DIM];
    uint32_t marked = 0;
    coordinates(s, index, at);
    for (int k = 0; k < NEIGHBOURS; k++) {
        X(surface_offset)(k, offset);
        size_t other = 0;
        bool inside = true;
        for (int d = DIM - 1; d >= 0; d--) {
            int c = at[d] + offset[d];
            inside = inside && c >= 0 && c < s->blocks[d];
            other = other * (size_t)s->blocks[d] + (size_t)c;
        }
        if (!inside || s->table[other])
            continue;
        s->table[other] = RING;
        marked++;
    }
    return marked;
}

/* Turns the counts of the table into the list of blocks. */
static spate_status list_blocks(X(surface) *s, spate_error *error)
{
    size_t total = table_size(s);
    uint32_t blocks = 0, begin = 0;
    for (size_t k = 0; k < total; k++)
        if (s->table[k] && s->table[k] != RING)
            blocks += 1 + mark_ring(s, k);
    s->block = sp_alloc(blocks, sizeof *s->block);
    s->order = sp_alloc(s->count, sizeof *s->order);
    s->share = sp_alloc(s->count, sizeof *s->share);
    s->colour_list = sp_alloc(blocks, sizeof *s->colour_list);
    if (!s->block || !s->order || !s->share || !s->colour_list)
        return sp_fail_memory(error, "a surface", s->count * (sizeof *s->order + sizeof *s->share));
    for (size_t k = 0; k < total; k++) {
        if (!s->table[k])
            continue;
        X(block) *block = &s->block[s->block_count];
        coordinates(s, k, block->at);
        block->begin = block->end = begin;
        begin += s->table[k] == RING ? 0 : s->table[k];
        s->table[k] = ++s->block_count;
    }
    for (uint32_t k = 0; k < s->count; k++)
        s->order[s->block[s->table[home(s, k)] - 1].end++] = k;
    return SPATE_OK;
}

/* Which neighbours have an empty cell of this block next to them. */
static void empty_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(surface) *s = user;
    int cells = s->side / s->cell; /* along an edge of a block */
    for (size_t k = begin; k < end; k++) {
        X(block) *block = &s->block[k];
        bool full[MAX_SIDE * MAX_SIDE * LAST(MAX_SIDE)] = {false};
        for (uint32_t p = block->begin; p < block->end; p++) {
            float x[DIM];
            int index = 0;
            X(surface_place)(s, s->order[p], x);
            for (int d = DIM - 1; d >= 0; d--)
                index = index * cells + ((int)x[d] - block->at[d] * s->side) / s->cell;
            full[index] = true;
        }
        for (int c = 0; c < cells * cells * LAST(cells); c++) {
            int at[DIM] = {c % cells, c / cells % cells};
            if (DIM == 3)
                at[DIM - 1] = c / (cells * cells);
            bool outside = false;
            FOR_DIM(d)
                outside = outside || block->at[d] * s->side + at[d] * s->cell >= s->n[d];
            if (full[c] || outside)
                continue;
            for (int m = 0; m < NEIGHBOURS; m++) {
                int offset[DIM];
                bool next = true;
                X(surface_offset)(m, offset);
                FOR_DIM(d)
                    next = next && (offset[d] == 0 || at[d] == (offset[d] < 0 ? 0 : cells - 1));
                block->empty |= next ? 1u << m : 0;
            }
        }
    }
}

static bool meets_surface(const X(surface) *s, const X(block) *block)
{
    if (block->empty)
        return true;
    for (int m = 0; m < NEIGHBOURS; m++) {
        int offset[DIM], at[DIM];
        X(surface_offset)(m, offset);
        FOR_DIM(d)
            at[d] = block->at[d] + offset[d];
        const X(block) *other = X(surface_block)(s, at);
        if (other && (other->empty & 1u << (NEIGHBOURS - 1 - m)))
            return true;
    }
    return false;
}

static bool at_wall(const X(surface) *s, const X(block) *block)
{
    bool touches = false;
    FOR_DIM(d)
        touches = touches || block->at[d] == 0 || block->at[d] == s->blocks[d] - 1;
    return touches;
}

static bool gives(const X(surface) *s, const X(block) *block)
{
    for (int m = 0; m < NEIGHBOURS && block->begin < block->end; m++) {
        int offset[DIM], at[DIM];
        X(surface_offset)(m, offset);
        FOR_DIM(d)
            at[d] = block->at[d] + offset[d];
        const X(block) *other = X(surface_block)(s, at);
        if (other && other->slot != NO_SLOT)
            return true;
    }
    return false;
}

static int colour_of(const X(block) *block)
{
    int colour = 0;
    FOR_DIM(d)
        colour |= (block->at[d] & 1) << d;
    return colour;
}

spate_status X(surface_bin)(X(surface) *s, spate_error *error)
{
    TRY(lay_out(s, error));
    for (uint32_t k = 0; k < s->count; k++)
        s->table[home(s, k)]++;
    TRY(list_blocks(s, error));
    sp_parallel_for(s->pool, s->block_count, 16, empty_range, s);
    for (uint32_t k = 0; k < s->block_count; k++) {
        X(block) *block = &s->block[k];
        bool cut = meets_surface(s, block) || (s->walls && at_wall(s, block));
        block->slot = cut ? s->slot_count++ : NO_SLOT;
    }
    for (uint32_t k = 0; k < s->block_count; k++)
        s->block[k].gives = gives(s, &s->block[k]);
    uint32_t listed = 0;
    for (int colour = 0; colour < COLOURS; colour++) {
        s->colour_start[colour] = listed;
        for (uint32_t k = 0; k < s->block_count; k++)
            if (s->block[k].gives && colour_of(&s->block[k]) == colour)
                s->colour_list[listed++] = k;
    }
    s->colour_start[COLOURS] = listed;
    return SPATE_OK;
}
