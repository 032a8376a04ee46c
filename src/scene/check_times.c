/* check_times.c -- what a scene does at a time: fills that appear, flows that open and close,
 * keyframes of settings; and how fills are placed and move when they appear. */
#include "check.h"

#include "base/status.h"
#include "sampling.h"
#include "schema.h"
#include "sides.h"
#include "timeline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static spate_status fail_at(const sp_checker *c, const char *list, int index, const char *member,
                            const char *what)
{
    char where[96];
    snprintf(where, sizeof where, "%s[%d].%s", list, index, member);
    return sp_fail(c->error, SPATE_ERROR_SCENE, where, "%s", what);
}

static void warn_late(const sp_checker *c, const char *list, int index, double start)
{
    char where[96];
    double end = c->scene->frames / c->scene->fps;
    snprintf(where, sizeof where, "%s[%d].start", list, index);
    if (start > end * (1 + 1e-9))
        sp_log(c->log, c->user, SPATE_LOG_WARNING, where,
               "is %g s, after the end of the run (%g s): nothing will happen", start, end);
}

/* ------------------------------------------------------------------ fills */

static spate_status check_sampling(sp_checker *c, const spate_shape *fill, int index)
{
    int along, dim = c->scene->dim;
    if (fill->sampling == SPATE_SAMPLING_CELLS)
        return fill->count == 0
                   ? SPATE_OK
                   : fail_at(c, "fill", index, "count",
                             "means nothing with the sampling \"cells\", which goes by "
                             "fluid.particles_per_axis");
    if (fill->shape != SPATE_SHAPE_BOX || fill->invert)
        return fail_at(c, "fill", index, "sampling",
                       "only boxes can be filled by a number of particles: use \"cells\"");
    for (int d = 0; d < 3; d++)
        if (fill->rotation[d] != 0 && (dim == 3 || d == 2))
            return fail_at(c, "fill", index, "rotation",
                           "a box that is filled by a number of particles cannot be rotated");
    if (fill->initial.kind == SPATE_INITIAL_SOLITARY_WAVE)
        return fail_at(c, "fill", index, "sampling", "a solitary wave needs \"cells\"");
    if (fill->count == 0)
        return fail_at(c, "fill", index, "count", "is required: how many particles");
    bool lattice =
        fill->sampling == SPATE_SAMPLING_GRID || fill->sampling == SPATE_SAMPLING_JITTERED_GRID;
    if (lattice && sp_lattice_count(fill->count, dim, &along) > 1u << 30)
        return fail_at(c, "fill", index, "count", "makes more than 2^30 particles");
    return SPATE_OK;
}

static spate_status check_initial(sp_checker *c, const spate_shape *fill, int index)
{
    spate_initial kind = fill->initial.kind;
    bool standing = kind == SPATE_INITIAL_STANDING_WAVE;
    bool wave = standing || kind == SPATE_INITIAL_SOLITARY_WAVE;
    const double *g = c->scene->gravity;
    if (kind != SPATE_INITIAL_UNIFORM && fill->shape == SPATE_SHAPE_PARTICLES)
        return fail_at(c, "fill", index, "initial.kind", "particles of a file have velocities");
    if ((standing || kind == SPATE_INITIAL_SHEAR) && !(fill->initial.length > 0))
        return fail_at(c, "fill", index, "initial.length", "is required, in metres");
    if (!wave)
        return SPATE_OK;
    if (!(fill->initial.height > 0))
        return fail_at(c, "fill", index, "initial.height", "is required for a wave, in metres");
    if (!(fill->initial.depth > 0))
        return fail_at(c, "fill", index, "initial.depth", "is required for a wave, in metres");
    if (g[0] * g[0] + g[1] * g[1] + g[2] * g[2] == 0)
        return fail_at(c, "fill", index, "initial.kind", "there are no waves without gravity");
    return SPATE_OK;
}

/* ------------------------------------------------------------------ flows */

static spate_status check_flow(sp_checker *c, const spate_shape *shape, const char *list, int index)
{
    warn_late(c, list, index, shape->start);
    if (shape->until > 0 && shape->until <= shape->start)
        return fail_at(c, list, index, "until", "must be later than its start");
    return SPATE_OK;
}

static spate_status check_inflow(sp_checker *c, int index)
{
    const spate_shape *flow = &c->scene->inflows.items[index];
    double keyed[3], speed = 0;
    TRY(check_flow(c, flow, "inflows", index));
    for (int d = 0; d < c->scene->dim; d++)
        speed += flow->velocity[d] * flow->velocity[d];
    bool flows = sp_keys_mean(c->scene, SP_KEYED_FLOW, index, 0, 0, keyed);
    bool moves = sp_keys_mean(c->scene, SP_KEYED_VELOCITY, index, 0, 0, keyed);
    if ((flow->flow > 0 || flows) && moves)
        return fail_at(c, "inflows", index, "flow",
                       "has a flow and keyframes of its velocity: one of them decides how much "
                       "comes in; leave the other out");
    if ((flow->flow > 0 || flows) && speed == 0)
        return fail_at(c, "inflows", index, "velocity",
                       "is required with a flow: its direction is where the flow goes");
    return SPATE_OK;
}

/* ------------------------------------------------------------------ keyframes */

/* The row with the limits of a keyed setting. */
static const sp_row *row_of(sp_keyed what, const char *path)
{
    const sp_row *row = NULL;
    if (what == SP_KEYED_NONE || sp_schema_find_place(path, &row) != SP_NODE_ROW)
        return NULL;
    return row;
}

static spate_status check_key(sp_checker *c, int index)
{
    const spate_key *key = &c->scene->keyframes[index];
    char where[96];
    int target, other;
    sp_keyed what = sp_key_target(key, &target);
    const sp_row *row = row_of(what, key->setting);
    snprintf(where, sizeof where, "keyframes[%d].setting", index);
    if (!row)
        return sp_fail(c->error, SPATE_ERROR_SCENE, where,
                       "\"%s\" cannot have keyframes: gravity, fluid.flip_ratio, "
                       "domain.roughness.<side>, velocity and flow of inflows[k], smoke and "
                       "temperature of sources[k] can",
                       key->setting);
    if ((what == SP_KEYED_VELOCITY || what == SP_KEYED_FLOW) && target >= c->scene->inflows.count)
        return sp_fail(c->error, SPATE_ERROR_SCENE, where,
                       "there is no inflows[%d]: the scene has %d", target,
                       c->scene->inflows.count);
    if ((what == SP_KEYED_SMOKE || what == SP_KEYED_TEMPERATURE) &&
        target >= c->scene->sources.count)
        return sp_fail(c->error, SPATE_ERROR_SCENE, where,
                       "there is no sources[%d]: the scene has %d", target,
                       c->scene->sources.count);
    if ((what == SP_KEYED_SMOKE && isnan(c->scene->sources.items[target].smoke)) ||
        (what == SP_KEYED_TEMPERATURE && isnan(c->scene->sources.items[target].temperature)))
        return sp_fail(c->error, SPATE_ERROR_SCENE, where,
                       "sources[%d] does not name it: give it a value there, too", target);
    if (what == SP_KEYED_ROUGHNESS &&
        (target / 2 >= c->scene->dim ||
         c->scene->domain.wall[target / 2][target % 2] != SPATE_WALL_ROUGH))
        return sp_fail(c->error, SPATE_ERROR_SCENE, where,
                       "this side is no wall that is \"rough\": there is nothing to change");
    if (what == SP_KEYED_ROUGHNESS && target % 2 == 1 &&
        sp_scene_cuts_cells(c->scene, target / 2) &&
        sp_scene_extent(c->scene, target / 2) <
            sp_scene_cells(c->scene, target / 2) * c->dx * (1 - 1e-12))
        return sp_fail(c->error, SPATE_ERROR_SCENE, where,
                       "this wall stands inside of a cell, where its roughness cannot change: make "
                       "the domain a whole number of cells");
    snprintf(where, sizeof where, "keyframes[%d].value", index);
    int numbers = sp_key_numbers(key, c->scene->dim);
    for (int d = 0; d < 3; d++) {
        double low = row->setting.low, high = row->setting.high, value = key->value[d];
        if (d < numbers && isnan(value))
            return sp_fail(c->error, SPATE_ERROR_SCENE, where,
                           "must have %d numbers in a %dD scene, as %s (got %d)", numbers,
                           c->scene->dim, key->setting, d);
        if (d >= numbers && !isnan(value) && value != 0)
            return sp_fail(c->error, SPATE_ERROR_SCENE, where, "has more numbers than %s (%d)",
                           key->setting, numbers);
        if (what == SP_KEYED_ROUGHNESS && d == 0 && !(value > 0))
            return sp_fail(c->error, SPATE_ERROR_SCENE, where, "must be positive (got %g)", value);
        if (d < numbers && !(value >= low && value <= high))
            return sp_fail(c->error, SPATE_ERROR_SCENE, where,
                           "must be between %g and %g, as %s (got %g)", low, high, key->setting,
                           value);
    }
    snprintf(where, sizeof where, "keyframes[%d].time", index);
    for (int k = index - 1; k >= 0; k--) {
        const spate_key *before = &c->scene->keyframes[k];
        if (sp_key_target(before, &other) != what || other != target)
            continue;
        if (key->time == before->time)
            return sp_fail(c->error, SPATE_ERROR_SCENE, where,
                           "is that of keyframes[%d] too (%g s): %s has two values then", k,
                           key->time, key->setting);
        if (key->time < before->time)
            return sp_fail(c->error, SPATE_ERROR_SCENE, where,
                           "must be later than keyframes[%d] of the same setting (%g s; got %g s)",
                           k, before->time, key->time);
        break;
    }
    return SPATE_OK;
}

spate_status sp_check_times(sp_checker *c)
{
    const spate_scene *scene = c->scene;
    for (int k = 0; k < scene->fill.count; k++) {
        warn_late(c, "fill", k, scene->fill.items[k].start);
        TRY(check_sampling(c, &scene->fill.items[k], k));
        TRY(check_initial(c, &scene->fill.items[k], k));
    }
    for (int k = 0; k < scene->keyframe_count; k++)
        TRY(check_key(c, k));
    for (int k = 0; k < scene->inflows.count; k++)
        TRY(check_inflow(c, k));
    for (int k = 0; k < scene->sources.count; k++)
        TRY(check_flow(c, &scene->sources.items[k], "sources", k));
    for (int k = 0; k < scene->tracers.count; k++)
        TRY(check_flow(c, &scene->tracers.items[k], "tracers", k));
    for (int k = 0; k < scene->outflows.count; k++)
        TRY(check_flow(c, &scene->outflows.items[k], "outflows", k));
    return SPATE_OK;
}
