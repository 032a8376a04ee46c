/* primitives.c -- the device "check": the CPU poses as a GPU (cuda/gpu.h). Its memory is the
 * heap, apart from the arrays of the host, and starts as NaN. */
#include "cuda/gpu.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

void DEV(gpu_fail)(X(gpu) *g, const char *what, const char *why)
{
    if (!g->failure[0])
        snprintf(g->failure, sizeof g->failure, "%s: %s", what, why);
}

static sp_work *work_of(X(gpu) *g)
{
    return sp_pool_work((sp_pool *)g->stream);
}

/* Copies to the host that are under way: made as late as they may be, and NaN until then, so that
 * a missing wait shows. */
typedef struct sender {
    atomic_flag busy;
    struct {
        void *to;
        const void *from;
        size_t bytes;
    } copies[GPU_SENT];
    int count;
} sender;

bool DEV(gpu_open)(X(gpu) *g, void *pool)
{
    g->stream = pool;
    g->shared_bytes = SIZE_MAX;
    g->sender = sp_alloc(1, sizeof(sender));
    if (!g->sender)
        DEV(gpu_fail)(g, "check", "no memory left");
    return g->sender;
}

void DEV(gpu_close)(X(gpu) *g)
{
    sp_free(g->sender);
    g->stream = g->sender = NULL;
}

void *DEV(gpu_pin)(X(gpu) *g, size_t bytes)
{
    (void)g;
    return sp_alloc(bytes, 1);
}

void DEV(gpu_unpin)(X(gpu) *g, void *block)
{
    (void)g;
    sp_free(block);
}

void DEV(gpu_send_begin)(X(gpu) *g)
{
    DEV(gpu_send_wait)(g);
}

void DEV(gpu_send)(X(gpu) *g, void *to, const void *from, size_t bytes)
{
    sender *s = g->sender;
    work_of(g)->copied += bytes;
    memset(to, 0xff, bytes);
    s->copies[s->count].to = to;
    s->copies[s->count].from = from;
    s->copies[s->count++].bytes = bytes;
}

void DEV(gpu_send_end)(X(gpu) *g)
{
    (void)g;
}

void DEV(gpu_send_guard)(X(gpu) *g)
{
    DEV(gpu_send_wait)(g);
}

bool DEV(gpu_send_wait)(X(gpu) *g)
{
    sender *s = g->sender;
    while (atomic_flag_test_and_set(&s->busy)) {}
    for (int k = 0; k < s->count; k++)
        memcpy(s->copies[k].to, s->copies[k].from, s->copies[k].bytes);
    s->count = 0;
    atomic_flag_clear(&s->busy);
    return true;
}

bool DEV(gpu_wait)(X(gpu) *g)
{
    work_of(g)->waits++;
    return !g->failure[0];
}

void DEV(gpu_record)(X(gpu) *g, DEV(gpu_body) * body, void *user)
{
    g->program = body;
    g->program_user = user;
}

void DEV(gpu_play)(X(gpu) *g)
{
    g->program(g, g->program_user);
}

void DEV(gpu_while)(X(gpu) *g, const uint32_t *more, DEV(gpu_body) * body, void *user)
{
    while (*more && !g->failure[0])
        body(g, user);
}

/* For tests: what the device has. */
uint64_t DEV(memory_bytes) = UINT64_MAX;

void DEV(gpu_memory)(X(gpu) *g, uint64_t *available, uint64_t *total)
{
    *total = DEV(memory_bytes);
    *available = *total < g->allocated ? g->allocated : *total;
}

void *DEV(gpu_alloc)(X(gpu) *g, size_t bytes, const char *what)
{
    void *block = g->failure[0] ? NULL : sp_alloc(bytes, 1);
    if (!block) {
        DEV(gpu_fail)(g, what, "no memory left");
        return NULL;
    }
    memset(block, 0xff, bytes);
    g->allocated += bytes;
    return block;
}

void DEV(gpu_free)(X(gpu) *g, void *block, size_t bytes)
{
    if (!block)
        return;
    sp_free(block);
    g->allocated -= bytes;
}

void DEV(gpu_upload)(X(gpu) *g, void *to, const void *from, size_t bytes)
{
    if (bytes > 0 && !g->failure[0]) {
        work_of(g)->copied += bytes;
        memcpy(to, from, bytes);
    }
}

void DEV(gpu_download)(X(gpu) *g, void *to, const void *from, size_t bytes)
{
    DEV(gpu_upload)(g, to, from, bytes);
}

void DEV(gpu_copy)(X(gpu) *g, void *to, const void *from, size_t bytes)
{
    DEV(gpu_upload)(g, to, from, bytes);
}

void DEV(gpu_set)(X(gpu) *g, void *to, int byte, size_t bytes)
{
    if (bytes > 0 && !g->failure[0])
        memset(to, byte, bytes);
}

void DEV(gpu_mark)(X(gpu) *g, int k)
{
    (void)g, (void)k;
}

bool DEV(gpu_times)(X(gpu) *g, double seconds[SP_STAGE_COUNT])
{
    (void)g, (void)seconds;
    return false;
}

bool DEV(gpu_poisons)(void)
{
    return true;
}

size_t DEV(gpu_temporary_bytes)(size_t count)
{
    (void)count;
    return 0;
}

void DEV(gpu_scan)(X(gpu) *g, const uint32_t *values, uint32_t *sums, size_t count)
{
    uint32_t sum = 0;
    for (size_t k = 0; k < count && !g->failure[0]; k++) {
        uint32_t value = values[k];
        sums[k] = sum;
        sum += value;
    }
}

double DEV(gpu_sum)(X(gpu) *g, size_t count)
{
    double sum = 0;
    work_of(g)->waits++;
    for (size_t k = 0; k < count && !g->failure[0]; k++)
        sum += g->partials[k];
    return sum;
}

double DEV(gpu_maximum)(X(gpu) *g, size_t count)
{
    double most = 0;
    work_of(g)->waits++;
    for (size_t k = 0; k < count && !g->failure[0]; k++)
        most = g->partials[k] > most || g->partials[k] != g->partials[k] ? g->partials[k] : most;
    return most;
}
