/* gauges.cu -- the parts of the gauges of a scene (kernels/gauges.h): a block for each, a thread
 * for each of its items, which the first thread then adds up in their order. */
#include "kernels/gauges.h"
#include "launch.h"

typedef struct gauge_args {
    X(probe) probe;
    const X(gauge) *gauges;
    int count;
    double (*parts)[3];
} gauge_args;

typedef struct gauge_shared {
    double items[TILE_ROWS][3];
} gauge_shared;

BLOCKS(take_parts, gauge_args, gauge_shared, TILE_ROWS)
{
    FOR_THREADS(t, TILE_ROWS) {
        const X(gauge) *g = X(gauge_of_part)(a->gauges, a->count, block);
        X(gauge_item)(&a->probe, g, (block - g->first) * TILE_ROWS + (size_t)t, shared->items[t]);
    }
    BARRIER();
    FOR_THREADS(first, 1) {
        const X(gauge) *g = X(gauge_of_part)(a->gauges, a->count, block);
        double *sum = a->parts[block];
        sum[0] = sum[1] = sum[2] = 0;
        for (int t = 0; t < TILE_ROWS; t++)
            X(gauge_add)(g, shared->items[t], sum);
    }
}

void DEV(gpu_take_gauges)(X(gpu) *g, const X(probe) *probe, int count, size_t parts)
{
    gauge_args args;
    args.probe = *probe;
    args.gauges = g->gauges;
    args.count = count;
    args.parts = g->gauge_parts;
    take_parts(g, args, parts);
}
