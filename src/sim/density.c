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
 * error of one step is limited, and so is the way of a particle. Faces around the liquid get the
 * displacement as they got the velocity (extrapolate.c), so that what lies on the surface goes with
 * it. */
#include "device/device.h"
#include "pressure/pressure.h"

#include <math.h>
#include <string.h>

#define MOST_ERROR 0.5f /* of the density, in a step */
#define MOST_WAY 0.5f   /* cells, of a particle in a step */
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

/* ---- the particles */

#define GROUP 64 /* particles of a cell that are moved together */
#define TERMS (DIM == 3 ? 18 : 6)

typedef struct move_args {
    X(sim) *s;
    X(mover) mover;
} move_args;

/* The linear interpolation of a face component d inside a cell, as a polynomial that all its
 * particles share. Along d it is linear from the low face to the high one, x = 0 .. 1. Across, the
 * faces stand at the cell's middle and at those of its neighbours: value m there, l before, h
 * after, with y from -1/2 to 1/2,
 *
 *     m + min(y, 0) (m - l) + max(y, 0) (h - m).
 *
 * Terms in order: (1, x) times (1, min y, max y), in 3D times (1, min z, max z). */
static void cell_polynomial(const X(sim) *s, size_t index, int d, float c[TERMS])
{
    size_t own = s->grid.stride[d], e = s->grid.stride[d == 0 ? 1 : 0],
           f = s->grid.stride[d == 2 ? 1 : 2];
    float value[TERMS]; /* rows: e before, middle, after; planes: f likewise */
    for (int plane = 0; plane < LAST(3); plane++)
        for (int row = 0; row < 3; row++) {
            const float *at = s->weight[d] + index + (size_t)row * e - e;
            at = DIM == 3 ? at + (size_t)plane * f - f : at;
            value[6 * plane + 2 * row] = at[0];
            value[6 * plane + 2 * row + 1] = at[own] - at[0];
        }
    for (int plane = 0; plane < LAST(3); plane++)
        for (int k = 0; k < 2; k++) {
            const float *v = value + 6 * plane + k;
            float *to = c + 6 * plane + k;
            to[0] = v[2];
            to[2] = v[2] - v[0];
            to[4] = v[4] - v[2];
        }
    for (int k = 0; k < 6 && DIM == 3; k++) {
        float low = c[k], here = c[6 % TERMS + k], high = c[12 % TERMS + k];
        c[k] = here;
        c[6 % TERMS + k] = here - low;
        c[12 % TERMS + k] = high - here;
    }
}

static inline float lower(float y)
{
    return y < 0.0f ? y : 0.0f;
}

static inline float upper(float y)
{
    return y > 0.0f ? y : 0.0f;
}

/* The terms of one plane. */
static inline float plane_terms(const float *c, float x, float low, float high)
{
    return c[0] + c[1] * x + low * (c[2] + c[3] * x) + high * (c[4] + c[5] * x);
}

/* Where `count` particles from `first` on go along d, that lie in (after push-apart: near) a cell.
 */
static inline void group_targets(const X(particles) *p, uint32_t first, int count,
                                 const int cell[DIM], int d, const float c[TERMS], float to[GROUP])
{
    int e = d == 0 ? 1 : 0, f = DIM == 2 ? e : d == 2 ? 1 : 2;
    const float *px = p->x[d] + first, *py = p->x[e] + first, *pz = p->x[f] + first;
    float x0 = (float)cell[d], y0 = (float)cell[e] + 0.5f, z0 = (float)cell[f] + 0.5f;
    for (int k = 0; k < count; k++) {
        float x = px[k] - x0, y = py[k] - y0, low = lower(y), high = upper(y);
        float way = plane_terms(c, x, low, high);
        if (DIM == 3) {
            float z = pz[k] - z0;
            way += lower(z) * plane_terms(c + 6 % TERMS, x, low, high) +
                   upper(z) * plane_terms(c + 12 % TERMS, x, low, high);
        }
        way = way < MOST_WAY ? way : MOST_WAY;
        way = way > -MOST_WAY ? way : -MOST_WAY;
        to[k] = px[k] + way;
    }
}

/* Brings the group to its targets past walls and solids. */
static void settle_group(move_args *args, uint32_t first, int count, float to[DIM][GROUP])
{
    X(particles) *p = &args->s->particles;
    for (int k = 0; k < count; k++) {
        float x[DIM], target[DIM], v[DIM];
        FOR_DIM(d) {
            x[d] = p->x[d][first + (uint32_t)k];
            target[d] = to[d][k];
            v[d] = p->v[d][first + (uint32_t)k]; /* stays as it is */
        }
        X(settle)(&args->mover, x, target, v);
        FOR_DIM(d)
            to[d][k] = target[d];
    }
}

/* Whether no solid is near that a particle of the tile could meet. */
static bool is_far_from_solids(const X(sim) *s, const int corner[DIM])
{
    int middle[DIM];
    FOR_DIM(d)
        middle[d] = corner[d] + TILE / 2;
    return s->solids.live == 0 ||
           (!s->movers && s->phi_solid[X(index)(&s->grid, middle)] > (TILE + 2) * s->grid.dx);
}

/* Whether all targets lie inside the domain, clear of its sides. */
static inline bool are_inside(const X(grid) *g, int count, float to[DIM][GROUP])
{
    const float margin = 2.0f * CLEARANCE;
    bool inside = true;
    FOR_DIM(d) {
        float low = to[d][0], high = to[d][0];
        for (int k = 1; k < count; k++) {
            low = to[d][k] < low ? to[d][k] : low;
            high = to[d][k] > high ? to[d][k] : high;
        }
        inside = inside && low > margin && high < (float)g->n[d] - margin;
    }
    return inside;
}

static double move_cell(move_args *args, size_t index, const int cell[DIM], bool far)
{
    X(sim) *s = args->s;
    X(particles) *p = &s->particles;
    double work = 0;
    float poly[DIM][TERMS];
    uint32_t end = s->first[index] + s->count[index];
    for (int d = 0; d < DIM; d++)
        cell_polynomial(s, index, d, poly[d]);
    for (uint32_t first = s->first[index]; first < end; first += GROUP) {
        int count = end - first < GROUP ? (int)(end - first) : GROUP;
        float to[DIM][GROUP];
        FOR_DIM(d)
            group_targets(p, first, count, cell, d, poly[d], to[d]);
        if (!far || !are_inside(&s->grid, count, to))
            settle_group(args, first, count, to);
        for (int d = 0; d < DIM; d++) {
            float *x = p->x[d] + first, way = 0.0f;
            for (int k = 0; k < count; k++) {
                way += to[d][k] - x[k];
                x[k] = to[d][k];
            }
            work += s->common->gravity[d] * s->grid.dx * (double)way;
        }
    }
    return work;
}

static double move_partial(void *user, size_t begin, size_t end)
{
    move_args *args = user;
    X(sim) *s = args->s;
    double work = 0;
    for (size_t t = begin; t < end; t++) {
        int corner[DIM], cell[DIM];
        X(tile_cell)(&s->grid, s->tiles.liquid[t], corner);
        size_t base = X(index)(&s->grid, corner);
        bool far = is_far_from_solids(s, corner);
        for (int r = 0; r < TILE_ROWS; r++) {
            X(row_cell)(corner, r, cell);
            for (int i = 0; i < TILE; i++, cell[0]++) {
                size_t index = base + X(row_offset)(&s->grid, r) + (size_t)i;
                if (s->count[index] > 0)
                    work += move_cell(args, index, cell, far);
            }
        }
    }
    return work;
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

void X(find_displacement)(X(sim) *s)
{
    X(system) *y = &s->system;
    float *q = y->q;
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
}

double X(project_density)(X(sim) *s)
{
    if (!s->density)
        return 0;
    if (!X(device_displaces)(s))
        X(find_displacement)(s);
    move_args args = {.s = s, .mover = X(mover_begin)(s, 0)};
    double work = X(sum)(s, (size_t)s->tiles.liquid_count, 1, move_partial, &args);
    X(mover_end)(&args.mover);
    return work;
}
