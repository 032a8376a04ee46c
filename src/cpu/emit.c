/* emit.c -- the stage EMIT: inflows give, outflows and open sides take, and every particle is
 * counted.
 *
 * An inflow is a lattice of places, n per cell and axis, jittered like a fill, that travels with
 * the inflow's velocity. The cells of an inflow have that velocity prescribed on their faces, so
 * the particles inside travel with the lattice. A place that comes into the shape gives one
 * particle, where it is at the end of the step (at the first step all places inside do), unless
 * some other particle already is in it: the flow leaves without gaps and without overlap, at
 * exactly the flux that was asked, however far it goes in a step. One particle and one place are in
 * kernels/emit.h; the order of what comes and goes, and the ledger, in state/emitters.c. */
#include "cpu.h"

#include "kernels/faces.h"

#include <stdatomic.h>

typedef struct emit_args {
    X(fields) f;
    X(outflows) outflows;
    const X(lattice) *lattice;
    _Atomic uint8_t *occupied;
    _Atomic uint64_t drained;
} emit_args;

/* ---- outflows */

static void drain_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    emit_args *args = user;
    uint64_t drained = 0;
    for (size_t k = begin; k < end; k++)
        drained += X(drain)(&args->f, &args->outflows, k);
    atomic_fetch_add_explicit(&args->drained, drained, memory_order_relaxed);
}

static uint64_t drain(X(sim) *s)
{
    emit_args args = {.f = X(fields_of)(s), .outflows = X(outflows_of)(s)};
    sp_parallel_pass(s->common->pool, s->particles.count, 4096, drain_range, &args);
    return args.drained;
}

static void remove_dead(X(sim) *s)
{
    X(particles_remove_dead)(&s->particles);
}

/* ---- inflows */

/* Marks the lattice places of an emitter that hold a particle. */
static void occupy_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    emit_args *args = user;
    for (size_t k = begin; k < end; k++) {
        size_t place;
        if (X(occupied_place)(&args->f, args->lattice, k, &place))
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

static spate_status emit(X(sim) *s, int k, const X(lattice) *lattice, size_t places, uint32_t most,
                         spate_error *error)
{
    X(emitter) *e = &s->emitters[k];
    float initial[CHANNEL_COLUMNS];
    X(initial_channels)(s->common->scene, e->source, initial);
    TRY(make_places(e, places, error));
    emit_args args = {.f = X(fields_of)(s), .lattice = lattice, .occupied = e->occupied};
    sp_parallel_pass(s->common->pool, s->particles.count, 4096, occupy_range, &args);
    for (size_t place = 0; place < places; place++) {
        float x[DIM];
        if (atomic_load_explicit(&e->occupied[place], memory_order_relaxed)) {
            atomic_store_explicit(&e->occupied[place], 0, memory_order_relaxed);
            continue;
        }
        if (most == 0 || !X(place_gives)(&args.f, lattice, place))
            continue;
        most--;
        X(place_point)(lattice, place, x);
        TRY(X(make_room)(s, (uint64_t)s->particles.count + 1, error));
        X(particles_append)(&s->particles, x, lattice->velocity, initial);
    }
    return SPATE_OK;
}

spate_status X(emit_and_drain)(X(sim) *s, double dt, spate_error *error)
{
    static const X(emission) parts = {.drain = drain,
                                      .remove_dead = remove_dead,
                                      .emit = emit,
                                      .fill = X(fill_cells),
                                      .thin = X(thin_cells)};
    return X(emit_in_order)(s, dt, &parts, error);
}
