/* hash.c -- the state in one number: the sum of the hashes of all particles, so that their order
 * does not matter. */
#include "state.h"

#include "kernels/random.h"

typedef struct hash_args {
    void **columns[MAX_COLUMNS];
    int column_count;
    _Atomic uint64_t sum;
} hash_args;

static void hash_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    hash_args *args = user;
    uint64_t sum = 0;
    for (size_t k = begin; k < end; k++) {
        uint64_t hash = 0;
        for (int c = 0; c < args->column_count; c++)
            hash = sp_hash2(hash, ((const X(word) *)*args->columns[c])[k]);
        sum += hash;
    }
    atomic_fetch_add_explicit(&args->sum, sum, memory_order_relaxed);
}

uint64_t X(hash)(X(sim) *s)
{
    hash_args args = {.sum = 0};
    args.column_count = X(particle_columns)(&s->particles, args.columns);
    sp_parallel_for(s->common->pool, s->particles.count, 4096, hash_range, &args);
    return args.sum;
}
