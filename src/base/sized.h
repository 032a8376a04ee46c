/* sized.h -- structs that cross the library's line and may grow. The first member is a uint32_t,
 * the size that the struct has for the caller; members are only ever added at the end. */
#ifndef SPATE_BASE_SIZED_H
#define SPATE_BASE_SIZED_H

#include <stdint.h>
#include <string.h>

/* Hands a struct of ours out: as much of it as the caller knows, zeros for what only the caller
 * knows. */
static inline void sp_sized_out(void *theirs, size_t size, const void *ours, size_t known)
{
    uint32_t given = (uint32_t)size;
    memset(theirs, 0, size);
    memcpy(theirs, ours, size < known ? size : known);
    if (size >= sizeof given)
        memcpy(theirs, &given, sizeof given);
}

/* Takes a struct in over one of ours that holds the defaults. */
static inline void sp_sized_in(void *ours, size_t known, const void *theirs)
{
    uint32_t given, own = (uint32_t)known;
    memcpy(&given, theirs, sizeof given);
    memcpy(ours, theirs, given < known ? given : known);
    memcpy(ours, &own, sizeof own);
}

#endif
