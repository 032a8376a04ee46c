/* mixing.h -- FORCES: eddies hand the stress of walls (walls.h) on into the liquid.
 *
 * Prandtl's mixing length, up to the depth h of the liquid above the wall, where there is no
 * stress:
 *
 *     du_d/dt = sum_a d/dx_a nu (du_d/dx_a + du_a/dx_d),      nu = l^2 |omega|,
 *     l = kappa z sqrt(1 - z/h),      omega = curl u.
 *
 * In uniform flow this and the law at the wall give the log law from the wall to the surface. It is
 * the vorticity that mixes (Baldwin & Lomax 1978), since a wall is what makes it: water that a
 * shape or a wave bends without turning has strain, and goes on as if nothing were rough. Along a
 * solid h is at most the thickness of its layer. On the grid:
 *
 * - nu belongs to edges, where two faces meet: edge (a, b) of a cell is where its low faces along a
 *   and b do. Between cells dx apart l is kappa dx / (L(z + dx/2) - L(z - dx/2)), which makes the
 *   log law, as means over cells, the exact solution on any grid, wherever the wall cuts it.
 * - In time: stages of Runge, Kutta and Legendre (Meyer, Balsara & Aslam 2014, RKL1). s of them are
 *   stable for a rate up to s (s + 1) / dt; each one is explicit and keeps momentum. nu is that of
 *   the beginning of the step.
 *
 * The bodies do LANES cells of a row (lane.h). */
#ifndef SPATE_KERNELS_MIXING_H
#define SPATE_KERNELS_MIXING_H

#include "lane.h"
#include "walls.h"

#define SP_MIX_STAGES 41 /* at most; nu is capped where they do not suffice */

/* ---- the length */

/* 1 / (L(z + 1/2) - L(z - 1/2)): l / kappa without the root, for two cells that meet z from the
 * wall. */
SP_KERNEL double sp_mixing_height(double z)
{
    return 1 / (sp_mean_ln(z + 0.5) - sp_mean_ln(z - 0.5));
}

/* The same to 4e-5 from z = 2 on: the difference of L is the second difference of z ln z, whose
 * series is 1/z + 1/(6 z^3) + 1/(15 z^5) + ... + 1/(n (2n - 1) z^(2n - 1)). */
SP_KERNEL f8 sp_far_height(f8 z)
{
    f8 r = 1.0f / (z * z);
    f8 sum = r * (1.0f / 28) + 1.0f / 15;
    sum = r * sum + 1.0f / 6;
    return z / (r * sum + 1.0f);
}

SP_KERNEL f8 sp_mixing_heights(f8 z)
{
    float each[LANES], from[LANES];
    i8 close = is_less(z, f8_of(2.0f));
    f8 far = sp_far_height(z);
    if (!any(close))
        return far;
    store(each, far);
    store(from, z);
    for (int k = 0; k < LANES; k++)
        if (lane(close, k))
            each[k] = (float)sp_mixing_height(from[k]);
    return load(each);
}

/* How many stages are stable for a rate times dt. */
SP_KERNEL int sp_mix_stages(double rates)
{
    int stages = 1;
    while (stages * (stages + 1) < rates && stages < SP_MIX_STAGES)
        stages += 2; /* odd: the last one ends in u */
    return stages;
}

/* ---- edges */

/* Where mixing[] has edges (a, b). */
SP_KERNEL int X(edge_of)(int a, int b)
{
    return DIM == 2 ? 0 : 3 - a - b;
}

/* The area that stress may act on, at most: twice the smallest of the volumes that meet there, so
 * that slivers are not stiff, and the number of particles in a whole cell does not matter. */
SP_KERNEL f8 X(edge_area)(const X(fields) *f, size_t c, int a, int b)
{
    f8 one = f8_min(load(f->volume[a] + c), load(f->volume[a] + c - f->grid.stride[b]));
    f8 other = f8_min(load(f->volume[b] + c), load(f->volume[b] + c - f->grid.stride[a]));
    return 2.0f * f8_min(f8_min(one, other), f8_of(0.5f));
}

/* du_a/dx_b at an edge, times dx. */
SP_KERNEL f8 X(slope)(const X(fields) *f, float *const u[DIM], size_t c, int a, int b)
{
    return load(u[a] + c) - load(u[a] + c - f->grid.stride[b]);
}

SP_KERNEL f8 X(shear)(const X(fields) *f, float *const u[DIM], size_t c, int a, int b)
{
    return X(slope)(f, u, c, a, b) + X(slope)(f, u, c, b, a);
}

SP_KERNEL f8 X(turning)(const X(fields) *f, size_t c, int a, int b)
{
    return X(slope)(f, f->u, c, a, b) - X(slope)(f, f->u, c, b, a);
}

/* The mean of turning (a, t) over the four edges of it around edge (a, b). */
SP_KERNEL f8 X(turning_around)(const X(fields) *f, size_t c, int a, int b, int t)
{
    f8 sum = f8_of(0.0f);
    for (int k = 0; k < 4; k++) {
        size_t edge = c - (k & 1 ? f->grid.stride[b] : 0) + (k & 2 ? f->grid.stride[t] : 0);
        i8 there = is_positive(X(edge_area)(f, edge, a, t));
        sum += where(there, X(turning)(f, edge, a, t));
    }
    return 0.25f * sum;
}

/* |omega| at an edge, times dx. */
SP_KERNEL f8 X(vorticity)(const X(fields) *f, size_t c, int a, int b)
{
    f8 own = X(turning)(f, c, a, b), square = own * own;
    for (int t = 0; t < DIM; t++) {
        if (t == a || t == b)
            continue;
        f8 one = X(turning_around)(f, c, a, b, t), other = X(turning_around)(f, c, b, a, t);
        square += one * one + other * other;
    }
    return f8_sqrt(square);
}

/* nu at edges (a, b) in cells^2 per step, times the area; most: what the stages can do. */
SP_KERNEL f8 X(mixing_at)(const X(fields) *f, size_t c, int a, int b, double dt, float most)
{
    const size_t sa = f->grid.stride[a], sb = f->grid.stride[b], around[4] = {0, sa, sb, sa + sb};
    const f8 zero = f8_of(0.0f), one = f8_of(1.0f);
    f8 z = zero, h = zero, count = zero, area = X(edge_area)(f, c, a, b);
    for (int k = 0; k < 4; k++) {
        size_t near = c - around[k];
        f8 depth = load(f->depth + near);
        z += 0.25f * load(f->wall_distance + near);
        h += depth;
        count += where(is_positive(depth), one);
    }
    i8 mixed = is_positive(area) & is_positive(z) & is_less(z * count, h);
    if (!any(mixed))
        return zero;
    z = choose(mixed, z, one);
    area = f8_min(area, z); /* in the layer at the wall its stress acts on the rest directly */
    f8 length = (float)SP_KARMAN * sp_mixing_heights(z);
    f8 below = 1.0f - z * count / choose(mixed, h, one);
    f8 nu = length * length * below * (float)(dt / f->grid.dx) * X(vorticity)(f, c, a, b) * area;
    for (int k = 0; k < 4; k++) { /* a face that few particles move with can take as much less */
        int d = k & 1 ? a : b;
        f8 v = load(f->volume[d] + (k & 2 ? c - f->grid.stride[k & 1 ? b : a] : c));
        nu = choose(is_positive(v), f8_min(nu, most * v), nu);
    }
    return where(mixed, nu);
}

/* All edges of the cells. */
SP_KERNEL void X(find_mixing)(const X(fields) *f, size_t c, double dt)
{
    const float most = (float)SP_MIX_STAGES * (SP_MIX_STAGES + 1) / (8.0f * DIM);
    for (int a = 0; a < DIM; a++)
        for (int b = a + 1; b < DIM; b++)
            store(f->mixing[X(edge_of)(a, b)] + c, X(mixing_at)(f, c, a, b, dt, most));
}

/* nu in the cells, where a stretch acts: the mean of their edges. */
SP_KERNEL void X(find_cell_mixing)(const X(fields) *f, size_t c)
{
    f8 sum = f8_of(0.0f);
    for (int a = 0; a < DIM; a++)
        for (int b = a + 1; b < DIM; b++) {
            const float *m = f->mixing[X(edge_of)(a, b)] + c;
            size_t sa = f->grid.stride[a], sb = f->grid.stride[b];
            sum += (load(m) + load(m + sa)) + (load(m + sb) + load(m + sa + sb));
        }
    store(f->cell_mixing + c, sum * (DIM == 2 ? 0.25f : 1.0f / 12.0f));
}

/* ---- the diffusion */

/* A bound of the rates at which mixing changes the faces of the cells, per step: the largest. */
SP_KERNEL float X(mixing_rate)(const X(fields) *f, size_t c)
{
    f8 most = f8_of(0.0f);
    float each[LANES], largest = 0.0f;
    for (int d = 0; d < DIM; d++) {
        f8 v = load(f->volume[d] + c);
        i8 there = is_positive(v);
        f8 sum = load(f->cell_mixing + c) + load(f->cell_mixing + c - f->grid.stride[d]);
        for (int a = 0; a < DIM; a++)
            if (a != d) {
                const float *m = f->mixing[X(edge_of)(a, d)] + c;
                sum += load(m) + load(m + f->grid.stride[a]);
            }
        most = f8_max(most, where(there, 4.0f * sum / choose(there, v, f8_of(1.0f))));
    }
    store(each, most);
    for (int k = 0; k < LANES; k++)
        largest = each[k] > largest ? each[k] : largest;
    return largest;
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

/* du_d/dx_d in the cells, times dx; 0 where a face is not the liquid's. */
SP_KERNEL f8 X(stretch)(const X(fields) *f, float *const u[DIM], size_t c, int d)
{
    size_t next = c + f->grid.stride[d];
    i8 there = is_positive(load(f->volume[d] + c)) & is_positive(load(f->volume[d] + next));
    return where(there, load(u[d] + next) - load(u[d] + c));
}

SP_KERNEL f8 X(mixed_change)(const X(fields) *f, float *const u[DIM], size_t c, int d)
{
    size_t sd = f->grid.stride[d];
    f8 sum = 2.0f * (load(f->cell_mixing + c) * X(stretch)(f, u, c, d) -
                     load(f->cell_mixing + c - sd) * X(stretch)(f, u, c - sd, d));
    for (int a = 0; a < DIM; a++) {
        if (a == d)
            continue;
        const float *m = f->mixing[X(edge_of)(a, d)];
        size_t next = c + f->grid.stride[a];
        sum += load(m + next) * X(shear)(f, u, next, d, a) - load(m + c) * X(shear)(f, u, c, d, a);
    }
    return sum;
}

SP_KERNEL void X(mix_faces)(const X(fields) *f, size_t c, const X(mix_stage) *stage)
{
    for (int d = 0; d < DIM; d++) {
        f8 v = load(f->volume[d] + c);
        i8 there = is_positive(v);
        if (!any(there))
            continue;
        f8 change = X(mixed_change)(f, stage->from, c, d) / choose(there, v, f8_of(1.0f));
        f8 from = load(stage->from[d] + c), to = load(stage->to[d] + c);
        f8 result = (from + (1.0f - stage->mean) * (to - from)) + stage->part * change;
        store(stage->to[d] + c, choose(there, result, to));
    }
}

#endif
