/* emit.c -- the stage EMIT: inflows give, outflows and open sides take, and every particle is
 * counted.
 *
 * An inflow is a lattice of places, n per cell and axis, jittered like a fill, that travels with
 * the inflow's velocity. The cells of an inflow have that velocity prescribed on their faces, so
 * the particles inside travel with the lattice. A place that comes into the shape gives one
 * particle, where it is at the end of the step (at the first step all places inside do), unless
 * some other particle already is in it: the flow leaves without gaps and without overlap, at
 * exactly the flux that was asked, however far it goes in a step. */
#include "cpu.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

typedef struct emit_args {
    X(sim) *s;
    const X(lattice) *lattice;
    _Atomic uint8_t *occupied;
    _Atomic uint64_t drained;
} emit_args;

/* Marks the lattice places of an emitter that hold a particle. */
static void occupy_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    emit_args *args = user;
    X(particles) *p = &args->s->particles;
    for (size_t k = begin; k < end; k++) {
        float x[DIM];
        size_t place;
        FOR_DIM(d)
            x[d] = p->x[d][k];
        if (X(lattice_place)(args->lattice, x, &place))
            atomic_store_explicit(&args->occupied[place], 1, memory_order_relaxed);
    }
}

static spate_status make_places(X(emitter) *e, size_t places, spate_error *error)
{
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

static spate_status emit(X(sim) *s, X(emitter) *e, const X(lattice) *l, size_t places,
                         spate_error *error)
{
    for (size_t place = 0; place < places; place++) {
        if (atomic_load_explicit(&e->occupied[place], memory_order_relaxed)) {
            atomic_store_explicit(&e->occupied[place], 0, memory_order_relaxed);
            continue;
        }
        double x[DIM];
        float position[DIM];
        X(lattice_point)(l, place, x);
        if (!X(comes_in)(l, x))
            continue;
        FOR_DIM(d)
            position[d] = (float)x[d];
        TRY(X(particles_reserve)(s, (uint64_t)s->particles.count + 1, error));
        X(particles_append)(s, position, e->velocity, e->source);
        s->common->added++;
    }
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
            if (X(shape_holds)(&s->grid, &s->drains[drain], &s->drains[drain].rest, x)) {
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
    for (int k = 0; k < s->emitter_count; k++) {
        X(emitter) *e = &s->emitters[k];
        X(lattice) lattice;
        if (e->off)
            continue;
        size_t places = X(emitter_advance)(s, e, dt, &lattice);
        TRY(make_places(e, places, error));
        args.lattice = &lattice;
        args.occupied = e->occupied;
        sp_parallel_for(s->common->pool, s->particles.count, 4096, occupy_range, &args);
        TRY(emit(s, e, &lattice, places, error));
    }
    return X(reseed)(s, error);
}
