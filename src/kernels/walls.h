/* walls.h -- FORCES: walls that drag the liquid, and the mixing that carries their stress into it.
 *
 * At a rough wall the liquid has the profile of the log law; u* is the shear velocity, k_s the sand
 * roughness, z the distance from the wall, kappa = 0.41:
 *
 *     u_t = (u* / kappa) ln(30 z / k_s),      stress at the wall = rho u*^2 against u_t
 *
 * (Nikuradse 1933). Prandtl's mixing length hands the stress on, up to the depth h of the liquid
 * above the wall, where there is none:
 *
 *     du_d/dt = sum_a d/dx_a nu (du_d/dx_a + du_a/dx_d),      nu = l^2 |omega|,
 *     l = kappa z sqrt(1 - z/h),      omega = curl u.
 *
 * In uniform flow these give the log law from the wall to the surface. It is the vorticity that
 * mixes (Baldwin & Lomax 1978), since a wall is what makes it: water that a shape or a wave bends
 * without turning has strain, and goes on as if nothing were rough.
 *
 * A side of the domain, and a solid that goes through all of it, mixes up to the surface. The layer
 * along another solid is at most a tenth of its extent thick (and at least SP_LEAST_LAYER cells),
 * as layers along plates and on the front of round bodies are, and that is h there. Only liquid
 * that is joined to the wall along its normal takes part: no air between them, and no other solid.
 *
 * On the grid:
 *
 * - A velocity of the grid is the mean over its cell, so that the log law gives it (u* / kappa)
 *   (L(z) + ln(30 / k_s)), L the mean of ln z over the part of the cell before the wall. Between
 *   cells dx apart l is kappa dx / (L(z + dx/2) - L(z - dx/2)), which makes that profile the exact
 *   solution on any grid, wherever the wall cuts it.
 * - u* is taken SP_SAMPLE cells from the wall along its normal, against L at the same faces. The
 *   stress acts on the liquid within one cell of the wall, on each face by the part of its cell
 *   that is in this layer: on a sliver at the wall no more than on a whole cell.
 * - Faces have the volume v of the particles that move with them, the sum of their weights in P2G:
 *   so what one face gains another loses, and particles keep it. Beyond the surface and in walls v
 *   is 0: no stress.
 * - In time: stages of Runge, Kutta and Legendre (Meyer, Balsara & Aslam 2014, RKL1). s of them are
 *   stable for a rate up to s (s + 1) / dt; each one is explicit and keeps momentum. nu is that
 *   of the beginning of the step.
 *
 * no_slip: the liquid within one cell of the wall takes the wall's velocity, and the mixing is the
 * same. That layer is as thick as a cell, so the drag depends on the grid: it is that of a
 * roughness of about 11 cells. Molecular viscosity is not modelled. */
#ifndef SPATE_KERNELS_WALLS_H
#define SPATE_KERNELS_WALLS_H

#include "collide.h"
#include "faces.h"
#include "fields.h"
#include "ln.h"

#include <math.h>

#define SP_KARMAN 0.41
#define SP_SAMPLE 1.5      /* cells from the wall, where u* is taken */
#define SP_SLIVER 0.01     /* cells; parts of a cell before a wall are taken as no thinner */
#define SP_FAR_WALL 8.0    /* cells; from here on L(z + 1/2) - L(z - 1/2) = 1 / z to 0.2 % */
#define SP_DEEPEST 1024    /* cells that the surface is looked for */
#define SP_LEAST_LAYER 3   /* cells: the layer along a solid is at least as thick */
#define SP_LAYER_SHARE 0.1 /* of the extent of a solid: its layer */
#define SP_MIX_STAGES 41   /* at most; nu is capped where they do not suffice */
#define SP_NOT_NEAR 1e30f  /* cells: there is no wall */

typedef struct X(walls) {
    bool any;                 /* some wall drags */
    spate_wall side[DIM][2];  /* slip where the domain has no wall */
    double roughness[DIM][2]; /* m */
    double dt;                /* s */
} X(walls);

/* A wall that drags, as a place sees it. */
typedef struct X(wall) {
    double z, roughness; /* cells: from the wall; k_s */
    double normal[3];
    double velocity[3]; /* m/s, of the wall */
    double layer;       /* cells: how far from it the liquid is mixed, at most */
    bool sticks;        /* no_slip */
} X(wall);

/* ---- the law, with distances in cells */

/* Where the cell of a face begins, z from the wall in its middle: at the wall, where the face
 * before it is closed. */
SP_KERNEL double sp_cell_begin(double z)
{
    return z > 0.5 + NARROW ? z - 0.5 : 0;
}

/* L: the mean of ln over the part of a cell that is before the wall; z in its middle. */
SP_KERNEL double sp_mean_ln(double z)
{
    double low = sp_cell_begin(z), high = z + 0.5 > SP_SLIVER ? z + 0.5 : SP_SLIVER;
    return (low > 0 ? (high * sp_ln(high) - low * sp_ln(low)) / (high - low) : sp_ln(high)) - 1;
}

/* The factor from u_t to u*, where L + ln(30 / k_s) is `profile`. Elements as high as the place
 * is far (below e k_s / 30) drag no more. */
SP_KERNEL double sp_drag_factor(double profile)
{
    return SP_KARMAN / (profile > 1 ? profile : 1);
}

/* l / kappa without the root, for two cells that meet z from the wall. */
SP_KERNEL double sp_mixing_height(double z)
{
    return z > SP_FAR_WALL ? z : 1 / (sp_mean_ln(z + 0.5) - sp_mean_ln(z - 0.5));
}

/* Share of the liquid of a face, volume v and z from the wall, that is in the layer at the wall. */
SP_KERNEL double sp_layer_share(double z, double v)
{
    double low = sp_cell_begin(z), high = z < 0.5 ? z + 0.5 : 1, share = (high - low) / v;
    return !(share > 0) ? 0 : share < 2 ? share : 2;
}

/* How many stages are stable for a rate times dt. */
SP_KERNEL int sp_mix_stages(double rates)
{
    int stages = 1;
    while (stages * (stages + 1) < rates && stages < SP_MIX_STAGES)
        stages += 2; /* odd: the last one ends in u */
    return stages;
}

/* ---- walls near a place x (m) */

/* That of side k of the domain, 0 .. 2 DIM - 1; false: it does not drag. */
SP_KERNEL bool X(side_wall)(const X(fields) *f, const X(walls) *walls, const double x[3], int k,
                            X(wall) *wall)
{
    int axis = k / 2, high = k % 2;
    double dx = f->grid.dx;
    if (walls->side[axis][high] == SPATE_WALL_SLIP)
        return false;
    for (int d = 0; d < 3; d++)
        wall->normal[d] = wall->velocity[d] = 0;
    wall->z = high ? f->grid.n[axis] - x[axis] / dx : x[axis] / dx;
    wall->normal[axis] = high ? -1 : 1;
    wall->layer = SP_NOT_NEAR;
    wall->roughness = walls->roughness[axis][high] / dx;
    wall->sticks = walls->side[axis][high] == SPATE_WALL_NO_SLIP;
    return true;
}

/* How far from a solid the liquid is mixed, in cells. */
SP_KERNEL double X(layer_of)(const X(fields) *f, const sp_solid *solid)
{
    double layer = SP_LAYER_SHARE * solid->extent / f->grid.dx;
    return layer > SP_LEAST_LAYER ? layer : SP_LEAST_LAYER;
}

/* That of the nearest solid in whose layer the place is, if it is nearer than `limit` cells. */
SP_KERNEL bool X(solid_wall)(const X(fields) *f, const X(walls) *walls, const double x[3],
                             double limit, X(wall) *wall)
{
    double dx = f->grid.dx, nearest = limit;
    int which = -1;
    for (int k = 0; k < f->solids.count && f->solids.any_drag; k++) {
        const sp_solid *solid = &f->solids.items[k];
        if (!solid->live || solid->form.wall == SPATE_WALL_SLIP)
            continue;
        double layer = X(layer_of)(f, solid), most = layer < nearest ? layer : nearest;
        if (sp_bounds_distance(solid, x) >= most * dx)
            continue;
        double distance = sp_body_distance(solid, x, NULL) / dx;
        which = distance < most ? k : which;
        nearest = distance < most ? distance : nearest;
    }
    if (which < 0)
        return false;
    const sp_solid *solid = &f->solids.items[which];
    wall->z = nearest;
    wall->layer = X(layer_of)(f, solid);
    sp_body_distance(solid, x, wall->normal);
    sp_body_velocity(solid, x, walls->dt, wall->velocity);
    wall->roughness = solid->form.roughness / dx;
    wall->sticks = solid->form.wall == SPATE_WALL_NO_SLIP;
    return true;
}

/* ---- distance from walls and depth, of cells */

/* The place k cells from a cell along a normal; false: it is outside the domain. */
SP_KERNEL bool X(place_along)(const X(grid) *g, const int cell[DIM], const double normal[3], int k,
                              size_t *c)
{
    int at[DIM];
    bool inside = true;
    FOR_DIM(d) {
        int way = normal[d] == 0 ? 0 : (int)floor(0.5 + k * normal[d]);
        at[d] = cell[d] + way;
        if (g->periodic[d] && way != 0)
            at[d] = (at[d] % g->n[d] + g->n[d]) % g->n[d];
        inside = inside && at[d] >= 0 && at[d] < g->n[d];
    }
    *c = X(index)(g, at);
    return inside;
}

/* Cells from the middle of a liquid cell to the surface along the normal of a wall; where there is
 * none, to what the liquid ends at. */
SP_KERNEL double X(way_to_surface)(const X(fields) *f, const int cell[DIM], const double normal[3])
{
    size_t c = X(index)(&f->grid, cell);
    float last = f->phi[c];
    for (int k = 1; k <= SP_DEEPEST; k++) {
        if (!X(place_along)(&f->grid, cell, normal, k, &c) || f->type[c] == SPATE_CELL_SOLID)
            return k - 0.5;
        if (f->type[c] == SPATE_CELL_AIR) {
            float air = f->phi[c] > 0.0f ? f->phi[c] : 0.0f;
            return last < 0.0f ? k - 1 + (double)(last / (last - air)) : k - 0.5;
        }
        last = f->phi[c];
    }
    return SP_DEEPEST;
}

/* Whether liquid leads from a cell back to a wall, z cells away: no air, and no solid but what is
 * about to be the wall. */
SP_KERNEL bool X(leads_to_wall)(const X(fields) *f, const int cell[DIM], const double normal[3],
                                double z)
{
    const double back[3] = {-normal[0], -normal[1], -normal[2]};
    for (int k = 1; k < z; k++) {
        size_t c;
        if (!X(place_along)(&f->grid, cell, back, k, &c) || f->type[c] == SPATE_CELL_SOLID)
            return k > z - 2;
        if (f->type[c] == SPATE_CELL_AIR)
            return false;
    }
    return true;
}

SP_KERNEL void X(find_depth)(const X(fields) *f, size_t c, const int cell[DIM],
                             const X(walls) *walls)
{
    double x[3] = {0, 0, 0};
    X(wall) wall, nearest = {.z = SP_NOT_NEAR};
    f->wall_distance[c] = SP_NOT_NEAR;
    f->depth[c] = 0.0f;
    if (!X(inside)(&f->grid, cell))
        return;
    FOR_DIM(d)
        x[d] = (cell[d] + 0.5) * f->grid.dx;
    for (int k = 0; k <= 2 * DIM; k++) {
        bool there = k < 2 * DIM ? X(side_wall)(f, walls, x, k, &wall)
                                 : X(solid_wall)(f, walls, x, nearest.z, &wall);
        if (there && wall.z < nearest.z)
            nearest = wall;
    }
    f->wall_distance[c] = (float)nearest.z;
    if (nearest.z < SP_NOT_NEAR && f->type[c] == SPATE_CELL_LIQUID &&
        X(leads_to_wall)(f, cell, nearest.normal, nearest.z)) {
        double depth = nearest.z + X(way_to_surface)(f, cell, nearest.normal);
        f->depth[c] = (float)(depth < nearest.layer ? depth : nearest.layer);
    }
}

/* ---- the volume of faces, in cells */

/* Whether face d takes part: the liquid's, and not closed. */
SP_KERNEL bool X(takes_stress)(const X(fields) *f, size_t c, int d)
{
    uint8_t here = f->type[c], there = f->type[c - f->grid.stride[d]];
    return (here == SPATE_CELL_LIQUID || there == SPATE_CELL_LIQUID) && here != SPATE_CELL_SOLID &&
           there != SPATE_CELL_SOLID && !(f->cut && f->w[d][c] <= NARROW);
}

/* Whether face d belongs to a solid: EXTRAPOLATE gives it the velocity of those beside it. */
SP_KERNEL bool X(is_closed_face)(const X(fields) *f, size_t c, int d)
{
    return f->has_solids && (f->cut ? f->w[d][c] <= NARROW
                                    : f->type[c] == SPATE_CELL_SOLID &&
                                          f->type[c - f->grid.stride[d]] == SPATE_CELL_SOLID);
}

SP_KERNEL void X(face_place)(const X(grid) *g, const int cell[DIM], int d, double x[3])
{
    x[0] = x[1] = x[2] = 0;
    FOR_DIM(a)
        x[a] = (cell[a] + (a == d ? 0.0 : 0.5)) * g->dx;
}

/* The cell beside a cell on side k, 0 .. 2 DIM - 1, in the domain itself: what P2G left in the
 * border means nothing. False: there is none. */
SP_KERNEL bool X(cell_beside)(const X(grid) *g, const int cell[DIM], int k, size_t *near)
{
    int at[DIM], axis = k / 2;
    FOR_DIM(d)
        at[d] = cell[d] + (d == axis ? 2 * (k % 2) - 1 : 0);
    if (g->periodic[axis])
        at[axis] = (at[axis] + g->n[axis]) % g->n[axis];
    *near = X(index)(g, at);
    return at[axis] >= 0 && at[axis] < g->n[axis];
}

/* What particles brought to closed faces beside face d belongs to it, as at a wall of the domain:
 * along the wall u and u_old become the mean of both. closed: their weight, and that times
 * u_old. */
SP_KERNEL void X(fold_closed)(const X(fields) *f, size_t c, const double x[3], int d,
                              const X(walls) *walls, const float closed[2])
{
    X(wall) wall;
    float own = f->weight[d][c];
    if (!(closed[0] > 0.0f) || !(own > 0.0f) || !X(solid_wall)(f, walls, x, SP_SAMPLE, &wall))
        return;
    float along = (float)(1 - wall.normal[d] * wall.normal[d]);
    float change = along * (closed[1] - closed[0] * f->u_old[d][c]) / (own + closed[0]);
    f->u[d][c] += change;
    f->u_old[d][c] += change;
}

/* The faces of a cell. Around the last ones that are computed EXTRAPOLATE gives their velocity to
 * others, beyond the surface and in solids, whose liquid so moves with them. */
SP_KERNEL void X(find_volume)(const X(fields) *f, size_t c, const int cell[DIM],
                              const X(walls) *walls)
{
    for (int d = 0; d < DIM; d++) {
        float beyond = 0.0f, closed[2] = {0.0f, 0.0f};
        double x[3];
        f->volume[d][c] = 0.0f;
        if (!X(inside)(&f->grid, cell) || !X(takes_stress)(f, c, d))
            continue;
        for (int k = 0; k < 2 * DIM; k++) {
            size_t near;
            if (k / 2 == d || !X(cell_beside)(&f->grid, cell, k, &near))
                continue;
            size_t low = near - f->grid.stride[d];
            if (f->type[near] == SPATE_CELL_AIR && f->type[low] == SPATE_CELL_AIR) {
                beyond += f->weight[d][near];
            } else if (X(is_closed_face)(f, near, d)) {
                closed[0] += f->weight[d][near];
                closed[1] += f->weight[d][near] * f->u_old[d][near];
            }
        }
        X(face_place)(&f->grid, cell, d, x);
        X(fold_closed)(f, c, x, d, walls, closed);
        f->volume[d][c] = (f->weight[d][c] + beyond + closed[0]) / f->rest;
    }
}

/* ---- mixing, at edges: edge (a, b) of a cell is where its low faces along a and b meet */

/* Where mixing[] has edges (a, b). */
SP_KERNEL int X(edge_of)(int a, int b)
{
    return DIM == 2 ? 0 : 3 - a - b;
}

/* The area that stress may act on, at most: twice the smallest of the volumes that meet there, so
 * that slivers are not stiff, and the number of particles in a whole cell does not matter. */
SP_KERNEL float X(edge_area)(const X(fields) *f, size_t c, int a, int b)
{
    float least = 0.5f;
    const float v[4] = {f->volume[a][c], f->volume[a][c - f->grid.stride[b]], f->volume[b][c],
                        f->volume[b][c - f->grid.stride[a]]};
    for (int k = 0; k < 4; k++)
        least = v[k] < least ? v[k] : least;
    return 2.0f * least;
}

/* du_a/dx_b + du_b/dx_a at an edge, times dx. */
SP_KERNEL float X(shear)(const X(fields) *f, float *const u[DIM], size_t c, int a, int b)
{
    return (u[a][c] - u[a][c - f->grid.stride[b]]) + (u[b][c] - u[b][c - f->grid.stride[a]]);
}

/* du_d/dx_d in a cell, times dx; 0 where a face is not the liquid's. */
SP_KERNEL float X(stretch)(const X(fields) *f, float *const u[DIM], size_t c, int d)
{
    size_t next = c + f->grid.stride[d];
    return f->volume[d][c] > 0.0f && f->volume[d][next] > 0.0f ? u[d][next] - u[d][c] : 0.0f;
}

/* du_a/dx_b - du_b/dx_a at an edge, times dx. */
SP_KERNEL float X(turning)(const X(fields) *f, size_t c, int a, int b)
{
    float *const *u = f->u;
    return (u[a][c] - u[a][c - f->grid.stride[b]]) - (u[b][c] - u[b][c - f->grid.stride[a]]);
}

/* The mean of turning (a, t) over the four edges of it around edge (a, b). */
SP_KERNEL float X(turning_around)(const X(fields) *f, size_t c, int a, int b, int t)
{
    float sum = 0.0f;
    for (int k = 0; k < 4; k++) {
        size_t edge = c - (k & 1 ? f->grid.stride[b] : 0) + (k & 2 ? f->grid.stride[t] : 0);
        sum += X(edge_area)(f, edge, a, t) > 0.0f ? X(turning)(f, edge, a, t) : 0.0f;
    }
    return 0.25f * sum;
}

/* |omega| at an edge, times dx. */
SP_KERNEL float X(vorticity)(const X(fields) *f, size_t c, int a, int b)
{
    float own = X(turning)(f, c, a, b), square = own * own;
    for (int t = 0; t < DIM; t++) {
        if (t == a || t == b)
            continue;
        float one = X(turning_around)(f, c, a, b, t), other = X(turning_around)(f, c, b, a, t);
        square += one * one + other * other;
    }
    return sqrtf(square);
}

/* nu at edge (a, b) in cells^2 per step, times the area; most: what the stages can do. */
SP_KERNEL float X(mixing_at)(const X(fields) *f, size_t c, int a, int b, double dt, float most)
{
    const size_t sa = f->grid.stride[a], sb = f->grid.stride[b], around[4] = {0, sa, sb, sa + sb};
    float z = 0.0f, h = 0.0f, count = 0.0f, area = X(edge_area)(f, c, a, b);
    if (!(area > 0.0f))
        return 0.0f;
    for (int k = 0; k < 4; k++) {
        size_t near = c - around[k];
        z += 0.25f * f->wall_distance[near];
        h += f->depth[near];
        count += f->depth[near] > 0.0f ? 1.0f : 0.0f;
    }
    if (!(count > 0.0f) || !(z > 0.0f) || !(z * count < h))
        return 0.0f;
    area = area < z ? area : z; /* in the layer at the wall its stress acts on the rest directly */
    double length = SP_KARMAN * sp_mixing_height(z), below = 1 - z * count / h;
    float nu = (float)(length * length * below * dt / f->grid.dx) * X(vorticity)(f, c, a, b);
    nu *= area;
    for (int k = 0; k < 4; k++) { /* a face that few particles move with can take as much less */
        int d = k & 1 ? a : b;
        float v = f->volume[d][k & 2 ? c - f->grid.stride[k & 1 ? b : a] : c];
        nu = v > 0.0f && nu > most * v ? most * v : nu;
    }
    return nu;
}

/* All edges of a cell. */
SP_KERNEL void X(find_mixing)(const X(fields) *f, size_t c, const int cell[DIM],
                              const X(walls) *walls)
{
    const float most = (float)SP_MIX_STAGES * (SP_MIX_STAGES + 1) / (8.0f * DIM);
    bool inside = X(inside)(&f->grid, cell);
    for (int a = 0; a < DIM; a++)
        for (int b = a + 1; b < DIM; b++) {
            bool within = inside && (cell[a] > 0 || f->grid.periodic[a]) &&
                          (cell[b] > 0 || f->grid.periodic[b]);
            f->mixing[X(edge_of)(a, b)][c] =
                within ? X(mixing_at)(f, c, a, b, walls->dt, most) : 0.0f;
        }
}

/* nu in a cell, where a stretch acts: the mean of its edges. */
SP_KERNEL float X(cell_mixing)(const X(fields) *f, size_t c)
{
    float sum = 0.0f;
    for (int a = 0; a < DIM; a++)
        for (int b = a + 1; b < DIM; b++) {
            const float *m = f->mixing[X(edge_of)(a, b)] + c;
            size_t sa = f->grid.stride[a], sb = f->grid.stride[b];
            sum += (m[0] + m[sa]) + (m[sb] + m[sa + sb]);
        }
    return sum * (DIM == 2 ? 0.25f : 1.0f / 12.0f);
}

/* A bound of the rates at which mixing changes the faces of a cell, per step. */
SP_KERNEL float X(mixing_rate)(const X(fields) *f, size_t c, const int cell[DIM])
{
    float most = 0.0f;
    for (int d = 0; d < DIM && X(inside)(&f->grid, cell); d++) {
        float v = f->volume[d][c];
        if (!(v > 0.0f))
            continue;
        float sum = X(cell_mixing)(f, c) + X(cell_mixing)(f, c - f->grid.stride[d]);
        for (int a = 0; a < DIM; a++)
            if (a != d)
                sum += f->mixing[X(edge_of)(a, d)][c] +
                       f->mixing[X(edge_of)(a, d)][c + f->grid.stride[a]];
        most = 4.0f * sum / v > most ? 4.0f * sum / v : most;
    }
    return most;
}

/* One stage: to = mean from + (1 - mean) to + part (nu's change of from). Where from and to are the
 * same and nothing changes, the bits stay. */
typedef struct X(mix_stage) {
    float *from[DIM], *to[DIM];
    float mean, part;
} X(mix_stage);

/* Number j of `stages`, from 1 on; the first one goes from `mixed` to u. rate: mixing_rate's
 * largest; what is beyond the stages is left out everywhere. */
SP_KERNEL X(mix_stage) X(mix_stage_at)(const X(fields) *f, int j, int stages, float rate)
{
    X(mix_stage) stage;
    float most = (float)(stages * stages + stages);
    FOR_DIM(d) {
        stage.from[d] = j % 2 ? f->mixed[d] : f->u[d];
        stage.to[d] = j % 2 ? f->u[d] : f->mixed[d];
    }
    stage.mean = j == 1 ? 1.0f : (2.0f * (float)j - 1.0f) / (float)j;
    stage.part = stage.mean * 2.0f / (rate > most ? rate : most);
    return stage;
}

SP_KERNEL float X(mixed_change)(const X(fields) *f, float *const u[DIM], size_t c, int d)
{
    size_t sd = f->grid.stride[d];
    float sum = 2.0f * (X(cell_mixing)(f, c) * X(stretch)(f, u, c, d) -
                        X(cell_mixing)(f, c - sd) * X(stretch)(f, u, c - sd, d));
    for (int a = 0; a < DIM; a++) {
        if (a == d)
            continue;
        const float *m = f->mixing[X(edge_of)(a, d)];
        size_t next = c + f->grid.stride[a];
        sum += m[next] * X(shear)(f, u, next, d, a) - m[c] * X(shear)(f, u, c, d, a);
    }
    return sum / f->volume[d][c];
}

SP_KERNEL void X(mix_faces)(const X(fields) *f, size_t c, const X(mix_stage) *stage)
{
    for (int d = 0; d < DIM; d++) {
        if (!(f->volume[d][c] > 0.0f))
            continue;
        float change = X(mixed_change)(f, stage->from, c, d), mean = stage->mean;
        float from = stage->from[d][c], to = stage->to[d][c];
        stage->to[d][c] = (from + (1.0f - mean) * (to - from)) + stage->part * change;
    }
}

/* ---- stress at walls */

/* u* / u_t times (u - velocity of the wall) along axis a, SP_SAMPLE cells from a wall that the face
 * at x (m) sees; the profile there goes to `profile`. */
SP_KERNEL double X(sampled)(const X(fields) *f, const double x[3], const X(wall) *wall, int a,
                            double *profile)
{
    double place[DIM], part[DIM], sum = 0, profiles = 0, weights = 0, z0 = SP_SAMPLE;
    int base[DIM];
    FOR_DIM(d) {
        place[d] = x[d] / f->grid.dx + (SP_SAMPLE - wall->z) * wall->normal[d];
        double on_faces = place[d] - (d == a ? 0.0 : 0.5);
        base[d] = (int)floor(on_faces);
        part[d] = on_faces - base[d];
        z0 -= part[d] * wall->normal[d]; /* of the first face */
    }
    for (int corner = 0; corner < (1 << DIM); corner++) {
        double weight = 1, z = z0;
        int at[DIM];
        FOR_DIM(d) {
            int high = corner >> d & 1;
            at[d] = base[d] + high;
            weight *= high ? part[d] : 1 - part[d];
            z += high ? wall->normal[d] : 0;
        }
        size_t c = X(index)(&f->grid, at);
        if (!(weight > 0) || !(f->volume[a][c] > 0.0f))
            continue;
        sum += weight * ((double)f->u[a][c] - wall->velocity[a]);
        profiles += weight * sp_mean_ln(z);
        weights += weight;
    }
    *profile = weights > 0 ? profiles / weights + sp_ln(30 / wall->roughness) : 1;
    return weights > 0 ? sp_drag_factor(*profile) * sum / weights : 0;
}

/* The change of face d at x (m), volume v, by the stress of a rough wall. */
SP_KERNEL double X(drag)(const X(fields) *f, const double x[3], int d, double v,
                         const X(wall) *wall, double dt)
{
    double shear[DIM], profile = 1, factor = 0, across = 0, square = 0;
    for (int a = 0; a < DIM; a++) {
        shear[a] = X(sampled)(f, x, wall, a, &profile);
        across += shear[a] * wall->normal[a];
        factor = a == d ? sp_drag_factor(profile) : factor;
    }
    for (int a = 0; a < DIM; a++) {
        shear[a] -= across * wall->normal[a];
        square += shear[a] * shear[a];
    }
    double speed = sqrt(square), way = speed * dt / f->grid.dx;
    return -sp_layer_share(wall->z, v) * way * shear[d] / (1 + factor * way);
}

/* u of face d at x (m) at a wall that holds the liquid. */
SP_KERNEL double X(held)(double u, int d, double v, const X(wall) *wall)
{
    double along = 1 - wall->normal[d] * wall->normal[d], share = sp_layer_share(wall->z, v);
    return u + (wall->velocity[d] - u) * (share < 1 ? share : 1) * along;
}

/* Closed faces at a wall that drags. FLIP takes the velocity of particles there for u_old, so that
 * they lose what goes into the solid, and for u that of the faces beside. Along the wall these
 * differ by the shear, and the difference would push the particles at the wall in every step: there
 * u_old, too, is that of the faces beside. */
SP_KERNEL void X(carry_old)(const X(fields) *f, size_t c, const int cell[DIM], const double x[3],
                            int d, const X(walls) *walls)
{
    float sum = 0.0f, count = 0.0f;
    X(wall) wall;
    for (int k = 0; k < 2 * DIM; k++) {
        size_t near;
        if (X(cell_beside)(&f->grid, cell, k, &near) && X(takes_stress)(f, near, d)) {
            sum += f->u_old[d][near];
            count += 1.0f;
        }
    }
    if (!(count > 0.0f) || !X(solid_wall)(f, walls, x, SP_SAMPLE, &wall))
        return;
    float along = (float)(1 - wall.normal[d] * wall.normal[d]);
    f->u_old[d][c] += along * (sum / count - f->u_old[d][c]);
}

/* Whether some wall that drags reaches the faces of a cell. */
SP_KERNEL bool X(is_at_wall)(const X(fields) *f, size_t c)
{
    return f->wall_distance[c] < (float)SP_SAMPLE + 1.0f;
}

/* The faces of a cell after the stress of walls: from u to `mixed`. only_held: the walls that
 * hold the liquid, in u. */
SP_KERNEL void X(drag_faces)(const X(fields) *f, size_t c, const int cell[DIM],
                             const X(walls) *walls, bool only_held)
{
    for (int d = 0; d < DIM; d++) {
        float *to = only_held ? f->u[d] : f->mixed[d];
        double x[3], v = f->volume[d][c], u = f->u[d][c];
        X(wall) wall;
        to[c] = f->u[d][c];
        if (!X(inside)(&f->grid, cell) || !X(is_at_wall)(f, c))
            continue;
        X(face_place)(&f->grid, cell, d, x);
        if (!(v > 0)) {
            if (!only_held && f->weight[d][c] > 0.0f && X(is_closed_face)(f, c, d))
                X(carry_old)(f, c, cell, x, d, walls);
            continue;
        }
        for (int k = 0; k <= 2 * DIM; k++) {
            bool there = k < 2 * DIM ? X(side_wall)(f, walls, x, k, &wall)
                                     : X(solid_wall)(f, walls, x, SP_SAMPLE, &wall);
            if (!there || wall.z >= SP_SAMPLE)
                continue;
            if (wall.sticks)
                u = X(held)(u, d, v, &wall);
            else if (!only_held)
                u += X(drag)(f, x, d, v, &wall, walls->dt);
        }
        to[c] = (float)u;
    }
}

#endif
