/* lists.h -- the lists of tiles over which the loops of a stage go, as values. */
#ifndef SPATE_STAGES_LISTS_H
#define SPATE_STAGES_LISTS_H

#include "kernels/fields.h"

#include <string.h>

/* The tiles first[0 .. split - 1], then second[0 .. count - split - 1]. The pointers point into the
 * memory of the device. */
typedef struct X(tile_list) {
    const int *first, *second;
    int split, count;
} X(tile_list);

SP_KERNEL int X(tile_at)(const X(tile_list) *list, size_t k)
{
    int number = (int)k;
    return number < list->split ? list->first[number] : list->second[number - list->split];
}

SP_KERNEL X(tile_list) X(two_lists)(const int *first, int split, const int *second, int more)
{
    X(tile_list) list;
    list.first = first;
    list.second = second;
    list.split = split;
    list.count = split + more;
    return list;
}

SP_KERNEL X(tile_list) active_tiles(const X(fields) *f)
{
    return X(two_lists)(f->tiles.active, f->tiles.active_count, NULL, 0);
}

SP_KERNEL X(tile_list) face_tiles(const X(fields) *f)
{
    return X(two_lists)(f->tiles.faces, f->tiles.face_count, NULL, 0);
}

SP_KERNEL X(tile_list) liquid_tiles(const X(fields) *f)
{
    return X(two_lists)(f->tiles.liquid, f->tiles.liquid_count, NULL, 0);
}

SP_KERNEL X(tile_list) active_and_border_tiles(const X(fields) *f)
{
    const X(tiles) *t = &f->tiles;
    return X(two_lists)(t->active, t->active_count, t->border, t->border_count);
}

/* Inside of FOR_EACH_LANES(c, cell): its cells c + k one by one, with their coordinates `at`. */
#define FOR_LANES(k, cell, at) \
    for (int at[DIM], k = (memcpy(at, cell, sizeof at), 0); k < LANES; k++, at[0]++)

#define UNUSED __attribute__((unused))

/* The arguments of loops that need nothing but the fields. */
typedef struct sp_nothing {
    char unused;
} sp_nothing;
static const sp_nothing NOTHING = {0};

#endif
