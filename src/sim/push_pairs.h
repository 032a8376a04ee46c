/* push_pairs.h -- the inner part of push_apart.c: who is near a particle, and what its pairs ask
 * for.
 *
 * Candidates are looked up in a *store*: places of particles around a layer of cells of a tile, in
 * order of cells, each as one vector (x, y, z, held), and the same places rounded to bytes, 64
 * steps per cell. A byte repeats every 4 cells, which is wider than the cells around a particle.
 *
 * 1. Bytes. A candidate is near if it is at most `width` steps away along each axis, and `sum`
 * steps along all of them together: 32 candidates are looked at in a vector, and the answer is a
 * bit for each.
 * 2. Pairs. Those whose bit is set are listed, as pairs, for the particles of a row of cells; then
 *    eight pairs are computed at once, and what they ask for is added to the first of each.
 *
 * The list depends on nothing but places and every sum has a fixed order: the result is the same
 * for every instruction set and any number of threads. */
#ifndef SPATE_SIM_PUSH_PAIRS_H
#define SPATE_SIM_PUSH_PAIRS_H

#include "state.h"

#include "device/cpu/lanes.h"
#include "kernels/push.h"

#define BYTES 32 /* candidates that are looked at together */

typedef uint8_t bytes __attribute__((vector_size(BYTES)));
typedef int8_t chars __attribute__((vector_size(BYTES)));

/* Of a quad: x, y, z, held; in 2D x, y, held. */
#define HELD DIM

typedef struct store {
    quad *place;
    uint8_t *rounded[DIM];
    uint32_t nobody; /* an entry that is far from everything */
} store;

typedef X(push_distances) distances;

/* ---- bits */

LANE_FN uint32_t byte_bits(chars lanes)
{
#if defined(__AVX2__)
    typedef char same __attribute__((vector_size(32)));
    return (uint32_t)__builtin_ia32_pmovmskb256((same)lanes);
#elif defined(__SSE2__)
    typedef char same __attribute__((vector_size(16)));
    same part[2];
    memcpy(part, &lanes, sizeof part);
    return (uint32_t)__builtin_ia32_pmovmskb128(part[0]) |
           (uint32_t)__builtin_ia32_pmovmskb128(part[1]) << 16;
#else
    uint32_t bits = 0;
    for (int k = 0; k < BYTES; k++)
        bits |= (uint32_t)(lanes[k] & 1) << k;
    return bits;
#endif
}

LANE_FN chars size_of(chars v)
{
#if defined(__AVX2__) && !defined(__clang__) /* which knows what the other one means */
    typedef char same __attribute__((vector_size(32)));
    return (chars)__builtin_ia32_pabsb256((same)v);
#else
    chars sign = v < 0;
    return (chars)((bytes)(v ^ sign) - (bytes)sign);
#endif
}

/* What is near a particle: at most `width` steps away along each axis and `sum` along all axes
 * together, which cuts the corners of the cube off; both are one more here. Bytes of the particle
 * in all lanes. */
typedef struct box {
    bytes centre[DIM];
    chars width, sum;
} box;

LANE_FN box box_around(const store *s, const distances *m, uint32_t entry)
{
    box b = {.width = (chars){0} + (int8_t)(m->width + 1),
             .sum = (chars){0} + (int8_t)(m->sum + 1)};
    FOR_DIM(d)
        b.centre[d] = (bytes){0} + s->rounded[d][entry];
    return b;
}

/* Which of the `count` entries from `first` on, at most BYTES, are near. Entries are at most two
 * cells away, so no difference overflows; sums of two may, and are cut off before. */
LANE_FN uint64_t near_bits(const store *s, const box *b, uint32_t first, uint32_t count)
{
    bytes place;
    chars near, sum;
    memcpy(&place, s->rounded[0] + first, sizeof place);
    sum = size_of((chars)(b->centre[0] - place));
    near = sum < b->width;
    for (int d = 1; d < DIM; d++) {
        memcpy(&place, s->rounded[d] + first, sizeof place);
        chars way = size_of((chars)(b->centre[d] - place));
        near &= way < b->width;
        sum = (chars)((bytes)sum + (bytes)way);
    }
    near &= sum < b->sum;
    return byte_bits(near) & (((uint64_t)1 << count) - 1);
}

/* ---- pairs */

/* The bits of the lanes that are true. */
LANE_FN uint32_t lane_bits(ints lanes)
{
#if defined(__AVX2__)
    return (uint32_t)__builtin_ia32_movmskps256((floats)lanes);
#elif defined(__SSE2__)
    quad part[2];
    memcpy(part, &lanes, sizeof part);
    return (uint32_t)__builtin_ia32_movmskps(part[0]) | (uint32_t)__builtin_ia32_movmskps(part[1])
                                                            << 4;
#else
    uint32_t bits = 0;
    for (int k = 0; k < LANES; k++)
        bits |= (uint32_t)(lanes[k] & 1) << k;
    return bits;
#endif
}

LANE_FN floats root(floats x)
{
#if defined(__AVX__)
    return __builtin_ia32_sqrtps256(x);
#else
    for (int k = 0; k < LANES; k++)
        x[k] = __builtin_sqrtf(x[k]);
    return x;
#endif
}

/* The number of the lowest bit, 64 if there is none. No branch where there is an instruction for
 * it: nothing could tell which way it goes. */
LANE_FN uint32_t lowest_bit(uint64_t bits)
{
#if defined(__BMI__)
    return (uint32_t)__builtin_ia32_tzcnt_u64(bits);
#else
    return bits ? (uint32_t)__builtin_ctzll(bits) : 64;
#endif
}

/* Eight quads by components. */
LANE_FN void turn(const quad *from, floats to[4])
{
    for (int k = 0; k < 4; k++)
        to[k] = lanes_two_quads(from[k], from[k + 4]);
    lanes_transpose(to);
}

/* Eight pairs at once, by components: what they ask of the first of each. ask[m] holds the quads of
 * pairs m and m + 4: the way, and 1 if the pair is closer than settled. Returns the bits of those
 * that are at one place, whose way is left to `part`, and in `share` how much of a way is theirs.
 */
LANE_FN uint32_t meet(const distances *m, const floats own[4], const floats other[4], floats ask[4],
                      floats *share)
{
    floats way[DIM], square = {0}, one = (floats){0} + 1.0f;
    FOR_DIM(d) {
        way[d] = own[d] - other[d];
        square += way[d] * way[d];
    }
    *share = 0.5f + 0.3f * (other[HELD] - own[HELD]);
    floats push = m->D / root(square) - 1.0f;
    ints apart = square >= m->least;
    push = (floats)((ints)push & (push > 0.0f) & apart) * *share;
    ask[2] = (floats){0};
    FOR_DIM(d)
        ask[d] = push * way[d];
    ask[3] = (floats)((ints)one & (square < m->settled));
    lanes_transpose(ask);
    return lane_bits(~apart);
}

#endif
