/* lanes.h -- a row of a tile as one vector: TILE floats, 8 in 3D and 16 in 2D. A file that defines
 * LANE_COUNT as 8 first has vectors of 8 in both, parts of a row: without AVX-512 gcc keeps
 * longer vectors in memory and shuffles them lane by lane, which makes 2D several times slower.
 *
 * Vector types of gcc and clang: the compiler splits them into what the instruction set has, and
 * every lane is computed by itself, so the bits are those of a plain loop. Conditions are masks, -1
 * where true and 0 where false. */
#ifndef SPATE_CPU_LANES_H
#define SPATE_CPU_LANES_H

#include "kernels/grid.h"

#include <string.h>

#ifndef LANE_COUNT
#define LANE_COUNT TILE
#endif

#define SP_INLINE static inline __attribute__((always_inline))

typedef float lanes __attribute__((vector_size(LANE_COUNT * sizeof(float))));
typedef int32_t lane_mask __attribute__((vector_size(LANE_COUNT * sizeof(float))));
typedef uint32_t lane_words __attribute__((vector_size(LANE_COUNT * sizeof(float))));
typedef double wide __attribute__((vector_size(LANE_COUNT * sizeof(double))));
typedef uint8_t lane_bytes __attribute__((vector_size(LANE_COUNT)));
typedef float loose __attribute__((vector_size(LANE_COUNT * sizeof(float)), aligned(4), may_alias));
typedef double loose_wide
    __attribute__((vector_size(LANE_COUNT * sizeof(double)), aligned(8), may_alias));
typedef uint8_t loose_bytes __attribute__((vector_size(LANE_COUNT), aligned(1), may_alias));

SP_INLINE lanes load(const float *p)
{
    return *(const loose *)p;
}

SP_INLINE void store(float *p, lanes v)
{
    *(loose *)p = v;
}

SP_INLINE wide load_wide(const double *p)
{
    return *(const loose_wide *)p;
}

SP_INLINE void store_wide(double *p, wide v)
{
    *(loose_wide *)p = v;
}

SP_INLINE wide widen(lanes v)
{
    return __builtin_convertvector(v, wide);
}

/* Bytes, cell types say, as numbers, and back. The machine has instructions for it, but gcc goes
 * byte by byte. */
SP_INLINE lane_mask load_bytes(const uint8_t *p)
{
#if defined(__AVX2__) && !defined(__clang__) && LANE_COUNT == 8
    typedef long long words __attribute__((vector_size(16)));
    typedef char bytes __attribute__((vector_size(16)));
    long long eight;
    memcpy(&eight, p, sizeof eight);
    return (lane_mask)__builtin_ia32_pmovzxbd256((bytes)(words){eight, 0});
#else
    return __builtin_convertvector(*(const loose_bytes *)p, lane_mask);
#endif
}

SP_INLINE void store_bytes(uint8_t *p, lane_mask v)
{
#if defined(__AVX2__) && !defined(__clang__) && LANE_COUNT == 8
    typedef long long words __attribute__((vector_size(16)));
    typedef int half __attribute__((vector_size(16)));
    half low = __builtin_shufflevector(v, v, 0, 1, 2, 3),
         high = __builtin_shufflevector(v, v, 4, 5, 6, 7);
    typedef short shorts __attribute__((vector_size(16)));
    shorts both = (shorts)__builtin_ia32_packusdw128(low, high);
    long long eight = ((words)__builtin_ia32_packuswb128(both, both))[0];
    memcpy(p, &eight, sizeof eight);
#else
    *(loose_bytes *)p = __builtin_convertvector(v, lane_bytes);
#endif
}

/* Masks come from arithmetic: where the machine's vectors are shorter than a row, gcc compares rows
 * lane by lane, which costs ten times as much. */

/* v > 0, for anything but a NaN. */
SP_INLINE lane_mask is_positive(lanes v)
{
    lane_words bits = (lane_words)v; /* unsigned: minus the least number is itself */
    return (lane_mask)((0u - bits) & ~bits) >> 31;
}

/* v == n and v < n, for numbers that are not negative. */
SP_INLINE lane_mask is_equal(lane_mask v, int32_t n)
{
    return ((v ^ n) - 1) >> 31;
}

SP_INLINE lane_mask is_below(lane_mask v, int32_t n)
{
    return (v - n) >> 31;
}

/* v where the mask is set, else 0. */
SP_INLINE lanes where(lane_mask mask, lanes v)
{
    return (lanes)((lane_mask)v & mask);
}

SP_INLINE lanes choose(lane_mask mask, lanes yes, lanes no)
{
    return (lanes)(((lane_mask)yes & mask) | ((lane_mask)no & ~mask));
}

SP_INLINE lanes where_positive(lanes mark, lanes v)
{
    return where(is_positive(mark), v);
}

SP_INLINE bool any(lane_mask mask)
{
#if defined(__AVX__) && LANE_COUNT == 8
    typedef long long quads __attribute__((vector_size(32)));
    return !__builtin_ia32_ptestz256((quads)mask, (quads)mask);
#else
    uint64_t words[LANE_COUNT / 2], set = 0;
    memcpy(words, &mask, sizeof words);
    for (int i = 0; i < LANE_COUNT / 2; i++)
        set |= words[i];
    return set != 0;
#endif
}

/* A number from a mask: bit i is lane i. */
SP_INLINE uint32_t lane_bits(lane_mask mask)
{
#if defined(__AVX__) && LANE_COUNT == 8
    return (uint32_t)__builtin_ia32_movmskps256((lanes)mask);
#else
    lane_mask weight;
    uint64_t words[LANE_COUNT / 2], set = 0;
    for (int i = 0; i < LANE_COUNT; i++)
        weight[i] = 1 << i;
    mask &= weight;
    memcpy(words, &mask, sizeof words);
    for (int i = 0; i < LANE_COUNT / 2; i++)
        set |= words[i];
    return (uint32_t)(set | set >> 32);
#endif
}

/* The larger of |v| and most, which must not be negative; a NaN counts as larger than any number
 * and stays. Numbers without sign are in the order of their bits. */
SP_INLINE lane_mask larger(lane_mask most, lanes v)
{
    lane_mask size = (lane_mask)v & 0x7fffffff, more = (most - size) >> 31;
    return (size & more) | (most & ~more);
}

/* The largest lane of what `larger` left. */
SP_INLINE double largest(lane_mask most)
{
    int32_t bits = 0;
    float value;
    for (int i = 0; i < LANE_COUNT; i++)
        bits = most[i] > bits ? most[i] : bits;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Half of eight lanes, also in fp64: vectors of 8 doubles are too long for AVX. */
typedef float four __attribute__((vector_size(4 * sizeof(float))));
typedef float loose_four __attribute__((vector_size(4 * sizeof(float)), aligned(4), may_alias));
typedef double fours __attribute__((vector_size(4 * sizeof(double))));
typedef double loose_fours __attribute__((vector_size(4 * sizeof(double)), aligned(8), may_alias));

/* One by one: gcc makes one instruction of this, and six, through memory, of a convertvector. */
SP_INLINE fours widen_four(const float *p)
{
    return (fours){p[0], p[1], p[2], p[3]};
}

SP_INLINE fours load_fours(const double *p)
{
    return *(const loose_fours *)p;
}

/* Loops over the eights of a row, which the compiler is to write out, and those of all rows of a
 * tile. */
#ifdef __clang__
#define WRITE_OUT _Pragma("unroll")
#else
#define WRITE_OUT _Pragma("GCC unroll 8")
#endif
#define FOR_EIGHTS(i) WRITE_OUT for (int i = 0; i < TILE; i += 8)
#define FOR_TILE_EIGHTS(r, i)           \
    for (int r = 0; r < TILE_ROWS; r++) \
        FOR_EIGHTS(i)

#endif
