/* ln.h -- the natural logarithm from multiplications and divisions alone, so that states have the
 * same bits under every libm and on every device.
 *
 * x = m 2^e with m in sqrt(1/2) .. sqrt(2); with s = (m - 1) / (m + 1), at most 0.172,
 *
 *     ln m = 2 (s + s^3 / 3 + s^5 / 5 + ...),   ten terms for 1e-16. */
#ifndef SPATE_KERNELS_LN_H
#define SPATE_KERNELS_LN_H

#include "kernel.h"

#include <stdint.h>
#include <string.h>

#define SP_LN_TERMS 10

/* x > 0, and no denormal number. */
SP_KERNEL double sp_ln(double x)
{
    uint64_t bits;
    double m, sum = 0;
    memcpy(&bits, &x, sizeof bits);
    int e = (int)(bits >> 52) - 1023;
    bits = (bits & 0x000fffffffffffffu) | 0x3ff0000000000000u;
    memcpy(&m, &bits, sizeof m);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        e++;
    }
    double s = (m - 1) / (m + 1), square = s * s;
    for (int k = SP_LN_TERMS; k >= 0; k--)
        sum = sum * square + 1.0 / (2 * k + 1);
    return 2 * s * sum + e * 0.69314718055994531;
}

#endif
