/* particle_lanes.h -- eight particles at a time.
 *
 * A vector of LANES numbers holds one value of eight particles. The types are the compiler's
 * (gcc and clang), so one source serves SSE, AVX, AVX-512, NEON and WebAssembly; every operation is
 * one of IEEE arithmetic on each lane, so the bits are those of the scalar code in src/kernels
 * whatever the instruction set.
 *
 * The interpolation here is that of kernels/transfer.h for the linear kernel, read directly from
 * the grid: particles are sorted by cell, so what eight neighbours need lies in the nearest cache.
 * Two nodes along x are one load of eight bytes. */
#ifndef SPATE_CPU_PARTICLE_LANES_H
#define SPATE_CPU_PARTICLE_LANES_H

#include "kernels/grid.h"

#include <string.h>

#define LANES 8
typedef float floats __attribute__((vector_size(4 * LANES)));
typedef int32_t ints __attribute__((vector_size(4 * LANES)));
typedef uint32_t words __attribute__((vector_size(4 * LANES)));
typedef int64_t longs __attribute__((vector_size(4 * LANES)));
typedef double doubles __attribute__((vector_size(4 * LANES)));

#define LANE_FN static inline __attribute__((always_inline))

LANE_FN floats lanes_of(float value)
{
    return value - (floats){0};
}

/* n of them, 1 .. LANES, from memory; the rest repeat the first. */
LANE_FN floats lanes_load(const float *from, size_t n)
{
    floats v;
    if (n == LANES) {
        memcpy(&v, from, sizeof v);
        return v;
    }
    float part[LANES];
    for (size_t k = 0; k < LANES; k++)
        part[k] = from[k < n ? k : 0];
    memcpy(&v, part, sizeof v);
    return v;
}

LANE_FN void lanes_store(float *to, floats v, size_t n)
{
    if (n == LANES) {
        memcpy(to, &v, sizeof v);
        return;
    }
    for (size_t k = 0; k < n; k++)
        to[k] = v[k];
}

/* Writes eight words to memory that is a multiple of 32 bytes, past the caches where the machine
 * can: it need not read first what is overwritten. Other threads see them after lanes_stream_end.
 */
LANE_FN void lanes_stream(uint32_t *to, words v)
{
#if defined(__AVX__) && !defined(__clang__)
    __builtin_ia32_movntps256((float *)to, (floats)v);
#elif defined(__x86_64__) && defined(__clang__)
    __builtin_nontemporal_store(v, (words *)to);
#else
    memcpy(to, &v, sizeof v);
#endif
}

LANE_FN void lanes_stream_end(void)
{
#if defined(__x86_64__)
    __builtin_ia32_sfence();
#endif
}

/* mask: all bits or none in each lane, as comparisons give it */
LANE_FN floats lanes_select(ints mask, floats yes, floats no)
{
    return (floats)(((ints)yes & mask) | ((ints)no & ~mask));
}

LANE_FN bool lanes_all(ints mask)
{
#ifdef __AVX__
    return __builtin_ia32_movmskps256((floats)mask) == 0xff;
#else
    longs m = (longs)mask;
    return (m[0] & m[1] & m[2] & m[3]) == -1;
#endif
}

/* A short vector: what one particle or one node has, up to four values. */
typedef float quad __attribute__((vector_size(16)));

LANE_FN floats lanes_two_quads(quad low, quad high)
{
#if defined(__AVX__) && !defined(__clang__) /* gcc reads a quad from memory as part of this only \
                                             */
    floats v = __builtin_shufflevector(low, low, 0, 1, 2, 3, -1, -1, -1, -1);
    return __builtin_ia32_vinsertf128_ps256(v, high, 1);
#elif defined(__x86_64__) && !defined(__AVX__)
    quad both[2] = {low, high};
    floats v;
    memcpy(&v, both, sizeof v);
    return v;
#else
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}

LANE_FN quad lanes_low(floats v)
{
#if defined(__x86_64__) && !defined(__AVX__)
    quad half;
    memcpy(&half, &v, sizeof half);
    return half;
#else
    return __builtin_shufflevector(v, v, 0, 1, 2, 3);
#endif
}

LANE_FN quad lanes_high(floats v)
{
#if defined(__x86_64__) && !defined(__AVX__)
    quad half;
    memcpy(&half, (const char *)&v + sizeof half, sizeof half);
    return half;
#else
    return __builtin_shufflevector(v, v, 4, 5, 6, 7);
#endif
}

/* A shuffle of a and b inside of each half alone, by the numbers of a shuffle of quads. Without
 * vectors of eight gcc does longer ones lane by lane, therefore half by half there. */
#if defined(__x86_64__) && !defined(__AVX__)
#define LANES_SHUFFLE(a, b, i, j, k, l)                                              \
    lanes_two_quads(__builtin_shufflevector(lanes_low(a), lanes_low(b), i, j, k, l), \
                    __builtin_shufflevector(lanes_high(a), lanes_high(b), i, j, k, l))
#else
#define LANES_OF_EIGHT(i) ((i) < 4 ? (i) : (i) + 4)
#define LANES_SHUFFLE(a, b, i, j, k, l)                                                      \
    __builtin_shufflevector(a, b, LANES_OF_EIGHT(i), LANES_OF_EIGHT(j), LANES_OF_EIGHT(k),   \
                            LANES_OF_EIGHT(l), LANES_OF_EIGHT(i) + 4, LANES_OF_EIGHT(j) + 4, \
                            LANES_OF_EIGHT(k) + 4, LANES_OF_EIGHT(l) + 4)
#endif

/* Four vectors as two squares of 4 x 4, side by side, each turned round its diagonal: eight quads,
 * number k in the low half of vector k, k + 4 in its high half, become four vectors of a component
 * of all eight, and the other way round. */
LANE_FN void lanes_transpose(floats r[4])
{
    floats a = __builtin_shufflevector(r[0], r[1], 0, 8, 1, 9, 4, 12, 5, 13);
    floats b = __builtin_shufflevector(r[2], r[3], 0, 8, 1, 9, 4, 12, 5, 13);
    floats c = __builtin_shufflevector(r[0], r[1], 2, 10, 3, 11, 6, 14, 7, 15);
    floats d = __builtin_shufflevector(r[2], r[3], 2, 10, 3, 11, 6, 14, 7, 15);
    r[0] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
    r[1] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    r[2] = __builtin_shufflevector(c, d, 0, 1, 8, 9, 4, 5, 12, 13);
    r[3] = __builtin_shufflevector(c, d, 2, 3, 10, 11, 6, 7, 14, 15);
}

/* a < b ? a : b and a > b ? a : b, what the machine's instructions mean by it; written as a
 * comparison it is several instructions, and with gcc one per lane where vectors are shorter than
 * these. */
LANE_FN floats lanes_min(floats a, floats b)
{
#if defined(__AVX__)
    return __builtin_ia32_minps256(a, b);
#elif defined(__x86_64__)
    return lanes_two_quads(__builtin_ia32_minps(lanes_low(a), lanes_low(b)),
                           __builtin_ia32_minps(lanes_high(a), lanes_high(b)));
#else
    return lanes_select(a < b, a, b);
#endif
}

LANE_FN floats lanes_max(floats a, floats b)
{
#if defined(__AVX__)
    return __builtin_ia32_maxps256(a, b);
#elif defined(__x86_64__)
    return lanes_two_quads(__builtin_ia32_maxps(lanes_low(a), lanes_low(b)),
                           __builtin_ia32_maxps(lanes_high(a), lanes_high(b)));
#else
    return lanes_select(a > b, a, b);
#endif
}

/* Whether v is negative, from its sign: all bits or none. */
LANE_FN ints lanes_negative(floats v)
{
    return (ints)v >> 31;
}

LANE_FN floats lanes_abs(floats v)
{
    return (floats)((ints)v & 0x7fffffff);
}

LANE_FN ints lanes_floor(floats x)
{
    ints i = __builtin_convertvector(x, ints);
    return i + (x < __builtin_convertvector(i, floats));
}

/* The two floats at corner[k] + offset of each lane. */
LANE_FN void lanes_pairs(const float *const corner[LANES], size_t offset, floats *first,
                         floats *second)
{
    double pair[LANES];
    for (int k = 0; k < LANES; k++)
        memcpy(&pair[k], corner[k] + offset, sizeof pair[k]);
    floats a = (floats)(doubles){pair[0], pair[1], pair[4], pair[5]};
    floats b = (floats)(doubles){pair[2], pair[3], pair[6], pair[7]};
    *first = __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14);
    *second = __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
}

/* Where eight places lie between the nodes. */
typedef struct X(lanes_at) {
    ints index[DIM];      /* first node of each component, from the grid's origin */
    floats share[2][DIM]; /* way from the first node to the second, 0 .. 1; [0] nodes on whole
                             numbers, [1] half way */
} X(lanes_at);

/* x: not negative; stride: of the nodes' array */
LANE_FN void X(lanes_place)(const floats x[DIM], const int32_t stride[DIM], X(lanes_at) *at)
{
    ints step[DIM], half = (ints){0};
    FOR_DIM(a) {
        ints whole_node = __builtin_convertvector(x[a], ints);
        floats whole = __builtin_convertvector(whole_node, floats);
        floats from_whole = x[a] - 0.5f - whole;  /* the last difference is exact */
        ints before = lanes_negative(from_whole); /* -1: the node half way is the one before */
        at->share[0][a] = x[a] - whole;
        at->share[1][a] = from_whole + (floats)(before & (ints)lanes_of(1.0f));
        half += (whole_node + before) * stride[a];
        step[a] = before & stride[a];
    }
    FOR_DIM(d)
        at->index[d] = half + step[d];
}

LANE_FN void X(lanes_locate)(const X(grid) *g, const floats x[DIM], X(lanes_at) *at)
{
    int32_t stride[DIM];
    FOR_DIM(a)
        stride[a] = (int32_t)g->stride[a];
    X(lanes_place)(x, stride, at);
}

/* A face velocity, ready to be read: u[d] points at the grid's origin. */
typedef struct X(lanes_field) {
    const float *u[DIM];
    size_t row, plane; /* distance to the next row and plane of nodes */
} X(lanes_field);

static inline X(lanes_field) X(lanes_field_of)(const X(grid) *g, float *const u[DIM])
{
    X(lanes_field) f = {.row = g->stride[1], .plane = g->stride[2]};
    FOR_DIM(d)
        f.u[d] = u[d] + g->origin;
    return f;
}

/* Component d of a field. */
LANE_FN floats X(lanes_component)(const X(lanes_field) *f, const X(lanes_at) *at, int d)
{
    const float *corner[LANES];
    int32_t index[LANES];
    memcpy(index, &at->index[d], sizeof index);
    for (int k = 0; k < LANES; k++)
        corner[k] = f->u[d] + index[k];
    floats column[2][2]; /* y, x */
    for (int j = 0; j < 2; j++) {
        floats first, second, up, up_second;
        lanes_pairs(corner, (size_t)j * f->row, &first, &second);
        if (DIM == 3) {
            lanes_pairs(corner, (size_t)j * f->row + f->plane, &up, &up_second);
            first += at->share[d != 2][DIM - 1] * (up - first);
            second += at->share[d != 2][DIM - 1] * (up_second - second);
        }
        column[j][0] = first;
        column[j][1] = second;
    }
    floats first = column[0][0] + at->share[d != 1][1] * (column[1][0] - column[0][0]);
    floats second = column[0][1] + at->share[d != 1][1] * (column[1][1] - column[0][1]);
    return first + at->share[d != 0][0] * (second - first);
}

LANE_FN void X(lanes_velocity)(const X(lanes_field) *f, const X(lanes_at) *at, floats v[DIM])
{
    FOR_DIM(d)
        v[d] = X(lanes_component)(f, at, d);
}

#endif
