/* launch.h -- loops of a GPU, for nvcc and for a C compiler.
 *
 *     MAP(name, args_type) { ... uses a (const args_type *) and i (size_t) ... }
 *
 * defines `name(gpu, args, n)`, which queues the body for i = 0 .. n - 1, in any order.
 *
 *     BLOCKS(name, args_type, shared_type, threads) {
 *         FOR_THREADS(t, 512) { ... }
 *         BARRIER();
 *         ...
 *     }
 *
 * defines `name(gpu, args, n)`, which queues the body for block = 0 .. n - 1, each with `threads`
 * threads and a shared_type at `shared`, uninitialised. Between two barriers a FOR_THREADS may read
 * what others wrote before the first one. Nothing outside FOR_THREADS may differ between threads:
 * what a thread is to remember beyond a barrier goes to shared memory. BLOCKS_AT_ONCE also says how
 * many of them a multiprocessor is to hold, which limits their registers.
 *
 * In C a MAP is a parallel loop and FOR_THREADS a plain one. */
#ifndef SPATE_CUDA_LAUNCH_H
#define SPATE_CUDA_LAUNCH_H

#include "gpu.h"

#include <string.h>

/* What a kernel gets by value. */
#define FITS_A_KERNEL(args_type) \
    static_assert(sizeof(args_type) <= 4000, "the arguments of a kernel have 4096 bytes")

#ifdef __CUDACC__

/* A kernel may be brought to the multiprocessors while the last one ends (from Hopper on): it waits
 * there until that is done with all it writes. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define KERNEL_BEGIN()                             \
    do {                                           \
        cudaTriggerProgrammaticLaunchCompletion(); \
        cudaGridDependencySynchronize();           \
    } while (0)
#else
#define KERNEL_BEGIN() ((void)0)
#endif

static inline void DEV(gpu_launch_setup)(cudaLaunchConfig_t *config, cudaLaunchAttribute *early,
                                         const X(gpu) *g, size_t blocks, int threads, size_t shared)
{
    *config = cudaLaunchConfig_t();
    config->gridDim = dim3((unsigned)blocks);
    config->blockDim = dim3((unsigned)threads);
    config->dynamicSmemBytes = shared;
    config->stream = (cudaStream_t)g->stream;
    early->id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early->val.programmaticStreamSerializationAllowed = 1;
    config->attrs = early;
    config->numAttrs = g->early ? 1 : 0;
}

#define GPU_FN static __device__ __forceinline__
#define SP_UNROLL_ALL _Pragma("unroll") /* arrays with these indices stay in registers */
#define MAP_THREADS 256

#define MAP(name, args_type)                                                        \
    FITS_A_KERNEL(args_type);                                                       \
    static __device__ __forceinline__ void name##_at(const args_type *a, size_t i); \
    static __global__ void __launch_bounds__(MAP_THREADS)                           \
        name##_kernel(const __grid_constant__ args_type args, size_t n)             \
    {                                                                               \
        size_t i = (size_t)blockIdx.x * MAP_THREADS + threadIdx.x;                  \
        KERNEL_BEGIN();                                                             \
        if (i < n)                                                                  \
            name##_at(&args, i);                                                    \
    }                                                                               \
    static void name(X(gpu) *g, const args_type &args, size_t n)                    \
    {                                                                               \
        cudaLaunchConfig_t config;                                                  \
        cudaLaunchAttribute early;                                                  \
        if (n == 0 || g->failure[0])                                                \
            return;                                                                 \
        DEV(gpu_launch_setup)                                                       \
        (&config, &early, g, (n + MAP_THREADS - 1) / MAP_THREADS, MAP_THREADS, 0);  \
        cudaLaunchKernelEx(&config, name##_kernel, args, n);                        \
    }                                                                               \
    static __device__ __forceinline__ void name##_at(const args_type *a, size_t i)

#define BLOCKS(name, args_type, shared_type, threads) \
    BLOCKS_AT_ONCE(name, args_type, shared_type, threads, 1)

#define BLOCKS_AT_ONCE(name, args_type, shared_type, threads, blocks)                        \
    FITS_A_KERNEL(args_type);                                                                \
    static __device__ __forceinline__ void name##_in(const args_type *a, size_t block,       \
                                                     shared_type *shared);                   \
    static __global__ void __launch_bounds__(threads, blocks)                                \
        name##_kernel(const __grid_constant__ args_type args)                                \
    {                                                                                        \
        extern __shared__ __align__(16) char name##_memory[];                                \
        KERNEL_BEGIN();                                                                      \
        name##_in(&args, blockIdx.x, (shared_type *)name##_memory);                          \
    }                                                                                        \
    static void name(X(gpu) *g, const args_type &args, size_t n)                             \
    {                                                                                        \
        if (n == 0 || g->failure[0])                                                         \
            return;                                                                          \
        if (sizeof(shared_type) > 48 * 1024)                                                 \
            cudaFuncSetAttribute(name##_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, \
                                 (int)sizeof(shared_type));                                  \
        cudaLaunchConfig_t config;                                                           \
        cudaLaunchAttribute early;                                                           \
        DEV(gpu_launch_setup)(&config, &early, g, n, threads, sizeof(shared_type));          \
        cudaLaunchKernelEx(&config, name##_kernel, args);                                    \
    }                                                                                        \
    static __device__ __forceinline__ void name##_in(const args_type *a, size_t block,       \
                                                     shared_type *shared)

#define FOR_THREADS(t, n) for (int t = (int)threadIdx.x; t < (n); t += (int)blockDim.x)
#define BARRIER() __syncthreads()
#define GPU_ADD32(place, value) atomicAdd(place, value)
#define GPU_ADD64(place, value) \
    atomicAdd((unsigned long long *)(place), (unsigned long long)(value))
#define GPU_MAX32(place, value) atomicMax(place, value)
/* the same, where most values are below what is there: asked first */
#define GPU_RAISE32(place, value)                          \
    do {                                                   \
        if ((value) > *(const volatile uint32_t *)(place)) \
            atomicMax(place, value);                       \
    } while (0)
#define GPU_MARK8(place) (*(volatile uint8_t *)(place) = 1) /* several threads write the same */
#define GPU_SQRT(x) __fsqrt_rn(x)
#define GPU_MULTIPLY_ADD(a, b, c) __fmaf_rn(a, b, c) /* in sums: rounded once, or twice in C */
#define GPU_ABS(x) fabsf(x)
#define GPU_LOWEST_BIT(bits) ((uint32_t)__ffs((int)(bits)) - 1u) /* of a number that is not 0 */

#else

#include "base/parallel.h"

#define GPU_FN static inline
#define SP_UNROLL_ALL

#define MAP(name, args_type)                                                     \
    FITS_A_KERNEL(args_type);                                                    \
    static void name##_at(const args_type *a, size_t i);                         \
    static void name##_range(void *args, size_t begin, size_t end, int worker)   \
    {                                                                            \
        (void)worker;                                                            \
        for (size_t i = begin; i < end; i++)                                     \
            name##_at(args, i);                                                  \
    }                                                                            \
    static void name(X(gpu) *g, args_type args, size_t n)                        \
    {                                                                            \
        if (!g->failure[0])                                                      \
            sp_parallel_for((sp_pool *)g->stream, n, 4096, name##_range, &args); \
    }                                                                            \
    static void name##_at(const args_type *a, size_t i)

#define BLOCKS_AT_ONCE(name, args_type, shared_type, threads, blocks) \
    BLOCKS(name, args_type, shared_type, threads)

#define BLOCKS(name, args_type, shared_type, threads)                             \
    FITS_A_KERNEL(args_type);                                                     \
    static void name##_in(const args_type *a, size_t block, shared_type *shared); \
    static void name##_range(void *args, size_t begin, size_t end, int worker)    \
    {                                                                             \
        (void)worker;                                                             \
        for (size_t block = begin; block < end; block++) {                        \
            shared_type shared;                                                   \
            __builtin_memset(&shared, 0xff, sizeof shared);                       \
            name##_in(args, block, &shared);                                      \
        }                                                                         \
    }                                                                             \
    static void name(X(gpu) *g, args_type args, size_t n)                         \
    {                                                                             \
        if (!g->failure[0])                                                       \
            sp_parallel_for((sp_pool *)g->stream, n, 8, name##_range, &args);     \
    }                                                                             \
    static void name##_in(const args_type *a, size_t block, shared_type *shared)

#define FOR_THREADS(t, n) for (int t = 0; t < (n); t++)
#define BARRIER() ((void)0)
#define GPU_ADD32(place, value) __atomic_fetch_add(place, value, __ATOMIC_RELAXED)
#define GPU_ADD64(place, value) __atomic_fetch_add(place, (uint64_t)(value), __ATOMIC_RELAXED)
#define GPU_MARK8(place) __atomic_store_n(place, 1, __ATOMIC_RELAXED)
#define GPU_SQRT(x) __builtin_sqrtf(x)
#define GPU_MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#define GPU_ABS(x) __builtin_fabsf(x)
#define GPU_LOWEST_BIT(bits) ((uint32_t)__builtin_ctz(bits))

static inline void DEV(gpu_max32)(uint32_t *place, uint32_t value)
{
    uint32_t old = __atomic_load_n(place, __ATOMIC_RELAXED);
    while (old < value && !__atomic_compare_exchange_n(place, &old, value, false, __ATOMIC_RELAXED,
                                                       __ATOMIC_RELAXED)) {}
}
#define GPU_MAX32(place, value) DEV(gpu_max32)(place, value)
#define GPU_RAISE32 GPU_MAX32

#endif

/* Cell number k of a tile: its coordinates, and its index. */
SP_KERNEL size_t X(tile_place)(const X(grid) *g, int tile, int k, int cell[DIM])
{
    int first[DIM];
    X(tile_cell)(g, tile, first);
    X(row_cell)(first, k >> TILE_SHIFT, cell);
    cell[0] += k & (TILE - 1);
    return X(index)(g, cell);
}

/* Place number i of the active tiles. */
SP_KERNEL size_t X(active_place)(const X(fields) *f, size_t i, int cell[DIM])
{
    return X(tile_place)(&f->grid, f->tiles.active[i / TILE_CELLS], (int)(i % TILE_CELLS), cell);
}

/* Whether place k of a tile of the list `faces` can hold a face of the domain. */
SP_KERNEL bool X(place_has_faces)(const X(grid) *g, int tile, int k)
{
    int t[DIM];
    X(tile_coordinates)(g, tile, t);
    return X(row_has_faces)(g, t, k >> TILE_SHIFT);
}

/* The sum of `count` values, a power of two, which may still be being written, to `sum`; by all
 * threads of a block. */
GPU_FN void X(sum_values)(double *values, int count, double *sum)
{
    BARRIER();
    for (int half = count / 2; half > 0; half /= 2) {
        FOR_THREADS(t, half)
            values[t] += values[t + half];
        BARRIER();
    }
    FOR_THREADS(t, 1)
        *sum = values[0];
}

/* Largest speed so far. Squares of speeds are not negative, so their bits order as they do; a NaN
 * is above all. */
GPU_FN void X(note_speed)(DEV(gpu_counters) * counters, const float v[DIM])
{
    float square = 0.0f;
    uint32_t bits;
    FOR_DIM(d)
        square += v[d] * v[d];
    memcpy(&bits, &square, sizeof bits);
    bits &= 0x7fffffff; /* the sign of a NaN */
    GPU_RAISE32(&counters->fastest, bits);
}

static inline double X(noted_speed)(const DEV(gpu_counters) * counters)
{
    float square;
    memcpy(&square, &counters->fastest, sizeof square);
    return __builtin_sqrt((double)square);
}

#endif
