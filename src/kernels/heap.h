/* heap.h -- sorts the numbers of particles in place, where a cell or a tile holds too many for the
 * ways that need scratch memory. */
#ifndef SPATE_KERNELS_HEAP_H
#define SPATE_KERNELS_HEAP_H

#include "kernel.h"

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t __attribute__((may_alias)) sp_word; /* a value of a column, whatever its type */

/* Whether particle a comes before particle b: by cell, then by id. */
SP_KERNEL bool sp_comes_before(const sp_word *cell, const uint32_t *id, uint32_t a, uint32_t b)
{
    return cell[a] != cell[b] ? cell[a] < cell[b] : id[a] < id[b];
}

SP_KERNEL void sp_heap_sort(uint32_t *list, uint32_t n, const sp_word *cell, const uint32_t *id)
{
    for (uint32_t end = n, start = n / 2; end > 1;) {
        uint32_t root, item;
        if (start > 0) {
            root = --start;
            item = list[root];
        } else {
            root = 0;
            item = list[--end];
            list[end] = list[0];
        }
        for (uint32_t child; (child = 2 * root + 1) < end; root = child) {
            if (child + 1 < end && sp_comes_before(cell, id, list[child], list[child + 1]))
                child++;
            if (!sp_comes_before(cell, id, item, list[child]))
                break;
            list[root] = list[child];
        }
        list[root] = item;
    }
}

#endif
