/* bfloat16.h -- floats in 16 bits, to be held in memory: the first half of a float (bfloat16), with
 * 8 bits of digits and the range of floats. */
#ifndef SPATE_CUDA_PRESSURE_BFLOAT16_H
#define SPATE_CUDA_PRESSURE_BFLOAT16_H

#include "cuda/launch.h"

#ifdef __CUDACC__
#include <cuda_bf16.h>

GPU_FN void unpack_two(uint32_t bits, float *v)
{
    v[0] = __uint_as_float(bits << 16);
    v[1] = __uint_as_float(bits & 0xffff0000u);
}

GPU_FN uint32_t pack_two(float one, float two)
{
    __nv_bfloat162 both = __floats2bfloat162_rn(one, two);
    return *(const uint32_t *)&both;
}

#else

GPU_FN float from_16(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float v;
    memcpy(&v, &wide, sizeof v);
    return v;
}

/* To the nearest one; of two as near, the even one. */
GPU_FN uint16_t to_16(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return 0x7fff; /* not a number */
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

#endif

/* n values from an aligned place, n a multiple of 8, or 4, or 2, or 1. */
GPU_FN void load_halves(const uint16_t *from, float *v, int n)
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
        v[0] = __uint_as_float((uint32_t)*from << 16);
#else
    for (int k = 0; k < n; k++)
        v[k] = from_16(from[k]);
#endif
}

/* n: a multiple of 8. */
GPU_FN void store_halves(uint16_t *to, const float *v, int n)
{
#ifdef __CUDACC__
    SP_UNROLL_ALL
    for (int k = 0; k + 8 <= n; k += 8)
        *(uint4 *)(to + k) = make_uint4(pack_two(v[k], v[k + 1]), pack_two(v[k + 2], v[k + 3]),
                                        pack_two(v[k + 4], v[k + 5]), pack_two(v[k + 6], v[k + 7]));
#else
    for (int k = 0; k < n; k++)
        to[k] = to_16(v[k]);
#endif
}

#endif
