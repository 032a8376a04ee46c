/* reduce.c -- sums and maxima: one partial result per range of fixed size, combined in order of the
 * ranges. */
#include "device/device.h"

typedef struct reduce_args {
    X(partial_fn) *partial;
    void *args;
    double *results;
    size_t grain;
} reduce_args;

static void reduce_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    reduce_args *r = user;
    r->results[begin / r->grain] = r->partial(r->args, begin, end);
}

static double *partials(X(sim) *s, size_t n, size_t grain, X(partial_fn) *partial, void *args,
                        size_t *count)
{
    sp_arena arena = X(arena)(s);
    *count = (n + grain - 1) / grain;
    reduce_args r = {partial, args, sp_arena_take(&arena, *count, sizeof(double)), grain};
    sp_parallel_for(s->common->pool, n, grain, reduce_range, &r);
    return r.results;
}

double X(sum)(X(sim) *s, size_t n, size_t grain, X(partial_fn) *partial, void *args)
{
    size_t count;
    double *results = partials(s, n, grain, partial, args, &count), sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += results[k];
    return sum;
}

double X(maximum)(X(sim) *s, size_t n, size_t grain, X(partial_fn) *partial, void *args)
{
    size_t count;
    double *results = partials(s, n, grain, partial, args, &count), most = 0;
    for (size_t k = 0; k < count; k++)
        most = results[k] > most || results[k] != results[k] ? results[k] : most; /* a NaN stays */
    return most;
}

static double speed_partial(void *user, size_t begin, size_t end)
{
    const X(particles) *p = user;
    float most = 0.0f;
    for (size_t k = begin; k < end; k++) {
        float square = 0.0f;
        FOR_DIM(d)
            square += p->v[d][k] * p->v[d][k];
        most = square > most || square != square ? square : most;
    }
    return most;
}

double X(max_speed)(X(sim) *s)
{
    return __builtin_sqrt(X(maximum)(s, s->particles.count, 4096, speed_partial, &s->particles));
}
