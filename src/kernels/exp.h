/* exp.h -- the exponential function and powers from multiplications alone, beside ln.h: the same
 * bits under every libm and on every device.
 *
 * exp x = 2^k exp r, k the whole number nearest to x / ln 2, |r| <= 0.35; Taylor's series, fourteen
 * terms for 1e-16. ln 2 in two parts, the first with zeros at its end, so that k times it is exact.
 */
#ifndef SPATE_KERNELS_EXP_H
#define SPATE_KERNELS_EXP_H

#include "ln.h"

#define SP_EXP_TERMS 14

SP_KERNEL double sp_exp(double x)
{
    if (!(x > -700))
        return 0;
    x = x < 700 ? x : 700;
    int k = (int)(x * 1.4426950408889634 + (x < 0 ? -0.5 : 0.5));
    double r = (x - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10, sum = 1;
    for (int n = SP_EXP_TERMS; n >= 1; n--)
        sum = 1 + sum * r / n;
    uint64_t bits = (uint64_t)(k + 1023) << 52;
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return sum * scale;
}

/* x > 0 */
SP_KERNEL double sp_pow(double x, double y)
{
    return sp_exp(y * sp_ln(x));
}

#endif
