/* momentum.cu -- measures of the particles on the device, and the removal of dead ones. */
#include "kernels/momentum.h"
#include "kernels/sides.h"
#include "launch.h"

typedef struct speed_args {
    X(fields) f;
    DEV(gpu_counters) * counters;
} speed_args;

MAP(find_fastest, speed_args)
{
    float v[DIM];
    FOR_DIM(d)
        v[d] = a->f.particles.v[d][i];
    X(note_speed)(a->counters, v);
}

double DEV(gpu_max_speed)(X(gpu) *g)
{
    speed_args args = {g->f, g->counters};
    DEV(gpu_counters) counted;
    if (g->speed_known)
        return g->speed;
    memset(&counted, 0, sizeof counted);
    DEV(gpu_set)(g, g->counters, 0, sizeof *g->counters);
    find_fastest(g, args, g->f.particles.count);
    DEV(gpu_download)(g, &counted, g->counters, sizeof counted);
    g->speed = X(noted_speed)(&counted);
    g->speed_known = true; /* it is asked for several times between two steps */
    return g->speed;
}

/* ---- sums over particles, of what cpu/momentum.c measures */

#define GROUP 1024 /* particles of a partial sum */
#define THREADS 256

typedef enum measure { MEASURE_TO_BE, MEASURE_MOMENTUM, MEASURE_SPEED } measure;

typedef struct sum_args {
    X(fields) f;
    measure what;
    int axis;
    float rest; /* 1 - r */
    double *partials;
    uint32_t count; /* of the first so many particles */
} sum_args;

typedef struct sum_shared {
    double part[GROUP];
} sum_shared;

GPU_FN double measured(const sum_args *a, size_t k)
{
    const X(particles) *p = &a->f.particles;
    float square = 0.0f, x[DIM];
    switch (a->what) {
    case MEASURE_TO_BE:
        FOR_DIM(d)
            x[d] = p->x[d][k];
        return (double)p->v[a->axis][k] + (double)X(kick_at)(&a->f, x, a->axis, a->rest);
    case MEASURE_MOMENTUM: return (double)p->v[a->axis][k];
    case MEASURE_SPEED: break;
    }
    FOR_DIM(d)
        square += p->v[d][k] * p->v[d][k];
    return (double)GPU_SQRT(square);
}

BLOCKS(sum_group, sum_args, sum_shared, THREADS)
{
    FOR_THREADS(t, GROUP) {
        size_t k = block * GROUP + (size_t)t;
        shared->part[t] = k < a->count ? measured(a, k) : 0.0;
    }
    X(sum_values)(shared->part, GROUP, &a->partials[block]);
}

static double sum_over(X(gpu) *g, const sum_args *args)
{
    size_t groups = ((size_t)args->count + GROUP - 1) / GROUP;
    sum_group(g, *args, groups);
    return DEV(gpu_sum)(g, groups);
}

static double sum_of(X(gpu) *g, measure what, int axis, float rest, uint32_t count)
{
    sum_args args = {g->f, what, axis, rest, g->partials, count};
    return sum_over(g, &args);
}

void DEV(gpu_momentum_to_be)(X(gpu) *g, uint32_t count, float rest, double momentum[DIM])
{
    FOR_DIM(d)
        momentum[d] = sum_of(g, MEASURE_TO_BE, d, rest, count);
}

double DEV(gpu_momentum)(X(gpu) *g, uint32_t count, double momentum[DIM])
{
    FOR_DIM(d)
        momentum[d] = sum_of(g, MEASURE_MOMENTUM, d, 0.0f, count);
    return sum_of(g, MEASURE_SPEED, 0, 0.0f, count);
}

/* ---- dead particles */

typedef struct dead_args {
    X(fields) f;
    uint32_t *flags, *before; /* is dead; how many dead are before it */
    uint32_t *filler;         /* living ones of the last places, in order */
    uint32_t kept;            /* how many live */
} dead_args;

MAP(flag_dead, dead_args)
{
    a->flags[i] = a->f.particles.x[0][i] == DEAD;
}

MAP(find_fillers, dead_args)
{
    uint32_t k = a->kept + (uint32_t)i;
    if (!a->flags[k])
        a->filler[i - (a->before[k] - a->before[a->kept])] = k;
}

/* The n-th hole gets the n-th filler from the end: the order that state/particles.c leaves. */
MAP(fill_holes, dead_args)
{
    const X(fields) *f = &a->f;
    if (!a->flags[i])
        return;
    uint32_t k = a->filler[a->before[a->kept] - 1 - a->before[i]];
#define FIELD(name, components, ...)                               \
    for (int e = 0; e < (components) && f->particles.name[0]; e++) \
        f->particles.name[e][i] = f->particles.name[e][k];
#include "kernels/fields.def"
    for (int e = 0; e < f->particles.own_columns; e++)
        f->particles.own[e][i] = f->particles.own[e][k];
}

void DEV(gpu_remove_dead)(X(gpu) *g, X(particles) *p, uint32_t dead)
{
    uint32_t count = p->count;
    dead_args args = {g->f, g->key, g->key_other, g->order_other, count - dead};
    args.f.particles = *p;
    if (dead == 0)
        return;
    flag_dead(g, args, count);
    DEV(gpu_scan)(g, args.flags, args.before, count);
    find_fillers(g, args, dead);
    fill_holes(g, args, args.kept);
    p->count = args.kept;
}
