/* push_pairs.h -- the inner part of push_apart.c: who is near a particle, and what its pairs ask
 * for.
 *
 * Candidates are looked up in a *store*: places of particles around a layer of cells of a tile, in
 * order of cells, each as one vector (x, y, z, held), and the same places rounded to bytes, 64
 * steps per cell. A byte repeats every 4 cells, which is wider than the cells around a particle.
 *
 * 1. Bytes. A candidate is near if it is at most `width` steps away along each axis: one addition
 *    and one comparison for 32 candidates and an axis. The answer is a bit for each.
 * 2. Pairs. The places of those whose bit is set are fetched, four for each of two words of bits,
 *    and eight pairs are computed at once. In 3D both words belong to one particle, in 2D to two.
 *
 * Sums run over fixed lanes in fixed order, and the bits depend on nothing but places: the result
 * is the same for every instruction set and any number of threads. */
#ifndef SPATE_SIM_PUSH_PAIRS_H
#define SPATE_SIM_PUSH_PAIRS_H

#include "state.h"

#include "kernels/random.h"

#include <string.h>

#define STEPS 64.0f /* of rounded places, per cell */
#define BYTES 32    /* candidates that are looked at together */
#define LANES 8     /* pairs that are computed together */
#define HALF 4      /* of them belong to one word of bits */

#define SLOWING 0.6f     /* a particle follows up to 1 / SLOWING pairs in full */
#define SAME_PLACE 1e-3f /* of D: closer pairs have no direction of their own */
#define SETTLED                                                                       \
    0.999f /* of D: pairs that a pass has brought to D, but for rounding, slow nobody \
            */

typedef float quad __attribute__((vector_size(16)));
typedef float floats __attribute__((vector_size(4 * LANES)));
typedef int32_t ints __attribute__((vector_size(4 * LANES)));
typedef uint8_t bytes __attribute__((vector_size(BYTES)));
typedef int8_t chars __attribute__((vector_size(BYTES)));

#define PUSH_FN static inline __attribute__((always_inline))

/* A quad: x, y (2D: held, 0), z, held. */
#define HELD DIM

typedef struct store {
    quad *place;
    uint8_t *rounded[DIM];
    uint32_t nobody; /* an entry that is far from everything */
} store;

/* Bits of candidates near one particle. Bit k stands for entry k + base[k / 32] of the store, and
 * 64, the number of no bit, for nobody. */
typedef struct word {
    uint64_t bits;
    uint32_t base[3];
} word;

typedef struct distances {
    float D;              /* the separation distance, cells */
    float least, settled; /* squares: of one place, of pairs that slow nobody */
    uint8_t width;        /* steps: how far candidates are along an axis */
} distances;

/* ---- bits */

PUSH_FN uint32_t byte_bits(chars lanes)
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

/* The box around a particle, for comparisons of bytes: an entry is inside along d if
 * (rounded + offset[d]) as a signed number is below `limit`. */
typedef struct box {
    bytes offset[DIM];
    chars limit;
} box;

PUSH_FN box box_around(const store *s, uint32_t entry, uint8_t width)
{
    box b = {.limit = (chars){0} + (int8_t)(2 * width - 127)};
    FOR_DIM(d)
        b.offset[d] = (bytes){0} + (uint8_t)(128 + width - s->rounded[d][entry]);
    return b;
}

/* Which of the `count` entries from `first` on, at most BYTES, are in the box. */
PUSH_FN uint64_t inside_bits(const store *s, const box *b, uint32_t first, uint32_t count)
{
    bytes place;
    memcpy(&place, s->rounded[0] + first, sizeof place);
    chars inside = (chars)(place + b->offset[0]) < b->limit;
    for (int d = 1; d < DIM; d++) {
        memcpy(&place, s->rounded[d] + first, sizeof place);
        inside &= (chars)(place + b->offset[d]) < b->limit;
    }
    return byte_bits(inside) & (((uint64_t)1 << count) - 1);
}

/* ---- pairs */

/* The bits of the lanes that are true. */
PUSH_FN uint32_t lane_bits(ints lanes)
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

PUSH_FN floats root(floats x)
{
#if defined(__AVX__)
    return __builtin_ia32_sqrtps256(x);
#else
    for (int k = 0; k < LANES; k++)
        x[k] = __builtin_sqrtf(x[k]);
    return x;
#endif
}

PUSH_FN floats choose(ints mask, floats yes, floats no)
{
    return (floats)(((ints)yes & mask) | ((ints)no & ~mask));
}

/* Four vectors as two squares of 4 x 4, side by side, each turned round its diagonal. */
PUSH_FN void transpose(floats r[4])
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

PUSH_FN floats two_quads(quad low, quad high)
{
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

/* The number of the lowest bit, 64 if there is none. No branch where there is an instruction for
 * it: nothing could tell which way it goes. */
PUSH_FN uint32_t lowest_bit(uint64_t bits)
{
#if defined(__BMI__)
    return (uint32_t)__builtin_ia32_tzcnt_u64(bits);
#else
    return bits ? (uint32_t)__builtin_ctzll(bits) : 64;
#endif
}

PUSH_FN uint32_t next_entry(word *w)
{
    uint32_t bit = lowest_bit(w->bits);
    w->bits &= w->bits - 1;
    return bit + w->base[bit >> 5];
}

/* The next four entries of both words, by components: lanes 0 .. 3 of the first one. */
PUSH_FN void fetch(const store *s, word w[2], uint32_t entry[LANES], floats to[4])
{
    floats r[HALF];
    for (int k = 0; k < HALF; k++) {
        entry[k] = next_entry(&w[0]);
        entry[k + HALF] = next_entry(&w[1]);
        r[k] = two_quads(s->place[entry[k]], s->place[entry[k + HALF]]);
    }
    transpose(r);
    memcpy(to, r, sizeof r);
}

/* Eight quads by components. */
PUSH_FN void turn(const quad *from, floats to[4])
{
    for (int k = 0; k < 4; k++)
        to[k] = two_quads(from[k], from[k + 4]);
    transpose(to);
}

/* Sums over the lanes of each half of four vectors: a quad for each. */
PUSH_FN floats half_sums(floats x, floats y, floats z, floats n)
{
    floats xy = __builtin_shufflevector(x, y, 0, 8, 1, 9, 4, 12, 5, 13) +
                __builtin_shufflevector(x, y, 2, 10, 3, 11, 6, 14, 7, 15);
    floats zn = __builtin_shufflevector(z, n, 0, 8, 1, 9, 4, 12, 5, 13) +
                __builtin_shufflevector(z, n, 2, 10, 3, 11, 6, 14, 7, 15);
    return __builtin_shufflevector(xy, zn, 0, 1, 8, 9, 4, 5, 12, 13) +
           __builtin_shufflevector(xy, zn, 2, 3, 10, 11, 6, 7, 14, 15);
}

/* Pairs at one place that were met, for which `part` finds a direction. */
typedef struct twins {
    uint32_t lanes; /* bits */
    uint32_t entry[LANES];
    float share[LANES];
} twins;

/* What the next pairs ask of the particles at `centre`, one for each half: the way, and how many
 * pairs are closer than settled. */
PUSH_FN floats meet(const store *s, const distances *m, quad first, quad second, word w[2],
                    twins *same)
{
    floats both = two_quads(first, second), other[4], way[DIM];
    floats x = __builtin_shufflevector(both, both, 0, 0, 0, 0, 4, 4, 4, 4);
    floats y = __builtin_shufflevector(both, both, 1, 1, 1, 1, 5, 5, 5, 5);
    floats z = __builtin_shufflevector(both, both, 2, 2, 2, 2, 6, 6, 6, 6);
    floats h = __builtin_shufflevector(both, both, 3, 3, 3, 3, 7, 7, 7, 7);
    uint32_t entry[LANES];
    fetch(s, w, entry, other);
    way[0] = x - other[0];
    way[1] = y - other[1];
    floats square = way[0] * way[0] + way[1] * way[1];
    if (DIM == 3) {
        way[DIM - 1] = z - other[DIM - 1];
        square += way[DIM - 1] * way[DIM - 1];
    }
    floats share = 0.5f + 0.3f * (other[HELD] - (DIM == 3 ? h : z));
    floats push = m->D / root(square) - 1.0f;
    ints apart = square >= m->least;
    push = (floats)((ints)push & (push > 0.0f) & apart) * share;
    floats pairs = (floats)((ints)((floats){0} + 1.0f) & (square < m->settled));
    uint32_t twin_lanes = lane_bits(~apart);
    if (__builtin_expect(twin_lanes != 0, 0)) {
        same->lanes = twin_lanes;
        memcpy(same->entry, entry, sizeof entry);
        memcpy(same->share, &share, sizeof share);
    }
    floats third = DIM == 3 ? push * way[DIM - 1] : (floats){0};
    return half_sums(push * way[0], push * way[1], third, pairs);
}

PUSH_FN quad low_half(floats v)
{
    return __builtin_shufflevector(v, v, 0, 1, 2, 3);
}

PUSH_FN quad high_half(floats v)
{
    return __builtin_shufflevector(v, v, 4, 5, 6, 7);
}

#endif
