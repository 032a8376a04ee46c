/* lists.h -- the lists of shapes of a scene, which stand once, here.
 *
 *     F(NAME, member)
 *
 * NAME is the list's value in the public enum, SPATE_LIST_NAME; `member` is its place in
 * spate_scene, and its path in a scene file. The rows are in the order of the enum. A new list is a
 * row here, its value and member in spate.h, and its settings in schema.c.
 *
 * The functions are inline, so that libspate_io and the command need no more symbols of libspate.
 */
#ifndef SPATE_SCENE_LISTS_H
#define SPATE_SCENE_LISTS_H

#include <spate/spate.h>

/* clang-format off */
#define SP_SHAPE_LISTS(F) \
    F(FILL,     fill) \
    F(SOLIDS,   solids) \
    F(INFLOWS,  inflows) \
    F(OUTFLOWS, outflows) \
    F(KILL,     whitewater.kill) \
    F(SOURCES,  sources) \
    F(TRACERS,  tracers)
/* clang-format on */

enum {
#define SP_ONE_MORE(NAME, member) +1
    SP_SHAPE_LIST_COUNT = SP_SHAPE_LISTS(SP_ONE_MORE)
#undef SP_ONE_MORE
};

/* List k, 0 .. SP_SHAPE_LIST_COUNT - 1, which is its spate_list; NULL if there is none. */
static inline spate_shape_list *sp_shape_list_edit(spate_scene *scene, int k)
{
    switch ((spate_list)k) {
#define SP_CASE(NAME, member) \
    case SPATE_LIST_##NAME: return &scene->member;
        SP_SHAPE_LISTS(SP_CASE)
#undef SP_CASE
    }
    return NULL;
}

static inline const spate_shape_list *sp_shape_list(const spate_scene *scene, int k)
{
    return sp_shape_list_edit((spate_scene *)scene, k);
}

/* Its path in a scene file: "fill", "whitewater.kill". */
static inline const char *sp_shape_list_name(int k)
{
    static const char *const names[] = {
#define SP_NAME(NAME, member) #member,
        SP_SHAPE_LISTS(SP_NAME)
#undef SP_NAME
    };
    return names[k];
}

#endif
