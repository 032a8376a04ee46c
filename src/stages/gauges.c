/* gauges.c -- takes the gauges of a scene, after a step. Each gauge is cut into parts of TILE_ROWS
 * items, and the items of a part are added up in their order. kernels/gauges.h has the maths of an
 * item; sim/gauges.c adds up the parts. */
#include "exec.h"

#include "kernels/gauges.h"

typedef struct gauge_item {
    double value[3];
} gauge_item;

SP_KERNEL const X(gauge) *gauge_of(const X(gauge_job) *a, size_t part)
{
    return X(gauge_of_part)(a->gauges, a->count, part);
}

SP_KERNEL void add_items(UNUSED const X(fields) *f, const X(gauge_job) *a, size_t part,
                         const gauge_item *items)
{
    const X(gauge) *g = gauge_of(a, part);
    double *sum = a->parts[part];
    sum[0] = sum[1] = sum[2] = 0;
    for (int i = 0; i < TILE_ROWS; i++)
        X(gauge_add)(g, items[i].value, sum);
}

EACH_GROUP(take_parts, X(gauge_job), gauge_item, TILE_ROWS, add_items)
{
    const X(gauge) *g = gauge_of(a, group);
    X(gauge_item)(&a->probe, g, (group - g->first) * TILE_ROWS + (size_t)i, item->value);
}

void ONCE(take_gauges)(X(exec) *e, const X(gauge_job) *job, size_t parts)
{
    take_parts(e, job, parts);
}
