/* set_list.h -- the sets of particles by number (kernels/sets.h), made from kernels/sets.def. The
 * functions are inline, so that libspate_io and the command need no more symbols of libspate. */
#ifndef SPATE_STATE_SET_LIST_H
#define SPATE_STATE_SET_LIST_H

#include "kernels/sets.h"

#include <spate/spate.h>

#define SP_FLUID "fluid" /* the set that is the fluid */

static inline const char *sp_set_name(int number)
{
    static const char *const names[] = {
        SP_FLUID,
#define SET(NAME, name, ...) #name,
#include "kernels/sets.def"
    };
    return names[number];
}

/* Whether a scene has it. */
static inline bool sp_scene_has_set(const spate_scene *scene, int number)
{
    const bool has[] = {
        true,
#define SET(NAME, name, place, by, on, ...) scene->on,
#include "kernels/sets.def"
    };
    return has[number];
}

/* How many particles of it are forecast. */
static inline uint64_t sp_forecast_of_set(const spate_forecast *forecast, int number)
{
    const uint64_t counts[] = {
        forecast->particles,
#define SET(NAME, name, ...) forecast->name,
#include "kernels/sets.def"
    };
    return counts[number];
}

#endif
