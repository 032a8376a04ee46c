/* json.h -- why Jansson failed. */
#ifndef SPATE_IO_JSON_H
#define SPATE_IO_JSON_H

#include <jansson.h>
#include <stdbool.h>

/* Whether a text of so many bytes could not be read for want of memory, and not for what it says.
 * Jansson says nothing of most allocations that fail, and takes those of strings for mistakes of
 * syntax; so its memory is asked for some more. */
static inline bool sp_json_no_memory(const json_error_t *error, size_t size)
{
    json_malloc_t take;
    json_free_t give_back;
    json_get_alloc_funcs(&take, &give_back);
    void *probe = take(size + 1);
    bool none = !probe || !error->text[0];
    give_back(probe);
    return none;
}

#endif
