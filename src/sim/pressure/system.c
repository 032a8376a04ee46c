/* system.c -- the pressure system.
 *
 * The projection takes the gradient of a pressure p from the velocity u so that what is left has no
 * divergence:
 *
 *     u' = u - dt/rho grad p,    div u' = 0 in the liquid,   p = 0 on the surface,   u' = u_solid
 * on solids.
 *
 * With q = p dt / (rho dx), a velocity, the discrete form has no units left. Over the faces f of a
 * liquid cell c, with n the cell across,
 *
 *     sum_f a_f (q_c - q_n)       = -sum_f +-(w_f u_f + (1 - w_f) u_solid)           (A q = b)
 *     u'_f = u_f - (q_c - q_n) s_f
 *
 * w_f is the open share of the face (fractions.c; 0 or 1 with voxel solids, 0 at walls and
 * inflows). Between two liquid cells a_f = w_f and s_f = 1. Towards air the surface lies the share
 * theta = phi_c / (phi_c - phi_n) of the way to the middle of the air cell, and there p = 0: q_n =
 * 0, s_f = 1 / theta, a_f = w_f / theta (ghost fluid, Gibou et al. 2002; theta = 1 with a voxel
 * surface). The off-diagonal is there only between liquid cells, so A is symmetric. A residual r of
 * this system times dt/dx is the share of the cell's volume lost in the step.
 *
 * A component of the liquid that touches no air (a pocket) has no pressure of its own: its system
 * is singular, and solvable only if its fluxes sum to zero, so the mean is taken out of its right
 * side. */
#include "pressure.h"

#include "device/device.h"

#include <math.h>

static bool is_closed(uint8_t type)
{
    return type >= SPATE_CELL_SOLID;
}

/* Open share of face d of a cell: 0 if a wall, a solid or an inflow closes it. */
static float open_share(const X(sim) *s, size_t face, int d)
{
    if (is_closed(s->type[face]) || is_closed(s->type[face - s->grid.stride[d]]))
        return 0.0f;
    return s->solids.live > 0 ? s->w[d][face] : 1.0f;
}

/* 1 / theta from a liquid cell to an air cell. */
static float surface_factor(const X(sim) *s, size_t liquid, size_t air)
{
    if (!X(has_level_set)(s))
        return 1.0f;
    if (s->phi[air] < 0.0f)
        return 2.0f; /* an open side or an outflow, whatever phi says there: p = 0 on the face */
    float theta = s->phi[liquid] / (s->phi[liquid] - s->phi[air]);
    return 1.0f / (theta > s->system.least_theta ? theta : s->system.least_theta);
}

/* Flux through face d of a cell, per face area, m/s: through its open part and with the solid's
 * surface. */
static double flux(const X(sim) *s, size_t face, int d, double dt)
{
    if (s->solids.live == 0 || s->w[d][face] >= 1.0f)
        return s->u[d][face];
    double w = s->w[d][face];
    int cell[DIM];
    X(coordinates)(&s->grid, face, cell);
    return w * s->u[d][face] + (1 - w) * X(face_velocity)(s, cell, d, dt);
}

static double outflow(const X(sim) *s, size_t index, double dt)
{
    double sum = 0;
    FOR_DIM(d)
        sum += flux(s, index + s->grid.stride[d], d, dt) - flux(s, index, d, dt);
    return sum;
}

/* inside: whether the cell belongs to the domain; the images of cells across periodic sides have no
 * equation. */
static void assemble_cell(X(sim) *s, size_t index, bool inside, double dt)
{
    X(system) *y = &s->system;
    bool liquid = inside && s->type[index] == SPATE_CELL_LIQUID;
    float diagonal = 0.0f;
    y->pocket[index] = liquid;
    FOR_DIM(d) {
        y->a[d][index] = 0.0f;
        for (int side = 0; side < 2 && liquid; side++) {
            size_t face = side ? index + s->grid.stride[d] : index;
            size_t near = side ? face : index - s->grid.stride[d];
            float w = open_share(s, face, d);
            if (w == 0.0f)
                continue;
            if (s->type[near] == SPATE_CELL_AIR) {
                y->pocket[index] = 0;
                w *= surface_factor(s, index, near);
            } else if (side == 0) {
                y->a[d][index] = w;
            }
            diagonal += w;
        }
    }
    /* a cell closed on all sides has no equation: nothing can change its flux */
    y->diagonal[index] = diagonal;
    y->r[index] = 0.0f;
    if (y->inverse)
        y->inverse[index] = diagonal > 0.0f ? 1.0f / diagonal : 0.0f;
    y->b[index] = diagonal > 0.0f ? (float)-outflow(s, index, dt) : 0.0f;
    if (diagonal == 0.0f)
        y->q[index] = 0.0f;
}

typedef struct system_args {
    X(sim) *s;
    double dt;
} system_args;

static void assemble_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const system_args *args = user;
    X(sim) *s = args->s;
    for (size_t k = begin; k < end; k++) {
        int first[DIM], cell[DIM];
        X(tile_cell)(&s->grid, s->tiles.active[k], first);
        size_t base = X(index)(&s->grid, first);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                X(row_cell)(first, r, cell);
                cell[0] += i;
                assemble_cell(s, base + X(row_offset)(&s->grid, r) + (size_t)i,
                              X(inside)(&s->grid, cell), args->dt);
            }
    }
}

/* The neighbour of a cell across a face, on the other side of the domain if the side is periodic.
 */
static size_t neighbour(const X(grid) *g, size_t index, int d, int side)
{
    size_t next = (size_t)((ptrdiff_t)index + side * (ptrdiff_t)g->stride[d]);
    if (!g->periodic[d])
        return next;
    size_t place = next / g->stride[d];
    if (d < DIM - 1)
        place %= g->stride[d + 1] / g->stride[d];
    if (place < TILE)
        return next + (size_t)g->n[d] * g->stride[d];
    if (place >= (size_t)(TILE + g->n[d]))
        return next - (size_t)g->n[d] * g->stride[d];
    return next;
}

/* Visits all liquid cells that the cells of the queue are connected to and that still have the mark
 * `from`, giving them `to`. Returns the length of the queue. */
static size_t flood(X(sim) *s, uint32_t *queue, size_t length, uint8_t from, uint8_t to)
{
    for (size_t next = 0; next < length; next++)
        for (int d = 0; d < DIM; d++)
            for (int side = -1; side <= 1; side += 2) {
                size_t near = neighbour(&s->grid, queue[next], d, side),
                       face = side < 0 ? queue[next] : near;
                if (!(s->system.diagonal[near] > 0.0f) || s->system.pocket[near] != from ||
                    s->system.a[d][face] == 0.0f)
                    continue;
                s->system.pocket[near] = to;
                queue[length++] = (uint32_t)near;
            }
    return length;
}

/* The marks `pocket` of liquid cells. Those of pockets change from one to the other with every
 * right side whose mean is taken out. */
enum { OPEN = 0, CLOSED = 1, POCKET = 2, POCKET_TOO = 3 };

/* The cells of a component get the mark `to`; those of a pocket lose the mean of their right sides.
 */
static void settle_component(X(sim) *s, size_t index, uint8_t from, uint8_t to)
{
    X(system) *y = &s->system;
    uint32_t *queue = y->queue;
    queue[0] = (uint32_t)index;
    y->pocket[index] = to;
    size_t length = flood(s, queue, 1, from, to);
    if (to == OPEN)
        return;
    y->pocket_mark = to;
    double sum = 0;
    for (size_t c = 0; c < length; c++)
        sum += y->b[queue[c]];
    for (size_t c = 0; c < length; c++)
        y->b[queue[c]] = (float)(y->b[queue[c]] - sum / (double)length);
}

/* Settles all components that have a cell with the mark `seed`: its cells with the mark `from` get
 * `to`. */
static void settle_components(X(sim) *s, uint8_t seed, uint8_t from, uint8_t to)
{
    for (int k = 0; k < s->tiles.active_count; k++) {
        size_t base = X(tile_index)(&s->grid, s->tiles.active[k]);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                size_t index = base + X(row_offset)(&s->grid, r) + (size_t)i;
                if (s->system.diagonal[index] > 0.0f && s->system.pocket[index] == seed)
                    settle_component(s, index, from, to);
            }
    }
}

/* The mark is OPEN in cells that touch air and CLOSED in the others at first. */
static void settle_pockets(X(sim) *s)
{
    s->system.pocket_mark = OPEN;
    settle_components(s, OPEN, CLOSED, OPEN);
    settle_components(s, CLOSED, CLOSED, POCKET);
}

void X(system_balance)(X(sim) *s)
{
    uint8_t mark = s->system.pocket_mark;
    if (mark != OPEN)
        settle_components(s, mark, mark, mark == POCKET ? POCKET_TOO : POCKET);
}

/* Level 0's tiles: those with an unknown, the tiles that the solvers work on. */
static void list_unknown_tiles(X(sim) *s)
{
    X(level) *l = &s->system.levels[0];
    l->tile_count = 0;
    for (int k = 0; k < s->tiles.active_count; k++) {
        size_t base = X(tile_index)(&s->grid, s->tiles.active[k]);
        bool any = false;
        for (int r = 0; r < TILE_ROWS && !any; r++)
            for (int i = 0; i < TILE; i++)
                any =
                    any || s->system.diagonal[base + X(row_offset)(&s->grid, r) + (size_t)i] > 0.0f;
        if (any)
            l->tiles[l->tile_count++] = s->tiles.active[k];
    }
}

void X(system_assemble)(X(sim) *s, double dt)
{
    system_args args = {s, dt};
    FOR_DIM(d)
        X(fill_border)(s, s->u[d], d);
    sp_parallel_for(s->common->pool, (size_t)s->tiles.active_count, 4, assemble_range, &args);
    s->system.built = false;
    list_unknown_tiles(s);
    settle_pockets(s);
    FOR_DIM(d)
        X(fill_border_periodic)(s, s->system.a[d]);
}

typedef struct gradient_args {
    X(sim) *s;
    float *const *u;
} gradient_args;

static void gradient_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const gradient_args *args = user;
    X(sim) *s = args->s;
    const X(grid) *g = &s->grid;
    for (size_t k = begin; k < end; k++) {
        int t[DIM];
        X(tile_coordinates)(g, s->tiles.faces[k], t);
        size_t base = X(tile_index)(g, s->tiles.faces[k]);
        for (int r = 0; r < TILE_ROWS; r++) {
            if (!X(row_has_faces)(g, t, r))
                continue;
            for (int i = 0; i < TILE; i++) {
                size_t index = base + X(row_offset)(g, r) + (size_t)i;
                FOR_DIM(d) {
                    size_t low = index - g->stride[d];
                    bool here = s->type[index] == SPATE_CELL_LIQUID,
                         there = s->type[low] == SPATE_CELL_LIQUID;
                    if ((!here && !there) || open_share(s, index, d) == 0.0f)
                        continue;
                    float factor = here && there ? 1.0f
                                   : here        ? surface_factor(s, index, low)
                                                 : surface_factor(s, low, index);
                    args->u[d][index] -= factor * (s->system.q[index] - s->system.q[low]);
                }
            }
        }
    }
}

void X(system_gradient)(X(sim) *s, float *const u[DIM])
{
    gradient_args args = {s, u};
    X(fill_border_periodic)(s, s->system.q);
    sp_parallel_for(s->common->pool, (size_t)s->tiles.face_count, 4, gradient_range, &args);
    FOR_DIM(d)
        X(fill_border)(s, u[d], d);
}

static double divergence_partial(void *user, size_t begin, size_t end)
{
    const system_args *args = user;
    X(sim) *s = args->s;
    double most = 0;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&s->grid, s->tiles.active[k]);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                size_t index = base + X(row_offset)(&s->grid, r) + (size_t)i;
                double size =
                    s->system.diagonal[index] > 0.0f ? fabs(outflow(s, index, args->dt)) : 0;
                most = size > most || size != size ? size : most;
            }
    }
    return most;
}

double X(system_divergence)(X(sim) *s, double dt)
{
    system_args args = {s, dt};
    return X(maximum)(s, (size_t)s->tiles.active_count, 1, divergence_partial, &args);
}

static double largest_partial(void *user, size_t begin, size_t end)
{
    X(sim) *s = user;
    double most = 0;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&s->grid, s->system.levels[0].tiles[k]);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                double size =
                    fabs((double)s->system.b[base + X(row_offset)(&s->grid, r) + (size_t)i]);
                most = size > most || size != size ? size : most;
            }
    }
    return most;
}

double X(system_largest_b)(X(sim) *s)
{
    return X(maximum)(s, (size_t)s->system.levels[0].tile_count, 1, largest_partial, s);
}

typedef struct residual_args {
    X(sim) *s;
    const float *q;
    const double *q_sum;
} residual_args;

static double residual_partial(void *user, size_t begin, size_t end)
{
    const residual_args *args = user;
    X(sim) *s = args->s;
    const X(system) *y = &s->system;
    double most = 0;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&s->grid, s->system.levels[0].tiles[k]);
        for (int row = 0; row < TILE_ROWS; row++)
            for (int i = 0; i < TILE; i++) {
                size_t c = base + X(row_offset)(&s->grid, row) + (size_t)i;
#define Q(index) (args->q_sum ? args->q_sum[index] : (double)args->q[index])
                double r = (double)y->b[c] - y->diagonal[c] * Q(c);
                FOR_DIM(d) {
                    size_t step = s->grid.stride[d];
                    r += y->a[d][c] * Q(c - step) + y->a[d][c + step] * Q(c + step);
                }
#undef Q
                r = y->diagonal[c] > 0.0f ? r : 0;
                y->r[c] = (float)r;
                r = fabs(r);
                most = r > most || r != r ? r : most;
            }
    }
    return most;
}

double X(system_residual)(X(sim) *s, const float *q, const double *q_sum)
{
    residual_args args = {s, q, q_sum};
    return X(maximum)(s, (size_t)s->system.levels[0].tile_count, 1, residual_partial, &args);
}
