/* tracers.c -- the loops of the stage TRACERS: points that the fluid carries. The stage comes
 * before ADVECT moves the fluid itself, while the velocity and the displacement of the step are
 * there. Its order stands in state/tracers.c, the maths of a point in kernels/tracers.h. */
#include "exec.h"

#include "kernels/tracers.h"

typedef struct trace_args {
    X(traces) t;
    X(tracing) how;
} trace_args;

EACH(remember, trace_args)
{
    X(remember_tracer)(f, &a->how, &a->t, i);
}

void DEV(remember_tracers)(X(exec) *e, const X(particles) *p, const X(tracing) *how)
{
    trace_args args;
    args.t = X(traces_of)(p);
    args.how = *how;
    remember(e, &args, p->count);
}

SP_KERNEL void add_lost(X(lost_tracers) *sum, const X(lost_tracers) *part)
{
    for (int n = 0; n < TRACER_COUNTS; n++)
        sum->number[n] += part->number[n];
}

EACH_FOLD(note, trace_args, X(lost_tracers), add_lost)
{
    int cause = X(note_tracer)(f, &a->how, &a->t, i);
    if (cause != TRACER_STAYS)
        part->number[cause]++;
}

X(lost_tracers) DEV(note_tracers)(X(exec) *e, const X(particles) *p, const X(tracing) *how)
{
    trace_args args;
    args.t = X(traces_of)(p);
    args.how = *how;
    return note(e, &args, p->count);
}

/* ---- new ones */

typedef struct point_args {
    X(traces) t;
    X(tracing) how;
    X(new_tracers) what;
} point_args;

SP_KERNEL uint32_t given_by(const X(fields) *f, const point_args *a, size_t k)
{
    return X(point_gives)(f, &a->how, &a->how.sources[a->what.source], k);
}

SP_KERNEL uint32_t put_at(const X(fields) *f, const point_args *a, size_t k, uint32_t before)
{
    uint32_t number = given_by(f, a, k);
    for (uint32_t n = 0; n < number; n++)
        X(put_tracer)(f, &a->how, a->what.source, k, n, &a->t, a->what.first + before + n,
                      a->what.first_id + before + n);
    return number;
}

EACH_APPEND(points, point_args, given_by, put_at)

uint32_t DEV(count_tracers)(X(exec) *e, const X(tracing) *how, const X(new_tracers) *what)
{
    point_args args;
    memset(&args, 0, sizeof args);
    args.how = *how;
    args.what = *what;
    return points_count(e, &args, what->places);
}

void DEV(put_tracers)(X(exec) *e, const X(particles) *p, const X(tracing) *how,
                      const X(new_tracers) *what)
{
    point_args args;
    args.t = X(traces_of)(p);
    args.how = *how;
    args.what = *what;
    points_put(e, &args, what->places);
}
