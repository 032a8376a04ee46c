/* reseed.c -- keeps the number of particles per cell in bounds, as a part of EMIT; off by default.
 *
 * FLIP needs some particles in every cell of the liquid to carry its velocity, and gains nothing
 * from very many. With `liquid.reseed`, a cell well inside the liquid that holds fewer than
 * `reseed_min` is filled up to the rest density, n^DIM: one particle in each of its sub-cells that
 * is empty, in an order that a hash of (seed, cell, step) gives, with the velocity of the grid
 * there and the channels of the nearest particle. A cell with more than `reseed_max` loses the
 * newer one of its closest pair until it has so many. Both change the amount of liquid, so each
 * particle is counted, under its own cause.
 *
 * Well inside: the cell is free of solids, inflows and outflows, all cells around it and the two
 * nearest along each axis hold particles or are behind a wall, and together the cells around it are
 * at least half full. So drops, sheets and the surface itself are left alone. */
#include "device/device.h"

#include "kernels/random.h"

#include <string.h>

/* Where a cell's neighbour is, across periodic sides; false: outside of the domain. */
static bool neighbour(const X(grid) *g, const int c[DIM], const int offset[3], int near[DIM])
{
    bool inside = true;
    FOR_DIM(d) {
        int n = g->n[d], at = c[d] + offset[d];
        if (g->periodic[d])
            at = at < 0 ? at + n : at >= n ? at - n : at;
        near[d] = at;
        inside = inside && at >= 0 && at < n;
    }
    return inside;
}

/* Whether the cell at an offset counts as liquid; adds what it holds. Behind walls there is as much
 * as there should be, behind open sides nothing. */
static bool is_wet(const X(sim) *s, const int c[DIM], const int offset[3], uint32_t full,
                   uint64_t *held)
{
    int near[DIM];
    if (!neighbour(&s->grid, c, offset, near)) {
        bool open = false;
        FOR_DIM(d) {
            const spate_side *sides = s->common->scene->domain.sides[d];
            open = open || (near[d] < 0 && sides[0] == SPATE_SIDE_OPEN) ||
                   (near[d] >= s->grid.n[d] && sides[1] == SPATE_SIDE_OPEN);
        }
        *held += full;
        return !open;
    }
    size_t index = X(index)(&s->grid, near);
    bool solid = s->solids.live > 0 && s->type[index] == SPATE_CELL_SOLID;
    *held += solid ? full : s->count[index];
    return solid || s->count[index] > 0;
}

static bool well_inside(const X(sim) *s, const int c[DIM], size_t index, uint32_t full)
{
    uint64_t held = 0, more = 0;
    int cells = DIM == 3 ? 27 : 9;
    if ((s->marks && s->marks[index]) || (s->solids.live > 0 && X(cell_share)(s, index) < 0.999f))
        return false;
    for (int k = 0; k < cells; k++) {
        int offset[3] = {k % 3 - 1, k / 3 % 3 - 1, DIM == 3 ? k / 9 - 1 : 0};
        if (!is_wet(s, c, offset, full, &held) && k != cells / 2)
            return false;
    }
    for (int k = 0; k < 2 * DIM; k++) {
        int offset[3] = {0, 0, 0};
        offset[k / 2] = k % 2 ? 2 : -2;
        if (!is_wet(s, c, offset, full, &more))
            return false;
    }
    return 2 * held >= (uint64_t)cells * full;
}

/* ---- more */

/* The particle that is nearest to x in the cells around c, of those that were there before. */
static uint32_t nearest(const X(sim) *s, const int c[DIM], const float x[DIM])
{
    const X(particles) *p = &s->particles;
    uint32_t best = UINT32_MAX;
    float least = 1e30f;
    for (int k = 0; k < (DIM == 3 ? 27 : 9); k++) {
        int near[DIM], offset[3] = {k % 3 - 1, k / 3 % 3 - 1, DIM == 3 ? k / 9 - 1 : 0};
        if (!neighbour(&s->grid, c, offset, near))
            continue;
        size_t index = X(index)(&s->grid, near);
        for (uint32_t j = s->first[index]; j < s->first[index] + s->count[index]; j++) {
            float square = 0.0f;
            FOR_DIM(d) {
                /* seen from the cell, which may be across a side */
                float way = p->x[d][j] - (float)near[d] + (float)(c[d] + offset[d]) - x[d];
                square += way * way;
            }
            best = square < least ? j : best;
            least = square < least ? square : least;
        }
    }
    return best;
}

static spate_status add_one(X(sim) *s, const int c[DIM], const float x[DIM], spate_error *error)
{
    X(particles) *p = &s->particles;
    double world[3] = {0, 0, 0};
    FOR_DIM(d)
        world[d] = (double)x[d] * s->grid.dx;
    if (s->solids.live > 0 &&
        sp_solids_distance(&s->solids, world, NULL, NULL) < CLEARANCE * s->grid.dx)
        return SPATE_OK;
    float v[DIM];
    X(velocity_at)(&s->grid, s->degree, s->u, x, v);
    uint32_t model = nearest(s, c, x);
    TRY(X(particles_reserve)(s, (uint64_t)p->count + 1, error));
    X(particles_append)(s, x, v, -1);
    uint32_t k = p->count - 1;
    for (int column = 0; column < p->channel_columns && model != UINT32_MAX; column++)
        p->channel[column][k] = p->channel[column][model];
    for (int d = 0; d < DIM && s->apic; d++) {
        float gradient[DIM];
        X(stencil) stencil = X(stencil_at)(s->degree, x, d);
        X(gather_affine)(&s->grid, &stencil, s->degree, x, d, s->u[d], gradient);
        FOR_DIM(a)
            p->c[d * DIM + a][k] = gradient[a];
    }
    s->common->added++;
    s->common->added_reseed++;
    return SPATE_OK;
}

/* The number of a particle's sub-cell in its cell. */
static int sub_cell(const X(sim) *s, const int c[DIM], uint32_t k, int n)
{
    int sub = 0;
    for (int d = DIM - 1; d >= 0; d--) {
        int i = (int)((s->particles.x[d][k] - (float)c[d]) * (float)n);
        sub = sub * n + (i < 0 ? 0 : i >= n ? n - 1 : i);
    }
    return sub;
}

/* A particle in each empty sub-cell, until the cell holds `full`. */
static spate_status fill_cell(X(sim) *s, const int c[DIM], size_t index, uint32_t full,
                              spate_error *error)
{
    const spate_scene *scene = s->common->scene;
    int n = scene->liquid.particles_per_axis;
    uint8_t taken[16 * 16 * LAST(16)] = {0};
    for (uint32_t k = s->first[index]; k < s->first[index] + s->count[index]; k++)
        taken[sub_cell(s, c, k, n)] = 1;
    uint64_t key = sp_hash2(sp_mix(scene->liquid.seed), s->common->steps);
    FOR_DIM(d)
        key = sp_hash2(key, (uint64_t)c[d]);
    int start = (int)(sp_hash2(key, UINT64_MAX) % full);
    for (uint32_t k = 0, missing = full - s->count[index]; k < full && missing > 0; k++) {
        int sub = (start + (int)k) % (int)full;
        if (taken[sub])
            continue;
        int at[3] = {sub % n, sub / n % n, sub / n / n};
        float x[DIM];
        FOR_DIM(d) {
            float jitter = (float)scene->liquid.jitter *
                           (sp_uniform(sp_hash2(key, (uint64_t)(3 * sub + d))) - 0.5f);
            x[d] = (float)c[d] + ((float)at[d] + 0.5f + jitter) / (float)n;
        }
        TRY(add_one(s, c, x, error));
        missing--;
    }
    return SPATE_OK;
}

/* ---- fewer */

/* Marks the newer one of the closest pair of a cell. */
static void thin_cell(X(sim) *s, size_t index)
{
    X(particles) *p = &s->particles;
    uint32_t first = s->first[index], end = first + s->count[index], loser = first;
    float least = 1e30f;
    for (uint32_t a = first; a < end; a++)
        for (uint32_t b = a + 1; b < end && p->x[0][a] != DEAD; b++) {
            float square = 0.0f;
            FOR_DIM(d)
                square += (p->x[d][a] - p->x[d][b]) * (p->x[d][a] - p->x[d][b]);
            if (p->x[0][b] == DEAD || square >= least)
                continue;
            least = square;
            loser = b; /* by id inside the cell */
        }
    p->x[0][loser] = DEAD;
    s->dead++;
    s->common->removed_reseed++;
}

/* ---- the stage */

spate_status X(reseed)(X(sim) *s, spate_error *error)
{
    const spate_scene *scene = s->common->scene;
    if (!scene->liquid.reseed)
        return SPATE_OK;
    uint32_t full = 1;
    FOR_DIM(d)
        full *= (uint32_t)scene->liquid.particles_per_axis;
    uint32_t least =
        scene->liquid.reseed_min ? (uint32_t)scene->liquid.reseed_min : (3 * full + 7) / 8;
    uint32_t most = scene->liquid.reseed_max ? (uint32_t)scene->liquid.reseed_max : 3 * full / 2;
    X(sort_particles)(s); /* where ADVECT has left them; the grid keeps its fields */
    for (int t = 0; t < s->tiles.liquid_count; t++) {
        int first[DIM], c[DIM];
        X(tile_cell)(&s->grid, s->tiles.liquid[t], first);
        size_t base = X(index)(&s->grid, first);
        for (int cell = 0; cell < TILE_CELLS; cell++) {
            size_t index = base + X(row_offset)(&s->grid, cell / TILE) + (size_t)(cell % TILE);
            uint32_t count = s->count[index];
            if (count >= least && count <= most)
                continue;
            X(row_cell)(first, cell / TILE, c);
            c[0] += cell % TILE;
            for (uint32_t k = most; k < count; k++)
                thin_cell(s, index);
            if (count < least && X(inside)(&s->grid, c) && well_inside(s, c, index, full))
                TRY(fill_cell(s, c, index, full, error));
        }
    }
    if (s->dead > 0)
        X(particles_remove_dead)(s);
    s->dead = 0;
    return SPATE_OK;
}
