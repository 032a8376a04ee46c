/* test_base.c -- memory, arena, thread pool, status and timer. */
#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "base/text.h"
#include "base/timer.h"

#include "test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

/* ------------------------------------------------------------------ memory */

static int all_zero(const void *block, size_t size)
{
    const unsigned char *bytes = block;
    for (size_t k = 0; k < size; k++)
        if (bytes[k])
            return 0;
    return 1;
}

static void alloc_is_zeroed_and_aligned(void)
{
    static const size_t sizes[] = {1, 7, 63, 64, 65, 4096, 1 << 20};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        char *block = sp_alloc(sizes[k], 1);
        CHECK(block != NULL);
        if (!block)
            return;
        CHECK((uintptr_t)block % 64 == 0);
        CHECK(all_zero(block, sizes[k]));
        memset(block, 0xff, sizes[k]); /* under a sanitizer: all of it is ours */
        sp_free(block);
    }
}

static void alloc_of_nothing_gives_a_block(void)
{
    void *none = sp_alloc(0, 8), *empty = sp_alloc(8, 0);
    CHECK(none != NULL && empty != NULL && none != empty);
    sp_free(none);
    sp_free(empty);
    sp_free(NULL);
}

static void alloc_refuses_overflow(void)
{
    CHECK(sp_alloc(SIZE_MAX, 2) == NULL);
    CHECK(sp_alloc(SIZE_MAX / 2 + 2, 2) == NULL);
    CHECK(sp_alloc(1, SIZE_MAX - 16) == NULL);
}

static void grow_keeps_what_it_should(void)
{
    int *numbers = sp_alloc(4, sizeof *numbers);
    for (int k = 0; k < 4; k++)
        numbers[k] = k + 1;
    int *larger = sp_grow(numbers, 3 * sizeof *numbers, 100, sizeof *numbers);
    CHECK(larger != NULL);
    if (!larger)
        return;
    CHECK(larger[0] == 1 && larger[1] == 2 && larger[2] == 3);
    CHECK(all_zero(larger + 3, 97 * sizeof *larger));
    sp_free(larger);

    int *fresh = sp_grow(NULL, 0, 5, sizeof *fresh);
    CHECK(fresh != NULL && all_zero(fresh, 5 * sizeof *fresh));
    sp_free(fresh);
}

static void failed_grow_leaves_the_old_block(void)
{
    char *block = sp_alloc(8, 1);
    memcpy(block, "spate", 6);
    CHECK(sp_grow(block, 6, SIZE_MAX, 2) == NULL);
    sp_alloc_fail_at(1);
    CHECK(sp_grow(block, 6, 16, 1) == NULL);
    sp_alloc_fail_at(0);
    CHECK_TEXT(block, "spate");
    sp_free(block);
}

static void allocations_are_counted(void)
{
    uint64_t before = sp_alloc_count();
    void *one = sp_alloc(1, 1), *two = sp_grow(NULL, 0, 1, 1);
    CHECK(sp_alloc_count() == before + 2);
    sp_free(one);
    sp_free(two);
    CHECK(sp_alloc_count() == before + 2);
}

static void chosen_allocation_fails(void)
{
    sp_alloc_fail_at(3);
    void *blocks[5];
    for (int k = 0; k < 5; k++)
        blocks[k] = sp_alloc(1, 1);
    sp_alloc_fail_at(0);
    CHECK(blocks[0] != NULL && blocks[1] != NULL);
    CHECK(blocks[2] == NULL && blocks[3] == NULL && blocks[4] == NULL);
    for (int k = 0; k < 5; k++)
        sp_free(blocks[k]);
    void *after = sp_alloc(1, 1);
    CHECK(after != NULL);
    sp_free(after);
}

/* ------------------------------------------------------------------ arena */

static char *take_in_callee(sp_arena arena)
{
    return sp_arena_take(&arena, 128, 1);
}

static void arena_hands_out_and_rewinds(void)
{
    char *memory = sp_alloc(512, 1);
    sp_arena arena = {memory, memory + 512};
    char *first = sp_arena_take(&arena, 1, 1), *second = sp_arena_take(&arena, 65, 1);
    CHECK(first == memory);
    CHECK(second == memory + 64); /* each block starts on a cache line */
    CHECK(arena.next == memory + 192);

    char *inner = take_in_callee(arena), *again = take_in_callee(arena);
    CHECK(inner == memory + 192 && again == inner);
    CHECK(sp_arena_take(&arena, 320, 1) == memory + 192);
    CHECK(!sp_arena_fits(&arena, 1, 1));
    sp_free(memory);
}

static void arena_refuses_what_does_not_fit(void)
{
    char *memory = sp_alloc(256, 1);
    sp_arena arena = {memory, memory + 256};
    CHECK(!sp_arena_fits(&arena, 257, 1));
    CHECK(!sp_arena_fits(&arena, SIZE_MAX, 1));
    CHECK(!sp_arena_fits(&arena, SIZE_MAX / 2, 4));
    CHECK(arena.next == memory);
    CHECK(sp_arena_take(&arena, 256, 1) == memory);
    CHECK(sp_arena_take(&arena, 0, 8) != NULL); /* nothing always fits */
    sp_free(memory);
}

/* ------------------------------------------------------------------ threads */

typedef struct visit {
    size_t n, grain;
    int threads;
    int *seen;          /* n: how often each item was visited */
    atomic_int strange; /* ranges that are not begin = k * grain, end = min(begin + grain, n), or a
                           bad worker */
} visit;

static void visit_range(void *args, size_t begin, size_t end, int worker)
{
    visit *v = args;
    size_t expected = begin + v->grain < v->n ? begin + v->grain : v->n;
    if (begin % v->grain || end != expected || begin >= end || worker < 0 || worker >= v->threads)
        atomic_fetch_add(&v->strange, 1);
    for (size_t k = begin; k < end; k++)
        v->seen[k]++;
}

static void check_visits(sp_pool *pool, size_t n, size_t grain)
{
    visit v = {
        .n = n, .grain = grain, .threads = sp_pool_threads(pool), .seen = sp_alloc(n, sizeof(int))};
    sp_parallel_for(pool, n, grain, visit_range, &v);
    size_t wrong = 0;
    for (size_t k = 0; k < n; k++)
        wrong += v.seen[k] != 1;
    CHECK(wrong == 0);
    CHECK(atomic_load(&v.strange) == 0);
    sp_free(v.seen);
}

static void every_item_once_for_any_thread_count(void)
{
    static const size_t sizes[][2] = {{0, 1},   {1, 1},   {1, 100},  {7, 3},
                                      {64, 64}, {65, 64}, {1000, 1}, {100000, 512}};
    for (int threads = 1; threads <= 5; threads++) {
        sp_pool *pool = sp_pool_create(threads, NULL, NULL);
        CHECK(pool != NULL);
        if (!pool)
            return;
        CHECK(sp_pool_threads(pool) == threads);
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            check_visits(pool, sizes[k][0], sizes[k][1]);
        sp_pool_destroy(pool);
    }
}

static void many_short_loops(void)
{
    sp_pool *pool = sp_pool_create(3, NULL, NULL);
    int seen[40] = {0};
    visit v = {.n = 40, .grain = 4, .threads = 3, .seen = seen};
    for (int loop = 0; loop < 3000; loop++)
        sp_parallel_for(pool, v.n, v.grain, visit_range, &v);
    for (int k = 0; k < 40; k++)
        CHECK(seen[k] == 3000);
    CHECK(atomic_load(&v.strange) == 0);
    sp_pool_destroy(pool);
}

static void wait_for_the_other(void *args, size_t begin, size_t end, int worker)
{
    (void)begin, (void)end, (void)worker;
    pthread_barrier_wait(args);
}

/* Two ranges that wait for each other can only end on two threads. */
static void threads_work_at_the_same_time(void)
{
    sp_pool *pool = sp_pool_create(2, NULL, NULL);
    CHECK(sp_pool_threads(pool) == 2);
    CHECK(sp_pool_workers_used(pool) == 0);
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, 2);
    sp_parallel_for(pool, 2, 1, wait_for_the_other, &barrier);
    CHECK(sp_pool_workers_used(pool) == 2);
    pthread_barrier_destroy(&barrier);
    sp_pool_destroy(pool);
}

typedef struct first_ranges {
    pthread_barrier_t barrier;
    size_t first[2]; /* of each worker */
    bool begun[2];
} first_ranges;

static void note_first(void *args, size_t begin, size_t end, int worker)
{
    first_ranges *f = args;
    (void)end;
    if (f->begun[worker])
        return;
    f->begun[worker] = true;
    f->first[worker] = begin;
    pthread_barrier_wait(&f->barrier); /* nobody takes from the other before it has begun */
}

/* Every worker begins with the same part of every loop, which may still be in its cache. */
static void workers_have_their_parts(void)
{
    sp_pool *pool = sp_pool_create(2, NULL, NULL);
    CHECK(sp_pool_threads(pool) == 2);
    for (size_t n = 2; n < 200; n += 22) {
        first_ranges f = {.begun = {false, false}};
        pthread_barrier_init(&f.barrier, NULL, 2);
        sp_parallel_for(pool, n, 1, note_first, &f);
        CHECK(f.first[0] == 0);
        CHECK(f.first[1] == n / 2);
        pthread_barrier_destroy(&f.barrier);
    }
    sp_pool_destroy(pool);
}

#define SUM_ITEMS 100003
#define SUM_GRAIN 1024

static void sum_range(void *args, size_t begin, size_t end, int worker)
{
    (void)worker;
    float sum = 0;
    for (size_t k = begin; k < end; k++)
        sum += 1.0f / (float)(k + 1);
    ((float *)args)[begin / SUM_GRAIN] = sum;
}

static float sum_with(int threads)
{
    float partial[SUM_ITEMS / SUM_GRAIN + 1] = {0}, sum = 0;
    sp_pool *pool = sp_pool_create(threads, NULL, NULL);
    sp_parallel_for(pool, SUM_ITEMS, SUM_GRAIN, sum_range, partial);
    sp_pool_destroy(pool);
    for (size_t k = 0; k < sizeof partial / sizeof *partial; k++)
        sum += partial[k];
    return sum;
}

static void sums_have_the_same_bits(void)
{
    float one = sum_with(1);
    for (int threads = 2; threads <= 4; threads++) {
        float sum = sum_with(threads);
        CHECK(memcmp(&sum, &one, sizeof one) == 0);
    }
    CHECK_NEAR(one, 12.0901, 1e-3); /* the harmonic number */
}

static void pool_limits(void)
{
    sp_pool *automatic = sp_pool_create(0, NULL, NULL), *negative = sp_pool_create(-3, NULL, NULL);
    CHECK(sp_pool_threads(automatic) >= 1);
    CHECK(sp_pool_threads(negative) == sp_pool_threads(automatic));
    sp_pool_destroy(automatic);
    sp_pool_destroy(negative);
    sp_pool_destroy(NULL);

    sp_alloc_fail_at(1);
    CHECK(sp_pool_create(2, NULL, NULL) == NULL);
    sp_alloc_fail_at(0);
}

/* A process that is held on one core has one. */
static void cores_are_those_allowed(void)
{
    cpu_set_t before, one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    CHECK(sched_getaffinity(0, sizeof before, &before) == 0);
    CHECK(sp_core_count() == CPU_COUNT(&before));
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK(sp_core_count() == 1);
    CHECK(sched_setaffinity(0, sizeof before, &before) == 0);
}

static void backwards(void *user, int count, void (*work)(void *args, int k), void *args)
{
    ++*(int *)user;
    for (int k = count - 1; k >= 0; k--)
        work(args, k);
}

static void host_scheduler_is_used(void)
{
    int calls = 0;
    sp_pool *pool = sp_pool_create(4, backwards, &calls);
    CHECK(sp_pool_threads(pool) == 4);
    check_visits(pool, 1000, 10);
    CHECK(calls == 1);
    check_visits(pool, 5, 10); /* one range is not worth a call */
    CHECK(calls == 1);
    sp_pool_destroy(pool);
}

/* ------------------------------------------------------------------ status, timer */

static spate_status passes_on(spate_status status, int *reached)
{
    TRY(status);
    *reached = 1;
    return SPATE_OK;
}

static void try_returns_early(void)
{
    int reached = 0;
    CHECK(passes_on(SPATE_ERROR_FILE, &reached) == SPATE_ERROR_FILE);
    CHECK(!reached);
    CHECK(passes_on(SPATE_OK, &reached) == SPATE_OK);
    CHECK(reached);
}

static void fail_fills_the_error(void)
{
    spate_error error;
    CHECK(sp_fail(&error, SPATE_ERROR_SCENE, "solids[2].radius", "must be positive (got %g)",
                  -1.0) == SPATE_ERROR_SCENE);
    CHECK(error.status == SPATE_ERROR_SCENE);
    CHECK_TEXT(error.where, "solids[2].radius");
    CHECK_TEXT(error.message, "must be positive (got -1)");

    CHECK(sp_fail(&error, SPATE_ERROR_FILE, NULL, "gone") == SPATE_ERROR_FILE);
    CHECK_TEXT(error.where, "");
    CHECK(sp_fail(NULL, SPATE_ERROR_DEVICE, "x", "y") == SPATE_ERROR_DEVICE);
}

static void long_messages_are_cut(void)
{
    char text[2000];
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = 0;
    spate_error error;
    sp_fail(&error, SPATE_ERROR_USAGE, text, "%s", text);
    CHECK(strlen(error.where) == sizeof error.where - 1);
    CHECK(strlen(error.message) == sizeof error.message - 1);
}

static void memory_failure_names_the_size(void)
{
    spate_error error;
    CHECK(sp_fail_memory(&error, "the grid", 2500000) == SPATE_ERROR_MEMORY);
    CHECK(strstr(error.message, "the grid") != NULL && strstr(error.message, "2.5 MB") != NULL);
    sp_fail_memory(&error, "the grid", 0);
    CHECK(strstr(error.message, "the grid") != NULL && strstr(error.message, "MB") == NULL);
}

typedef struct heard {
    int calls;
    spate_log_level level;
    char where[64], message[64];
} heard;

static void hear(void *user, spate_log_level level, const char *where, const char *message)
{
    heard *h = user;
    h->calls++;
    h->level = level;
    snprintf(h->where, sizeof h->where, "%s", where);
    snprintf(h->message, sizeof h->message, "%s", message);
}

static void log_reaches_the_callback(void)
{
    heard h = {0};
    sp_log(hear, &h, SPATE_LOG_WARNING, "fill[0]", "seeds %d particles", 0);
    CHECK(h.calls == 1 && h.level == SPATE_LOG_WARNING);
    CHECK_TEXT(h.where, "fill[0]");
    CHECK_TEXT(h.message, "seeds 0 particles");
    sp_log(hear, &h, SPATE_LOG_INFO, NULL, "x");
    CHECK(h.calls == 2 && h.level == SPATE_LOG_INFO);
    CHECK_TEXT(h.where, "");
    sp_log(NULL, NULL, SPATE_LOG_INFO, NULL, "nobody hears this");
}

static void clock_goes_forward(void)
{
    double start = sp_seconds(), now = start;
    for (int k = 0; k < 1000; k++) {
        double next = sp_seconds();
        CHECK(next >= now);
        now = next;
    }
    while (sp_seconds() - start < 0.002)
        continue;
    CHECK_LESS(sp_seconds() - start, 60);
}

static void text_that_may_be_shown(void)
{
    char text[] = "a\033[1mb\x7f\t\xc3\xa9\xc2\x9b\xff\xe2\x82";
    CHECK_TEXT(sp_plain_text(text), "a?[1mb??\xc3\xa9?\x3f???");
    spate_error error;
    sp_fail(&error, SPATE_ERROR_FILE, "a\nb", "%s", "c\033d");
    CHECK_TEXT(error.where, "a?b");
    CHECK_TEXT(error.message, "c?d");
}

TESTS(base)
{
    TEST(text_that_may_be_shown);
    TEST(alloc_is_zeroed_and_aligned);
    TEST(alloc_of_nothing_gives_a_block);
    TEST(alloc_refuses_overflow);
    TEST(grow_keeps_what_it_should);
    TEST(failed_grow_leaves_the_old_block);
    TEST(allocations_are_counted);
    TEST(chosen_allocation_fails);
    TEST(arena_hands_out_and_rewinds);
    TEST(arena_refuses_what_does_not_fit);
    TEST(every_item_once_for_any_thread_count);
    TEST(many_short_loops);
    TEST(threads_work_at_the_same_time);
    TEST(workers_have_their_parts);
    TEST(sums_have_the_same_bits);
    TEST(pool_limits);
    TEST(cores_are_those_allowed);
    TEST(host_scheduler_is_used);
    TEST(try_returns_early);
    TEST(fail_fills_the_error);
    TEST(long_messages_are_cut);
    TEST(memory_failure_names_the_size);
    TEST(log_reaches_the_callback);
    TEST(clock_goes_forward);
}
