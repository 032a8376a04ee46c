/* primitives.cu -- memory, copies, scans and sums on a CUDA device. The device "check" has its
 * own, check/primitives.c. */
#include "launch.h"

#include <cub/device/device_scan.cuh>
#include <stdio.h>

static bool good(X(gpu) *g, cudaError_t result, const char *what)
{
    if (result != cudaSuccess)
        DEV(gpu_fail)(g, what, cudaGetErrorString(result));
    return result == cudaSuccess;
}

void DEV(gpu_fail)(X(gpu) *g, const char *what, const char *why)
{
    if (!g->failure[0])
        snprintf(g->failure, sizeof g->failure, "%s: %s", what, why);
}

#define REDUCERS 1024

typedef struct reduce_args {
    double *values;
    size_t count;
    bool largest;
} reduce_args;

typedef struct reduce_shared {
    double part[REDUCERS];
} reduce_shared;

GPU_FN double combine(double a, double b, bool largest)
{
    return !largest ? a + b : b > a || b != b ? b : a;
}

/* Each thread takes every REDUCERS-th value in order, then halves are added: the same order always.
 * The result takes the place of the first value. */
BLOCKS(reduce, reduce_args, reduce_shared, REDUCERS)
{
    (void)block;
    FOR_THREADS(t, REDUCERS) {
        double part = 0;
        for (size_t k = (size_t)t; k < a->count; k += REDUCERS)
            part = combine(part, a->values[k], a->largest);
        shared->part[t] = part;
    }
    BARRIER();
    for (int half = REDUCERS / 2; half > 0; half /= 2) {
        FOR_THREADS(t, half)
            shared->part[t] = combine(shared->part[t], shared->part[t + half], a->largest);
        BARRIER();
    }
    FOR_THREADS(t, 1)
        a->values[0] = shared->part[0];
}

/* Whether the code that runs here is that which waits for the last kernel. */
static bool waits_for_last(void)
{
    cudaFuncAttributes attributes;
    int major = 0;
    return cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) == cudaSuccess &&
           cudaFuncGetAttributes(&attributes, reduce_kernel) == cudaSuccess && major >= 9 &&
           attributes.ptxVersion >= 90;
}

bool DEV(gpu_open)(X(gpu) *g, void *pool)
{
    (void)pool;
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
        cudaGetLastError();
        DEV(gpu_fail)(g, "cuda", "no NVIDIA GPU with a working driver was found");
        return false;
    }
    cudaStream_t stream = NULL;
    if (!good(g, cudaSetDevice(0), "cuda") ||
        !good(g, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cuda"))
        return false;
    g->stream = stream;
    cudaEvent_t ready = NULL, sent = NULL;
    if (!good(g, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cuda") ||
        !good(g, cudaEventCreateWithFlags(&ready, cudaEventDisableTiming), "cuda") ||
        !good(g, cudaEventCreateWithFlags(&sent, cudaEventDisableTiming), "cuda"))
        return false;
    g->sender = stream;
    g->ready = ready;
    g->sent = sent;
    int shared = 0;
    cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    g->shared_bytes = (size_t)shared;
    g->early = waits_for_last();
    for (int k = 0; k <= SP_STAGE_COUNT; k++) {
        cudaEvent_t event = NULL;
        if (!good(g, cudaEventCreate(&event), "cuda"))
            return false;
        g->marks[k] = event;
    }
    return true;
}

void DEV(gpu_close)(X(gpu) *g)
{
    DEV(gpu_close_graph)(g);
    for (int k = 0; k <= SP_STAGE_COUNT; k++)
        if (g->marks[k])
            cudaEventDestroy((cudaEvent_t)g->marks[k]);
    if (g->ready)
        cudaEventDestroy((cudaEvent_t)g->ready);
    if (g->sent)
        cudaEventDestroy((cudaEvent_t)g->sent);
    if (g->sender)
        cudaStreamDestroy((cudaStream_t)g->sender);
    if (g->stream)
        cudaStreamDestroy((cudaStream_t)g->stream);
}

bool DEV(gpu_wait)(X(gpu) *g)
{
    if (!g->failure[0] && good(g, cudaGetLastError(), "a kernel"))
        good(g, cudaStreamSynchronize((cudaStream_t)g->stream), "the GPU");
    return !g->failure[0];
}

void DEV(gpu_memory)(X(gpu) *g, uint64_t *available, uint64_t *total)
{
    size_t now = 0, all = 0;
    if (cudaMemGetInfo(&now, &all) != cudaSuccess)
        now = all = 0;
    *available = now + g->allocated;
    *total = all;
}

void *DEV(gpu_alloc)(X(gpu) *g, size_t bytes, const char *what)
{
    void *block = NULL;
    if (g->failure[0])
        return NULL;
    if (cudaMalloc(&block, bytes ? bytes : 1) != cudaSuccess) {
        char why[160];
        uint64_t available, total;
        cudaGetLastError();
        DEV(gpu_memory)(g, &available, &total);
        snprintf(why, sizeof why,
                 "needs %.2f GB beside the %.2f GB taken so far; the GPU has %.2f GB free for this",
                 (double)bytes * 1e-9, (double)g->allocated * 1e-9, (double)available * 1e-9);
        DEV(gpu_fail)(g, what, why);
        return NULL;
    }
    g->allocated += bytes;
    return block;
}

void DEV(gpu_free)(X(gpu) *g, void *block, size_t bytes)
{
    if (!block)
        return;
    cudaFree(block);
    g->allocated -= bytes;
}

static void copy(X(gpu) *g, void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    if (bytes > 0 && !g->failure[0])
        good(g, cudaMemcpyAsync(to, from, bytes, kind, (cudaStream_t)g->stream), "a copy");
}

void DEV(gpu_upload)(X(gpu) *g, void *to, const void *from, size_t bytes)
{
    copy(g, to, from, bytes, cudaMemcpyHostToDevice);
    DEV(gpu_wait)(g); /* the source may change or go */
}

void DEV(gpu_download)(X(gpu) *g, void *to, const void *from, size_t bytes)
{
    copy(g, to, from, bytes, cudaMemcpyDeviceToHost);
    DEV(gpu_wait)(g);
}

void DEV(gpu_copy)(X(gpu) *g, void *to, const void *from, size_t bytes)
{
    copy(g, to, from, bytes, cudaMemcpyDeviceToDevice);
}

void DEV(gpu_set)(X(gpu) *g, void *to, int byte, size_t bytes)
{
    if (bytes > 0 && !g->failure[0])
        good(g, cudaMemsetAsync(to, byte, bytes, (cudaStream_t)g->stream), "a fill");
}

void *DEV(gpu_pin)(X(gpu) *g, size_t bytes)
{
    void *block = NULL;
    (void)g;
    if (cudaMallocHost(&block, bytes ? bytes : 1) == cudaSuccess)
        return block;
    cudaGetLastError();
    return NULL;
}

void DEV(gpu_unpin)(X(gpu) *g, void *block)
{
    (void)g;
    if (block)
        cudaFreeHost(block);
}

void DEV(gpu_send_begin)(X(gpu) *g)
{
    if (!g->failure[0] &&
        good(g, cudaEventRecord((cudaEvent_t)g->ready, (cudaStream_t)g->stream), "a copy"))
        good(g, cudaStreamWaitEvent((cudaStream_t)g->sender, (cudaEvent_t)g->ready, 0), "a copy");
}

void DEV(gpu_send)(X(gpu) *g, void *to, const void *from, size_t bytes)
{
    if (bytes > 0 && !g->failure[0])
        good(g, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, (cudaStream_t)g->sender),
             "a copy");
}

void DEV(gpu_send_end)(X(gpu) *g)
{
    if (!g->failure[0])
        good(g, cudaEventRecord((cudaEvent_t)g->sent, (cudaStream_t)g->sender), "a copy");
}

void DEV(gpu_send_guard)(X(gpu) *g)
{
    if (!g->failure[0])
        good(g, cudaStreamWaitEvent((cudaStream_t)g->stream, (cudaEvent_t)g->sent, 0), "a copy");
}

bool DEV(gpu_send_wait)(X(gpu) *g)
{
    return cudaEventSynchronize((cudaEvent_t)g->sent) == cudaSuccess;
}

void DEV(gpu_mark)(X(gpu) *g, int k)
{
    if (!g->failure[0])
        good(g, cudaEventRecord((cudaEvent_t)g->marks[k], (cudaStream_t)g->stream), "the clock");
}

bool DEV(gpu_times)(X(gpu) *g, double seconds[SP_STAGE_COUNT])
{
    if (!DEV(gpu_wait)(g))
        return false;
    for (int k = 0; k < SP_STAGE_COUNT; k++) {
        float milliseconds = 0;
        good(g,
             cudaEventElapsedTime(&milliseconds, (cudaEvent_t)g->marks[k],
                                  (cudaEvent_t)g->marks[k + 1]),
             "the clock");
        seconds[k] = 1e-3 * (double)milliseconds;
    }
    return !g->failure[0];
}

bool DEV(gpu_poisons)(void)
{
    return false;
}

size_t DEV(gpu_temporary_bytes)(size_t count)
{
    size_t scan = 0;
    cub::DeviceScan::ExclusiveSum(NULL, scan, (uint32_t *)NULL, (uint32_t *)NULL, count);
    return scan;
}

void DEV(gpu_scan)(X(gpu) *g, const uint32_t *values, uint32_t *sums, size_t count)
{
    size_t bytes = g->temporary_bytes;
    if (!g->failure[0] && count > 0)
        good(g,
             cub::DeviceScan::ExclusiveSum(g->temporary, bytes, values, sums, count,
                                           (cudaStream_t)g->stream),
             "scan");
}

static double reduce_partials(X(gpu) *g, size_t count, bool largest)
{
    double result = 0;
    if (count == 0)
        return 0;
    reduce_args args = {g->partials, count, largest};
    reduce(g, args, 1);
    DEV(gpu_download)(g, &result, g->partials, sizeof result);
    return result;
}

double DEV(gpu_sum)(X(gpu) *g, size_t count)
{
    return reduce_partials(g, count, false);
}

double DEV(gpu_maximum)(X(gpu) *g, size_t count)
{
    return reduce_partials(g, count, true);
}
