/* gauges.h -- the instruments of a scene, taken from what is on the grid at the end of a step.
 *
 *   height    length of the line from `at` upwards that is in liquid and not in a solid
 *   pressure  mean over a footprint of the pressure where it is in liquid
 *   velocity  of the grid, interpolated
 *   flux      sum over the faces in a plane of u x open share x share in liquid x area inside the
 *             rectangle; between two planes of faces, the mean of both by distance
 *   force     sum over liquid cells of p A
 *   moment    sum over liquid cells of r x p A
 *   front     the foremost of the lines against gravity, from cell to cell along an axis, on which
 *             the height is at least `depth`; between that line and the next one by bisection
 *
 * In full liquid the flux is the sum that the projection makes free of divergence: what enters a
 * stretch of a closed channel leaves it.
 *
 * A is the area of the solid in a cell as a vector that points into the solid. The closed surface
 * of the liquid in a cell has no net area, so A_d = (w_low - w_high) dx^(DIM-1) from the open
 * shares of the cell's two faces along d. The pressure is taken at the solid, not in the middle of
 * the cell: at the foot of the perpendicular in cut cells, on the closed face with voxel solids and
 * beside thin ones, which close whole faces. Where both faces along an axis are closed, in a gap
 * narrower than a cell, A_d is zero, and each of the two solids gets the pressure on its face.
 *
 * Force and moment are what the water loses. Besides grad p the water gets the turned part of the
 * kick k (g2p.h). Over a step of length dt that adds up to
 *
 *     rho dt/2 integral of (grad u)^T k,
 *
 * which is the integral over the surface of rho dt/2 (n (u . k) - (u . n) k), n out of the water.
 * Take k = -dt/rho grad p. At the free surface grad p is along n, and the two terms cancel. On a
 * solid that moves with V, u . n = V . n, and where V is constant the integral of n (V . grad p) -
 * (V . n) grad p = V x (n x grad p) over the closed surface is zero. So in place of p a solid gets
 *
 *     p + dt/2 (u - V) . grad p,      dt: of the step that led the particles to where p is found.
 *
 * Two parts are left out. That of gravity in k is n (u . g) on the solid and on the free surface,
 * and where the two are near each other it cancels; without it the loss of momentum is met better
 * (tests/unit/test_gauge_balance.c). And a solid that turns takes the force with it by half of its
 * turn in the step.
 *
 * Each gauge is a sum of items: pieces of the line, points of the footprint, faces, rows of cells;
 * a front is the largest of them, each of which is a line.
 * A device adds up the items of a part, TILE_ROWS of them, in their order, and the host the parts
 * (sim/gauges.c), so that every device has the same bits. */
#ifndef SPATE_KERNELS_GAUGES_H
#define SPATE_KERNELS_GAUGES_H

#include "probe.h"

/* A gauge of a scene as a device takes it; lengths in cells. */
typedef struct X(gauge) {
    spate_gauge_kind kind;
    uint32_t first, items; /* its first part; how many items it has */
    /* flux: the rectangle; front: the box; others: low is the place, moment: not only in the domain
     */
    double low[DIM], high[DIM];
    /* pressure, channel */
    int most, reach[3]; /* points along a radius; along the axes of the frame, to both sides */
    double step;        /* between points */
    double frame[3][3]; /* unit vectors, the first across the disc */
    int axis, plane; /* flux, front: it goes along the axis; flux: the plane of faces before it */
    int from[DIM], count[DIM]; /* and faces of the rectangle, lines: the first, and how many */
    int solid;                 /* force, moment: its index */
    int on_grid;               /* flux, channel: of the columns that the grid holds; -1: none */
    int sign;                  /* front: 1 or -1, the way along the axis */
    double depth;              /* front */
} X(gauge);

/* What a device needs to take the gauges; the pointers are the device's. */
typedef struct X(gauge_job) {
    X(probe) probe;
    const X(gauge) *gauges;
    int count;          /* of gauges */
    double (*parts)[3]; /* the sums of the parts, which it finds */
} X(gauge_job);

/* ---- height */

/* The part of 0 .. 1 in which a line from a to b is below 0. */
SP_KERNEL void X(below_zero)(double a, double b, double *from, double *to)
{
    double zero = (a < 0) != (b < 0) ? a / (a - b) : 0;
    *from = a < 0 ? 0 : zero;
    *to = b < 0 ? 1 : zero;
}

#define GAP_PIECES 8

/* Distance to the nearest solid the share `way` of a line from x to y. */
SP_KERNEL double X(solid_along)(const X(probe) *v, const double x[DIM], const double y[DIM],
                                double way)
{
    double at[DIM];
    FOR_DIM(d)
        at[d] = (1 - way) * x[d] + way * y[d];
    return X(probe_solid)(v, at);
}

/* Share of the line from x to y, which lie in one half of a cell, that is in liquid: phi is linear
 * along it. So is the distance to solids, unless there is a gap between two of them. */
SP_KERNEL double X(line_share)(const X(probe) *v, const double x[DIM], const double y[DIM])
{
    double middle[DIM], phi[2] = {0, 0}, full = 1, sum = 0;
    FOR_DIM(d)
        middle[d] = 0.5 * (x[d] + y[d]);
    if (X(in_closed_gap)(v, middle))
        return 0;
    if (v->f.surface == SURFACE_VOXEL) {
        middle[v->up] = floor(middle[v->up]) + 0.5;
        full = X(probe_surface)(v, middle);
        phi[0] = phi[1] = -1;
    } else {
        phi[0] = X(probe_surface)(v, x);
        phi[1] = X(probe_surface)(v, y);
    }
    double solid = X(probe_solid)(v, x), end = X(probe_solid)(v, y);
    double length = fabs(y[v->up] - x[v->up]) * v->f.grid.dx;
    bool gap =
        fmin(solid, end) <= 0 && solid + end + length > 0 && fabs(end - solid) < 0.999 * length;
    int pieces = gap ? GAP_PIECES : 1;
    for (int k = 1; k <= pieces; k++) {
        double from, to, free_from, free_to, before = (k - 1.0) / pieces,
                                             behind = (double)k / pieces;
        double next = k < pieces ? X(solid_along)(v, x, y, behind) : end;
        X(below_zero)(-solid, -next, &free_from, &free_to);
        X(below_zero)((1 - before) * phi[0] + before * phi[1],
                      (1 - behind) * phi[0] + behind * phi[1], &from, &to);
        sum += fmax(fmin(to, free_to) - fmax(from, free_from), 0.0);
        solid = next;
    }
    return full * sum / pieces;
}

/* phi is linear between middles, so a line is cut at the middles and at the faces. Piece number k
 * ends at its k-th cut. */
SP_KERNEL double X(height_cut)(const X(probe) *v, double start, size_t k)
{
    return v->sign > 0 ? 0.5 * (floor(2 * start + 1) + (double)k)
                       : 0.5 * (ceil(2 * start - 1) - (double)k);
}

SP_KERNEL double X(height_item)(const X(probe) *v, const X(gauge) *g, size_t k)
{
    double x[DIM], y[DIM];
    FOR_DIM(d)
        x[d] = y[d] = g->low[d];
    x[v->up] = k > 0 ? X(height_cut)(v, g->low[v->up], k - 1) : g->low[v->up];
    y[v->up] = X(height_cut)(v, g->low[v->up], k);
    return fabs(y[v->up] - x[v->up]) * X(line_share)(v, x, y);
}

/* ---- pressure, channels */

/* out: the value at one point of the footprint, and 1 if there is one. */
SP_KERNEL void X(footprint_item)(const X(probe) *v, const X(gauge) *g, size_t k, double out[3])
{
    int place[3], number = (int)k, square = 0;
    double at[DIM], value;
    for (int d = 2; d >= 0; d--) {
        int across = 2 * g->reach[d] + 1;
        place[d] = number % across - g->reach[d];
        number /= across;
        square += place[d] * place[d];
    }
    bool inside = square <= g->most * g->most;
    FOR_DIM(d) {
        double way = 0;
        for (int a = 0; a < 3; a++)
            way += place[a] * g->frame[a][d];
        at[d] = g->low[d] + g->step * way;
        inside = inside && at[d] >= -1e-9 && at[d] <= v->f.grid.end[d] + 1e-9;
    }
    if (!inside || X(probe_solid)(v, at) < -v->f.grid.dx ||
        !(g->kind == SPATE_GAUGE_CHANNEL ? X(probe_channel)(v, g->on_grid, at, &value)
                                         : X(probe_pressure)(v, at, &value)))
        return;
    out[0] = value;
    out[1] = 1;
}

/* ---- flux */

#define FACE_PARTS 4 /* of a face along each axis, to see how much of it is in liquid */

/* Share in liquid of the part low .. high of a face across axis a. A part of size h at level set
 * phi is taken as cut squarely: exact for a surface along an axis. */
SP_KERNEL double X(wet_share)(const X(probe) *v, int a, const double low[DIM],
                              const double high[DIM])
{
    double x[DIM], sum = 0, dx = v->f.grid.dx;
    FOR_DIM(d)
        x[d] = 0.5 * (low[d] + high[d]);
    double middle = X(probe_surface)(v, x);
    if (v->f.surface == SURFACE_VOXEL)
        return middle;
    if (fabs(middle) > 0.9 * dx)
        return middle < 0;
    for (int j = 0; j < FACE_PARTS; j++)
        for (int k = 0; k < LAST(FACE_PARTS); k++) {
            int part[2] = {j, k}, used = 0;
            double h = 1;
            FOR_DIM(d) {
                if (d == a)
                    continue;
                h = fmin(h, (high[d] - low[d]) / FACE_PARTS);
                x[d] = low[d] + (high[d] - low[d]) * (part[used++] + 0.5) / FACE_PARTS;
            }
            sum += fmin(fmax(0.5 - X(probe_surface)(v, x) / (h * dx), 0.0), 1.0);
        }
    return sum / (FACE_PARTS * LAST(FACE_PARTS));
}

/* Through a face of one of the two planes, in m/s times cells. */
SP_KERNEL double X(flux_item)(const X(probe) *v, const X(gauge) *g, size_t k)
{
    int a = g->axis, face[DIM], number = (int)k;
    double from[DIM], to[DIM], area = 1, share = g->low[a] - g->plane;
    FOR_DIM(d) {
        face[d] = g->from[d] + number % g->count[d];
        number /= g->count[d];
    }
    face[a] = g->plane + number;
    FOR_DIM(d) {
        from[d] = d == a ? face[a] : fmax(g->low[d], (double)face[d]);
        to[d] = d == a ? face[a] : fmin(g->high[d], (double)(face[d] + 1));
        area *= d == a ? 1 : to[d] - from[d];
    }
    area *= number ? share : 1 - share;
    size_t index = X(index)(&v->f.grid, face);
    double open = v->f.solids.live > 0 ? (double)v->f.w[a][index] : 1;
    if (!(open > 0) || !(area > 0))
        return 0;
    double carried = 1;
    if (g->on_grid >= 0) { /* what the cells on both sides have */
        const float *value = v->f.channel[g->on_grid] + index;
        carried = 0.5 * ((double)value[0] + (double)*(value - v->f.grid.stride[a]));
    }
    return carried * v->f.u[a][index] * open * area * X(wet_share)(v, a, from, to);
}

/* ---- force */

/* Adds force F, in Pa times faces, at a place, and its torque about a point. */
SP_KERNEL void X(add_load)(const double force[DIM], const double at[DIM], const double about[3],
                           double load[6])
{
    double f[3] = {0, 0, 0}, arm[3] = {0, 0, 0};
    FOR_DIM(d) {
        f[d] = force[d];
        arm[d] = at[d] - about[d];
        load[d] += force[d];
    }
    for (int d = 0; d < 3; d++) {
        int a = (d + 1) % 3, b = (d + 2) % 3;
        load[3 + d] += arm[a] * f[b] - arm[b] * f[a];
    }
}

/* dt/2 (u - u_solid) . grad p of a liquid cell (Pa), from its open faces, as the kick is turned. */
SP_KERNEL double X(returned_pressure)(const X(probe) *v, int solid, const int cell[DIM])
{
    const X(fields) *f = &v->f;
    size_t index = X(index)(&f->grid, cell);
    double x[3] = {0, 0, 0}, moving[3], sum = 0;
    if (v->path == 0)
        return 0;
    FOR_DIM(d)
        x[d] = (cell[d] + 0.5) * f->grid.dx;
    sp_body_velocity(&f->solids.items[solid], x, v->dt, moving);
    FOR_DIM(d) {
        double along = 0, open = 0, change;
        for (int side = 0; side < 2; side++) {
            size_t face = side ? index + f->grid.stride[d] : index;
            if (!X(pressure_change)(v, cell, d, side, &change))
                continue;
            along += f->w[d][face] * (f->u[d][face] - moving[d]) * change;
            open += f->w[d][face];
        }
        sum += open > 0 ? along / open : 0;
    }
    return 0.5 * v->path / f->grid.dx * sum;
}

/* Adds what a liquid cell gives the solid through its two faces along axis d, closed in part, with
 * the pressure at each of them. */
SP_KERNEL void X(face_load)(const X(probe) *v, int solid, const double about[3],
                            const int cell[DIM], int d, double low, double high, double load[6])
{
    double x[3] = {0, 0, 0}, at[DIM], force[DIM];
    for (int side = 0; side < 2; side++) {
        double closed = 1 - (side ? high : low);
        int nearest;
        FOR_DIM(a) {
            at[a] = cell[a] + (a == d ? side : 0.5);
            x[a] = at[a] * v->f.grid.dx;
            force[a] = 0;
        }
        if (closed == 0)
            continue;
        sp_bodies_distance(&v->f.solids, x, NULL, &nearest);
        if (nearest != solid)
            continue;
        double pressure = X(cell_pressure_at)(v, cell, at) + X(returned_pressure)(v, solid, cell);
        force[d] = (side ? closed : -closed) * pressure;
        X(add_load)(force, at, about, load);
    }
}

/* Of one liquid cell on a solid: force, and torque about a point (cells). */
SP_KERNEL void X(cell_load)(const X(probe) *v, int solid, const double about[3], size_t index,
                            const int cell[DIM], double load[6])
{
    const X(fields) *f = &v->f;
    double x[3] = {0, 0, 0}, normal[3], at[DIM], force[DIM], low[DIM], high[DIM];
    bool any = false, gap[DIM], cut = v->cut && !f->thin[index];
    int nearest;
    FOR_DIM(d) {
        low[d] = f->w[d][index];
        high[d] = f->w[d][index + f->grid.stride[d]];
        gap[d] = low[d] + high[d] == 0;
        any = any || gap[d] || (cut ? low[d] != high[d] : low[d] + high[d] != 2);
    }
    if (!any)
        return;
    FOR_DIM(d) {
        if (!cut || gap[d])
            X(face_load)(v, solid, about, cell, d, low[d], high[d], load);
    }
    if (!cut)
        return;
    FOR_DIM(a)
        x[a] = (cell[a] + 0.5) * f->grid.dx;
    double distance = sp_bodies_distance(&f->solids, x, normal, &nearest) / f->grid.dx;
    if (nearest < 0 || nearest != solid)
        return;
    distance = fmin(fmax(distance, -1.0), 1.0);
    FOR_DIM(a)
        at[a] = cell[a] + 0.5 - distance * normal[a];
    double pressure = X(cell_pressure_at)(v, cell, at) + X(returned_pressure)(v, solid, cell);
    FOR_DIM(d)
        force[d] = (low[d] - high[d]) * pressure;
    X(add_load)(force, at, about, load);
}

/* The same of row number r of an active tile. */
SP_KERNEL void X(row_load)(const X(probe) *v, int solid, const double about[3], int tile, int r,
                           double load[6])
{
    const X(fields) *f = &v->f;
    int first[DIM], cell[DIM];
    X(tile_cell)(&f->grid, tile, first);
    size_t base = X(index)(&f->grid, first), row = base + X(row_offset)(&f->grid, r);
    for (int k = 0; k < 6; k++)
        load[k] = 0;
    if (f->phi_solid[base] > 3.0f * TILE * f->grid.dx)
        return;
    X(row_cell)(first, r, cell);
    for (int i = 0; i < TILE; i++, cell[0]++)
        if (f->type[row + (size_t)i] == SPATE_CELL_LIQUID && X(inside)(&f->grid, cell))
            X(cell_load)(v, solid, about, row + (size_t)i, cell, load);
}

/* ---- front */

#define FRONT_HALVINGS 10

/* 1 or 0 if a cell is all liquid or all air on any line through it, by its level set, which is cut
 * off at a cell; -1 if a closer look is needed. */
SP_KERNEL int X(whole_cell)(const X(probe) *v, size_t index)
{
    const X(fields) *f = &v->f;
    double dx = f->grid.dx, phi = f->surface == SURFACE_GHOST ? (double)f->phi[index] : 0;
    if (phi >= 0.99 * dx)
        return 0;
    bool free = f->solids.live == 0 || f->phi_solid[index] - sqrt((double)DIM) * dx > dx;
    return phi <= -0.99 * dx && free ? 1 : -1;
}

/* Length in liquid of the line against gravity through x, from end to end of the box, or more than
 * `enough` of it. Nothing of it is in tiles that are not active. */
SP_KERNEL double X(column_depth)(const X(probe) *v, const X(gauge) *g, const double x[DIM],
                                 double enough)
{
    int up = v->up;
    double from[DIM], to[DIM], depth = 0;
    double end = v->sign > 0 ? g->high[up] : g->low[up];
    FOR_DIM(d)
        from[d] = to[d] = x[d];
    from[up] = v->sign > 0 ? g->low[up] : g->high[up];
    while (v->sign * (end - from[up]) > 1e-9 && depth < enough) {
        int tile[DIM], cell[DIM], whole = -1;
        double next = X(height_cut)(v, from[up], 0);
        to[up] = 0.5 * (from[up] + next);
        X(cell_at)(to, cell);
        size_t index = X(cell_for)(&v->f.grid, cell);
        X(coordinates)(&v->f.grid, index, cell);
        FOR_DIM(d)
            tile[d] = cell[d] / TILE + 1;
        if (!(v->f.tiles.state[X(tile_number)(&v->f.grid, tile)] & TILE_ACTIVE)) {
            double first = TILE * floor(to[up] / TILE);
            next = v->sign > 0 ? first + TILE : first;
            whole = 0;
        } else if (from[up] == floor(from[up]) && v->sign * (end - from[up]) >= 1) {
            whole = X(whole_cell)(v, index);
            next = whole >= 0 ? from[up] + v->sign : next;
        }
        to[up] = v->sign * (end - next) < 0 ? end : next;
        depth += fabs(to[up] - from[up]) * (whole >= 0 ? whole : X(line_share)(v, from, to));
        from[up] = to[up];
    }
    return depth;
}

/* Place along the axis of line number i, which the box may cut off; behind the last one, its end.
 */
SP_KERNEL double X(front_line)(const X(gauge) *g, int i)
{
    int a = g->axis, cell = g->sign > 0 ? g->from[a] + i : g->from[a] + g->count[a] - 1 - i;
    if (i >= g->count[a])
        return g->sign > 0 ? g->high[a] : g->low[a];
    return fmin(fmax(cell + 0.5, g->low[a]), g->high[a]);
}

/* out: how far it is, and 1 if this line is deep enough and the next one is not. */
SP_KERNEL void X(front_item)(const X(probe) *v, const X(gauge) *g, size_t k, double out[3])
{
    int a = g->axis, number = (int)k, i;
    double x[DIM], near, far;
    i = number % g->count[a];
    number /= g->count[a];
    FOR_DIM(d) {
        if (d == a || d == v->up)
            continue;
        x[d] = fmin(fmax(g->from[d] + number % g->count[d] + 0.5, g->low[d]), g->high[d]);
        number /= g->count[d];
    }
    x[v->up] = 0;
    near = x[a] = X(front_line)(g, i);
    if (X(column_depth)(v, g, x, g->depth) < g->depth)
        return;
    far = x[a] = X(front_line)(g, i + 1);
    bool deep = X(column_depth)(v, g, x, g->depth) >= g->depth;
    if (deep && i + 1 < g->count[a])
        return;
    for (int step = 0; step < FRONT_HALVINGS && !deep; step++) {
        x[a] = 0.5 * (near + far);
        if (X(column_depth)(v, g, x, g->depth) < g->depth)
            far = x[a];
        else
            near = x[a];
    }
    out[0] = g->sign * (deep ? far : 0.5 * (near + far));
    out[1] = 1;
}

/* ---- any */

/* Number k of a gauge's items. */
SP_KERNEL void X(gauge_item)(const X(probe) *v, const X(gauge) *g, size_t k, double out[3])
{
    double about[3] = {0, 0, 0}, load[6];
    out[0] = out[1] = out[2] = 0;
    if (k >= g->items)
        return;
    switch (g->kind) {
    case SPATE_GAUGE_HEIGHT: out[0] = X(height_item)(v, g, k); break;
    case SPATE_GAUGE_PRESSURE:
    case SPATE_GAUGE_CHANNEL: X(footprint_item)(v, g, k, out); break;
    case SPATE_GAUGE_VELOCITY: X(probe_velocity)(v, g->low, out); break;
    case SPATE_GAUGE_FLUX: out[0] = X(flux_item)(v, g, k); break;
    case SPATE_GAUGE_FORCE:
        X(row_load)(v, g->solid, about, v->f.tiles.active[k / TILE_ROWS], (int)(k % TILE_ROWS),
                    load);
        for (int d = 0; d < 3; d++)
            out[d] = load[d];
        break;
    case SPATE_GAUGE_MOMENT:
        FOR_DIM(d)
            about[d] = g->low[d];
        X(row_load)(v, g->solid, about, v->f.tiles.active[k / TILE_ROWS], (int)(k % TILE_ROWS),
                    load);
        for (int d = 0; d < 3; d++)
            out[d] = DIM == 3 ? load[3 + d] : d == 0 ? load[5] : 0;
        break;
    case SPATE_GAUGE_FRONT: X(front_item)(v, g, k, out); break;
    case SPATE_GAUGE_SLICE: break;
    }
}

/* One item or part more. */
SP_KERNEL void X(gauge_add)(const X(gauge) *g, const double one[3], double sum[3])
{
    if (g->kind != SPATE_GAUGE_FRONT) {
        for (int v = 0; v < 3; v++)
            sum[v] += one[v];
    } else if (one[1] > 0 && (sum[1] == 0 || one[0] > sum[0])) {
        sum[0] = one[0];
        sum[1] = 1;
    }
}

/* The gauge that a part belongs to. */
SP_KERNEL const X(gauge) *X(gauge_of_part)(const X(gauge) *gauges, int count, size_t part)
{
    int low = 0, high = count;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (gauges[middle].first <= part)
            low = middle;
        else
            high = middle;
    }
    return &gauges[low];
}

#endif
