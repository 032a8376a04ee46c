/* available.cu -- whether this machine has a GPU that works. Compiled once, without a dimension. */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>

extern "C" uint64_t sp_cuda_free_bytes(void)
{
    size_t available = 0, total = 0;
    return cudaMemGetInfo(&available, &total) == cudaSuccess ? available : 0;
}

extern "C" bool sp_cuda_available(char *note, size_t size)
{
    int count = 0;
    cudaError_t result = cudaGetDeviceCount(&count);
    if (result != cudaSuccess || count == 0) {
        cudaGetLastError();
        snprintf(note, size, "no NVIDIA GPU with a working driver was found (%s)",
                 result == cudaSuccess ? "none is there" : cudaGetErrorString(result));
        return false;
    }
    cudaDeviceProp device;
    size_t available = 0, total = 0;
    if (cudaGetDeviceProperties(&device, 0) != cudaSuccess ||
        cudaMemGetInfo(&available, &total) != cudaSuccess) {
        snprintf(note, size, "the GPU does not answer (%s)",
                 cudaGetErrorString(cudaGetLastError()));
        return false;
    }
    snprintf(note, size, "%s, %.1f of %.1f GB free", device.name, (double)available * 1e-9,
             (double)total * 1e-9);
    return true;
}
