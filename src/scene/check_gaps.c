/* check_gaps.c -- names solids that leave a gap between them which the grid closes.
 *
 * With a and b the distances to two solids, max(a, b) is least in the middle of the gap between
 * them, where it is half the gap's width; it is zero where they touch, and negative where they
 * overlap. It changes no faster than the way is long. So a box with its middle at x and corners r
 * away from it holds no value below max(a, b)(x) - r: boxes are halved until they cannot hold what
 * is looked for. What is said is sure; solids with more wall to each other than LOOKS places can
 * cover are not named. Looked at are the solids where they stand at the start. */
#include "check.h"

#include "base/memory.h"
#include "base/status.h"
#include "shapes.h"
#include "sides.h"

#include <math.h>
#include <stdio.h>

#define TOUCHES 0.01   /* cells: solids that are this close touch */
#define LOOKS 300000   /* places that are looked at for two solids */
#define STACK 256      /* boxes, each of which leaves at most 7 others waiting at 32 depths */
#define LEAST_PART 1.5 /* cells: thinner solids are left to kernels/thin.h */

typedef struct placed {
    sp_shape form;
    sp_pose pose;
    double low[3], high[3];
} placed;

typedef struct box {
    double middle[3], half[3];
} box;

static double distance_to(const placed *solid, const double x[3])
{
    double local[3];
    sp_pose_to_local(&solid->pose, x, local);
    return sp_shape_distance(&solid->form, local, NULL);
}

/* The part of the domain that is within `reach` of the bounds of both; false if there is none. */
static bool common_bounds(const sp_checker *c, const placed *a, const placed *b, double reach,
                          box *all)
{
    *all = (box){.middle = {0, 0, 0}};
    for (int d = 0; d < c->scene->dim; d++) {
        double low = fmax(0, fmax(a->low[d], b->low[d]) - reach);
        double high = fmin(sp_scene_extent(c->scene, d), fmin(a->high[d], b->high[d]) + reach);
        if (!(low < high))
            return false;
        all->middle[d] = 0.5 * (low + high);
        all->half[d] = 0.5 * (high - low);
    }
    return true;
}

/* Puts the halves of a box, along each axis that is not much shorter than the longest one, on the
 * stack. */
static int split(const box *whole, int dim, box *stack)
{
    int axes[3], split_axes = 0, parts;
    double longest = 0;
    for (int d = 0; d < dim; d++)
        longest = fmax(longest, whole->half[d]);
    for (int d = 0; d < dim; d++)
        if (whole->half[d] > 0.6 * longest)
            axes[split_axes++] = d;
    parts = 1 << split_axes;
    for (int k = 0; k < parts; k++) {
        stack[k] = *whole;
        for (int j = 0; j < split_axes; j++) {
            double half = 0.5 * whole->half[axes[j]];
            stack[k].half[axes[j]] = half;
            stack[k].middle[axes[j]] += k >> j & 1 ? half : -half;
        }
    }
    return parts;
}

/* Whether two solids do not touch in the domain, but come closer than SP_GAP cells. */
static bool leave_gap(const sp_checker *c, const placed *a, const placed *b)
{
    double least = 0.5 * TOUCHES * c->dx, most = 0.5 * SP_GAP * c->dx;
    box stack[STACK];
    int waiting = 1;
    bool found = false;
    if (!common_bounds(c, a, b, most, &stack[0]))
        return false;
    for (int looks = 0; waiting > 0; looks++) {
        box here = stack[--waiting];
        double to_a = distance_to(a, here.middle), value = fmax(to_a, distance_to(b, here.middle));
        double reach = sqrt(here.half[0] * here.half[0] + here.half[1] * here.half[1] +
                            here.half[2] * here.half[2]);
        if (value <= least || looks == LOOKS || waiting + 8 > STACK)
            return false;
        found = found || value < most;
        if (value - reach < (found ? least : most))
            waiting += split(&here, c->scene->dim, stack + waiting);
    }
    return found;
}

static void check_solid(const sp_checker *c, const placed *solids, int index)
{
    const spate_shape *items = c->scene->solids.items;
    for (int k = 0; k < index; k++) {
        double thin = fmin(sp_thickness(&items[index], c->scene->dim),
                           sp_thickness(&items[k], c->scene->dim));
        if (thin < LEAST_PART * c->dx || !leave_gap(c, &solids[index], &solids[k]))
            continue;
        char where[32];
        snprintf(where, sizeof where, "solids[%d]", index);
        sp_log(c->log, c->user, SPATE_LOG_WARNING, where,
               "is less than %g cells (%.3g m) from solids[%d]: a gap so narrow is closed; use "
               "smaller cells, or leave none",
               SP_GAP, SP_GAP * c->dx, k);
        return;
    }
}

spate_status sp_check_gaps(sp_checker *c)
{
    const spate_shape_list *list = &c->scene->solids;
    if (!c->log || c->scene->pressure.solids != SPATE_SOLID_MODEL_CUT || list->count < 2)
        return SPATE_OK;
    placed *solids = sp_alloc((size_t)list->count, sizeof *solids);
    if (!solids)
        return sp_fail_memory(c->error, "the check of the scene",
                              (uint64_t)list->count * sizeof *solids);
    for (int k = 0; k < list->count; k++) {
        placed *solid = &solids[k];
        sp_shape_prepare(&solid->form, &list->items[k], c->scene->dim);
        solid->pose = sp_shape_pose(&solid->form, 0);
        sp_shape_bounds_at(&solid->form, &solid->pose, solid->low, solid->high);
    }
    for (int k = 1; k < list->count; k++)
        check_solid(c, solids, k);
    sp_free(solids);
    return SPATE_OK;
}
