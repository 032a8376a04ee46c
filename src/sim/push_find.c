/* push_find.c -- lists the pairs of a tile that are, or may come, close.
 *
 * Every pair is listed once, by the one that comes first in the store; the cells of a row with what
 * may be near are one run. With the particles of its cell a particle looks at
 *
 *     the rest of its own cell and the next one along x,
 *     the three cells of each of the following rows (2D: one; 3D: four).
 *
 * What comes before it has looked at it already, except for cells beyond the tile, which do not
 * look: those of them that come before are added as further runs.
 *
 * Runs are cut into chunks of BYTES entries. All particles of a cell have the same chunks, there is
 * no branch on where a particle is inside of its cell, and a look at a chunk takes some fifteen
 * instructions. Chunks with three and more near ones, or none to speak of, are what branches may
 * guess. The list depends on nothing but the places: it is the same for every instruction set and
 * any number of threads. */
#include "push.h"

typedef struct chunk {
    uint32_t begin, valid; /* entries from `begin` on; bit k: that one counts */
} chunk;

static int add_chunks(chunk *to, int n, uint32_t begin, uint32_t end)
{
    for (; begin < end; begin += BYTES)
        to[n++] = (chunk){begin, end - begin < BYTES ? (1u << (end - begin)) - 1 : ~0u};
    return n;
}

/* Most runs are one chunk. */
LANE_FN int add_run(chunk *to, int n, uint32_t begin, uint32_t end)
{
    uint32_t count = end - begin;
    if (__builtin_expect(count > BYTES, 0))
        return add_chunks(to, n, begin, end);
    to[n] = (chunk){begin, (uint32_t)(((uint64_t)1 << count) - 1)};
    return n + (count > 0);
}

/* The rows around a row, but for itself, in the order of a walk around it that starts at the next
 * one along y; in 3D the last is the first again. */
#define ROWS_AROUND (DIM == 3 ? 9 : 2)
typedef struct row_view {
    ptrdiff_t way[ROWS_AROUND]; /* how many cells farther */
    bool after[ROWS_AROUND];    /* comes after this one */
    bool beyond[ROWS_AROUND];   /* lies beyond the tile */
    bool halves; /* D is so short that nothing in one half of a cell meets what lies beyond the
                    other */
    box box;
} row_view;

static void look_at_row(const around *a, int y, int z, row_view *v)
{
    static const int walk[9][2] = {{1, 0},   {1, 1},  {0, 1},  {-1, 1}, {-1, 0},
                                   {-1, -1}, {0, -1}, {1, -1}, {1, 0}};
    const uint8_t *rounded[DIM];
    FOR_DIM(d)
        rounded[d] = a->store.rounded[d];
    v->box = box_around(rounded, &a->args->m, NOBODY);
    v->halves = DIM == 3 && a->args->m.width <= PUSH_STEPS / 2;
    for (int k = 0; k < ROWS_AROUND; k++) {
        int dy = walk[DIM == 3 ? k : 4 * k][0], dz = walk[DIM == 3 ? k : 4 * k][1];
        v->way[k] = SIDE * (dy + SIDE * dz);
        v->after[k] = v->way[k] > 0;
        v->beyond[k] = y + dy < 1 || y + dy > a->own[1] ||
                       (DIM == 3 && (z + dz < 1 || z + dz > a->own[DIM - 1]));
    }
}

/* The chunks at which the particles of a cell look: first those of the cell itself and the next
 * one, `own` of them, then those of the rows around, in the order of the walk. With halves, a
 * quarter of the cell, seen along x, needs the chunks [begin, end) of three rows of the walk:
 * quarter 0 low along y and z, 1 high along y, 2 high along z, 3 both. */
typedef struct view {
    chunk chunks[CHUNKS];
    int own, begin[4], end[4];
} view;

LANE_FN int add_row(const around *a, const row_view *v, const uint32_t *start, int x, int k,
                    chunk *to, int n)
{
    const uint32_t *cell = start + v->way[k];
    if (v->after[k] || v->beyond[k])
        return add_run(to, n, cell[-1], cell[2]);
    if (x == 1)
        n = add_run(to, n, cell[-1], cell[0]);
    if (x == a->own[0])
        n = add_run(to, n, cell[1], cell[2]);
    return n;
}

static void list_chunks(const around *a, const row_view *v, const uint32_t *start, int x, view *to)
{
    int at[ROWS_AROUND + 1], n = add_run(to->chunks, 0, start[x == 1 ? -1 : 0], start[2]);
    to->own = n;
    for (int k = 0; k < ROWS_AROUND; k++) {
        at[k] = n;
        n = add_row(a, v, start, x, k, to->chunks, n);
    }
    at[ROWS_AROUND] = n;
    if (!v->halves) {
        to->begin[0] = at[0];
        to->end[0] = DIM == 3 ? at[ROWS_AROUND - 1] : n;
        return;
    }
    static const int first[4] = {4, 6, 2, 0};
    for (int q = 0; q < 4; q++) {
        to->begin[q] = at[first[q] % ROWS_AROUND];
        to->end[q] = at[(first[q] + 3) % (ROWS_AROUND + 1)];
    }
}

/* Writes the bits of a chunk as pairs from `code` on; returns where the next ones go. Most chunks
 * have no more than two, which are written without asking; what is not there is not counted. */
LANE_FN uint32_t *list_bits(uint32_t *to, uint32_t bits, uint32_t code)
{
    uint32_t n = (uint32_t)__builtin_popcount(bits);
    to[0] = code + lowest_bit(bits);
    bits &= bits - 1;
    to[1] = code + lowest_bit(bits);
    for (uint32_t k = 2; __builtin_expect(k < n, 0); k++) {
        bits &= bits - 1;
        to[k] = code + lowest_bit(bits);
    }
    return to + n;
}

/* The bits [low, high) of a chunk that begins at `begin`. */
LANE_FN uint32_t bits_between(uint32_t begin, uint32_t low, uint32_t high)
{
    uint32_t first = low > begin ? low - begin : 0, last = high > begin ? high - begin : 0;
    first = first < 32 ? first : 32;
    last = last < 32 ? last : 32;
    return (uint32_t)((((uint64_t)1 << last) - 1) & ~(((uint64_t)1 << first) - 1));
}

/* Entries of a cell by quarters. */
typedef struct quarters {
    uint16_t entry[4][MOST_OF_CELL]; /* from the first of the cell on */
    uint32_t count[4];
} quarters;

static void sort_by_quarters(const store *s, bool halves, uint32_t begin, uint32_t end, quarters *q)
{
    memset(q->count, 0, sizeof q->count);
    for (uint32_t k = begin; k < end; k++) {
        uint32_t high = (s->rounded[1][k] >> 5 & 1) | (s->rounded[DIM - 1][k] >> 4 & 2);
        uint32_t quarter = halves ? high : 0;
        q->entry[quarter][q->count[quarter]++] = (uint16_t)(k - begin);
    }
}

/* Lists the pairs of an entry of the cell that begins at `begin`. */
LANE_FN void find_pairs(around *a, const uint8_t *const rounded[DIM], box *b, const view *v, int q,
                        uint32_t begin, uint32_t entry)
{
    int first = v->begin[q], last = v->end[q];
    if (__builtin_expect(a->list.room - a->list.count < (uint32_t)(v->own + last - first) * BYTES,
                         0)) {
        a->list.whole = false;
        X(push_meet)(a);
    }
    uint32_t *to = a->list.pair + a->list.count;
    uint32_t code = (entry << PAIR_BITS) + PAIR_MIDDLE - entry;
    box_move(b, rounded, entry);
    for (int k = 0; k < v->own; k++) { /* not itself and not those of its cell before it */
        uint32_t at = v->chunks[k].begin, met;
        if (__builtin_expect(v->own == 1, 1))
            met = ((2u << (entry - begin)) - 1) << (begin - at);
        else
            met = bits_between(at, begin, entry + 1);
        to = list_bits(to, near_bits(rounded, b, at) & v->chunks[k].valid & ~met, code + at);
    }
    for (int k = first; k < last; k++) {
        uint32_t at = v->chunks[k].begin;
        to = list_bits(to, near_bits(rounded, b, at) & v->chunks[k].valid, code + at);
    }
    a->list.count = (uint32_t)(to - a->list.pair);
}

static void find_cell(around *a, const row_view *row, int cell, int x)
{
    const store *s = &a->store;
    uint32_t begin = s->start[cell], end = s->start[cell + 1];
    view v;
    quarters q;
    box b = row->box;
    const uint8_t *rounded[DIM]; /* not through the store: pairs might be written over it */
    FOR_DIM(d)
        rounded[d] = s->rounded[d];
    list_chunks(a, row, s->start + cell, x, &v);
    if (DIM == 2) {
        for (uint32_t entry = begin; entry < end; entry++)
            find_pairs(a, rounded, &b, &v, 0, begin, entry);
        return;
    }
    sort_by_quarters(s, row->halves, begin, end, &q);
    for (int k = 0; k < 4; k++)
        for (uint32_t i = 0; i < q.count[k]; i++)
            find_pairs(a, rounded, &b, &v, k, begin, begin + q.entry[k][i]);
}

void X(push_find)(around *a)
{
    for (int z = DIM == 3 ? 1 : 0; z <= (DIM == 3 ? a->own[DIM - 1] : 0); z++)
        for (int y = 1; y <= a->own[1]; y++) {
            int row = SIDE * (y + SIDE * z);
            const uint32_t *start = a->store.start + row;
            row_view v;
            if (start[1] == start[a->own[0] + 1])
                continue;
            look_at_row(a, y, z, &v);
            for (int x = 1; x <= a->own[0]; x++)
                if (start[x] < start[x + 1])
                    find_cell(a, &v, row + x, x);
        }
}
