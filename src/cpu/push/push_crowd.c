/* push_crowd.c -- pairs of a tile that holds more particles than the store, cell by cell: each of
 * some particles of a cell against all of the cells around, without a list. The pairs are those
 * that push_find.c would list. Slow, and needed only where something went wrong, or for more than
 * a few particles per axis of a cell. */
#include "push.h"

/* Where some particles of a cell are in the store, and some of those that they meet. */
#define SOME 0
#define OTHERS (BLOCK + LANES)

/* One particle meets n others, itself among them or not. */
static void meet_others(around *a, uint32_t entry, uint32_t number, uint32_t n, f4 *sum)
{
    const tile_store *s = &a->store;
    const uint8_t *rounded[DIM];
    FOR_DIM(d)
        rounded[d] = s->rounded[d];
    box b = box_around(rounded, &a->args->m, entry);
    f4 self[LANES];
    f8 own[4];
    for (int k = 0; k < LANES; k++)
        self[k] = s->place[entry];
    turn(self, own);
    for (uint32_t begin = OTHERS; begin < OTHERS + n; begin += BYTES) {
        uint32_t left = OTHERS + n - begin, bits = near_bits(rounded, &b, begin);
        bits &= left < BYTES ? (1u << left) - 1 : ~0u;
        if (entry >= begin && entry - begin < BYTES)
            bits &= ~(1u << (entry - begin));
        while (bits) {
            uint32_t second[LANES];
            f4 place[LANES];
            f8 way[4], push, slow, rows[4];
            for (int k = 0; k < LANES; k++, bits &= bits - 1) {
                second[k] = bits ? begin + lowest_bit(bits) : 0;
                place[k] = bits ? s->place[second[k]] : (f4){1e9f, 1e9f, 0.0f, 0.0f};
            }
            turn(place, way);
            for (int k = 0; k < 4; k++)
                way[k] = own[k] - way[k];
            uint32_t twins = meet(&a->args->m, way, &push, &slow);
            f8 share = share_of_first(way);
            ask(way, push * share, slow, rows);
            for (int k = 0; k < LANES; k++)
                *sum += f4_of(rows, k);
            for (; twins; twins &= twins - 1) {
                int lane = __builtin_ctz(twins);
                DEV(push_part)
                (a->args, number, a->crowded + second[lane] - OTHERS, share[lane], sum);
            }
        }
    }
}

/* `size` particles from `first` on meet those of one cell, some at a time. */
static void meet_cell(around *a, uint32_t first, uint32_t size, size_t index,
                      const float shift[DIM], f4 *sum)
{
    const X(sim) *s = a->args->s;
    uint32_t end = s->first[index] + s->count[index], n;
    for (uint32_t number = s->first[index]; number < end; number += n) {
        n = end - number < BLOCK ? end - number : BLOCK;
        DEV(push_copy)(a, number, n, shift, OTHERS, true);
        a->crowded = number;
        for (uint32_t k = 0; k < size; k++) {
            /* a particle that meets its own cell is one of the candidates, not beside them */
            uint32_t entry = first + k - number;
            bool among = first + k >= number && entry < n;
            meet_others(a, among ? OTHERS + entry : SOME + k, first + k, n, &sum[k]);
        }
    }
}

/* Its rounded places out of the store, for the next pass. */
static void keep_bytes(const around *a, uint32_t first, uint32_t size)
{
    FOR_DIM(d)
        memcpy(a->args->rounded[d] + first, a->store.rounded[d] + SOME, size);
}

static void push_cell(around *a, const int c[DIM])
{
    const X(sim) *s = a->args->s;
    const float here[DIM] = {0};
    size_t cell = X(index)(&s->grid, c);
    uint32_t end = s->first[cell] + s->count[cell], size;
    for (uint32_t first = s->first[cell]; first < end; first += size) {
        f4 sum[BLOCK + LANES] = {{0}};
        size = end - first < BLOCK ? end - first : BLOCK;
        DEV(push_copy)(a, first, size, here, SOME, true);
        if (!a->args->last)
            keep_bytes(a, first, size);
        for (int k = 0; k < AROUND; k++) {
            int near[DIM], offset[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
            float shift[DIM];
            FOR_DIM(d) {
                near[d] = c[d] + offset[d];
                DEV(push_turn_round)(a->args, d, &near[d], &shift[d]);
            }
            meet_cell(a, first, size, X(index)(&s->grid, near), shift, sum);
        }
        DEV(push_move)(a, first, sum, size);
    }
}

void DEV(push_crowd)(around *a)
{
    for (int z = 0; z < (DIM == 3 ? a->own[DIM - 1] : 1); z++)
        for (int y = 0; y < a->own[1]; y++)
            for (int x = 0; x < a->own[0]; x++) {
                int offset[3] = {x, y, z}, c[DIM];
                FOR_DIM(d)
                    c[d] = a->corner[d] + offset[d];
                push_cell(a, c);
            }
}
