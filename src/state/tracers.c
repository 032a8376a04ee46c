/* tracers.c -- tracers: their set of particles, and the shapes that they come from. */
#include "tracers.h"

#include "scene/channels.h"

#include <float.h>
#include <math.h>

_Static_assert(TRACER_COUNTS <= SP_SET_COUNTS, "the ledger");

/* The state of the set. */
typedef struct X(trace_state) {
    double until; /* s: what comes before it has come */
    X(tracer_source) *sources;
} X(trace_state);

/* ---- the definition: the rows of tracers.def, and the channels that the grid holds */

static const sp_set_column columns[] = {
#define COLUMN(name, shape, type, output, ...) SET_COLUMN(shape, type, output),
#include "kernels/tracers.def"
};

static const char *const classes[] = {
#define CLASS(NAME, stat, ...) stat,
#include "kernels/tracers.def"
};

static const sp_set_look looks[] = {
#define CLASS(NAME, stat, ...) SET_LOOK(__VA_ARGS__),
#include "kernels/tracers.def"
};

static const sp_set_count counts[TRACER_COUNTS] = {
#define COUNT(NAME, sign, stat, ...) {stat, sign},
#include "kernels/tracers.def"
};

static void add_channels(const spate_scene *scene, X(set) *set)
{
    sp_grid_column on_grid[SP_GRID_COLUMNS];
    int count = sp_grid_columns(scene, on_grid);
    for (int j = 0; j < count; j++) {
        const spate_channel *channel = &scene->channels[on_grid[j].channel];
        float origin = sp_is_temperature(channel) ? (float)scene->fluid.temperature : 0;
        if (on_grid[j].component == 0)
            X(set_add_column)(set, (sp_set_column){.name = channel->name,
                                                   .components = channel->components,
                                                   .origin = origin});
    }
}

/* ---- shapes */

/* m */
static double spacing_of(const spate_shape *shape, double dx)
{
    return shape->spacing > 0 ? shape->spacing : 0.5 * dx;
}

/* The lattice over the part of a shape that is in the domain. */
static X(tracer_source) make_source(const spate_scene *scene, const X(grid) *g, int number)
{
    const spate_shape *shape = &scene->tracers.items[number];
    X(tracer_source) source = {.spacing = spacing_of(shape, g->dx) / g->dx,
                               .rate = shape->rate,
                               .start = shape->start,
                               .until = shape->until > 0 ? shape->until : HUGE_VAL,
                               .life = (float)shape->life,
                               .key = sp_hash2(scene->fluid.seed, (uint64_t)number)};
    double low[3], high[3];
    sp_shape_prepare(&source.form, shape, DIM);
    sp_shape_bounds_at(&source.form, &source.form.rest, low, high);
    FOR_DIM(d) {
        double from = fmax(low[d] / g->dx, 0), to = fmin(high[d] / g->dx, g->n[d]);
        double first = floor(from / source.spacing), end = ceil(to / source.spacing);
        source.first[d] = (int64_t)first;
        source.size[d] = end > first ? (int)(end - first) : 0;
    }
    return source;
}

static spate_status create(X(sim) *s, X(set) *set, spate_error *error)
{
    const spate_scene *scene = s->common->scene;
    X(trace_state) *state = set->state = sp_alloc(1, sizeof *state);
    if (!state)
        return sp_fail_memory(error, "tracers", sizeof *state);
    add_channels(scene, set);
    state->sources = sp_alloc((size_t)scene->tracers.count, sizeof *state->sources);
    if (!state->sources)
        return sp_fail_memory(error, "tracers",
                              (uint64_t)scene->tracers.count * sizeof *state->sources);
    for (int k = 0; k < scene->tracers.count; k++)
        state->sources[k] = make_source(scene, &s->grid, k);
    state->until = -1;
    return SPATE_OK;
}

static void destroy(X(set) *set)
{
    X(trace_state) *state = set->state;
    if (state)
        sp_free(state->sources);
    sp_free(state);
}

/* A source is an index into the list. */
static bool is_sound(const X(sim) *s, const X(set) *set)
{
    const X(trace_state) *state = set->state;
    const X(traces) t = X(traces_of)(set->particles);
    bool sound = state->until >= -1 && state->until < HUGE_VAL;
    for (uint32_t k = 0; k < set->particles->count; k++)
        sound = sound && t.source[k] < (uint32_t)s->common->scene->tracers.count;
    return sound;
}

/* ---- forecasts */

/* m^DIM that a shape has in the domain, by its bounds and what part of these its kind fills. */
static double lattice_points(const X(tracer_source) *source, const spate_shape *shape)
{
    double points = (double)X(lattice_size)(source);
    bool round = shape->shape == SPATE_SHAPE_SPHERE || shape->shape == SPATE_SHAPE_CYLINDER ||
                 shape->shape == SPATE_SHAPE_CAPSULE;
    return round ? points * (DIM == 3 ? 0.524 : 0.785) : points;
}

/* At the end, if none leaves. */
static uint64_t estimate(const spate_scene *scene, const X(grid) *g, uint64_t particles)
{
    double sum = 0, end = scene->frames / scene->fps;
    (void)particles;
    for (int k = 0; k < scene->tracers.count; k++) {
        X(tracer_source) source = make_source(scene, g, k);
        double until = fmin(source.until, end), open = fmax(until - source.start, 0);
        if (source.life > 0)
            open = fmin(open, (double)source.life);
        sum += lattice_points(&source, &scene->tracers.items[k]) *
               (source.rate > 0 ? open * source.rate : 1);
    }
    return (uint64_t)fmin(sum, 4e9);
}

/* ---- steps */

static X(tracing) tracing_of(X(sim) *s, double dt)
{
    const sp_common *common = s->common;
    const X(trace_state) *state = X(set_of)(s, SET_TRACERS)->state;
    uint64_t now;
    X(tracing) how = {.dt = dt,
                      .h = (float)(dt / s->grid.dx),
                      .flies = s->free_flight,
                      .begin = state->until,
                      .end = common->frame / common->scene->fps + common->inside + dt,
                      .sources = state->sources,
                      .outflows = X(outflows_of)(s),
                      .movers = s->movers,
                      .room = X(clearance)(s),
                      .travel = s->solids.travel};
    how.end = how.end > how.begin ? how.end : how.begin;
    memcpy(&now, &how.end, sizeof now);
    how.key = sp_hash2(sp_mix(common->scene->fluid.seed), now);
    FOR_DIM(d)
        how.dv[d] = X(gravity_kick)(s, d, dt);
    return how;
}

const X(tracer_source) *X(tracer_sources)(X(sim) *s)
{
    return ((const X(trace_state) *)X(set_of)(s, SET_TRACERS)->state)->sources;
}

static void traced_until(X(sim) *s, double time)
{
    ((X(trace_state) *)X(set_of)(s, SET_TRACERS)->state)->until = time;
}

static void move(X(sim) *s, X(set) *set, const X(tracing) *how, const X(trace_parts) *parts)
{
    X(lost_tracers) lost = parts->move(s, set, how);
    uint32_t dead = 0;
    for (int n = 0; n < TRACER_COUNTS; n++) {
        set->ledger.counts[0][n] += lost.number[n];
        dead += lost.number[n];
    }
    if (dead > 0)
        parts->remove_dead(s, set, dead);
}

static spate_status emit(X(sim) *s, X(set) *set, const X(tracing) *how, int source,
                         const X(trace_parts) *parts, spate_error *error)
{
    X(new_tracers) new = {.source = source, .places = X(lattice_size)(&how->sources[source])};
    uint32_t count = parts->count(s, how, &new);
    if (count == 0)
        return SPATE_OK;
    TRY(X(set_grow)(set, count, &new.first, &new.first_id, error));
    parts->put(s, set, how, &new);
    set->ledger.counts[0][TRACER_EMITTED] += count;
    return SPATE_OK;
}

spate_status X(trace_in_order)(X(sim) *s, double dt, const X(trace_parts) *parts,
                               spate_error *error)
{
    X(set) *set = X(set_of)(s, SET_TRACERS);
    X(tracing) how = tracing_of(s, dt);
    if (set->particles->count > 0)
        move(s, set, &how, parts);
    for (int k = 0; k < s->common->scene->tracers.count; k++)
        if (X(source_is_open)(&how.sources[k], how.begin, how.end))
            TRY(emit(s, set, &how, k, parts, error));
    traced_until(s, how.end);
    return SPATE_OK;
}

/* ---- those that are there at the start */

static spate_status begin_source(X(sim) *s, X(set) *set, const X(tracing) *how, int number,
                                 spate_error *error)
{
    const X(fields) f = X(fields_of)(s);
    const X(tracer_source) *source = &how->sources[number];
    for (size_t k = 0, places = X(lattice_size)(source); k < places; k++) {
        uint32_t first, id, count = X(point_gives)(&f, how, source, k);
        if (count == 0)
            continue;
        TRY(X(set_grow)(set, count, &first, &id, error));
        X(traces) t = X(traces_of)(set->particles);
        for (uint32_t n = 0; n < count; n++)
            X(put_tracer)(&f, how, number, k, n, &t, first + n, id + n);
        set->ledger.counts[0][TRACER_EMITTED] += count;
    }
    return SPATE_OK;
}

/* The time 0, and nothing after it. */
static spate_status begin(X(sim) *s, X(set) *set, spate_error *error)
{
    X(tracing) how = tracing_of(s, 0);
    how.end = DBL_MIN;
    for (int k = 0; k < s->common->scene->tracers.count; k++)
        if (X(source_is_open)(&how.sources[k], how.begin, how.end))
            TRY(begin_source(s, set, &how, k, error));
    traced_until(s, how.end);
    return SPATE_OK;
}

const X(set_kind) X(tracers_set) = {
    .base = {.name = "tracers",
             .columns = columns,
             .column_count = sizeof columns / sizeof *columns,
             .classes = classes,
             .looks = looks,
             .class_count = sizeof classes / sizeof *classes,
             .class_column = -1,
             .counts = counts,
             .count_count = TRACER_COUNTS,
             .crushed = TRACER_CRUSHED,
             .saved_bytes = offsetof(X(trace_state), sources)},
    .when = WHEN_TRACERS,
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .is_sound = is_sound,
    .estimate = estimate,
};
