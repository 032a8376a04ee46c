/* simd.h -- vectors of eight: eight cells of a row, or one value of eight particles.
 *
 * The types are those of gcc and clang, and so are the operators on them; the compiler makes of
 * both what the machine has: SSE, AVX, AVX-512, NEON, WebAssembly. Every lane is computed by
 * itself in IEEE arithmetic, so the bits are those of a plain loop and of the scalar code in
 * src/kernels, whatever the instruction set. A mask is an i8: -1 in the lanes where something is
 * true and 0 in the others, as a comparison gives it.
 *
 * A name without a type is that of f8 and of masks: load, where, any. Functions of other types, and
 * those that C has for one number, begin with theirs: d4_load, f8_abs.
 *
 * Vectors that are longer than the machine's are compared, shuffled and converted lane by lane by
 * gcc, through memory; and it does not find some instructions. What it does badly is done here by
 * other means, so that no other file of src/cpu has to ask for an instruction set. */
#ifndef SPATE_CPU_SIMD_H
#define SPATE_CPU_SIMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LANES 8
#define SIMD_FN static inline __attribute__((always_inline))

/* 1: a vector of eight is two of the machine's, and gcc is told so. */
#if defined(__x86_64__) && !defined(__AVX__)
#define SIMD_HALVES 1
#else
#define SIMD_HALVES 0
#endif

typedef float f8 __attribute__((vector_size(32)));
typedef int32_t i8 __attribute__((vector_size(32)));
typedef uint32_t u8 __attribute__((vector_size(32)));
typedef double d4 __attribute__((vector_size(32)));
typedef long long l4 __attribute__((vector_size(32)));
typedef float f4 __attribute__((vector_size(16)));  /* also what one particle or one node has */
typedef double d8 __attribute__((vector_size(64))); /* too long for AVX */
typedef uint8_t b8 __attribute__((vector_size(8)));

/* Anywhere in memory. */
typedef float f8_loose __attribute__((vector_size(32), aligned(4), may_alias));
typedef double d4_loose __attribute__((vector_size(32), aligned(8), may_alias));
typedef float f4_loose __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint8_t b8_loose __attribute__((vector_size(8), aligned(1), may_alias));

/* Each lane as a number of another type; lanes of a (0 ..) and b (after those of a). */
#define convert(v, type) __builtin_convertvector(v, type)
#define shuffle(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

/* ---- what is short: memory, masks, numbers */

/* clang-format off */
SIMD_FN f8 f8_of(float x)                 { return x - (f8){0}; } /* in all lanes */
SIMD_FN i8 i8_of(int32_t n)               { return n - (i8){0}; }
SIMD_FN f8 load(const float *p)           { return *(const f8_loose *)p; }
SIMD_FN u8 u8_load(const uint32_t *p)     { u8 v; memcpy(&v, p, sizeof v); return v; }
SIMD_FN i8 load_numbers(const uint32_t *p) { i8 v; memcpy(&v, p, sizeof v); return v; }
SIMD_FN d4 d4_load(const double *p)       { return *(const d4_loose *)p; }
SIMD_FN f4 f4_load(const float *p)        { return *(const f4_loose *)p; }
SIMD_FN void store(float *p, f8 v)        { *(f8_loose *)p = v; }
SIMD_FN void u8_store(uint32_t *p, u8 v)  { memcpy(p, &v, sizeof v); }
SIMD_FN void d4_store(double *p, d4 v)    { *(d4_loose *)p = v; }
SIMD_FN void f4_store(float *p, f4 v)     { *(f4_loose *)p = v; }
/* gcc makes one instruction of this, and six, through memory, of a load and a conversion */
SIMD_FN d4 d4_load_floats(const float *p) { return (d4){p[0], p[1], p[2], p[3]}; }

SIMD_FN bool any_byte(const uint8_t *p)   { uint64_t w; memcpy(&w, p, sizeof w); return w != 0; }
SIMD_FN f8 where(i8 mask, f8 v)           { return (f8)((i8)v & mask); } /* else 0 */
SIMD_FN f8 choose(i8 mask, f8 yes, f8 no) { return (f8)(((i8)yes & mask) | ((i8)no & ~mask)); }
SIMD_FN float f8_first(f8 v)              { return v[0]; }
SIMD_FN int32_t lane(i8 v, int k)         { return v[k]; }
/* v > 0, for anything but a NaN; unsigned: minus the least number is itself */
SIMD_FN i8 is_positive(f8 v)              { u8 b = (u8)v; return (i8)((0u - b) & ~b) >> 31; }
SIMD_FN f8 where_positive(f8 mark, f8 v)  { return where(is_positive(mark), v); }
SIMD_FN i8 is_negative(f8 v)              { return (i8)v >> 31; } /* by the sign: also -0 */
/* v == n and v < n, for numbers that are not negative */
SIMD_FN i8 is_equal(i8 v, int32_t n)      { return ((v ^ n) - 1) >> 31; }
SIMD_FN i8 is_below(i8 v, int32_t n)      { return (v - n) >> 31; }
SIMD_FN f8 f8_abs(f8 v)                   { return (f8)((i8)v & INT32_MAX); }
/* clang-format on */

/* ---- memory */

/* n of them, 1 .. LANES; the other lanes repeat the first. */
SIMD_FN f8 load_n(const float *p, size_t n)
{
    f8 v;
    if (n == LANES) {
        memcpy(&v, p, sizeof v);
        return v;
    }
    float part[LANES];
    for (size_t k = 0; k < LANES; k++)
        part[k] = p[k < n ? k : 0];
    memcpy(&v, part, sizeof v);
    return v;
}

SIMD_FN void store_n(float *p, f8 v, size_t n)
{
    if (n == LANES) {
        memcpy(p, &v, sizeof v);
        return;
    }
    for (size_t k = 0; k < n; k++)
        p[k] = v[k];
}

/* clang-format off */
/* Bytes, cell types say, as numbers, and back: gcc does not find the instructions. */
#if defined(__AVX2__) && !defined(__clang__)
typedef char c16 __attribute__((vector_size(16)));
typedef short s8 __attribute__((vector_size(16)));
typedef int i4 __attribute__((vector_size(16)));
typedef long long q2 __attribute__((vector_size(16)));
SIMD_FN i8 load_bytes(const uint8_t *p)
{
    long long eight;
    memcpy(&eight, p, sizeof eight);
    return (i8)__builtin_ia32_pmovzxbd256((c16)(q2){eight, 0});
}
SIMD_FN void store_bytes(uint8_t *p, i8 v)
{
    i4 low = shuffle(v, v, 0, 1, 2, 3), high = shuffle(v, v, 4, 5, 6, 7);
    s8 both = (s8)__builtin_ia32_packusdw128(low, high);
    long long eight = ((q2)__builtin_ia32_packuswb128(both, both))[0];
    memcpy(p, &eight, sizeof eight);
}
#else
SIMD_FN i8 load_bytes(const uint8_t *p)   { return convert(*(const b8_loose *)p, i8); }
SIMD_FN void store_bytes(uint8_t *p, i8 v){ *(b8_loose *)p = convert(v, b8); }
#endif

/* Writes to memory that is a multiple of 32 bytes, past the caches where the machine can: it need
 * not read first what is overwritten. Other threads see it after u8_stream_end. */
#if defined(__AVX__) && !defined(__clang__)
SIMD_FN void u8_stream(uint32_t *p, u8 v) { __builtin_ia32_movntps256((float *)p, (f8)v); }
#elif defined(__x86_64__) && defined(__clang__)
SIMD_FN void u8_stream(uint32_t *p, u8 v) { __builtin_nontemporal_store(v, (u8 *)p); }
#else
SIMD_FN void u8_stream(uint32_t *p, u8 v) { u8_store(p, v); }
#endif
SIMD_FN void u8_stream_end(void)
{
#if defined(__x86_64__)
    __builtin_ia32_sfence();
#endif
}

/* ---- halves */

#if SIMD_HALVES /* through memory, which gcc sees through */
SIMD_FN f8 f8_join(f4 a, f4 b) { f4 h[2] = {a, b}; f8 v; memcpy(&v, h, sizeof v); return v; }
SIMD_FN f4 f8_low(f8 v)        { f4 h; memcpy(&h, &v, sizeof h); return h; }
SIMD_FN f4 f8_high(f8 v)       { f4 h; memcpy(&h, (const char *)&v + 16, sizeof h); return h; }
#else
SIMD_FN f8 f8_join(f4 a, f4 b)
{
#if defined(__AVX__) && !defined(__clang__) /* gcc reads b from memory with this one only */
    f8 v = shuffle(a, a, 0, 1, 2, 3, -1, -1, -1, -1);
    return __builtin_ia32_vinsertf128_ps256(v, b, 1);
#else
    return shuffle(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}
SIMD_FN f4 f8_low(f8 v)  { return shuffle(v, v, 0, 1, 2, 3); }
SIMD_FN f4 f8_high(f8 v) { return shuffle(v, v, 4, 5, 6, 7); }
#endif
/* clang-format on */

/* A shuffle of a and b inside of each half alone, by the numbers of a shuffle of two f4. */
#if SIMD_HALVES
#define SHUFFLE_HALVES(a, b, i, j, k, l) \
    f8_join(shuffle(f8_low(a), f8_low(b), i, j, k, l), shuffle(f8_high(a), f8_high(b), i, j, k, l))
#else
#define LANE_OF(i) ((i) < 4 ? (i) : (i) + 4)
#define SHUFFLE_HALVES(a, b, i, j, k, l)                                                          \
    shuffle(a, b, LANE_OF(i), LANE_OF(j), LANE_OF(k), LANE_OF(l), LANE_OF(i) + 4, LANE_OF(j) + 4, \
            LANE_OF(k) + 4, LANE_OF(l) + 4)
#endif

/* Four vectors as two squares of 4 x 4, side by side, each turned round its diagonal: eight f4,
 * number k in the low half of vector k, k + 4 in its high half, become four vectors of a component
 * of all eight, and the other way round. */
SIMD_FN void transpose4(f8 r[4])
{
    f8 a = shuffle(r[0], r[1], 0, 8, 1, 9, 4, 12, 5, 13);
    f8 b = shuffle(r[2], r[3], 0, 8, 1, 9, 4, 12, 5, 13);
    f8 c = shuffle(r[0], r[1], 2, 10, 3, 11, 6, 14, 7, 15);
    f8 d = shuffle(r[2], r[3], 2, 10, 3, 11, 6, 14, 7, 15);
    r[0] = shuffle(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
    r[1] = shuffle(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    r[2] = shuffle(c, d, 0, 1, 8, 9, 4, 5, 12, 13);
    r[3] = shuffle(c, d, 2, 3, 10, 11, 6, 7, 14, 15);
}

/* a0 b0 a1 b1 ... a7 b7. */
SIMD_FN void store_pairs(float *p, f8 a, f8 b)
{
#if SIMD_HALVES
    f8 x = SHUFFLE_HALVES(a, b, 0, 4, 1, 5), y = SHUFFLE_HALVES(a, b, 2, 6, 3, 7);
    f8 first = f8_join(f8_low(x), f8_low(y)), second = f8_join(f8_high(x), f8_high(y));
#else
    f8 first = shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    f8 second = shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#endif
    memcpy(p, &first, sizeof first);
    memcpy(p + LANES, &second, sizeof second);
}

/* ---- masks and numbers, by instruction set
 *
 *     any, all     whether some lane of a mask is set, and each
 *     bits_of      a number from a mask: bit i is lane i
 *     is_less      a < b
 *     f8_min, max  a < b ? a : b and a > b ? a : b, as the machine has them for NaN and zeros
 *     f8_sqrt      as it is rounded everywhere */

/* clang-format off */
#if defined(__AVX__)
SIMD_FN bool any(i8 mask)         { return !__builtin_ia32_ptestz256((l4)mask, (l4)mask); }
SIMD_FN uint32_t bits_of(i8 mask) { return (uint32_t)__builtin_ia32_movmskps256((f8)mask); }
SIMD_FN bool all(i8 mask)         { return bits_of(mask) == 0xff; }
SIMD_FN i8 is_less(f8 a, f8 b)    { return a < b; }
SIMD_FN f8 f8_min(f8 a, f8 b)     { return __builtin_ia32_minps256(a, b); }
SIMD_FN f8 f8_max(f8 a, f8 b)     { return __builtin_ia32_maxps256(a, b); }
SIMD_FN f8 f8_sqrt(f8 v)          { return __builtin_ia32_sqrtps256(v); }
#else
#define EACH_HALF(f, a, b) f8_join((f4)f(f8_low(a), f8_low(b)), (f4)f(f8_high(a), f8_high(b)))
#define F4_LESS(a, b) ((a) < (b))
SIMD_FN bool any(i8 mask)
{
    uint64_t words[LANES / 2], set = 0;
    memcpy(words, &mask, sizeof words);
    for (int k = 0; k < LANES / 2; k++)
        set |= words[k];
    return set != 0;
}
SIMD_FN bool all(i8 mask)         { l4 m = (l4)mask; return (m[0] & m[1] & m[2] & m[3]) == -1; }
SIMD_FN i8 is_less(f8 a, f8 b)    { return (i8)EACH_HALF(F4_LESS, a, b); }
#if SIMD_HALVES
SIMD_FN f8 f8_min(f8 a, f8 b)     { return EACH_HALF(__builtin_ia32_minps, a, b); }
SIMD_FN f8 f8_max(f8 a, f8 b)     { return EACH_HALF(__builtin_ia32_maxps, a, b); }
#else
SIMD_FN f8 f8_min(f8 a, f8 b)     { return choose(a < b, a, b); }
SIMD_FN f8 f8_max(f8 a, f8 b)     { return choose(a > b, a, b); }
#endif
SIMD_FN uint32_t bits_of(i8 mask)
{
#if SIMD_HALVES
    int low = __builtin_ia32_movmskps(f8_low((f8)mask));
    return (uint32_t)(low | __builtin_ia32_movmskps(f8_high((f8)mask)) << 4);
#else
    l4 m = (l4)(mask & (i8){1, 2, 4, 8, 16, 32, 64, 128});
    uint64_t set = (uint64_t)(m[0] | m[1] | m[2] | m[3]);
    return (uint32_t)(set | set >> 32);
#endif
}
SIMD_FN f8 f8_sqrt(f8 v)
{
#if SIMD_HALVES
    return f8_join(__builtin_ia32_sqrtps(f8_low(v)), __builtin_ia32_sqrtps(f8_high(v)));
#else
    for (int k = 0; k < LANES; k++)
        v[k] = __builtin_sqrtf(v[k]);
    return v;
#endif
}
#endif
/* clang-format on */

/* The larger of |v| and `most`, as bits: the order of numbers without sign is that of their bits. A
 * NaN is larger than any number, and stays. */
SIMD_FN i8 larger(i8 most, f8 v)
{
    i8 size = (i8)v & INT32_MAX, more = (most - size) >> 31;
    return (size & more) | (most & ~more);
}

/* The largest lane of what `larger` left. */
SIMD_FN float largest(i8 most)
{
    int32_t bits = 0;
    float value;
    for (int k = 0; k < LANES; k++)
        bits = most[k] > bits ? most[k] : bits;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- bytes, in vectors as long as the machine's; chars_bits: bit i is byte i of a mask */

/* clang-format off */
#if defined(__AVX2__)
#define BYTE_WIDTH 32
#define MASK_BITS __builtin_ia32_pmovmskb256
#else
#define BYTE_WIDTH 16
#define MASK_BITS __builtin_ia32_pmovmskb128
#endif
typedef uint8_t byte_lanes __attribute__((vector_size(BYTE_WIDTH)));
typedef int8_t char_lanes __attribute__((vector_size(BYTE_WIDTH)));
typedef char plain_chars __attribute__((vector_size(BYTE_WIDTH))); /* what the builtins take */

SIMD_FN uint32_t chars_bits(char_lanes mask)
{
#if defined(__SSE2__)
    return (uint32_t)MASK_BITS((plain_chars)mask);
#else
    uint32_t bits = 0;
    for (int k = 0; k < BYTE_WIDTH; k++)
        bits |= (uint32_t)(mask[k] & 1) << k;
    return bits;
#endif
}

#if defined(__AVX2__) && !defined(__clang__) /* which knows what the others mean */
SIMD_FN char_lanes chars_abs(char_lanes v) { return (char_lanes)__builtin_ia32_pabsb256((plain_chars)v); }
SIMD_FN char_lanes chars_max(char_lanes a, char_lanes b)
{
    return (char_lanes)__builtin_ia32_pmaxsb256((plain_chars)a, (plain_chars)b);
}
#else
SIMD_FN char_lanes chars_abs(char_lanes v)
{
    char_lanes sign = v < 0;
    return (char_lanes)((byte_lanes)(v ^ sign) - (byte_lanes)sign);
}
SIMD_FN char_lanes chars_max(char_lanes a, char_lanes b)
{
    char_lanes more = a > b;
    return (a & more) | (b & ~more);
}
#endif

/* The number of the lowest bit, 32 if there is none. No branch where there is an instruction for
 * it: nothing could tell which way it goes. */
#if defined(__BMI__)
SIMD_FN uint32_t lowest_bit(uint32_t bits) { return __builtin_ia32_tzcnt_u32(bits); }
#else
SIMD_FN uint32_t lowest_bit(uint32_t bits) { return bits ? (uint32_t)__builtin_ctz(bits) : 32; }
#endif
/* clang-format on */

/* ---- loops over the eights of a row and of all rows of a tile, written out by the compiler */

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
