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

/* Fills `results`; returns how many there are. */
static size_t find_partials(sp_pool *pool, double *results, size_t n, size_t grain,
                            X(partial_fn) *partial, void *args)
{
    reduce_args r = {partial, args, results, grain};
    sp_parallel_for(pool, n, grain, reduce_range, &r);
    return (n + grain - 1) / grain;
}

static double *take_results(X(sim) *s, size_t n, size_t grain)
{
    sp_arena arena = X(arena)(s);
    return sp_arena_take(&arena, (n + grain - 1) / grain, sizeof(double));
}

static double add_up(const double *results, size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += results[k];
    return sum;
}

static double largest(const double *results, size_t count)
{
    double most = 0;
    for (size_t k = 0; k < count; k++)
        most = results[k] > most || results[k] != results[k] ? results[k] : most; /* a NaN stays */
    return most;
}

double X(sum)(X(sim) *s, size_t n, size_t grain, X(partial_fn) *partial, void *args)
{
    double *results = take_results(s, n, grain);
    return add_up(results, find_partials(s->common->pool, results, n, grain, partial, args));
}

double X(maximum)(X(sim) *s, size_t n, size_t grain, X(partial_fn) *partial, void *args)
{
    double *results = take_results(s, n, grain);
    return largest(results, find_partials(s->common->pool, results, n, grain, partial, args));
}

static size_t find_system_partials(X(system) *sys, size_t grain, X(partial_fn) *partial, void *args)
{
    size_t tiles = (size_t)sys->levels[0].tile_count;
    return find_partials(sys->domain->pool, sys->partial, tiles, grain, partial, args);
}

double X(system_sum)(X(system) *sys, size_t grain, X(partial_fn) *partial, void *args)
{
    return add_up(sys->partial, find_system_partials(sys, grain, partial, args));
}

double X(system_maximum)(X(system) *sys, size_t grain, X(partial_fn) *partial, void *args)
{
    return largest(sys->partial, find_system_partials(sys, grain, partial, args));
}
