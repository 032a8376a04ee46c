/* emit.c -- part of EMIT: outflows mark the particles inside them DEAD, and inflows add particles.
 *
 * An inflow is a lattice of places, n per cell and axis, jittered like a fill, that travels with
 * the inflow's velocity. The cells of an inflow have that velocity prescribed on their faces, so
 * the particles inside travel with the lattice. A place that comes into the shape gives one
 * particle, where it is at the end of the step (in the first step all places inside do), unless
 * another particle is already at that place. So the flow leaves without gaps and without overlap,
 * at exactly the flux that was asked for, however far it goes in a step. kernels/emit.h has the
 * maths of a particle and of a place; the order of what comes and goes is in state/emitters.c. */
#include "exec.h"

#include "kernels/emit.h"

/* ---- outflows */

SP_KERNEL void add_number(uint32_t *sum, const uint32_t *part)
{
    *sum += *part;
}

EACH_PARTICLE_FOLD(drain_each, X(outflows), uint32_t, add_number)
{
    *part += X(drain)(f, a, i);
}

uint32_t ONCE(drain)(X(exec) *e, const X(outflows) *outflows)
{
    return drain_each(e, outflows, e->f.particles.count);
}

/* ---- inflows */

EACH(clear_mark, X(inflow))
{
    (void)f;
    a->marks[i] = 0;
}

EACH_PARTICLE(mark_occupied, X(inflow))
{
    size_t place;
    if (X(occupied_place)(f, &a->lattice, i, &place))
        mark_byte(&a->marks[place]);
}

/* A mark says that a place is occupied, and from here on that it gives a particle. */
SP_KERNEL uint32_t given_by(const X(fields) *f, const X(inflow) *a, size_t place)
{
    bool gives = !a->marks[place] && X(place_gives)(f, &a->lattice, place);
    a->marks[place] = gives;
    return gives;
}

SP_KERNEL uint32_t put_at(const X(fields) *f, const X(inflow) *a, size_t place, uint32_t before)
{
    const X(newcomers) *what = &a->what;
    float x[DIM];
    if (!a->marks[place] || before >= what->count)
        return 0;
    X(place_point)(&a->lattice, place, x);
    X(put_particle)(&f->particles, what->first + before, what->first_id + before, x,
                    a->lattice.velocity, what->initial);
    return 1;
}

EACH_APPEND(places, X(inflow), given_by, put_at)

uint32_t ONCE(find_newcomers)(X(exec) *e, const X(inflow) *inflow, size_t count)
{
    clear_mark(e, inflow, count);
    mark_occupied(e, inflow, e->f.particles.count);
    return places_count(e, inflow, count);
}

void ONCE(put_newcomers)(X(exec) *e, const X(inflow) *inflow, size_t count)
{
    places_put(e, inflow, count);
}
