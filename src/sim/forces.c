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
#define LANE_COUNT 8
#include "lanes.h"
#include "state.h"

#include <math.h>

/* A face of the liquid that no particle reached takes the mean of its neighbours that have a
 * velocity. */
static void fill_missing(X(sim) *s, size_t f, int d)
{
    float sum = 0.0f, count = 0.0f;
    FOR_DIM(a) {
        size_t near[2] = {f - s->grid.stride[a], f + s->grid.stride[a]};
        for (int side = 0; side < 2; side++)
            if (s->weight[d][near[side]] > 0.0f) {
                sum += s->u_old[d][near[side]];
                count += 1.0f;
            }
    }
    if (count > 0.0f)
        s->u[d][f] = s->u_old[d][f] = sum / count;
}

typedef struct force_args {
    X(sim) *s;
    double dt;
    bool friction;
} force_args;

/* Faces d of eight cells of a row. */
static void gravity_part(X(sim) *s, size_t c, int d, float dv)
{
    lane_mask wet = is_equal(load_bytes(s->type + c), SPATE_CELL_LIQUID) |
                    is_equal(load_bytes(s->type + c - s->grid.stride[d]), SPATE_CELL_LIQUID);
    lane_mask reached = is_positive(load(s->weight[d] + c)), missing = wet & ~reached;
    if (any(missing))
        for (int i = 0; i < 8; i++)
            if (missing[i])
                fill_missing(s, c + (size_t)i, d);
    lanes none = {0};
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

/* What lies along a face on one side: friction and velocity of the solid there; false if it is not
 * a solid. */
static bool wall_beside(const X(sim) *s, const int cell[DIM], size_t index, int d, int axis,
                        int side, double dt, double *friction, double *velocity)
{
    const X(grid) *g = &s->grid;
    ptrdiff_t step = side * (ptrdiff_t)g->stride[axis];
    size_t beside = (size_t)((ptrdiff_t)index + step);
    if (s->type[beside] != SPATE_CELL_SOLID && s->type[beside - g->stride[d]] != SPATE_CELL_SOLID)
        return false;
    *velocity = 0;
    int place = cell[axis] + side;
    if ((place < 0 || place >= g->n[axis]) && !g->periodic[axis]) {
        *friction = s->common->scene->domain.friction;
        return true;
    }
    double x[3] = {0, 0, 0}, v[3];
    int nearest;
    FOR_DIM(a)
        x[a] = (cell[a] + (a == d ? 0.0 : 0.5) + (a == axis ? 0.5 * side : 0.0)) * g->dx;
    sp_solids_distance(&s->solids, x, NULL, &nearest);
    if (nearest < 0)
        return false;
    sp_solid_velocity(&s->solids.items[nearest], x, dt, v);
    *friction = s->solids.items[nearest].form.friction;
    *velocity = v[d];
    return true;
}

static void rub(X(sim) *s, const int cell[DIM], size_t index, int d, double dt)
{
    for (int axis = 0; axis < DIM; axis++)
        for (int side = -1; side <= 1 && axis != d; side += 2) {
            double friction, velocity;
            if (!wall_beside(s, cell, index, d, axis, side, dt, &friction, &velocity) ||
                !(friction > 0))
                continue;
            double slip = s->u[d][index] - velocity;
            double k = friction < 1 ? friction / (1 - friction) : HUGE_VAL;
            s->u[d][index] =
                (float)(velocity +
                        (friction < 1 ? slip / (1 + k * fabs(slip) * dt / s->grid.dx) : 0));
        }
}

static void friction_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const force_args *args = user;
    X(sim) *s = args->s;
    const X(grid) *g = &s->grid;
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
                        rub(s, cell, index, d, args->dt);
                }
            }
    }
}

void X(add_forces)(X(sim) *s, double dt)
{
    force_args args = {.s = s, .dt = dt};
    sp_parallel_for(s->common->pool, (size_t)s->tiles.face_count, 8, gravity_range, &args);
    if (s->solids.any_friction || s->common->scene->domain.friction > 0)
        sp_parallel_for(s->common->pool, (size_t)s->tiles.active_count, 4, friction_range, &args);
    X(constrain_faces)(s, dt);
    if (s->emitter_count > 0)
        X(prescribe_inflow)(s);
}
