/* test_bfloat16.c -- floats in 16 bits, as the device "check" has them: all there are come back,
 * and what lies between two goes to the nearer one. */
#include "../test.h"

#include "cuda/pressure/bfloat16.h"

#include <math.h>

#define INFINITE 0x7f80u

static void all_come_back(void)
{
    int wrong = 0;
    for (uint32_t bits = 0; bits <= INFINITE; bits++) {
        float v = from_16((uint16_t)bits);
        wrong += to_16(v) != bits || to_16(-v) != (bits | 0x8000u);
    }
    CHECK(wrong == 0);
    CHECK(from_16(0x3f80) == 1.0f && from_16(0xc000) == -2.0f && from_16(0) == 0.0f);
    CHECK(isinf(from_16(INFINITE)));
    CHECK(isnan(from_16(to_16(NAN))) && isnan(from_16(to_16(-NAN))));
}

/* Between two that follow each other: in the middle the even one, otherwise the nearer one. */
static void to_the_nearest(void)
{
    int wrong = 0;
    for (uint32_t bits = 0; bits < INFINITE - 1; bits++) {
        double low = (double)from_16((uint16_t)bits), high = (double)from_16((uint16_t)(bits + 1));
        float middle = (float)(0.5 * (low + high));
        wrong += to_16(middle) != (bits & 1 ? bits + 1 : bits);
        wrong += to_16(nextafterf(middle, 0.0f)) != bits;
        wrong += to_16(nextafterf(middle, INFINITY)) != bits + 1;
    }
    CHECK(wrong == 0);
}

static void rows_of_them(void)
{
    float v[16], w[16];
    uint16_t there[16];
    for (int k = 0; k < 16; k++)
        v[k] = (float)(k - 7) * 0.375f;
    store_halves(there, v, 16);
    load_halves(there, w, 16);
    for (int k = 0; k < 16; k++)
        CHECK(w[k] == v[k]);
}

TESTS(bfloat16)
{
    TEST(all_come_back);
    TEST(to_the_nearest);
    TEST(rows_of_them);
}
