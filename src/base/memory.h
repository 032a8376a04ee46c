/* memory.h -- the one door to the heap.
 *
 * Every block is zeroed and aligned to 64 bytes; large blocks come from the system untouched, so
 * memory that is never written is never committed. Allocations are counted (a step makes none after
 * warm-up), and tests can make the n-th one fail. */
#ifndef SPATE_BASE_MEMORY_H
#define SPATE_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *sp_alloc(size_t count,
               size_t size); /* NULL on failure or overflow; count * size = 0 gives a block */
void sp_free(void *block);
/* A larger block with the first `keep` bytes of the old one, which is freed; on failure NULL, and
 * the old one stays. */
void *sp_grow(void *block, size_t keep, size_t count, size_t size);

uint64_t sp_alloc_count(void); /* allocations of this process so far */
/* The most bytes that were in use at once since the last call; starts anew from what is in use now.
 * For tests. */
uint64_t sp_alloc_peak(void);
/* The n-th allocation from now (1 = the next) and all after it fail; 0 turns this off. For tests.
 */
void sp_alloc_fail_at(uint64_t n);

/* Scratch memory. Passed by value: what a callee takes is free again when it returns. */
typedef struct sp_arena {
    char *next, *end;
} sp_arena;

/* 64-byte aligned, not zeroed. What does not fit is a mistake of the program: builds with asserts
 * stop, others get NULL. */
bool sp_arena_fits(const sp_arena *arena, size_t count, size_t size);
void *sp_arena_take(sp_arena *arena, size_t count, size_t size);

#endif
