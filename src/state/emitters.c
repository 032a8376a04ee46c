/* emitters.c -- inflows and outflows: their shapes, the cells that they mark, and the lattice of
 * places by which an inflow gives particles (stages/emit.c says how). Also the order of the stage
 * EMIT, which is the same on all devices, and its ledger. */
#include "device.h"

#include "kernels/faces.h"

#include <math.h>
#include <string.h>

/* Bounds of a shape in the world, cut to the domain, in cells. */
static void bounds_in_domain(const X(sim) *s, const sp_shape *form, const sp_pose *pose,
                             double low[DIM], double high[DIM])
{
    double least[3], most[3];
    sp_shape_bounds_at(form, pose, least, most);
    FOR_DIM(d) {
        low[d] = fmin(fmax(least[d] / s->grid.dx, 0), s->grid.n[d]);
        high[d] = fmin(fmax(most[d] / s->grid.dx, low[d]), s->grid.n[d]);
    }
}

/* level: m, cells whose middle is below it are left out. */
static void mark_cells(X(sim) *s, const sp_shape *form, const sp_pose *pose, uint8_t mark,
                       int which, double level)
{
    double low[DIM], high[DIM];
    int from[3] = {0, 0, 0}, to[3] = {1, 1, 1}, c[3];
    bounds_in_domain(s, form, pose, low, high);
    FOR_DIM(d) {
        from[d] = (int)low[d];
        to[d] = (int)ceil(high[d]);
    }
    for (c[2] = from[2]; c[2] < to[2]; c[2]++)
        for (c[1] = from[1]; c[1] < to[1]; c[1]++)
            for (c[0] = from[0]; c[0] < to[0]; c[0]++) {
                double middle[DIM];
                FOR_DIM(d)
                    middle[d] = c[d] + 0.5;
                size_t index = X(index)(&s->grid, c);
                if (!X(shape_holds)(&s->grid, form, pose, middle) || s->marks[index] ||
                    middle[1] * s->grid.dx < level)
                    continue;
                s->marks[index] = mark;
                s->mark_of[index] = (int16_t)which;
            }
}

static spate_status reserve_marks(X(emitter) *e, size_t places, spate_error *error)
{
    if (places <= e->places)
        return SPATE_OK;
    sp_free(e->marks);
    e->marks = sp_alloc(places, sizeof *e->marks);
    e->places = e->marks ? places : 0;
    return e->marks ? SPATE_OK : sp_fail_memory(error, "an inflow", places);
}

static spate_status make_emitter(X(sim) *s, X(emitter) *e, const spate_shape *shape, int source,
                                 spate_error *error)
{
    int n = s->common->scene->fluid.particles_per_axis;
    size_t places = 1;
    sp_shape_prepare(&e->form, shape, DIM);
    e->pose = e->form.rest;
    e->source = source;
    bounds_in_domain(s, &e->form, &e->pose, e->low, e->high);
    FOR_DIM(d) {
        if (shape->flow > 0 || s->common->scene->keyframe_count > 0) { /* perhaps by whole cells */
            e->low[d] = floor(e->low[d]);
            e->high[d] = fmin(ceil(e->high[d]), s->grid.n[d]);
        }
        e->velocity[d] = (float)shape->velocity[d];
        e->low[d] *= n;
        e->high[d] *= n;
        /* room for ten cells of way; longer steps make more */
        places *= (size_t)(ceil(e->high[d] - e->low[d]) + 3 + 10 * n);
    }
    return reserve_marks(e, places, error);
}

/* Bounds of an outflow or kill zone, cells, a hair wider than the shape: places are floats. */
void X(bound_shape)(double dx, const sp_shape *shape, float bounds[2 * DIM])
{
    double low[3], high[3];
    sp_shape_bounds_at(shape, &shape->rest, low, high);
    FOR_DIM(d) {
        bounds[d] = (float)fmax(low[d] / dx - 0.01, -1e9);
        bounds[DIM + d] = (float)fmin(high[d] / dx + 0.01, 1e9);
    }
}

/* `level` cuts off what is below; a closed one holds nothing. */
void X(bound_drain)(X(sim) *s, int outflow)
{
    float *bounds = s->drain_bounds + (size_t)outflow * 2 * DIM;
    double level = s->common->scene->outflows.items[outflow].level;
    X(bound_shape)(s->grid.dx, &s->drains[outflow], bounds);
    if (level > 0)
        bounds[1] = (float)fmax((double)bounds[1], level / s->grid.dx);
    if (s->drain_off[outflow])
        bounds[0] = 1e9f;
}

spate_status X(emitters_create)(X(sim) *s, spate_error *error)
{
    const spate_scene *scene = s->common->scene;
    int inflows = scene->inflows.count, outflows = scene->outflows.count;
    s->emitters = sp_alloc((size_t)inflows + 1, sizeof *s->emitters);
    s->drains = sp_alloc((size_t)outflows + 1, sizeof *s->drains);
    s->drain_bounds = sp_alloc((size_t)outflows + 1, 2 * DIM * sizeof *s->drain_bounds);
    s->drain_off = sp_alloc((size_t)outflows + 1, sizeof *s->drain_off);
    s->inflow_velocity = sp_alloc(((size_t)inflows + 1) * DIM, sizeof *s->inflow_velocity);
    if (!s->emitters || !s->drains || !s->drain_bounds || !s->drain_off || !s->inflow_velocity)
        return sp_fail_memory(error, "inflows and outflows", 0);
    for (int k = 0; k < inflows; k++) {
        s->emitter_count++;
        TRY(make_emitter(s, &s->emitters[k], &scene->inflows.items[k], scene->fill.count + k,
                         error));
        memcpy(s->inflow_velocity + k * DIM, s->emitters[k].velocity, sizeof(float[DIM]));
    }
    for (int k = 0; k < outflows; k++) {
        s->drain_count++;
        sp_shape_prepare(&s->drains[k], &scene->outflows.items[k], DIM);
        X(bound_drain)(s, k);
    }
    X(mark_flows)(s);
    return SPATE_OK;
}

void X(mark_flows)(X(sim) *s)
{
    if (!s->marks)
        return;
    memset(s->marks, 0, s->grid.size * sizeof *s->marks);
    for (int k = 0; k < s->emitter_count; k++)
        if (!s->emitters[k].off)
            mark_cells(s, &s->emitters[k].form, &s->emitters[k].pose, MARK_INFLOW, k, 0);
    for (int k = 0; k < s->drain_count; k++)
        if (!s->drain_off[k])
            mark_cells(s, &s->drains[k], &s->drains[k].rest, MARK_OUTFLOW, k,
                       s->common->scene->outflows.items[k].level);
}

void X(emitters_destroy)(X(sim) *s)
{
    for (int k = 0; k < s->emitter_count; k++)
        sp_free(s->emitters[k].marks);
    sp_free(s->emitters);
    sp_free(s->drains);
    sp_free(s->drain_bounds);
    sp_free(s->drain_off);
    sp_free(s->inflow_velocity);
}

X(outflows) X(outflows_of)(const X(sim) *s)
{
    return (X(outflows)){.shapes = s->drains, .bounds = s->drain_bounds, .count = s->drain_count};
}

/* ---- EMIT */

/* The lattice of an emitter moves on by dt; returns how many places it has then. */
static size_t advance(const X(sim) *s, X(emitter) *e, double dt, X(lattice) *l)
{
    const spate_scene *scene = s->common->scene;
    int n = scene->fluid.particles_per_axis;
    size_t places = 1;
    double sum = 0;
    *l = (X(lattice)){.form = &e->form,
                      .pose = e->pose,
                      .dt = dt,
                      .n = n,
                      .started = e->started,
                      .cells = e->by_cells ? 1 + (int)(e - s->emitters) : 0,
                      .key = sp_hash2(sp_mix(scene->fluid.seed), (uint64_t)e->source),
                      .jitter = scene->fluid.jitter};
    FOR_DIM(d) {
        double way = e->velocity[d] * dt / s->grid.dx * n;
        e->travelled[d] += way;
        l->velocity[d] = e->velocity[d];
        l->travelled[d] = e->travelled[d];
        l->low[d] = e->low[d];
        l->high[d] = e->high[d];
        l->first[d] = (int64_t)floor(e->low[d] + fmin(way, 0) - e->travelled[d]) - 1;
        l->size[d] = (int)ceil(e->high[d] - e->low[d] + fabs(way)) + 3;
        l->way = fmax(l->way, fabs(way));
        sum += fabs(way);
        places *= (size_t)l->size[d];
    }
    l->parts = 1 + (int)fmin(4 * sum, 1000);
    e->started = true;
    return places;
}

/* Particles of the volume that an inflow with a flow gives in dt. */
static double particles_in(const X(sim) *s, const X(emitter) *e, double dt)
{
    double square = 0, n = s->common->scene->fluid.particles_per_axis;
    FOR_DIM(d)
        square += (double)e->velocity[d] * (double)e->velocity[d];
    double cells = sqrt(square) * dt / s->grid.dx * e->area;
    return cells * (DIM == 3 ? n * n * n : n * n);
}

/* Room for `count` new particles, and what they are to be. source: the value of that channel. */
static spate_status expect(X(sim) *s, uint32_t count, int source, const X(emission) *parts,
                           X(newcomers) *what, spate_error *error)
{
    X(particles) *p = &s->particles;
    TRY(X(make_room)(s, (uint64_t)p->count + count, error));
    if (parts->make_room)
        parts->make_room(s);
    what->count = count;
    what->first = p->count;
    what->first_id = p->next_id;
    X(initial_channels)(s->common->scene, source, what->initial);
    p->count += count;
    p->next_id += count;
    p->sorted = false;
    p->fastest = -1.0f;
    return SPATE_OK;
}

/* Particles at the free places of the lattice of emitter k, at most `most`. */
static spate_status emit(X(sim) *s, int k, const X(lattice) *lattice, size_t places, uint32_t most,
                         const X(emission) *parts, spate_error *error)
{
    X(emitter) *e = &s->emitters[k];
    TRY(reserve_marks(e, places, error));
    X(inflow) inflow = {.lattice = *lattice, .marks = e->marks};
    uint32_t count = parts->find(s, k, &inflow, places);
    count = count < most ? count : most;
    if (count == 0)
        return SPATE_OK;
    TRY(expect(s, count, e->source, parts, &inflow.what, error));
    parts->put(s, &inflow, places);
    return SPATE_OK;
}

/* An inflow with a flow has an account, which decides how many particles come: first at places that
 * come in, then at others that are free. What its cells hold when it opens is not of the flow. */
static spate_status emit_flow(X(sim) *s, int k, X(lattice) *lattice, size_t places,
                              const X(emission) *parts, spate_error *error)
{
    X(emitter) *e = &s->emitters[k];
    if (!lattice->started)
        return emit(s, k, lattice, places, UINT32_MAX, parts, error);
    e->owed += particles_in(s, e, lattice->dt);
    for (int turn = 0; turn < 2 && e->owed >= 0.5; turn++) {
        uint32_t before = s->particles.count, most = (uint32_t)fmin(floor(e->owed + 0.5), 1e9);
        lattice->refill = turn == 1;
        TRY(emit(s, k, lattice, places, most, parts, error));
        e->owed -= s->particles.count - before;
    }
    return SPATE_OK;
}

/* What the particles from `first` on have brought. */
static void book_arrivals(X(sim) *s, const X(emission) *parts, uint32_t first)
{
    for (int c = 0; c < s->particles.own_columns && s->particles.count > first; c++)
        s->common->channels[c].came += parts->sum_channel(s, c, first, false);
}

static void remove_dead(X(sim) *s, const X(emission) *parts)
{
    for (int c = 0; c < s->particles.own_columns; c++)
        s->common->channels[c].left -= parts->sum_channel(s, c, 0, true);
    parts->remove_dead(s);
}

static spate_status emit_all(X(sim) *s, double dt, const X(emission) *parts, spate_error *error)
{
    uint32_t all = s->particles.count;
    for (int k = 0; k < s->emitter_count; k++) {
        X(lattice) lattice;
        X(emitter) *e = &s->emitters[k];
        if (e->off)
            continue;
        size_t places = advance(s, e, dt, &lattice);
        uint32_t before = s->particles.count;
        spate_status status = e->by_cells ? emit_flow(s, k, &lattice, places, parts, error)
                                          : emit(s, k, &lattice, places, UINT32_MAX, parts, error);
        s->common->added += s->particles.count - before;
        TRY(status);
    }
    book_arrivals(s, parts, all);
    return SPATE_OK;
}

static spate_status fill_cells(X(sim) *s, const X(reseeding) *how, const X(emission) *parts,
                               spate_error *error)
{
    X(newcomers) what;
    uint32_t count = parts->count_reseeded(s, how);
    if (count == 0)
        return SPATE_OK;
    TRY(expect(s, count, -1, parts, &what, error));
    parts->put_reseeded(s, how, &what);
    return SPATE_OK;
}

/* Takes `count` particles out of the fullest cells, by lot. */
static void prune(X(sim) *s, uint32_t count, uint64_t key, const X(emission) *parts)
{
    uint32_t most = parts->most_in_cell(s), taken = 0;
    for (uint32_t held = most; held > 1 && taken < count; held--) {
        X(pruning) how = {held, count - taken, key};
        taken += parts->prune(s, &how);
    }
    s->common->removed_reseed += taken;
    s->particles.dead += taken;
}

/* Whether no particle can leave or come but by reseeding. */
static bool is_closed(const X(sim) *s)
{
    bool open = s->emitter_count + s->drain_count > 0;
    FOR_DIM(d)
        open = open || s->sides[d][0] == SPATE_SIDE_OPEN || s->sides[d][1] == SPATE_SIDE_OPEN;
    return !open;
}

static spate_status fill_counted(X(sim) *s, const X(reseeding) *how, const X(emission) *parts,
                                 uint32_t *came, spate_error *error)
{
    uint32_t before = s->particles.count;
    spate_status status = fill_cells(s, how, parts, error);
    *came = s->particles.count - before;
    s->common->added += *came;
    s->common->added_reseed += *came;
    TRY(status);
    book_arrivals(s, parts, before);
    return SPATE_OK;
}

/* Of a gas, by the cells that the particles were in as the step began: no SORT is needed, and in
 * the next step the new ones are where they were missing. */
static spate_status cast_net(X(sim) *s, double dt, const X(emission) *parts, spate_error *error)
{
    X(reseeding) how = X(reseeding_of)(s, dt);
    uint32_t came;
    how.net = true;
    TRY(fill_counted(s, &how, parts, &came, error));
    if (came > 0 && is_closed(s))
        prune(s, came, how.key, parts);
    return SPATE_OK;
}

/* See stages/reseed.c. */
static spate_status reseed(X(sim) *s, double dt, const X(emission) *parts, spate_error *error)
{
    /* where ADVECT has left them; the grid keeps its fields */
    TRY(s->device->plan(s, false)->stage[SP_STAGE_SORT](s, 0, error));
    X(reseeding) how = X(reseeding_of)(s, dt);
    uint32_t came;
    TRY(fill_counted(s, &how, parts, &came, error));
    uint64_t removed = parts->thin(s, &how);
    s->common->removed_reseed += removed;
    s->particles.dead += removed;
    if (removed > 0)
        remove_dead(s, parts);
    return SPATE_OK;
}

spate_status X(emit_in_order)(X(sim) *s, double dt, const X(emission) *parts, spate_error *error)
{
    bool reseeds = s->common->scene->fluid.reseed;
    if (s->common->medium->fills_domain && !reseeds)
        TRY(cast_net(s, dt, parts, error)); /* first: the lists of cells still say where they are */
    uint64_t drained = s->drain_count > 0 ? parts->drain(s) : 0;
    s->common->removed_outflow += drained;
    s->particles.dead += drained;
    if (s->particles.dead > 0)
        remove_dead(s, parts);
    TRY(emit_all(s, dt, parts, error));
    return reseeds ? reseed(s, dt, parts, error) : SPATE_OK;
}
