/* kernel.h -- how functions of src/kernels are declared: for the CPU, and where nvcc compiles them
 * also for the GPU. APART: large, and there better called than repeated. */
#ifndef SPATE_KERNELS_KERNEL_H
#define SPATE_KERNELS_KERNEL_H

#ifdef __CUDACC__
#define SP_KERNEL static inline __host__ __device__
#define SP_KERNEL_APART static inline __noinline__ __host__ __device__
#else
#define SP_KERNEL static inline
#define SP_KERNEL_APART static inline
#endif

#endif
