/* forces.c -- gravity and wall friction on the faces, then the velocities that solids, walls and
 * inflows prescribe.
 *
 * Friction f (0 slip .. 1 no slip) is drag on the faces that lie along a solid in the first layer
 * of cells:
 *
 *     dv/dt = -k |v| v / dx,   k = f / (1 - f),   v relative to the solid,
 *
 * solved exactly over the step, v <- v / (1 + k |v| dt / dx), so that one step of dt is the same as
 * two of dt/2. Per cell that the water slides along the wall its speed falls by the factor exp(-k):
 * 1/e at f = 1/2; at f = 1 it has the speed of the wall. */
#include "cpu.h"
#include "kernels/faces.h"
#include "simd.h"

typedef struct force_args {
    X(sim) *s;
    double dt;
} force_args;

/* Faces d of eight cells of a row. */
static void gravity_part(X(sim) *s, size_t c, int d, float dv)
{
    i8 wet = is_equal(load_bytes(s->type + c), SPATE_CELL_LIQUID) |
             is_equal(load_bytes(s->type + c - s->grid.stride[d]), SPATE_CELL_LIQUID);
    i8 reached = is_positive(load(s->weight[d] + c)), missing = wet & ~reached;
    if (any(missing))
        for (int i = 0; i < 8; i++) {
            float mean;
            size_t f = c + (size_t)i;
            if (missing[i] && X(mean_around)(&s->grid, s->weight[d], s->u_old[d], f, &mean))
                s->u[d][f] = s->u_old[d][f] = mean;
        }
    f8 none = {0};
    store(s->u[d] + c, load(s->u[d] + c) + where(wet | reached, none + dv));
}

static void gravity_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const force_args *args = user;
    X(sim) *s = args->s;
    const X(grid) *g = &s->grid;
    float dv[DIM];
    FOR_DIM(d)
        dv[d] = (float)(s->common->gravity[d] * args->dt);
    for (size_t k = begin; k < end; k++) {
        int t[DIM];
        X(tile_coordinates)(g, s->tiles.faces[k], t);
        size_t base = X(tile_index)(g, s->tiles.faces[k]);
        for (int r = 0; r < TILE_ROWS; r++) {
            if (!X(row_has_faces)(g, t, r))
                continue;
            for (size_t i = 0; i < TILE; i += 8)
                FOR_DIM(d)
                    gravity_part(s, base + X(row_offset)(g, r) + i, d, dv[d]);
        }
    }
}

static void friction_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const force_args *args = user;
    X(sim) *s = args->s;
    const X(grid) *g = &s->grid;
    X(rubbing) how = {s->common->scene->domain.friction, args->dt};
    for (size_t k = begin; k < end; k++) {
        int first[DIM], cell[DIM];
        X(tile_cell)(g, s->tiles.active[k], first);
        size_t base = X(index)(g, first);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                size_t index = base + X(row_offset)(g, r) + (size_t)i;
                X(row_cell)(first, r, cell);
                cell[0] += i;
                FOR_DIM(d) {
                    bool wet = s->type[index] == SPATE_CELL_LIQUID ||
                               s->type[index - g->stride[d]] == SPATE_CELL_LIQUID;
                    if (wet && X(inside)(g, cell))
                        s->u[d][index] =
                            X(rubbed)(g, &s->solids, s->type, cell, d, &how, s->u[d][index]);
                }
            }
    }
}

void DEV(add_forces)(X(sim) *s, double dt)
{
    force_args args = {.s = s, .dt = dt};
    sp_parallel_for(s->common->pool, (size_t)s->tiles.face_count, 8, gravity_range, &args);
    if (s->solids.any_friction || s->common->scene->domain.friction > 0)
        sp_parallel_for(s->common->pool, (size_t)s->tiles.active_count, 4, friction_range, &args);
    X(constrain_faces)(s, dt);
    if (s->emitter_count > 0)
        X(prescribe_inflow)(s);
}
