/* gauges.c -- the instruments of a scene, read at the end of every step from what is then on the
 * grid.
 *
 *   height    length of the line from `at` upwards that is in liquid and not in a solid
 *   pressure  mean over a footprint of the pressure where it is in liquid
 *   velocity  of the grid, interpolated
 *   flux      sum over the faces in a plane of u x open share x share in liquid x area inside the
 *             rectangle; between two planes of faces, the mean of both by distance
 *   force     sum over liquid cells of p A
 *
 * In full liquid the flux is the sum that the projection makes free of divergence: what enters a
 * stretch of a closed channel leaves it.
 *
 * A is the area of the solid in a cell as a vector that points into the solid. The closed surface
 * of the liquid in a cell has no net area, so A_d = (w_low - w_high) dx^(DIM-1) from the open
 * shares of the cell's two faces along d. The pressure is taken at the solid, not in the middle of
 * the cell: at the foot of the perpendicular in cut cells, on the closed face with voxel solids and
 * beside thin ones, which close whole faces. */
#include "gauges.h"

#include "scene/gauge.h"
#include "sim.h"

#include <math.h>
#include <string.h>

static double face_area(const X(sim) *s)
{
    double area = 1;
    for (int d = 1; d < DIM; d++)
        area *= s->grid.dx;
    return area;
}

static void in_cells(const X(sim) *s, const double point[3], double x[DIM])
{
    FOR_DIM(d)
        x[d] = fmin(fmax(point[d] / s->grid.dx, 0), s->grid.n[d]);
}

/* ---- height */

/* The part of 0 .. 1 in which a line from a to b is below 0. */
static void below_zero(double a, double b, double *from, double *to)
{
    double zero = (a < 0) != (b < 0) ? a / (a - b) : 0;
    *from = a < 0 ? 0 : zero;
    *to = b < 0 ? 1 : zero;
}

/* Share of the line from x to y, which lie in one half of a cell, that is in liquid. */
static double liquid_share(const X(sim) *s, const double x[DIM], const double y[DIM], int up)
{
    double from, to, free_from, free_to;
    below_zero(-X(probe_solid)(s, x), -X(probe_solid)(s, y), &free_from, &free_to);
    if (!X(has_level_set)(s)) {
        double middle[DIM];
        memcpy(middle, x, sizeof middle);
        middle[up] = floor(0.5 * (x[up] + y[up])) + 0.5;
        return fmax(free_to - free_from, 0) * X(probe_fill)(s, middle);
    }
    below_zero(X(probe_phi)(s, x), X(probe_phi)(s, y), &from, &to);
    return fmax(fmin(to, free_to) - fmax(from, free_from), 0);
}

static double height(const X(sim) *s, const spate_gauge *gauge)
{
    int sign, up = X(up_axis)(s, &sign);
    double x[DIM], y[DIM], sum = 0, end = sign > 0 ? s->grid.n[up] : 0;
    in_cells(s, gauge->at, x);
    memcpy(y, x, sizeof y);
    while (sign * (end - x[up]) > 0) {
        /* phi is linear between middles, so a line is cut at the middles and at the faces */
        y[up] = sign > 0 ? 0.5 * floor(2 * x[up] + 1) : 0.5 * ceil(2 * x[up] - 1);
        sum += fabs(y[up] - x[up]) * liquid_share(s, x, y, up);
        x[up] = y[up];
    }
    return sum * s->grid.dx;
}

/* ---- pressure */

#define FOOTPRINT_MOST 8 /* points along a radius */

/* Unit vector across the wall or solid that is within a cell of x; false if there is none. */
static bool across_wall(const X(sim) *s, const double x[DIM], double normal[3])
{
    double nearest = s->grid.dx, world[3] = {0, 0, 0}, solid_normal[3];
    bool found = false;
    FOR_DIM(d)
        world[d] = x[d] * s->grid.dx;
    FOR_DIM(d) {
        for (int side = 0; side < 2; side++) {
            double gap = side ? (s->grid.n[d] - x[d]) * s->grid.dx : world[d];
            if (s->common->scene->domain.sides[d][side] != SPATE_SIDE_WALL || gap >= nearest)
                continue;
            nearest = gap;
            found = true;
            for (int a = 0; a < 3; a++)
                normal[a] = a == d;
        }
    }
    if (s->solids.live > 0 &&
        fabs(sp_solids_distance(&s->solids, world, solid_normal, NULL)) < nearest) {
        memcpy(normal, solid_normal, sizeof solid_normal);
        found = true;
    }
    return found;
}

/* Two unit vectors that make a frame with the first; in 2D the last is the third axis. */
static void complete_frame(double frame[3][3])
{
    const double *n = frame[0];
    int least = DIM == 2 ? 2 : 0;
    for (int d = 1; d < DIM; d++)
        least = DIM == 3 && fabs(n[d]) < fabs(n[least]) ? d : least;
    double size = sqrt(1 - n[least] * n[least]);
    for (int d = 0; d < 3; d++) {
        int e = (d + 1) % 3, f = (d + 2) % 3;
        frame[1][d] = ((e == least) * n[f] - (f == least) * n[e]) / size;
    }
    for (int d = 0; d < 3; d++) {
        int e = (d + 1) % 3, f = (d + 2) % 3;
        frame[2][d] = n[e] * frame[1][f] - n[f] * frame[1][e];
    }
}

static double pressure(const X(sim) *s, const spate_gauge *gauge)
{
    double x[DIM], radius = gauge->radius / s->grid.dx, frame[3][3] = {{1, 0, 0}}, sum = 0;
    in_cells(s, gauge->at, x);
    bool disc = across_wall(s, x, frame[0]);
    complete_frame(frame);
    int most = (int)fmin(ceil(2 * radius), FOOTPRINT_MOST), count = 0;
    int reach[3] = {disc ? 0 : most, most, LAST(most + 1) - 1};
    for (int i = -reach[0]; i <= reach[0]; i++)
        for (int j = -reach[1]; j <= reach[1]; j++)
            for (int k = -reach[2]; k <= reach[2]; k++) {
                double at[DIM], value, step = most > 0 ? radius / most : 0;
                bool inside = i * i + j * j + k * k <= most * most;
                FOR_DIM(d) {
                    at[d] = x[d] + step * (i * frame[0][d] + j * frame[1][d] + k * frame[2][d]);
                    inside = inside && at[d] >= -1e-9 && at[d] <= s->grid.n[d] + 1e-9;
                }
                if (!inside || X(probe_solid)(s, at) < -s->grid.dx ||
                    !X(probe_pressure)(s, at, &value))
                    continue;
                sum += value;
                count++;
            }
    return count > 0 ? sum / count : 0;
}

/* ---- velocity */

static void velocity_at(const X(sim) *s, const double x[DIM], double values[3])
{
    float at[DIM], v[DIM];
    if (!X(probe_liquid)(s, x) || X(probe_solid)(s, x) < -1e-6 * s->grid.dx)
        return;
    FOR_DIM(d)
        at[d] = (float)x[d];
    X(velocity_at)(&s->grid, KERNEL_LINEAR, s->u, at, v);
    FOR_DIM(d)
        values[d] = v[d];
}

static void velocity(const X(sim) *s, const spate_gauge *gauge, double values[3])
{
    double x[DIM];
    in_cells(s, gauge->at, x);
    velocity_at(s, x, values);
}

/* ---- at any point */

void X(sample)(const X(sim) *s, const double point[3], double velocity[3], double *pressure,
               double *phi)
{
    double x[DIM], value;
    bool inside = true;
    FOR_DIM(d) {
        x[d] = point[d] / s->grid.dx;
        inside = inside && x[d] >= -1e-6 && x[d] <= s->grid.n[d] + 1e-6;
    }
    if (velocity)
        velocity[0] = velocity[1] = velocity[2] = 0;
    if (velocity && inside)
        velocity_at(s, x, velocity);
    bool out_of_solids = inside && X(probe_solid)(s, x) >= -s->grid.dx;
    if (pressure)
        *pressure = out_of_solids && X(probe_pressure)(s, x, &value) ? value : 0;
    if (phi && inside && X(has_level_set)(s))
        *phi = X(probe_phi)(s, x);
    else if (phi)
        *phi = !inside ? s->grid.dx : X(probe_liquid)(s, x) ? -0.5 * s->grid.dx : 0.5 * s->grid.dx;
}

/* ---- flux */

#define PARTS 4 /* of a face along each axis, to see how much of it is in liquid */

/* Share in liquid of the part low .. high of a face across axis a. A part of size h at level set
 * phi is taken as cut squarely: exact for a surface along an axis. */
static double wet_share(const X(sim) *s, int a, const double low[DIM], const double high[DIM])
{
    double x[DIM], sum = 0, dx = s->grid.dx;
    FOR_DIM(d)
        x[d] = 0.5 * (low[d] + high[d]);
    if (!X(has_level_set)(s))
        return X(probe_fill)(s, x);
    double middle = X(probe_phi)(s, x);
    if (fabs(middle) > 0.9 * dx)
        return middle < 0;
    for (int j = 0; j < PARTS; j++)
        for (int k = 0; k < LAST(PARTS); k++) {
            int part[2] = {j, k}, used = 0;
            double h = 1;
            FOR_DIM(d) {
                if (d == a)
                    continue;
                h = fmin(h, (high[d] - low[d]) / PARTS);
                x[d] = low[d] + (high[d] - low[d]) * (part[used++] + 0.5) / PARTS;
            }
            sum += fmin(fmax(0.5 - X(probe_phi)(s, x) / (h * dx), 0), 1);
        }
    return sum / (PARTS * LAST(PARTS));
}

/* Through the faces of the plane number `plane` across axis a that are in the rectangle, in m/s
 * times cells. */
static double plane_flux(const X(sim) *s, int a, int plane, const double low[DIM],
                         const double high[DIM])
{
    const X(grid) *g = &s->grid;
    int first[DIM], last[DIM], face[DIM];
    double sum = 0;
    FOR_DIM(d) {
        first[d] = (int)floor(low[d]);
        last[d] = (int)ceil(high[d]) - 1;
    }
    first[a] = last[a] = plane;
    memcpy(face, first, sizeof face);
    for (;;) {
        double from[DIM], to[DIM], area = 1;
        FOR_DIM(d) {
            from[d] = d == a ? plane : fmax(low[d], face[d]);
            to[d] = d == a ? plane : fmin(high[d], face[d] + 1);
            area *= d == a ? 1 : to[d] - from[d];
        }
        size_t index = X(index)(g, face);
        double open = s->solids.live > 0 ? s->w[a][index] : 1;
        if (open > 0 && area > 0)
            sum += s->u[a][index] * open * area * wet_share(s, a, from, to);
        int d = 0;
        while (d < DIM && ++face[d] > last[d]) {
            face[d] = first[d];
            d++;
        }
        if (d == DIM)
            return sum;
    }
}

static double flux(const X(sim) *s, const spate_gauge *gauge)
{
    double low[DIM], high[DIM];
    int a = 0;
    in_cells(s, gauge->min, low);
    in_cells(s, gauge->max, high);
    FOR_DIM(d)
        a = gauge->min[d] == gauge->max[d] ? d : a;
    int plane = (int)floor(low[a]);
    double share = low[a] - plane, sum = (1 - share) * plane_flux(s, a, plane, low, high);
    if (share > 0)
        sum += share * plane_flux(s, a, plane + 1, low, high);
    return sum * face_area(s);
}

/* ---- force */

typedef struct force_args {
    const X(sim) *s;
    int solid, axis;
    int lever; /* axis of the arm that the force is taken times, in cells; -1: the force itself */
    double about[3]; /* cells, where the arm begins */
} force_args;

/* What a force at a point (cells) counts. */
static double arm(const force_args *args, const double at[DIM])
{
    return args->lever < 0 ? 1 : at[args->lever] - args->about[args->lever];
}

/* Force along axis d on the solid in one liquid cell, in Pa times faces, times its arm. */
static double cell_force(const force_args *args, size_t index, const int cell[DIM])
{
    const X(sim) *s = args->s;
    int d = args->axis, nearest;
    double low = s->w[d][index], high = s->w[d][index + s->grid.stride[d]], x[3] = {0, 0, 0},
           normal[3], at[DIM];
    bool cut = X(has_cut_cells)(s) && !s->thin[index];
    if (cut ? low == high : low + high == 2)
        return 0;
    if (cut) {
        FOR_DIM(a)
            x[a] = (cell[a] + 0.5) * s->grid.dx;
        double distance = sp_solids_distance(&s->solids, x, normal, &nearest) / s->grid.dx;
        distance = fmin(fmax(distance, -1), 1);
        FOR_DIM(a)
            at[a] = cell[a] + 0.5 - distance * normal[a];
        if (nearest != args->solid)
            return 0;
        return (low - high) * X(cell_pressure_at)(s, cell, at) * arm(args, at);
    }
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        double closed = 1 - (side ? high : low);
        FOR_DIM(a)
            at[a] = cell[a] + (a == d ? side : 0.5);
        FOR_DIM(a)
            x[a] = at[a] * s->grid.dx;
        if (closed == 0)
            continue;
        sp_solids_distance(&s->solids, x, NULL, &nearest);
        if (nearest == args->solid)
            sum += (side ? closed : -closed) * X(cell_pressure_at)(s, cell, at) * arm(args, at);
    }
    return sum;
}

static double force_partial(void *user, size_t begin, size_t end)
{
    const force_args *args = user;
    const X(sim) *s = args->s;
    double sum = 0;
    for (size_t k = begin; k < end; k++) {
        int first[DIM], cell[DIM];
        X(tile_cell)(&s->grid, s->tiles.active[k], first);
        size_t base = X(index)(&s->grid, first);
        if (s->phi_solid[base] > 3.0f * TILE * s->grid.dx)
            continue;
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                X(row_cell)(first, r, cell);
                cell[0] += i;
                size_t index = base + X(row_offset)(&s->grid, r) + (size_t)i;
                if (s->type[index] == SPATE_CELL_LIQUID && X(inside)(&s->grid, cell))
                    sum += cell_force(args, index, cell);
            }
    }
    return sum;
}

static double sum_force(X(sim) *s, force_args *args, int axis, int lever)
{
    args->axis = axis;
    args->lever = lever;
    return face_area(s) * X(sum)(s, (size_t)s->tiles.active_count, 1, force_partial, args);
}

void X(solid_force)(X(sim) *s, int solid, const double about[3], double force[3], double torque[3])
{
    force_args args = {.s = s, .solid = solid};
    for (int d = 0; d < 3; d++)
        args.about[d] = about[d] / s->grid.dx;
    for (int d = 0; d < 3 && force; d++)
        force[d] = d < DIM ? sum_force(s, &args, d, -1) : 0;
    for (int d = 0; d < 3 && torque; d++) {
        int a = (d + 1) % 3, b = (d + 2) % 3;
        torque[d] = 0;
        if (a < DIM && b < DIM) /* 2D: about the third axis only */
            torque[d] = s->grid.dx * (sum_force(s, &args, b, a) - sum_force(s, &args, a, b));
    }
}

static void force(X(sim) *s, const spate_gauge *gauge, double values[3])
{
    static const double origin[3];
    int solid = sp_gauge_solid(s->common->scene, gauge);
    /* the scene's own, not one that has taken its place */
    if (sp_solids_find(&s->solids, (spate_solid_id){(uint32_t)solid, 1}))
        X(solid_force)(s, solid, origin, values, NULL);
}

/* ---- all */

void X(build_grid)(X(sim) *s)
{
    const X(plan) *plan = s->host->plan(s, false);
    const sp_stage stages[] = {SP_STAGE_SORT, SP_STAGE_P2G, SP_STAGE_SURFACE};
    s->host->lay_solids(s);
    for (size_t k = 0; k < sizeof stages / sizeof *stages; k++)
        plan->stage[stages[k]](s, 0, NULL);
    FOR_DIM(d)
        X(fill_border)(s, s->u[d], d);
}

unsigned X(gauge_groups)(const X(sim) *s)
{
    const spate_scene *scene = s->common->scene;
    unsigned groups = GROUP_LISTED | GROUP_SURFACE | GROUP_SOLIDS;
    groups |= X(has_level_set)(s) ? 0 : GROUP_CELLS; /* a voxel surface is in how full cells are */
    for (int k = 0; k < scene->gauge_count; k++) {
        spate_gauge_kind kind = scene->gauges[k].kind;
        if (kind == SPATE_GAUGE_VELOCITY || kind == SPATE_GAUGE_FLUX)
            groups |= GROUP_U;
        if (kind == SPATE_GAUGE_PRESSURE || kind == SPATE_GAUGE_FORCE)
            groups |= GROUP_PRESSURE;
    }
    return groups;
}

void X(read_gauges)(X(sim) *s, bool build)
{
    const spate_scene *scene = s->common->scene;
    if (build)
        X(build_grid)(s);
    for (int k = 0; k < scene->gauge_count; k++) {
        const spate_gauge *gauge = &scene->gauges[k];
        double *values = s->common->gauges[k];
        values[0] = values[1] = values[2] = 0;
        switch (gauge->kind) {
        case SPATE_GAUGE_HEIGHT: values[0] = height(s, gauge); break;
        case SPATE_GAUGE_PRESSURE: values[0] = pressure(s, gauge); break;
        case SPATE_GAUGE_VELOCITY: velocity(s, gauge, values); break;
        case SPATE_GAUGE_FLUX: values[0] = flux(s, gauge); break;
        case SPATE_GAUGE_FORCE: force(s, gauge, values); break;
        }
    }
}
