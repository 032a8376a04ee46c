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
 * and preconditioner, another right side. It needs no accuracy: one cycle does, and what it leaves
 * is in the density of the next step.
 *
 * A cell at the surface is not full, which is no error: there only an excess counts. Elsewhere the
 * error of one step is limited, and so is the way of a particle (advect.c, which adds d to it).
 * Faces around the liquid get the displacement as they got the velocity (extrapolate.c), so that
 * what lies on the surface goes with it. */
#include "device/device.h"
#include "pressure/pressure.h"

#include <math.h>
#include <string.h>

#define MOST_ERROR 0.5f /* of the density, in a step */
#define TOLERANCE 1e-3  /* of the largest right side */
#define MOST_CYCLES 1   /* of multigrid: a fixed number, so that rounding decides nothing */
#define MOST_SWEEPS 40  /* of the other solvers */
#define REACH 2         /* layers of faces around the liquid that get a displacement */

/* ---- the right side */

/* Which cells of a row have air around them (all 3^DIM cells of the box): there is the surface. */
static void find_surface(const X(sim) *s, size_t row, uint8_t surface[TILE])
{
    uint8_t column[TILE + 2] = {0};
    for (int k = 0; k < (DIM == 3 ? 9 : 3); k++) {
        const uint8_t *type = s->type + row - 1 + (size_t)(k % 3) * s->grid.stride[1] +
                              (size_t)(k / 3) * s->grid.stride[2];
        type -= s->grid.stride[1] + s->grid.stride[2];
        for (int i = 0; i < TILE + 2; i++)
            column[i] |= type[i] == SPATE_CELL_AIR;
    }
    for (int i = 0; i < TILE; i++)
        surface[i] = column[i] | column[i + 1] | column[i + 2];
}

/* b = what a cell holds too much of its room. */
static void excess_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = user;
    const X(system) *y = &s->system;
    bool solids = s->solids.live > 0;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&s->grid, y->levels[0].tiles[k]);
        for (int r = 0; r < TILE_ROWS; r++) {
            size_t row = base + X(row_offset)(&s->grid, r);
            const float *density = s->density + row, *diagonal = y->diagonal + row;
            float *b = y->b + row;
            uint8_t surface[TILE];
            find_surface(s, row, surface);
            for (int i = 0; i < TILE; i++) {
                float error = density[i] - 1.0f, least = surface[i] ? 0.0f : -MOST_ERROR;
                error = error < MOST_ERROR ? error : MOST_ERROR;
                error = error > least ? error : least;
                b[i] = diagonal[i] > 0.0f ? error : 0.0f;
            }
            for (int i = 0; i < TILE && solids; i++)
                b[i] *= s->room[row + (size_t)i];
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

static void find_excess(X(sim) *s)
{
    ON_DEVICE(s, X(gpu_density_excess)(s->gpu); return );
    sp_pool *pool = s->common->pool;
    size_t tiles = (size_t)(s->tiles.active_count + s->tiles.border_count);
    sp_parallel_for(pool, tiles, 8, zero_range, s);
    sp_parallel_for(pool, (size_t)s->system.levels[0].tile_count, 1, excess_range, s);
    X(settle_pockets)(s);
}

static void extend(X(sim) *s)
{
    ON_DEVICE(s, X(gpu_density_extend)(s->gpu); return );
    for (int layer = 2; layer < 2 + REACH; layer++) {
        layer_args args = {s, layer};
        sp_parallel_for(s->common->pool, (size_t)s->tiles.face_count, 1, extend_range, &args);
        FOR_DIM(d)
            X(fill_border)(s, s->weight[d], d);
    }
}

void X(project_density)(X(sim) *s)
{
    X(system) *y = &s->system;
    float *q = y->q;
    if (!s->density)
        return;
    y->q = y->q_density;
    find_excess(s);
    bool multigrid = s->common->scene->pressure.solver == SPATE_SOLVER_MULTIGRID;
    X(solve)
    solve = {.tolerance = TOLERANCE * X(system_largest_b)(s),
             .max_iterations = multigrid ? MOST_CYCLES : MOST_SWEEPS,
             .relaxation = s->common->scene->pressure.relaxation};
    X(solve_system)(s, &solve);
    X(system_gradient)(s, s->weight);
    y->q = q;
    s->common->density_iterations += solve.iterations;
    extend(s);
    s->displaced = true;
}
