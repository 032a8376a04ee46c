/* check_gas.c -- what a scene of a gas cannot have, and what only a gas can. A gas has no surface
 * and no weight of its own: all that is about a surface is refused by name, with the reason. */
#include "check.h"

#include "base/status.h"
#include "medium.h"

#include <stdio.h>

static spate_status refuse(const sp_checker *c, const char *where, const char *why)
{
    return sp_fail(c->error, SPATE_ERROR_SCENE, where, "cannot be with fluid.kind \"gas\": %s",
                   why);
}

static spate_status refuse_item(const sp_checker *c, const char *list, int index,
                                const char *member, const char *why)
{
    char where[96];
    snprintf(where, sizeof where, "%s[%d].%s", list, index, member);
    return refuse(c, where, why);
}

static spate_status check_walls(const sp_checker *c)
{
    static const char *const sides[3][2] = {
        {"left", "right"}, {"bottom", "top"}, {"back", "front"}};
    static const char why[] = "walls let a gas slip; the drag of walls is that of water so far";
    const spate_scene *scene = c->scene;
    for (int d = 0; d < scene->dim; d++)
        for (int end = 0; end < 2; end++) {
            char where[64];
            snprintf(where, sizeof where, "domain.wall.%s", sides[d][end]);
            if (scene->domain.wall[d][end] != SPATE_WALL_SLIP)
                return refuse(c, where, why);
        }
    for (int k = 0; k < scene->solids.count; k++)
        if (scene->solids.items[k].wall != SPATE_WALL_SLIP)
            return refuse_item(c, "solids", k, "wall", why);
    return SPATE_OK;
}

static spate_status check_fills(const sp_checker *c)
{
    const spate_scene *scene = c->scene;
    for (int k = 0; k < scene->fill.count; k++) {
        const spate_shape *fill = &scene->fill.items[k];
        if (fill->shape == SPATE_SHAPE_PARTICLES)
            return refuse_item(c, "fill", k, "shape",
                               "it fills every open cell by itself, and particles of a file would "
                               "come on top; use a shape, which says what is in it");
        if (fill->sampling != SPATE_SAMPLING_CELLS)
            return refuse_item(c, "fill", k, "sampling",
                               "it fills every open cell by itself; leave it out");
        if (fill->initial.kind == SPATE_INITIAL_STANDING_WAVE ||
            fill->initial.kind == SPATE_INITIAL_SOLITARY_WAVE)
            return refuse_item(c, "fill", k, "initial.kind", "a gas has no surface for waves");
        if (fill->start > 0)
            return refuse_item(c, "fill", k, "start",
                               "a fill says what is in the gas at the start");
    }
    return SPATE_OK;
}

/* What flows in must have a way out: nothing is compressed. */
static spate_status check_flows(const sp_checker *c)
{
    const spate_scene *scene = c->scene;
    bool open = scene->outflows.count > 0;
    for (int k = 0; k < scene->outflows.count; k++)
        if (scene->outflows.items[k].level > 0)
            return refuse_item(c, "outflows", k, "level", "a gas has no level");
    for (int d = 0; d < scene->dim; d++)
        for (int end = 0; end < 2; end++)
            open = open || scene->domain.sides[d][end] == SPATE_SIDE_OPEN;
    if (scene->inflows.count > 0 && !open) {
        const char *name = scene->inflows.items[0].name;
        return sp_fail(c->error, SPATE_ERROR_SCENE, "inflows[0]",
                       "%s%sblows into a closed box, and the gas is not compressed: open a side "
                       "(domain.sides) or add an outflow",
                       name, name[0] ? " " : "");
    }
    return SPATE_OK;
}

static spate_status check_gauges(const sp_checker *c)
{
    const spate_scene *scene = c->scene;
    for (int k = 0; k < scene->gauge_count; k++) {
        spate_gauge_kind kind = scene->gauges[k].kind;
        if (kind == SPATE_GAUGE_HEIGHT || kind == SPATE_GAUGE_FRONT)
            return refuse_item(c, "gauges", k, "kind",
                               "height and front are of a surface, which a gas has not");
    }
    return SPATE_OK;
}

static spate_status check_methods(const sp_checker *c)
{
    const spate_scene *scene = c->scene;
    if (scene->volume.method != SPATE_VOLUME_NONE && scene->volume.method != SPATE_VOLUME_SHIFT)
        return refuse(c, "volume.method",
                      "push and the density projection keep the volume of a liquid; use \"shift\"");
    if (scene->whitewater.on)
        return refuse(c, "whitewater.on", "whitewater comes from a surface, which a gas has not");
    if (scene->output.mesh != SPATE_OUTPUT_MESH_NONE)
        return refuse(c, "output.mesh", "there is no surface to make a mesh of");
    if (scene->output.volume == SPATE_OUTPUT_VOLUME_VDB)
        return refuse(c, "output.volume",
                      "an OpenVDB file has the level set of a surface; use \"vtk\"");
    if (scene->pressure.surface != SPATE_SURFACE_MODEL_GHOST)
        sp_log(c->log, c->user, SPATE_LOG_WARNING, "pressure.surface",
               "means nothing to a gas and is ignored");
    return SPATE_OK;
}

/* What only a gas can have. */
static spate_status check_liquid(const sp_checker *c)
{
    if (c->scene->volume.method == SPATE_VOLUME_SHIFT)
        return sp_fail(c->error, SPATE_ERROR_SCENE, "volume.method",
                       "\"shift\" cannot be with fluid.kind \"liquid\": at a free surface there is "
                       "no density gradient to even out");
    return SPATE_OK;
}

spate_status sp_check_gas(sp_checker *c)
{
    if (sp_medium_of(c->scene)->has_surface)
        return check_liquid(c);
    TRY(check_walls(c));
    TRY(check_fills(c));
    TRY(check_flows(c));
    TRY(check_gauges(c));
    return check_methods(c);
}
