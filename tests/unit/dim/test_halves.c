/* test_halves.c -- floats in 16 bits, as the device "check" has them: all there are come back, what
 * lies between two goes to the nearer one, and nothing becomes infinite. */
#include "../test.h"

#include "device/cuda/halves.h"

#include <math.h>

#define LARGEST 0x7bffu

static void all_come_back(void)
{
    int wrong = 0;
    for (uint32_t bits = 0; bits <= LARGEST; bits++) {
        float v = from_16((uint16_t)bits);
        wrong += to_16(v) != bits || to_16(-v) != (bits | 0x8000u);
    }
    CHECK(wrong == 0);
    CHECK(from_16(0x3c00) == 1.0f && from_16(0xc000) == -2.0f && from_16(0) == 0.0f);
    CHECK(from_16(1) == ldexpf(1.0f, -24) && from_16(LARGEST) == 65504.0f);
}

/* Between two that follow each other: in the middle the even one, otherwise the nearer one. */
static void to_the_nearest(void)
{
    int wrong = 0;
    for (uint32_t bits = 0; bits < LARGEST; bits++) {
        float low = from_16((uint16_t)bits), high = from_16((uint16_t)(bits + 1));
        float middle = 0.5f * (low + high);
        wrong += to_16(middle) != (bits & 1 ? bits + 1 : bits);
        wrong += to_16(nextafterf(middle, 0.0f)) != bits;
        wrong += to_16(nextafterf(middle, INFINITY)) != bits + 1;
    }
    CHECK(wrong == 0);
}

static void ends(void)
{
    CHECK(to_16(1e30f) == LARGEST && to_16(-1e30f) == (LARGEST | 0x8000u));
    CHECK(to_16(INFINITY) == LARGEST && to_16(65519.0f) == LARGEST);
    CHECK(to_16(1e-30f) == 0 && from_16(to_16(-1e-30f)) == 0.0f);
}

static void rows_of_them(void)
{
    float v[16], w[16];
    uint16_t there[16];
    for (int k = 0; k < 16; k++)
        v[k] = (float)(k - 7) * 0.375f;
    store_halves(there, v, 16, 4.0f);
    load_halves(there, w, 16, 0.25f);
    for (int k = 0; k < 16; k++)
        CHECK(w[k] == v[k]);
}

int main(int argc, char **argv)
{
    TEST_BEGIN(argc, argv);
    TEST(all_come_back);
    TEST(to_the_nearest);
    TEST(ends);
    TEST(rows_of_them);
    return test_end();
}
