/* gauges.c -- the parts of the gauges of a scene (kernels/gauges.h). */
#include "cpu.h"

#include "kernels/gauges.h"

typedef struct gauge_args {
    const X(sim) *s;
    const X(probe) *probe;
} gauge_args;

static void part_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const gauge_args *args = user;
    const X(sim) *s = args->s;
    for (size_t part = begin; part < end; part++) {
        const X(gauge) *g = X(gauge_of_part)(s->gauges, s->common->scene->gauge_count, part);
        double *sum = s->gauge_parts[part], one[3];
        sum[0] = sum[1] = sum[2] = 0;
        for (size_t k = 0; k < TILE_ROWS; k++) {
            X(gauge_item)(args->probe, g, (part - g->first) * TILE_ROWS + k, one);
            X(gauge_add)(g, one, sum);
        }
    }
}

size_t X(take_gauges)(X(sim) *s, double stretch)
{
    X(probe) probe = X(probe_of)(s);
    gauge_args args = {s, &probe};
    probe.stretch = stretch;
    size_t parts = X(list_gauges)(s, &probe);
    sp_parallel_for(s->common->pool, parts, 4, part_range, &args);
    return parts;
}
