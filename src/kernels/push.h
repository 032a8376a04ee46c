/* push.h -- what pairs of particles that are too close ask for (cpu/push/push_apart.c). */
#ifndef SPATE_KERNELS_PUSH_H
#define SPATE_KERNELS_PUSH_H

#include "random.h"
#include "sides.h"

#include <math.h>

#define PUSH_PASSES 2
#define PUSH_WIDER 1.05f      /* of D: how far apart, at the start, pairs may be that meet later */
#define PUSH_TOUCH 0.1f       /* of D: closer to a wall or solid than this, a particle touches it */
#define PUSH_STEPS 64.0f      /* of rounded places, per cell, unless D is long */
#define PUSH_SLOWING 0.6f     /* a particle follows up to 1 / SLOWING pairs in full */
#define PUSH_HELD 0.3f        /* of a way that a particle that touches leaves to the other one */
#define PUSH_SAME_PLACE 1e-3f /* of D: closer pairs have no direction of their own */
#define PUSH_AT_REST                                                           \
    0.999f /* of D: pairs that a pass has brought to D, but for rounding, slow \
            * nobody */

typedef struct X(push_distances) {
    float D;              /* the separation distance, cells */
    float least, settled; /* squares: of one place, of pairs that slow nobody */
    float steps;          /* of rounded places, per cell */
    uint8_t width, limit; /* of candidates, steps: most along an axis; that and all axes together */
    bool halves;          /* what is in one half of a cell does not meet what is beyond the other */
} X(push_distances);

/* Candidates are pairs whose rounded places are near: with a = max |way|, a <= width and a + sum
 * |way| <= limit. The second is the smallest body of its kind around a sphere, with a sixth more
 * room in 3D. Rounding adds less than a step per axis, so that no pair closer than D is left out.
 * Steps are so long that sums of DIM + 1 ways up to width fit into a byte. */
SP_KERNEL X(push_distances) X(push_distances_of)(float D)
{
    X(push_distances) m;
    m.D = D;
    m.least = PUSH_SAME_PLACE * PUSH_SAME_PLACE * D * D;
    m.settled = PUSH_AT_REST * PUSH_AT_REST * D * D;
    m.steps = PUSH_STEPS;
    for (;; m.steps *= 0.5f) {
        float exact = D * m.steps, wider = PUSH_WIDER * exact;
        float reach = DIM == 3 ? 2.4494897f : 2.2360680f; /* of (2, 1, 1) and (2, 1) */
        float width = wider > exact + 1.0f ? wider : exact + 1.0f;
        float rounding = reach * exact + (float)(DIM + 1);
        m.width = (uint8_t)width;
        m.limit = (uint8_t)(reach * wider > rounding ? reach * wider : rounding);
        if (m.width <= 31)
            break;
    }
    m.halves = m.steps == PUSH_STEPS;
    return m;
}

/* What the sides of the domain mean to a push. */
typedef struct X(push_sides) {
    bool periodic;                         /* some side is */
    bool wrap[DIM];                        /* this one is, and wide enough that neighbours differ */
    float low[DIM], high[DIM];             /* where particles may be; far away if periodic */
    float touch_low[DIM], touch_high[DIM]; /* beyond these they touch a wall */
} X(push_sides);

SP_KERNEL X(push_sides) X(push_sides_of)(const X(grid) *g, const spate_side (*sides)[2], float D)
{
    X(push_sides) s;
    s.periodic = false;
    for (int d = 0; d < DIM; d++) {
        float n = (float)g->n[d], reach = PUSH_TOUCH * D;
        bool periodic = g->periodic[d];
        s.periodic = s.periodic || periodic;
        s.wrap[d] = periodic && g->n[d] >= 3;
        s.low[d] = periodic ? -1e9f : CLEARANCE; /* nothing is pushed out through an open side */
        s.high[d] = periodic ? 1e9f : n - CLEARANCE;
        s.touch_low[d] = sides[d][0] == SPATE_SIDE_WALL ? reach : -1e9f;
        s.touch_high[d] = sides[d][1] == SPATE_SIDE_WALL ? n - reach : 1e9f;
    }
    return s;
}

/* Particles with the ids a and b are at one place: the way of a is its share of D in a direction
 * that is the opposite of that of b. */
SP_KERNEL void X(part_twins)(uint32_t a, uint32_t b, float D, float share, float ask[DIM])
{
    uint64_t key = a < b ? sp_hash2(a, b) : sp_hash2(b, a);
    float way[DIM], square = 0.0f, length = a < b ? D : -D;
    FOR_DIM(d) {
        way[d] = 2.0f * sp_uniform(sp_hash2(key, (uint64_t)d)) - 1.0f;
        square += way[d] * way[d];
    }
    if (square < 1e-4f) { /* too short to be a direction */
        way[0] = 1.0f;
        square = 1.0f;
    }
    FOR_DIM(d)
        ask[d] = share * way[d] * (length / sqrtf(square));
}

#endif
