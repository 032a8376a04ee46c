/* probe.c -- what the grid says at a point between its cells.
 *
 * Cell values are interpolated linearly between the middles of cells. Beyond the last middles
 * before a side the nearest cell holds; across periodic sides the grid goes on.
 *
 * Pressure is defined in liquid cells only, and a gauge often sits on a wall, half a cell from the
 * nearest of them. So each liquid cell c around a point x gives the linear field
 *
 *     p_c + sum_d slope_d (x_d - x_c,d)
 *
 * and the result is the mean of these, with the weights of linear interpolation. The slope along an
 * axis is the mean of the differences across the open faces of the cell; towards air that is -p_c /
 * theta, because the solve has put p = 0 the share theta of the way to the next middle
 * (pressure/system.c); with no open face along an axis it is 0. A pressure that grows linearly with
 * depth is reproduced exactly, on walls and on solids too. */
#include "gauges.h"
#include "kernels/surface.h"

#include <math.h>

int X(up_axis)(const X(sim) *s, int *sign)
{
    const double *gravity = s->common->gravity;
    int axis = 1;
    FOR_DIM(d)
        axis = fabs(gravity[d]) > fabs(gravity[axis]) ? d : axis;
    *sign = gravity[axis] > 0 ? -1 : 1;
    return axis;
}

/* The cell that stands for cell c: its image across periodic sides, else the nearest in the domain.
 */
static size_t cell_for(const X(sim) *s, const int c[DIM])
{
    const X(grid) *g = &s->grid;
    int inside[DIM];
    FOR_DIM(d) {
        int n = g->n[d];
        inside[d] = g->periodic[d] ? (c[d] % n + n) % n : c[d] < 0 ? 0 : c[d] < n ? c[d] : n - 1;
    }
    return X(index)(g, inside);
}

typedef double value_fn(const X(sim) *s, size_t index);

static double interpolate(const X(sim) *s, const double x[DIM], value_fn *value)
{
    double sum = 0;
    for (int corner = 0; corner < (1 << DIM); corner++) {
        double weight = 1;
        int cell[DIM];
        FOR_DIM(d) {
            int side = corner >> d & 1;
            double low = floor(x[d] - 0.5), share = x[d] - 0.5 - low;
            cell[d] = (int)low + side;
            weight *= side ? share : 1 - share;
        }
        if (weight > 0)
            sum += weight * value(s, cell_for(s, cell));
    }
    return sum;
}

/* Outside the active tiles nothing is computed, phi is 0, and there is no liquid. */
static double phi_value(const X(sim) *s, size_t index)
{
    int t[DIM];
    X(coordinates)(&s->grid, index, t);
    FOR_DIM(d)
        t[d] = t[d] / TILE + 1;
    return s->tiles.state[X(tile_number)(&s->grid, t)] & TILE_ACTIVE ? (double)s->phi[index]
                                                                     : s->grid.dx;
}

/* A cell under another full one is full; the topmost holds what its particles fill. */
static double fill_value(const X(sim) *s, size_t index)
{
    int sign, up = X(up_axis)(s, &sign);
    if (s->type[index] != SPATE_CELL_LIQUID)
        return 0;
    ptrdiff_t above = (ptrdiff_t)index + sign * (ptrdiff_t)s->grid.stride[up];
    if (s->type[above] == SPATE_CELL_LIQUID)
        return 1;
    double rest = 1;
    FOR_DIM(d)
        rest *= s->common->scene->fluid.particles_per_axis;
    double share = s->count[index] / rest;
    return share < 1 ? share : 1;
}

double X(probe_phi)(const X(sim) *s, const double x[DIM])
{
    return interpolate(s, x, phi_value);
}

double X(probe_fill)(const X(sim) *s, const double x[DIM])
{
    return interpolate(s, x, fill_value);
}

double X(probe_solid)(const X(sim) *s, const double x[DIM])
{
    double world[3] = {0, 0, 0};
    int cell[DIM];
    if (s->solids.live == 0)
        return HUGE_VAL;
    FOR_DIM(d) {
        cell[d] = (int)floor(x[d]);
        world[d] = x[d] * s->grid.dx;
    }
    double bound = s->phi_solid[cell_for(s, cell)] - sqrt((double)DIM) * s->grid.dx;
    return bound > s->grid.dx ? bound : sp_solids_distance(&s->solids, world, NULL, NULL);
}

bool X(probe_liquid)(const X(sim) *s, const double x[DIM])
{
    int cell[DIM];
    if (X(has_level_set)(s))
        return X(probe_phi)(s, x) < 0;
    FOR_DIM(d)
        cell[d] = (int)floor(x[d]);
    return s->type[cell_for(s, cell)] == SPATE_CELL_LIQUID;
}

/* ---- pressure */

static double pressure_of(const X(sim) *s, size_t index)
{
    return s->stretch == 1 ? s->p[index] : s->stretch * s->p[index] + (1 - s->stretch) * s->p_gravity[index];
}

/* Slope of the pressure along axis d in a liquid cell, Pa per cell. Types and open shares are also
 * known just outside the domain, pressure and level set are not. */
static double slope(const X(sim) *s, const int cell[DIM], int d)
{
    size_t index = X(index)(&s->grid, cell), stride = s->grid.stride[d];
    double here = pressure_of(s, index), sum = 0;
    int count = 0;
    for (int side = 0; side < 2; side++) {
        size_t near = side ? index + stride : index - stride, face = side ? near : index;
        if (s->type[near] >= SPATE_CELL_SOLID || (s->solids.live > 0 && s->w[d][face] == 0.0f))
            continue;
        int next[DIM];
        FOR_DIM(a)
            next[a] = cell[a] + (a == d ? 2 * side - 1 : 0);
        size_t image = cell_for(s, next);
        double change = s->type[near] == SPATE_CELL_LIQUID
                            ? pressure_of(s, image) - here
                            : -here * X(surface_factors)(s->ghost, (float)s->grid.dx, s->phi[index],
                                                         s->phi[image]);
        sum += side ? change : -change;
        count++;
    }
    return count > 0 ? sum / count : 0;
}

double X(cell_pressure_at)(const X(sim) *s, const int cell[DIM], const double x[DIM])
{
    double pressure = pressure_of(s, X(index)(&s->grid, cell));
    FOR_DIM(d) {
        double way = x[d] - cell[d] - 0.5;
        if (way != 0)
            pressure += way * slope(s, cell, d);
    }
    return pressure;
}

bool X(probe_pressure)(const X(sim) *s, const double x[DIM], double *pressure)
{
    const X(grid) *g = &s->grid;
    double sum = 0, weights = 0;
    if (!X(probe_liquid)(s, x))
        return false;
    for (int corner = 0; corner < (1 << DIM); corner++) {
        double weight = 1, at[DIM];
        int cell[DIM];
        FOR_DIM(d) {
            int side = corner >> d & 1;
            double low = floor(x[d] - 0.5), share = x[d] - 0.5 - low;
            cell[d] = (int)low + side;
            weight *= side ? share : 1 - share;
            /* the image of the cell, and the point beside it */
            int around = !g->periodic[d]      ? 0
                         : cell[d] < 0        ? g->n[d]
                         : cell[d] >= g->n[d] ? -g->n[d]
                                              : 0;
            cell[d] += around;
            at[d] = x[d] + around;
        }
        if (weight <= 0 || !X(inside)(g, cell) || s->type[X(index)(g, cell)] != SPATE_CELL_LIQUID)
            continue;
        sum += weight * X(cell_pressure_at)(s, cell, at);
        weights += weight;
    }
    *pressure = weights > 0 ? sum / weights : 0;
    return weights > 0;
}
