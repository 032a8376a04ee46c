/* interpolate.h -- fields of the grid at eight places.
 *
 * The interpolation is that of kernels/transfer.h for the linear kernel, read directly from the
 * grid: particles are sorted by cell, so what eight neighbours need lies in the nearest cache. Two
 * nodes along x are one load of eight bytes. Bits are those of the scalar code. */
#ifndef SPATE_CPU_INTERPOLATE_H
#define SPATE_CPU_INTERPOLATE_H

#include "cpu/simd.h"
#include "kernels/grid.h"

/* The two floats at corner[k] + offset of each lane. */
SIMD_FN void gather_pairs(const float *const corner[LANES], size_t offset, f8 *first, f8 *second)
{
    double pair[LANES];
    for (int k = 0; k < LANES; k++)
        memcpy(&pair[k], corner[k] + offset, sizeof pair[k]);
    f8 a = (f8)(d4){pair[0], pair[1], pair[4], pair[5]};
    f8 b = (f8)(d4){pair[2], pair[3], pair[6], pair[7]};
    *first = shuffle(a, b, 0, 2, 8, 10, 4, 6, 12, 14);
    *second = shuffle(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
}

/* Where eight places lie between the nodes. */
typedef struct X(located) {
    i8 index[DIM];    /* first node of each component, from the grid's origin */
    f8 share[2][DIM]; /* way from the first node to the second, 0 .. 1; [0] nodes on whole
                         numbers, [1] half way */
} X(located);

/* x: not negative; stride: of the nodes' array */
SIMD_FN void X(locate)(const f8 x[DIM], const int32_t stride[DIM], X(located) *at)
{
    i8 step[DIM], half = (i8){0};
    FOR_DIM(a) {
        i8 whole_node = convert(x[a], i8);
        f8 whole = convert(whole_node, f8);
        f8 from_whole = x[a] - 0.5f - whole; /* the last difference is exact */
        i8 before = is_negative(from_whole); /* -1: the node half way is the one before */
        at->share[0][a] = x[a] - whole;
        at->share[1][a] = from_whole + where(before, f8_of(1.0f));
        half += (whole_node + before) * stride[a];
        step[a] = before & stride[a];
    }
    FOR_DIM(d)
        at->index[d] = half + step[d];
}

SIMD_FN void X(grid_locate)(const X(grid) *g, const f8 x[DIM], X(located) *at)
{
    int32_t stride[DIM];
    FOR_DIM(a)
        stride[a] = (int32_t)g->stride[a];
    X(locate)(x, stride, at);
}

/* A face velocity, ready to be read: u[d] points at the grid's origin. */
typedef struct X(grid_field) {
    const float *u[DIM];
    size_t row, plane; /* distance to the next row and plane of nodes */
} X(grid_field);

static inline X(grid_field) X(grid_field_of)(const X(grid) *g, float *const u[DIM])
{
    X(grid_field) f = {.row = g->stride[1], .plane = g->stride[2]};
    FOR_DIM(d)
        f.u[d] = u[d] + g->origin;
    return f;
}

/* Component d of a field; slope: its gradient per cell, as gather_differences has it, or NULL. */
SIMD_FN f8 X(grid_value)(const X(grid_field) *f, const X(located) *at, int d, f8 *slope)
{
    const float *corner[LANES];
    int32_t index[LANES];
    memcpy(index, &at->index[d], sizeof index);
    for (int k = 0; k < LANES; k++)
        corner[k] = f->u[d] + index[k];
    f8 x = at->share[d != 0][0], y = at->share[d != 1][1], z = at->share[d != 2][DIM - 1];
    f8 value[2][2], along_z[2][2]; /* y, x */
    for (int j = 0; j < 2; j++) {
        f8 *now = value[j], *step = along_z[j], up[2];
        gather_pairs(corner, (size_t)j * f->row, &now[0], &now[1]);
        if (DIM == 3)
            gather_pairs(corner, (size_t)j * f->row + f->plane, &up[0], &up[1]);
        for (int i = 0; i < 2 && DIM == 3; i++) {
            step[i] = up[i] - now[i];
            now[i] += z * step[i];
        }
    }
    f8 along_y[2] = {value[1][0] - value[0][0], value[1][1] - value[0][1]};
    f8 first = value[0][0] + y * along_y[0], along_x = value[0][1] + y * along_y[1] - first;
    if (slope) {
        slope[0] = along_x;
        slope[1] = along_y[0] + x * (along_y[1] - along_y[0]);
    }
    if (slope && DIM == 3) {
        f8 low = along_z[0][0] + y * (along_z[1][0] - along_z[0][0]);
        f8 high = along_z[0][1] + y * (along_z[1][1] - along_z[0][1]);
        slope[DIM - 1] = low + x * (high - low);
    }
    return first + x * along_x;
}

SIMD_FN f8 X(grid_component)(const X(grid_field) *f, const X(located) *at, int d)
{
    return X(grid_value)(f, at, d, NULL);
}

#endif
