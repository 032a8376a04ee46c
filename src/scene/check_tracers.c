/* check_tracers.c -- whether the settings of tracers fit each other and the grid. */
#include "check.h"

#include "base/status.h"
#include "sides.h"

#include <math.h>
#include <stdio.h>

#define MOST_PLACES 2e9 /* of one lattice, which is looked through whole */
#define MOST_COME 4e9   /* of all that come, which have a number each */

/* How many places the lattice of a shape has, by the domain alone: its bounds are the domain's. */
static double most_places(const sp_checker *c, const spate_shape *shape)
{
    double places = 1, spacing = shape->spacing > 0 ? shape->spacing : 0.5 * c->dx;
    for (int d = 0; d < c->scene->dim; d++) {
        double wide = sp_scene_extent(c->scene, d);
        if (shape->shape == SPATE_SHAPE_BOX && shape->max[d] - shape->min[d] < wide)
            wide = shape->max[d] - shape->min[d];
        else if (shape->shape == SPATE_SHAPE_SPHERE && 2 * shape->radius < wide)
            wide = 2 * shape->radius;
        places *= ceil(wide / spacing) + 1;
    }
    return places;
}

static spate_status check_one(sp_checker *c, int k)
{
    const spate_scene *scene = c->scene;
    const spate_shape *shape = &scene->tracers.items[k];
    double places = most_places(c, shape), end = scene->frames / scene->fps;
    char path[64];
    snprintf(path, sizeof path, "tracers[%d].spacing", k);
    if (places > MOST_PLACES)
        return sp_fail(c->error, SPATE_ERROR_SCENE, path,
                       "the lattice of points would have %.2g places, and may have %g: use a wider "
                       "spacing (it is %g m)",
                       places, MOST_PLACES, shape->spacing > 0 ? shape->spacing : 0.5 * c->dx);
    snprintf(path, sizeof path, "tracers[%d].rate", k);
    double until = shape->until > 0 && shape->until < end ? shape->until : end;
    double come = shape->rate > 0 ? places * shape->rate * fmax(until - shape->start, 0) : places;
    if (come > MOST_COME)
        return sp_fail(c->error, SPATE_ERROR_SCENE, path,
                       "up to %.2g points would come, and %g have numbers: use a lower rate or a "
                       "wider spacing",
                       come, MOST_COME);
    if (shape->rate == 0 && shape->until > 0)
        sp_log(c->log, c->user, SPATE_LOG_WARNING, path,
               "is 0: the shape is filled once, and `until` says nothing");
    return SPATE_OK;
}

spate_status sp_check_tracers(sp_checker *c)
{
    for (int k = 0; k < c->scene->tracers.count; k++)
        TRY(check_one(c, k));
    return SPATE_OK;
}
