/* walls.h -- FORCES: walls that drag the liquid. kernels/mixing.h carries their stress into it.
 *
 * At a rough wall the liquid has the profile of the log law; u* is the shear velocity, k_s the sand
 * roughness, z the distance from the wall, kappa = 0.41:
 *
 *     u_t = (u* / kappa) ln(30 z / k_s),      stress at the wall = rho u*^2 against u_t
 *
 * (Nikuradse 1933). On the grid:
 *
 * - A velocity of the grid is the mean over its cell, so that the log law gives it (u* / kappa)
 *   (L(z) + ln(30 / k_s)), L the mean of ln z over the part of the cell before the wall.
 * - u* is taken SP_SAMPLE cells from the wall along its normal, against L at the same faces. The
 *   stress acts on the liquid within one cell of the wall, on each face by the part of its cell
 *   that is in this layer: on a sliver at the wall no more than on a whole cell.
 * - Faces have the volume v of the particles that move with them, the sum of their weights in P2G:
 *   so what one face gains another loses, and particles keep it. Beyond the surface and in walls v
 *   is 0: no stress.
 *
 * no_slip: the liquid within one cell of the wall takes the wall's velocity, and the mixing is the
 * same. That layer is as thick as a cell, so the drag depends on the grid: it is that of a
 * roughness of about 11 cells. Molecular viscosity is not modelled.
 *
 * How far a wall acts: a side of the domain, and a solid that goes through all of it, up to the
 * surface. The layer along another solid is at most a tenth of its extent thick (and at least
 * SP_LEAST_LAYER cells), as layers along plates and on the front of round bodies are. Only liquid
 * that is joined to the wall along its normal takes part: no air between them, and no other solid.
 */
#ifndef SPATE_KERNELS_WALLS_H
#define SPATE_KERNELS_WALLS_H

#include "collide.h"
#include "faces.h"
#include "fields.h"
#include "lane.h"
#include "ln.h"

#include <math.h>
#include <string.h>

#define SP_KARMAN 0.41
#define SP_SAMPLE 1.5      /* cells from the wall, where u* is taken */
#define SP_SLIVER 0.01     /* cells; parts of a cell before a wall are taken as no thinner */
#define SP_DEEPEST 1024    /* cells that the surface is looked for */
#define SP_BEYOND 3        /* cells: so far out of a layer the distance from its wall is known */
#define SP_LEAST_LAYER 3   /* cells: the layer along a solid is at least as thick */
#define SP_LAYER_SHARE 0.1 /* of the extent of a solid: its layer */
#define SP_NOT_NEAR 1e30f  /* cells: there is no wall */

typedef struct X(walls) {
    bool any;                 /* some wall drags */
    bool sticks;              /* some wall is no_slip */
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

/* Share of the liquid of a face, volume v and z from the wall, that is in the layer at the wall. */
SP_KERNEL double sp_layer_share(double z, double v)
{
    double low = sp_cell_begin(z), high = z < 0.5 ? z + 0.5 : 1, share = (high - low) / v;
    return !(share > 0) ? 0 : share < 2 ? share : 2;
}

/* ---- walls near a place x (m) */

/* Cells from the middle of a cell to side k of the domain. */
SP_KERNEL double X(side_distance)(const X(grid) *g, const int cell[DIM], int k)
{
    return k % 2 ? g->n[k / 2] - cell[k / 2] - 0.5 : cell[k / 2] + 0.5;
}

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

/* That of the nearest solid in whose layer the place is, or SP_BEYOND cells out of it, if it is
 * nearer than `limit` cells. */
SP_KERNEL bool X(solid_wall)(const X(fields) *f, const X(walls) *walls, const double x[3],
                             double limit, X(wall) *wall)
{
    double dx = f->grid.dx, nearest = limit;
    int which = -1;
    for (int k = 0; k < f->solids.count && f->solids.any_drag; k++) {
        const sp_solid *solid = &f->solids.items[k];
        if (!solid->live || solid->form.wall == SPATE_WALL_SLIP)
            continue;
        double most = X(layer_of)(f, solid) + SP_BEYOND;
        most = most < nearest ? most : nearest;
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
 * none, to what the liquid ends at. It is not looked for beyond `most`. */
SP_KERNEL double X(way_to_surface)(const X(fields) *f, const int cell[DIM], const double normal[3],
                                   double most)
{
    size_t c = X(index)(&f->grid, cell);
    float last = f->phi[c];
    for (int k = 1; k <= SP_DEEPEST && k - 1 < most; k++) {
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

/* Of a cell: its distance from the nearest wall, as far as SP_BEYOND cells out of the layer of a
 * solid, and if that is a solid, its depth. find_side_depth adds that over sides. */
SP_KERNEL void X(find_depth)(const X(fields) *f, size_t c, const int cell[DIM],
                             const X(walls) *walls)
{
    double x[3] = {0, 0, 0}, nearest = SP_NOT_NEAR;
    X(wall) wall;
    f->depth[c] = 0.0f;
    f->wall_distance[c] = SP_NOT_NEAR;
    if (!X(inside)(&f->grid, cell))
        return;
    for (int k = 0; k < 2 * DIM; k++) {
        double z = X(side_distance)(&f->grid, cell, k);
        if (walls->side[k / 2][k % 2] != SPATE_WALL_SLIP && z < nearest)
            nearest = z;
    }
    FOR_DIM(d)
        x[d] = (cell[d] + 0.5) * f->grid.dx;
    if (X(solid_wall)(f, walls, x, nearest, &wall)) {
        nearest = wall.z;
        if (f->type[c] == SPATE_CELL_LIQUID && wall.z < wall.layer &&
            X(leads_to_wall)(f, cell, wall.normal, wall.z)) {
            double depth = wall.z + X(way_to_surface)(f, cell, wall.normal, wall.layer - wall.z);
            f->depth[c] = (float)(depth < wall.layer ? depth : wall.layer);
        }
    }
    f->wall_distance[c] = (float)nearest;
}

/* The columns of cells that begin at side k. */
SP_KERNEL size_t X(column_count)(const X(grid) *g, int k)
{
    size_t count = 1;
    FOR_DIM(d)
        count *= d == k / 2 ? 1 : (size_t)g->n[d];
    return count;
}

/* Column i at side k: the depth of the cells that are joined to it, where it is the nearest wall.
 */
SP_KERNEL void X(find_side_depth)(const X(fields) *f, int k, size_t i)
{
    const X(grid) *g = &f->grid;
    int cell[DIM], axis = k / 2, n = g->n[axis], joined = 0;
    ptrdiff_t step = (ptrdiff_t)g->stride[axis];
    FOR_DIM(d) {
        cell[d] = d == axis ? (k % 2) * (n - 1) : (int)(i % (size_t)g->n[d]);
        i /= d == axis ? 1 : (size_t)g->n[d];
    }
    size_t first = X(index)(g, cell), c = first;
    step = k % 2 ? -step : step;
    for (; joined < n && f->type[c] == SPATE_CELL_LIQUID; joined++)
        c += (size_t)step;
    if (joined == 0)
        return;
    float depth = (float)joined, last = f->phi[c - (size_t)step];
    if (joined < n && f->type[c] == SPATE_CELL_AIR && last < 0.0f)
        depth += last / (last - (f->phi[c] > 0.0f ? f->phi[c] : 0.0f)) - 0.5f;
    c = first;
    for (int j = 0; j < joined; j++, c += (size_t)step)
        if (f->wall_distance[c] == (float)j + 0.5f)
            f->depth[c] = depth;
}

/* ---- the volume of faces, in cells */

/* A tile is reached by a wall if its cells can be in a layer, or beside cells that are. Elsewhere
 * the stage leaves everything as it is, and what its arrays hold there is stale. The faces of cells
 * that are SP_NOT_NEAR have no volume and take no part, and a cell that is nearer reads only from
 * tiles that are reached. */
SP_KERNEL uint8_t X(is_reached)(const X(fields) *f, const X(walls) *walls, int tile)
{
    int first[DIM];
    double x[3] = {0, 0, 0}, dx = f->grid.dx, half = 0.5 * TILE * sqrt((double)DIM) + 1;
    for (int k = 0; k < 2 * DIM; k++)
        if (walls->side[k / 2][k % 2] != SPATE_WALL_SLIP)
            return 1;
    X(tile_cell)(&f->grid, tile, first);
    FOR_DIM(d)
        x[d] = (first[d] + 0.5 * TILE) * dx;
    for (int k = 0; k < f->solids.count; k++) {
        const sp_solid *solid = &f->solids.items[k];
        double reach = (X(layer_of)(f, solid) + 2 * SP_BEYOND + half) * dx;
        if (solid->live && solid->form.wall != SPATE_WALL_SLIP &&
            sp_bounds_distance(solid, x) < reach && sp_body_distance(solid, x, NULL) < reach)
            return 1;
    }
    return 0;
}

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

/* Face d of a cell. Around the last ones that are computed EXTRAPOLATE gives their velocity to
 * others, beyond the surface and in solids, whose liquid so moves with them. */
SP_KERNEL void X(find_face_volume)(const X(fields) *f, size_t c, const int cell[DIM], int d,
                                   const X(walls) *walls)
{
    float beyond = 0.0f, closed[2] = {0.0f, 0.0f};
    double x[3];
    f->volume[d][c] = 0.0f;
    if (!(f->wall_distance[c] < SP_NOT_NEAR) || !X(takes_stress)(f, c, d))
        return;
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

/* Of LANES cells: whether face d takes part, and whether it is closed. */
SP_KERNEL i8 X(take_stress)(const X(fields) *f, size_t c, int d)
{
    i8 here = load_bytes(f->type + c), there = load_bytes(f->type + c - f->grid.stride[d]);
    i8 wet = is_equal(here, SPATE_CELL_LIQUID) | is_equal(there, SPATE_CELL_LIQUID);
    wet &= ~(is_equal(here, SPATE_CELL_SOLID) | is_equal(there, SPATE_CELL_SOLID));
    wet &= is_less(load(f->wall_distance + c), f8_of(SP_NOT_NEAR));
    return f->cut ? wet & is_less(f8_of(NARROW), load(f->w[d] + c)) : wet;
}

SP_KERNEL i8 X(are_closed)(const X(fields) *f, size_t c, int d)
{
    if (!f->has_solids)
        return i8_of(0);
    if (f->cut)
        return ~is_less(f8_of(NARROW), load(f->w[d] + c));
    return is_equal(load_bytes(f->type + c), SPATE_CELL_SOLID) &
           is_equal(load_bytes(f->type + c - f->grid.stride[d]), SPATE_CELL_SOLID);
}

/* Faces d of LANES cells with cells of the domain all around. Those beside a closed one are done
 * one by one. */
SP_KERNEL void X(find_volume_inside)(const X(fields) *f, size_t c, const int cell[DIM], int d,
                                     const X(walls) *walls)
{
    i8 takes = X(take_stress)(f, c, d), closed = i8_of(0);
    f8 beyond = f8_of(0.0f);
    for (int k = 0; k < 2 * DIM && any(takes); k++) {
        size_t step = f->grid.stride[k / 2], near = k % 2 ? c + step : c - step;
        if (k / 2 == d)
            continue;
        i8 air = is_equal(load_bytes(f->type + near), SPATE_CELL_AIR) &
                 is_equal(load_bytes(f->type + near - f->grid.stride[d]), SPATE_CELL_AIR);
        beyond += where(air, load(f->weight[d] + near));
        closed |= takes & ~air & X(are_closed)(f, near, d);
    }
    store(f->volume[d] + c, where(takes, (load(f->weight[d] + c) + beyond) / f->rest));
    for (int k = 0; k < LANES && any(closed); k++) {
        int at[DIM];
        memcpy(at, cell, sizeof at);
        at[0] += k;
        if (lane(closed, k))
            X(find_face_volume)(f, c + (size_t)k, at, d, walls);
    }
}

/* The faces of LANES cells. */
SP_KERNEL void X(find_volume)(const X(fields) *f, size_t c, const int cell[DIM],
                              const X(walls) *walls)
{
    bool inside = true;
    FOR_DIM(a)
        inside = inside && cell[a] > 0 && cell[a] + (a == 0 ? LANES : 1) < f->grid.n[a];
    for (int d = 0; d < DIM; d++) {
        if (inside) {
            X(find_volume_inside)(f, c, cell, d, walls);
            continue;
        }
        for (int k = 0; k < LANES; k++) {
            int at[DIM];
            memcpy(at, cell, sizeof at);
            at[0] += k;
            X(find_face_volume)(f, c + (size_t)k, at, d, walls);
        }
    }
}

/* ---- stress at walls */

/* u* / u_t times (u - velocity of the wall) along axis a, SP_SAMPLE cells from a wall that the face
 * at x (m) sees; the profile there goes to `profile`. */
SP_KERNEL double X(sampled)(const X(fields) *f, const double x[3], const X(wall) *wall, int a,
                            double *profile)
{
    double place[DIM], part[DIM], sum = 0, profiles = 0, weights = 0, z0 = SP_SAMPLE;
    double last = -1, mean = 0; /* the height that the last logarithm was taken at */
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
        mean = z == last ? mean : sp_mean_ln(z);
        last = z;
        sum += weight * ((double)f->u[a][c] - wall->velocity[a]);
        profiles += weight * mean;
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
    if (wall->normal[d] * wall->normal[d] == 1)
        return 0;
    for (int a = 0; a < DIM; a++) {
        shear[a] = 0;
        if (wall->normal[a] * wall->normal[a] == 1)
            continue;
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

/* The faces of a cell after the stress of walls: from u to `to`. only_held: the walls that hold
 * the liquid. */
SP_KERNEL void X(drag_cell)(const X(fields) *f, size_t c, const int cell[DIM],
                            const X(walls) *walls, bool only_held, float *const to[DIM])
{
    for (int d = 0; d < DIM; d++) {
        double x[3], v = f->volume[d][c], u = f->u[d][c];
        X(wall) wall;
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
        to[d][c] = (float)u;
    }
}

/* The same of LANES cells, from u to `mixed`, or in u. */
SP_KERNEL void X(drag_faces)(const X(fields) *f, size_t c, const int cell[DIM],
                             const X(walls) *walls, bool only_held)
{
    i8 at_wall = is_less(load(f->wall_distance + c), f8_of((float)SP_SAMPLE + 1.0f));
    FOR_DIM(d)
        if (!only_held)
            store(f->mixed[d] + c, load(f->u[d] + c));
    for (int k = 0; k < LANES && any(at_wall); k++) {
        int at[DIM];
        memcpy(at, cell, sizeof at);
        at[0] += k;
        if (lane(at_wall, k))
            X(drag_cell)(f, c + (size_t)k, at, walls, only_held, only_held ? f->u : f->mixed);
    }
}

#endif
