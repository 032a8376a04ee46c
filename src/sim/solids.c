/* solids.c -- solids on the grid: their signed distance at the nodes, their velocity at the faces.
 *
 * Near a solid (within SOLID_BAND cells) the distance is that of the exact shapes; farther away a
 * tile holds one bound, taken from its centre, that is never more than the distance. Solids at rest
 * are written once; moving ones are laid over them in each step, in the tiles that they touch. */
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
    FOR_DIM(d)
        centre[d] = (first[d] + 0.5 * TILE) * dx;
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
            args->target[index] =
                least(far ? bound : distance_of(s, x, args->resting), args, index);
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
            FOR_DIM(d)
                near = near && (first[d] + TILE + SOLID_BAND) * dx > solid->low[d] &&
                       (first[d] - SOLID_BAND) * dx < solid->high[d];
            if (near) {
                s->solid_tiles[s->solid_tile_count++] = tile;
                break;
            }
        }
    }
}

void X(lay_solids)(X(sim) *s)
{
    sp_pool *pool = s->common->pool;
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

bool X(has_cut_cells)(const X(sim) *s)
{
    return s->solids.live > 0 && s->common->scene->pressure.solids == SPATE_SOLIDS_CUT;
}

/* Velocity along an axis of the solid nearest to the middle of face d of a cell. */
static float solid_velocity(const X(sim) *s, const int cell[DIM], int d, int along, double dt)
{
    if (!s->solids.any_moving)
        return 0.0f;
    double x[3] = {0, 0, 0}, v[3];
    int nearest;
    FOR_DIM(a)
        x[a] = (cell[a] + (a == d ? 0.0 : 0.5)) * s->grid.dx;
    sp_solids_distance(&s->solids, x, NULL, &nearest);
    if (nearest < 0)
        return 0.0f;
    sp_solid_velocity(&s->solids.items[nearest], x, dt, v);
    return (float)v[along];
}

float X(face_velocity)(const X(sim) *s, const int cell[DIM], int d, double dt)
{
    return solid_velocity(s, cell, d, d, dt);
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
                    s->u[d][index] = wall ? 0.0f : X(face_velocity)(s, cell, d, args->dt);
                }
            }
    }
}

void X(constrain_faces)(X(sim) *s, double dt)
{
    solid_args args = {.s = s, .dt = dt};
    if (s->solids.live > 0 && !X(has_cut_cells)(s))
        sp_parallel_for(s->common->pool, (size_t)s->tiles.active_count, 4, constrain_range, &args);
    X(close_walls)(s);
}

/* Unit gradient of the solids' distance at the middle of face d; false where there is none. */
static bool face_normal(const X(sim) *s, size_t index, int d, float normal[DIM])
{
    const X(grid) *g = &s->grid;
    float square = 0.0f;
    FOR_DIM(a)
        normal[a] = 0.0f;
    /* the cells on both sides of the face: mean difference across them along each axis */
    for (int corner = 0; corner < (1 << DIM); corner++) {
        size_t here = index, there = index - g->stride[d];
        FOR_DIM(a) {
            here += ((size_t)corner >> a & 1) * g->stride[a];
            there += ((size_t)corner >> a & 1) * g->stride[a];
        }
        FOR_DIM(a)
            normal[a] +=
                (corner >> a & 1 ? 1.0f : -1.0f) * (s->phi_solid[here] + s->phi_solid[there]);
    }
    FOR_DIM(a)
        square += normal[a] * normal[a];
    if (!(square > 0.0f))
        return false;
    FOR_DIM(a)
        normal[a] /= __builtin_sqrtf(square);
    return true;
}

/* Velocity along axis a at the middle of face d: the mean of the four faces around it. */
static float beside(const X(sim) *s, const float *field, size_t index, int d, int a)
{
    size_t low = index - s->grid.stride[d];
    return 0.25f * (field[index] + field[index + s->grid.stride[a]] + field[low] +
                    field[low + s->grid.stride[a]]);
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
                    s->weight[d][index] = s->u[d][index];
                    float normal[DIM], across = 0.0f;
                    if (s->w[d][index] > 0.0f || !X(inside)(g, cell) ||
                        !face_normal(s, index, d, normal))
                        continue;
                    FOR_DIM(a) {
                        float v = a == d ? s->u[d][index] : beside(s, s->u[a], index, d, a);
                        across += normal[a] * (v - solid_velocity(s, cell, d, a, args->dt));
                    }
                    s->weight[d][index] -= across * normal[d];
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
