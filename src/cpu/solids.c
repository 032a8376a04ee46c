/* solids.c -- solids on the grid: their signed distance at the nodes, their velocity at the faces.
 *
 * Near a solid (within SOLID_BAND cells) the distance is that of the exact shapes; farther away a
 * tile holds one bound, taken from its centre, that is never more than the distance. Solids at rest
 * are written once; moving ones are laid over them in each step, in the tiles that they touch. */
#include "cpu.h"
#include "kernels/faces.h"
#include "kernels/lay_solids.h"

#include <math.h>
#include <string.h>

typedef struct solid_args {
    X(sim) *s;
    float *target;
    const float *below; /* NULL, or what the result may not exceed */
    const int *tiles;   /* NULL: all */
    bool resting;
    double dt;
} solid_args;

static void distance_tile(const solid_args *args, int tile)
{
    const X(sim) *s = args->s;
    const X(grid) *g = &s->grid;
    int first[DIM];
    X(tile_cell)(g, tile, first);
    X(far_bound) bound = X(bound_of_tile)(g, &s->solids, first, args->resting);
    size_t base = X(index)(g, first);
    for (int r = 0; r < TILE_ROWS; r++)
        for (int i = 0; i < TILE; i++) {
            int cell[DIM];
            size_t index = base + X(row_offset)(g, r) + (size_t)i;
            X(row_cell)(first, r, cell);
            cell[0] += i;
            float value = X(node_distance)(g, &s->solids, cell, args->resting, bound);
            bool lower = args->below && args->below[index] < value;
            args->target[index] = lower ? args->below[index] : value;
        }
}

static void distance_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const solid_args *args = user;
    for (size_t k = begin; k < end; k++)
        distance_tile(args, args->tiles ? args->tiles[k] : (int)k);
}

static void copy_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = user;
    for (size_t k = begin; k < end; k++)
        for (int r = 0; r < TILE_ROWS; r++) {
            size_t row = X(tile_index)(&s->grid, s->solid_tiles[k]) + X(row_offset)(&s->grid, r);
            memcpy(s->phi_solid + row, s->phi_static + row, TILE * sizeof(float));
        }
}

static void list_moving_tiles(X(sim) *s)
{
    s->solid_tile_count = 0;
    for (int tile = 0; tile < s->grid.tile_count; tile++)
        if (X(is_near_movers)(&s->grid, &s->solids, tile))
            s->solid_tiles[s->solid_tile_count++] = tile;
}

void X(lay_solids)(X(sim) *s)
{
    sp_pool *pool = s->common->pool;
    bool movers = false;
    X(fetch)(s, s->solids_changed ? 0 : GPU_SOLIDS);
    for (int k = 0; k < s->solids.count; k++)
        movers = movers || (s->solids.items[k].live && !sp_body_rests(&s->solids.items[k]));
    s->movers = movers;
    s->has_solids = s->solids.live > 0;
    s->cut = X(has_cut_cells)(s);
    if (s->solids_changed || movers)
        X(dirty)(s, GPU_SOLIDS);
    if (s->solids_changed) {
        solid_args args = {.s = s, .target = s->phi_solid, .resting = true};
        sp_parallel_for(pool, (size_t)s->grid.tile_count, 4, distance_range, &args);
        if (movers)
            memcpy(s->phi_static, s->phi_solid, s->grid.size * sizeof(float));
        s->solid_tile_count = 0;
        s->solids_changed = false;
        if (s->solids.live > 0)
            X(update_fractions)(s, NULL, s->grid.tile_count);
    }
    if (!movers)
        return;
    /* where the movers were, and where they are now */
    sp_parallel_for(pool, (size_t)s->solid_tile_count, 4, copy_range, s);
    X(update_fractions)(s, s->solid_tiles, s->solid_tile_count);
    list_moving_tiles(s);
    solid_args args = {s, s->phi_solid, s->phi_static, s->solid_tiles, false, 0};
    sp_parallel_for(pool, (size_t)s->solid_tile_count, 4, distance_range, &args);
    X(update_fractions)(s, s->solid_tiles, s->solid_tile_count);
}

void X(update_solids)(X(sim) *s, double dt)
{
    double time = s->common->frame / s->common->scene->fps + s->common->inside;
    sp_solids_advance(&s->solids, time, dt);
    X(lay_solids)(s);
}

float X(face_velocity)(const X(sim) *s, const int cell[DIM], int d, double dt)
{
    float v[DIM];
    X(solid_velocity)(&s->grid, &s->solids, cell, d, dt, v);
    return v[d];
}

/* The new velocities go to `weight`, which the step has no more use for, and from there to u: no
 * face sees a changed neighbour. */
static void slide_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const solid_args *args = user;
    X(sim) *s = args->s;
    const X(grid) *g = &s->grid;
    for (size_t k = begin; k < end; k++) {
        int first[DIM], cell[DIM];
        X(tile_cell)(g, s->tiles.active[k], first);
        size_t base = X(index)(g, first);
        if (s->phi_solid[base] > 3.0f * TILE * g->dx)
            continue;
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                size_t index = base + X(row_offset)(g, r) + (size_t)i;
                X(row_cell)(first, r, cell);
                cell[0] += i;
                FOR_DIM(d) {
                    float moving[DIM];
                    s->weight[d][index] = s->u[d][index];
                    if (s->w[d][index] > 0.0f || !X(inside)(g, cell))
                        continue;
                    X(solid_velocity)(g, &s->solids, cell, d, args->dt, moving);
                    s->weight[d][index] = X(slid)(g, s->phi_solid, s->u, cell, d, moving);
                }
            }
    }
}

static void slide_copy_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = ((solid_args *)user)->s;
    const X(grid) *g = &s->grid;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(g, s->tiles.active[k]);
        if (s->phi_solid[base] > 3.0f * TILE * g->dx)
            continue;
        for (int r = 0; r < TILE_ROWS; r++)
            FOR_DIM(d) {
                size_t row = base + X(row_offset)(g, r);
                memcpy(s->u[d] + row, s->weight[d] + row, TILE * sizeof(float));
            }
    }
}

void X(slide_faces)(X(sim) *s, double dt)
{
    solid_args args = {.s = s, .dt = dt};
    sp_parallel_for(s->common->pool, (size_t)s->tiles.active_count, 4, slide_range, &args);
    sp_parallel_for(s->common->pool, (size_t)s->tiles.active_count, 4, slide_copy_range, &args);
}
