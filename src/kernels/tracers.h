/* tracers.h -- TRACERS: points that the fluid carries and that never act on it.
 *
 * ADVECT moves them as it moves the fluid's own particles, by the same function: u (in a gas the
 * velocity in the middle of the step), by Runge-Kutta, and the displacement of SEPARATE, past
 * solids and walls. So a tracer at the place of a particle goes the same way, to the bit. What is
 * here comes before and after that.
 *
 *     before   a tracer that is not near the liquid flies
 *     after    one that flies takes its step anew, by its own velocity and gravity, as particles
 *              in free flight do (flight.h); age, path and velocity; ends of life and outflows
 *
 * The length of the path grows by little in each step, and the same rounding of many equal steps
 * adds up: a part in 10^4 after 10,000. So it is rounded up or down by chance, a hash of id and
 * step, so that the mean is right. */
#ifndef SPATE_KERNELS_TRACERS_H
#define SPATE_KERNELS_TRACERS_H

#include "emit.h"
#include "flight.h"
#include "obstacles.h"

/* The columns, by name and type: see X(white). */
typedef struct X(traces) {
    float *x[DIM], *v[DIM];
    uint32_t *id;
#define COLUMN(name, shape, type, ...) type SHAPE_##shape(name);
#include "tracers.def"
    float *channels[GRID_COLUMNS]; /* of the channels that the grid holds */
} X(traces);

SP_KERNEL X(traces) X(traces_of)(const X(particles) *p)
{
    X(traces) columns;
    float *const *own = p->own;
    FOR_DIM(d) {
        columns.x[d] = p->x[d];
        columns.v[d] = p->v[d];
    }
    columns.id = p->id[0];
#define COLUMN(name, shape, ...)                     \
    memcpy(&columns.name, own, sizeof columns.name); \
    own += POINTERS_##shape;
#include "tracers.def"
    for (int j = 0; j < GRID_COLUMNS; j++)
        columns.channels[j] = own + j < p->own + p->own_columns ? own[j] : NULL;
    return columns;
}

enum {
    TRACER_STAYS = -1,
#define COUNT(NAME, ...) TRACER_##NAME,
#include "tracers.def"
    TRACER_COUNTS
};

/* One of tracers[]: a shape and the lattice of points in it, which fills it once, or again and
 * again. */
typedef struct X(tracer_source) {
    sp_shape form;
    double spacing;     /* cells */
    int64_t first[DIM]; /* of the lattice, in spacings */
    int size[DIM];
    double rate;         /* fillings per second; 0: one */
    double start, until; /* s; until: HUGE_VAL without end */
    float life;          /* s; 0: for ever */
    uint64_t key;        /* of random numbers */
} X(tracer_source);

/* What happens in a step. */
typedef struct X(tracing) {
    double dt;                       /* s */
    float h;                         /* dt / dx */
    float dv[DIM];                   /* m/s: what gravity gives in free flight */
    bool flies;                      /* where no velocity is known; else it stands still there */
    uint64_t key;                    /* of the random numbers of the step */
    double begin, end;               /* s: tracers that come in this time */
    bool movers;                     /* of the obstacles: obstacles.h */
    sp_clearance room;               /* likewise */
    double travel;                   /* likewise, m */
    const X(tracer_source) *sources; /* these and what follows in the memory of the device */
    X(outflows) outflows;
} X(tracing);

/* Why tracers are gone: how many by each count of the ledger. */
typedef struct X(lost_tracers) {
    uint32_t number[TRACER_COUNTS];
} X(lost_tracers);

/* Those that come from a source in a step. */
typedef struct X(new_tracers) {
    int source;
    size_t places;            /* of its lattice */
    uint32_t first, first_id; /* the number and the id of the first one */
} X(new_tracers);

/* ---- before and after ADVECT */

#define CARRIED 0.9f /* cells from the liquid: farther away a tracer flies */

/* Whether the fluid takes a tracer at x along: the cell is liquid, or the liquid is near and its
 * velocity known on all faces of the cell. */
SP_KERNEL bool X(is_carried)(const X(fields) *f, const float x[DIM])
{
    int cell[DIM], tile[DIM];
    bool known = true;
    if (f->surface == SURFACE_NONE)
        return true;
    FOR_DIM(d) {
        cell[d] = X(floor)(x[d]);
        cell[d] = cell[d] < 0 ? 0 : cell[d] < f->grid.n[d] ? cell[d] : f->grid.n[d] - 1;
        tile[d] = (cell[d] >> TILE_SHIFT) + 1;
    }
    if (!(f->tiles.state[X(tile_number)(&f->grid, tile)] & TILE_ACTIVE))
        return false;
    size_t c = X(index)(&f->grid, cell);
    if (f->type[c] == SPATE_CELL_LIQUID)
        return true;
    FOR_DIM(d)
        known = known && f->known[d][c] != FACE_UNKNOWN &&
                f->known[d][c + f->grid.stride[d]] != FACE_UNKNOWN;
    return known && X(liquid_distance)(f, x) < CARRIED;
}

/* A sum, not negative, that is rounded up or down with the chance that makes its mean right.
 * chance: 0 .. 1. */
SP_KERNEL float X(round_by_chance)(double sum, float chance)
{
    float low = (float)sum, high;
    uint32_t bits;
    memcpy(&bits, &low, sizeof bits);
    bits -= (double)low > sum ? 1 : 0;
    memcpy(&low, &bits, sizeof low);
    bits++;
    memcpy(&high, &bits, sizeof high);
    double share = (sum - (double)low) / ((double)high - (double)low);
    return share > (double)chance ? high : low;
}

/* The sign of `path` says of a tracer that it flies, until its step is over. */
SP_KERNEL bool X(is_flying)(float path)
{
    return copysignf(1.0f, path) < 0.0f;
}

/* Before ADVECT. */
SP_KERNEL void X(remember_tracer)(const X(fields) *f, const X(tracing) *how, const X(traces) *t,
                                  size_t k)
{
    float x[DIM];
    FOR_DIM(d)
        t->from[d][k] = x[d] = t->x[d][k];
    if (how->flies && !X(is_carried)(f, x))
        t->path[k] = -t->path[k];
}

/* The step of tracer k in free flight; false: it is lost, by `fate`. */
SP_KERNEL bool X(fly_tracer)(const X(fields) *f, const X(tracing) *how, const X(traces) *t,
                             size_t k, X(fate) *fate)
{
    float x[DIM], v[DIM], to[DIM];
    FOR_DIM(d) {
        x[d] = t->from[d][k];
        v[d] = t->v[d][k] + how->dv[d];
        to[d] = x[d] + how->h * v[d];
    }
    X(stop_at_liquid)(f, x, how->h, to);
    X(obstacles) o = X(obstacles_of)(f, how->movers, &how->room, how->dt, how->travel);
    bool stays = X(collide_particle)(&o, x, to, v, fate);
    FOR_DIM(d) {
        t->x[d][k] = to[d];
        t->v[d][k] = v[d];
    }
    return stays;
}

/* The values of the fluid's channels at x: the mean of the cells around that hold the fluid; if
 * none does they stay. */
SP_KERNEL void X(read_channels)(const X(fields) *f, const float x[DIM], const X(traces) *t,
                                size_t k)
{
    float total = 0.0f, weight[1 << DIM], place[DIM];
    X(stencil) s;
    FOR_DIM(d)
        place[d] = x[d];
    s = X(stencil_at)(KERNEL_LINEAR, place, -1);
    size_t first = X(index)(&f->grid, s.first), cell[1 << DIM];
    for (int n = 0; n < (1 << DIM); n++) {
        cell[n] = first;
        weight[n] = 1.0f;
        FOR_DIM(d) {
            int far = n >> d & 1;
            cell[n] += far ? f->grid.stride[d] : 0;
            weight[n] *= s.w[d][far];
        }
        weight[n] = f->type[cell[n]] == SPATE_CELL_LIQUID ? weight[n] : 0.0f;
        total += weight[n];
    }
    for (int j = 0; j < f->on_grid && total > 0.0f; j++) {
        float sum = 0.0f;
        for (int n = 0; n < (1 << DIM); n++)
            sum += weight[n] > 0.0f ? weight[n] * f->channel[j][cell[n]] : 0.0f;
        t->channels[j][k] = sum / total;
    }
}

/* The way of tracer k in the step, cells; across periodic sides the shorter one. */
SP_KERNEL void X(way_of_tracer)(const X(grid) *g, const X(traces) *t, size_t k, float way[DIM])
{
    FOR_DIM(d) {
        float n = (float)g->n[d];
        way[d] = t->x[d][k] - t->from[d][k];
        if (g->periodic[d])
            way[d] -= way[d] > 0.5f * n ? n : way[d] < -0.5f * n ? -n : 0.0f;
    }
}

/* After ADVECT: why tracer k is gone, TRACER_STAYS if it is not. A dead one says in x[1] whether
 * solids have crushed it (advect_one). */
SP_KERNEL int X(note_tracer)(const X(fields) *f, const X(tracing) *how, const X(traces) *t,
                             size_t k)
{
    float x[DIM], way[DIM], life = how->sources[t->source[k]].life;
    double square = 0;
    if (X(is_flying)(t->path[k])) {
        X(fate) fate = {0, 0, false, false};
        t->path[k] = -t->path[k];
        if (!X(fly_tracer)(f, how, t, k, &fate)) {
            t->x[0][k] = DEAD;
            return fate.crushed ? TRACER_CRUSHED : TRACER_OPEN;
        }
        X(way_of_tracer)(&f->grid, t, k, way);
    } else if (t->x[0][k] == DEAD) {
        return t->x[1][k] > 0.0f ? TRACER_CRUSHED : TRACER_OPEN;
    } else {
        X(way_of_tracer)(&f->grid, t, k, way);
        FOR_DIM(d)
            t->v[d][k] = how->h > 0.0f ? way[d] / how->h : 0.0f;
    }
    FOR_DIM(d) {
        x[d] = t->x[d][k];
        square += (double)way[d] * (double)way[d];
    }
    uint64_t key = sp_hash2(how->key, t->id[k]);
    t->age[k] = X(round_by_chance)((double)t->age[k] + how->dt, sp_uniform(key));
    t->path[k] = X(round_by_chance)((double)t->path[k] + sqrt(square) * f->grid.dx,
                                    sp_uniform(sp_hash2(key, 1)));
    if (f->on_grid > 0)
        X(read_channels)(f, x, t, k);
    bool aged = life > 0.0f && t->age[k] >= life;
    if (!aged && !X(is_drained)(&f->grid, &how->outflows, x))
        return TRACER_STAYS;
    t->x[0][k] = DEAD;
    return aged ? TRACER_AGED : TRACER_OUTFLOW;
}

/* ---- new ones */

SP_KERNEL size_t X(lattice_size)(const X(tracer_source) *s)
{
    size_t size = 1;
    FOR_DIM(d)
        size *= (size_t)s->size[d];
    return size;
}

/* Whether some of a source may come between two times. */
SP_KERNEL bool X(source_is_open)(const X(tracer_source) *s, double begin, double end)
{
    return end > s->start && begin < s->until && (s->rate > 0 || begin <= s->start);
}

/* Point number k of a lattice, cells. */
SP_KERNEL void X(tracer_point)(const X(tracer_source) *s, size_t k, double x[DIM])
{
    FOR_DIM(d) {
        x[d] = ((double)(s->first[d] + (int64_t)(k % (size_t)s->size[d])) + 0.5) * s->spacing;
        k /= (size_t)s->size[d];
    }
}

/* Each point has a moment of its own in the time of a filling: what part of it has passed. */
SP_KERNEL double X(point_phase)(const X(tracer_source) *s, size_t k)
{
    return s->rate > 0 ? (double)sp_uniform(sp_hash2(s->key, (uint64_t)k)) : 0;
}

/* How many fillings a point has had before a time. */
SP_KERNEL double X(fillings)(const X(tracer_source) *s, size_t k, double time)
{
    time = time < s->until ? time : s->until;
    if (!(time > s->start))
        return 0;
    return s->rate > 0 ? ceil((time - s->start) * s->rate - X(point_phase)(s, k)) : 1;
}

#define MOST_AT_ONCE 1000 /* of a point, in a step */

/* How many tracers a point gives in a step. */
SP_KERNEL uint32_t X(point_gives)(const X(fields) *f, const X(tracing) *how,
                                  const X(tracer_source) *s, size_t k)
{
    double x[DIM], number = X(fillings)(s, k, how->end) - X(fillings)(s, k, how->begin);
    if (!(number >= 1))
        return 0;
    X(tracer_point)(s, k, x);
    if (!X(shape_holds)(&f->grid, &s->form, &s->form.rest, x) ||
        !X(has_room)(&f->grid, &f->solids, x))
        return 0;
    return number < MOST_AT_ONCE ? (uint32_t)number : MOST_AT_ONCE;
}

/* The n-th tracer that point k gives in the step, as number `place` of the set. What came during
 * the step goes with the fluid for the rest of it, so that a stream of tracers has no gaps. */
SP_KERNEL void X(put_tracer)(const X(fields) *f, const X(tracing) *how, int source, size_t k,
                             uint32_t n, const X(traces) *t, size_t place, uint32_t id)
{
    const X(tracer_source) *s = &how->sources[source];
    double wide[DIM], filling = X(fillings)(s, k, how->begin) + n;
    double since =
        how->end - s->start - (s->rate > 0 ? (filling + X(point_phase)(s, k)) / s->rate : 0);
    float x[DIM], v[DIM], to[DIM];
    X(fate) fate = {0, 0, false, false};
    X(tracer_point)(s, k, wide);
    since = since < 0 ? 0 : since < how->dt ? since : how->dt;
    FOR_DIM(d) {
        x[d] = (float)wide[d];
        v[d] = 0.0f;
    }
    if (how->dt > 0 && X(is_carried)(f, x))
        X(velocity_at)(&f->grid, f->degree, f->u, x, v);
    FOR_DIM(d)
        to[d] = x[d] + (float)(since / f->grid.dx) * v[d];
    X(obstacles) o = X(obstacles_of)(f, how->movers, &how->room, how->dt, how->travel);
    bool stays = how->dt > 0 && X(collide_particle)(&o, x, to, v, &fate);
    FOR_DIM(d) {
        t->x[d][place] = t->from[d][place] = stays ? to[d] : x[d];
        t->v[d][place] = v[d];
    }
    t->id[place] = id;
    t->age[place] = (float)since;
    t->path[place] = 0.0f;
    t->source[place] = (uint32_t)source;
    for (int j = 0; j < f->on_grid; j++)
        t->channels[j][place] = 0.0f;
    FOR_DIM(d)
        x[d] = t->x[d][place];
    X(read_channels)(f, x, t, place);
}

#endif
