/* test_simd.c -- every function of cpu/simd.h against a loop over its lanes.
 *
 * One source, some programs: for the base instruction set, with PLAIN as if the machine were one
 * that simd.h has no words for, and with LEVEL for v3 and v4 where these are compiled. */
#include "base/cpu.h"

#include "test.h"

#include <float.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef PLAIN
#undef __x86_64__
#undef __SSE2__
#endif
#define TILE 16 /* of the loops */
#define TILE_ROWS 3
#include "cpu/simd.h"

/* ---- values */

static const float edges[] = {0.0f, -0.0f,   1.0f,        -1.0f,   INFINITY, -INFINITY,  NAN,
                              -NAN, FLT_MIN, -FLT_MIN,    1e-45f,  -1e-45f,  FLT_MAX,    -FLT_MAX,
                              0.5f, -2.5f,   16777216.0f, 3.1e-7f, 2e9f,     -0.9999999f};
#define EDGES ((int)(sizeof edges / sizeof *edges))

/* Eight of them from `first` on, `step` apart, so that each comes into each lane. */
static f8 edges_from(int first, int step, float lanes[LANES])
{
    for (int k = 0; k < LANES; k++)
        lanes[k] = edges[(first + step * k) % EDGES];
    return load(lanes);
}

static uint32_t bits(float x)
{
    uint32_t word;
    memcpy(&word, &x, sizeof word);
    return word;
}

/* The same bits, or NaN both. */
static bool same(float a, float b)
{
    return bits(a) == bits(b) || (a != a && b != b);
}

static i8 mask_from(uint32_t pattern)
{
    i8 mask;
    for (int k = 0; k < LANES; k++)
        mask[k] = pattern >> k & 1 ? -1 : 0;
    return mask;
}

/* ---- memory */

static void loads_and_stores_touch_eight(void)
{
    float from[24], to[24];
    for (int k = 0; k < 24; k++)
        from[k] = (float)k - 3.5f;
    for (int at = 0; at < 9; at++) { /* on any multiple of 4 bytes */
        for (int k = 0; k < 24; k++)
            to[k] = -99.0f;
        f8 v = load(from + at);
        store(to + 7, v);
        for (int k = 0; k < LANES; k++)
            CHECK(v[k] == from[at + k] && to[7 + k] == from[at + k]);
        CHECK(to[6] == -99.0f && to[15] == -99.0f);
        f4_store(to + 1, f4_load(from + at));
        for (int k = 0; k < 4; k++)
            CHECK(to[1 + k] == from[at + k]);
        CHECK(to[0] == -99.0f && to[5] == -99.0f);
        d4 wide = d4_load_floats(from + at);
        for (int k = 0; k < 4; k++)
            CHECK(wide[k] == (double)from[at + k]);
    }
}

static void load_n_repeats_the_first(void)
{
    for (size_t n = 1; n <= LANES; n++) {
        float *from = malloc(n * sizeof *from), to[LANES + 1]; /* not one more may be read */
        for (size_t k = 0; k < n; k++)
            from[k] = (float)k + 0.25f;
        f8 v = load_n(from, n);
        for (size_t k = 0; k < LANES; k++)
            CHECK(v[k] == from[k < n ? k : 0]);
        for (int k = 0; k <= LANES; k++)
            to[k] = -1.0f;
        store_n(to, v, n);
        for (size_t k = 0; k <= LANES; k++)
            CHECK(to[k] == (k < n ? from[k] : -1.0f));
        free(from);
    }
}

static void other_types_come_and_go(void)
{
    uint32_t words[10], copy[10] = {0}, stream[LANES] __attribute__((aligned(32)));
    double numbers[6], back[6] = {0};
    for (uint32_t k = 0; k < 10; k++)
        words[k] = 0xfffffff0u + 3 * k;
    for (int k = 0; k < 6; k++)
        numbers[k] = 1e300 / (k + 1);
    u8_store(copy + 1, u8_load(words + 1));
    u8_stream(stream, u8_load(words + 1));
    u8_stream_end();
    for (int k = 0; k < LANES; k++)
        CHECK(copy[1 + k] == words[1 + k] && stream[k] == words[1 + k]);
    CHECK(copy[0] == 0 && copy[9] == 0);
    d4_store(back + 1, d4_load(numbers + 1));
    for (int k = 0; k < 6; k++)
        CHECK(back[k] == (k == 0 || k == 5 ? 0.0 : numbers[k]));
}

static void bytes_are_numbers(void)
{
    uint8_t from[265], to[265];
    for (int k = 0; k < 265; k++)
        from[k] = (uint8_t)(7 * k);
    for (int at = 0; at < 256; at++) {
        memset(to, 0xaa, sizeof to);
        i8 v = load_bytes(from + at);
        store_bytes(to + at, v);
        for (int k = 0; k < LANES; k++)
            CHECK(v[k] == from[at + k] && to[at + k] == from[at + k]);
        CHECK((at == 0 || to[at - 1] == 0xaa) && to[at + LANES] == 0xaa);
    }
}

/* ---- shuffles */

static void halves_join(void)
{
    float low[4] = {1, 2, 3, 4}, high[4] = {5, 6, 7, -0.0f};
    f8 v = f8_join(f4_load(low), f4_load(high));
    f4 first = f8_low(v), second = f8_high(v);
    for (int k = 0; k < 4; k++) {
        CHECK(same(v[k], low[k]) && same(v[k + 4], high[k]));
        CHECK(same(first[k], low[k]) && same(second[k], high[k]));
    }
    for (int k = 0; k < LANES; k++)
        CHECK(same(f8_of(-0.0f)[k], -0.0f));
}

static void lanes_move(void)
{
    const f8 a = {0, 1, 2, 3, 4, 5, 6, 7}, b = {10, 11, 12, 13, 14, 15, 16, 17};
    const f8 even = {0, 2, 10, 12, 4, 6, 14, 16}, third = {3, 3, 13, 10, 7, 7, 17, 14};
    float pairs[2 * LANES];
    f8 c = SHUFFLE_HALVES(a, b, 0, 2, 4, 6), d = SHUFFLE_HALVES(a, b, 3, 3, 7, 4);
    store_pairs(pairs, a, b);
    for (int k = 0; k < LANES; k++) {
        CHECK(c[k] == even[k] && d[k] == third[k]);
        CHECK(pairs[2 * k] == a[k] && pairs[2 * k + 1] == b[k]);
    }
    i8 whole = convert(a - 3.75f, i8); /* towards zero */
    f8 turned = shuffle(a, b, 15, 14, 13, 12, 3, 2, 1, 0);
    for (int k = 0; k < LANES; k++) {
        CHECK(whole[k] == (int)(a[k] - 3.75f));
        CHECK(turned[k] == (k < 4 ? b[7 - k] : a[7 - k]));
    }
}

static void transpose_turns_two_squares(void)
{
    f8 r[4];
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < LANES; k++)
            r[i][k] = (float)(10 * i + k);
    transpose4(r);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < LANES; k++)
            CHECK(r[i][k] == (float)(10 * (k % 4) + i + k / 4 * 4));
}

/* ---- masks */

static void masks_tell_their_lanes(void)
{
    float x[LANES], y[LANES];
    for (uint32_t pattern = 0; pattern < 256; pattern++) {
        i8 mask = mask_from(pattern);
        CHECK(bits_of(mask) == pattern);
        CHECK(any(mask) == (pattern != 0));
        CHECK(all(mask) == (pattern == 255));
        f8 yes = edges_from((int)pattern, 1, x), no = edges_from((int)pattern + 5, 3, y);
        f8 some = where(mask, yes), one = choose(mask, yes, no);
        for (int k = 0; k < LANES; k++) {
            bool set = pattern >> k & 1;
            CHECK(bits(some[k]) == (set ? bits(x[k]) : 0));
            CHECK(bits(one[k]) == bits(set ? x[k] : y[k]));
            CHECK(lane(mask, k) == (set ? -1 : 0));
        }
    }
}

static void signs_make_masks(void)
{
    float x[LANES];
    for (int first = 0; first < EDGES; first++) {
        f8 v = edges_from(first, 1, x), size = f8_abs(v), kept = where_positive(v, f8_of(2.0f));
        i8 positive = is_positive(v), negative = is_negative(v);
        for (int k = 0; k < LANES; k++) {
            if (x[k] == x[k]) /* a NaN may be either */
                CHECK(positive[k] == (x[k] > 0.0f ? -1 : 0));
            CHECK(kept[k] == (positive[k] ? 2.0f : 0.0f));
            CHECK(negative[k] == (signbit(x[k]) ? -1 : 0));
            CHECK(bits(size[k]) == (bits(x[k]) & 0x7fffffff));
        }
    }
}

static void numbers_make_masks(void)
{
    const int32_t numbers[] = {0, 1, 2, 7, 8, 127, 128, 255, 256, 65535, INT32_MAX - 1, INT32_MAX};
    enum { COUNT = sizeof numbers / sizeof *numbers };
    for (int n = 0; n < COUNT; n++)
        for (int first = 0; first < COUNT; first++) {
            i8 v;
            for (int k = 0; k < LANES; k++)
                v[k] = numbers[(first + k) % COUNT];
            i8 equal = is_equal(v, numbers[n]), below = is_below(v, numbers[n]);
            for (int k = 0; k < LANES; k++) {
                CHECK(equal[k] == (v[k] == numbers[n] ? -1 : 0));
                CHECK(below[k] == (v[k] < numbers[n] ? -1 : 0));
            }
        }
}

/* ---- numbers */

static void two_numbers_compare(void)
{
    float x[LANES], y[LANES];
    for (int first = 0; first < EDGES; first++)
        for (int other = 0; other < EDGES; other++) {
            f8 a = edges_from(first, 1, x), b = edges_from(other, 1, y);
            f8 least = f8_min(a, b), most = f8_max(a, b);
            i8 less = is_less(a, b);
            for (int k = 0; k < LANES; k++) { /* the second of two zeros, or if one is NaN */
                CHECK(less[k] == (x[k] < y[k] ? -1 : 0));
                CHECK(bits(least[k]) == bits(x[k] < y[k] ? x[k] : y[k]));
                CHECK(bits(most[k]) == bits(x[k] > y[k] ? x[k] : y[k]));
            }
        }
}

static void roots_are_rounded(void)
{
    float x[LANES];
    for (int first = 0; first < EDGES; first++) {
        f8 v = edges_from(first, 1, x), root = f8_sqrt(v);
        for (int k = 0; k < LANES; k++)
            CHECK(same(root[k], sqrtf(x[k])));
    }
    for (float y = 1e-30f; y < 1e30f; y *= 1.37f)
        CHECK(same(f8_sqrt(f8_of(y))[3], sqrtf(y)));
}

/* The larger size of the two, a NaN above all. */
static float larger_size(float a, float b)
{
    a = fabsf(a);
    b = fabsf(b);
    return a != a ? a : b != b ? b : a > b ? a : b;
}

static void larger_keeps_the_larger(void)
{
    float x[LANES], y[LANES];
    for (int first = 0; first < EDGES; first++)
        for (int other = 0; other < EDGES; other++) {
            f8 a = edges_from(first, 1, x), b = edges_from(other, 3, y);
            i8 most = larger(larger((i8){0}, a), b);
            float all_of_them = 0.0f;
            for (int k = 0; k < LANES; k++) {
                float expected = larger_size(x[k], y[k]), value;
                int32_t word = most[k];
                memcpy(&value, &word, sizeof value);
                CHECK(same(value, expected));
                all_of_them = larger_size(all_of_them, expected);
            }
            CHECK(same(largest(most), all_of_them));
        }
}

/* ---- bytes of the machine's width */

static void chars_compare(void)
{
    for (int first = 0; first < 256; first++)
        for (int step = 1; step < 256; step += 2) {
            char_lanes a, b;
            uint32_t expected = 0;
            for (int k = 0; k < BYTE_WIDTH; k++) {
                a[k] = (int8_t)(first + step * k);
                b[k] = (int8_t)(k * 11 - first);
                expected |= (uint32_t)(a[k] < b[k]) << k;
            }
            char_lanes size = chars_abs(a), most = chars_max(a, b);
            CHECK(chars_bits(a < b) == expected);
            bool right = true;
            for (int k = 0; k < BYTE_WIDTH; k++) /* -128 stays */
                right =
                    right && size[k] == (int8_t)abs(a[k]) && most[k] == (a[k] > b[k] ? a[k] : b[k]);
            CHECK(right);
        }
}

static void lowest_bit_is_found(void)
{
    CHECK(lowest_bit(0) == 32);
    for (uint32_t k = 0; k < 32; k++) {
        CHECK(lowest_bit(1u << k) == k);
        CHECK(lowest_bit(~0u << k) == k);
    }
}

/* ---- loops */

static void loops_visit_each_eight(void)
{
    int row[TILE] = {0}, rows[TILE_ROWS][TILE] = {{0}};
    FOR_EIGHTS(i)
        row[i]++;
    FOR_TILE_EIGHTS(r, i)
        rows[r][i]++;
    for (int i = 0; i < TILE; i++) {
        CHECK(row[i] == (i % LANES == 0));
        for (int r = 0; r < TILE_ROWS; r++)
            CHECK(rows[r][i] == row[i]);
    }
}

static void the_processor_is_too_old(void)
{
    SKIP("compiled for another instruction set");
}

#ifndef LEVEL
#define LEVEL SP_CPU_BASE
#endif

TESTS(simd)
{
    if (sp_cpu_level() < LEVEL) {
        TEST(the_processor_is_too_old);
    }
    TEST(loads_and_stores_touch_eight);
    TEST(load_n_repeats_the_first);
    TEST(other_types_come_and_go);
    TEST(bytes_are_numbers);
    TEST(halves_join);
    TEST(lanes_move);
    TEST(transpose_turns_two_squares);
    TEST(masks_tell_their_lanes);
    TEST(signs_make_masks);
    TEST(numbers_make_masks);
    TEST(two_numbers_compare);
    TEST(roots_are_rounded);
    TEST(larger_keeps_the_larger);
    TEST(chars_compare);
    TEST(lowest_bit_is_found);
    TEST(loops_visit_each_eight);
}
