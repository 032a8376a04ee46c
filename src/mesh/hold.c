/* hold.c -- the surface does not leave its particles.
 *
 * Between particles that lie apart the field spans what none of them justifies, and smoothing and
 * the volume correction move vertices out. A vertex of the free surface is therefore never farther
 * from the nearest particle than
 *
 *     dx / particles_per_axis + h / 2,
 *
 * one distance between particles and half a lattice cell: in calm liquid no vertex is. What is
 * farther is pulled straight to the nearest particle; a vertex of the water line along its wall.
 * Particles keep off walls and solids, so that a vertex on one may be TOUCH farther; beyond, it
 * touches the wall no longer. The last word on drops has volume.c, which bounds how much they grow.
 */
#include "surface.h"

#include "base/memory.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define TOUCH 0.25 /* cells: how much farther it may be on walls and solids */
#define MAX_CELLS (MAX_SIDE * MAX_SIDE * LAST(MAX_SIDE))

static int cells_of_block(const X(surface) *s)
{
    int along = s->side / s->cell;
    return along * along * LAST(along);
}

/* Sorts the particles of each block by cell. */
static void sort_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(surface) *s = user;
    int along = s->side / s->cell, cells = cells_of_block(s);
    for (size_t k = begin; k < end; k++) {
        const X(block) *block = &s->block[k];
        uint32_t *start = s->cell_start + k * (size_t)(cells + 1), next[MAX_CELLS + 1] = {0};
        for (int pass = 0; pass < 2; pass++) {
            for (uint32_t p = block->begin; p < block->end; p++) {
                float x[DIM];
                int index = 0;
                X(surface_place)(s, s->order[p], x);
                for (int d = DIM - 1; d >= 0; d--)
                    index = index * along + ((int)x[d] - block->at[d] * s->side) / s->cell;
                if (pass == 0)
                    next[index + 1]++;
                else
                    s->by_cell[next[index]++] = s->order[p];
            }
            for (int c = 0; c <= cells && pass == 0; c++) {
                next[c] += c > 0 ? next[c - 1] : block->begin;
                start[c] = next[c];
            }
        }
    }
}

spate_status X(surface_cells)(X(surface) *s, spate_error *error)
{
    size_t starts = (size_t)s->block_count * ((size_t)cells_of_block(s) + 1);
    s->cell_start = sp_alloc(starts, sizeof *s->cell_start);
    s->by_cell = sp_alloc(s->count, sizeof *s->by_cell);
    if (!s->cell_start || !s->by_cell)
        return sp_fail_memory(error, "a surface", (starts + s->count) * sizeof *s->by_cell);
    sp_parallel_for(s->pool, s->block_count, 16, sort_range, s);
    return SPATE_OK;
}

typedef struct search {
    const X(surface) *s;
    const float *x;    /* m, the vertex */
    float enough;      /* m^2: a particle as near as this will do */
    float square;      /* m^2, to the nearest so far */
    uint32_t particle; /* that one */
} search;

/* Where a particle is; one outside of the domain counts as one at its wall. */
static void read_particle(const X(surface) *s, uint32_t particle, float y[3])
{
    memcpy(y, s->positions + 3 * (size_t)particle, 3 * sizeof *y);
    X(surface_confine)(s, y);
}

/* Looks through a cell; true when that is enough. */
static bool look_in_cell(search *q, const int cell[DIM])
{
    const X(surface) *s = q->s;
    int along = s->side / s->cell, at[DIM], index = 0;
    for (int d = DIM - 1; d >= 0; d--) {
        if (cell[d] < 0)
            return false;
        at[d] = cell[d] / along;
        index = index * along + cell[d] - at[d] * along;
    }
    const X(block) *block = X(surface_block)(s, at);
    if (!block)
        return false;
    const uint32_t *start =
        s->cell_start + (size_t)(block - s->block) * (size_t)(cells_of_block(s) + 1) + index;
    for (uint32_t p = start[0]; p < start[1]; p++) {
        float y[3], square = 0;
        read_particle(s, s->by_cell[p], y);
        FOR_DIM(d)
            square += (q->x[d] - y[d]) * (q->x[d] - y[d]);
        if (square >= q->square)
            continue;
        q->square = square;
        q->particle = s->by_cell[p];
        if (square <= q->enough)
            return true;
    }
    return false;
}

static void look_around(search *q, int reach)
{
    const X(surface) *s = q->s;
    int own[DIM], cell[DIM], width = 2 * reach + 1;
    FOR_DIM(d)
        own[d] = (int)floor((double)(q->x[d] - (float)s->origin[d]) / s->options->cell_size);
    if (look_in_cell(q, own))
        return;
    for (int k = 0; k < width * width * LAST(width); k++) {
        int rest = k;
        FOR_DIM(d) {
            cell[d] = own[d] + rest % width - reach;
            rest /= width;
        }
        if (look_in_cell(q, cell))
            return;
    }
}

/* Moves a vertex so that it is `square` from y; off a wall only if it must or may. */
static void pull(X(surface) *s, size_t vertex, const float y[3], float square, bool off)
{
    float *x = s->mesh->positions + 3 * vertex, part[2] = {0, 0}; /* along the walls, across */
    unsigned wall = s->wall[vertex];
    FOR_DIM(d)
        part[wall >> (2 * d) & 3 ? 1 : 0] += (x[d] - y[d]) * (x[d] - y[d]);
    if (off || part[1] >= square) {
        s->wall[vertex] &= (uint16_t) ~(VERTEX_WALLS | VERTEX_FIXED | VERTEX_SOLID);
        part[0] += part[1];
        part[1] = 0.0f;
        wall = 0;
    }
    float scale = sqrtf((square - part[1]) / part[0]);
    FOR_DIM(d)
        x[d] = wall >> (2 * d) & 3 ? x[d] : y[d] + scale * (x[d] - y[d]);
}

static void hold_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(surface) *s = user;
    double dx = s->options->cell_size;
    double free_limit = dx / s->options->particles_per_axis + 0.5 * (double)s->h;
    for (size_t k = begin; k < end; k++) {
        const float *x = s->mesh->positions + 3 * k;
        if ((s->wall[k] & VERTEX_DROP) && s->regions[s->vertex_region[k]].walls)
            continue;
        bool touches = s->wall[k] & (VERTEX_FIXED | VERTEX_SOLID);
        double limit = free_limit + (touches ? TOUCH * dx : 0);
        search q = {.s = s, .x = x, .enough = (float)(limit * limit), .square = INFINITY};
        look_around(&q, (int)ceil(limit / dx));
        if (!(q.square > q.enough) || q.square == INFINITY)
            continue;
        float y[3];
        read_particle(s, q.particle, y);
        pull(s, k, y, q.enough, touches);
    }
}

void X(surface_hold)(X(surface) *s)
{
    sp_parallel_for(s->pool, s->mesh->vertices, 1024, hold_range, s);
}
