/* solids.c -- solids on the grid: their signed distance at the nodes, their velocity at the faces.
 *
 * Near a solid (within SOLID_BAND cells) the distance is that of the exact shapes; farther away a tile holds one bound, taken
 * from its centre, that is never more than the distance. Solids at rest are written once; moving ones are laid over
 * them in each step, in the tiles that they touch. */
#include "state.h"

#include <math.h>
#include <string.h>

sp_room X(room)(const X(sim) *s)
{
    double dx = s->grid.dx;
    sp_room room = {.clearance = CLEARANCE * dx, .reach = 3 * dx};
    FOR_DIM(d) {
        const spate_side *sides = s->common->scene->domain.sides[d];
        room.low[d] = sides[0] == SPATE_SIDE_WALL ? CLEARANCE * dx : -HUGE_VAL;
        room.high[d] = sides[1] == SPATE_SIDE_WALL ? (s->grid.n[d] - CLEARANCE) * dx : HUGE_VAL;
    }
    return room;
}

static bool rests(const sp_solid *solid)
{
    return !solid->driven && !sp_shape_moves(&solid->form);
}

static double distance_of(const X(sim) *s, const double x[3], bool resting)
{
    double nearest = HUGE_VAL;
    for (int k = 0; k < s->solids.count; k++) {
        const sp_solid *solid = &s->solids.items[k];
        if (!solid->live || rests(solid) != resting)
            continue;
        double distance = sp_solid_distance(solid, x, NULL);
        nearest = distance < nearest ? distance : nearest;
    }
    return nearest;
}

typedef struct solid_args {
    X(sim) *s;
    float *target;
    const float *below; /* NULL, or what the result may not exceed */
    const int *tiles;   /* NULL: all */
    bool resting;
    double dt;
} solid_args;

static float least(double distance, const solid_args *args, size_t index)
{
    float value = distance < 1e30 ? (float)distance : 1e30f;
    return args->below && args->below[index] < value ? args->below[index] : value;
}

static void distance_tile(const solid_args *args, int tile)
{
    const X(sim) *s = args->s;
    const X(grid) *g = &s->grid;
    double dx = g->dx, centre[3] = {0, 0, 0}, spread = 0.5 * TILE * sqrt((double)DIM) * dx;
    int first[DIM];
    X(tile_cell)(g, tile, first);
    FOR_DIM(d) centre[d] = (first[d] + 0.5 * TILE) * dx;
    double middle = distance_of(s, centre, args->resting);
    bool far = fabs(middle) - spread > SOLID_BAND * dx;
    double bound = middle > 0 ? middle - spread : middle + spread;
    size_t base = X(index)(g, first);
    for (int r = 0; r < TILE_ROWS; r++) {
        int cell[DIM];
        X(row_cell)(first, r, cell);
        for (int i = 0; i < TILE; i++) {
            size_t index = base + X(row_offset)(g, r) + (size_t)i;
            double x[3] = {(first[0] + i) * dx, cell[1] * dx, DIM == 3 ? cell[DIM - 1] * dx : 0};
            args->target[index] = least(far ? bound : distance_of(s, x, args->resting), args, index);
        }
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

/* Tiles within SOLID_BAND of the bounds of a moving solid, each once. */
static void list_moving_tiles(X(sim) *s)
{
    const X(grid) *g = &s->grid;
    double dx = g->dx;
    s->solid_tile_count = 0;
    for (int tile = 0; tile < g->tile_count; tile++) {
        int first[DIM];
        X(tile_cell)(g, tile, first);
        for (int k = 0; k < s->solids.count; k++) {
            const sp_solid *solid = &s->solids.items[k];
            if (!solid->live || rests(solid))
                continue;
            bool near = true;
            FOR_DIM(d) near = near && (first[d] + TILE + SOLID_BAND) * dx > solid->low[d] && (first[d] - SOLID_BAND) * dx < solid->high[d];
            if (near) {
                s->solid_tiles[s->solid_tile_count++] = tile;
                break;
            }
        }
    }
}

void X(update_solids)(X(sim) *s, double dt)
{
    sp_pool *pool = s->common->pool;
    double time = s->common->frame / s->common->scene->fps + s->common->inside;
    sp_solids_advance(&s->solids, time, dt);
    bool movers = false;
    for (int k = 0; k < s->solids.count; k++)
        movers = movers || (s->solids.items[k].live && !rests(&s->solids.items[k]));
    s->movers = movers;
    if (s->solids_changed) {
        solid_args args = {.s = s, .target = s->phi_solid, .resting = true};
        sp_parallel_for(pool, (size_t)s->grid.tile_count, 4, distance_range, &args);
        if (movers)
            memcpy(s->phi_static, s->phi_solid, s->grid.size * sizeof(float));
        s->solid_tile_count = 0;
        s->solids_changed = false;
    }
    if (!movers)
        return;
    sp_parallel_for(pool, (size_t)s->solid_tile_count, 4, copy_range, s);
    list_moving_tiles(s);
    solid_args args = {s, s->phi_solid, s->phi_static, s->solid_tiles, false, dt};
    sp_parallel_for(pool, (size_t)s->solid_tile_count, 4, distance_range, &args);
}

/* Velocity along d of the solid nearest to the middle of face d of a cell. */
static float face_velocity(const X(sim) *s, const int cell[DIM], int d, double dt)
{
    double x[3] = {0, 0, 0}, v[3];
    int nearest;
    FOR_DIM(a) x[a] = (cell[a] + (a == d ? 0.0 : 0.5)) * s->grid.dx;
    sp_solids_distance(&s->solids, x, NULL, &nearest);
    if (nearest < 0)
        return 0.0f;
    sp_solid_velocity(&s->solids.items[nearest], x, dt, v);
    return (float)v[d];
}

static void constrain_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const solid_args *args = user;
    X(sim) *s = args->s;
    const X(grid) *g = &s->grid;
    for (size_t k = begin; k < end; k++) {
        int first[DIM], cell[DIM], before[DIM];
        X(tile_cell)(g, s->tiles.active[k], first);
        size_t base = X(index)(g, first);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                size_t index = base + X(row_offset)(g, r) + (size_t)i;
                FOR_DIM(d) {
                    bool here = s->type[index] == SPATE_CELL_SOLID;
                    bool there = s->type[index - g->stride[d]] == SPATE_CELL_SOLID;
                    if (here == there)
                        continue;
                    X(row_cell)(first, r, cell);
                    cell[0] += i;
                    memcpy(before, cell, sizeof cell);
                    before[d]--;
                    bool wall = !X(inside)(g, here ? cell : before) && !g->periodic[d];
                    s->u[d][index] = wall || !s->solids.any_moving ? 0.0f : face_velocity(s, cell, d, args->dt);
                }
            }
    }
}

void X(constrain_faces)(X(sim) *s, double dt)
{
    solid_args args = {.s = s, .dt = dt};
    sp_parallel_for(s->common->pool, (size_t)s->tiles.active_count, 4, constrain_range, &args);
    X(close_walls)(s);
}
