/* parallel.c -- a small pool of threads that sleep between loops.
 *
 * One loop runs at a time. The caller describes it, opens the gate, takes part itself, closes the
 * gate and waits for the workers that came through it. A worker that is late finds the gate closed
 * and misses the loop: nobody waits for a thread that the system has not woken yet. Each worker has
 * a share of the ranges, the same part of every loop, so that what it wrote in the last one is
 * still in its cache; when it is done it takes from the shares of others. Workers look for the next
 * loop for some hundred microseconds (the loops of a step follow each other closely, and to be
 * woken may take longer than that) and then sleep on a condition variable.
 *
 * Output has a thread of its own (background.h), at the end of this file. */
#include "parallel.h"

#include "background.h"
#include "memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#define MAX_THREADS 256
#define SPIN_TURNS 1000 /* pauses: a few ten microseconds */
#define YIELD_TURNS 400 /* looks after that, others first: some hundred microseconds */

/* The gate in one word: number of the loop, whether it is open, how many workers are inside. */
#define GATE_INSIDE 0xffffu
#define GATE_OPEN 0x10000u
#define GATE_NEXT 0x20000u

/* Ranges next .. end - 1 of a loop, of one worker to begin with. */
typedef struct share {
    _Alignas(64) _Atomic size_t next; /* a line of the cache: neighbours must not wait */
    size_t end;
} share;

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

    pthread_mutex_t lock; /* of the sleepers */
    pthread_cond_t wake;
    _Atomic int sleepers;
    _Atomic bool stop;
    _Atomic uint64_t gate;

    sp_range_fn *range;
    void *args;
    size_t n, grain;
    sp_work work;
    int share_count;
    share shares[MAX_THREADS];
    _Atomic unsigned char used[MAX_THREADS];
};

static void deal(sp_pool *pool, int workers)
{
    size_t ranges = (pool->n + pool->grain - 1) / pool->grain;
    size_t count = (size_t)workers < ranges ? (size_t)workers : ranges;
    pool->share_count = (int)count;
    for (size_t k = 0; k < count; k++) {
        pool->shares[k].end = ranges * (k + 1) / count;
        atomic_store_explicit(&pool->shares[k].next, ranges * k / count, memory_order_relaxed);
    }
}

static bool take_range(share *s, size_t *k)
{
    if (atomic_load_explicit(&s->next, memory_order_relaxed) >= s->end)
        return false; /* and the line stays where it is */
    *k = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed);
    return *k < s->end;
}

static void run_ranges(sp_pool *pool, int index)
{
    int count = pool->share_count, owner = index % count;
    for (int turn = 0; turn < count; turn++, owner = owner + 1 < count ? owner + 1 : 0)
        for (size_t k; take_range(&pool->shares[owner], &k);) {
            size_t begin = k * pool->grain;
            size_t end = begin + pool->grain < pool->n ? begin + pool->grain : pool->n;
            if (!atomic_load_explicit(&pool->used[index], memory_order_relaxed))
                atomic_store_explicit(&pool->used[index], 1, memory_order_relaxed);
            pool->range(pool->args, begin, end, index);
        }
}

static void rest_a_moment(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Whether the gate is open for a loop that this worker has not seen. */
static bool has_work(sp_pool *pool, uint64_t seen)
{
    uint64_t gate = atomic_load(&pool->gate);
    return (gate & GATE_OPEN) && gate / GATE_NEXT != seen;
}

static void wait_for_work(sp_pool *pool, uint64_t seen)
{
    for (int turn = 0; turn < SPIN_TURNS + YIELD_TURNS; turn++) {
        if (has_work(pool, seen) || atomic_load(&pool->stop))
            return;
        if (turn < SPIN_TURNS)
            rest_a_moment();
        else
            sched_yield();
    }
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->sleepers, 1); /* before the look at the gate: see sp_parallel_for */
    while (!has_work(pool, seen) && !atomic_load(&pool->stop))
        pthread_cond_wait(&pool->wake, &pool->lock);
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->lock);
}

static void *worker_main(void *arg)
{
    worker *w = arg;
    sp_pool *pool = w->pool;
    uint64_t seen = 0;
    while (!atomic_load(&pool->stop)) {
        wait_for_work(pool, seen);
        uint64_t gate = atomic_load(&pool->gate);
        while ((gate & GATE_OPEN) && gate / GATE_NEXT != seen)
            if (atomic_compare_exchange_weak(&pool->gate, &gate, gate + 1)) {
                seen = gate / GATE_NEXT;
                run_ranges(pool, w->index);
                atomic_fetch_sub(&pool->gate, 1);
                break;
            }
    }
    return NULL;
}

int sp_core_count(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef __linux__
    cpu_set_t mine; /* fewer under taskset and in some containers */
    if (sched_getaffinity(0, sizeof mine, &mine) == 0)
        cores = CPU_COUNT(&mine);
#endif
    return cores < 1 ? 1 : cores > MAX_THREADS ? MAX_THREADS : (int)cores;
}

sp_pool *sp_pool_create(int threads, spate_schedule_fn *schedule, void *schedule_user)
{
    sp_pool *pool = sp_alloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pool->threads = threads < 1 ? sp_core_count() : threads > MAX_THREADS ? MAX_THREADS : threads;
    pool->schedule = schedule;
    pool->schedule_user = schedule_user;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
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
    atomic_store(&pool->stop, true);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (int k = 1; k <= pool->started; k++)
        pthread_join(pool->workers[k].thread, NULL);
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
    pool->work.loops++;
    pool->range = range;
    pool->args = args;
    pool->n = n;
    pool->grain = grain;
    if (pool->threads == 1 || n <= grain) {
        deal(pool, 1);
        run_ranges(pool, 0);
        return;
    }
    deal(pool, pool->threads);
    if (pool->schedule) {
        pool->schedule(pool->schedule_user, pool->threads, host_work, pool);
        return;
    }
    uint64_t loop = atomic_load(&pool->gate) / GATE_NEXT + 1;
    atomic_store(&pool->gate, loop * GATE_NEXT + GATE_OPEN);
    if (atomic_load(&pool->sleepers) >
        0) { /* a worker that falls asleep later sees the open gate first */
        pthread_mutex_lock(&pool->lock);
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->lock);
    }
    run_ranges(pool, 0);
    atomic_fetch_and(&pool->gate, ~(uint64_t)GATE_OPEN);
    for (int turn = 0; atomic_load(&pool->gate) & GATE_INSIDE; turn++) {
        if (turn < SPIN_TURNS)
            rest_a_moment();
        else
            sched_yield();
    }
}

void sp_parallel_pass(sp_pool *pool, size_t n, size_t grain, sp_range_fn *range, void *args)
{
    pool->work.passes += n > 0;
    sp_parallel_for(pool, n, grain, range, args);
}

sp_work *sp_pool_work(sp_pool *pool)
{
    return &pool->work;
}

/* ------------------------------------------------------------------ beside everything else */

struct sp_background {
    pthread_t thread;
    bool threaded, stop, busy; /* busy: a job waits or runs */
    pthread_mutex_t lock;
    pthread_cond_t change;
    void (*job)(void *args);
    void *args;
};

static void *background_main(void *arg)
{
    sp_background *b = arg;
    pthread_mutex_lock(&b->lock);
    for (;;) {
        while (!b->busy && !b->stop)
            pthread_cond_wait(&b->change, &b->lock);
        if (!b->busy)
            break;
        pthread_mutex_unlock(&b->lock);
        b->job(b->args);
        pthread_mutex_lock(&b->lock);
        b->busy = false;
        pthread_cond_broadcast(&b->change);
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

sp_background *sp_background_create(void)
{
    sp_background *b = sp_alloc(1, sizeof *b);
    if (!b)
        return NULL;
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->change, NULL);
    b->threaded = pthread_create(&b->thread, NULL, background_main, b) == 0;
    return b;
}

void sp_background_destroy(sp_background *b)
{
    if (!b)
        return;
    pthread_mutex_lock(&b->lock);
    b->stop = true;
    pthread_cond_broadcast(&b->change);
    pthread_mutex_unlock(&b->lock);
    if (b->threaded)
        pthread_join(b->thread, NULL);
    pthread_cond_destroy(&b->change);
    pthread_mutex_destroy(&b->lock);
    sp_free(b);
}

void sp_background_wait(sp_background *b)
{
    pthread_mutex_lock(&b->lock);
    while (b->busy)
        pthread_cond_wait(&b->change, &b->lock);
    pthread_mutex_unlock(&b->lock);
}

void sp_background_start(sp_background *b, void (*job)(void *args), void *args)
{
    if (!b->threaded) {
        job(args);
        return;
    }
    sp_background_wait(b);
    pthread_mutex_lock(&b->lock);
    b->job = job;
    b->args = args;
    b->busy = true;
    pthread_cond_broadcast(&b->change);
    pthread_mutex_unlock(&b->lock);
}
