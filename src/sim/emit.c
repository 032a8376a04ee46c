/* emit.c -- the stage EMIT: inflows give, outflows and open sides take, and every particle is
 * counted.
 *
 * An inflow is a lattice of places, n per cell and axis, jittered like a fill, that travels with
 * the inflow's velocity. The cells of an inflow have that velocity prescribed on their faces, so
 * the particles inside travel with the lattice. A place that comes into the shape gives one
 * particle, where it is at the end of the step (at the first step all places inside do), unless
 * some other particle already is in it: the flow leaves without gaps and without overlap, at
 * exactly the flux that was asked, however far it goes in a step. */
#include "state.h"

#include "kernels/faces.h"
#include "kernels/random.h"

#include <math.h>
#include <stdatomic.h>
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

static bool inside(const X(sim) *s, const sp_shape *form, const sp_pose *pose, const double x[DIM])
{
    double world[3] = {0, 0, 0};
    FOR_DIM(d)
        world[d] = x[d] * s->grid.dx;
    return sp_shape_holds(form, pose, world);
}

static void mark_cells(X(sim) *s, const sp_shape *form, const sp_pose *pose, uint8_t mark,
                       int which)
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
                if (!inside(s, form, pose, middle) || s->marks[index])
                    continue;
                s->marks[index] = mark;
                s->mark_of[index] = (int16_t)which;
            }
}

static spate_status make_emitter(X(sim) *s, X(emitter) *e, const spate_shape *shape, int source,
                                 spate_error *error)
{
    int n = s->common->scene->liquid.particles_per_axis;
    size_t places = 1;
    sp_shape_prepare(&e->form, shape, DIM);
    e->pose = e->form.rest;
    e->source = source;
    bounds_in_domain(s, &e->form, &e->pose, e->low, e->high);
    FOR_DIM(d) {
        e->velocity[d] = (float)shape->velocity[d];
        e->low[d] *= n;
        e->high[d] *= n;
        /* room for ten cells of way; longer steps make more */
        places *= (size_t)(ceil(e->high[d] - e->low[d]) + 3 + 10 * n);
    }
    e->occupied = sp_alloc(places, sizeof *e->occupied);
    e->places = e->occupied ? places : 0;
    return e->occupied ? SPATE_OK : sp_fail_memory(error, "an inflow", places);
}

spate_status X(emitters_create)(X(sim) *s, spate_error *error)
{
    const spate_scene *scene = s->common->scene;
    int inflows = scene->inflows.count, outflows = scene->outflows.count;
    s->emitters = sp_alloc((size_t)inflows + 1, sizeof *s->emitters);
    s->drains = sp_alloc((size_t)outflows + 1, sizeof *s->drains);
    s->inflow_velocity = sp_alloc(((size_t)inflows + 1) * DIM, sizeof *s->inflow_velocity);
    if (!s->emitters || !s->drains || !s->inflow_velocity)
        return sp_fail_memory(error, "inflows and outflows", 0);
    for (int k = 0; k < inflows; k++) {
        s->emitter_count++;
        TRY(make_emitter(s, &s->emitters[k], &scene->inflows.items[k], scene->fill.count + k,
                         error));
        memcpy(s->inflow_velocity + k * DIM, s->emitters[k].velocity, sizeof(float[DIM]));
        mark_cells(s, &s->emitters[k].form, &s->emitters[k].pose, MARK_INFLOW, k);
    }
    for (int k = 0; k < outflows; k++) {
        s->drain_count++;
        sp_shape_prepare(&s->drains[k], &scene->outflows.items[k], DIM);
        mark_cells(s, &s->drains[k], &s->drains[k].rest, MARK_OUTFLOW, k);
    }
    return SPATE_OK;
}

void X(emitters_destroy)(X(sim) *s)
{
    for (int k = 0; k < s->emitter_count; k++)
        sp_free((void *)s->emitters[k].occupied);
    sp_free(s->emitters);
    sp_free(s->drains);
    sp_free(s->inflow_velocity);
}

static void prescribe_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = user;
    const X(grid) *g = &s->grid;
    for (size_t k = begin; k < end; k++) {
        int first[DIM], cell[DIM];
        X(tile_cell)(g, s->tiles.active[k], first);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                X(row_cell)(first, r, cell);
                cell[0] += i;
                if (X(inside)(g, cell))
                    X(prescribe_cell)(g, s->type, s->mark_of, s->inflow_velocity, s->u, cell);
            }
    }
}

void X(prescribe_inflow)(X(sim) *s)
{
    sp_parallel_for(s->common->pool, (size_t)s->tiles.active_count, 4, prescribe_range, s);
}

typedef struct emit_args {
    X(sim) *s;
    X(emitter) *emitter;
    long first[DIM]; /* lattice place at the corner of the emitter's box */
    double way;      /* sub-cells, the farthest that its lattice moves in the step along an axis */
    _Atomic uint64_t drained;
} emit_args;

/* Marks the lattice places of an emitter that hold a particle. */
static void occupy_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    emit_args *args = user;
    X(sim) *s = args->s;
    const X(emitter) *e = args->emitter;
    int n = s->common->scene->liquid.particles_per_axis;
    for (size_t k = begin; k < end; k++) {
        size_t place = 0;
        bool in_box = true;
        for (int d = DIM - 1; d >= 0 && in_box; d--) {
            double at = (double)s->particles.x[d][k] * n;
            in_box = at >= e->low[d] - args->way - 1 && at <= e->high[d] + args->way + 1;
            long i = in_box ? (long)floor(at - e->travelled[d]) - args->first[d] : 0;
            in_box = in_box && i >= 0 && i < e->size[d];
            place = place * (size_t)e->size[d] + (size_t)i;
        }
        if (in_box)
            atomic_store_explicit(&e->occupied[place], 1, memory_order_relaxed);
    }
}

/* Whether a particle may stand at a place (cells). */
static bool has_room(const X(sim) *s, const double x[DIM])
{
    double world[3] = {0, 0, 0};
    FOR_DIM(d) {
        if (!(x[d] >= CLEARANCE && x[d] <= s->grid.n[d] - CLEARANCE))
            return false;
        world[d] = x[d] * s->grid.dx;
    }
    return s->solids.live == 0 ||
           sp_solids_distance(&s->solids, world, NULL, NULL) >= CLEARANCE * s->grid.dx;
}

/* Whether the lattice place that is at x at the end of the step has come in during it: looked up at
 * `parts` moments. */
static bool comes_in(const X(sim) *s, const X(emitter) *e, const double x[DIM], double dt,
                     int parts)
{
    double at[DIM];
    if (!has_room(s, x))
        return false;
    for (int part = 0; part <= parts; part++) {
        FOR_DIM(d)
            at[d] = x[d] - e->velocity[d] * dt / s->grid.dx * (parts - part) / parts;
        bool in = has_room(s, at) && inside(s, &e->form, &e->pose, at);
        if (part == 0 && in && e->started)
            return false;
        if (part > 0 && in)
            return true;
    }
    return false;
}

/* The box of lattice places that an emitter may reach in a step, in sub-cells. */
static spate_status place_box(X(sim) *s, X(emitter) *e, double dt, long first[DIM],
                              spate_error *error)
{
    int n = s->common->scene->liquid.particles_per_axis;
    size_t places = 1;
    FOR_DIM(d) {
        double way = e->velocity[d] * dt / s->grid.dx * n;
        e->travelled[d] += way;
        first[d] = (long)floor(e->low[d] + fmin(way, 0) - e->travelled[d]) - 1;
        e->size[d] = (int)ceil(e->high[d] - e->low[d] + fabs(way)) + 3;
        places *= (size_t)e->size[d];
    }
    if (places <= e->places)
        return SPATE_OK;
    sp_free((void *)e->occupied);
    e->places = 0;
    e->occupied = sp_alloc(places, sizeof *e->occupied);
    if (!e->occupied)
        return sp_fail_memory(error, "an inflow", places);
    e->places = places;
    return SPATE_OK;
}

static spate_status emit(X(sim) *s, emit_args *args, double dt, spate_error *error)
{
    X(emitter) *e = args->emitter;
    const spate_scene *scene = s->common->scene;
    int n = scene->liquid.particles_per_axis;
    size_t places = 1;
    double way = 0;
    FOR_DIM(d) {
        places *= (size_t)e->size[d];
        way += fabs(e->velocity[d]) * dt / s->grid.dx * n;
    }
    int parts = 1 + (int)fmin(4 * way, 1000);
    for (size_t place = 0; place < places; place++) {
        if (atomic_load_explicit(&e->occupied[place], memory_order_relaxed)) {
            atomic_store_explicit(&e->occupied[place], 0, memory_order_relaxed);
            continue;
        }
        uint64_t key = sp_hash2(sp_mix(scene->liquid.seed), (uint64_t)e->source);
        size_t rest = place;
        long at[DIM];
        FOR_DIM(d) {
            at[d] = args->first[d] + (long)(rest % (size_t)e->size[d]);
            rest /= (size_t)e->size[d];
            key = sp_hash2(key, (uint64_t)at[d]);
        }
        double x[DIM];
        float position[DIM];
        FOR_DIM(d) {
            double jitter = scene->liquid.jitter * (sp_uniform(sp_hash2(key, (uint64_t)d)) - 0.5);
            x[d] = ((double)at[d] + 0.5 + jitter + e->travelled[d]) / n;
            position[d] = (float)x[d];
        }
        if (!comes_in(s, e, x, dt, parts))
            continue;
        TRY(X(particles_reserve)(s, (uint64_t)s->particles.count + 1, error));
        X(particles_append)(s, position, e->velocity, e->source);
        s->common->added++;
    }
    e->started = true;
    return SPATE_OK;
}

static void drain_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    emit_args *args = user;
    X(sim) *s = args->s;
    for (size_t k = begin; k < end; k++) {
        double x[DIM];
        FOR_DIM(d)
            x[d] = s->particles.x[d][k];
        if (s->particles.x[0][k] == DEAD)
            continue;
        for (int drain = 0; drain < s->drain_count; drain++)
            if (inside(s, &s->drains[drain], &s->drains[drain].rest, x)) {
                s->particles.x[0][k] = DEAD;
                atomic_fetch_add_explicit(&args->drained, 1, memory_order_relaxed);
                break;
            }
    }
}

spate_status X(emit_and_drain)(X(sim) *s, double dt, spate_error *error)
{
    emit_args args = {.s = s};
    if (s->drain_count > 0)
        sp_parallel_for(s->common->pool, s->particles.count, 4096, drain_range, &args);
    s->common->removed_outflow += args.drained;
    if (s->dead + args.drained > 0)
        X(particles_remove_dead)(s);
    s->dead = 0;
    int n = s->common->scene->liquid.particles_per_axis;
    for (int k = 0; k < s->emitter_count; k++) {
        X(emitter) *e = args.emitter = &s->emitters[k]; /* its lattice moves on */
        TRY(place_box(s, e, dt, args.first, error));
        args.way = 0;
        FOR_DIM(d)
            args.way = fmax(args.way, fabs(e->velocity[d]) * dt / s->grid.dx * n);
        sp_parallel_for(s->common->pool, s->particles.count, 4096, occupy_range, &args);
        TRY(emit(s, &args, dt, error));
    }
    return X(reseed)(s, error);
}
