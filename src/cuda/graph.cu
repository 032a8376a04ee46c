/* graph.cu -- programs with loops that the device runs by itself: a CUDA graph, with a conditional
 * node for each loop.
 *
 * What a loop's body queues is captured as a graph that the node runs as long as a number in the
 * device's memory is not 0. Nodes hold the arguments of their kernels, which change from solve to
 * solve with the lists of tiles, so a program is captured anew each time: half a microsecond per
 * kernel, while the device is busy with what comes before. The executable graph is brought up to
 * date with it, which takes half of that, and made anew only where its kernels have become others.
 *
 * Before CUDA 13, and with SPATE_NO_GRAPHS in the environment, the host queues the kernels and
 * looks at the number before each turn: compute-sanitizer does not get along with conditional
 * nodes. */
#include "launch.h"

#include <stdlib.h>

static void loop_by_host(X(gpu) *g, const uint32_t *more, DEV(gpu_body) * body, void *user)
{
    for (;;) {
        uint32_t now = 0;
        DEV(gpu_download)(g, &now, more, sizeof now);
        if (!now || g->failure[0])
            return;
        body(g, user);
    }
}

#if CUDART_VERSION >= 13000

static bool good(X(gpu) *g, cudaError_t result)
{
    if (result != cudaSuccess)
        DEV(gpu_fail)(g, "a loop on the GPU", cudaGetErrorString(result));
    return result == cudaSuccess;
}

static __global__ void look_kernel(cudaGraphConditionalHandle loop, const uint32_t *more)
{
    KERNEL_BEGIN();
    cudaGraphSetConditional(loop, *more != 0);
}

static void look(X(gpu) *g, cudaGraphConditionalHandle loop, const uint32_t *more)
{
    cudaLaunchConfig_t config;
    cudaLaunchAttribute early;
    if (g->failure[0])
        return;
    DEV(gpu_launch_setup)(&config, &early, g, 1, 1, 0);
    good(g, cudaLaunchKernelEx(&config, look_kernel, loop, more));
}

/* A node for the loop, after what the stream has captured so far; its body is to be filled. */
static cudaGraph_t add_loop(X(gpu) *g, cudaGraphConditionalHandle loop)
{
    cudaStream_t stream = (cudaStream_t)g->stream;
    cudaStreamCaptureStatus status;
    cudaGraph_t graph = NULL;
    const cudaGraphNode_t *last = NULL;
    const cudaGraphEdgeData *edges = NULL;
    size_t count = 0;
    cudaGraphNode_t node = NULL;
    cudaGraphNodeParams what = {};
    what.type = cudaGraphNodeTypeConditional;
    what.conditional.handle = loop;
    what.conditional.type = cudaGraphCondTypeWhile;
    what.conditional.size = 1;
    if (!good(g, cudaStreamGetCaptureInfo(stream, &status, NULL, &graph, &last, &edges, &count)) ||
        !good(g, cudaGraphAddNode(&node, graph, last, edges, count, &what)) ||
        !good(g, cudaStreamUpdateCaptureDependencies(stream, &node, NULL, 1,
                                                     cudaStreamSetCaptureDependencies)))
        return NULL;
    return what.conditional.phGraph_out[0];
}

/* Captures what a function queues into a graph, by a stream of its own: the one that is in use may
 * be at it already. */
typedef struct capture {
    void *before;
} capture;

static bool begin_capture(X(gpu) *g, capture *c, cudaGraph_t into)
{
    void **stream = &g->capturing[g->capture_depth];
    cudaStream_t made = NULL;
    if (!*stream) {
        if (!good(g, cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking)))
            return false;
        *stream = made;
    }
    if (!good(g, cudaStreamBeginCaptureToGraph((cudaStream_t)*stream, into, NULL, NULL, 0,
                                               cudaStreamCaptureModeThreadLocal)))
        return false;
    c->before = g->stream;
    g->stream = *stream;
    g->capture_depth++;
    return true;
}

static void end_capture(X(gpu) *g, const capture *c)
{
    cudaGraph_t same = NULL;
    good(g, cudaStreamEndCapture((cudaStream_t)g->stream, &same));
    g->stream = c->before;
    g->capture_depth--;
}

void DEV(gpu_while)(X(gpu) *g, const uint32_t *more, DEV(gpu_body) * body, void *user)
{
    cudaGraphConditionalHandle loop;
    capture c;
    if (!g->graph_made) {
        loop_by_host(g, more, body, user);
        return;
    }
    if (g->failure[0] ||
        !good(g, cudaGraphConditionalHandleCreate(&loop, (cudaGraph_t)g->graph_made, 0, 0)))
        return;
    look(g, loop, more);
    cudaGraph_t inside = add_loop(g, loop);
    if (!inside || !begin_capture(g, &c, inside))
        return;
    body(g, user);
    look(g, loop, more);
    end_capture(g, &c);
}

/* The executable graph becomes as the captured one is. */
static void make_ready(X(gpu) *g, cudaGraph_t graph)
{
    cudaGraphExec_t ready = (cudaGraphExec_t)g->graph;
    cudaGraphExecUpdateResultInfo info;
    if (ready && cudaGraphExecUpdate(ready, graph, &info) != cudaSuccess) {
        cudaGetLastError();
        cudaGraphExecDestroy(ready);
        ready = NULL;
    }
    if (!ready && !good(g, cudaGraphInstantiate(&ready, graph, 0)))
        ready = NULL;
    g->graph = ready;
}

void DEV(gpu_record)(X(gpu) *g, DEV(gpu_body) * body, void *user)
{
    capture c;
    cudaGraph_t graph = NULL;
    g->program = getenv("SPATE_NO_GRAPHS") ? body : NULL;
    g->program_user = user;
    if (g->program || g->failure[0] || !good(g, cudaGraphCreate(&graph, 0)))
        return;
    if (begin_capture(g, &c, graph)) {
        g->graph_made = graph;
        body(g, user);
        g->graph_made = NULL;
        end_capture(g, &c);
    }
    if (!g->failure[0])
        make_ready(g, graph);
    cudaGraphDestroy(graph);
}

void DEV(gpu_play)(X(gpu) *g)
{
    if (g->program)
        g->program(g, g->program_user);
    else if (!g->failure[0])
        good(g, cudaGraphLaunch((cudaGraphExec_t)g->graph, (cudaStream_t)g->stream));
}

void DEV(gpu_close_graph)(X(gpu) *g)
{
    if (g->graph)
        cudaGraphExecDestroy((cudaGraphExec_t)g->graph);
    for (int k = 0; k < GPU_CAPTURES; k++)
        if (g->capturing[k])
            cudaStreamDestroy((cudaStream_t)g->capturing[k]);
}

#else

void DEV(gpu_record)(X(gpu) *g, DEV(gpu_body) * body, void *user)
{
    g->program = body;
    g->program_user = user;
}

void DEV(gpu_play)(X(gpu) *g)
{
    g->program(g, g->program_user);
}

void DEV(gpu_while)(X(gpu) *g, const uint32_t *more, DEV(gpu_body) * body, void *user)
{
    loop_by_host(g, more, body, user);
}

void DEV(gpu_close_graph)(X(gpu) *g)
{
    (void)g;
}

#endif
