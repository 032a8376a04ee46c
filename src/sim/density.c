/* density.c -- the density projection: moves particles out of cells that hold too many of them and
 * into cells that hold too few (Kugelstadt, Longva, Thuerey, Bender 2019, "Implicit density
 * projection for volume conserving liquids").
 *
 * With the density rho of particles around a cell's middle (surface.c: against rest density times
 * the room that solids leave, so that full is 1 everywhere), the displacement d of the particles
 * (cells) is the gradient field that carries the excess out of every cell:
 *
 *     d = -grad q,    div d = rho - 1 in the liquid,    q = 0 on the surface,    d = 0 into solids.
 *
 * That is the pressure system of the step, A q = b, with b = (rho - 1) room: the same cells, faces
 * and preconditioner, another right side. It needs no accuracy: what is left is corrected in the
 * next step.
 *
 * A cell at the surface is not full, which is no error: there only an excess counts. Elsewhere the
 * error of one step is limited, and so is the way of a particle. Faces around the liquid get the
 * displacement as they got the velocity (extrapolate.c), so that what lies on the surface goes with
 * it. */
#include "device/device.h"
#include "pressure/pressure.h"

#include <math.h>
#include <string.h>

#define MOST_ERROR 0.5f /* of the density, in a step */
#define MOST_WAY 0.5f   /* cells, of a particle in a step */
#define TOLERANCE 0.1   /* of the largest right side */
#define MOST_CYCLES 4   /* of the solver */
#define REACH 2         /* layers of faces around the liquid that get a displacement */

/* ---- the right side */

/* Whether the cell and all around it are liquid or closed: nothing there is a surface. */
static bool is_inside(const X(sim) *s, size_t index)
{
    for (int k = 0; k < (DIM == 3 ? 27 : 9); k++) {
        int offset[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        ptrdiff_t near = (ptrdiff_t)index;
        FOR_DIM(d)
            near += offset[d] * (ptrdiff_t)s->grid.stride[d];
        if (s->type[near] == SPATE_CELL_AIR)
            return false;
    }
    return true;
}

static float excess(const X(sim) *s, size_t index)
{
    float error = s->density[index] - 1.0f;
    if (error == 0.0f || (error < 0.0f && !is_inside(s, index)))
        return 0.0f;
    error = error < MOST_ERROR ? error : MOST_ERROR;
    error = error > -MOST_ERROR ? error : -MOST_ERROR;
    return s->solids.live > 0 ? error * s->room[index] : error;
}

static void excess_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = user;
    const X(system) *y = &s->system;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&s->grid, y->levels[0].tiles[k]);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                size_t index = base + X(row_offset)(&s->grid, r) + (size_t)i;
                y->b[index] = y->diagonal[index] > 0.0f ? excess(s, index) : 0.0f;
            }
    }
}

static void zero_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = user;
    size_t active = (size_t)s->tiles.active_count;
    for (size_t k = begin; k < end; k++) {
        size_t base =
            X(tile_index)(&s->grid, k < active ? s->tiles.active[k] : s->tiles.border[k - active]);
        for (int r = 0; r < TILE_ROWS; r++) {
            size_t row = base + X(row_offset)(&s->grid, r);
            memset(s->system.q_density + row, 0, TILE * sizeof(float));
            FOR_DIM(d)
                memset(s->weight[d] + row, 0, TILE * sizeof(float));
        }
    }
}

/* ---- the displacement on the faces; `weight` holds it, which is free between G2P and P2G */

typedef struct layer_args {
    X(sim) *s;
    int layer;
} layer_args;

static void extend_face(X(sim) *s, int d, size_t f, int layer)
{
    float sum = 0.0f, count = 0.0f;
    FOR_DIM(axis) {
        size_t near[2] = {f - s->grid.stride[axis], f + s->grid.stride[axis]};
        for (int side = 0; side < 2; side++) {
            bool known = s->known[d][near[side]] > 0 && s->known[d][near[side]] < layer;
            sum += known ? s->weight[d][near[side]] : 0.0f;
            count += known ? 1.0f : 0.0f;
        }
    }
    s->weight[d][f] = count > 0.0f ? sum / count : 0.0f;
}

static void extend_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const layer_args *args = user;
    X(sim) *s = args->s;
    const X(grid) *g = &s->grid;
    for (size_t k = begin; k < end; k++) {
        int t[DIM];
        X(tile_coordinates)(g, s->tiles.faces[k], t);
        size_t base = X(tile_index)(g, s->tiles.faces[k]);
        for (int r = 0; r < TILE_ROWS; r++) {
            if (!X(row_has_faces)(g, t, r))
                continue;
            size_t row = base + X(row_offset)(g, r);
            FOR_DIM(d)
                for (int i = 0; i < TILE; i++)
                    if (s->known[d][row + (size_t)i] == args->layer)
                        extend_face(s, d, row + (size_t)i, args->layer);
        }
    }
}

/* ---- the particles */

static double move_partial(void *user, size_t begin, size_t end)
{
    X(mover) *mover = user;
    X(sim) *s = mover->s;
    X(particles) *p = &s->particles;
    double work = 0;
    for (size_t t = begin; t < end; t++)
        for (uint32_t k = s->tiles.start[s->tiles.liquid[t]];
             k < s->tiles.start[s->tiles.liquid[t] + 1]; k++) {
            float x[DIM], way[DIM], to[DIM], v[DIM], square = 0.0f;
            FOR_DIM(d)
                x[d] = p->x[d][k];
            X(velocity_at)(&s->grid, KERNEL_LINEAR, s->weight, x, way);
            FOR_DIM(d)
                square += way[d] * way[d];
            if (square == 0.0f)
                continue;
            float scale = square > MOST_WAY * MOST_WAY ? MOST_WAY / __builtin_sqrtf(square) : 1.0f;
            FOR_DIM(d) {
                to[d] = x[d] + scale * way[d];
                v[d] = p->v[d][k];
            }
            bool stays = X(settle)(mover, x, to, v);
            FOR_DIM(d) {
                work += s->common->gravity[d] * s->grid.dx * (double)(to[d] - x[d]);
                p->x[d][k] = to[d];
            }
            if (!stays)
                p->x[0][k] = DEAD;
        }
    return work;
}

double X(project_density)(X(sim) *s)
{
    sp_pool *pool = s->common->pool;
    X(system) *y = &s->system;
    float *q = y->q;
    if (!s->density)
        return 0;
    sp_parallel_for(pool, (size_t)(s->tiles.active_count + s->tiles.border_count), 8, zero_range,
                    s);
    sp_parallel_for(pool, (size_t)y->levels[0].tile_count, 1, excess_range, s);
    X(system_balance)(s);
    X(solve)
    solve = {.tolerance = TOLERANCE * X(system_largest_b)(s), .max_iterations = MOST_CYCLES};
    y->q = y->q_density;
    X(system_solve)(s, &solve);
    X(system_gradient)(s, s->weight);
    y->q = q;
    s->common->density_iterations += solve.iterations;
    for (int layer = 2; layer < 2 + REACH; layer++) {
        layer_args args = {s, layer};
        sp_parallel_for(pool, (size_t)s->tiles.face_count, 1, extend_range, &args);
        FOR_DIM(d)
            X(fill_border)(s, s->weight[d], d);
    }
    X(mover) mover = X(mover_begin)(s, 0);
    double work = X(sum)(s, (size_t)s->tiles.liquid_count, 1, move_partial, &mover);
    X(mover_end)(&mover);
    return work;
}
