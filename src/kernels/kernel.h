/* kernel.h -- how functions of src/kernels are declared: for the CPU, and where nvcc compiles them
 * also for the GPU. */
#ifndef SPATE_KERNELS_KERNEL_H
#define SPATE_KERNELS_KERNEL_H

#ifdef __CUDACC__
#define SP_KERNEL static inline __host__ __device__
#else
#define SP_KERNEL static inline
#endif

#endif
