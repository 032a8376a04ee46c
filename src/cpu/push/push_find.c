/* push_find.c -- lists the pairs of a tile that are, or may come, close.
 *
 * Every pair is listed once, by the one that comes first in the store; cells of a row that follow
 * each other are one run of entries. A pair is not farther apart than half a cell along any axis
 * (but for large D), so a particle in the upper half of its cell along an axis meets nothing below
 * the cell, one in the lower half nothing above it: of the cells along x two are in reach, of the
 * rows around its own those of its quarter (3D) or half (2D) of the row. A particle looks at
 *
 *     what comes after it in its own row,
 *     the rows of its quarter that come after its row, and those beyond the tile, which do not
 * look.
 *
 * What is left are cells beyond the two ends of a row, seen from rows that come after: the
 * particles in the first and the last cell of a row look at those one by one.
 *
 * Particles of a row go by quarters, found as bits of 64 particles at a time: so the number of
 * looks is the same for many particles in turn, and branches can be guessed. A look is one vector
 * of bytes and takes some twenty-five instructions; what it finds is written without asking how
 * many they are, up to two. The list depends on nothing but the places: it is the same for every
 * instruction set and any number of threads. */
#include "push.h"

/* ---- at which rows a row looks */

static bool in_reach(bool halves, int quarter, int dy, int dz)
{
    int side[2] = {quarter & 1 ? 1 : -1, quarter & 2 ? 1 : -1};
    if (!halves)
        return quarter == 0;
    return (dy == 0 || dy == side[0]) && (dz == 0 || dz == side[1]);
}

void DEV(push_looks)(row_looks looks[ROW_KINDS], bool halves)
{
    for (int kind = 0; kind < ROW_KINDS; kind++) {
        row_looks *l = &looks[kind];
        memset(l, 0, sizeof *l);
        for (int k = 0; k < AROUND / 3; k++) {
            int dy = k % 3 - 1, dz = k / 3 - (DIM == 3 ? 1 : 0);
            bool beyond = (dy < 0 && kind & 1) || (dy > 0 && kind & 2) || (dz < 0 && kind & 4) ||
                          (dz > 0 && kind & 8);
            ptrdiff_t way = SIDE * (dy + SIDE * dz);
            for (int q = 0; q < QUARTERS && way != 0; q++) {
                if (!in_reach(halves, q, dy, dz))
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

/* One particle that looks. */
typedef struct looker {
    const uint8_t *rounded[DIM]; /* not through the store: pairs might be written over it */
    box box;
    uint32_t code; /* of a pair with entry 0 */
} looker;

SIMD_FN looker first_looker(const around *a)
{
    looker l = {.code = 0};
    FOR_DIM(d)
        l.rounded[d] = a->store.rounded[d];
    l.box = box_around(l.rounded, &a->args->m, NOBODY);
    return l;
}

SIMD_FN void next_looker(looker *l, uint32_t entry)
{
    l->code = (entry << PAIR_BITS) + PAIR_MIDDLE - entry;
    box_move(&l->box, l->rounded, entry);
}

/* Writes the bits of a chunk that begins at `begin` as pairs; returns where the next ones go. Most
 * have no more than two, which are written without asking; what is not there is not counted. */
SIMD_FN uint32_t *list_bits(const looker *l, uint32_t bits, uint32_t begin, uint32_t *to)
{
    uint32_t n = (uint32_t)__builtin_popcount(bits), code = l->code + begin;
    to[0] = code + lowest_bit(bits);
    bits &= bits - 1;
    to[1] = code + lowest_bit(bits);
    for (uint32_t k = 2; __builtin_expect(k < n, 0); k++) {
        bits &= bits - 1;
        to[k] = code + lowest_bit(bits);
    }
    return to + n;
}

/* The pairs with the entries [begin, end). long_runs: they may be more than a vector. */
SIMD_FN uint32_t *look(const looker *l, uint32_t begin, uint32_t end, bool long_runs, uint32_t *to)
{
    for (; long_runs && end - begin > BYTES; begin += BYTES)
        to = list_bits(l, near_bits(l->rounded, &l->box, begin), begin, to);
    uint64_t valid = ((uint64_t)1 << (end - begin)) - 1;
    return list_bits(l, near_bits(l->rounded, &l->box, begin) & (uint32_t)valid, begin, to);
}

/* ---- a row */

/* What is the same for all particles of a tile. */
typedef struct how {
    int span;       /* cells along x in reach */
    bool long_runs; /* some have more entries than a vector */
} how;

/* The particles of a row, 64 at a time: which of them are in the upper half of their cell. */
typedef struct halves {
    uint64_t up[DIM];
} halves;

static halves find_halves(const around *a, uint32_t first)
{
    halves h = {{0}};
    for (int d = 0; d < DIM && a->args->m.halves; d++)
        for (uint32_t k = 0; k < 64; k += BYTE_WIDTH) {
            bytes place;
            memcpy(&place, a->store.rounded[d] + first + k, sizeof place);
            h.up[d] |= (uint64_t)chars_bits((chars)(place << 2) < 0) << k;
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
SIMD_FN uint64_t first_bits(uint32_t n)
{
    return n < 64 ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0;
}

/* For each particle of a row the first cell in its reach, counted from the cell before the row;
 * writes up to BYTE_WIDTH more. */
static void mark_reach(around *a, const uint32_t *start)
{
    uint32_t begin = start[1], count = start[a->own[0] + 1] - begin;
    for (int x = 1; x <= a->own[0]; x++) {
        bytes cell = (bytes){0} + (uint8_t)(x - 1);
        uint32_t k = start[x] - begin, end = start[x + 1] - begin;
        do {
            memcpy(a->reach + k, &cell, sizeof cell);
            k += BYTE_WIDTH;
        } while (__builtin_expect(k < end, 0));
    }
    for (uint32_t k = 0; k < count && a->args->m.halves; k += BYTE_WIDTH) {
        bytes cell, place;
        memcpy(&cell, a->reach + k, sizeof cell);
        memcpy(&place, a->store.rounded[0] + begin + k, sizeof place);
        cell += place >> 5 & 1;
        memcpy(a->reach + k, &cell, sizeof cell);
    }
}

/* Pairs up to `to` leave too little room for what one particle may list: they meet now. */
static uint32_t *find_space(around *a, const uint32_t *to)
{
    a->list.whole = false;
    a->list.count = (uint32_t)(to - a->list.pair);
    DEV(push_weave)(&a->list);
    DEV(push_meet)(a);
    return a->list.pair;
}

/* The particles of `bits`, from `first` on, look at their own row and the whole rows around. */
SIMD_FN void look_around(around *a, const uint32_t *start, uint32_t first, uint64_t bits,
                         const ways *rows, int count, how how)
{
    const uint8_t *reach = a->reach + (first - start[1]);
    looker l = first_looker(a);
    uint32_t *to = a->to;
    for (; bits; bits &= bits - 1) {
        uint32_t number = (uint32_t)__builtin_ctzll(bits), entry = first + number;
        const uint32_t *cell = start + reach[number];
        if (__builtin_expect(to > a->full, 0))
            to = find_space(a, to);
        next_looker(&l, entry);
        to = look(&l, entry + 1, cell[how.span], how.long_runs, to);
        for (int k = 0; k < count; k++) {
            const uint32_t *there = cell + rows->way[k];
            to = look(&l, there[0], there[how.span], how.long_runs, to);
        }
    }
    a->to = to;
}

/* With the usual numbers of rows written out: branches that are not there need no guess. */
SIMD_FN void look_by_count(around *a, const uint32_t *start, uint32_t first, uint64_t bits,
                           const ways *rows, how how)
{
    switch (rows->count) {
    case 0: look_around(a, start, first, bits, rows, 0, how); break;
    case 1: look_around(a, start, first, bits, rows, 1, how); break;
    case 2: look_around(a, start, first, bits, rows, 2, how); break;
    case 3: look_around(a, start, first, bits, rows, 3, how); break;
    default: look_around(a, start, first, bits, rows, rows->count, how); break;
    }
}

/* The same for the cell `far` of rows that have looked at them, and of their own if `own`. */
static void look_at_end(around *a, const uint32_t *far, uint32_t first, uint64_t bits,
                        const ways *rows, bool own)
{
    looker l = first_looker(a);
    uint32_t *to = a->to;
    for (; bits; bits &= bits - 1) {
        if (__builtin_expect(to > a->full, 0))
            to = find_space(a, to);
        next_looker(&l, first + (uint32_t)__builtin_ctzll(bits));
        if (own)
            to = look(&l, far[0], far[1], true, to);
        for (int k = 0; k < rows->count; k++)
            to = look(&l, far[rows->way[k]], far[rows->way[k] + 1], true, to);
    }
    a->to = to;
}

SIMD_FN void find_row(around *a, const row_looks *rows, const uint32_t *start, how how)
{
    int last = a->own[0];
    uint32_t end = start[last + 1];
    mark_reach(a, start);
    for (uint32_t first = start[1]; first < end; first += 64) {
        halves h = find_halves(a, first);
        uint64_t all = first_bits(end - first);
        uint64_t low = start[2] > first ? first_bits(start[2] - first) & ~h.up[0] : 0;
        uint64_t high = start[last] > first ? ~first_bits(start[last] - first) : ~(uint64_t)0;
        if (a->args->m.halves)
            high &= h.up[0];
        for (int q = 0; q < QUARTERS; q++) {
            uint64_t bits = quarter_bits(a, &h, q) & all;
            look_by_count(a, start, first, bits, &rows->whole[q], how);
            if (a->ends[0])
                look_at_end(a, start, first, bits & low, &rows->ends[q], true);
            if (a->ends[1])
                look_at_end(a, start + last + 1, first, bits & high, &rows->ends[q], false);
        }
    }
}

/* The most entries of `span` cells that follow each other. */
SIMD_FN uint32_t longest_run(const tile_store *s, int span)
{
    uint32_t most = 0;
    for (int cell = 0; cell + span <= STORE_CELLS; cell++) {
        uint32_t n = s->start[cell + span] - s->start[cell];
        most = n > most ? n : most;
    }
    return most;
}

SIMD_FN void find_rows(around *a, how how)
{
    for (int z = DIM == 3 ? 1 : 0; z <= (DIM == 3 ? a->own[DIM - 1] : 0); z++)
        for (int y = 1; y <= a->own[1]; y++) {
            const uint32_t *start = a->store.start + SIDE * (y + SIDE * z);
            if (start[1] < start[a->own[0] + 1])
                find_row(a, &a->args->looks[kind_of_row(a, y, z)], start, how);
        }
}

void DEV(push_find)(around *a)
{
    bool halves = a->args->m.halves;
    uint32_t most = halves ? longest_run(&a->store, 2) : longest_run(&a->store, 3);
    a->to = a->list.pair;
    a->full = a->list.pair + a->list.room - (AROUND / 3 * most + 2);
    if (!halves)
        find_rows(a, (how){3, true});
    else if (most > BYTES)
        find_rows(a, (how){2, true});
    else
        find_rows(a, (how){2, false});
    a->list.count = (uint32_t)(a->to - a->list.pair);
    DEV(push_weave)(&a->list);
}
