/* tracers.c -- the stage TRACERS: points that the fluid carries. It comes before ADVECT moves the
 * fluid itself, while the velocity and the displacement of the step are there; kernels/tracers.h
 * has the maths of a point. */
#include "exec.h"

#include "advect.h"
#include "kernels/tracers.h"
#include "state/tracers.h"

typedef struct trace_args {
    X(traces) t;
    X(tracing) how;
} trace_args;

EACH(remember, trace_args)
{
    X(remember_tracer)(f, &a->how, &a->t, i);
}

/* Why tracers are gone. */
typedef struct lost_tracers {
    uint32_t number[TRACER_COUNTS];
} lost_tracers;

SP_KERNEL void add_lost(lost_tracers *sum, const lost_tracers *part)
{
    for (int n = 0; n < TRACER_COUNTS; n++)
        sum->number[n] += part->number[n];
}

EACH_FOLD(note, trace_args, lost_tracers, add_lost)
{
    int cause = X(note_tracer)(f, &a->how, &a->t, i);
    if (cause != TRACER_STAYS)
        part->number[cause]++;
}

/* ---- new ones */

typedef struct point_args {
    X(traces) t;
    X(tracing) how;
    int source;
    uint32_t first, first_id; /* of those that come */
} point_args;

SP_KERNEL uint32_t given_by(const X(fields) *f, const point_args *a, size_t k)
{
    return X(point_gives)(f, &a->how, &a->how.sources[a->source], k);
}

SP_KERNEL uint32_t put_at(const X(fields) *f, const point_args *a, size_t k, uint32_t before)
{
    uint32_t number = given_by(f, a, k);
    for (uint32_t n = 0; n < number; n++)
        X(put_tracer)(f, &a->how, a->source, k, n, &a->t, a->first + before + n,
                      a->first_id + before + n);
    return number;
}

EACH_APPEND(points, point_args, given_by, put_at)

static spate_status emit_source(X(exec) *e, X(set) *set, const X(tracing) *how, int source,
                                spate_error *error)
{
    size_t places = X(lattice_size)(&how->sources[source]);
    point_args args = {.how = *how, .source = source};
    uint32_t count = points_count(e, &args, places);
    if (count == 0)
        return SPATE_OK;
    TRY(X(set_grow)(set, count, &args.first, &args.first_id, error));
    args.t = X(traces_of)(set->particles);
    points_put(e, &args, places);
    set->ledger.counts[0][TRACER_EMITTED] += count;
    return SPATE_OK;
}

/* ---- the stage */

static void move(X(exec) *e, X(set) *set, const X(tracing) *how)
{
    X(particles) *p = set->particles;
    DEV(sort_particles)(p, &set->cells, NULL, e->s->common->pool, X(arena)(e->s));
    trace_args args = {X(traces_of)(p), *how};
    remember(e, &args, p->count);
    DEV(advect_set)(e->s, set, how->dt);
    lost_tracers lost = note(e, &args, p->count);
    uint64_t dead = 0;
    for (int n = 0; n < TRACER_COUNTS; n++) {
        set->ledger.counts[0][n] += lost.number[n];
        dead += lost.number[n];
    }
    if (dead > 0)
        X(particles_remove_dead)(p);
}

spate_status DEV(tracers)(X(sim) *s, double dt, spate_error *error)
{
    X(exec) e = X(exec_of)(s);
    X(set) *set = X(set_of)(s, SET_TRACERS);
    X(tracing) how = X(tracing_of)(s, dt);
    if (set->particles->count > 0)
        move(&e, set, &how);
    for (int k = 0; k < s->common->scene->tracers.count; k++)
        if (X(source_is_open)(&how.sources[k], how.begin, how.end))
            TRY(emit_source(&e, set, &how, k, error));
    X(traced_until)(s, how.end);
    return SPATE_OK;
}
