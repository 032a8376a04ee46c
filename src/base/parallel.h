/* parallel.h -- the one place with threads.
 *
 * A loop over n items is cut into ranges of `grain` items, whatever the number of threads. The
 * ranges run in any order on any thread, so a range function writes only what belongs to its range;
 * a sum stores one partial per range (number begin / grain) and the caller adds them in order. That
 * is how results are the same bits for any number of threads. */
#ifndef SPATE_BASE_PARALLEL_H
#define SPATE_BASE_PARALLEL_H

#include <spate/spate.h>

typedef struct sp_pool sp_pool;

/* worker: 0 .. sp_pool_threads - 1, for scratch memory; never for anything that reaches a result.
 */
typedef void sp_range_fn(void *args, size_t begin, size_t end, int worker);

/* Cores that this process may run on. */
int sp_core_count(void);

/* threads = 0: one per core. schedule may be NULL. NULL without memory. */
sp_pool *sp_pool_create(int threads, spate_schedule_fn *schedule, void *schedule_user);
void sp_pool_destroy(sp_pool *pool);
int sp_pool_threads(const sp_pool *pool);
/* How many different workers have run at least one range so far. */
int sp_pool_workers_used(const sp_pool *pool);

/* Work since the pool was made, for tests that a step does no more of it than before. Some hundred
 * additions a step: it is always counted. */
typedef struct sp_work {
    uint64_t loops;  /* parallel loops; on the device `check` each is a kernel launched */
    uint64_t passes; /* of these on the CPU, over all particles (all colours of one count once) */
    uint64_t solves, iterations, assemblies; /* of the pressure system, also for the density */
    uint64_t waits;                          /* check: the host waits for the device */
    uint64_t copied; /* check: bytes between the host and the device, and within the device */
} sp_work;
sp_work *sp_pool_work(sp_pool *pool);

/* grain must be at least 1. Not to be called from inside a range function. */
void sp_parallel_for(sp_pool *pool, size_t n, size_t grain, sp_range_fn *range, void *args);
/* The same for a loop over particles, or over tiles with all their particles. */
void sp_parallel_pass(sp_pool *pool, size_t n, size_t grain, sp_range_fn *range, void *args);

#endif
