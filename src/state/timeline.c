/* timeline.c -- what changes while a simulation runs because its scene says so: keyframes of
 * settings, inflows and outflows that open and close, fills that appear.
 *
 * Before a step the settings are those of the time it covers: gravity, the FLIP share and roughness
 * as they are when it begins, an inflow as the mean over it, so that what it gives in all is the
 * integral of what the keys say. After a step the fills whose time has come are added; the clock
 * ends a step where something happens (sim/clock.c). */
#include "device.h"

#include "scene/sampling.h"
#include "scene/timeline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- inflows and outflows */

/* The open area through which the cells of an inflow give, along `way` of length 1; cells. */
static double area_of(const X(sim) *s, int inflow, const double way[3])
{
    const X(grid) *g = &s->grid;
    double area = 0;
    int c[3] = {0, 0, 0}, last = DIM == 3 ? g->n[LAST(3) - 1] : 1;
    for (c[2] = 0; c[2] < last; c[2]++)
        for (c[1] = 0; c[1] < g->n[1]; c[1]++)
            for (c[0] = 0; c[0] < g->n[0]; c[0]++) {
                size_t index = X(index)(g, c);
                if (!(s->marks[index] & MARK_INFLOW) || s->mark_of[index] != inflow)
                    continue;
                FOR_DIM(d) {
                    int next = c[d] + (way[d] > 0 ? 1 : -1);
                    bool ends = next < 0 || next >= g->n[d];
                    if (way[d] == 0 || (ends && s->sides[d][next > 0] == SPATE_SIDE_WALL))
                        continue;
                    size_t there = way[d] > 0 ? index + g->stride[d] : index - g->stride[d];
                    bool same =
                        !ends && s->marks[there] & MARK_INFLOW && s->mark_of[there] == inflow;
                    double open = s->has_solids ? (double)s->w[d][way[d] > 0 ? there : index] : 1;
                    area += same ? 0 : fabs(way[d]) * open;
                }
            }
    return area;
}

static bool is_inflow_cell(const X(sim) *s, int inflow, const double x[3])
{
    int c[3] = {0, 0, 0};
    for (int d = 0; d < DIM; d++) {
        c[d] = (int)floor(x[d]);
        if (c[d] < 0 || c[d] >= s->grid.n[d])
            return false;
    }
    size_t index = X(index)(&s->grid, c);
    return s->marks[index] & MARK_INFLOW && s->mark_of[index] == inflow;
}

/* The cells of an inflow that a ray along `way` passes. */
static bool is_hit(const X(sim) *s, int inflow, const double from[3], const double way[3],
                   double length)
{
    for (double t = 0; t < length; t += 0.2) {
        double x[3] = {from[0] + t * way[0], from[1] + t * way[1], from[2] + t * way[2]};
        if (is_inflow_cell(s, inflow, x))
            return true;
    }
    return false;
}

/* Across a flow that is not along an axis, the faces of cells are stairs: what leaves a step comes
 * in again at the next one, and what is given is the shadow of the cells, found by rays; cells. */
static double shadow_of(const X(sim) *s, int inflow, const double way[3])
{
    const X(emitter) *e = &s->emitters[inflow];
    double middle[3] = {0, 0, 0}, square = 0, across[3] = {0, 0, 1}, up[3], n = 0, hits = 0;
    FOR_DIM(d) { /* bounds in sub-cells */
        double per_cell = s->common->scene->fluid.particles_per_axis;
        middle[d] = 0.5 * (e->low[d] + e->high[d]) / per_cell;
        double size = (e->high[d] - e->low[d]) / per_cell;
        square += size * size;
    }
    double reach = 0.5 * sqrt(square) + 1, h = fmax(1.0 / 6, reach / 150);
    int rays = (int)ceil(reach / h);
    if (DIM == 3) { /* any direction that is not that of the flow */
        int least = fabs(way[0]) < fabs(way[1]) ? 0 : 1;
        double other[3] = {least == 0, least == 1, 0};
        sp_cross(way, other, across);
        n = sqrt(sp_dot(across, across));
        for (int d = 0; d < 3; d++)
            across[d] /= n;
    }
    sp_cross(way, across, up);
    for (int i = -rays; i <= rays; i++)
        for (int j = DIM == 3 ? -rays : 0; j <= (DIM == 3 ? rays : 0); j++) {
            double from[3];
            for (int d = 0; d < 3; d++)
                from[d] = middle[d] + i * h * up[d] + j * h * across[d] - reach * way[d];
            hits += is_hit(s, inflow, from, way, 2 * reach);
        }
    return hits * (DIM == 3 ? h * h : h);
}

/* The direction of an inflow's velocity; false: it has none. */
static bool direction_of(const spate_shape *shape, double way[3])
{
    double square = 0;
    FOR_DIM(d)
        square += shape->velocity[d] * shape->velocity[d];
    for (int d = 0; d < 3; d++)
        way[d] = d < DIM && square > 0 ? shape->velocity[d] / sqrt(square) : 0;
    return square > 0;
}

static bool has_flow(const X(sim) *s, int inflow)
{
    double value[3];
    return s->common->scene->inflows.items[inflow].flow > 0 ||
           sp_keys_mean(s->common->scene, SP_KEYED_FLOW, inflow, 0, 0, value);
}

spate_status X(flows_begin)(X(sim) *s, spate_error *error)
{
    const spate_scene *scene = s->common->scene;
    for (int k = 0; k < s->emitter_count; k++) {
        X(emitter) *e = &s->emitters[k];
        double way[3];
        e->by_cells = has_flow(s, k) && direction_of(&scene->inflows.items[k], way);
        if (!e->by_cells)
            continue;
        bool off = e->off;
        e->off = false; /* its cells as they are when it is open */
        X(mark_flows)(s);
        e->area = area_of(s, k, way);
        int axes = 0;
        FOR_DIM(d)
            axes += way[d] != 0;
        if (axes > 1 && e->area > 0) /* a hair less: more places than particles come in */
            e->area = 0.98 * shadow_of(s, k, way);
        e->off = off;
        if (!(e->area > 0)) {
            char where[64];
            snprintf(where, sizeof where, "inflows[%d].flow", k);
            return sp_fail(error, SPATE_ERROR_SCENE, where,
                           "flows through nothing: no open face of a cell is on the side that its "
                           "velocity points to; make the shape larger or turn its velocity away "
                           "from walls and solids");
        }
    }
    X(follow_time)(s, 0, 0);
    return SPATE_OK;
}

/* The velocity of an inflow over a step, m/s. */
static void inflow_velocity(const X(sim) *s, int k, double from, double to, float v[DIM])
{
    const spate_scene *scene = s->common->scene;
    const spate_shape *shape = &scene->inflows.items[k];
    double way[3] = {0, 0, 0}, value[3], flow = shape->flow;
    if (s->emitters[k].by_cells) {
        if (sp_keys_mean(scene, SP_KEYED_FLOW, k, from, to, value))
            flow = value[0];
        direction_of(shape, way);
        double face = DIM == 3 ? s->grid.dx * s->grid.dx : s->grid.dx;
        FOR_DIM(d)
            v[d] = (float)(way[d] * flow / (s->emitters[k].area * face));
        return;
    }
    bool keyed = sp_keys_mean(scene, SP_KEYED_VELOCITY, k, from, to, value);
    FOR_DIM(d)
        v[d] = (float)(keyed ? value[d] : shape->velocity[d]);
}

/* Opens and closes flows, and gives inflows their velocities; whether anything changed. */
static bool follow_flows(X(sim) *s, double time, double dt, double late)
{
    const spate_scene *scene = s->common->scene;
    bool marks = false, changed = false;
    for (int k = 0; k < s->emitter_count; k++) {
        X(emitter) *e = &s->emitters[k];
        bool open = sp_is_open(&scene->inflows.items[k], time + late) && !e->shut;
        float v[DIM];
        if (open == e->off) {
            e->off = !open;
            e->started = false;
            marks = true;
        }
        inflow_velocity(s, k, time, time + dt, v);
        changed = changed || memcmp(v, e->velocity, sizeof v) != 0;
        memcpy(e->velocity, v, sizeof v);
        memcpy(s->inflow_velocity + (size_t)k * DIM, v, sizeof v);
    }
    for (int k = 0; k < s->drain_count; k++) {
        bool open = sp_is_open(&scene->outflows.items[k], time + late);
        if (open == s->drain_off[k]) {
            s->drain_off[k] = !open;
            X(bound_drain)(s, k);
            marks = true;
        }
    }
    if (marks) {
        X(fetch)(s, GROUP_SOLIDS);
        X(dirty)(s, GROUP_SOLIDS);
        X(mark_flows)(s);
    }
    return marks || changed;
}

/* ---- settings */

static void follow_settings(X(sim) *s, double time)
{
    spate_scene *scene = s->common->scene;
    double value[3];
    if (sp_keys_mean(scene, SP_KEYED_GRAVITY, 0, time, time, value))
        FOR_DIM(d)
            s->common->gravity[d] = value[d];
    if (sp_keys_mean(scene, SP_KEYED_FLIP_RATIO, 0, time, time, value))
        scene->fluid.flip_ratio = fmin(fmax(value[0], 0), 1);
    for (int k = 0; k < 2 * DIM; k++)
        if (sp_keys_mean(scene, SP_KEYED_ROUGHNESS, k, time, time, value))
            scene->domain.roughness[k / 2][k % 2] = value[0];
}

void X(follow_time)(X(sim) *s, double time, double dt)
{
    double late = 2e-6 / s->common->scene->fps; /* as near as the clock takes a frame's end */
    if (s->common->scene->keyframe_count > 0)
        follow_settings(s, time);
    if (follow_flows(s, time, dt, late) && s->gpu && s->device->flows_changed)
        s->device->flows_changed(s);
}

/* ---- fills that appear */

typedef struct arrival {
    X(sim) *s;
    const spate_shape *fill;
    uint32_t *held; /* per cell of the grid without its border: particles */
    spate_error *error;
    spate_status status;
} arrival;

static size_t cell_number(const X(grid) *g, const float x[DIM])
{
    size_t number = 0;
    for (int d = DIM - 1; d >= 0; d--) {
        int cell = X(floor)(x[d]);
        cell = cell < 0 ? 0 : cell >= g->n[d] ? g->n[d] - 1 : cell;
        number = number * (size_t)g->n[d] + (size_t)cell;
    }
    return number;
}

/* What is given as particles comes as it is; of others a cell takes what it lacks. */
static void arrive(void *user, const float x[DIM], const float v[DIM], const float *initial)
{
    arrival *a = user;
    X(sim) *s = a->s;
    float velocity[DIM];
    uint32_t *held = &a->held[cell_number(&s->grid, x)];
    bool counted = a->fill->shape == SPATE_SHAPE_PARTICLES || sp_is_sampled(a->fill);
    if (a->status != SPATE_OK || (!counted && (float)*held >= s->rest))
        return;
    a->status = X(make_room)(s, (uint64_t)s->particles.count + 1, a->error);
    if (a->status != SPATE_OK)
        return;
    ++*held;
    FOR_DIM(d)
        velocity[d] = v[d] - X(gravity_kick)(s, d, 0); /* as of the middle of the last step */
    X(particles_append)(&s->particles, x, velocity, initial);
}

static spate_status add_fill(X(sim) *s, int fill, spate_error *error)
{
    size_t cells = 1;
    FOR_DIM(d)
        cells *= (size_t)s->grid.n[d];
    arrival a = {.s = s, .fill = &s->common->scene->fill.items[fill], .error = error};
    a.held = sp_alloc(cells, sizeof *a.held);
    if (!a.held)
        return sp_fail_memory(error, "a fill", cells * sizeof *a.held);
    X(fetch)(s, GROUP_PARTICLES);
    X(dirty)(s, GROUP_PARTICLES);
    uint32_t before = s->particles.count;
    for (uint32_t k = 0; k < before; k++) {
        float x[DIM];
        FOR_DIM(d)
            x[d] = s->particles.x[d][k];
        a.held[cell_number(&s->grid, x)]++;
    }
    spate_status status = X(seed_late)(s, fill, arrive, &a, error);
    sp_free(a.held);
    X(book_arrivals)(s, before);
    s->common->added += s->particles.count - before;
    s->common->flow_speed = 0;
    return status == SPATE_OK ? a.status : status;
}

spate_status X(appear)(X(sim) *s, double after, double until, bool *appeared, spate_error *error)
{
    const spate_scene *scene = s->common->scene;
    for (int k = 0; k < scene->fill.count; k++) {
        double start = scene->fill.items[k].start;
        if (!(start > 0) || start <= after || start > until)
            continue;
        TRY(add_fill(s, k, error));
        *appeared = true;
    }
    return SPATE_OK;
}
