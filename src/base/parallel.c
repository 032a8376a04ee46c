/* parallel.c -- a small pool of threads that sleep between loops.
 *
 * One loop runs at a time. The caller publishes it under a lock, wakes the workers, takes part itself, and waits
 * until every worker has left the loop. Ranges are handed out by an atomic counter. A worker that finds no loop spins
 * for a short while (loops of one step follow each other closely) and then sleeps on a condition variable. */
#include "parallel.h"

#include "memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define MAX_THREADS 256
#define SPIN_TURNS 2000

typedef struct worker {
    sp_pool *pool;
    pthread_t thread;
    int index;
} worker;

struct sp_pool {
    int threads; /* workers, the caller included */
    spate_schedule_fn *schedule;
    void *schedule_user;
    worker workers[MAX_THREADS];
    int started; /* threads that run: threads - 1 without a host scheduler */

    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    _Atomic uint64_t generation; /* number of the loop; changes under the lock */
    bool stop;
    int busy; /* workers that have not yet left the current loop */

    sp_range_fn *range;
    void *args;
    size_t n, grain;
    _Atomic size_t next; /* next range */
    _Atomic unsigned char used[MAX_THREADS];
};

static void run_ranges(sp_pool *pool, int index)
{
    size_t ranges = (pool->n + pool->grain - 1) / pool->grain;
    for (;;) {
        size_t k = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (k >= ranges)
            return;
        size_t begin = k * pool->grain;
        size_t end = begin + pool->grain < pool->n ? begin + pool->grain : pool->n;
        atomic_store_explicit(&pool->used[index], 1, memory_order_relaxed);
        pool->range(pool->args, begin, end, index);
    }
}

static void *worker_main(void *arg)
{
    worker *w = arg;
    sp_pool *pool = w->pool;
    uint64_t seen = 0;
    for (;;) {
        for (int turn = 0; turn < SPIN_TURNS; turn++)
            if (atomic_load_explicit(&pool->generation, memory_order_acquire) != seen)
                break;
        pthread_mutex_lock(&pool->lock);
        while (atomic_load_explicit(&pool->generation, memory_order_relaxed) == seen && !pool->stop)
            pthread_cond_wait(&pool->wake, &pool->lock);
        bool stop = pool->stop;
        seen = atomic_load_explicit(&pool->generation, memory_order_relaxed);
        pthread_mutex_unlock(&pool->lock);
        if (stop)
            return NULL;
        run_ranges(pool, w->index);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->done);
        pthread_mutex_unlock(&pool->lock);
    }
}

static int core_count(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > MAX_THREADS ? MAX_THREADS : (int)cores;
}

sp_pool *sp_pool_create(int threads, spate_schedule_fn *schedule, void *schedule_user)
{
    sp_pool *pool = sp_alloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pool->threads = threads < 1 ? core_count() : threads > MAX_THREADS ? MAX_THREADS : threads;
    pool->schedule = schedule;
    pool->schedule_user = schedule_user;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
    for (int k = 1; k < pool->threads && !schedule; k++) {
        worker *w = &pool->workers[k];
        w->pool = pool;
        w->index = k;
        if (pthread_create(&w->thread, NULL, worker_main, w) != 0)
            break; /* fewer threads than asked for: slower, the same bits */
        pool->started++;
    }
    if (!schedule)
        pool->threads = pool->started + 1;
    return pool;
}

void sp_pool_destroy(sp_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->stop = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (int k = 1; k <= pool->started; k++)
        pthread_join(pool->workers[k].thread, NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    sp_free(pool);
}

int sp_pool_threads(const sp_pool *pool)
{
    return pool->threads;
}

int sp_pool_workers_used(const sp_pool *pool)
{
    int count = 0;
    for (int k = 0; k < pool->threads; k++)
        count += atomic_load_explicit(&pool->used[k], memory_order_relaxed);
    return count;
}

static void host_work(void *args, int k)
{
    run_ranges(args, k);
}

void sp_parallel_for(sp_pool *pool, size_t n, size_t grain, sp_range_fn *range, void *args)
{
    if (n == 0)
        return;
    pool->range = range;
    pool->args = args;
    pool->n = n;
    pool->grain = grain;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    if (pool->threads == 1 || n <= grain) {
        run_ranges(pool, 0);
        return;
    }
    if (pool->schedule) {
        pool->schedule(pool->schedule_user, pool->threads, host_work, pool);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->busy = pool->started;
    atomic_fetch_add_explicit(&pool->generation, 1, memory_order_release);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    run_ranges(pool, 0);
    pthread_mutex_lock(&pool->lock);
    while (pool->busy > 0)
        pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}
