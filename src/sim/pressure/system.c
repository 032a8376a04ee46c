/* system.c -- the pressure system.
 *
 * The projection takes the gradient of a pressure p from the velocity u so that what is left has no divergence:
 *
 *     u' = u - dt/rho grad p,    div u' = 0 in the liquid,   p = 0 in air,   u' = u_solid on solids.
 *
 * With q = p dt / (rho dx), a velocity, the discrete form has no units left: over the faces of a liquid cell c,
 *
 *     sum_f a_f (q_c - q_n) = -sum_f +-u_f            (A q = b)
 *     u'_f = u_f - (q_c - q_c-1)
 *
 * where n is the cell across face f, a_f = 1 if the face is open and 0 if it is closed (solid, wall, inflow; u_f is then
 * prescribed), and q_n = 0 in air. The diagonal counts the open faces; the off-diagonal is there only between two
 * liquid cells. A residual r of this system times dt/dx is the share of the cell's volume lost in the step.
 *
 * A component of the liquid that touches no air (a pocket) has no pressure of its own: its system is singular, and
 * solvable only if its fluxes sum to zero, so the mean is taken out of its right side. */
#include "pressure.h"

#include "device/device.h"

#include <math.h>

static bool is_closed(uint8_t type)
{
    return type >= SPATE_CELL_SOLID;
}

/* Sum of the velocities out of a cell, m/s. */
static double outflow(const X(sim) *s, size_t index)
{
    double sum = 0;
    FOR_DIM(d) sum += (double)s->u[d][index + s->grid.stride[d]] - (double)s->u[d][index];
    return sum;
}

/* inside: whether the cell belongs to the domain; the images of cells across periodic sides have no equation. */
static void assemble_cell(X(sim) *s, size_t index, bool inside)
{
    X(system) *y = &s->system;
    bool liquid = inside && s->type[index] == SPATE_CELL_LIQUID;
    float diagonal = 0.0f;
    y->pocket[index] = liquid;
    FOR_DIM(d) {
        uint8_t low = s->type[index - s->grid.stride[d]], high = s->type[index + s->grid.stride[d]];
        y->a[d][index] = liquid && low == SPATE_CELL_LIQUID ? 1.0f : 0.0f;
        diagonal += (float)(!is_closed(low)) + (float)(!is_closed(high));
        if (low == SPATE_CELL_AIR || high == SPATE_CELL_AIR)
            y->pocket[index] = 0;
    }
    /* a cell closed on all sides has no equation: nothing can change its flux */
    y->diagonal[index] = liquid ? diagonal : 0.0f;
    y->b[index] = liquid && diagonal > 0.0f ? (float)-outflow(s, index) : 0.0f;
    if (!liquid || diagonal == 0.0f)
        y->q[index] = 0.0f;
}

static void assemble_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = user;
    for (size_t k = begin; k < end; k++) {
        int first[DIM], cell[DIM];
        X(tile_cell)(&s->grid, s->tiles.active[k], first);
        size_t base = X(index)(&s->grid, first);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                X(row_cell)(first, r, cell);
                cell[0] += i;
                assemble_cell(s, base + X(row_offset)(&s->grid, r) + (size_t)i, X(inside)(&s->grid, cell));
            }
    }
}

/* The neighbour of a cell across a face, on the other side of the domain if the side is periodic. */
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

/* Visits all liquid cells that the cells of the queue are connected to and that still have the mark `from`, giving
 * them `to`. Returns the length of the queue. */
static size_t flood(X(sim) *s, X(word) *queue, size_t length, uint8_t from, uint8_t to)
{
    for (size_t next = 0; next < length; next++)
        for (int d = 0; d < DIM; d++)
            for (int side = -1; side <= 1; side += 2) {
                size_t near = neighbour(&s->grid, queue[next], d, side);
                if (!(s->system.diagonal[near] > 0.0f) || s->system.pocket[near] != from)
                    continue;
                s->system.pocket[near] = to;
                queue[length++] = (uint32_t)near;
            }
    return length;
}

/* Floods the component of a cell that reaches air (mark 0) or, with `pocket`, that of one that does not: its cells get
 * mark 2 and lose the mean of their right sides. */
static void settle_component(X(sim) *s, size_t index, bool pocket)
{
    X(system) *y = &s->system;
    X(word) *queue = (X(word) *)y->r; /* free until the solve begins */
    queue[0] = (uint32_t)index;
    if (!pocket) {
        flood(s, queue, 1, 1, 0);
        return;
    }
    y->pocket[index] = 2;
    size_t length = flood(s, queue, 1, 1, 2);
    double sum = 0;
    for (size_t c = 0; c < length; c++)
        sum += y->b[queue[c]];
    for (size_t c = 0; c < length; c++)
        y->b[queue[c]] = (float)(y->b[queue[c]] - sum / (double)length);
}

/* The mark `pocket` is 0 in cells that touch air and 1 in the others at first. */
static void settle_pockets(X(sim) *s)
{
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < s->tiles.active_count; k++) {
            size_t base = X(tile_index)(&s->grid, s->tiles.active[k]);
            for (int r = 0; r < TILE_ROWS; r++)
                for (int i = 0; i < TILE; i++) {
                    size_t index = base + X(row_offset)(&s->grid, r) + (size_t)i;
                    if (s->system.diagonal[index] > 0.0f && s->system.pocket[index] == pass)
                        settle_component(s, index, pass == 1);
                }
        }
}

void X(system_assemble)(X(sim) *s)
{
    FOR_DIM(d) X(fill_border)(s, s->u[d], d);
    sp_parallel_for(s->common->pool, (size_t)s->tiles.active_count, 4, assemble_range, s);
    settle_pockets(s);
    FOR_DIM(d) X(fill_border_periodic)(s, s->system.a[d]);
}

static void gradient_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = user;
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
                    uint8_t here = s->type[index], there = s->type[index - g->stride[d]];
                    bool wet = here == SPATE_CELL_LIQUID || there == SPATE_CELL_LIQUID;
                    if (wet && !is_closed(here) && !is_closed(there))
                        s->u[d][index] -= s->system.q[index] - s->system.q[index - g->stride[d]];
                }
            }
        }
    }
}

void X(system_gradient)(X(sim) *s)
{
    X(fill_border_periodic)(s, s->system.q);
    sp_parallel_for(s->common->pool, (size_t)s->tiles.face_count, 4, gradient_range, s);
    FOR_DIM(d) X(fill_border)(s, s->u[d], d);
}

static double divergence_partial(void *user, size_t begin, size_t end)
{
    X(sim) *s = user;
    double most = 0;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&s->grid, s->tiles.liquid[k]);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                size_t index = base + X(row_offset)(&s->grid, r) + (size_t)i;
                double size = s->system.diagonal[index] > 0.0f ? fabs(outflow(s, index)) : 0;
                most = size > most || size != size ? size : most;
            }
    }
    return most;
}

double X(system_divergence)(X(sim) *s)
{
    return X(maximum)(s, (size_t)s->tiles.liquid_count, 1, divergence_partial, s);
}

static double largest_partial(void *user, size_t begin, size_t end)
{
    X(sim) *s = user;
    double most = 0;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&s->grid, s->tiles.liquid[k]);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                double size = fabs((double)s->system.b[base + X(row_offset)(&s->grid, r) + (size_t)i]);
                most = size > most || size != size ? size : most;
            }
    }
    return most;
}

double X(system_largest_b)(X(sim) *s)
{
    return X(maximum)(s, (size_t)s->tiles.liquid_count, 1, largest_partial, s);
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
        size_t base = X(tile_index)(&s->grid, s->tiles.liquid[k]);
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
    return X(maximum)(s, (size_t)s->tiles.liquid_count, 1, residual_partial, &args);
}
