/* push_find.c -- lists the pairs of a tile that are, or may come, close.
 *
 * Every pair is listed once, by the one that comes first in the store; cells of a row that follow
 * each other are one run of entries. A pair is not farther apart than half a cell along any axis
 * (but for large D), so a particle in the upper half of its cell along an axis meets nothing below
 * the cell, one in the lower half nothing above it: of the cells along x two are in reach, of the
 * rows around its own those of its quarter (3D) or half (2D) of the row. A particle looks at
 *
 *     what comes after it in its own row,
 *     the rows of its quarter that come after its row, and those beyond the tile, which do not look.
 *
 * What is left are cells beyond the two ends of a row, seen from rows that come after: the
 * particles in the first and the last cell of a row look at those one by one.
 *
 * Particles of a row go by quarters, found as bits of 64 particles at a time: so the number of looks
 * is the same for many particles in turn, and branches can be guessed. A look is one vector of bytes
 * and takes some twenty-five instructions; what it finds is written without asking how many they
 * are, up to two. The list depends on nothing but the places: it is the same for every instruction
 * set and any number of threads. */
#include "push.h"

#define HALF ((int)PUSH_STEPS / 2) /* bit of a rounded place: upper half of its cell */

/* ---- at which rows a row looks */

static bool in_reach(const push_args *args, int quarter, int dy, int dz)
{
    int side[2] = {quarter & 1 ? 1 : -1, quarter & 2 ? 1 : -1};
    if (!args->m.halves)
        return quarter == 0;
    return (dy == 0 || dy == side[0]) && (dz == 0 || dz == side[1]);
}

void X(push_look_init)(around *a)
{
    for (int kind = 0; kind < ROW_KINDS; kind++) {
        row_looks *l = &a->looks[kind];
        memset(l, 0, sizeof *l);
        for (int k = 0; k < AROUND / 3; k++) {
            int dy = k % 3 - 1, dz = k / 3 - (DIM == 3 ? 1 : 0);
            bool beyond = (dy < 0 && kind & 1) || (dy > 0 && kind & 2) || (dz < 0 && kind & 4) ||
                          (dz > 0 && kind & 8);
            ptrdiff_t way = SIDE * (dy + SIDE * dz);
            for (int q = 0; q < QUARTERS && way != 0; q++) {
                if (!in_reach(a->args, q, dy, dz))
                    continue;
                if (way > 0 || beyond)
                    l->whole[q].way[l->whole[q].count++] = way;
                else
                    l->ends[q].way[l->ends[q].count++] = way;
            }
        }
    }
}

/* Which of the looks are those of row (y, z). */
static int kind_of_row(const around *a, int y, int z)
{
    int kind = (y == 1) | (y == a->own[1]) << 1;
    return DIM == 2 ? kind : kind | (z == 1) << 2 | (z == a->own[DIM - 1]) << 3;
}

/* ---- a look */

/* One particle that looks, and where its pairs are written. */
typedef struct looker {
    const uint8_t *rounded[DIM]; /* not through the store: pairs might be written over it */
    box box;
    uint32_t code;
    uint32_t *to;
} looker;

LANE_FN void set_looker(looker *l, uint32_t entry)
{
    l->code = (entry << PAIR_BITS) + PAIR_MIDDLE - entry;
    box_move(&l->box, l->rounded, entry);
}

/* Writes the bits of a chunk that begins at `begin` as pairs. Most have no more than two, which
 * are written without asking; what is not there is not counted. */
LANE_FN void list_bits(looker *l, uint32_t bits, uint32_t begin)
{
    uint32_t n = (uint32_t)__builtin_popcount(bits), code = l->code + begin, *to = l->to;
    to[0] = code + lowest_bit(bits);
    bits &= bits - 1;
    to[1] = code + lowest_bit(bits);
    for (uint32_t k = 2; __builtin_expect(k < n, 0); k++) {
        bits &= bits - 1;
        to[k] = code + lowest_bit(bits);
    }
    l->to = to + n;
}

/* The pairs with the entries [begin, end). long_runs: they may be more than a vector. */
LANE_FN void look(looker *l, uint32_t begin, uint32_t end, bool long_runs)
{
    for (; long_runs && end - begin > BYTES; begin += BYTES)
        list_bits(l, near_bits(l->rounded, &l->box, begin), begin);
    uint64_t valid = ((uint64_t)1 << (end - begin)) - 1;
    list_bits(l, near_bits(l->rounded, &l->box, begin) & (uint32_t)valid, begin);
}

/* ---- a row */

/* The particles of a row, 64 at a time: which of them are in the upper half of their cell. */
typedef struct halves {
    uint64_t up[DIM];
} halves;

static halves find_halves(const around *a, const uint8_t *const rounded[DIM], uint32_t first)
{
    halves h = {{0}};
    for (int d = 0; d < DIM && a->args->m.halves; d++)
        for (uint32_t k = 0; k < 2; k++) {
            bytes place;
            memcpy(&place, rounded[d] + first + k * BYTES, sizeof place);
            h.up[d] |= (uint64_t)byte_bits((chars)(place << 2) < 0) << (k * BYTES);
        }
    return h;
}

static uint64_t quarter_bits(const around *a, const halves *h, int q)
{
    if (!a->args->m.halves)
        return q == 0 ? ~(uint64_t)0 : 0;
    uint64_t y = q & 1 ? h->up[1] : ~h->up[1];
    return DIM == 2 ? y : y & (q & 2 ? h->up[DIM - 1] : ~h->up[DIM - 1]);
}

/* The first n bits. */
LANE_FN uint64_t first_bits(uint32_t n)
{
    return n < 64 ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0;
}

/* For each particle of a row the first cell in its reach, counted from the cell before the row;
 * writes up to BYTES more. */
static void mark_reach(around *a, const uint32_t *start)
{
    uint32_t begin = start[1], count = start[a->own[0] + 1] - begin;
    for (int x = 1; x <= a->own[0]; x++) {
        bytes cell = (bytes){0} + (uint8_t)(x - 1);
        uint32_t k = start[x] - begin, end = start[x + 1] - begin;
        do {
            memcpy(a->reach + k, &cell, sizeof cell);
            k += BYTES;
        } while (__builtin_expect(k < end, 0));
    }
    for (uint32_t k = 0; k < count && a->args->m.halves; k += BYTES) {
        bytes cell, place;
        memcpy(&cell, a->reach + k, sizeof cell);
        memcpy(&place, a->store.rounded[0] + begin + k, sizeof place);
        cell += place >> 5 & 1;
        memcpy(a->reach + k, &cell, sizeof cell);
    }
}

/* Makes room for what one particle may list. */
LANE_FN void keep_room(around *a, looker *l)
{
    uint32_t used = (uint32_t)(l->to - a->list.pair);
    if (__builtin_expect(a->list.room - used >= a->most_pairs, 1))
        return;
    a->list.whole = false;
    a->list.count = used;
    X(push_meet)(a);
    l->to = a->list.pair;
}

/* The particles of `bits`, from `first` on, look at their own row and the whole rows around. */
LANE_FN void look_around(around *a, looker *l, const uint32_t *start, uint32_t first, uint64_t bits,
                         const ways *rows, bool long_runs)
{
    int span = a->args->m.halves ? 2 : 3;
    for (; bits; bits &= bits - 1) {
        uint32_t entry = first + (uint32_t)__builtin_ctzll(bits);
        const uint32_t *cell = start + a->reach[entry - start[1]];
        keep_room(a, l);
        set_looker(l, entry);
        look(l, entry + 1, cell[span], long_runs);
        for (int k = 0; k < rows->count; k++) {
            const uint32_t *there = cell + rows->way[k];
            look(l, there[0], there[span], long_runs);
        }
    }
}

/* The same for the cell `far` of rows that have looked at them, and of their own if `own`. */
static void look_at_end(around *a, looker *l, const uint32_t *far, uint32_t first, uint64_t bits,
                        const ways *rows, bool own)
{
    for (; bits; bits &= bits - 1) {
        keep_room(a, l);
        set_looker(l, first + (uint32_t)__builtin_ctzll(bits));
        if (own)
            look(l, far[0], far[1], true);
        for (int k = 0; k < rows->count; k++)
            look(l, far[rows->way[k]], far[rows->way[k] + 1], true);
    }
}

LANE_FN void find_row(around *a, looker *l, const row_looks *rows, const uint32_t *start,
                      bool long_runs)
{
    int last = a->own[0];
    uint32_t end = start[last + 1];
    mark_reach(a, start);
    for (uint32_t first = start[1]; first < end; first += 64) {
        halves h = find_halves(a, l->rounded, first);
        uint64_t all = first_bits(end - first);
        uint64_t low = start[2] > first ? first_bits(start[2] - first) & ~h.up[0] : 0;
        uint64_t high = start[last] > first ? ~first_bits(start[last] - first) : ~(uint64_t)0;
        if (a->args->m.halves)
            high &= h.up[0];
        for (int q = 0; q < QUARTERS; q++) {
            uint64_t bits = quarter_bits(a, &h, q) & all;
            look_around(a, l, start, first, bits, &rows->whole[q], long_runs);
            if (a->ends[0])
                look_at_end(a, l, start, first, bits & low, &rows->ends[q], true);
            if (a->ends[1])
                look_at_end(a, l, start + last + 1, first, bits & high, &rows->ends[q], false);
        }
    }
}

/* The most entries of three cells in a row. */
static uint32_t longest_run(const store *s)
{
    uint32_t most = 0;
    for (int cell = 0; cell + 3 <= STORE_CELLS; cell++) {
        uint32_t n = s->start[cell + 3] - s->start[cell];
        most = n > most ? n : most;
    }
    return most;
}

LANE_FN void find_rows(around *a, looker *l, bool long_runs)
{
    for (int z = DIM == 3 ? 1 : 0; z <= (DIM == 3 ? a->own[DIM - 1] : 0); z++)
        for (int y = 1; y <= a->own[1]; y++) {
            const uint32_t *start = a->store.start + SIDE * (y + SIDE * z);
            if (start[1] < start[a->own[0] + 1])
                find_row(a, l, &a->looks[kind_of_row(a, y, z)], start, long_runs);
        }
}

void X(push_find)(around *a)
{
    uint32_t most = longest_run(&a->store);
    looker l;
    FOR_DIM(d)
        l.rounded[d] = a->store.rounded[d];
    l.box = box_around(l.rounded, &a->args->m, NOBODY);
    l.to = a->list.pair;
    a->most_pairs = AROUND / 3 * most + 2;
    if (most <= BYTES)
        find_rows(a, &l, false);
    else
        find_rows(a, &l, true);
    a->list.count = (uint32_t)(l.to - a->list.pair);
}
