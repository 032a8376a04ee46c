/* lane.h -- one lane: the names of cpu/simd.h that bodies in src/kernels use, for one cell.
 *
 * A body over lanes does LANES cells of a row: the eight of simd.h in a file that has included it
 * before, and here one, for a GPU and for `check`. It is written with these names alone, and with
 * the operators of C; a mask is -1 or 0. Each lane is computed by itself, so the bits are the same.
 */
#ifndef SPATE_KERNELS_LANE_H
#define SPATE_KERNELS_LANE_H

#include "kernel.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef LANES
#define LANES 1

typedef float f8;
typedef int32_t i8;

/* clang-format off */
SP_KERNEL f8 f8_of(float x)                    { return x; }
SP_KERNEL i8 i8_of(int32_t n)                  { return n; }
SP_KERNEL f8 load(const float *p)              { return *p; }
SP_KERNEL void store(float *p, f8 v)           { *p = v; }
SP_KERNEL i8 load_bytes(const uint8_t *p)      { return *p; }
SP_KERNEL i8 load_numbers(const uint32_t *p)    { return (i8)*p; }
SP_KERNEL void store_bytes(uint8_t *p, i8 v)   { *p = (uint8_t)v; }
SP_KERNEL int32_t lane(i8 v, int k)            { (void)k; return v; }
SP_KERNEL float f8_first(f8 v)                 { return v; }
SP_KERNEL f8 where(i8 mask, f8 v)              { return mask ? v : 0.0f; }
SP_KERNEL f8 choose(i8 mask, f8 yes, f8 no)    { return mask ? yes : no; }
SP_KERNEL i8 is_positive(f8 v)                 { return -(v > 0.0f); }
SP_KERNEL i8 is_equal(i8 v, int32_t n)         { return -(v == n); }
SP_KERNEL i8 is_less(f8 a, f8 b)               { return -(a < b); }
SP_KERNEL f8 f8_min(f8 a, f8 b)                { return a < b ? a : b; }
SP_KERNEL f8 f8_max(f8 a, f8 b)                { return a > b ? a : b; }
SP_KERNEL f8 f8_sqrt(f8 v)                     { return sqrtf(v); }
SP_KERNEL bool any_byte(const uint8_t *p)       { return *p != 0; }
SP_KERNEL bool any(i8 mask)                    { return mask != 0; }
/* clang-format on */

#endif

#endif
