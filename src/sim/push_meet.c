/* push_meet.c -- what the pairs of a list ask of their two particles.
 *
 * Eight pairs are computed at once, and what they ask for is added to both of each, one pair after
 * the other: the sums have a fixed order. The eight come from eight parts of a piece of the list,
 * because neighbours in the list have their first particle in common, and its sum would have to
 * wait for each. Particles beyond the tile get sums too, which nobody reads: the tile in which they
 * are has listed the same pair. */
#include "push.h"

#define PIECE 256 /* pairs */

void X(push_part)(const push_args *args, uint32_t a, uint32_t b, float share, quad *sum)
{
    const uint32_t *id = args->s->particles.id[0];
    float way[DIM];
    X(part_twins)(id[a], id[b], args->m.D, share, way);
    FOR_DIM(d)
        (*sum)[d] += way[d];
}

/* The particle of an entry. */
static uint32_t number_of(const store *s, uint32_t entry)
{
    int cell = 0;
    while (s->start[cell + 1] <= entry)
        cell++;
    return s->number[cell] + entry - s->start[cell];
}

static void part_twins(around *a, uint32_t lanes, const uint32_t first[LANES],
                       const uint32_t second[LANES])
{
    store *s = &a->store;
    for (; lanes; lanes &= lanes - 1) {
        int k = __builtin_ctz(lanes);
        uint32_t one = number_of(s, first[k]), other = number_of(s, second[k]);
        float more = 0.3f * (s->place[second[k]][HELD] - s->place[first[k]][HELD]);
        X(push_part)(a->args, one, other, 0.5f + more, &s->sum[first[k]]);
        X(push_part)(a->args, other, one, 0.5f - more, &s->sum[second[k]]);
    }
}

/* held: some may touch something, and a pair does not always share its way. */
LANE_FN void meet_eight(around *a, const uint32_t code[LANES], bool held)
{
    store *s = &a->store;
    uint32_t first[LANES], second[LANES];
    quad here[LANES], there[LANES];
    floats own[4], other[4], way[DIM], push, slow, one[4], two[4];
    for (int k = 0; k < LANES; k++) {
        first[k] = code[k] >> PAIR_BITS;
        second[k] = first[k] + (code[k] & (2 * PAIR_MIDDLE - 1)) - PAIR_MIDDLE;
        here[k] = s->place[first[k]];
        there[k] = s->place[second[k]];
    }
    turn(here, own);
    turn(there, other);
    uint32_t twins = meet(&a->args->m, own, other, way, &push, &slow);
    if (held) {
        floats share = share_of_first(own, other);
        ask(way, push * share, slow, one);
        ask(way, push * (share - 1.0f), slow, two);
    } else {
        const ints opposite = {INT32_MIN, INT32_MIN, INT32_MIN, 0,
                               INT32_MIN, INT32_MIN, INT32_MIN, 0};
        ask(way, push * 0.5f, slow, one);
        for (int k = 0; k < 4; k++)
            two[k] = (floats)((ints)one[k] ^ opposite);
    }
    for (int k = 0; k < LANES; k++) {
        s->sum[first[k]] += quad_of(one, k);
        s->sum[second[k]] += quad_of(two, k);
    }
    if (__builtin_expect(twins != 0, 0))
        part_twins(a, twins, first, second);
}

LANE_FN void meet_all(around *a, bool held)
{
    pair_list *l = &a->list;
    for (int k = 0; k < LANES; k++)
        l->pair[l->count + (uint32_t)k] = (NOBODY << PAIR_BITS) + PAIR_MIDDLE + 1;
    for (uint32_t begin = 0; begin < l->count; begin += PIECE) {
        uint32_t n = l->count - begin < PIECE ? l->count - begin : PIECE;
        uint32_t part_size = (n + LANES - 1) / LANES;
        for (uint32_t k = 0; k < part_size; k++) {
            uint32_t code[LANES];
            for (uint32_t lane = 0; lane < LANES; lane++)
                code[lane] = l->pair[begin + k + lane * part_size];
            meet_eight(a, code, held);
        }
    }
    l->count = 0;
}

void X(push_meet)(around *a)
{
    if (a->walls || a->args->touches)
        meet_all(a, true);
    else
        meet_all(a, false);
}
