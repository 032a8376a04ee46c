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

#define SIDE (TILE + 1)
#define NODES (SIDE * SIDE * LAST(SIDE))
#define GROUP 64 /* particles of a cell that are moved together */

typedef struct move_args {
    X(sim) *s;
    X(mover) mover;
} move_args;

/* The displacement at the nodes of a tile, each component the mean of the faces around the node. */
static void tile_nodes(const X(sim) *s, size_t base, float nodes[DIM][NODES])
{
    const size_t *step = s->grid.stride;
    for (int k = 0; k < LAST(SIDE); k++)
        for (int j = 0; j < SIDE; j++) {
            size_t row = base + (size_t)j * step[1] + (size_t)k * step[2];
            for (int d = 0; d < DIM; d++) {
                size_t e = step[d == 0 ? 1 : 0], f = step[d == 2 ? 1 : 2]; /* 2D: f = 0 */
                const float *face = s->weight[d] + row;
                float *to = nodes[d] + SIDE * (j + SIDE * k);
                for (int i = 0; i < SIDE; i++) {
                    const float *at = face + i;
                    float sum = at[0] + *(at - e);
                    if (DIM == 3)
                        sum += *(at - f) + *(at - e - f);
                    to[i] = sum / (float)(1 << (DIM - 1));
                }
            }
        }
}

/* Coefficients of 1, x, y, xy (, z, xz, yz, xyz) in the cell whose low node is the first. */
static void cell_polynomial(const float *node, float c[1 << DIM])
{
    static const int side[3] = {1, SIDE, SIDE * SIDE};
    for (int corner = 0; corner < (1 << DIM); corner++) {
        int at = 0;
        FOR_DIM(d)
            at += (corner >> d & 1) * side[d];
        c[corner] = node[at];
    }
    FOR_DIM(d)
        for (int corner = 0; corner < (1 << DIM); corner++)
            if (corner >> d & 1)
                c[corner] -= c[corner & ~(1 << d)];
}

/* Where `count` particles from `first` on go, that lie in (or, after push-apart, near) a cell. */
static inline void group_targets(const X(particles) *p, uint32_t first, int count,
                                 const int cell[DIM], const float poly[DIM][1 << DIM],
                                 float to[DIM][GROUP])
{
    for (int d = 0; d < DIM; d++) {
        const float *c = poly[d], *own = p->x[d] + first, *px = p->x[0] + first,
                    *py = p->x[1] + first, *pz = p->x[DIM - 1] + first;
        for (int k = 0; k < count; k++) {
            float x = px[k] - (float)cell[0], y = py[k] - (float)cell[1];
            float way = c[0] + c[1] * x + y * (c[2] + c[3] * x);
            if (DIM == 3) {
                float z = pz[k] - (float)cell[DIM - 1];
                way += z * (c[4 % (1 << DIM)] + c[5 % (1 << DIM)] * x +
                            y * (c[6 % (1 << DIM)] + c[7 % (1 << DIM)] * x));
            }
            way = way < MOST_WAY ? way : MOST_WAY;
            way = way > -MOST_WAY ? way : -MOST_WAY;
            to[d][k] = own[k] + way;
        }
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
        bool stays = X(settle)(&args->mover, x, target, v);
        FOR_DIM(d)
            to[d][k] = target[d];
        if (!stays)
            to[0][k] = DEAD;
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

static double move_cell(move_args *args, size_t index, const int cell[DIM],
                        const float poly[DIM][1 << DIM], bool far)
{
    X(sim) *s = args->s;
    X(particles) *p = &s->particles;
    double work = 0;
    uint32_t end = s->first[index] + s->count[index];
    for (uint32_t first = s->first[index]; first < end; first += GROUP) {
        int count = end - first < GROUP ? (int)(end - first) : GROUP;
        float to[DIM][GROUP];
        group_targets(p, first, count, cell, poly, to);
        if (!far || !are_inside(&s->grid, count, to))
            settle_group(args, first, count, to);
        for (int d = 0; d < DIM; d++) {
            float *x = p->x[d] + first, way = 0.0f;
            for (int k = 0; k < count; k++) {
                way += to[0][k] == DEAD ? 0.0f : to[d][k] - x[k];
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
        float nodes[DIM][NODES], poly[DIM][1 << DIM];
        X(tile_cell)(&s->grid, s->tiles.liquid[t], corner);
        size_t base = X(index)(&s->grid, corner);
        bool far = is_far_from_solids(s, corner);
        tile_nodes(s, base, nodes);
        for (int r = 0; r < TILE_ROWS; r++) {
            X(row_cell)(corner, r, cell);
            int row = SIDE * ((r & (TILE - 1)) + SIDE * (r >> TILE_SHIFT));
            for (int i = 0; i < TILE; i++, cell[0]++) {
                size_t index = base + X(row_offset)(&s->grid, r) + (size_t)i;
                if (s->count[index] == 0)
                    continue;
                FOR_DIM(d)
                    cell_polynomial(nodes[d] + row + i, poly[d]);
                work += move_cell(args, index, cell, poly, far);
            }
        }
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
    move_args args = {.s = s, .mover = X(mover_begin)(s, 0)};
    double work = X(sum)(s, (size_t)s->tiles.liquid_count, 1, move_partial, &args);
    X(mover_end)(&args.mover);
    return work;
}
