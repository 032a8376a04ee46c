/* check_whitewater.c -- whether the settings of whitewater fit each other and the grid. */
#include "check.h"

#include "base/status.h"

#include <string.h>

#define MOST_DETAIL 8 /* cells */

/* A pair of limits, the second of which must be above the first. */
typedef struct limits {
    const char *high_path, *low_name;
    double low, high;
} limits;

static spate_status check_limits(sp_checker *c)
{
    const spate_scene *s = c->scene;
    const limits pairs[] = {
        {"whitewater.speed_high", "speed_low", s->whitewater.speed_low, s->whitewater.speed_high},
        {"whitewater.curvature_high", "curvature_low", s->whitewater.curvature_low,
         s->whitewater.curvature_high},
        {"whitewater.strain_high", "strain_low", s->whitewater.strain_low,
         s->whitewater.strain_high},
        {"whitewater.foam.crowd_high", "crowd_low", s->whitewater.foam.crowd_low,
         s->whitewater.foam.crowd_high},
        {"whitewater.dust.speed_high", "speed_low", s->whitewater.dust.speed_low,
         s->whitewater.dust.speed_high}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        if (!(pairs[k].high > pairs[k].low))
            return sp_fail(c->error, SPATE_ERROR_SCENE, pairs[k].high_path,
                           "must be above %s (%g; got %g)", pairs[k].low_name, pairs[k].low,
                           pairs[k].high);
    if (s->whitewater.life_max < s->whitewater.life_min)
        return sp_fail(c->error, SPATE_ERROR_SCENE, "whitewater.life_max",
                       "must not be below life_min (%g; got %g)", s->whitewater.life_min,
                       s->whitewater.life_max);
    if (s->whitewater.radius_max < s->whitewater.radius_min)
        return sp_fail(c->error, SPATE_ERROR_SCENE, "whitewater.radius_max",
                       "must not be below radius_min (%g; got %g)", s->whitewater.radius_min,
                       s->whitewater.radius_max);
    return SPATE_OK;
}

static void warn_of_detail(sp_checker *c)
{
    double detail = c->scene->whitewater.detail, spacing = c->scene->whitewater.spacing;
    const char *where = detail > 0 ? "whitewater.detail" : "whitewater.spacing";
    detail = detail > 0 ? detail : 4 * spacing;
    if (detail > (MOST_DETAIL + 1) * c->dx)
        sp_log(c->log, c->user, SPATE_LOG_WARNING, where,
               "fields are filtered to %d cells (%g m) at most, and not to %g m", MOST_DETAIL,
               MOST_DETAIL * c->dx, detail);
    if (detail > 0 && detail < c->dx)
        sp_log(c->log, c->user, SPATE_LOG_WARNING, where,
               "the grid shows nothing smaller than two cells (%g m), which is taken instead of "
               "%g m",
               2 * c->dx, detail);
}

spate_status sp_check_whitewater(sp_checker *c)
{
    const spate_scene *s = c->scene;
    if (!s->whitewater.on)
        return SPATE_OK;
    TRY(check_limits(c));
    if (!s->whitewater.spray.on && !s->whitewater.foam.on && !s->whitewater.bubbles.on &&
        !s->whitewater.dust.on)
        return sp_fail(c->error, SPATE_ERROR_SCENE, "whitewater",
                       "is on, but spray, foam, bubbles and dust are all off");
    warn_of_detail(c);
    return SPATE_OK;
}
