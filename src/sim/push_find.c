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

#define CHUNKS 256 /* 9 runs of three cells with MOST_OF_CELL particles have 216 */

typedef struct chunk {
    uint32_t begin, valid; /* entries from `begin` on; bit k: that one counts */
} chunk;

static int add_run(chunk *to, int n, uint32_t begin, uint32_t end)
{
    for (; begin < end; begin += BYTES)
        to[n++] = (chunk){begin, end - begin < BYTES ? (1u << (end - begin)) - 1 : ~0u};
    return n;
}

/* A row next to that of cell (x, y, z) of the store, the offset `k` of them: -1, 0, 1 along y, and
 * 3 times that along z. Whether it lies beyond the tile. */
static bool is_beyond(const around *a, int y, int z, int k)
{
    int dz = k < -1 ? -1 : k > 1 ? 1 : 0, dy = k - 3 * dz;
    return y + dy < 1 || y + dy > a->own[1] ||
           (DIM == 3 && (z + dz < 1 || z + dz > a->own[DIM - 1]));
}

/* The chunks at which the particles of a cell look; the first *own of them hold the cell itself. */
static int list_chunks(const around *a, int x, int y, int z, chunk *to, int *own)
{
    const uint32_t *start = a->store.start + x + SIDE * (y + SIDE * z);
    int n = *own = add_run(to, 0, start[x == 1 ? -1 : 0], start[2]);
    for (int k = 1; k <= AROUND / 6; k++) {
        int dz = k > 1 ? 1 : 0, dy = k - 3 * dz;
        ptrdiff_t way = SIDE * (dy + SIDE * dz);
        n = add_run(to, n, start[way - 1], start[way + 2]);
        if (is_beyond(a, y, z, -k)) {
            n = add_run(to, n, start[-way - 1], start[-way + 2]);
            continue;
        }
        if (x == 1)
            n = add_run(to, n, start[-way - 1], start[-way]);
        if (x == a->own[0])
            n = add_run(to, n, start[-way + 1], start[-way + 2]);
    }
    return n;
}

/* Lists the bits of a chunk as pairs. Most have no more than two, which are written without asking;
 * what is not there is not counted. */
LANE_FN void list_bits(around *a, uint32_t bits, uint32_t entry, uint32_t begin)
{
    pair_list *l = &a->list;
    if (__builtin_expect(l->count + BYTES > l->room, 0)) {
        l->whole = false;
        X(push_meet)(a);
    }
    uint32_t *to = l->pair + l->count, n = (uint32_t)__builtin_popcount(bits);
    uint32_t code = (entry << PAIR_BITS) + PAIR_MIDDLE + begin - entry;
    l->count += n;
    to[0] = code + lowest_bit(bits);
    bits &= bits - 1;
    to[1] = code + lowest_bit(bits);
    for (uint32_t k = 2; __builtin_expect(k < n, 0); k++) {
        bits &= bits - 1;
        to[k] = code + lowest_bit(bits);
    }
}

/* The bits [low, high) of a chunk that begins at `begin`. */
LANE_FN uint32_t bits_between(uint32_t begin, uint32_t low, uint32_t high)
{
    uint32_t first = low > begin ? low - begin : 0, last = high > begin ? high - begin : 0;
    first = first < 32 ? first : 32;
    last = last < 32 ? last : 32;
    return (uint32_t)((((uint64_t)1 << last) - 1) & ~(((uint64_t)1 << first) - 1));
}

static void find_cell(around *a, int x, int y, int z)
{
    const store *s = &a->store;
    int cell = x + SIDE * (y + SIDE * z), own, n;
    uint32_t begin = s->start[cell], end = s->start[cell + 1];
    chunk chunks[CHUNKS];
    if (begin == end)
        return;
    n = list_chunks(a, x, y, z, chunks, &own);
    for (uint32_t entry = begin; entry < end; entry++) {
        box b = box_around(s, &a->args->m, entry);
        int k = 0;
        for (; k < own; k++) {
            uint32_t at = chunks[k].begin;
            uint32_t met = bits_between(at, begin, entry + 1); /* itself, and those before */
            list_bits(a, near_bits(s, &b, at) & chunks[k].valid & ~met, entry, at);
        }
        for (; k < n; k++)
            list_bits(a, near_bits(s, &b, chunks[k].begin) & chunks[k].valid, entry,
                      chunks[k].begin);
    }
}

void X(push_find)(around *a)
{
    for (int z = DIM == 3 ? 1 : 0; z <= (DIM == 3 ? a->own[DIM - 1] : 0); z++)
        for (int y = 1; y <= a->own[1]; y++)
            for (int x = 1; x <= a->own[0]; x++)
                find_cell(a, x, y, z);
}
