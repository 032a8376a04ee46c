/* reduce.c -- sums and maxima: one partial result per range of fixed size, combined in order of the
 * ranges. */
#include "state.h"

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
