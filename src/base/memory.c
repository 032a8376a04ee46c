#include "memory.h"

#include "status.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN 64

static _Atomic uint64_t allocations;
static _Atomic uint64_t fail_at;
static _Atomic uint64_t in_use, peak; /* bytes asked for */
static _Atomic uint64_t blocks;       /* in use */

/* Where blocks come from; set before there are any. */
static struct {
    spate_alloc_fn *alloc;
    spate_release_fn *release;
    void *user;
} source;

/* What stands before a block. */
typedef struct header {
    char *raw;
    size_t bytes;
} header;

static void count_bytes(size_t bytes)
{
    uint64_t now = atomic_fetch_add(&in_use, bytes) + bytes, most = atomic_load(&peak);
    while (now > most && !atomic_compare_exchange_weak(&peak, &most, now)) {}
}

void *sp_alloc(size_t count, size_t size)
{
    uint64_t number = atomic_fetch_add(&allocations, 1) + 1;
    uint64_t limit = atomic_load(&fail_at);
    if (limit && number >= limit)
        return NULL;
    if (size && count > (SIZE_MAX - 2 * ALIGN) / size)
        return NULL;
    /* calloc rather than aligned_alloc: the system's fresh pages are zero already and stay
     * uncommitted */
    size_t bytes = count * size + 2 * ALIGN;
    char *raw = source.alloc ? source.alloc(source.user, bytes) : calloc(1, bytes);
    if (!raw)
        return NULL;
    atomic_fetch_add(&blocks, 1);
    char *block = (char *)(((uintptr_t)raw + 2 * ALIGN - 1) & ~(uintptr_t)(ALIGN - 1));
    header head = {raw, count * size};
    memcpy(block - sizeof head, &head, sizeof head);
    count_bytes(head.bytes);
    return block;
}

void sp_free(void *block)
{
    if (!block)
        return;
    header head;
    memcpy(&head, (char *)block - sizeof head, sizeof head);
    atomic_fetch_sub(&in_use, head.bytes);
    if (source.release)
        source.release(source.user, head.raw, head.bytes + 2 * ALIGN);
    else
        free(head.raw);
    atomic_fetch_sub(&blocks, 1);
}

void spate_free(void *memory)
{
    sp_free(memory);
}

spate_status spate_set_allocator(spate_alloc_fn *alloc, spate_release_fn *release, void *user,
                                 spate_error *error)
{
    if (!alloc != !release)
        return sp_fail(error, SPATE_ERROR_USAGE, "spate_set_allocator",
                       "needs both functions, or neither");
    if (atomic_load(&blocks) > 0)
        return sp_fail(error, SPATE_ERROR_USAGE, "spate_set_allocator",
                       "must be called while the library holds no memory: it holds %llu blocks",
                       (unsigned long long)atomic_load(&blocks));
    source.alloc = alloc;
    source.release = release;
    source.user = user;
    return SPATE_OK;
}

void *sp_grow(void *block, size_t keep, size_t count, size_t size)
{
    void *larger = sp_alloc(count, size);
    if (!larger)
        return NULL;
    if (block && keep)
        memcpy(larger, block, keep);
    sp_free(block);
    return larger;
}

uint64_t sp_alloc_count(void)
{
    return atomic_load(&allocations);
}

uint64_t sp_alloc_peak(void)
{
    return atomic_exchange(&peak, atomic_load(&in_use));
}

void sp_alloc_fail_at(uint64_t n)
{
    atomic_store(&fail_at, n ? atomic_load(&allocations) + n : 0);
}

static size_t arena_bytes(size_t count, size_t size)
{
    return (count * size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

bool sp_arena_fits(const sp_arena *arena, size_t count, size_t size)
{
    return (!size || count <= SIZE_MAX / size - ALIGN) &&
           arena_bytes(count, size) <= (size_t)(arena->end - arena->next);
}

void *sp_arena_take(sp_arena *arena, size_t count, size_t size)
{
    bool fits = sp_arena_fits(arena, count, size);
    assert(fits); /* reserve_scratch of state/particles.c makes it large enough for every stage */
    if (!fits)
        return NULL;
    void *block = arena->next;
    arena->next += arena_bytes(count, size);
    return block;
}
