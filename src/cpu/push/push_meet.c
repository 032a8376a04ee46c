/* push_meet.c -- what the pairs of a list ask of their two particles.
 *
 * Eight pairs are computed at once, and what they ask for is added to both of each, one pair after
 * the other: the sums have a fixed order. The eight come from eight parts of a piece of the list as
 * it was found, because neighbours there have their first particle in common, and its sum would
 * have to wait for each: the list is woven, once for both passes. Particles beyond the tile get
 * sums too, which nobody reads: the tile in which they are has listed the same pair. */
#include "push.h"

#define PIECE (32 * LANES) /* pairs */

void DEV(push_part)(const push_args *args, uint32_t a, uint32_t b, float share, f4 *sum)
{
    const uint32_t *id = args->s->particles.id[0];
    float way[DIM];
    X(part_twins)(id[a], id[b], args->m.D, share, way);
    FOR_DIM(d)
        (*sum)[d] += way[d];
}

/* The particle of an entry. */
static uint32_t number_of(const tile_store *s, uint32_t entry)
{
    int cell = 0;
    while (s->start[cell + 1] <= entry)
        cell++;
    return s->number[cell] + entry - s->start[cell];
}

/* Eight pairs. */
typedef struct eight_pairs {
    uint32_t first[LANES], second[LANES]; /* bytes from entry 0 to their places, and to the sums */
    f8 one[4], two[4];                    /* what is asked of the first and of the second: f4_of */
    uint32_t twins; /* bits of those at one place, which ask for nothing yet */
} eight_pairs;

SIMD_FN void find_places(const uint32_t code[LANES], eight_pairs *p)
{
    u8 codes, first, second;
    memcpy(&codes, code, sizeof codes);
    first = codes >> PAIR_BITS << 4;
    second = first + ((codes & (2 * PAIR_MIDDLE - 1)) << 4) - (PAIR_MIDDLE << 4);
    memcpy(p->first, &first, sizeof first);
    memcpy(p->second, &second, sizeof second);
}

SIMD_FN f4 *f4_at(f4 *from, uint32_t way)
{
    return (f4 *)((char *)from + way);
}

SIMD_FN bool all_zero(f8 v)
{
    l4 bits = (l4)((i8)v & INT32_MAX);
    return (bits[0] | bits[1] | bits[2] | bits[3]) == 0;
}

SIMD_FN void meet_eight(f4 *place, const X(push_distances) *m, eight_pairs *p)
{
    const i8 opposite = {INT32_MIN, INT32_MIN, INT32_MIN, 0, INT32_MIN, INT32_MIN, INT32_MIN, 0};
    f8 way[4], push, slow;
    for (int k = 0; k < 4; k++)
        way[k] = f8_join(*f4_at(place, p->first[k]), *f4_at(place, p->first[k + 4])) -
                 f8_join(*f4_at(place, p->second[k]), *f4_at(place, p->second[k + 4]));
    transpose4(way);
    p->twins = meet(m, way, &push, &slow);
    if (__builtin_expect(all_zero(way[HELD]), 1)) {
        f8 asked[4];
        ask(way, push * 0.5f, slow, asked);
        for (int k = 0; k < 4; k++) {
            p->one[k] = asked[k];
            p->two[k] = (f8)((i8)asked[k] ^ opposite);
        }
    } else {
        f8 share = share_of_first(way);
        ask(way, push * share, slow, p->one);
        ask(way, push * (share - 1.0f), slow, p->two);
    }
}

static void part_twins(around *a, const eight_pairs *p)
{
    tile_store *s = &a->store;
    for (uint32_t lanes = p->twins; lanes; lanes &= lanes - 1) {
        int k = __builtin_ctz(lanes);
        size_t here = p->first[k] / sizeof(f4), there = p->second[k] / sizeof(f4);
        uint32_t one = number_of(s, (uint32_t)here), other = number_of(s, (uint32_t)there);
        float more = PUSH_HELD * (s->place[there][HELD] - s->place[here][HELD]);
        DEV(push_part)(a->args, one, other, 0.5f + more, &s->sum[here]);
        DEV(push_part)(a->args, other, one, 0.5f - more, &s->sum[there]);
    }
}

SIMD_FN void add_asked(around *a, f4 *sum, const eight_pairs *p)
{
    f4 one[LANES], two[LANES];
    memcpy(one, p->one, sizeof one);
    memcpy(two, p->two, sizeof two);
    for (int k = 0; k < LANES; k++) {
        int at = k < 4 ? 2 * k : 2 * k - 7;
        *f4_at(sum, p->first[k]) += one[at];
        *f4_at(sum, p->second[k]) += two[at];
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
    f4 *place = a->store.place, *sum = a->store.sum;
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
SIMD_FN void turn_square(const uint32_t *from, size_t from_row, uint32_t *to, size_t to_row)
{
    f8 low[4], high[4];
    for (size_t k = 0; k < 4; k++) {
        memcpy(&low[k], from + k * from_row, sizeof low[k]);
        memcpy(&high[k], from + (k + 4) * from_row, sizeof high[k]);
    }
    transpose4(low);
    transpose4(high);
    for (size_t k = 0; k < 4; k++) {
        f8 one = f8_join(f8_low(low[k]), f8_low(high[k]));
        f8 two = f8_join(f8_high(low[k]), f8_high(high[k]));
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
