/* halves.h -- floats in 16 bits (IEEE 754 binary16), to be held in memory: 11 bits of digits, from
 * 6e-8 to 65504, which stands for all that is above. */
#ifndef SPATE_DEVICE_CUDA_HALVES_H
#define SPATE_DEVICE_CUDA_HALVES_H

#include "device/cuda/launch.h"

#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif

#define MOST_OF_16 65504.0f

GPU_FN float within_16(float v)
{
    v = v < MOST_OF_16 ? v : MOST_OF_16;
    return v > -MOST_OF_16 ? v : -MOST_OF_16;
}

#ifdef __CUDACC__

GPU_FN void unpack_two(uint32_t bits, float *v)
{
    float2 two = __half22float2(*(const __half2 *)&bits);
    v[0] = two.x, v[1] = two.y;
}

GPU_FN uint32_t pack_two(float one, float two)
{
    __half2 both = __floats2half2_rn(within_16(one), within_16(two));
    return *(const uint32_t *)&both;
}

#else

GPU_FN float from_16(uint16_t bits)
{
    uint32_t magnitude = bits & 0x7fffu, wide = (magnitude << 13) + 0x38000000u;
    float v = (float)magnitude * (1.0f / 16777216.0f); /* below the smallest normal one */
    if (magnitude >= 0x400u)
        memcpy(&v, &wide, sizeof v);
    return bits & 0x8000u ? -v : v;
}

/* To the nearest one; of two as near, the even one. */
GPU_FN uint16_t to_16(float value)
{
    uint32_t bits, magnitude, sign;
    value = within_16(value);
    memcpy(&bits, &value, sizeof bits);
    sign = bits >> 16 & 0x8000u;
    magnitude = bits & 0x7fffffffu;
    if (magnitude >= 0x38800000u) {
        magnitude += 0xfffu + (magnitude >> 13 & 1u);
        return (uint16_t)(sign | (magnitude - 0x38000000u) >> 13);
    }
    float whole = GPU_ABS(value) * 16777216.0f;
    whole = (whole + 8388608.0f) - 8388608.0f;
    return (uint16_t)(sign | (uint32_t)whole);
}

#endif

/* n values from an aligned place, n a multiple of 8, or 4, or 2, or 1; times a factor. */
GPU_FN void load_halves(const uint16_t *from, float *v, int n, float factor)
{
#ifdef __CUDACC__
    SP_UNROLL_ALL
    for (int k = 0; k + 8 <= n; k += 8) {
        uint4 eight = *(const uint4 *)(from + k);
        unpack_two(eight.x, v + k), unpack_two(eight.y, v + k + 2);
        unpack_two(eight.z, v + k + 4), unpack_two(eight.w, v + k + 6);
    }
    if (n == 4) {
        uint2 four = *(const uint2 *)from;
        unpack_two(four.x, v), unpack_two(four.y, v + 2);
    }
    if (n == 2)
        unpack_two(*(const uint32_t *)from, v);
    if (n == 1)
        v[0] = __half2float(*(const __half *)from);
#else
    for (int k = 0; k < n; k++)
        v[k] = from_16(from[k]);
#endif
    SP_UNROLL_ALL
    for (int k = 0; k < n; k++)
        v[k] *= factor;
}

/* n: a multiple of 8. */
GPU_FN void store_halves(uint16_t *to, const float *v, int n, float factor)
{
#ifdef __CUDACC__
    SP_UNROLL_ALL
    for (int k = 0; k + 8 <= n; k += 8) {
        const float *w = v + k;
        *(uint4 *)(to + k) = make_uint4(
            pack_two(w[0] * factor, w[1] * factor), pack_two(w[2] * factor, w[3] * factor),
            pack_two(w[4] * factor, w[5] * factor), pack_two(w[6] * factor, w[7] * factor));
    }
#else
    for (int k = 0; k < n; k++)
        to[k] = to_16(v[k] * factor);
#endif
}

#endif
