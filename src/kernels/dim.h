/* dim.h -- the only file that knows how many dimensions there are.
 *
 * Everything under src/state, src/sim, src/cpu, src/cuda, src/mesh and src/kernels is compiled
 * twice, with DIM = 2 and DIM = 3. Names with external linkage are written X(name) and become
 * sp2_name and sp3_name. What a device has of its own is built once per VARIANT of it (base, v3,
 * v4: instruction sets of the CPU; cuda; check) and named DEV(name): sp3_v3_name. Axis loops are
 * FOR_DIM(d); a loop over something that has a third direction only in 3D runs to LAST(n). */
#ifndef SPATE_KERNELS_DIM_H
#define SPATE_KERNELS_DIM_H

#include "kernel.h"

#ifndef DIM
#error "compile with -DDIM=2 or -DDIM=3"
#endif

#ifndef VARIANT
#define VARIANT base
#endif

#define SP_NAME_3(dim, name) sp##dim##_##name
#define SP_NAME_2(dim, name) SP_NAME_3(dim, name)
#define X(name) SP_NAME_2(DIM, name)
#define SP_DEVICE_NAME_3(dim, variant, name) sp##dim##_##variant##_##name
#define SP_DEVICE_NAME_2(dim, variant, name) SP_DEVICE_NAME_3(dim, variant, name)
#define DEV(name) SP_DEVICE_NAME_2(DIM, VARIANT, name)

#if defined(__clang__) || defined(__CUDACC__)
#define SP_UNROLL _Pragma("unroll")
#else
#define SP_UNROLL _Pragma("GCC unroll 4")
#endif
#define FOR_DIM(d) \
    SP_UNROLL      \
    for (int d = 0; d < DIM; d++)
#define LAST(n) (DIM == 3 ? (n) : 1)

/* TILE cells along the edge of a tile (a power of two), TILE_ROWS rows of TILE cells in it. */
#if DIM == 2
#define TILE 16
#define TILE_SHIFT 4
#define TILE_ROWS TILE
#elif DIM == 3
#define TILE 8
#define TILE_SHIFT 3
#define TILE_ROWS (TILE * TILE)
#else
#error "DIM must be 2 or 3"
#endif
#define TILE_CELLS (TILE_ROWS * TILE)
#define COLOURS (1 << DIM) /* of tiles: two of one colour are never neighbours */

#endif
