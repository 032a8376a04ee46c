/* whitewater_emit.h -- how whitewater comes (after Ihmsen, Akinci, Akinci & Teschner 2012, on the
 * grid).
 *
 * Three potentials of a cell, each a ramp from 0 to 1 between two limits:
 *
 *     energy    |v|^2
 *     crest     kappa * detail, kappa = div n, where the surface moves outwards: n.v / |v| > 0.4
 *     air       the rate of strain S = sqrt(2 D:D), which rigid rotation has none of; and where
 *               liquid closes on liquid across a gap, the closing speed / detail
 *
 * from fields filtered to the length `detail`, so that they do not change with the grid: the linear
 * function that fits the velocity of the liquid cells of the box of that size best, by weighted
 * least squares, which is right beside the surface and at walls too; likewise of the normals for
 * kappa. Then
 *
 *     n = rate energy (k_crest crest + k_air air) (dx / spacing)^DIM dt,
 *     N = floor(n + random(seed, cell, step))
 *
 * particles come from a cell: as many as n says on the average, however short the step. They come
 * from a layer 1.5 `detail` deep (crest: half of it). A liquid cell stands for what of it is nearer
 * to its middle than to that of the next one, the topmost for all up to the surface, and the
 * velocity is that in the middle of this part: so numbers do not depend on where the surface is
 * against the cells.
 * Random numbers are hashes: the same on every device. */
#ifndef SPATE_KERNELS_WHITEWATER_EMIT_H
#define SPATE_KERNELS_WHITEWATER_EMIT_H

#include "exp.h"
#include "whitewater.h"

SP_KERNEL f8 X(white_clamp)(f8 v)
{
    f8 zero = f8_of(0.0f), one = f8_of(1.0f);
    v = choose(is_less(zero, v), v, zero);
    return choose(is_less(v, one), v, one);
}

SP_KERNEL f8 X(white_ramp)(f8 v, const float limits[2])
{
    return X(white_clamp)((v - limits[0]) * limits[1]);
}

/* ---- the fit of a vector field */

typedef struct X(white_fit) {
    f8 weight, place[DIM], square[DIM][DIM], sum[DIM], product[DIM][DIM];
} X(white_fit);

SP_KERNEL void X(white_fit_begin)(X(white_fit) *fit)
{
    f8 zero = f8_of(0.0f);
    fit->weight = zero;
    FOR_DIM(d) {
        fit->place[d] = fit->sum[d] = zero;
        FOR_DIM(e)
            fit->square[d][e] = fit->product[d][e] = zero;
    }
}

/* A row of cells along x, summed up before it is added to a fit: weights, values, and both times
 * the place along x. */
typedef struct X(white_row) {
    f8 weight, first, second; /* times 1, x, x^2 */
    f8 sum[DIM], product[DIM];
} X(white_row);

SP_KERNEL void X(white_row_begin)(X(white_row) *row)
{
    f8 zero = f8_of(0.0f);
    row->weight = row->first = row->second = zero;
    FOR_DIM(d)
        row->sum[d] = row->product[d] = zero;
}

SP_KERNEL void X(white_row_add)(X(white_row) *row, f8 weight, float x, const f8 value[DIM])
{
    f8 moved = weight * x;
    row->weight += weight;
    row->first += moved;
    row->second += moved * x;
    FOR_DIM(d) {
        row->sum[d] += weight * value[d];
        row->product[d] += moved * value[d];
    }
}

/* place: of the row along y and z; share: its weight. */
SP_KERNEL void X(white_fit_add)(X(white_fit) *fit, const X(white_row) *row, const float place[3],
                                float share)
{
    f8 weight = row->weight * share, first = row->first * share;
    fit->weight += weight;
    fit->place[0] += first;
    fit->square[0][0] += row->second * share;
    FOR_DIM(d) {
        f8 sum = row->sum[d] * share;
        fit->sum[d] += sum;
        fit->product[d][0] += row->product[d] * share;
        for (int e = 1; e < DIM; e++)
            fit->product[d][e] += sum * place[e];
    }
    for (int d = 1; d < DIM; d++) {
        fit->place[d] += weight * place[d];
        fit->square[0][d] += first * place[d];
        fit->square[d][0] += first * place[d];
        for (int e = 1; e < DIM; e++)
            fit->square[d][e] += weight * (place[d] * place[e]);
    }
}

/* The mean, and slope[d][e]: of component d along e, per cell. Along directions in which there are
 * no cells it is 0. */
SP_KERNEL void X(white_fit_end)(X(white_fit) *fit, f8 slope[DIM][DIM])
{
    f8 one = f8_of(1.0f);
    f8 inverse = one / choose(is_less(f8_of(0.0f), fit->weight), fit->weight, one);
    FOR_DIM(d) {
        fit->place[d] = fit->place[d] * inverse;
        fit->sum[d] = fit->sum[d] * inverse;
    }
    FOR_DIM(d) {
        FOR_DIM(e) {
            fit->square[d][e] = fit->square[d][e] * inverse - fit->place[d] * fit->place[e];
            slope[d][e] = fit->product[d][e] * inverse - fit->sum[d] * fit->place[e];
        }
    }
    FOR_DIM(d)
        fit->square[d][d] += 1e-3f;
    for (int i = 0; i < DIM; i++)
        for (int j = i + 1; j < DIM; j++) {
            f8 factor = fit->square[j][i] / fit->square[i][i];
            FOR_DIM(k)
                fit->square[j][k] -= factor * fit->square[i][k];
            FOR_DIM(d)
                slope[d][j] -= factor * slope[d][i];
        }
    for (int i = DIM - 1; i >= 0; i--)
        FOR_DIM(d) {
            for (int k = i + 1; k < DIM; k++)
                slope[d][i] -= fit->square[i][k] * slope[d][k];
            slope[d][i] = slope[d][i] / fit->square[i][i];
        }
}

/* Row number n of the box of 2 reach + 1 cells: its place against the middle along y and z, its
 * weight there by the share of it that is in the box of 2 reach dx, and the index of the cell in
 * its middle. */
SP_KERNEL float X(white_box_row)(const X(grid) *g, size_t c, int reach, int n, float place[3],
                                 size_t *index)
{
    int side = 2 * reach + 1, offset[3] = {0, n % side - reach, n / side - reach};
    ptrdiff_t at = (ptrdiff_t)c;
    float weight = 1.0f;
    place[0] = place[2] = 0.0f;
    for (int d = 1; d < DIM; d++) {
        place[d] = (float)offset[d];
        at += offset[d] * (ptrdiff_t)g->stride[d];
        weight *= offset[d] == reach || offset[d] == -reach ? 0.5f : 1.0f;
    }
    *index = (size_t)at;
    return weight;
}

SP_KERNEL f8 X(white_centre)(const X(fields) *f, size_t c, int d)
{
    return 0.5f * (load(f->u[d] + c) + load(f->u[d] + c + f->grid.stride[d]));
}

SP_KERNEL i8 X(white_is_liquid)(const X(fields) *f, size_t c)
{
    return is_equal(load_bytes(f->type + c), SPATE_CELL_LIQUID);
}

/* Of the liquid around a cell: the velocity at an offset from its middle (cells); returns the rate
 * of strain, per cell. */
SP_KERNEL f8 X(white_strain)(const X(fields) *f, const X(whitewater) *w, size_t c,
                             const f8 offset[DIM], f8 v[DIM])
{
    X(white_fit) fit;
    f8 slope[DIM][DIM], sum = f8_of(0.0f);
    int side = 2 * w->reach + 1, rows = side * LAST(side);
    X(white_fit_begin)(&fit);
    for (int n = 0; n < rows; n++) {
        size_t at;
        float place[3], share = X(white_box_row)(&f->grid, c, w->reach, n, place, &at);
        X(white_row) row;
        X(white_row_begin)(&row);
        for (int i = -w->reach; i <= w->reach; i++) {
            size_t cell = at + (size_t)i;
            f8 value[DIM], half = f8_of(i == w->reach || i == -w->reach ? 0.5f : 1.0f);
            FOR_DIM(d)
                value[d] = X(white_centre)(f, cell, d);
            X(white_row_add)(&row, where(X(white_is_liquid)(f, cell), half), (float)i, value);
        }
        X(white_fit_add)(&fit, &row, place, share);
    }
    X(white_fit_end)(&fit, slope);
    FOR_DIM(d) {
        v[d] = fit.sum[d];
        FOR_DIM(e) {
            f8 rate = 0.5f * (slope[d][e] + slope[e][d]);
            sum += rate * rate;
            v[d] += slope[d][e] * (offset[e] - fit.place[e]);
        }
    }
    return f8_sqrt(2.0f * sum);
}

/* The gradient of the distance, of any length. */
SP_KERNEL void X(white_normal)(const X(fields) *f, size_t c, f8 normal[DIM])
{
    FOR_DIM(d)
        normal[d] = load(f->band + c + f->grid.stride[d]) - load(f->band + c - f->grid.stride[d]);
}

/* From the middle of a cell to the middle of the part of the layer that it stands for; b: its
 * distance from the surface. */
SP_KERNEL void X(white_offset)(const X(fields) *f, size_t c, f8 b, f8 offset[DIM])
{
    f8 square = f8_of(1e-12f), zero = f8_of(0.0f);
    i8 top = is_less(f8_of(-1.0f), b) & is_less(b, zero);
    X(white_normal)(f, c, offset);
    FOR_DIM(d)
        square += offset[d] * offset[d];
    f8 way = where(top, (-0.25f - 0.5f * b) / f8_sqrt(square));
    FOR_DIM(d)
        offset[d] = offset[d] * way;
}

/* Of the surface around a cell: the mean normal; returns its divergence, 1/cell. */
SP_KERNEL f8 X(white_curvature)(const X(fields) *f, const X(whitewater) *w, size_t c, f8 mean[DIM])
{
    X(white_fit) fit;
    f8 slope[DIM][DIM], sum = f8_of(0.0f), most = f8_of(1.5f * (float)f->grid.dx);
    int side = 2 * w->reach + 1, rows = side * LAST(side);
    X(white_fit_begin)(&fit);
    for (int n = 0; n < rows; n++) {
        size_t at;
        float place[3], share = X(white_box_row)(&f->grid, c, w->reach, n, place, &at);
        X(white_row) row;
        X(white_row_begin)(&row);
        for (int i = -w->reach; i <= w->reach; i++) {
            size_t cell = at + (size_t)i;
            f8 value[DIM], square = f8_of(1e-12f), b = load(f->band + cell);
            f8 half = f8_of(i == w->reach || i == -w->reach ? 0.5f : 1.0f);
            i8 near = is_less(b, most) & is_less(-b, most) &
                      ~is_equal(load_bytes(f->type + cell), SPATE_CELL_SOLID);
            if (!any(near))
                continue;
            FOR_DIM(d) {
                size_t step = f->grid.stride[d];
                value[d] = load(f->band + cell + step) - load(f->band + cell - step);
                square += value[d] * value[d];
            }
            f8 length = f8_sqrt(square);
            FOR_DIM(d)
                value[d] = value[d] / length;
            X(white_row_add)(&row, where(near, half), (float)i, value);
        }
        X(white_fit_add)(&fit, &row, place, share);
    }
    X(white_fit_end)(&fit, slope);
    FOR_DIM(d) {
        mean[d] = fit.sum[d];
        sum += slope[d][d];
    }
    return sum;
}

/* Air between liquid: how fast it closes, per cell; 0 where it does not. */
SP_KERNEL f8 X(white_closing)(const X(fields) *f, const X(whitewater) *w, size_t c)
{
    f8 most = f8_of(0.0f);
    FOR_DIM(d) {
        size_t way = (size_t)w->reach * f->grid.stride[d], low = c - way, high = c + way;
        i8 gap = X(white_is_liquid)(f, low) & X(white_is_liquid)(f, high);
        f8 speed = X(white_centre)(f, low, d) - X(white_centre)(f, high, d);
        speed = where(gap, speed / (2.0f * (float)w->reach));
        most = choose(is_less(most, speed), speed, most);
    }
    return most;
}

/* The three potentials of a cell, before their ramps. */
typedef struct X(white_potentials) {
    f8 energy, crest, air; /* m^2/s^2; 1/cell; 1/s */
    f8 share, top;         /* cells: part of the layer that it stands for; likewise where crests
                              count, and it goes outwards */
    i8 gap;                /* air that liquid closes on */
    i8 some;               /* there is anything */
} X(white_potentials);

SP_KERNEL X(white_potentials)
    X(white_potentials_of)(const X(fields) *f, const X(whitewater) *w, size_t c)
{
    X(white_potentials) p;
    f8 zero = f8_of(0.0f), b = load(f->band + c) / (float)f->grid.dx, own = zero;
    f8 mean[DIM], normal[DIM], offset[DIM], one = f8_of(1.0f);
    i8 liquid = X(white_is_liquid)(f, c);
    i8 solid = is_equal(load_bytes(f->type + c), SPATE_CELL_SOLID);
    p.energy = p.crest = p.air = zero;
    p.share = where(liquid & is_less(b, zero), choose(is_less(f8_of(-1.0f), b), 0.5f - b, one) *
                                                   X(white_clamp)(w->depth + 0.5f + b));
    p.top = p.share * X(white_clamp)((float)w->reach + 0.5f + b);
    p.some = is_positive(p.share);
    p.gap = ~liquid & ~solid & is_less(b, f8_of(1.5f));
    f8 closing = zero;
    if (any(p.gap)) {
        closing = where(p.gap, X(white_closing)(f, w, c));
        p.gap = is_positive(closing);
        p.some |= p.gap;
        p.share = choose(p.gap, one, p.share);
    }
    if (!any(p.some))
        return p;
    FOR_DIM(d) {
        f8 v = X(white_centre)(f, c, d);
        own += v * v;
    }
    p.some &= is_less(f8_of(0.25f * w->speed[0]), own); /* far too slow */
    if (!any(p.some))
        return p;
    X(white_offset)(f, c, b, offset);
    f8 strain = X(white_strain)(f, w, c, offset, mean);
    FOR_DIM(d)
        p.energy += mean[d] * mean[d];
    p.air = choose(p.gap, closing, strain) / (float)f->grid.dx;
    /* only where the surface may go outwards, by the cell's own normal */
    f8 ahead = zero, along = zero, length = f8_of(1e-12f);
    X(white_normal)(f, c, normal);
    FOR_DIM(d)
        ahead += normal[d] * mean[d];
    p.top = where(is_positive(ahead), p.top);
    if (any(p.some & is_positive(p.top)) && w->crest > 0.0f) {
        p.crest = X(white_curvature)(f, w, c, normal);
        FOR_DIM(d) {
            along += normal[d] * mean[d];
            length += normal[d] * normal[d];
        }
        f8 rising = along / f8_sqrt(length * (p.energy + 1e-12f));
        p.top = p.top * X(white_clamp)((rising - 0.4f) * 5.0f);
    }
    return p;
}

/* How many come from a cell in the step, on the average. */
SP_KERNEL f8 X(white_expected)(const X(whitewater) *w, const X(white_potentials) *p)
{
    f8 crest = p->top * X(white_ramp)(p->crest, w->curvature);
    f8 air = p->share * X(white_ramp)(p->air, w->strain);
    f8 sum = w->crest * crest + w->air * air;
    return where(p->some, w->amount * X(white_ramp)(p->energy, w->speed) * sum);
}

/* The bin of a value, of `bins` from 0 to four times the upper limit. */
SP_KERNEL int X(white_bin)(float value, float high, int bins)
{
    float place = value / (4.0f * high) * (float)bins;
    return place > 0.0f ? place < (float)(bins - 1) ? (int)place : bins - 1 : 0;
}

/* ---- one cell, one particle */

SP_KERNEL uint64_t X(white_cell_key)(const X(whitewater) *w, size_t c)
{
    return sp_hash2(w->key, (uint64_t)c);
}

/* A whole number with the mean n; salt: of what. */
SP_KERNEL uint32_t X(white_number)(const X(whitewater) *w, size_t c, float n, uint64_t salt)
{
    double sum = (double)n + (double)sp_uniform(sp_hash2(X(white_cell_key)(w, c), salt));
    return sum < 65535 ? (uint32_t)sum : 65535u;
}

/* Dust that comes from a cell in the step, on the average: within half of `detail` of solids and of
 * the wall below. */
SP_KERNEL float X(white_dust)(const X(fields) *f, const X(whitewater) *w, size_t c,
                              const int cell[DIM])
{
    bool near = f->solids.live > 0 && f->phi_solid[c] < (float)w->reach * w->dx;
    float square = 0.0f;
    FOR_DIM(d) {
        bool low = w->gravity[d] < -0.5 * w->pull && f->sides[d][0] == SPATE_SIDE_WALL;
        bool high = w->gravity[d] > 0.5 * w->pull && f->sides[d][1] == SPATE_SIDE_WALL;
        near = near || (low && cell[d] < w->reach) || (high && cell[d] >= f->grid.n[d] - w->reach);
        float v = 0.5f * (f->u[d][c] + f->u[d][c + f->grid.stride[d]]);
        square += v * v;
    }
    float share = (square - w->dust_speed[0]) * w->dust_speed[1];
    share = share < 0.0f ? 0.0f : share < 1.0f ? share : 1.0f;
    return near && f->type[c] == SPATE_CELL_LIQUID ? w->dust * share : 0.0f;
}

/* Solids of which another amount comes than of the rest: that of the one within `detail`. */
SP_KERNEL float X(white_beside)(const X(fields) *f, const X(whitewater) *w, size_t c,
                                const int cell[DIM])
{
    double world[3] = {0, 0, 0}, detail = 2 * w->reach * f->grid.dx;
    int nearest = -1;
    if (f->solids.live == 0 || f->phi_solid[c] > (float)(detail + 2 * f->grid.dx))
        return 1.0f;
    FOR_DIM(d)
        world[d] = (cell[d] + 0.5) * f->grid.dx;
    double distance = sp_bodies_distance(&f->solids, world, NULL, &nearest);
    return nearest >= 0 && distance < detail ? (float)f->solids.items[nearest].source.whitewater
                                             : 1.0f;
}

/* Radii: as r^-3/2 between sizes[0] and [1], as r^-10/3 from there to [2] (m; Deane & Stokes 2002);
 * by the inverse of their distribution. sizes[3]: the share of the first part; [4] and [5]:
 * r^-1/2 at [0] and r^-7/3 at [1], less what they are at the ends. */
SP_KERNEL float X(white_radius)(const X(whitewater) *w, float random)
{
    const double *s = w->sizes;
    double share = (double)random;
    if (share < s[3]) {
        double root = sp_pow(s[0], -0.5) - share / s[3] * s[4];
        return (float)(1 / (root * root));
    }
    double rest = s[3] < 1 ? (share - s[3]) / (1 - s[3]) : 0;
    return (float)sp_pow(sp_pow(s[1], -7.0 / 3) - rest * s[5], -3.0 / 7);
}

/* Whether a place is free, with the margin. */
SP_KERNEL bool X(white_has_room)(const X(fields) *f, const X(whitewater) *w, const float x[DIM])
{
    double world[3] = {0, 0, 0}, margin = w->margin, dx = f->grid.dx;
    bool inside = true;
    margin = margin > (double)CLEARANCE * dx ? margin : (double)CLEARANCE * dx;
    FOR_DIM(d) {
        world[d] = (double)x[d] * dx;
        bool low = f->sides[d][0] == SPATE_SIDE_WALL, high = f->sides[d][1] == SPATE_SIDE_WALL;
        inside = inside && !(low && world[d] < margin) &&
                 !(high && world[d] > f->grid.end[d] * dx - margin);
    }
    return inside &&
           (f->solids.live == 0 || sp_bodies_distance(&f->solids, world, NULL, NULL) >= margin);
}

/* Particle k of a set, number n of those that come from a cell; false: there is no place for it, or
 * its class is off. kind: WHITE_DUST, or -1: by the surface. */
SP_KERNEL bool X(white_begin)(const X(fields) *f, const X(whitewater) *w, const X(obstacles) *o,
                              const X(white) *p, size_t k, size_t c, uint32_t n, uint32_t id,
                              int kind)
{
    uint64_t key = sp_hash2(X(white_cell_key)(w, c), (uint64_t)n + 1);
    float x[DIM], to[DIM], v[DIM], square = 0.0f;
    int cell[DIM];
    X(fate) fate = {0, 0, false, false};
    X(coordinates)(&f->grid, c, cell);
    FOR_DIM(d)
        x[d] = (float)cell[d] + sp_uniform(sp_hash2(key, (uint64_t)d));
    if (!X(white_has_room)(f, w, x))
        return false;
    float b = X(band_at)(f, x, w->width, NULL), way = w->h * sp_uniform(sp_hash2(key, 8));
    if (kind < 0)
        kind = b < FOAM_LOW ? WHITE_BUBBLE : b < FOAM_HIGH ? WHITE_FOAM : WHITE_SPRAY;
    if (!w->on[kind] || !X(white_is_kept)(w, id))
        return false;
    X(velocity_at)(&f->grid, KERNEL_LINEAR, f->u, x, v);
    FOR_DIM(d) {
        to[d] = x[d] + way * v[d];
        square += v[d] * v[d];
    }
    if (!X(collide_particle)(o, x, to, v, &fate) || X(is_drained)(&f->grid, &w->outflows, to) ||
        X(is_drained)(&f->grid, &w->kill, to))
        return false;
    float energy = (square - w->speed[0]) * w->speed[1];
    energy = energy < 0.0f ? 0.0f : energy < 1.0f ? energy : 1.0f;
    FOR_DIM(d) {
        p->x[d][k] = to[d];
        p->v[d][k] = v[d];
        p->rests[d][k] = 0;
    }
    p->id[k] = id;
    p->kind[k] = (uint32_t)kind;
    p->age[k] = 0.0f;
    p->life[k] = (w->life[0] + (w->life[1] - w->life[0]) * energy) *
                 (0.7f + 0.6f * sp_uniform(sp_hash2(key, 10)));
    p->radius[k] = X(white_radius)(w, sp_uniform(sp_hash2(key, 9)));
    return true;
}

#endif
