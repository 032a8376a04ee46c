/* lattice.c -- blocks with what is around them: values of the neighbours, mirror images at walls.
 */
#include "surface.h"

#include <string.h>

/* The part of an axis that a neighbour fills: begin .. end of the loaded block, and its first node.
 */
static void part(int side, int halo, int offset, int *begin, int *end, int *first)
{
    *begin = offset < 0 ? 0 : offset == 0 ? halo : halo + side;
    *end = offset < 0 ? halo : offset == 0 ? halo + side : side + 2 * halo;
    *first = offset < 0 ? side - halo : 0;
}

static void fill_part(float *out, int width, const int begin[DIM], const int end[DIM],
                      const float *from, int side, const int first[DIM], float value)
{
    int low = DIM == 3 ? begin[DIM - 1] : 0, high = DIM == 3 ? end[DIM - 1] : 1;
    for (int m = low; m < high; m++)
        for (int j = begin[1]; j < end[1]; j++) {
            float *row = out + (size_t)width * (size_t)(j + width * m) + begin[0];
            int length = end[0] - begin[0];
            if (from) {
                int z = DIM == 3 ? m - low + first[DIM - 1] : 0, y = j - begin[1] + first[1];
                memcpy(row, from + (size_t)side * (size_t)(y + side * z) + first[0],
                       (size_t)length * sizeof *row);
            } else {
                for (int i = 0; i < length; i++)
                    row[i] = value;
            }
        }
}

/* Copies layer `from` of a cube of values to layer `to`, or adds it there and clears it. */
static void layer(float *values, int width, int axis, int from, int to, bool add)
{
    size_t stride[3] = {1, (size_t)width, (size_t)width * (size_t)width};
    size_t a = stride[axis == 0 ? 1 : 0], b = stride[axis == 2 ? 1 : 2];
    for (int k = 0; k < LAST(width); k++)
        for (int j = 0; j < width; j++) {
            size_t at = (size_t)j * a + (DIM == 3 ? (size_t)k * b : 0);
            float *target = values + at + (size_t)to * stride[axis];
            float *source = values + at + (size_t)from * stride[axis];
            *target = add ? *target + *source : *source;
            if (add)
                *source = 0.0f;
        }
}

void X(surface_load)(const X(surface) *s, const X(block) *block, const float *values, int halo,
                     float full, float *out)
{
    int width = s->side + 2 * halo;
    for (int m = 0; m < NEIGHBOURS; m++) {
        int offset[DIM], at[DIM], begin[DIM], end[DIM], first[DIM];
        X(surface_offset)(m, offset);
        FOR_DIM(d) {
            at[d] = block->at[d] + offset[d];
            part(s->side, halo, offset[d], &begin[d], &end[d], &first[d]);
        }
        const X(block) *other = X(surface_block)(s, at);
        const float *from =
            other && other->slot != NO_SLOT ? values + (size_t)other->slot * s->nodes : NULL;
        fill_part(out, width, begin, end, from, s->side, first, other ? full : 0.0f);
    }
    FOR_DIM(d) {
        if (!s->walls)
            break;
        int last = s->n[d] - 1 - block->at[d] * s->side + halo; /* inside the high wall */
        for (int k = 0; k < halo && block->at[d] == 0; k++)
            layer(out, width, d, halo + k, halo - 1 - k, false);
        for (int k = 0; last + 1 + k < width && last - k >= 0; k++)
            layer(out, width, d, last - k, last + 1 + k, false);
    }
}

/* One pass of 1/4, 1/2, 1/4 along each axis; `values` loses a layer all around. */
static void blur_once(float *values, int width, float *spare)
{
    size_t stride = 1, total = (size_t)width * (size_t)width * (size_t)LAST(width);
    FOR_DIM(d) {
        for (size_t k = stride; k + stride < total; k++)
            spare[k] = 0.5f * values[k] + 0.25f * (values[k - stride] + values[k + stride]);
        memcpy(values + stride, spare + stride, (total - 2 * stride) * sizeof *values);
        stride *= (size_t)width;
    }
}

int X(surface_load_blurred)(const X(surface) *s, const X(block) *block, const float *values,
                            int keep, float full, float *out)
{
    float spare[BUFFER];
    int halo = s->blur + keep, width = s->side + 2 * halo;
    X(surface_load)(s, block, values, halo, full, out);
    for (int pass = 0; pass < s->blur; pass++)
        blur_once(out, width, spare);
    return width;
}

void X(surface_add)(X(surface) *s, const X(block) *block, float *sums, float *values)
{
    int width = s->side + 2;
    FOR_DIM(d) {
        if (!s->walls)
            break;
        int last = s->n[d] - block->at[d] * s->side; /* inside the high wall */
        if (block->at[d] == 0)
            layer(sums, width, d, 0, 1, true);
        if (last + 1 < width)
            layer(sums, width, d, last + 1, last, true);
    }
    for (int m = 0; m < NEIGHBOURS; m++) {
        int offset[DIM], at[DIM], begin[DIM], end[DIM], first[DIM];
        X(surface_offset)(m, offset);
        FOR_DIM(d) {
            at[d] = block->at[d] + offset[d];
            part(s->side, 1, offset[d], &begin[d], &end[d], &first[d]);
        }
        const X(block) *other = X(surface_block)(s, at);
        if (!other || other->slot == NO_SLOT)
            continue;
        float *target = values + (size_t)other->slot * s->nodes;
        int low = DIM == 3 ? begin[DIM - 1] : 0, high = DIM == 3 ? end[DIM - 1] : 1;
        for (int z = low; z < high; z++)
            for (int y = begin[1]; y < end[1]; y++) {
                int to =
                    y - begin[1] + first[1] + s->side * (DIM == 3 ? z - low + first[DIM - 1] : 0);
                float *row = target + (size_t)s->side * (size_t)to + first[0];
                const float *from = sums + (size_t)width * (size_t)(y + width * z) + begin[0];
                for (int x = 0; x < end[0] - begin[0]; x++)
                    row[x] += from[x];
            }
    }
}
