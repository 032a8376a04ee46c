/* push_meet.c -- what the pairs of a list ask of their two particles.
 *
 * Eight pairs are computed at once, and what they ask for is added to both of each, one pair after
 * the other: the sums have a fixed order. The eight come from eight parts of a piece of the list as
 * it was found, because neighbours there have their first particle in common, and its sum would
 * have to wait for each: the list is woven, once for both passes. Particles beyond the tile get
 * sums too, which nobody reads: the tile in which they are has listed the same pair. */
#include "push.h"

#define PIECE (32 * LANES) /* pairs */

void DEV(push_part)(const push_args *args, uint32_t a, uint32_t b, float share, quad *sum)
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

/* Eight pairs. */
typedef struct eight_pairs {
    uint32_t first[LANES], second[LANES]; /* bytes from entry 0 to their places, and to the sums */
    floats one[4], two[4]; /* what is asked of the first and of the second: quad_of */
    uint32_t twins;        /* bits of those at one place, which ask for nothing yet */
} eight_pairs;

LANE_FN void find_places(const uint32_t code[LANES], eight_pairs *p)
{
    words codes, first, second;
    memcpy(&codes, code, sizeof codes);
    first = codes >> PAIR_BITS << 4;
    second = first + ((codes & (2 * PAIR_MIDDLE - 1)) << 4) - (PAIR_MIDDLE << 4);
    memcpy(p->first, &first, sizeof first);
    memcpy(p->second, &second, sizeof second);
}

LANE_FN quad *quad_at(quad *from, uint32_t way)
{
    return (quad *)((char *)from + way);
}

LANE_FN bool is_zero(floats v)
{
    longs bits = (longs)((ints)v & INT32_MAX);
    return (bits[0] | bits[1] | bits[2] | bits[3]) == 0;
}

LANE_FN void meet_eight(quad *place, const X(push_distances) *m, eight_pairs *p)
{
    const ints opposite = {INT32_MIN, INT32_MIN, INT32_MIN, 0, INT32_MIN, INT32_MIN, INT32_MIN, 0};
    floats way[4], push, slow;
    for (int k = 0; k < 4; k++)
        way[k] = lanes_two_quads(*quad_at(place, p->first[k]), *quad_at(place, p->first[k + 4])) -
                 lanes_two_quads(*quad_at(place, p->second[k]), *quad_at(place, p->second[k + 4]));
    lanes_transpose(way);
    p->twins = meet(m, way, &push, &slow);
    if (__builtin_expect(is_zero(way[HELD]), 1)) {
        floats asked[4];
        ask(way, push * 0.5f, slow, asked);
        for (int k = 0; k < 4; k++) {
            p->one[k] = asked[k];
            p->two[k] = (floats)((ints)asked[k] ^ opposite);
        }
    } else {
        floats share = share_of_first(way);
        ask(way, push * share, slow, p->one);
        ask(way, push * (share - 1.0f), slow, p->two);
    }
}

static void part_twins(around *a, const eight_pairs *p)
{
    store *s = &a->store;
    for (uint32_t lanes = p->twins; lanes; lanes &= lanes - 1) {
        int k = __builtin_ctz(lanes);
        size_t here = p->first[k] / sizeof(quad), there = p->second[k] / sizeof(quad);
        uint32_t one = number_of(s, (uint32_t)here), other = number_of(s, (uint32_t)there);
        float more = 0.3f * (s->place[there][HELD] - s->place[here][HELD]);
        DEV(push_part)(a->args, one, other, 0.5f + more, &s->sum[here]);
        DEV(push_part)(a->args, other, one, 0.5f - more, &s->sum[there]);
    }
}

LANE_FN void add_asked(around *a, quad *sum, const eight_pairs *p)
{
    quad one[LANES], two[LANES];
    memcpy(one, p->one, sizeof one);
    memcpy(two, p->two, sizeof two);
    for (int k = 0; k < LANES; k++) {
        int at = k < 4 ? 2 * k : 2 * k - 7;
        *quad_at(sum, p->first[k]) += one[at];
        *quad_at(sum, p->second[k]) += two[at];
    }
    if (__builtin_expect(p->twins != 0, 0))
        part_twins(a, p);
}

/* Step by step for some eights in turn: one alone is a long chain of instructions, of which each
 * waits for the last. */
void DEV(push_meet)(around *a)
{
    enum { EIGHTS = 8 };
    pair_list *l = &a->list;
    const X(push_distances) m = a->args->m;
    quad *place = a->store.place, *sum = a->store.sum;
    eight_pairs p[EIGHTS];
    for (uint32_t begin = 0; begin < l->count; begin += EIGHTS * LANES) {
        uint32_t left = (l->count - begin) / LANES, n = left < EIGHTS ? left : EIGHTS;
        for (uint32_t k = 0; k < n; k++)
            find_places(l->pair + begin + k * LANES, &p[k]);
        for (uint32_t k = 0; k < n; k++)
            meet_eight(place, &m, &p[k]);
        for (uint32_t k = 0; k < n; k++)
            add_asked(a, sum, &p[k]);
    }
    l->count = 0;
}

/* ---- the order of the list */

/* 8 x 8 numbers, turned round their diagonal; rows are `from_row` and `to_row` numbers apart. */
LANE_FN void turn_square(const uint32_t *from, size_t from_row, uint32_t *to, size_t to_row)
{
    floats low[4], high[4];
    for (size_t k = 0; k < 4; k++) {
        memcpy(&low[k], from + k * from_row, sizeof low[k]);
        memcpy(&high[k], from + (k + 4) * from_row, sizeof high[k]);
    }
    lanes_transpose(low);
    lanes_transpose(high);
    for (size_t k = 0; k < 4; k++) {
        floats one = lanes_two_quads(lanes_low(low[k]), lanes_low(high[k]));
        floats two = lanes_two_quads(lanes_high(low[k]), lanes_high(high[k]));
        memcpy(to + k * to_row, &one, sizeof one);
        memcpy(to + (k + 4) * to_row, &two, sizeof two);
    }
}

void DEV(push_weave)(pair_list *l)
{
    uint32_t piece[PIECE];
    for (uint32_t begin = 0; begin < l->count; begin += PIECE) {
        uint32_t *pair = l->pair + begin, n = l->count - begin;
        if (n >= PIECE) {
            memcpy(piece, pair, sizeof piece);
            for (uint32_t k = 0; k < PIECE / LANES; k += LANES)
                turn_square(piece + k, PIECE / LANES, pair + LANES * k, LANES);
            continue;
        }
        uint32_t part = (n + LANES - 1) / LANES;
        for (uint32_t k = 0; k < LANES * part; k++)
            piece[k % part * LANES + k / part] =
                k < n ? pair[k] : (NOBODY << PAIR_BITS) + PAIR_MIDDLE + 1;
        memcpy(pair, piece, LANES * part * sizeof *piece);
        l->count = begin + LANES * part;
    }
}
