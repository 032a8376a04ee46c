/* push_apart.cu -- pairs of particles are pushed apart on the device: SEPARATE by push
 * (cpu/push/push_apart.c, which says how and why).
 *
 * A thread has a particle and gathers what all its pairs ask of it, so that nothing depends on the
 * order of threads. Places between the passes lie in columns of SORT. A word per particle holds its
 * place before the first pass in steps, a byte for each axis, which decides who is a candidate, and
 * a mark in the last byte. Particles near solids are done by a kernel of their own: their pairs
 * once more, then the sweep. */
#include "kernels/obstacles.h"
#include "kernels/push.h"
#include "kernels/transfer.h"
#include "launch.h"

enum { TOUCHES = 1u << 24 }; /* a mark */

typedef struct push_args {
    X(fields) f;
    DEV(gpu_push) how;
    X(push_distances) m;
    float *from[DIM], *to[DIM]; /* places before and after the pass */
    uint32_t *word, *waits;     /* waits: 1 if the particle is near a solid */
    bool last;
    DEV(gpu_counters) * counters;
    double *partials;
} push_args;

/* Bytes of the first places, and whether a particle touches a solid. */
MAP(mark_particles, push_args)
{
    float x[DIM];
    uint32_t word = a->last ? a->word[i] & 0xffffffu : 0;
    FOR_DIM(d) {
        x[d] = a->from[d][i];
        if (!a->last)
            word |= ((uint32_t)(int)(x[d] * a->m.steps) & 255u) << 8 * d;
    }
    if (a->f.has_solids) {
        X(stencil) stencil = X(stencil_at)(KERNEL_LINEAR, x, DIM);
        float phi = X(gather)(&a->f.grid, &stencil, KERNEL_LINEAR, a->f.phi_solid);
        word |= phi < PUSH_TOUCH * a->m.D * (float)a->f.grid.dx ? TOUCHES : 0u;
    }
    a->word[i] = word;
}

GPU_FN int steps_between(uint32_t a, uint32_t b, int d)
{
    int way = (int)(int8_t)(uint8_t)((a >> 8 * d) - (b >> 8 * d));
    return way < 0 ? -way : way;
}

GPU_FN bool is_candidate(const push_args *a, uint32_t one, uint32_t two)
{
    int most = 0, sum = 0;
    FOR_DIM(d) {
        int way = steps_between(one, two, d);
        most = way > most ? way : most;
        sum += way;
    }
    return most <= a->m.width && most + sum <= a->m.limit;
}

/* 1: the particle touches a wall or a solid. */
GPU_FN float is_held(const push_args *a, const float x[DIM], uint32_t word)
{
    bool held = word & TOUCHES;
    FOR_DIM(d)
        held = held || x[d] < a->how.sides.touch_low[d] || x[d] > a->how.sides.touch_high[d];
    return held ? 1.0f : 0.0f;
}

typedef struct request {
    float way[DIM], pairs;
} request;

/* What a candidate at a place asks of the particle k. */
GPU_FN void meet(const push_args *a, size_t k, const float x[DIM], float held, uint32_t other,
                 const float shift[DIM], request *r)
{
    float place[DIM], way[DIM], square = 0.0f;
    FOR_DIM(d) {
        place[d] = a->from[d][other] + shift[d];
        way[d] = x[d] - place[d];
        square += way[d] * way[d];
    }
    float share = 0.5f + PUSH_HELD * (is_held(a, place, a->word[other]) - held);
    r->pairs += square < a->m.settled ? 1.0f : 0.0f;
    if (square >= a->m.least) {
        float push = a->m.D / GPU_SQRT(square) - 1.0f;
        push = (push > 0.0f ? push : 0.0f) * share;
        FOR_DIM(d)
            r->way[d] += push * way[d];
        return;
    }
    X(part_twins)(a->f.particles.id[0][k], a->f.particles.id[0][other], a->m.D, share, way);
    FOR_DIM(d)
        r->way[d] += way[d];
}

/* The particles [first, end) that are candidates of particle k, moved by `shift`. First who they
 * are, then what they ask for: few are, and threads of a warp that find one wait for each other. */
GPU_FN void meet_run(const push_args *a, size_t k, const float x[DIM], float held, uint32_t first,
                     uint32_t end, const float shift[DIM], request *r)
{
    uint32_t word = a->word[k];
    for (uint32_t begin = first; begin < end; begin += 32) {
        uint32_t n = end - begin < 32 ? end - begin : 32, bits = 0;
        for (uint32_t j = 0; j < n; j++) {
            bool near = is_candidate(a, word, a->word[begin + j]) && begin + j != k;
            bits |= (uint32_t)near << j;
        }
        for (; bits; bits &= bits - 1)
            meet(a, k, x, held, begin + GPU_LOWEST_BIT(bits), shift, r);
    }
}

/* The cells c .. c + more along x. Those of one tile are one run; cells beyond a periodic side are
 * on the other one, which is a whole number of cells away: no steps modulo 256. */
GPU_FN void meet_cells(const push_args *a, size_t k, const float x[DIM], float held,
                       const int c[DIM], int more, request *r)
{
    const X(grid) *g = &a->f.grid;
    int cell[DIM], end = c[0] + more;
    float shift[DIM];
    for (int from = c[0], last; from <= end; from = last + 1) {
        last = from | (TILE - 1); /* of its tile */
        last = from < g->n[0] && last >= g->n[0] ? g->n[0] - 1 : last;
        last = last < end ? last : end;
        FOR_DIM(d) {
            int n = g->n[d], at = d == 0 ? from : c[d];
            int turn = !a->how.sides.wrap[d] ? 0 : at < 0 ? n : at >= n ? -n : 0;
            cell[d] = at + turn;
            shift[d] = (float)-turn;
        }
        size_t low = X(index)(g, cell), high = low + (size_t)(last - from);
        meet_run(a, k, x, held, a->f.first[low], a->f.first[high] + a->f.count[high], shift, r);
    }
}

/* Where its pairs ask a particle to be: inside the domain, at most D / 2 from where it is. */
GPU_FN void answer(const push_args *a, size_t k, float to[DIM])
{
    const X(grid) *g = &a->f.grid;
    float x[DIM], square = 0.0f, most = 0.5f * a->m.D;
    uint32_t word = a->word[k];
    int c[DIM], low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    request r;
    memset(&r, 0, sizeof r);
    FOR_DIM(d) {
        float first = a->f.particles.x[d][k];
        x[d] = a->from[d][k];
        c[d] = first > 0.0f ? (int)first : 0;
        c[d] = c[d] < g->n[d] ? c[d] : g->n[d] - 1;
        /* in the lower half of its cell it cannot meet what is above that */
        bool wide = !a->m.halves, upper = word >> (8 * d + 5) & 1;
        low[d] = wide || !upper ? -1 : 0;
        high[d] = wide || upper ? 1 : 0;
    }
    float held = is_held(a, x, word);
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++) {
            int offset[3] = {low[0], y, z}, near[DIM];
            FOR_DIM(d)
                near[d] = c[d] + offset[d];
            meet_cells(a, k, x, held, near, high[0] - low[0], &r);
        }
    FOR_DIM(d)
        square += r.way[d] * r.way[d];
    float length = GPU_SQRT(square), slow = r.pairs * PUSH_SLOWING;
    slow = slow > 1.0f ? slow : 1.0f;
    float scale = length > most * slow ? most / length : 1.0f / slow;
    FOR_DIM(d) {
        float place = x[d] + scale * r.way[d];
        place = place > a->how.sides.low[d] ? place : a->how.sides.low[d];
        to[d] = place < a->how.sides.high[d] ? place : a->how.sides.high[d];
    }
}

/* Gravity times the way of particle k from x; across a periodic side the way is the wanted one. */
GPU_FN double work_of(const push_args *a, const float x[DIM], const float wanted[DIM],
                      const float to[DIM])
{
    double work = 0;
    FOR_DIM(d) {
        float way = (a->f.grid.periodic[d] ? wanted[d] : to[d]) - x[d];
        work += (double)way * a->how.gravity[d];
    }
    return work;
}

/* Brings particle k to its final place; those near solids wait. */
GPU_FN double finish(const push_args *a, size_t k, const float wanted[DIM])
{
    float x[DIM], to[DIM], v[DIM], shift[DIM], way = 0.0f;
    bool wrapped = false;
    X(obstacles) o = X(obstacles_of)(&a->f, a->how.movers, &a->how.room, 0, a->how.travel);
    FOR_DIM(d) {
        x[d] = a->f.particles.x[d][k];
        to[d] = wanted[d];
        v[d] = 0.0f;
        way += (to[d] - x[d]) * (to[d] - x[d]);
    }
    way = GPU_SQRT(way);
    bool waits = a->f.has_solids && X(is_near_solid)(&o, x, way);
    if (!waits && a->how.sides.periodic) {
        X(pass_sides)(&a->f.grid, a->f.sides, to, v, shift, &wrapped);
        waits = a->f.has_solids && wrapped && X(is_near_solid)(&o, to, way);
    }
    a->waits[k] = waits;
    if (waits)
        return 0;
    FOR_DIM(d)
        a->to[d][k] = to[d];
    return work_of(a, x, wanted, to);
}

#define GROUP 1024 /* particles of a partial sum */
#define THREADS 128

typedef struct push_shared {
    double work[GROUP];
} push_shared;

BLOCKS(push_particles, push_args, push_shared, THREADS)
{
    FOR_THREADS(t, GROUP) {
        size_t k = block * GROUP + (size_t)t;
        float to[DIM];
        shared->work[t] = 0;
        if (k < a->f.tiles.first_flying) {
            answer(a, k, to);
            if (a->last)
                shared->work[t] = finish(a, k, to);
            for (int d = 0; d < DIM && !a->last; d++)
                a->to[d][k] = to[d];
        }
    }
    X(sum_values)(shared->work, GROUP, &a->partials[block]);
}

GPU_FN double collide(const push_args *a, size_t k)
{
    float x[DIM], to[DIM], v[DIM], wanted[DIM];
    X(obstacles) o = X(obstacles_of)(&a->f, a->how.movers, &a->how.room, 0, a->how.travel);
    X(fate) fate = {0, 0, false, false};
    answer(a, k, wanted);
    FOR_DIM(d) {
        x[d] = a->f.particles.x[d][k];
        to[d] = wanted[d];
        v[d] = a->f.particles.v[d][k]; /* settle takes from it; the particle keeps its own */
    }
    X(collide_particle)(&o, x, to, v, &fate); /* where there is no place, it stays */
    FOR_DIM(d)
        a->to[d][k] = to[d];
    if (fate.collisions > 0)
        GPU_ADD64(&a->counters->collisions, fate.collisions);
    if (fate.far > 0)
        GPU_ADD64(&a->counters->far, fate.far);
    return work_of(a, x, wanted, to);
}

BLOCKS(collide_waiting, push_args, push_shared, THREADS)
{
    FOR_THREADS(t, GROUP) {
        size_t k = block * GROUP + (size_t)t;
        bool waits = k < a->f.tiles.first_flying && a->waits[k];
        shared->work[t] = waits ? collide(a, k) : 0.0;
    }
    X(sum_values)(shared->work, GROUP, &a->partials[block]);
}

double DEV(gpu_push_apart)(X(gpu) *g, const DEV(gpu_push) * how, DEV(gpu_counters) * counted)
{
    float *between[3] = {(float *)g->key, (float *)g->key_other, (float *)g->order_other};
    size_t count = g->f.tiles.first_flying, groups = (count + GROUP - 1) / GROUP;
    double work = 0;
    push_args args;
    memset(&args, 0, sizeof args);
    args.f = g->f;
    args.how = *how;
    args.m = X(push_distances_of)(how->D);
    args.word = (uint32_t *)g->spare;
    args.waits = g->order;
    args.counters = g->counters;
    args.partials = g->partials;
    DEV(gpu_set)(g, g->counters, 0, sizeof *g->counters);
    for (int pass = 0; pass < PUSH_PASSES; pass++) {
        args.last = pass == PUSH_PASSES - 1;
        FOR_DIM(d) {
            args.from[d] = args.last ? between[d] : g->f.particles.x[d];
            args.to[d] = args.last ? g->f.particles.x[d] : between[d];
        }
        mark_particles(g, args, count);
        push_particles(g, args, groups);
    }
    work = DEV(gpu_sum)(g, groups);
    if (g->f.has_solids) {
        collide_waiting(g, args, groups);
        work += DEV(gpu_sum)(g, groups);
    }
    DEV(gpu_download)(g, counted, g->counters, sizeof *counted);
    return work;
}
